use super::super::certificate::Certificate;
use super::super::claim::{Goal, Scope};
use super::super::extent::Extent;
use super::super::lemma::{Lemma, Step, assume};
use super::super::semantics::Semantics;
use super::super::term::Terms;
use super::direct;
use crate::identity::prove;

/// The goal that is never true: where a fact is assumed, it holds exactly where the fact does not.
fn absurd() -> Goal {
    let mut terms = Terms::new();
    for index in 0..3 {
        terms.variable(index, Extent::WORD);
    }
    let holds = terms.falsehood();
    Goal { terms, holds, scope: Scope::From(1) }
}

#[test]
fn every_fact_is_true_of_all_operands() {
    for lemma in Lemma::ALL {
        let mut goal = absurd();
        let operands = (0..lemma.arity())
            .map(|index| goal.terms.variable(index as u16, Extent::WORD))
            .collect();
        let mut assumed = assume(&goal, &[Step { lemma, operands }]).unwrap();
        assumed.holds = assumed.terms.negation(assumed.holds);
        assert!(direct::holds(&assumed, 5), "{lemma:?}");
    }
}

#[test]
fn operands_that_are_not_there_are_rejected() {
    let mut goal = absurd();
    let x = goal.terms.variable(0, Extent::WORD);
    let narrow = goal.terms.variable(0, Extent::fixed(8));
    let beyond = super::super::term::TermId(1000);
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

#[test]
fn division_by_variables_is_proven_at_every_width() {
    for &(name, least, sides, condition) in TRUE {
        let semantics = Semantics::named(name).unwrap();
        let goal = super::goal(sides, condition, semantics, Scope::From(least));
        let truth = direct::holds(&goal, 4);
        let t = std::time::Instant::now();
        let by =
            [prove::ring::prove(&goal), prove::slices::prove(&goal), prove::lemma::prove(&goal)];
        eprintln!(
            "{name} {sides:?} {truth} {:?} {:?}",
            by.iter().map(|p| p.is_some()).collect::<Vec<_>>(),
            t.elapsed()
        );
        if let Some(Certificate::Lemmas { steps, rest }) = &by[2] {
            eprintln!(
                "    {:?} {}",
                steps.iter().map(|s| s.lemma).collect::<Vec<_>>(),
                match &**rest {
                    Certificate::Slices(s) => s.len(),
                    _ => 0,
                }
            );
        }
    }
}
