//! Mistakes of past compilers, for the interpreter to make on purpose. How many tickets show each says how soon the
//! method would find it. Tests only: a run without one is not affected.

use ruint::aliases::U256;

use super::frame::Machine;
use super::value::Value;
use crate::model::{ContractKind, Expression, FunctionId, Kind, Length, Type, TypeId};

/// A mistake that a version of solc made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    /// `delete b[i]` of bytes in memory clears the bytes after it (0.8.36).
    DeletedByte,
    /// Encoding loses the first length if a static array of calldata is last (0.8.15).
    HeadOverflow,
    /// Elements of a packed array that shrinks stay in the last slot that is kept (0.7.2).
    ShrunkArray,
    /// Copying empty bytes to storage leaves what was in memory (0.7.3).
    EmptyBytes,
    /// A constructor that is not written takes value (0.6.7).
    ImplicitConstructor,
    /// Negative elements lose their sign when they are copied to wider ones in storage (0.5.9).
    SignedElements,
    /// The elements of nested arrays are decoded from the first one (0.4.21).
    NestedDecoder,
    /// Writes of assembly to memory are removed if the block does not read them (0.8.14, optimised).
    RemovedWrite,
    /// `abi.encodeCall` encodes a bare `hex"…"` for `bytesN` as bytes of dynamic size (0.8.12).
    EncodedLiteral,
    /// An event that a library emits has the name of a contract, not `address`, in its signature (0.5.7).
    LibraryEvent,
    /// An array of more elements than memory can have is made, and is too small (0.6.4).
    HugeArray,
    /// The hash of the same memory with another length is taken from a cache (0.8.2, optimised).
    CachedHash,
    /// Assembly sees a signed immutable without its sign (0.8.8).
    SignedImmutable,
    /// Components of nested tuples are assigned to each other's places (0.6.5).
    NestedTuple,
    /// What precedes `.selector` is not evaluated (0.8.20, legacy).
    ForgottenSelector,
    /// Writes to storage before assembly that stops are removed (0.8.16, optimised).
    RemovedStore,
    /// Assignments in a loop of assembly that is left are removed (0.5.15, with the Yul optimiser).
    RemovedAssignment,
}

impl Planted {
    pub const ALL: [Self; 17] = [
        Self::DeletedByte,
        Self::HeadOverflow,
        Self::ShrunkArray,
        Self::EmptyBytes,
        Self::ImplicitConstructor,
        Self::SignedElements,
        Self::NestedDecoder,
        Self::RemovedWrite,
        Self::EncodedLiteral,
        Self::LibraryEvent,
        Self::HugeArray,
        Self::CachedHash,
        Self::SignedImmutable,
        Self::NestedTuple,
        Self::ForgottenSelector,
        Self::RemovedStore,
        Self::RemovedAssignment,
    ];
}

impl Machine<'_> {
    pub(super) fn has(&self, planted: Planted) -> bool {
        self.planted == Some(planted)
    }

    /// Damages the encoding of the arguments of `abi.encodeCall` as 0.8.12 did.
    pub(super) fn mistake_literals(&self, arguments: &[Expression], encoded: &mut [u8]) {
        let is_literal = |it: &Expression| {
            let bytes = matches!(self.view.ty(it.ty), Type::FixedBytes(_));
            bytes && matches!(it.kind, Kind::Literal { bare: true, .. })
        };
        if self.has(Planted::EncodedLiteral)
            && arguments.iter().any(is_literal)
            && let Some(first) = encoded.first_mut()
        {
            *first ^= 0xff;
        }
    }

    /// Whether the first topic of an event is wrong, as it was in libraries before 0.5.8.
    pub(super) fn mistakes_event(&self, function: FunctionId, types: &[TypeId]) -> bool {
        let template = self.view.template;
        let own = template.functions.get(usize::from(function)).and_then(|it| it.contract);
        let library =
            own.is_some_and(|it| template.contracts[usize::from(it)].kind == ContractKind::Library);
        let named = types.iter().any(|id| matches!(self.view.ty(*id), Type::Contract(_)));
        self.has(Planted::LibraryEvent) && library && named
    }

    /// Damages an encoding as 0.8.15 did.
    pub(super) fn overflow_head(
        &self,
        values: &[Value],
        arguments: &[Expression],
        types: &[TypeId],
        encoded: &mut [u8],
    ) {
        if !self.has(Planted::HeadOverflow) {
            return;
        }
        let dynamic = types.iter().any(|id| self.view.is_dynamic(*id));
        let last = values.last().zip(arguments.last());
        let wide = last.is_some_and(|(value, it)| match (value, self.view.ty(it.ty)) {
            (Value::Calldata(_), Type::Array(element, Length::Fixed(_))) => {
                matches!(self.view.ty(element), Type::Uint(256) | Type::FixedBytes(32))
            }
            _ => false,
        });
        let head: usize = types.iter().map(|id| self.view.head_bytes(*id)).sum();
        if dynamic && wide && encoded.len() >= head + 32 {
            encoded[head..head + 32].copy_from_slice(&U256::ZERO.to_be_bytes::<32>());
        }
    }
}
