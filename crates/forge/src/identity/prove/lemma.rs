//! Picks lemmas whose operands a goal has, and sees whether the goal follows from them by slices: from
//! one kind of lemma, from two, from three. Uses that are not needed are left out again.

use super::slices::{Exploration, explore};
use crate::identity::kernel::{Certificate, Extent, Goal, Lemma, Op, Step, TermId, Terms, assume};

/// States that are looked at with some lemmas, before others are tried.
const STATES: usize = 1 << 12;
/// Uses of lemmas that a goal may suggest.
const STEPS: usize = 200;
/// Kinds of lemmas that are tried together.
const KINDS: usize = 3;

pub fn prove(goal: &Goal) -> Option<Certificate> {
    let mut goal = goal.clone();
    let steps = suggest(&mut goal);
    if steps.len() > STEPS {
        return None;
    }
    let mut kinds: Vec<Lemma> = steps.iter().map(|step| step.lemma).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut sets = vec![(Vec::new(), 0)];
    for _ in 0..KINDS {
        sets = larger(&sets, &kinds);
        for (set, _) in &sets {
            let steps = steps.iter().filter(|step| set.contains(&step.lemma)).cloned().collect();
            if let Some(rest) = attempt(&goal, &steps) {
                return Some(fewest(&goal, steps, rest));
            }
        }
    }
    None
}

/// Each set with one kind more, among those from a place in the list on.
fn larger(sets: &[(Vec<Lemma>, usize)], kinds: &[Lemma]) -> Vec<(Vec<Lemma>, usize)> {
    let mut all = Vec::new();
    for (set, from) in sets {
        for (place, &kind) in kinds.iter().enumerate().skip(*from) {
            all.push(([set.as_slice(), &[kind]].concat(), place + 1));
        }
    }
    all
}

fn attempt(goal: &Goal, steps: &Vec<Step>) -> Option<Certificate> {
    match explore(&assume(goal, steps).ok()?, STATES) {
        Exploration::Proven(certificate) => Some(certificate),
        Exploration::Fails | Exploration::TooLarge => None,
    }
}

fn fewest(goal: &Goal, mut steps: Vec<Step>, mut rest: Certificate) -> Certificate {
    for index in (0..steps.len()).rev() {
        let mut fewer = steps.clone();
        fewer.remove(index);
        if let Some(certificate) = attempt(goal, &fewer) {
            (steps, rest) = (fewer, certificate);
        }
    }
    Certificate::Lemmas { steps, rest: Box::new(rest) }
}

/// What the operators of a goal suggest. Operands that are not in it yet are added to its terms.
fn suggest(goal: &mut Goal) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut divisions = Vec::new();
    for term in goal.terms.in_order(&[goal.holds]) {
        let node = goal.terms.node(term);
        let [x, y, _] = node.args;
        match node.op {
            Op::Udiv | Op::Urem if goal.terms.op(y) != Op::Zext => {
                if !divisions.contains(&(x, y)) {
                    divisions.push((x, y));
                }
                if let Some((b, c)) = operands(&goal.terms, y, Op::Mul) {
                    add(&mut steps, Lemma::Nested, &[x, b, c]);
                }
            }
            Op::Shl | Op::Lshr | Op::Ashr => shift(&mut goal.terms, node.op, x, y, &mut steps),
            Op::Extract(low) if low == Extent::fixed(0) => {
                if let Some((add, words)) = modular(&goal.terms, x) {
                    residues(&mut goal.terms, add, words, &mut steps, &mut divisions);
                }
            }
            _ => {}
        }
    }
    for &(x, y) in &divisions {
        division(&mut goal.terms, x, y, &mut steps);
        for &(other, by) in &divisions {
            if by == y && other != x {
                add(&mut steps, Lemma::Monotone, &[x, other, y]);
            }
        }
    }
    steps
}

fn add(steps: &mut Vec<Step>, lemma: Lemma, operands: &[TermId]) {
    let step = Step { lemma, operands: operands.to_vec() };
    if !steps.contains(&step) {
        steps.push(step);
    }
}

fn operands(terms: &Terms, term: TermId, op: Op) -> Option<(TermId, TermId)> {
    let node = terms.node(term);
    (node.op == op).then(|| (node.args[0], node.args[1]))
}

