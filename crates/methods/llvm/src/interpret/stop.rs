//! Why a run ends before its function returns.

use std::borrow::Cow;

/// The reason of a stop, as text.
pub type Reason = Cow<'static, str>;

/// Why a run ended before its function returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The behaviour is undefined.
    Undefined(Reason),
    /// The interpreter has no model of it. Says nothing about the program.
    Unsupported(Reason),
    /// The limit of steps or calls was reached.
    OutOfSteps,
    /// Execution ends in a callee that does not return, or in a trap.
    Ends(Reason),
}

impl Stop {
    pub(crate) fn undefined<T>(reason: impl Into<Reason>) -> Result<T, Self> {
        Err(Self::Undefined(reason.into()))
    }

    pub(crate) fn unsupported<T>(reason: impl Into<Reason>) -> Result<T, Self> {
        Err(Self::Unsupported(reason.into()))
    }
}
