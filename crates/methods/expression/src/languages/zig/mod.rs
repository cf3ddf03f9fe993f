//! Zig, with integers of any width. Operators wrap (`+%`), or are those that must not overflow (`+`) where they do not on
//! the inputs of a program. No input leads to illegal behavior, such as a division by zero.

mod printer;
mod runner;

use super::widths::{ANY, ANY_USUAL};
use crate::dialect::{Limits, no_trap};
use crate::printer::{operators, print};
use crate::{Constants, Dialect, Idiom, Style, TrapKinds, Typed};
use identity::kernel::Op;
use printer::Zig;

const UNSIGNED: Style = Style {
    name: "unsigned",
    semantics: "llvm",
    signed: false,
    widths: ANY,
    usual: ANY_USUAL,
    no_wrap: false,
    supports,
    idioms: IDIOMS,
    trap: no_trap,
};

const IDIOMS: &[Idiom] = &[
    Idiom::Abs,
    Idiom::SaturatingAdd,
    Idiom::SaturatingSub,
    Idiom::SaturatingMul,
    Idiom::SaturatingShl,
    Idiom::SignedSaturatingAdd,
    Idiom::SignedSaturatingSub,
    Idiom::AddOverflows,
    Idiom::SubOverflows,
    Idiom::MulOverflows,
    Idiom::ShlOverflows,
    Idiom::ReverseBits,
    Idiom::LogicalAnd,
    Idiom::LogicalOr,
    Idiom::LogicalNot,
];

pub const DIALECT: Dialect = Dialect {
    name: "expression-zig",
    summary: "functions over integers in Zig and their proven mutants, results known",
    language: "zig",
    comment: "//",
    styles: &[
        UNSIGNED,
        Style { name: "signed", signed: true, ..UNSIGNED },
        Style { name: "plain-unsigned", no_wrap: true, ..UNSIGNED },
        Style { name: "plain-signed", signed: true, no_wrap: true, ..UNSIGNED },
    ],
    ending: "\n",
    limits: Limits::inputs(24),
    frame: runner::frame,
    items: |writing| print(&Zig, writing),
    constants,
    // Language reference 0.15.1, "Illegal Behavior", which has sections on integer overflow and division by zero: "When safety
    // checks are disabled, Safety-Checked Illegal Behavior behaves like Unchecked Illegal Behavior; that is, any behavior may
    // result from invoking it."
    traps: TrapKinds::Never,
};

fn supports(op: Op, from: &[u16], to: u16) -> bool {
    match op {
        Op::Fdiv | Op::Fmod => true,
        // The count does not fit into narrower words.
        Op::Clz | Op::Ctz | Op::Popcount => to >= 8,
        Op::Bswap => to.is_multiple_of(8),
        Op::Concat => from.iter().sum::<u16>() == to,
        _ => operators::is_universal(op),
    }
}

fn constants(style: &Style) -> Constants {
    let typed = Typed { semantics: style.semantics, supports, names: true };
    Constants { typed: Some(typed), literals: None, bounded: None }
}
