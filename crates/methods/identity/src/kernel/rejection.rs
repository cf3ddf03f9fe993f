//! Why a certificate was not accepted, in words. It is meant for the people who write provers; nothing
//! depends on which reason it was.

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejection(pub String);

impl From<&str> for Rejection {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}
