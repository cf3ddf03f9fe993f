//! Linear combinations of bitwise words with literals are decided exactly at a fixed width.

use super::super::goal::Scope;
use super::super::linear::check;
use super::super::semantics::WORDS;
use super::{direct, goal};

const TRUE: &[[&str; 2]] = &[
    ["+ & a 5 & a -6", "a"],
    ["+ ^ a 5 * 2 & a 5", "+ a 5"],
    ["- | a 9 & a 9", "^ 9 a"],
    ["+ * 3 & a 6 * 3 & a -7", "* a 3"],
    ["* 8 & a 2", "0"],
    ["+ & a b | a b", "+ b a"],
    ["- & a 12 & & a b 12", "& & a ~ b 12"],
    ["+ & * a b 3 & * a b -4", "* a b"],
];

const FALSE: &[[&str; 2]] = &[
    ["+ & a 5 & a -5", "a"],
    ["+ ^ a 5 & a 5", "+ a 5"],
    ["* 4 & a 1", "0"],
    ["* 8 & a 3", "0"],
    ["+ & a b | a b", "+ 1 + b a"],
    ["& a 5", "& b 5"],
];

#[test]
fn linear_combinations_with_literals_are_decided_at_a_fixed_width() {
    for (all, truth) in [(TRUE, true), (FALSE, false)] {
        for &sides in all {
            let goal = goal(sides, None, &WORDS, Scope::At(4));
            assert_eq!(check(&goal).is_ok(), truth, "{sides:?}");
            assert_eq!(direct::holds(&goal, 4), truth, "{sides:?}");
        }
    }
}

#[test]
fn literals_are_supported_up_to_256_bits() {
    let sides = ["+ & a 81985529216486895 & a ~ 81985529216486895", "a"];
    // The complement of a literal is a bitwise term, not a literal.
    assert_eq!(check(&goal(sides, None, &WORDS, Scope::At(256))), Ok(()));
    assert!(check(&goal(sides, None, &WORDS, Scope::From(256))).is_err());
    let sides = ["+ & a 81985529216486895 & a ~ 81985529216486894", "a"];
    assert!(check(&goal(sides, None, &WORDS, Scope::At(256))).is_err());
}
