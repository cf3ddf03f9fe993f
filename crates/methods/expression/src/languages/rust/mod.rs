//! Rust. Every operator says what overflow does (`wrapping_add`, `checked_add(..).unwrap()`, `saturating_add`), so that it does
//! not depend on the settings of the compiler.
//!
//! The program is its own runner, as in C.

mod printer;
mod runner;

use super::widths::MACHINE;
use crate::dialect::Limits;
use crate::printer::{operators, print};
use crate::{Constants, Dialect, Idiom, Style, TrapKinds, Typed};
use identity::kernel::{Op, Trap};
use printer::Rust;

pub const DIALECT: Dialect = Dialect {
    name: "expression-rust",
    summary: "functions over integers in Rust and their proven mutants, results known",
    language: "rust",
    comment: "//",
    styles: &[
        style("wrapping", "rust-wrapping", false, WRAPPING_IDIOMS),
        style("wrapping-signed", "rust-wrapping", true, WRAPPING_IDIOMS),
        style("checked", "rust-unsigned", false, UNSIGNED_IDIOMS),
        style("checked-signed", "rust-signed", true, SIGNED_IDIOMS),
        Style {
            supports: supports_saturating,
            ..style("saturating", "saturating-unsigned", false, UNSIGNED_IDIOMS)
        },
        Style {
            supports: supports_saturating,
            ..style("saturating-signed", "saturating-signed", true, SIGNED_IDIOMS)
        },
        // Plain operators and `unchecked` functions where they do not overflow on the inputs.
        Style { no_wrap: true, ..style("plain", "rust-wrapping", false, UNSIGNED_IDIOMS) },
        Style { no_wrap: true, ..style("plain-signed", "rust-wrapping", true, SIGNED_IDIOMS) },
    ],
    ending: "\n",
    limits: Limits::inputs(24),
    frame: runner::frame,
    items: |writing| print(&Rust, writing),
    constants,
    // Standard library 1.95, `Option::unwrap`: "Panics if the self value equals None." `u32::wrapping_div`: "This function will
    // panic if rhs is zero." `panic!`, "Current implementation": "If the main thread panics it will terminate all your
    // threads and end your program with code 101." So all traps have one code, which is distinct from signals and aborts;
    // the message is not compared.
    traps: TrapKinds::Distinct,
};

const fn style(
    name: &'static str,
    semantics: &'static str,
    signed: bool,
    idioms: &'static [Idiom],
) -> Style {
    let (widths, usual) = (MACHINE, &[]);
    Style { name, semantics, signed, widths, usual, no_wrap: false, supports, idioms, trap }
}

/// Those whose patterns do not overflow.
const SIGNED_IDIOMS: &[Idiom] = &[
    Idiom::Sign,
    Idiom::ThreeWay,
    Idiom::Abs,
    Idiom::CountZeros,
    Idiom::LeadingOnes,
    Idiom::TrailingOnes,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

const UNSIGNED_IDIOMS: &[Idiom] = &[
    Idiom::UnsignedThreeWay,
    Idiom::AbsDiff,
    Idiom::CountZeros,
    Idiom::LeadingOnes,
    Idiom::TrailingOnes,
    Idiom::Log2,
    Idiom::DivCeil,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

const WRAPPING_IDIOMS: &[Idiom] = &[
    Idiom::Sign,
    Idiom::ThreeWay,
    Idiom::UnsignedThreeWay,
    Idiom::Abs,
    Idiom::AbsDiff,
    Idiom::SignedAbsDiff,
    Idiom::SaturatingAdd,
    Idiom::SaturatingSub,
    Idiom::SaturatingMul,
    Idiom::SignedSaturatingAdd,
    Idiom::SignedSaturatingSub,
    Idiom::AddOverflows,
    Idiom::SubOverflows,
    Idiom::MulOverflows,
    Idiom::SignedAddOverflows,
    Idiom::SignedSubOverflows,
    Idiom::SignedMulOverflows,
    Idiom::ReverseBits,
    Idiom::EuclideanRemainder,
    Idiom::EuclideanQuotient,
];

fn supports(op: Op, from: &[u16], to: u16) -> bool {
    match op {
        Op::Rotl | Op::Rotr | Op::Clz | Op::Ctz | Op::Popcount | Op::Bswap | Op::IsPower => true,
        // The exponent is a `u32`.
        Op::Exp => to <= 32,
        Op::Concat => from.iter().chain([&to]).all(|width| MACHINE.contains(width)),
        _ => operators::is_universal(op),
    }
}

/// Rust has no shifts that saturate.
fn supports_saturating(op: Op, from: &[u16], to: u16) -> bool {
    !matches!(op, Op::Shl | Op::Lshr | Op::Ashr) && supports(op, from, to)
}

fn constants(style: &Style) -> Constants {
    let supports = match style.name.starts_with("checked") {
        true => constant_checked,
        false => constant,
    };
    Constants {
        typed: Some(Typed { semantics: style.semantics, supports, names: true }),
        literals: None,
        bounded: None,
    }
}

/// `min` and `max` are functions of a trait, which constants cannot call.
fn constant(op: Op, _: &[u16], _: u16) -> bool {
    !matches!(op, Op::Umin | Op::Umax | Op::Smin | Op::Smax)
}

/// The conversion of a shift amount (`try_from`) is a function of a trait, too.
fn constant_checked(op: Op, from: &[u16], to: u16) -> bool {
    !matches!(op, Op::Shl | Op::Lshr | Op::Ashr) && constant(op, from, to)
}

/// All panics have the same exit code.
fn trap(_: Trap) -> &'static str {
    "exit 101"
}