fn division(terms: &mut Terms, x: TermId, y: TermId, steps: &mut Vec<Step>) {
    for lemma in [Lemma::ByZero, Lemma::Remainder, Lemma::Quotient, Lemma::Multiple] {
        add(steps, lemma, &[x, y]);
    }
    for lemma in [Lemma::Small, Lemma::Large, Lemma::PowerRemainder, Lemma::Once] {
        add(steps, lemma, &[x, y]);
    }
    let less = terms.apply(Op::Sub, &[x, y]);
    add(steps, Lemma::Small, &[less, y]);
    if let Some((u, v)) = operands(terms, x, Op::Udiv) {
        add(steps, Lemma::Nested, &[u, v, y]);
        add(steps, Lemma::NestedLarge, &[u, v, y]);
    }
    if let Some((u, v)) = operands(terms, x, Op::Mul) {
        for (u, v) in [(u, v), (v, u)] {
            if v == y {
                add(steps, Lemma::Product, &[u, y]);
            }
            let u =
                operands(terms, u, Op::Urem).filter(|pair| pair.1 == y).map_or(u, |pair| pair.0);
            add(steps, Lemma::ProductRemainder, &[u, y, v]);
        }
    }
    if let Some((u, v)) = operands(terms, x, Op::Add) {
        for (u, v) in [(u, v), (v, u)] {
            if let Some((p, q)) = operands(terms, u, Op::Mul) {
                let p = if p == y { q } else { p };
                add(steps, Lemma::Unique, &[p, y, v]);
            }
            let u =
                operands(terms, u, Op::Urem).filter(|pair| pair.1 == y).map_or(u, |pair| pair.0);
            add(steps, Lemma::SumRemainder, &[u, y, v]);
        }
    }
    if let Some((_, amount)) = operands(terms, y, Op::Shl) {
        add(steps, Lemma::PowerShift, &[x, amount]);
    }
}

fn shift(terms: &mut Terms, op: Op, x: TermId, amount: TermId, steps: &mut Vec<Step>) {
    let lemma = match op {
        Op::Shl => Lemma::ShiftUp,
        Op::Lshr => Lemma::ShiftDown,
        _ => Lemma::ShiftSigned,
    };
    if let Some((inner, first)) = operands(terms, x, op) {
        add(steps, lemma, &[inner, first, amount]);
    }
    if let Some((first, second)) = operands(terms, amount, Op::Add) {
        add(steps, lemma, &[x, first, second]);
    }
    if terms.literal_value(amount).is_none() && op != Op::Ashr {
        add(steps, Lemma::PowerShift, &[x, amount]);
    }
}

/// The operands of a residue as it is before the final truncation, and whether it is that of a sum.
fn modular(terms: &Terms, rest: TermId) -> Option<(bool, [TermId; 3])> {
    let (whole, modulus) = operands(terms, rest, Op::Urem)?;
    let node = terms.node(whole);
    let narrow = |term: TermId| {
        let node = terms.node(term);
        (node.op == Op::Zext).then_some(node.args[0])
    };
    let words = [narrow(node.args[0])?, narrow(*node.args().get(1)?)?, narrow(modulus)?];
    matches!(node.op, Op::Add | Op::Mul).then_some((node.op == Op::Add, words))
}

fn residues(
    terms: &mut Terms,
    sum: bool,
    [x, y, z]: [TermId; 3],
    steps: &mut Vec<Step>,
    divisions: &mut Vec<(TermId, TermId)>,
) {
    let (plain, residue) = if sum {
        (Lemma::Addmod, Lemma::AddmodResidue)
    } else {
        (Lemma::Mulmod, Lemma::MulmodResidue)
    };
    add(steps, plain, &[x, y, z]);
    add(steps, Lemma::Residue, &[x, y, z]);
    if sum {
        add(steps, Lemma::AddmodOnce, &[x, y, z]);
    }
    let whole = terms.apply(if sum { Op::Add } else { Op::Mul }, &[x, y]);
    divisions.push((whole, z));
    for (x, y) in [(x, y), (y, x)] {
        if let Some((inner, _)) = operands(terms, x, Op::Urem).filter(|pair| pair.1 == z) {
            add(steps, residue, &[inner, y, z]);
            let both = operands(terms, y, Op::Urem).filter(|pair| pair.1 == z);
            if let Some((other, _)) = both {
                add(steps, residue, &[other, inner, z]);
            }
        }
    }
}
