//! Attributes other than types. Each has a small finite domain; its values are numbered by their order here.

use serde::{Deserialize, Serialize};

use super::VariableId;

/// An attribute of a declaration: a fixed value of its domain, or a variable of the template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Attribute {
    Is(u8),
    Variable(VariableId),
}

/// Declares an attribute with its values and their keywords.
macro_rules! attribute {
    ($(#[$doc:meta])* $name:ident { $($value:ident => $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $name { $($value),+ }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The keyword.
            pub fn text(self) -> &'static str {
                match self { $(Self::$value => $text),+ }
            }

            /// The value with this number; the last one if there is none.
            pub fn numbered(number: u8) -> Self {
                let last = Self::ALL.len() - 1;
                Self::ALL[usize::from(number).min(last)]
            }

            pub fn fixed(self) -> Attribute {
                Attribute::Is(self as u8)
            }

            /// The bit of this value in a domain.
            pub fn bit(self) -> u128 {
                1 << (self as u8)
            }
        }
    };
}

attribute! {
    /// Where the value of a reference type lives.
    Location { Memory => "memory", Calldata => "calldata", Storage => "storage" }
}

attribute! {
    /// Who may call a function or read a state variable.
    Visibility { Public => "public", External => "external", Internal => "internal", Private => "private" }
}

attribute! {
    /// What a function may do to the state.
    Mutability { Pure => "pure", View => "view", NonPayable => "", Payable => "payable" }
}

attribute! {
    /// How a state variable is stored.
    StateKind { Storage => "", Constant => "constant", Immutable => "immutable", Transient => "transient" }
}

attribute! {
    /// How a function is called.
    CallKind { Internal => "internal", This => "this", Super => "super", Base => "base", Other => "other", Library => "library", Attached => "attached", Operator => "operator" }
}
