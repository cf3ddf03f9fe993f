//! Proofs by lemmas: selects lemma instances from which the goal follows by slices. The selection
//! is learnt from failing runs of the goal's automaton: in each of them, a selected fact must be
//! false. Where a flag chooses an operand (a zero divisor, a sign), the goal is split on that flag
//! first.

use std::collections::BTreeSet;

use super::slices::{Exploration, explore};
use super::{ring, slices};
use crate::kernel::{
    Automaton, Certificate, Extent, Goal, Lemma, Op, Step, TermId, Terms, assume, flag_cases,
};
use forge::{Entropy, Ticket};

/// Limit on the states explored under a selection of lemmas.
const STATES: usize = 1 << 12;
/// Limit on the lemma instances suggested for a goal.
const STEPS: usize = 200;
/// Batches of 64 runs, and failing runs collected from them.
const BATCHES: usize = 200;
const FAILURES: usize = 300;
/// Rounds of sampling and selection.
const ROUNDS: usize = 5;
/// Splits at most `splits` nested flags.
pub fn prove(goal: &Goal, splits: usize) -> Option<Certificate> {
    let flag = if splits > 0 { splitting_flag(goal) } else { None };
    let Some(flag) = flag else { return prove_whole(goal) };
    let [clear, set] = flag_cases(goal, flag).ok()?;
    let case = |goal: &Goal| {
        ring::prove(goal).or_else(|| slices::prove(goal)).or_else(|| prove(goal, splits - 1))
    };
    let (clear, set) = (case(&clear)?, case(&set)?);
    Some(Certificate::Split { flag, each: Box::new([clear, set]) })
}

/// A comparison that chooses between operands or results of divisions. A comparison with 0 is
/// preferred, else the first one is taken.
fn splitting_flag(goal: &Goal) -> Option<TermId> {
    let terms = &goal.terms;
    let order = terms.in_order(&[goal.holds]);
    let mut divides = vec![false; terms.len()];
    for &term in &order {
        let args = terms.args(term);
        divides[term.0 as usize] = matches!(terms.op(term), Op::Udiv | Op::Urem)
            || args.iter().any(|arg| divides[arg.0 as usize]);
    }
    let mut found = Vec::new();
    for &term in &order {
        let node = terms.node(term);
        if node.op == Op::Ite && node.width != Extent::BIT && divides[goal.holds.0 as usize] {
            comparisons(terms, node.args[0], &mut found);
        }
    }
    let zero = |term| terms.literal_value(term).is_some_and(|n| *n == 0.into());
    let is_zero = |&&flag: &&TermId| {
        terms.op(flag) == Op::Same && terms.args(flag).iter().any(|&arg| zero(arg))
    };
    found.iter().find(is_zero).or(found.first()).copied()
}

fn comparisons(terms: &Terms, flag: TermId, found: &mut Vec<TermId>) {
    if matches!(terms.op(flag), Op::Same | Op::Below | Op::SignedBelow) {
        found.push(flag);
    } else if terms.width(flag) == Extent::BIT {
        terms.args(flag).iter().for_each(|&arg| comparisons(terms, arg, found));
    }
}

fn prove_whole(goal: &Goal) -> Option<Certificate> {
    let mut steps = Vec::new();
    let mut all = goal.clone();
    let mut facts = Vec::new();
    for step in suggest(&mut all) {
        if let Ok(fact) = step.fact(&mut all.terms) {
            facts.push(fact);
            steps.push(step);
        }
    }
    if steps.is_empty() || steps.len() > STEPS {
        return None;
    }
    let automaton = Automaton::watching(&all, &facts).ok()?;
    let mut entropy = Entropy::of(&Ticket::new("lemma", 0, 0));
    let mut failures = BTreeSet::new();
    let mut chosen = Vec::new();
    for round in 0..ROUNDS {
        sample(&automaton, &mut entropy, &chosen, &mut failures)?;
        // In even rounds, instances specific to the goal are preferred over lemmas that apply to
        // any division.
        let bonus = if round % 2 == 0 { 4 } else { 1 };
        let weight = |fact: usize| if is_general(steps[fact].lemma) { 1 } else { bonus };
        chosen = cover(&failures, steps.len(), weight)?;
        let chosen = chosen.iter().map(|&fact| steps[fact].clone()).collect();
        let Some(chosen) = translate(goal, &all.terms, chosen) else { continue };
        if let Some(rest) = attempt(goal, &chosen) {
            return Some(minimised(goal, chosen, rest));
        }
    }
    None
}

