//! Establishes the standing of a rule: under each semantics, the strongest relation that can be
//! proven, for all widths at once if a route does that, else at each of the usual widths. Every
//! certificate must pass the checker. Valuations are tried first, since they refute false rules
//! cheaply and yield a counterexample.

use std::collections::{BTreeMap, HashMap};

use super::sat::{self, Answer};
use super::{cases, compose, lemma, size, slices};
use crate::kernel::{
    self, Certificate, Goal, Node, Op, Relation, SEMANTICS, Scope, Semantics, TermId, Terms,
};
use crate::refute::{Counterexample, is_well_formed, refute_at, refute_some};
use crate::rule::Rule;
use crate::standing::{Proven, Route, Standing, widths_of};

/// Limits of the search. All are counts rather than times, so that results are reproducible.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Conflicts of the SAT solver, per goal.
    pub conflicts: u32,
    /// Clauses of a circuit that is passed to the solver.
    pub clauses: usize,
    /// The greatest widths for case splits, for the SAT solver, and for circuits with products or
    /// quotients of variables.
    pub cases: u16,
    pub solver: u16,
    pub products: u16,
    /// The estimated gates of a circuit that is built.
    pub gates: usize,
    /// Nested flag splits before lemmas are used; `None` disables lemmas.
    pub splits: Option<usize>,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            conflicts: 2_000,
            clauses: 40_000,
            cases: 512,
            solver: 512,
            products: 512,
            gates: 700_000,
            splits: Some(4),
        }
    }
}

impl Effort {
    /// For a partial semantics that the author makes no claim about; many rules hold only partly
    /// there.
    pub(super) fn reduced(&self) -> Self {
        Self {
            conflicts: self.conflicts / 4,
            cases: self.cases.min(8),
            solver: self.solver.min(16),
            products: 0,
            splits: self.splits.map(|splits| splits.min(2)),
            ..self.clone()
        }
    }

    /// For a rule that could not be decided even in the total semantics.
    fn minimal(&self) -> Self {
        Self { cases: 0, solver: 0, products: 0, splits: None, ..self.clone() }
    }
}

/// Identifies a goal up to its arena, whichever semantics it comes from.
pub(super) type Key = (Vec<(Op, [u32; 3], kernel::Extent)>, Vec<num_bigint::BigInt>, Scope);

/// Proves one rule. Semantics that lead to the same goal share the result.
#[derive(Debug)]
struct Prover<'a> {
    rule: &'a Rule,
    effort: Effort,
    closed: HashMap<Key, Closing>,
}

/// The standing of a rule under every semantics, in the order of [`SEMANTICS`].
pub fn establish(rule: &Rule, effort: &Effort) -> Vec<Standing> {
    let mut prover = Prover::new(rule, effort);
    let mut open = false;
    let standing = |semantics: &Semantics| {
        // Full effort for the total semantics and for those that the author claims; less elsewhere.
        let total = semantics.name == "words" || semantics.name == "evm";
        let claimed = rule.claims.iter().any(|claim| claim.semantics == semantics.name);
        prover.effort = match () {
            () if total || claimed => effort.clone(),
            () if open => effort.minimal(),
            () => effort.reduced(),
        };
        let standing = prover.standing(semantics);
        open |= total && matches!(standing, Standing::Tested);
        standing
    };
    SEMANTICS.iter().map(standing).collect()
}

/// The standing under one semantics.
pub fn establish_in(rule: &Rule, semantics: &Semantics, effort: &Effort) -> Standing {
    Prover::new(rule, effort).standing(semantics)
}

/// Valuations that refute most false rules.
const QUICK_VALUATIONS: usize = 256;

/// From this width on, the usual small literals do not wrap.
const WIDE: u16 = 8;

const RELATIONS: [Relation; 3] = [Relation::Exact, Relation::Forward, Relation::Backward];

impl<'a> Prover<'a> {
    fn new(rule: &'a Rule, effort: &'a Effort) -> Self {
        Self { rule, effort: effort.clone(), closed: HashMap::new() }
    }

    fn standing(&mut self, semantics: &Semantics) -> Standing {
        let mut widths: Vec<u16> = widths_of(semantics).collect();
        widths.extend(
            self.rule.widths.only.iter().copied().filter(|&width| semantics.has_width(width)),
        );
        widths.retain(|&width| self.rule.widths.has(width));
        widths.sort_unstable();
        widths.dedup();
        if widths.is_empty() {
            return Standing::Absent;
        }
        let mut refuted: Option<Counterexample> = None;
        for relation in RELATIONS {
            match self.related(semantics, relation, &widths) {
                Search::Proven(where_to) => return Standing::Proven { relation, where_to },
                Search::Refuted(counterexample) => {
                    refuted.get_or_insert(counterexample);
                }
                // Heuristic: if one relation is undecided, the weaker ones are not tried.
                Search::Open => return Standing::Tested,
                Search::Inexpressible => return Standing::Absent,
            }
        }
        refuted.map_or(Standing::Tested, Standing::Unsound)
    }

