//! The contract ABI: encoding, strict decoding (coder v2), packed encoding and signatures.

mod decode;
mod encode;
mod signature;

pub use decode::{Malformed, decode};
pub use encode::{encode, pack, pack_indexed};
pub(crate) use signature::fraction;
pub use signature::{canonical, selector, signature};

use ruint::aliases::U256;

use crate::model::{Length, Type, TypeId};
use crate::view::View;

/// A value without a location: a word in canonical form, bytes, or the members of an array or struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Data {
    Word(U256),
    Bytes(Vec<u8>),
    List(Vec<Data>),
}

impl Data {
    pub fn word(&self) -> U256 {
        match self {
            Self::Word(word) => *word,
            Self::Bytes(_) | Self::List(_) => U256::ZERO,
        }
    }
}

impl View<'_> {
    /// Whether the encoding of a type has an offset in its head.
    pub fn is_dynamic(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Bytes | Type::String | Type::Array(_, Length::Dynamic) => true,
            Type::Array(element, _) => self.is_dynamic(element),
            Type::Struct(which) => self.fields(which).iter().any(|field| self.is_dynamic(*field)),
            _ => false,
        }
    }

    /// The number of bytes of a type in the head of an encoding.
    pub fn head_bytes(&self, id: TypeId) -> usize {
        if self.is_dynamic(id) {
            return 32;
        }
        match self.ty(id) {
            Type::Array(element, Length::Fixed(length)) => {
                usize::from(length) * self.head_bytes(element)
            }
            Type::Struct(which) => self.fields(which).iter().map(|it| self.head_bytes(*it)).sum(),
            _ => 32,
        }
    }

    /// The value of a type that was never written.
    pub fn zero(&self, id: TypeId) -> Data {
        match self.ty(id) {
            Type::Bytes | Type::String => Data::Bytes(vec![]),
            Type::Array(_, Length::Dynamic) => Data::List(vec![]),
            Type::Array(element, Length::Fixed(length)) => {
                Data::List(vec![self.zero(element); usize::from(length)])
            }
            Type::Struct(which) => {
                Data::List(self.fields(which).iter().map(|field| self.zero(*field)).collect())
            }
            _ => Data::Word(U256::ZERO),
        }
    }
}
