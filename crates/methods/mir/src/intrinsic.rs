//! The table of intrinsics that programs call: the path and the signature of each. `interpret/intrinsic.rs` evaluates
//! them.

use serde::{Deserialize, Serialize};

use super::types::{Float, Kind, TypeId, Types};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Intrinsic {
    // (T) -> T for integers T.
    ByteSwap,
    BitReverse,
    // (T) -> u32 for integers T.
    CountOnes,
    LeadingZeros,
    TrailingZeros,
    LeadingZerosNonzero,
    TrailingZerosNonzero,
    // (T, u32) -> T for unsigned integers T.
    RotateLeft,
    RotateRight,
    // (T, T) -> T for integers T.
    WrappingAdd,
    WrappingSub,
    WrappingMul,
    SaturatingAdd,
    SaturatingSub,
    UncheckedAdd,
    UncheckedSub,
    UncheckedMul,
    UncheckedDiv,
    UncheckedRem,
    ExactDiv,
    DisjointBitOr,
    // (T, U) -> T for integers T and U.
    UncheckedShl,
    UncheckedShr,
    // (T, T) -> (T, bool) for integers T.
    AddOverflow,
    SubOverflow,
    MulOverflow,
    // (bool, T, T) -> T for any T.
    Select,
    // (source, destination, count) -> (), with source `*const T` and destination `*mut T`.
    CopyNonoverlapping,
    CopyOverlapping,
    /// (destination, byte, count) -> ().
    WriteBytes,
    /// (left, right, count) -> i32 for `*const u8`: the sign only. All bytes must be initialised and without
    /// provenance.
    CompareBytes,
    /// (*mut T, *mut T) -> (): swaps the values.
    TypedSwap,
    /// (*const T) -> T.
    ReadViaCopy,
    VolatileLoad,
    /// (*mut T, T) -> ().
    VolatileStore,
    /// (*const T, isize) -> *const T.
    ArithOffset,
    /// (*const T, *const T) -> isize, for pointers into the same array.
    OffsetFrom,
    // (T) -> T for floats T.
    SquareRoot,
    Floor,
    Ceil,
    Truncate,
    RoundTiesEven,
    Absolute,
    // (T, T) -> T for floats T.
    CopySign,
    // (T, T, T) -> T for floats T.
    FusedMultiplyAdd,
    /// From a float to the integer type of the destination.
    FloatToInt,
    // (bool) -> bool.
    Likely,
    Unlikely,
}

/// The signature of an intrinsic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    IntToInt,
    IntToU32,
    Rotate,
    IntInt,
    Shift,
    Overflow,
    Select,
    Copy,
    WriteBytes,
    CompareBytes,
    Swap,
    Load,
    Store,
    ArithOffset,
    OffsetFrom,
    Float,
    FloatFloat,
    FloatFloatFloat,
    FloatToInt,
    Bool,
}

impl Intrinsic {
    pub(crate) const ALL: [Self; 50] = [
        Self::ByteSwap,
        Self::BitReverse,
        Self::CountOnes,
        Self::LeadingZeros,
        Self::TrailingZeros,
        Self::LeadingZerosNonzero,
        Self::TrailingZerosNonzero,
        Self::RotateLeft,
        Self::RotateRight,
        Self::WrappingAdd,
        Self::WrappingSub,
        Self::WrappingMul,
        Self::SaturatingAdd,
        Self::SaturatingSub,
        Self::UncheckedAdd,
        Self::UncheckedSub,
        Self::UncheckedMul,
        Self::UncheckedDiv,
        Self::UncheckedRem,
        Self::ExactDiv,
        Self::DisjointBitOr,
        Self::UncheckedShl,
        Self::UncheckedShr,
        Self::AddOverflow,
        Self::SubOverflow,
        Self::MulOverflow,
        Self::Select,
        Self::CopyNonoverlapping,
        Self::CopyOverlapping,
        Self::WriteBytes,
        Self::CompareBytes,
        Self::TypedSwap,
        Self::ReadViaCopy,
        Self::VolatileLoad,
        Self::VolatileStore,
        Self::ArithOffset,
        Self::OffsetFrom,
        Self::SquareRoot,
        Self::Floor,
        Self::Ceil,
        Self::Truncate,
        Self::RoundTiesEven,
        Self::Absolute,
        Self::CopySign,
        Self::FusedMultiplyAdd,
        Self::FloatToInt,
        Self::Likely,
        Self::Unlikely,
        // Listed twice, so that they are drawn twice as often: both have found bugs.
        Self::SaturatingSub,
        Self::CopyNonoverlapping,
    ];