    fn related(&mut self, semantics: &Semantics, relation: Relation, widths: &[u16]) -> Search {
        // All widths at once: from the least width of the rule, or from `WIDE`, which covers the
        // widths used by hunts. A rule restricted to some widths may still hold, and be as easy to
        // prove, at all of them.
        let least = self.rule.widths.least;
        let mut froms = match self.rule.widths.is_open() {
            true => vec![least, least.max(WIDE)],
            false => vec![WIDE],
        };
        froms.dedup();
        froms.retain(|&from| self.rule.widths.is_open() || from <= widths[0]);
        // Heuristic: lemmas that fail for all widths are not tried at one.
        let mut lemmas = Lemmas::Yes;
        for from in froms {
            let scope = Scope::From(from);
            let Ok(goal) = Goal::new(&self.rule.equation, semantics, relation, scope) else {
                return Search::Inexpressible;
            };
            let known = self.closed.contains_key(&key(&goal));
            let open = self.rule.widths.is_open();
            let fails = !open && !is_well_formed(&self.rule.equation, from)
                || !known && self.is_false_at(semantics, relation, [from, from.max(4)]);
            if fails && !open {
                break;
            }
            lemmas = Lemmas::No;
            if fails {
                continue;
            }
            if let Closing::Proven(route) = self.close(&goal, Lemmas::Yes) {
                return Search::Proven(vec![Proven { scope, route }]);
            }
        }
        let mut counterexample = None;
        let mut where_to = Vec::new();
        let mut open = false;
        for &width in widths {
            // A rule refuted at the first width is not tried at the others.
            if counterexample.is_some() && where_to.is_empty() && !open {
                break;
            }
            if let Some(found) = self.tried(semantics, relation, width, QUICK_VALUATIONS) {
                counterexample.get_or_insert(found);
                continue;
            }
            let scope = Scope::At(width);
            let equation = &self.rule.equation;
            let Ok(goal) = Goal::new(equation, semantics, relation, scope) else { continue };
            // Heuristic: after an undecided goal, greater widths are not tried.
            if open {
                continue;
            }
            let found = match self.close(&goal, lemmas) {
                Closing::Proven(route) => {
                    where_to.push(Proven { scope, route });
                    continue;
                }
                Closing::Refuted(values) => {
                    refute_at(equation, semantics, relation, width, &values)
                }
                Closing::Open => self.tried(semantics, relation, width, usize::MAX),
            };
            open |= found.is_none();
            counterexample = counterexample.or(found);
        }
        match counterexample {
            _ if !where_to.is_empty() => Search::Proven(where_to),
            Some(counterexample) => Search::Refuted(counterexample),
            _ if open => Search::Open,
            None => Search::Inexpressible,
        }
    }

    /// A counterexample at a width, searched for among at most `valuations` valuations.
    fn tried(
        &self,
        semantics: &Semantics,
        relation: Relation,
        width: u16,
        valuations: usize,
    ) -> Option<Counterexample> {
        let equation = &self.rule.equation;
        if !is_well_formed(equation, width) {
            return None;
        }
        refute_some(equation, semantics, relation, width, valuations)
    }

    /// Whether a few valuations refute the rule at one of two widths.
    fn is_false_at(&self, semantics: &Semantics, relation: Relation, widths: [u16; 2]) -> bool {
        let [narrow, wider] = widths;
        self.tried(semantics, relation, wider, QUICK_VALUATIONS).is_some()
            || narrow != wider
                && self.tried(semantics, relation, narrow, QUICK_VALUATIONS).is_some()
    }

    /// Tries the routes from the cheapest to the most expensive.
    fn close(&mut self, goal: &Goal, lemmas: Lemmas) -> Closing {
        let key = key(goal);
        if let Some(known) = self.closed.get(&key) {
            return known.clone();
        }
        let closing = match attempt(goal, &self.effort, lemmas) {
            Attempt::Proven(route, _) => Closing::Proven(route),
            Attempt::Refuted(values) => Closing::Refuted(values),
            Attempt::Open => Closing::Open,
        };
        self.closed.insert(key, closing.clone());
        closing
    }
}

/// The result for a goal.
#[derive(Clone, Debug)]
enum Closing {
    Proven(Route),
    /// The solver's counterexample.
    Refuted(BTreeMap<u16, num_bigint::BigInt>),
    Open,
}

/// Like `Closing`, with the certificate.
#[derive(Debug)]
enum Attempt {
    Proven(Route, Certificate),
    Refuted(BTreeMap<u16, num_bigint::BigInt>),
    Open,
}

/// Whether to try lemmas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Lemmas {
    Yes,
    No,
}

#[derive(Debug)]
enum Search {
    Proven(Vec<Proven>),
    Refuted(Counterexample),
    /// Neither proven nor refuted.
    Open,
    Inexpressible,
}

/// A certificate that the checker accepted, and the route that found it.
pub fn certificate(goal: &Goal, effort: &Effort) -> Option<(Route, Certificate)> {
    match attempt(goal, effort, Lemmas::Yes) {
        Attempt::Proven(route, certificate) => Some((route, certificate)),
        Attempt::Refuted(_) | Attempt::Open => None,
    }
}

