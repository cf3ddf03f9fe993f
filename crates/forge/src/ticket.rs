//! A ticket names one case of one method. It is all that has to be remembered of a case that kept
//! its promise, and what two people exchange to talk about the same program.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// `(method, seed, index)`, written `method:seed:index`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Ticket {
    pub method: String,
    pub seed: u64,
    pub index: u64,
}

impl Ticket {
    pub fn new(method: impl Into<String>, seed: u64, index: u64) -> Self {
        Self { method: method.into(), seed, index }
    }
}

impl fmt::Display for Ticket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", self.method, self.seed, self.index)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a ticket: write METHOD:SEED:INDEX, for example smoke-c:1:42")]
pub struct TicketError {
    text: String,
}

impl FromStr for Ticket {
    type Err = TicketError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let mut parts = text.split(':');
            let (method, seed, index) = (parts.next()?, parts.next()?, parts.next()?);
            if method.is_empty() || parts.next().is_some() {
                return None;
            }
            Some(Self::new(method, seed.parse().ok()?, index.parse().ok()?))
        };
        parse().ok_or_else(|| TicketError { text: text.to_owned() })
    }
}

impl TryFrom<String> for Ticket {
    type Error = TicketError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Ticket> for String {
    fn from(ticket: Ticket) -> Self {
        ticket.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_printed_parses_back(method in "[a-z][a-z0-9-]{0,12}(@[0-9]{2,5})?", seed: u64, index: u64) {
            let ticket = Ticket::new(method, seed, index);
            prop_assert_eq!(ticket.to_string().parse::<Ticket>(), Ok(ticket));
        }
    }

    #[test]
    fn anything_else_is_refused_by_name() {
        for text in ["", "smoke", "smoke:1", "smoke:1:2:3", "smoke:x:2", ":1:2", "smoke:1:-2"] {
            let error = text.parse::<Ticket>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }
}