    pub(crate) fn family(self) -> Family {
        match self {
            Self::ByteSwap | Self::BitReverse => Family::IntToInt,
            Self::CountOnes
            | Self::LeadingZeros
            | Self::TrailingZeros
            | Self::LeadingZerosNonzero
            | Self::TrailingZerosNonzero => Family::IntToU32,
            Self::RotateLeft | Self::RotateRight => Family::Rotate,
            Self::WrappingAdd
            | Self::WrappingSub
            | Self::WrappingMul
            | Self::SaturatingAdd
            | Self::SaturatingSub
            | Self::UncheckedAdd
            | Self::UncheckedSub
            | Self::UncheckedMul
            | Self::UncheckedDiv
            | Self::UncheckedRem
            | Self::ExactDiv
            | Self::DisjointBitOr => Family::IntInt,
            Self::UncheckedShl | Self::UncheckedShr => Family::Shift,
            Self::AddOverflow | Self::SubOverflow | Self::MulOverflow => Family::Overflow,
            Self::Select => Family::Select,
            Self::CopyNonoverlapping | Self::CopyOverlapping => Family::Copy,
            Self::WriteBytes => Family::WriteBytes,
            Self::CompareBytes => Family::CompareBytes,
            Self::TypedSwap => Family::Swap,
            Self::ReadViaCopy | Self::VolatileLoad => Family::Load,
            Self::VolatileStore => Family::Store,
            Self::ArithOffset => Family::ArithOffset,
            Self::OffsetFrom => Family::OffsetFrom,
            Self::SquareRoot
            | Self::Floor
            | Self::Ceil
            | Self::Truncate
            | Self::RoundTiesEven
            | Self::Absolute => Family::Float,
            Self::CopySign => Family::FloatFloat,
            Self::FusedMultiplyAdd => Family::FloatFloatFloat,
            Self::FloatToInt => Family::FloatToInt,
            Self::Likely | Self::Unlikely => Family::Bool,
        }
    }