fn attempt(goal: &Goal, effort: &Effort, lemmas: Lemmas) -> Attempt {
    let by = |route: Route| {
        by_route(goal, route, effort).map(|certificate| Attempt::Proven(route, certificate))
    };
    let found = by(Route::Ring)
        .or_else(|| by(Route::Linear))
        .or_else(|| by(Route::Slices))
        .or_else(|| (lemmas == Lemmas::Yes).then(|| by(Route::Lemmas)).flatten())
        .or_else(|| by(Route::Composition));
    if let Some(found) = found {
        return found;
    }
    let Scope::At(width) = goal.scope else { return Attempt::Open };
    if effort.solver == 0 || width > effort.products && multiplies(goal) {
        return Attempt::Open;
    }
    if let Some(found) = by(Route::Circuit).or_else(|| by(Route::Cases)) {
        return found;
    }
    let most = if multiplies(goal) { effort.solver.min(16) } else { effort.solver };
    if width > most || !is_small(goal, effort) {
        return Attempt::Open;
    }
    match solved(goal, effort) {
        Answer::Proven(certificate) if kernel::check(goal, &certificate).is_ok() => {
            Attempt::Proven(Route::Refutation, certificate)
        }
        Answer::Refuted(values) => Attempt::Refuted(values),
        Answer::Proven(_) | Answer::Unknown => Attempt::Open,
    }
}

/// A certificate by one route that the checker accepted.
pub(super) fn by_route(goal: &Goal, route: Route, effort: &Effort) -> Option<Certificate> {
    let found = match route {
        // These need no search; the checker decides.
        Route::Ring => Some(Certificate::Ring),
        Route::Linear => Some(Certificate::Linear),
        Route::Slices => slices::prove(goal),
        Route::Lemmas => lemma::prove(goal, effort.splits?),
        Route::Composition => compose::prove(goal),
        Route::Circuit => is_small(goal, effort).then_some(Certificate::Circuit),
        Route::Cases => {
            // Each case is small and gets a fraction of the conflicts.
            let part = Effort { conflicts: effort.conflicts / 10, ..effort.clone() };
            let mut other = |case: &Goal| match solved(case, &part) {
                Answer::Proven(certificate) => Some(certificate),
                Answer::Refuted(_) | Answer::Unknown => None,
            };
            let Scope::At(width) = goal.scope else { return None };
            if width > effort.cases {
                return None;
            }
            if let Some(certificate) = cases::by_hashing(goal, effort.gates) {
                return Some(certificate);
            }
            cases::prove(goal, effort.gates, &mut other)
        }
        Route::Refutation => match solved(goal, effort) {
            Answer::Proven(certificate) => Some(certificate),
            Answer::Refuted(_) | Answer::Unknown => None,
        },
    };
    let theorems = if route == Route::Composition { compose::theorems() } else { &[] };
    found.filter(|certificate| kernel::check_with(goal, certificate, theorems).is_ok())
}

fn is_small(goal: &Goal, effort: &Effort) -> bool {
    size::gates(&goal.terms, goal.holds) <= effort.gates
}

/// Runs the SAT solver, unless the circuit is too large.
fn solved(goal: &Goal, effort: &Effort) -> Answer {
    // At narrow widths conflicts are cheap, and products need many.
    let more = if matches!(goal.scope, Scope::At(..=8)) { 4 } else { 1 };
    sat::prove(goal, more * effort.conflicts, effort.clauses)
}

/// Whether the goal contains a product or quotient of two variables, whose circuit is large.
fn multiplies(goal: &Goal) -> bool {
    goal.terms.in_order(&[goal.holds]).into_iter().any(|term| {
        let large = matches!(
            goal.terms.op(term),
            Op::Mul | Op::Udiv | Op::Urem | Op::MulOverflows | Op::SignedMulOverflows | Op::Exp
        );
        large && goal.terms.args(term).iter().all(|&arg| goal.terms.literal_value(arg).is_none())
    })
}

pub(super) fn key(goal: &Goal) -> Key {
    let order = goal.terms.in_order(&[goal.holds]);
    let place: HashMap<TermId, u32> =
        order.iter().zip(0..).map(|(&term, index)| (term, index)).collect();
    let mut literals = Vec::new();
    let nodes =
        order.iter().map(|&term| flat(&goal.terms, goal.terms.node(term), &place, &mut literals));
    (nodes.collect(), literals, goal.scope)
}

/// A node with operands and literals renumbered, independent of its arena.
fn flat(
    terms: &Terms,
    node: Node,
    place: &HashMap<TermId, u32>,
    literals: &mut Vec<num_bigint::BigInt>,
) -> (Op, [u32; 3], kernel::Extent) {
    let mut args = [u32::MAX; 3];
    for (slot, arg) in args.iter_mut().zip(node.args()) {
        *slot = place[arg];
    }
    let op = match node.op {
        Op::Literal(index) => {
            literals.push(terms.integer(index).clone());
            Op::Literal(literals.len() as u32)
        }
        op => op,
    };
    (op, args, node.width)
}
