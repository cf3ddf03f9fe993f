//! Values at run time. A reference knows its location.

use std::rc::Rc;

use ruint::aliases::U256;

use crate::abi::Data;
use crate::layout::Place;

/// A value of an expression.
#[derive(Clone, Debug)]
pub enum Value {
    Word(U256),
    /// An object of memory.
    Memory(usize),
    /// A position in the storage of the current account.
    Storage(Place),
    /// A part of calldata.
    Calldata(Rc<Data>),
    /// The results of a call that has none, or several.
    Many(Vec<Value>),
}

/// An object of memory.
#[derive(Clone, Debug)]
pub(super) enum Object {
    Bytes(Vec<u8>),
    Items(Vec<Value>),
}

impl Value {
    pub fn word(&self) -> U256 {
        match self {
            Self::Word(word) => *word,
            _ => U256::ZERO,
        }
    }

    pub fn is_true(&self) -> bool {
        !self.word().is_zero()
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Word(U256::from(u8::from(truth)))
    }
}
