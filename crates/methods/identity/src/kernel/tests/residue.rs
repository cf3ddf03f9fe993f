//! Remainders by a common modulus: terms with the same normal form have the same value for all
//! operands.

use std::collections::HashMap;

use super::super::extent::Extent;
use super::super::goal::Scope;
use super::super::op::Op;
use super::super::ring::{self, Ring};
use super::super::semantics::WORDS;
use super::super::term::{TermId, Terms};
use super::{direct, goal};
use forge::{Entropy, Ticket};

const TRUE: &[[&str; 2]] = &[
    ["addmod addmod a b c d c", "addmod a addmod b d c c"],
    ["mulmod mulmod a b c d c", "mulmod a mulmod b d c c"],
    ["mulmod a addmod b d c c", "addmod mulmod a b c mulmod a d c c"],
    ["addmod a b b", "% a b"],
    ["mulmod a b b", "0"],
    ["addmod a - b % a b b", "0"],
    ["mulmod - b 1 a b", "% - b % a b b"],
    ["mulmod a 2 b", "addmod a a b"],
    ["mulmod - c % a c - c % b c c", "mulmod a b c"],
    ["% addmod a b c c", "addmod % b c a c"],
    ["addmod a 0 b", "- a * / a b b"],
    ["addmod a 6 5", "addmod 1 a 5"],
    ["mulmod addmod a a 7 4 7", "% a 7"],
];

const FALSE: &[[&str; 2]] = &[
    ["addmod a b c", "% + a b c"],
    ["mulmod a b c", "% * a b c"],
    ["addmod addmod a b c d b", "addmod a addmod b d c b"],
    ["addmod a - b a b", "0"],
    ["addmod - b 4 a b", "addmod a - b % 4 b b"],
    ["% % a b c", "% a c"],
    ["addmod a 6 5", "addmod 2 a 5"],
    ["mulmod addmod a a 8 5 8", "% a 8"],
];

#[test]
fn modular_sums_and_products_are_normalised_over_the_integers() {
    for &sides in TRUE {
        let goal = goal(sides, None, &WORDS, Scope::From(4));
        assert_eq!(ring::check(&goal), Ok(()), "{sides:?}");
        assert!(direct::holds(&goal, 4), "{sides:?}");
    }
}

#[test]
fn near_misses_are_rejected() {
    for &sides in FALSE {
        for scope in [Scope::From(4), Scope::At(4)] {
            let goal = goal(sides, None, &WORDS, scope);
            assert!(!direct::holds(&goal, 4), "{sides:?}");
            assert!(ring::check(&goal).is_err(), "{sides:?}");
        }
    }
}

#[test]
fn carry_is_reduced_modulo_a_constant() {
    // 16 is congruent to 3 modulo 13.
    let sides = ["addmod a b 13", "addmod + a b * 3 < + a b a 13"];
    let right = goal(sides, None, &WORDS, Scope::At(4));
    assert!(direct::holds(&right, 4));
    assert_eq!(ring::check(&right), Ok(()));
    assert!(ring::check(&goal(sides, None, &WORDS, Scope::At(5))).is_err());
    assert!(ring::check(&goal(sides, None, &WORDS, Scope::From(4))).is_err());
}

struct Source {
    entropy: Entropy,
    terms: Terms,
    width: Extent,
}

impl Source {
    fn literal(&mut self, below: u64) -> TermId {
        let value = self.entropy.below(below);
        self.terms.literal(value, self.width)
    }

    fn modulus(&mut self) -> TermId {
        match self.entropy.below(3) {
            0 => self.literal(8),
            _ => self.terms.variable(2, self.width),
        }
    }

    /// `addmod` or `mulmod`, lowered as in `meaning.rs`.
    fn modular(&mut self, m: TermId, depth: u32) -> TermId {
        let add = self.entropy.chance(1, 2);
        let wider = self.width.plus(if add { Extent::BIT } else { self.width }).unwrap();
        let words = [self.word(m, depth - 1), self.word(m, depth - 1), m];
        let [x, y, z] = words.map(|word| self.terms.apply_at(Op::Zext, &[word], wider));
        let whole = self.terms.apply(if add { Op::Add } else { Op::Mul }, &[x, y]);
        let rest = self.terms.apply(Op::Urem, &[whole, z]);
        self.terms.apply_at(Op::Extract(Extent::fixed(0)), &[rest], self.width)
    }

    fn word(&mut self, m: TermId, depth: u32) -> TermId {
        if depth == 0 {
            return match self.entropy.below(6) {
                0 => self.literal(8),
                1 => m,
                2 => self.terms.variable(1, self.width),
                _ => self.terms.variable(0, self.width),
            };
        }
        let op = match self.entropy.below(12) {
            0..5 => return self.modular(m, depth),
            5 | 6 => {
                let x = self.word(m, depth - 1);
                return self.terms.apply(Op::Urem, &[x, m]);
            }
            7 | 8 => {
                let x = self.word(m, depth - 1);
                return self.terms.apply(Op::Sub, &[m, x]);
            }
            9 => {
                let (x, y) = (self.word(m, depth - 1), self.word(m, depth - 1));
                let flag = self.terms.apply(Op::Below, &[x, y]);
                return self.terms.apply(Op::Ite, &[flag, x, y]);
            }
            10 => Op::Add,
            _ => Op::Mul,
        };
        let (x, y) = (self.word(m, depth - 1), self.word(m, depth - 1));
        self.terms.apply(op, &[x, y])
    }
}

#[test]
fn equal_normal_forms_have_equal_values() {
    let mut pairs = 0;
    for round in 0..60 {
        let scope = if round % 2 == 0 { Scope::From(3) } else { Scope::At(3) };
        let width = if round % 2 == 0 { Extent::WORD } else { Extent::fixed(3) };
        let entropy = Entropy::of(&Ticket::new("residue", 1, round));
        let mut source = Source { entropy, terms: Terms::new(), width };
        let m = source.modulus();
        let words: Vec<TermId> = (0..60).map(|index| source.word(m, 1 + index % 3)).collect();
        let mut ring = Ring::new(&source.terms, scope.least());
        let mut classes: HashMap<_, TermId> = HashMap::new();
        for word in words {
            let first = *classes.entry(ring.of(word)).or_insert(word);
            if first == word {
                continue;
            }
            pairs += 1;
            for code in 0..1_u64 << 9 {
                let values = [code & 7, code >> 3 & 7, code >> 6];
                let [a, b] =
                    [first, word].map(|word| direct::evaluate(&source.terms, word, 3, &values));
                assert_eq!(a, b, "round {round}, {values:?}");
            }
        }
    }
    assert!(pairs > 100, "{pairs} pairs");
}
