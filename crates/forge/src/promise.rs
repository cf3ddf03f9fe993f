//! What must hold for a case. A promise is data; the oracles that check it are in `lab`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Behaviour;

/// What must hold for a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Promise {
    /// The compiler neither crashes nor hangs; it may reject the program.
    Survives,
    /// Also, the program is valid by construction, so the compiler must accept it.
    Compiles,
    /// The program is invalid by construction, so the compiler must report an error. The last step of the trail says
    /// why it is invalid.
    Rejects,
    /// Every program must show this behaviour: one per input.
    Yields(Vec<Behaviour>),
    /// The program behaves the same under all settings. The correct behaviour is unknown.
    Agrees,
    /// Under each setting, all programs of the case behave the same.
    Equivalent,
    /// The compiler's output refines its input. The target checks this for all inputs.
    Refines,
    /// An analyser neither crashes nor hangs, and its answers do not contradict each other, over all
    /// settings and all programs of the case.
    Consistent,
}

impl Promise {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Survives => "survives",
            Self::Compiles => "compiles",
            Self::Rejects => "rejects",
            Self::Yields(_) => "yields",
            Self::Agrees => "agrees",
            Self::Equivalent => "equivalent",
            Self::Refines => "refines",
            Self::Consistent => "consistent",
        }
    }

    /// The expected behaviour per input, if it is known.
    pub fn expected(&self) -> Option<&[Behaviour]> {
        match self {
            Self::Yields(expected) => Some(expected),
            Self::Survives
            | Self::Compiles
            | Self::Rejects
            | Self::Agrees
            | Self::Equivalent
            | Self::Refines
            | Self::Consistent => None,
        }
    }

    /// Whether every compiler of the language must accept the program.
    pub fn is_of_valid_programs(&self) -> bool {
        match self {
            Self::Compiles | Self::Yields(_) | Self::Refines => true,
            Self::Survives | Self::Rejects | Self::Agrees | Self::Equivalent | Self::Consistent => {
                false
            }
        }
    }

    /// Whether settings are compared with each other, so that a single setting cannot break the promise.
    pub fn compares_settings(&self) -> bool {
        match self {
            Self::Agrees | Self::Consistent => true,
            Self::Survives
            | Self::Compiles
            | Self::Rejects
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
