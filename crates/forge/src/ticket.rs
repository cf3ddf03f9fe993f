//! A ticket identifies one case of one revision of one method. It is all that needs to be recorded about
//! a case that kept its promise, and enough to regenerate that case elsewhere.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// `(method, revision, seed, index)`, written `method.revision:seed:index`.
///
/// A method gets a new revision whenever the programs of its tickets change, so that a ticket stands for the
/// same bytes in every version of Mistrust. Revision 0 means that no revision is given: on a command
/// line, the current one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Ticket {
    pub method: String,
    pub revision: u32,
    pub seed: u64,
    pub index: u64,
}

impl Ticket {
    /// A ticket without a revision.
    pub fn new(method: impl Into<String>, seed: u64, index: u64) -> Self {
        Self { method: method.into(), revision: 0, seed, index }
    }

    /// The same ticket with this revision.
    #[must_use]
    pub fn at(self, revision: u32) -> Self {
        Self { revision, ..self }
    }
}

/// A method and its revision, as in tickets and stored progress: `mir.3`.
pub(crate) fn versioned_name(method: &str, revision: u32) -> String {
    if revision == 0 { method.to_owned() } else { format!("{method}.{revision}") }
}

/// The inverse of [`versioned_name`].
pub(crate) fn parse_versioned_name(text: &str) -> Option<(&str, u32)> {
    let (method, revision) = match text.rsplit_once('.') {
        Some((method, digits)) => {
            let revision: u32 = digits.parse().ok()?;
            // Each ticket has exactly one spelling.
            (revision > 0 && revision.to_string() == digits).then_some((method, revision))?
        }
        None => (text, 0),
    };
    (!method.is_empty()).then_some((method, revision))
}

impl fmt::Display for Ticket {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}:{}", versioned_name(&self.method, self.revision), self.seed, self.index)
    }
}

/// A text that is not a ticket.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a ticket: write METHOD:SEED:INDEX or METHOD.REVISION:SEED:INDEX, for example \
     smoke-c:1:42"
)]
pub struct TicketError {
    pub(crate) text: String,
}

impl FromStr for Ticket {
    type Err = TicketError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let mut parts = text.split(':');
            let (method, seed, index) = (parts.next()?, parts.next()?, parts.next()?);
            if parts.next().is_some() {
                return None;
            }
            let (method, revision) = parse_versioned_name(method)?;
            Some(Self::new(method, seed.parse().ok()?, index.parse().ok()?).at(revision))
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
        fn a_printed_ticket_parses_back(
            method in "[a-z][a-z0-9-]{0,12}(@[0-9]{2,5})?", revision: u32, seed: u64, index: u64,
        ) {
            let ticket = Ticket::new(method, seed, index).at(revision);
            prop_assert_eq!(ticket.to_string().parse::<Ticket>(), Ok(ticket));
        }
    }

    #[test]
    fn an_invalid_ticket_is_rejected_and_quoted() {
        for text in [
            "",
            "smoke",
            "smoke:1",
            "smoke:1:2:3",
            "smoke:x:2",
            ":1:2",
            "smoke:1:-2",
            "smoke.:1:2",
            "smoke.0:1:2",
            "smoke.01:1:2",
            ".1:1:2",
            "smoke.x:1:2",
        ] {
            let error = text.parse::<Ticket>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{text}`")), "{error}");
        }
    }
}
