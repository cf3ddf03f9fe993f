//! Why a step of a draft was not taken. Counted, so that a measurement shows what is lost and why.

use crate::verify::Invalid;

/// Why a step of a draft was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the destination has no code")]
    NoCode,
    #[error("no operand of the destination can be replaced")]
    NoPoint,
    #[error("no donor has a type that fits")]
    NoDonor,
    #[error("the donor cannot be moved")]
    Fixed,
    #[error("one of the functions cannot be called")]
    NotCallable,
    #[error("the result would be too large")]
    TooLarge,
    #[error("both modules know a name, and not in the same way")]
    Clash,
    #[error("a type does not fit")]
    Type,
    #[error("nothing to change")]
    Nothing,
    #[error("the result is not valid: {0}")]
    Invalid(Box<Invalid>),
}

impl Refusal {
    /// The reason without details, for counting.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoCode => "no code",
            Self::NoPoint => "no point",
            Self::NoDonor => "no donor",
            Self::Fixed => "donor fixed",
            Self::NotCallable => "not callable",
            Self::TooLarge => "too large",
            Self::Clash => "clash",
            Self::Type => "type",
            Self::Nothing => "nothing to change",
            Self::Invalid(_) => "invalid",
        }
    }
}
