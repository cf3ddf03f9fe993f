//! The automaton proves true goals for all widths at once, and corrupted invariants are rejected.

use super::super::certificate::Certificate;
use super::super::goal::{Goal, Scope};
use super::super::semantics::{Semantics, WORDS};
use super::super::slices::check;
use super::{direct, goal};
use crate::prove::slices::prove;

fn semantics(name: &str) -> &'static Semantics {
    Semantics::named(name).unwrap()
}

fn proven(goal: &Goal) -> bool {
    match prove(goal) {
        None => false,
        Some(Certificate::Slices(states)) => {
            assert_eq!(check(goal, &states), Ok(()));
            true
        }
        Some(other) => panic!("{other:?}"),
    }
}

const TRUE: &[(&str, u16, [&str; 2])] = &[
    ("words", 1, ["+ a b", "+ ^ a b * 2 & a b"]),
    ("words", 1, ["- a b", "neg - b a"]),
    ("words", 1, ["< a b", "< ~ b ~ a"]),
    ("words", 1, ["s< a b", "s< ~ b ~ a"]),
    ("words", 1, ["s< a 0", ">> a - w 1"]),
    ("words", 1, ["s< a b", "< ^ a << 1 - w 1 ^ b << 1 - w 1"]),
    ("words", 1, ["min a b", "- a ? < b a - a b 0"]),
    ("words", 1, ["smax a b", "? s<= a b b a"]),
    ("words", 1, ["+ & a b | a b", "+ a b"]),
    ("words", 1, ["== & a - a 1 0", "| ispower a == a 0"]),
    ("words", 3, ["* a 7", "- << a 3 a"]),
    ("words", 3, ["/ a 4", ">> a 2"]),
    ("words", 3, ["% a 4", "& a 3"]),
    ("words", 4, ["/ / a 3 5", "/ a 15"]),
    ("words", 4, ["+ * / a 10 10 % a 10", "a"]),
    ("words", 4, ["< % a 10 10", "1"]),
    ("words", 3, [">> << a 2 2", "- a << >> a - w 2 - w 2"]),
    ("words", 3, ["& << a 2 3", "0"]),
    ("words", 3, [">> >> a 1 2", ">> a 3"]),
    ("words", 3, [">>> >>> a 1 2", ">>> a 3"]),
    ("words", 3, [">>> a 1", "- ^ >> a 1 << 1 - w 2 << 1 - w 2"]),
    ("words", 1, ["^ + a >>> a - w 1 >>> a - w 1", "? s< a 0 neg a a"]),
    ("words", 4, ["s/ a 4", ">>> + a & >>> a - w 1 3 2"]),
    ("words", 4, ["s% a 3", "- a * 3 s/ a 3"]),
    ("solidity-unsigned", 1, ["+ a b", "+ b a"]),
    ("solidity-unsigned", 2, ["+ a b", "+ ^ a b * 2 & a b"]),
    ("solidity-unsigned", 2, ["* 2 a", "+ a a"]),
    ("solidity-unsigned", 2, ["* a b", "* b a"]),
    ("solidity-signed", 3, ["* 2 a", "+ a a"]),
    ("solidity-signed", 3, ["* -1 a", "neg a"]),
    ("solidity-signed", 3, ["* -2 a", "+ neg a neg a"]),
    ("solidity-signed", 1, ["+ a b", "+ | a b & a b"]),
    ("saturating-unsigned", 1, ["+ a b", "+ min a ~ b b"]),
    ("solidity-unsigned", 1, ["* a + b c", "* + c b a"]),
];

const FALSE: &[(&str, u16, [&str; 2])] = &[
    ("words", 1, ["+ a b", "+ ^ a b & a b"]),
    ("words", 1, ["s< a b", "< a b"]),
    ("words", 1, ["s< a b", "s< - a b 0"]),
    ("words", 1, ["* a 7", "- << a 3 b"]),
    ("words", 4, ["/ / a 3 5", "/ a 16"]),
    ("words", 4, ["s/ a 4", ">>> a 2"]),
    ("words", 3, ["/ + a b 4", "+ / a 4 / b 4"]),
    ("words", 3, [">> << a 2 2", "a"]),
    ("words", 1, ["& a - a 1", "0"]),
    ("solidity-unsigned", 1, ["- a b", "+ a neg b"]),
    ("solidity-signed", 2, ["+ a b", "+ ^ a b * 2 & a b"]),
    ("solidity-signed", 3, ["* -2 a", "neg + a a"]),
    ("solidity-signed", 3, ["* 3 a", "+ a * 2 b"]),
    ("solidity-unsigned", 1, ["- + a b b", "a"]),
];

