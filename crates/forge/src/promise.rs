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
}

impl Promise {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Survives => "survives",
            Self::Compiles => "compiles",
            Self::Yields(_) => "yields",
            Self::Agrees => "agrees",
            Self::Equivalent => "equivalent",
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
