//! What must hold of a case. A promise is data; the oracles that judge it are in `lab`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Behaviour;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Promise {
    /// The compiler neither crashes nor hangs; it may reject the program.
    Survives,
    /// The program is valid by construction, so that the compiler must accept it, too.
    Compiles,
    /// The behaviour of every program is known: one for each input.
    Yields(Vec<Behaviour>),
    /// All settings of a compiler behave alike, whatever it is that they do.
    Agrees,
    /// All programs of the case behave alike, under each setting.
    Equivalent,
    /// What the compiler emits refines what it was given: the target checks it, for all inputs.
    Refines,
    /// An analyser neither crashes nor hangs, and nothing that it says contradicts anything else that it
    /// says, under any setting and of any program of the case.
    Consistent,
}

impl Promise {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Survives => "survives",
            Self::Compiles => "compiles",
            Self::Yields(_) => "yields",
            Self::Agrees => "agrees",
            Self::Equivalent => "equivalent",
            Self::Refines => "refines",
            Self::Consistent => "consistent",
        }
    }

    /// The behaviour that is known, one for each input.
    pub fn expected(&self) -> Option<&[Behaviour]> {
        match self {
            Self::Yields(expected) => Some(expected),
            Self::Survives
            | Self::Compiles
            | Self::Agrees
            | Self::Equivalent
            | Self::Refines
            | Self::Consistent => None,
        }
    }

    /// Whether the program must be accepted by every compiler of its language.
    pub fn is_of_valid_programs(&self) -> bool {
        match self {
            Self::Compiles | Self::Yields(_) | Self::Refines => true,
            Self::Survives | Self::Agrees | Self::Equivalent | Self::Consistent => false,
        }
    }

    /// Whether settings are compared with each other, so that one setting alone cannot break it.
    pub fn compares_settings(&self) -> bool {
        match self {
            Self::Agrees | Self::Consistent => true,
            Self::Survives
            | Self::Compiles
            | Self::Yields(_)
            | Self::Equivalent
            | Self::Refines => false,
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