#[test]
fn true_goals_are_proven_for_all_widths() {
    for &(name, least, sides) in TRUE {
        let goal = goal(sides, None, semantics(name), Scope::From(least));
        assert!(direct::holds(&goal, 5), "{sides:?}");
        assert!(proven(&goal), "{name} {sides:?}");
    }
}

#[test]
fn false_goals_are_not_proven() {
    for &(name, least, sides) in FALSE {
        for scope in [Scope::From(least), Scope::At(5)] {
            let goal = goal(sides, None, semantics(name), scope);
            assert!(!direct::holds(&goal, 5), "{sides:?}");
            assert!(!proven(&goal), "{name} {sides:?}");
        }
    }
}

#[test]
fn goals_proven_for_all_widths_are_proven_at_single_widths() {
    for &(name, least, sides) in TRUE {
        for width in [least.max(2), 8, 33] {
            let goal = goal(sides, None, semantics(name), Scope::At(width));
            // Nested quotients exceed the state limit at a fixed width, since states differ by
            // position.
            assert!(proven(&goal) || sides[0] == "/ / a 3 5", "{name} {sides:?} at {width}");
        }
    }
}

#[test]
fn goal_false_only_at_its_least_width_is_not_proven() {
    // 2·a is 0 at one bit, but not at two or more.
    assert!(!proven(&goal(["* a 2", "0"], None, &WORDS, Scope::From(1))));
    // The literal 4 is 0 at two bits.
    assert!(!proven(&goal(["& a 4", "0"], None, &WORDS, Scope::From(2))));
    assert!(proven(&goal(["& a 4", "0"], None, &WORDS, Scope::At(2))));
}

#[test]
fn large_literals_are_supported() {
    let mask = "72057594037927935";
    let sides = [format!("+ & a {mask} & a ~ {mask}"), "a".to_owned()];
    let sides = [sides[0].as_str(), sides[1].as_str()];
    for scope in [Scope::From(1), Scope::At(64), Scope::At(256)] {
        assert!(proven(&goal(sides, None, &WORDS, scope)));
    }
}

#[test]
fn conditions_are_assumed() {
    let sides = ["/ * a 6 6", "a"];
    assert!(!proven(&goal(sides, None, &WORDS, Scope::From(4))));
    assert!(proven(&goal(sides, Some("< a >> -1 3"), &WORDS, Scope::From(4))));
}

/// Every state is needed, and no state can be replaced by another.
#[test]
fn corrupted_certificates_are_rejected() {
    for &(name, least, sides) in TRUE {
        let goal = goal(sides, None, semantics(name), Scope::From(least));
        let Some(Certificate::Slices(states)) = prove(&goal) else { panic!("{sides:?}") };
        if states.len() > 1000 {
            continue;
        }
        let stride = states.len() / 10 + 1;
        for dropped in (0..states.len()).step_by(stride) {
            let mut fewer = states.clone();
            fewer.remove(dropped);
            assert!(check(&goal, &fewer).is_err(), "{sides:?} without state {dropped}");
            let mut shorter = states.clone();
            shorter[dropped].pop();
            assert!(check(&goal, &shorter).is_err());
            for bit in 0..states[dropped].len() * 8 {
                let mut flipped = states.clone();
                flipped[dropped][bit / 8] ^= 1 << (bit % 8);
                assert!(check(&goal, &flipped).is_err(), "{sides:?} with bit {bit} flipped");
            }
        }
        let other = super::goal(["a", "b"], None, &WORDS, Scope::From(1));
        assert!(check(&other, &states).is_err());
    }
}