    /// Its path in source text. Those of float intrinsics depend on the type.
    pub(crate) fn path(self, float: Option<Float>) -> &'static str {
        let single = float == Some(Float::F32);
        match self {
            Self::ByteSwap => "core::intrinsics::bswap",
            Self::BitReverse => "core::intrinsics::bitreverse",
            Self::CountOnes => "core::intrinsics::ctpop",
            Self::LeadingZeros => "core::intrinsics::ctlz",
            Self::TrailingZeros => "core::intrinsics::cttz",
            Self::LeadingZerosNonzero => "core::intrinsics::ctlz_nonzero",
            Self::TrailingZerosNonzero => "core::intrinsics::cttz_nonzero",
            Self::RotateLeft => "core::intrinsics::rotate_left",
            Self::RotateRight => "core::intrinsics::rotate_right",
            Self::WrappingAdd => "core::intrinsics::wrapping_add",
            Self::WrappingSub => "core::intrinsics::wrapping_sub",
            Self::WrappingMul => "core::intrinsics::wrapping_mul",
            Self::SaturatingAdd => "core::intrinsics::saturating_add",
            Self::SaturatingSub => "core::intrinsics::saturating_sub",
            Self::UncheckedAdd => "core::intrinsics::unchecked_add",
            Self::UncheckedSub => "core::intrinsics::unchecked_sub",
            Self::UncheckedMul => "core::intrinsics::unchecked_mul",
            Self::UncheckedDiv => "core::intrinsics::unchecked_div",
            Self::UncheckedRem => "core::intrinsics::unchecked_rem",
            Self::ExactDiv => "core::intrinsics::exact_div",
            Self::DisjointBitOr => "core::intrinsics::disjoint_bitor",
            Self::UncheckedShl => "core::intrinsics::unchecked_shl",
            Self::UncheckedShr => "core::intrinsics::unchecked_shr",
            Self::AddOverflow => "core::intrinsics::add_with_overflow",
            Self::SubOverflow => "core::intrinsics::sub_with_overflow",
            Self::MulOverflow => "core::intrinsics::mul_with_overflow",
            Self::Select => "core::intrinsics::select_unpredictable",
            Self::CopyNonoverlapping => "core::intrinsics::copy_nonoverlapping",
            Self::CopyOverlapping => "core::intrinsics::copy",
            Self::WriteBytes => "core::intrinsics::write_bytes",
            // Only the sign of the intrinsic's result is specified, so a function in the printed prelude takes it.
            Self::CompareBytes => "compare_bytes",
            Self::TypedSwap => "core::intrinsics::typed_swap_nonoverlapping",
            Self::ReadViaCopy => "core::intrinsics::read_via_copy",
            Self::VolatileLoad => "core::intrinsics::volatile_load",
            Self::VolatileStore => "core::intrinsics::volatile_store",
            Self::ArithOffset => "core::intrinsics::arith_offset",
            Self::OffsetFrom => "core::intrinsics::ptr_offset_from",
            Self::SquareRoot if single => "core::intrinsics::sqrtf32",
            Self::SquareRoot => "core::intrinsics::sqrtf64",
            Self::Floor if single => "core::intrinsics::floorf32",
            Self::Floor => "core::intrinsics::floorf64",
            Self::Ceil if single => "core::intrinsics::ceilf32",
            Self::Ceil => "core::intrinsics::ceilf64",
            Self::Truncate if single => "core::intrinsics::truncf32",
            Self::Truncate => "core::intrinsics::truncf64",
            Self::RoundTiesEven if single => "core::intrinsics::round_ties_even_f32",
            Self::RoundTiesEven => "core::intrinsics::round_ties_even_f64",
            // The intrinsic's name differs between versions of rustc.
            Self::Absolute if single => "f32::abs",
            Self::Absolute => "f64::abs",
            Self::CopySign if single => "core::intrinsics::copysignf32",
            Self::CopySign => "core::intrinsics::copysignf64",
            Self::FusedMultiplyAdd if single => "core::intrinsics::fmaf32",
            Self::FusedMultiplyAdd => "core::intrinsics::fmaf64",
            Self::FloatToInt => "core::intrinsics::float_to_int_unchecked",
            Self::Likely => "core::intrinsics::likely",
            Self::Unlikely => "core::intrinsics::unlikely",
        }
    }

    /// The result type for arguments of some types. `None` if it does not accept them. The result of `FloatToInt` is
    /// `wanted`, the type of the destination.
    pub(crate) fn result(
        self,
        arguments: &[TypeId],
        wanted: TypeId,
        types: &Types,
    ) -> Option<TypeId> {
        let kind = |index: usize| arguments.get(index).map(|of| types.kind(*of));
        let int = |index: usize| match kind(index)? {
            Kind::Int(int) => Some(*int),
            _ => None,
        };
        let float = |index: usize| matches!(kind(index), Some(Kind::Float(_))).then_some(());
        let same = || arguments.windows(2).all(|pair| pair[0] == pair[1]).then_some(());
        let count = |wanted: usize| (arguments.len() == wanted).then_some(());
        let to = |index: usize| match kind(index)? {
            Kind::Pointer { to, .. } if !types.is_unsized(*to) => Some(*to),
            _ => None,
        };
        let mutable = |index: usize| {
            matches!(kind(index), Some(Kind::Pointer { mutable: true, .. })).then_some(())
        };
        let constant = |index: usize| {
            matches!(kind(index), Some(Kind::Pointer { mutable: false, .. })).then_some(())
        };
        let is = |index: usize, of: TypeId| (arguments.get(index) == Some(&of)).then_some(());
        match self.family() {
            Family::IntToInt => count(1).and(int(0)).map(|_| arguments[0]),
            Family::IntToU32 => count(1).and(int(0)).map(|_| Types::U32),
            Family::Rotate => {
                let unsigned = count(2).and(int(0)).filter(|int| !int.signed);
                unsigned.and(is(1, Types::U32)).map(|()| arguments[0])
            }
            Family::IntInt => count(2).and(same()).and(int(0)).map(|_| arguments[0]),
            Family::Shift => count(2).and(int(0)).and(int(1)).map(|_| arguments[0]),
            Family::Overflow => {
                count(2).and(same()).and(int(0))?;
                types.find(&Kind::Tuple(vec![arguments[0], Types::BOOL]))
            }
            Family::Select => {
                count(3).and(is(0, Types::BOOL))?;
                (arguments[1] == arguments[2]).then_some(arguments[1])
            }
            Family::Copy => {
                count(3).and(constant(0)).and(mutable(1)).and(is(2, Types::USIZE))?;
                (to(0)? == to(1)?).then_some(Types::UNIT)
            }
            Family::WriteBytes => {
                count(3).and(mutable(0)).and(is(1, Types::U8)).and(is(2, Types::USIZE))?;
                to(0).map(|_| Types::UNIT)
            }
            Family::CompareBytes => {
                count(3).and(constant(0)).and(constant(1)).and(is(2, Types::USIZE))?;
                (to(0)? == Types::U8 && to(1)? == Types::U8).then_some(Types::I32)
            }
            Family::Swap => {
                count(2).and(mutable(0)).and(mutable(1)).and(same())?;
                to(0).map(|_| Types::UNIT)
            }
            Family::Load => count(1).and(constant(0)).and(to(0)),
            Family::Store => {
                count(2).and(mutable(0))?;
                (to(0)? == arguments[1]).then_some(Types::UNIT)
            }
            Family::ArithOffset => {
                count(2).and(constant(0)).and(is(1, Types::ISIZE))?;
                to(0).map(|_| arguments[0])
            }
            Family::OffsetFrom => {
                count(2).and(constant(0)).and(same())?;
                to(0).filter(|to| types.size(*to) > 0).map(|_| Types::ISIZE)
            }
            Family::Float => count(1).and(float(0)).map(|()| arguments[0]),
            Family::FloatFloat => count(2).and(same()).and(float(0)).map(|()| arguments[0]),
            Family::FloatFloatFloat => count(3).and(same()).and(float(0)).map(|()| arguments[0]),
            Family::FloatToInt => {
                count(1).and(float(0))?;
                types.as_int(wanted).map(|_| wanted)
            }
            Family::Bool => count(1).and(is(0, Types::BOOL)).map(|()| Types::BOOL),
        }
    }
}
