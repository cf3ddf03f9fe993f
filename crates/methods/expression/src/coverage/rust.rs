//! Rust.

use super::{BINARY, Operators, Words, infix, prefix};

pub(super) const OPERATORS: &[Operators] = &[Operators {
    language: "rust",
    generated: &[
        BINARY,
        &[
            prefix("- !"),
            infix("&& ||"),
            Words(
                ".wrapping_",
                "add sub mul div rem neg shl shr pow abs div_euclid rem_euclid",
                "(",
            ),
            Words(".checked_", "add sub mul div rem neg shl shr pow abs", "("),
            Words(".saturating_", "add sub mul div pow abs", "("),
            Words(".overflowing_", "add sub mul", "("),
            Words(".unchecked_", "add sub mul", "("),
            Words(
                ".",
                "rotate_left rotate_right leading_zeros trailing_zeros leading_ones trailing_ones count_ones count_zeros swap_bytes reverse_bits",
                "(",
            ),
            Words(
                ".",
                "is_power_of_two abs_diff unsigned_abs signum cmp ilog2 div_ceil min max",
                "(",
            ),
        ],
    ],
    left_out: &[
        (".isqrt(", "no closed form in terms"),
        (".ilog10(", "no closed form in terms"),
        (".ilog(", "no closed form in terms"),
        (".next_power_of_two(", "no closed form in terms without a branch for each overflow"),
        (".next_multiple_of(", "made of `div_ceil` and a product"),
        (".checked_next_", "as above"),
        (".checked_div_euclid(", "the pattern of a checked form traps where it does not"),
        (".checked_rem_euclid(", "as above"),
        (".overflowing_neg(", "its flag is a comparison with zero or the least number"),
        (".overflowing_shl(", "its flag is a comparison of the amount alone"),
        (".overflowing_pow(", "its flag has no closed form in terms"),
        (".saturating_neg(", "signed numbers have it, and it is what zero minus the number is"),
        (".clamp(", "panics where the bounds are out of order"),
        (".midpoint(", "Rust 1.85 and 1.87"),
        (".strict_", "Rust 1.91"),
        (".unchecked_neg(", "unstable"),
        (".unchecked_shl(", "unstable"),
        (".carrying_add(", "unstable"),
        (".to_be(", "depends on the byte order of the machine"),
        (".to_le(", "depends on the byte order of the machine"),
        (".is_negative(", "the same as a comparison with zero"),
        (".is_positive(", "the same as a comparison with zero"),
        (" <<= ", "the amount is of another type, and in parentheses with a cast"),
        (" >>= ", "as above"),
    ],
}];
