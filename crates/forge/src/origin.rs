//! Where a case comes from.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::ticket::{TicketError, parse_versioned_name, versioned_name};
use crate::{Fingerprint, Ticket};

/// Where a case comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Origin {
    /// Generated from a ticket: byte for byte the same on any machine.
    Drawn(Ticket),
    /// Derived from other cases of a corpus that grows by coverage feedback.
    Derived(Derivation),
    /// Supplied by a user.
    Given { method: String },
}

/// How a case was derived. The same derivation of the same parents gives the same case.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Derivation {
    pub method: String,
    pub revision: u32,
    /// The position of the case in the order in which its corpus handed out cases.
    pub number: u64,
    /// The key of the entropy stream.
    pub entropy: u64,
    pub parents: Vec<Fingerprint>,
}

impl Origin {
    /// The method that generated the case, or that can shrink it.
    pub fn method(&self) -> &str {
        match self {
            Self::Drawn(ticket) => &ticket.method,
            Self::Derived(derivation) => &derivation.method,
            Self::Given { method } => method,
        }
    }

    pub fn revision(&self) -> u32 {
        match self {
            Self::Drawn(ticket) => ticket.revision,
            Self::Derived(derivation) => derivation.revision,
            Self::Given { .. } => 0,
        }
    }

    /// The position of the case in the order in which its source hands out work.
    pub fn number(&self) -> u64 {
        match self {
            Self::Drawn(ticket) => ticket.index,
            Self::Derived(derivation) => derivation.number,
            Self::Given { .. } => 0,
        }
    }

    pub fn ticket(&self) -> Option<&Ticket> {
        match self {
            Self::Drawn(ticket) => Some(ticket),
            Self::Derived(_) | Self::Given { .. } => None,
        }
    }

    /// Whether both come from the same source, so that their numbers can be compared. A source with feedback numbers
    /// drawn and derived cases together.
    pub fn is_beside(&self, other: &Self) -> bool {
        let is_given = |origin: &Self| matches!(origin, Self::Given { .. });
        let same_seed = match (self.ticket(), other.ticket()) {
            (Some(one), Some(other)) => one.seed == other.seed,
            _ => true,
        };
        is_given(self) == is_given(other)
            && self.method() == other.method()
            && self.revision() == other.revision()
            && same_seed
    }
}

impl From<Ticket> for Origin {
    fn from(ticket: Ticket) -> Self {
        Self::Drawn(ticket)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Drawn(ticket) => ticket.fmt(out),
            Self::Derived(derivation) => {
                let method = versioned_name(&derivation.method, derivation.revision);
                write!(out, "{method}~{}~{:x}", derivation.number, derivation.entropy)?;
                derivation.parents.iter().try_for_each(|parent| write!(out, "~{parent}"))
            }
            Self::Given { method } => out.write_str(method),
        }
    }
}

impl FromStr for Origin {
    type Err = TicketError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || TicketError { text: text.to_owned() };
        if text.contains(':') {
            return text.parse().map(Self::Drawn);
        }
        let mut parts = text.split('~');
        let (method, revision) = parts.next().and_then(parse_versioned_name).ok_or_else(error)?;
        let Some(number) = parts.next() else {
            return Ok(Self::Given { method: method.to_owned() });
        };
        let derivation = || {
            Some(Derivation {
                method: method.to_owned(),
                revision,
                number: number.parse().ok()?,
                entropy: u64::from_str_radix(parts.next()?, 16).ok()?,
                parents: parts.map(|parent| parent.parse().ok()).collect::<Option<_>>()?,
            })
        };
        derivation().map(Self::Derived).ok_or_else(error)
    }
}

impl TryFrom<String> for Origin {
    type Error = TicketError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        origin.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_printed_origin_parses_back(
            method in "[a-z][a-z0-9-]{0,8}", revision in 0u32..9, number: u64, entropy: u64,
            parents in prop::collection::vec(any::<[u8; 16]>(), 0..3), kind in 0..3,
        ) {
            let origin = match kind {
                0 => Origin::Drawn(Ticket::new(method, entropy, number).at(revision)),
                1 => Origin::Given { method },
                _ => {
                    let parents = parents.into_iter().map(Fingerprint::from).collect();
                    Origin::Derived(Derivation { method, revision, number, entropy, parents })
                }
            };
            prop_assert_eq!(origin.to_string().parse::<Origin>(), Ok(origin));
        }
    }

    #[test]
    fn numbers_are_compared_only_within_one_source() {
        let drawn = |seed, revision| Origin::Drawn(Ticket::new("m", seed, 7).at(revision));
        assert!(drawn(1, 2).is_beside(&drawn(1, 2)));
        assert!(!drawn(1, 2).is_beside(&drawn(2, 2)));
        assert!(!drawn(1, 2).is_beside(&drawn(1, 3)));
        let derived = Origin::Derived(Derivation {
            method: "m".to_owned(),
            revision: 2,
            number: 9,
            entropy: 1,
            parents: vec![],
        });
        assert!(derived.is_beside(&drawn(1, 2)) && !derived.is_beside(&drawn(1, 3)));
        assert!(!drawn(0, 0).is_beside(&Origin::Given { method: "m".to_owned() }));
    }
}
