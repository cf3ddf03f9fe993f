//! The reason why a certificate was rejected, as text for authors of provers. No code depends on
//! which reason it was.

/// Why a certificate was rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Rejection(pub String);

impl From<&str> for Rejection {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}