/// Translates the steps into the arena of the goal. An operand must be a term of the goal or of an
/// earlier fact; where it is neither, a step whose fact contains it is inserted.
fn translate(goal: &Goal, all: &Terms, steps: Vec<Step>) -> Option<Vec<Step>> {
    let mut terms = goal.terms.clone();
    let mut placed = Vec::new();
    let mut waiting = steps;
    while !waiting.is_empty() {
        let before = placed.len();
        let mut later = Vec::new();
        for step in waiting {
            match placed_in(&mut terms, all, &step) {
                Some(step) => placed.push(step),
                None => later.push(step),
            }
        }
        if placed.len() == before {
            let missing = later[0].operands.iter().find(|&&operand| !has(&terms, all, operand))?;
            placed.push(placed_in(&mut terms, all, &introduction(all, *missing)?)?);
        }
        waiting = later;
    }
    Some(placed)
}

/// Whether an arena contains a term of another.
fn has(terms: &Terms, all: &Terms, term: TermId) -> bool {
    let mut own = terms.clone();
    own.import(all, term, &mut |_, _| None);
    own.len() == terms.len()
}

/// Translates a step, if the arena contains all of its operands, and adds its fact to the arena.
fn placed_in(terms: &mut Terms, all: &Terms, step: &Step) -> Option<Step> {
    if !step.operands.iter().all(|&operand| has(terms, all, operand)) {
        return None;
    }
    let import = |&operand: &TermId| terms.import(all, operand, &mut |_, _| None);
    let operands = step.operands.iter().map(import).collect();
    let step = Step { lemma: step.lemma, operands };
    step.fact(terms).ok()?;
    Some(step)
}

/// A step whose fact contains a term and whose operands are its subterms.
fn introduction(all: &Terms, term: TermId) -> Option<Step> {
    let node = all.node(term);
    let [x, y, _] = node.args;
    let (lemma, operands) = match node.op {
        Op::Udiv | Op::Urem => (Lemma::ByZero, vec![x, y]),
        Op::Mul => (Lemma::Product, vec![x, y]),
        Op::Add => (Lemma::SumRemainder, vec![x, x, y]),
        Op::Sub => (Lemma::Once, vec![x, y]),
        _ => return None,
    };
    Some(Step { lemma, operands })
}

/// The facts that are false in a failing run, as a bit set.
type Failure = Vec<u64>;

fn is_false(failure: &Failure, fact: usize) -> bool {
    failure[fact / 64] >> (fact % 64) & 1 == 1
}

/// Collects runs that fail although all chosen facts hold. `None` if a run fails although all facts
/// hold.
fn sample(
    automaton: &Automaton,
    entropy: &mut Entropy,
    chosen: &[usize],
    failures: &mut BTreeSet<Failure>,
) -> Option<()> {
    let (least, most) = automaton.lengths();
    let before = failures.len();
    for batch in 0..BATCHES {
        let found = failures.len() - before;
        if found > FAILURES || found == 0 && batch > BATCHES / 4 {
            return Some(());
        }
        let length = most.unwrap_or(least.max(1) + entropy.below(4) as u16);
        // Words that are 0, all ones, equal to another or sparse expose more failures.
        let kinds: Vec<u64> = (0..64).map(|_| entropy.below(8)).collect();
        let mut last = 0;
        let (bad, flags) = automaton.run(length, &mut |input| {
            let fresh = entropy.word();
            last = match input.map(|input| kinds[input % kinds.len()]) {
                Some(0) => 0,
                Some(1) => u64::MAX,
                Some(2) => last,
                Some(3) => fresh & entropy.word() & entropy.word(),
                _ => fresh,
            };
            last
        });
        for lane in (0..64).filter(|lane| bad >> lane & 1 == 1) {
            let mut set = vec![0; flags.len().div_ceil(64)];
            for (fact, flag) in flags.iter().enumerate() {
                set[fact / 64] |= (!flag >> lane & 1) << (fact % 64);
            }
            if set.iter().all(|&facts| facts == 0) {
                return None;
            }
            if !chosen.iter().any(|&fact| is_false(&set, fact)) {
                failures.insert(set);
            }
        }
    }
    Some(())
}

fn is_general(lemma: Lemma) -> bool {
    use Lemma::{
        AddMultiple, ByOne, ByZero, Large, Monotone, Multiple, Once, Predecessor, Quotient,
        Remainder, Small,
    };
    let of_every =
        matches!(lemma, ByOne | ByZero | Large | Multiple | Once | Quotient | Remainder | Small);
    of_every || matches!(lemma, AddMultiple | Monotone | Predecessor)
}

