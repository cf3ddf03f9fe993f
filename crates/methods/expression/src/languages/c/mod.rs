//! C, with the integers of `<stdint.h>` and `__int128`, and, as a separate language since few compilers have it, C with
//! `_BitInt` of odd widths. Integer promotion applies to all but `_BitInt`: results are converted back after every operator,
//! and arithmetic that wraps is unsigned.
//!
//! The program is its own runner, see `runner.rs`.

mod printer;
mod runner;

use super::widths::MACHINE;
use crate::dialect::{Limits, no_trap};
use crate::printer::{operators, print};
use crate::{Constants, Dialect, Idiom, Style, TrapKinds, Typed};
use identity::kernel::Op;
use printer::C;

/// What overflows wraps.
const UNSIGNED: Style = Style {
    name: "unsigned",
    semantics: "c-unsigned",
    signed: false,
    widths: MACHINE,
    usual: &[],
    no_wrap: false,
    supports,
    idioms: UNSIGNED_IDIOMS,
    trap: no_trap,
};

/// What overflows is undefined.
const SIGNED: Style = Style {
    name: "signed",
    semantics: "c-signed",
    signed: true,
    idioms: SIGNED_IDIOMS,
    ..UNSIGNED
};

/// Those whose patterns overflow only where the built-in does.
const SIGNED_IDIOMS: &[Idiom] = &[
    Idiom::Abs,
    Idiom::Parity,
    Idiom::FirstSet,
    Idiom::RedundantSigns,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

const UNSIGNED_IDIOMS: &[Idiom] = &[
    Idiom::AddOverflows,
    Idiom::SubOverflows,
    Idiom::MulOverflows,
    Idiom::Parity,
    Idiom::FirstSet,
    Idiom::RedundantSigns,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

const LOGICAL_IDIOMS: &[Idiom] = &[Idiom::LogicalAnd, Idiom::LogicalOr, Idiom::LogicalNot];

/// Near the widths of machine types and of pairs and quadruples of them, but none of `MACHINE`.
const ODD: &[u16] =
    &[4, 7, 9, 13, 17, 24, 31, 33, 48, 63, 65, 96, 127, 129, 160, 192, 200, 255, 256];

const PRECISE_SIGNED: &str = "bit-precise-signed";

const USUAL: &[u16] = &[7, 24, 33, 65, 129, 256];

pub const DIALECT: Dialect = Dialect {
    name: "expression-c",
    summary: "functions over integers in C and their proven mutants, results known",
    language: "c",
    comment: "//",
    styles: &[UNSIGNED, SIGNED],
    ending: "\n",
    limits: Limits::inputs(24),
    frame: runner::frame,
    items: |writing| print(&C, writing),
    constants,
    // C11 (N1570) 6.5p5: "If an exceptional condition occurs during the evaluation of an expression (that is, if the result
    // is not mathematically defined or not in the range of representable values for its type), the behavior is undefined."
    // 6.5.5p5, on `/` and `%`: "In both operations, if the value of the second operand is zero, the behavior is undefined."
    traps: TrapKinds::Never,
};

/// C23's integers of any width.
pub const BIT_PRECISE: Dialect = Dialect {
    name: "expression-bitint",
    summary: "the same in C with _BitInt of odd widths",
    language: "bitint",
    styles: &[
        Style {
            name: "bit-precise",
            semantics: "llvm",
            widths: ODD,
            usual: USUAL,
            supports: precise,
            idioms: LOGICAL_IDIOMS,
            ..UNSIGNED
        },
        Style {
            name: PRECISE_SIGNED,
            widths: ODD,
            usual: USUAL,
            supports: precise,
            idioms: LOGICAL_IDIOMS,
            ..SIGNED
        },
    ],
    frame: runner::wide_frame,
    ..DIALECT
};

/// Widths of the machine alone, which rules may leave for wider ones.
fn supports(op: Op, from: &[u16], to: u16) -> bool {
    from.iter().chain([&to]).all(|width| MACHINE.contains(width)) && says(op, to)
}

/// All other widths, which need `_BitInt`.
fn precise(op: Op, from: &[u16], to: u16) -> bool {
    !from.iter().chain([&to]).any(|width| MACHINE.contains(width)) && says(op, to)
}

fn says(op: Op, to: u16) -> bool {
    match op {
        Op::Concat => true,
        Op::Bswap => matches!(to, 16 | 32 | 64),
        Op::Popcount | Op::Clz | Op::Ctz => MACHINE.contains(&to) && to <= 64,
        _ => operators::is_universal(op),
    }
}

/// Clang rejects a shift of a negative `_BitInt` to the left in an initializer ("cannot compile this static initializer
/// yet").
fn initial(op: Op, from: &[u16], to: u16) -> bool {
    op != Op::Shl && precise(op, from, to)
}

/// In C, the name of a `const` variable is not a constant expression.
fn constants(style: &Style) -> Constants {
    let supports: fn(Op, &[u16], u16) -> bool =
        if style.name == PRECISE_SIGNED { initial } else { style.supports };
    let typed = Typed { semantics: style.semantics, supports, names: false };
    Constants { typed: Some(typed), literals: None, bounded: None }
}
