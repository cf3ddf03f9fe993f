//! LLVM IR, with integers of any width, and with the flags `nuw`, `nsw` and `exact` where they are true of the inputs. No
//! input leads to undefined behavior or poison; a branch that would is a real branch. There are no pointers, whose syntax
//! has changed: constants of the module are functions that return them.

mod printer;
mod runner;

use super::widths::{ANY, ANY_USUAL};
use crate::dialect::{Limits, no_trap};
use crate::printer::{operators, print};
use crate::{Constants, Dialect, Idiom, Style, TrapKinds};
use identity::kernel::Op;
use printer::Llvm;

const PLAIN: Style = Style {
    name: "plain",
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
    Idiom::SaturatingShl,
    Idiom::SignedSaturatingAdd,
    Idiom::SignedSaturatingSub,
    Idiom::AddOverflows,
    Idiom::SubOverflows,
    Idiom::MulOverflows,
    Idiom::SignedAddOverflows,
    Idiom::SignedSubOverflows,
    Idiom::SignedMulOverflows,
    Idiom::ReverseBits,
];

pub const DIALECT: Dialect = Dialect {
    name: "expression-llvm",
    summary: "functions over integers in LLVM IR and their proven mutants, results known",
    language: "llvm",
    comment: ";",
    styles: &[PLAIN, Style { name: "flagged", no_wrap: true, ..PLAIN }],
    ending: "\n",
    limits: Limits::inputs(24),
    frame: runner::frame,
    items: |writing| print(&Llvm, writing),
    constants: |_| Constants::default(),
    // LangRef, "udiv" and "sdiv": "Division by zero is undefined behavior." "sdiv": "Overflow also leads to undefined
    // behavior". "shl", and likewise "lshr" and "ashr": "If op2 is (statically or dynamically) equal to or larger than the number of bits in op1,
    // this instruction returns a poison value."
    traps: TrapKinds::Never,
};

fn supports(op: Op, from: &[u16], to: u16) -> bool {
    match op {
        // The amount of a wider one is divided by the width, on which LLVM 22 crashes ("unsupported library call
        // operation").
        Op::Rotl | Op::Rotr => to <= 128 || to.is_power_of_two(),
        Op::Clz | Op::Ctz | Op::Popcount => true,
        Op::Concat => from.iter().sum::<u16>() == to,
        Op::Bswap => to.is_multiple_of(16),
        _ => operators::is_universal(op),
    }
}