/// A greedy hitting set: in each failure, at least one chosen fact is false. `None` if there is
/// none.
fn cover(
    failures: &BTreeSet<Failure>,
    facts: usize,
    weight: impl Fn(usize) -> usize,
) -> Option<Vec<usize>> {
    let mut left: Vec<&Failure> = failures.iter().collect();
    let mut chosen = Vec::new();
    while !left.is_empty() {
        let count =
            |fact: usize| weight(fact) * left.iter().filter(|set| is_false(set, fact)).count();
        // Ties go to the first fact, which is the simplest.
        let best =
            (0..facts).rev().max_by_key(|&fact| count(fact)).filter(|&fact| count(fact) > 0)?;
        left.retain(|set| !is_false(set, best));
        chosen.push(best);
    }
    Some(chosen)
}

fn attempt(goal: &Goal, steps: &[Step]) -> Option<Certificate> {
    match explore(&assume(goal, steps).ok()?, STATES) {
        Exploration::Proven(certificate) => Some(certificate),
        Exploration::Fails | Exploration::TooLarge => None,
    }
}

fn minimised(goal: &Goal, mut steps: Vec<Step>, mut rest: Certificate) -> Certificate {
    for index in (0..steps.len()).rev() {
        let mut fewer = steps.clone();
        fewer.remove(index);
        if let Some(certificate) = attempt(goal, &fewer) {
            (steps, rest) = (fewer, certificate);
        }
    }
    Certificate::Lemmas { steps, rest: Box::new(rest) }
}

/// The lemma instances suggested by the operators of a goal. New operands are added to its terms.
fn suggest(goal: &mut Goal) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut divisions = Vec::new();
    let (mut powers, mut products) = (Vec::new(), Vec::new());
    let mut compared = false;
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
                    add(&mut steps, Lemma::Digits, &[x, b, c]);
                    add(&mut steps, Lemma::Digits, &[x, c, b]);
                }
            }
            Op::Ctz => powers.push(x),
            Op::Same => {
                if let (Some((a, c)), Some((b, d))) =
                    (operands(&goal.terms, x, Op::Mul), operands(&goal.terms, y, Op::Mul))
                {
                    for (a, b, c) in [(a, b, c), (c, d, a), (a, d, c), (c, b, a)] {
                        add(&mut steps, Lemma::Odd, &[a, b, c]);
                    }
                }
            }
            Op::Mul => {
                add(&mut steps, Lemma::Unit, &[x, y]);
                add(&mut steps, Lemma::Unit, &[y, x]);
                add(&mut steps, Lemma::Parity, &[x, y]);
                if let Some((a, b)) = operands(&goal.terms, x, Op::Mul) {
                    add(&mut steps, Lemma::Inverse, &[a, b, y]);
                    add(&mut steps, Lemma::Inverse, &[b, a, y]);
                }
            }
            Op::SignedBelow => {
                compared |= [x, y].iter().any(|&word| goal.terms.op(word) == Op::Mul);
            }
            Op::SignedMulOverflows => products.push((x, y)),
            Op::Shl | Op::Lshr | Op::Ashr => shift(&mut goal.terms, node.op, x, y, &mut steps),
            Op::Extract(low) if low == Extent::fixed(0) => {
                if let Some((add, words)) = modular(&goal.terms, x) {
                    residues(&mut goal.terms, add, words, &mut steps, &mut divisions);
                }
            }
            _ => {}
        }
    }
    if !divisions.is_empty() {
        for term in goal.terms.in_order(&[goal.holds]) {
            let amount = operands(&goal.terms, term, Op::Lshr);
            if let Some((x, amount)) =
                amount.filter(|&(_, by)| goal.terms.literal_value(by).is_none())
            {
                add(&mut steps, Lemma::PowerShift, &[x, amount]);
            }
        }
    }
    for &(x, y) in &divisions {
        division(&mut goal.terms, x, y, &mut steps);
        for &(other, by) in &divisions {
            if by == y && other != x {
                add(&mut steps, Lemma::Monotone, &[x, other, y]);
            }
            if operands(&goal.terms, x, Op::Urem) == Some((other, by)) && by != y {
                add(&mut steps, Lemma::Divides, &[other, by, y]);
            }
        }
    }
    related(goal, &divisions, &mut steps);
    let signed = !divisions.is_empty() || compared;
    for (x, y) in products.into_iter().filter(|_| signed) {
        add(&mut steps, Lemma::SignedProduct, &[x, y]);
    }
    for &power in &powers {
        for term in goal.terms.in_order(&[goal.holds]) {
            let node = goal.terms.node(term);
            let [x, y, _] = node.args;
            match node.op {
                Op::Mul | Op::Udiv if y == power => add(&mut steps, Lemma::PowerLog, &[x, y]),
                Op::Mul if x == power => add(&mut steps, Lemma::PowerLog, &[y, x]),
                Op::Shl | Op::Lshr | Op::Ashr if goal.terms.op(y) == Op::Ctz => {
                    add(&mut steps, Lemma::PowerLog, &[x, power]);
                }
                _ => {}
            }
        }
    }
    steps
}

