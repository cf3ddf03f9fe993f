//! WebAssembly.

use super::{Operators, Words};

/// The operators that both types have.
const INTEGER: &str = "\
    clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr eqz eq ne \
    lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u extend8_s extend16_s";

pub(super) const OPERATORS: &[Operators] = &[Operators {
    language: "wasm",
    generated: &[&[
        Words("i32.", INTEGER, " "),
        Words("i64.", INTEGER, " "),
        Words("i32.", "wrap_i64", " "),
        Words("i64.", "extend_i32_s extend_i32_u extend32_s", " "),
        Words("(", "select if", " "),
    ]],
    left_out: &[
        ("i64.add128", "a proposal"),
        ("i64.mul_wide", "a proposal"),
        ("i32.trunc", "floating-point numbers"),
    ],
}];
