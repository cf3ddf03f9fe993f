//! Every lemma is true, proofs by lemmas are accepted, and false equations are not proven.

use super::super::certificate::Certificate;
use super::super::check::check;
use super::super::extent::Extent;
use super::super::flag_split::flag_cases;
use super::super::goal::{Goal, Scope};
use super::super::lemma::{Lemma, Step, assume};
use super::super::op::Op;
use super::super::ring;
use super::super::semantics::{Semantics, WORDS};
use super::super::term::{TermId, Terms};
use super::direct;
use crate::prove;

/// A goal that is always false. Under an assumed fact, it holds exactly where the fact does not.
fn unprovable() -> Goal {
    let mut terms = Terms::new();
    for index in 0..3 {
        terms.variable(index, Extent::WORD);
    }
    let holds = terms.falsehood();
    Goal { terms, holds, scope: Scope::From(1) }
}

#[test]
fn every_lemma_holds_for_all_operands() {
    for lemma in Lemma::ALL {
        let mut goal = unprovable();
        let operands = (0..lemma.arity())
            .map(|index| goal.terms.variable(index as u16, Extent::WORD))
            .collect();
        let mut assumed = assume(&goal, &[Step { lemma, operands }]).unwrap();
        assumed.holds = assumed.terms.negation(assumed.holds);
        assert!(direct::holds(&assumed, 5), "{lemma:?}");
    }
}

#[test]
fn wrong_or_missing_operands_are_rejected() {
    let mut goal = unprovable();
    let x = goal.terms.variable(0, Extent::WORD);
    let narrow = goal.terms.variable(0, Extent::fixed(8));
    let beyond = TermId(1000);
    for operands in [vec![], vec![x], vec![x, x, x], vec![x, narrow], vec![x, beyond]] {
        assert!(assume(&goal, &[Step { lemma: Lemma::Small, operands }]).is_err());
    }
}

const TRUE: &[(&str, u16, [&str; 2], Option<&str>)] = &[
    ("words", 1, ["% % a b b", "% a b"], None),
    ("words", 1, ["/ % a b b", "0"], Some("!= b 0")),
    ("words", 1, ["< % a b b", "!= b 0"], None),
    ("words", 1, ["<= / a b a", "1"], Some("!= b 0")),
    ("words", 1, ["/ a a", "1"], Some("!= a 0")),
    ("words", 1, ["% a a", "0"], None),
    ("words", 1, ["/ 0 a", "0"], Some("!= a 0")),
    ("words", 1, ["/ a -1", "== a -1"], None),
    ("words", 1, ["% a -1", "? == a -1 0 a"], None),
    ("words", 2, ["/ a << 1 - w 1", ">> a - w 1"], None),
    ("words", 1, ["== / a b 0", "< a b"], Some("!= b 0")),
    ("words", 1, ["/ / a b c", "/ / a c b"], Some("& != b 0 != c 0")),
    ("words", 1, ["- a % a b", "* / a b b"], None),
    ("words", 2, ["% a << 1 b", "& a - << 1 b 1"], None),
    ("words", 2, ["<< << a b c", "<< a + b c"], Some("<= b ~ c")),
    ("words", 1, [">> a b", "/ a << 1 b"], Some("< b w")),
    ("evm", 1, ["% % a b b", "% a b"], None),
    ("evm", 1, ["/ % a b b", "0"], None),
    ("evm", 1, ["/ a a", "!= a 0"], None),
    ("evm", 1, ["/ 0 a", "0"], None),
    ("evm", 1, ["% 0 a", "0"], None),
    ("evm", 1, ["addmod a 0 b", "% a b"], None),
    ("evm", 1, ["mulmod a 1 b", "% a b"], None),
    ("evm", 1, ["mulmod a 0 b", "0"], None),
    ("evm", 1, ["addmod % a c b c", "addmod a b c"], None),
    ("evm", 1, ["addmod % a c % b c c", "addmod a b c"], None),
    ("evm", 1, ["mulmod % a c % b c c", "mulmod a b c"], None),
    ("evm", 1, ["% addmod a b c c", "addmod a b c"], None),
    ("evm", 1, ["addmod a b 0", "0"], None),
    ("evm", 1, ["mulmod a b 1", "0"], None),
    ("evm", 3, ["mulmod a b 4", "& * a b 3"], None),
    ("rust-unsigned", 1, ["- a * / a b b", "% a b"], None),
    ("rust-unsigned", 1, ["/ * a b b", "? == * a b 0 0 a"], Some("!= b 0")),
    ("wasm", 1, ["% a b", "- a * b / a b"], None),
];