/// Instances that relate quotients to other words, and quotients of neighbouring dividends.
fn related(goal: &mut Goal, divisions: &[(TermId, TermId)], steps: &mut Vec<Step>) {
    let order = goal.terms.in_order(&[goal.holds]);
    for &(x, y) in divisions {
        let width = goal.terms.width(x);
        let one = goal.terms.literal(1, width);
        let quotient = goal.terms.apply(Op::Udiv, &[x, y]);
        // Quotients by constants are guessed by the automaton, and random runs rarely guess right.
        if goal.terms.literal_value(y).is_none() {
            add(steps, Lemma::Predecessor, &[x, y]);
            add(steps, Lemma::AddMultiple, &[x, y, one]);
            let before = goal.terms.apply(Op::Sub, &[x, one]);
            add(steps, Lemma::AddMultiple, &[before, y, one]);
        }
        if let Some((a, b)) = operands(&goal.terms, x, Op::Sub)
            && operands(&goal.terms, b, Op::Urem) == Some((a, y))
        {
            let quotient = goal.terms.apply(Op::Udiv, &[a, y]);
            add(steps, Lemma::Product, &[quotient, y]);
        }
        if let Some((u, v)) = operands(&goal.terms, x, Op::Mul)
            && (u == y || v == y)
        {
            add(steps, Lemma::Overflow, &[if v == y { u } else { v }, y]);
        }
        if let Some((u, v)) = operands(&goal.terms, x, Op::Add) {
            for (u, v) in [(u, v), (v, u)] {
                if v == y {
                    add(steps, Lemma::AddMultiple, &[u, y, one]);
                }
                if let Some((p, q)) = operands(&goal.terms, v, Op::Mul)
                    && (p == y || q == y)
                {
                    add(steps, Lemma::AddMultiple, &[u, y, if p == y { q } else { p }]);
                }
            }
        }
        for &term in &order {
            let node = goal.terms.node(term);
            let [a, b, _] = node.args;
            if matches!(node.op, Op::Same | Op::Below) && (a == quotient || b == quotient) {
                let other = if a == quotient { b } else { a };
                add(steps, Lemma::Floor, &[x, y, other]);
            }
        }
    }
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
    for lemma in [Lemma::ByOne, Lemma::Small, Lemma::Large, Lemma::PowerRemainder, Lemma::Once] {
        add(steps, lemma, &[x, y]);
    }
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
        shift(terms, Op::Lshr, x, amount, steps);
    }
}

fn shift(terms: &mut Terms, op: Op, x: TermId, amount: TermId, steps: &mut Vec<Step>) {
    let (lemma, beyond) = match op {
        Op::Shl => (Lemma::ShiftUp, Lemma::BeyondUp),
        Op::Lshr => (Lemma::ShiftDown, Lemma::BeyondDown),
        _ => (Lemma::ShiftSigned, Lemma::BeyondSigned),
    };
    if let Some((inner, first)) = operands(terms, x, op) {
        add(steps, lemma, &[inner, first, amount]);
        let both = terms.apply(Op::Add, &[first, amount]);
        add(steps, beyond, &[inner, both]);
        add(steps, Lemma::Amounts, &[first, amount]);
    }
    if let Some((first, second)) = operands(terms, amount, Op::Add) {
        add(steps, lemma, &[x, first, second]);
        add(steps, Lemma::Amounts, &[first, second]);
    }
    if terms.literal_value(amount).is_none() {
        add(steps, beyond, &[x, amount]);
    }
    if terms.literal_value(amount).is_none() && op == Op::Shl {
        add(steps, Lemma::PowerShift, &[x, amount]);
    }
}

/// The operands of an `addmod` or `mulmod` before its truncation, and whether it is `addmod`.
fn modular(terms: &Terms, rest: TermId) -> Option<(bool, [TermId; 3])> {
    let (whole, modulus) = operands(terms, rest, Op::Urem)?;
    let node = terms.node(whole);
    if !matches!(node.op, Op::Add | Op::Mul) {
        return None;
    }
    let narrow = |term: TermId| {
        let node = terms.node(term);
        (node.op == Op::Zext).then_some(node.args[0])
    };
    let words = [narrow(node.args[0])?, narrow(node.args[1])?, narrow(modulus)?];
    Some((node.op == Op::Add, words))
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
