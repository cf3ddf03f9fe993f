//! Vyper.

use super::{COMPARISONS, Operators, Words, calls, infix, prefix};

pub(super) const OPERATORS: &[Operators] = &[Operators {
    language: "vyper",
    generated: &[&[
        infix("+ - * // % & | ^ << >>"),
        COMPARISONS,
        infix("+= -= *= //= %= &= |= ^="),
        prefix("- ~"),
        infix("and or if"),
        Words("(", "not", " "),
        calls(
            "min max abs unsafe_add unsafe_sub unsafe_mul unsafe_div pow_mod256 uint256_addmod uint256_mulmod",
        ),
    ]],
    left_out: &[
        (" ** ", "one operand has to be a literal, whose range the compiler checks"),
        ("isqrt(", "no closed form in terms"),
        ("floor(", "decimals"),
        ("ceil(", "decimals"),
        (" <<= ", "not for all types"),
        (" >>= ", "not for all types"),
        ("shift(", "removed in 0.4"),
        ("bitwise_", "removed in 0.4"),
    ],
}];
