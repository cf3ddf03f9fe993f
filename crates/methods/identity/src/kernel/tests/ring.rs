//! Normal forms prove ring identities at all widths, and reject near misses.

use super::super::goal::Scope;
use super::super::ring::check;
use super::super::semantics::WORDS;
use super::{direct, goal};

const TRUE: &[[&str; 2]] = &[
    ["+ a b", "+ ^ a b * 2 & a b"],
    ["+ a b", "+ | a b & a b"],
    ["- a b", "+ + a ~ b 1"],
    ["* a + b c", "+ * a b * a c"],
    ["* a b", "+ * & a b | a b * & a ~ b & ~ a b"],
    ["* + a b - a b", "- * a a * b b"],
    ["& a | a b", "a"],
    ["~ & a b", "| ~ a ~ b"],
    ["- neg a 1", "~ a"],
    ["& + a b - - -1 a b", "0"],
    ["** + a 1 2", "+ + * a a * 2 a 1"],
    ["<< a b", "* a << 1 b"],
    ["<< * a b c", "* << b c a"],
    ["+ * / a b b % a b", "a"],
    ["? == a b c c", "c"],
    ["* ? < a b c d c", "? < a b * c c * d c"],
    ["+ == a b != a b", "1"],
    ["== a b", "== - a b 0"],
    ["== + a 1 + b 1", "== b a"],
    ["+ & & a 5 6 & & a 5 -7", "& a 5"],
    ["/ + a b c", "/ + b a c"],
    ["addmod a b c", "addmod b a c"],
    ["mulmod a b c", "mulmod b a c"],
];

const FALSE: &[[&str; 2]] = &[
    ["+ a b", "+ ^ a b & a b"],
    ["+ a b", "| a b"],
    ["- a b", "+ a ~ b"],
    ["* a b", "* & a b | a b"],
    ["** + a 1 2", "+ + * a a a 1"],
    ["<< a b", "* a << 2 b"],
    ["+ * / a b b % a b", "b"],
    ["? == a b c d", "? == a b d c"],
    ["== + a 1 + b 1", "== a ~ b"],
];

#[test]
fn ring_identities_are_accepted_for_all_widths() {
    for &sides in TRUE {
        let goal = goal(sides, None, &WORDS, Scope::From(3));
        assert_eq!(check(&goal), Ok(()), "{sides:?}");
        assert!(direct::holds(&goal, 3), "{sides:?}");
    }
}

#[test]
fn near_misses_are_rejected() {
    for &sides in FALSE {
        for scope in [Scope::From(3), Scope::At(3), Scope::At(64)] {
            assert!(check(&goal(sides, None, &WORDS, scope)).is_err(), "{sides:?}");
        }
    }
}

#[test]
fn coefficients_wrap_at_a_fixed_width() {
    let sides = ["* 256 a", "0"];
    assert_eq!(check(&goal(sides, None, &WORDS, Scope::At(8))), Ok(()));
    assert!(check(&goal(sides, None, &WORDS, Scope::At(9))).is_err());
    assert!(check(&goal(sides, None, &WORDS, Scope::From(8))).is_err());
}

#[test]
fn shift_amount_that_overflows_the_least_width_is_opaque() {
    // At three bits, the literal 9 is 1.
    let sides = ["<< a 9", "* a 512"];
    assert!(check(&goal(sides, None, &WORDS, Scope::From(3))).is_err());
    assert_eq!(check(&goal(sides, None, &WORDS, Scope::From(4))), Ok(()));
}