const FALSE: &[(&str, u16, [&str; 2], Option<&str>)] = &[
    ("words", 1, ["/ % a b b", "0"], None),
    ("words", 1, ["% % a b c", "% a c"], None),
    ("words", 1, ["<= / a b a", "1"], None),
    ("words", 1, ["/ * a b b", "a"], Some("!= b 0")),
    ("words", 1, ["== / a b 0", "<= a b"], Some("!= b 0")),
    ("words", 1, ["% + a b c", "% + % a c b c"], None),
    ("words", 2, ["<< << a b c", "<< a + b c"], None),
    ("evm", 1, ["/ a a", "1"], None),
    ("evm", 1, ["addmod a b c", "% + a b c"], None),
    ("evm", 1, ["mulmod a b c", "% * a b c"], None),
    ("evm", 3, ["mulmod a b 3", "% * a b 3"], None),
    ("evm", 1, ["addmod a b c", "addmod a % b a c"], None),
];

#[test]
fn division_by_variables_is_proven_for_all_widths() {
    for &(name, least, sides, condition) in TRUE {
        let semantics = Semantics::named(name).unwrap();
        let goal = super::goal(sides, condition, semantics, Scope::From(least));
        assert!(direct::holds(&goal, 4), "{name} {sides:?}");
        let certificate = prove::ring::prove(&goal)
            .or_else(|| prove::slices::prove(&goal))
            .or_else(|| prove::lemma::prove(&goal, 4));
        let certificate = certificate.unwrap_or_else(|| panic!("{name} {sides:?}"));
        assert_eq!(check(&goal, &certificate), Ok(()), "{name} {sides:?}");
    }
}

#[test]
fn false_equations_with_divisions_are_not_proven() {
    for &(name, least, sides, condition) in FALSE {
        let semantics = Semantics::named(name).unwrap();
        for scope in [Scope::From(least), Scope::At(4)] {
            let goal = super::goal(sides, condition, semantics, scope);
            assert!(!direct::holds(&goal, 5), "{name} {sides:?}");
            assert_eq!(prove::lemma::prove(&goal, 4), None, "{name} {sides:?}");
        }
    }
}

#[test]
fn certificate_lacking_a_lemma_is_rejected() {
    let goal = super::goal(["% % a b b", "% a b"], None, &WORDS, Scope::From(1));
    let certificate = prove::lemma::prove(&goal, 4).unwrap();
    assert_eq!(check(&goal, &certificate), Ok(()));
    let Certificate::Lemmas { steps, rest } = certificate else { panic!() };
    for dropped in 0..steps.len() {
        let mut steps = steps.clone();
        steps.remove(dropped);
        let fewer = Certificate::Lemmas { steps, rest: rest.clone() };
        assert!(check(&goal, &fewer).is_err());
    }
}

#[test]
fn flag_split_requires_both_cases() {
    let goal = super::goal(["? == a 0 b c", "c"], None, &WORDS, Scope::From(1));
    let flag = (0..goal.terms.len() as u32).map(TermId);
    let flag = flag.filter(|&term| goal.terms.op(term) == Op::Same).min().unwrap();
    let [clear, set] = flag_cases(&goal, flag).unwrap();
    assert!(direct::holds(&clear, 3) && !direct::holds(&set, 3));
    assert_eq!(ring::check(&clear), Ok(()));
    assert!(ring::check(&set).is_err());
    let word = (0..goal.terms.len() as u32).map(TermId);
    let word = word.filter(|&term| goal.terms.width(term) == Extent::WORD).min().unwrap();
    assert!(flag_cases(&goal, word).is_err() && flag_cases(&goal, TermId(1000)).is_err());
}

#[test]
fn remainder_of_a_wide_variable_is_not_a_modular_operation() {
    let text = "trunc(x %u zext(m, 2*w), w) = trunc(x, w)\n    vars x: 2*w, m: w";
    assert_eq!(prove::lemma::prove(&prove::sample::goal(text, 8), 0), None);
}
