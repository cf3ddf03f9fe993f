//! Attacks the checker. Library rules are corrupted (another operator or constant, swapped
//! variables, a dropped condition), and whatever is proven of the result is evaluated exhaustively
//! at narrow widths. No false rule may be proven. `MISTRUST_CORRUPTED=20000` runs the long version.

use forge::{Entropy, Ticket};
use identity::kernel::{
    Certificate, Goal, Node, Op, Relation, SEMANTICS, Scope, Semantics, TermId, Terms, check,
    check_with,
};
use identity::prove::compose::theorems;
use identity::prove::establish::certificate;
use identity::refute::refute;
use identity::{Effort, Library, Rule, Standing, WIDTHS, establish_in, open, print, seal};

/// Operators that replace each other.
const UNARY: &[Op] = &[Op::Neg, Op::Not, Op::Clz, Op::Ctz, Op::Popcount];
const BINARY: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Udiv,
    Op::Urem,
    Op::Sdiv,
    Op::Srem,
    Op::Eq,
    Op::Ne,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
    Op::Umin,
    Op::Umax,
    Op::Smin,
    Op::Smax,
];

fn corrupted(rule: &Rule, entropy: &mut Entropy) -> Rule {
    let mut rule = rule.clone();
    let places = rule.terms().in_order(&rule.equation.sides);
    let place = places[entropy.below(places.len() as u64) as usize];
    let node = rule.terms().node(place);
    let variables = rule.variables.len() as u64;
    let other =
        |entropy: &mut Entropy, terms: &mut Terms, node: Node, args: &[TermId]| match node.op {
            Op::Variable(index) if variables > 1 => {
                let index = (u64::from(index) + 1 + entropy.below(variables - 1)) % variables;
                terms.variable(index as u16, node.width)
            }
            Op::Literal(literal) => {
                let bit = entropy.below(4);
                let flipped = terms.integer(literal).clone() ^ (num_bigint::BigInt::from(1) << bit);
                terms.literal(flipped, node.width)
            }
            op if args.len() == 2 && BINARY.contains(&op) && entropy.chance(1, 4) => {
                terms.apply_at(op, &[args[1], args[0]], node.width)
            }
            op if BINARY.contains(&op) || UNARY.contains(&op) => {
                let table = if args.len() == 2 { BINARY } else { UNARY };
                let op = *entropy.pick(table).unwrap_or(&op);
                terms.apply_at(op, args, node.width)
            }
            op => terms.apply_at(op, args, node.width),
        };
    if !rule.equation.conditions.is_empty() && entropy.chance(1, 4) {
        let index = entropy.below(rule.equation.conditions.len() as u64) as usize;
        rule.equation.conditions.remove(index);
        return rule;
    }
    // If the term occurs on both sides, only one side changes.
    let side = entropy.below(2) as usize;
    let mut terms = rule.equation.terms.clone();
    let changed = replaced(&mut terms, rule.equation.sides[side], place, &mut |terms, args| {
        other(entropy, terms, node, args)
    });
    rule.equation.sides[side] = changed;
    rule.equation.terms = terms;
    rule
}

/// The term with one of its subterms rebuilt by `make`.
fn replaced(
    terms: &mut Terms,
    term: TermId,
    place: TermId,
    make: &mut impl FnMut(&mut Terms, &[TermId]) -> TermId,
) -> TermId {
    let node = terms.node(term);
    let args: Vec<TermId> =
        node.args().iter().map(|&arg| replaced(terms, arg, place, make)).collect();
    if term == place { make(terms, &args) } else { terms.apply_at(node.op, &args, node.width) }
}

/// A counterexample at a narrow width, as text.
fn is_false(
    rule: &Rule,
    semantics: &Semantics,
    relation: Relation,
    scope: Scope,
) -> Option<String> {
    let widths: Vec<u16> = narrow(rule)
        .filter(|&width| match scope {
            Scope::At(at) => at == width,
            Scope::From(least) => width >= least,
        })
        .collect();
    let search = refute(&rule.equation, semantics, relation, &widths);
    let names: Vec<String> = rule.variables.iter().map(|variable| variable.name.clone()).collect();
    search.counterexample.map(|counterexample| counterexample.told(&names).to_string())
}

/// The narrow widths at which a rule can be tested exhaustively.
fn narrow(rule: &Rule) -> impl Iterator<Item = u16> {
    let few = rule.variables.len() <= 2;
    [1, 2, 3, 4, 8].into_iter().filter(move |&width| width <= 4 || few)
}

/// Each corrupted rule is evaluated first. If it is false, the provers must find no proof, neither
/// at that width nor for all widths from it on; `establish` would not even ask them. Otherwise the
/// rule may be true by accident, and whatever is proven must survive evaluation.
#[test]
fn no_false_corrupted_rule_is_proven() {
    let count =
        std::env::var("MISTRUST_CORRUPTED").ok().and_then(|n| n.parse().ok()).unwrap_or(500);
    let library = Library::shipped().expect("the library can be read");
    let mut entropy = Entropy::of(&Ticket::new("corruption", 1, 0));
    let effort = Effort {
        conflicts: 300,
        clauses: 8_000,
        cases: 16,
        solver: 16,
        products: 16,
        gates: 100_000,
        splits: Some(2),
    };
    let (mut proven, mut wrong, mut attacked) = (0, 0, 0);
    for index in 0..count {
        let entry = &library.entries[entropy.below(library.entries.len() as u64) as usize];
        let rule = corrupted(&entry.rule, &mut entropy);
        let semantics = &SEMANTICS[index % SEMANTICS.len()];
        let relation = [Relation::Exact, Relation::Forward, Relation::Backward][index / 17 % 3];
        let widths: Vec<u16> = narrow(&rule).collect();
        if let Some(found) = refute(&rule.equation, semantics, relation, &widths).counterexample {
            wrong += 1;
            for scope in [Scope::At(found.width), Scope::From(found.width)] {
                let Ok(goal) = Goal::new(&rule.equation, semantics, relation, scope) else {
                    continue;
                };
                attacked += 1;
                let proof = certificate(&goal, &effort).map(|(route, _)| route);
                assert_eq!(
                    proof,
                    None,
                    "{}\n{relation:?} {scope:?} under {}: {found:?}",
                    print::rule(&rule),
                    semantics.name
                );
            }
        } else if let Standing::Proven { relation, where_to } =
            establish_in(&rule, semantics, &effort)
        {
            proven += 1;
            for found in where_to {
                if let Some(counterexample) = is_false(&rule, semantics, relation, found.scope) {
                    panic!(
                        "{}\n{relation:?} {found} under {}\n{counterexample}",
                        print::rule(&rule),
                        semantics.name
                    );
                }
            }
        }
    }
    // The attack is meaningful only if many corrupted rules are false and some are true by
    // accident.
    assert!(wrong > count / 4 && attacked >= wrong, "{wrong} of {count} are false");
    assert!(proven > 0, "nothing was proven at all");
}

#[test]
fn damaged_certificates_are_rejected() {
    let library = Library::shipped().expect("the library can be read");
    let mut entropy = Entropy::of(&Ticket::new("damage", 1, 0));
    let mut kinds = [0; 8];
    let goal_at =
        |rule: &Rule, scope| Goal::new(&rule.equation, &SEMANTICS[0], Relation::Exact, scope).ok();
    for (index, entry) in
        library.entries.iter().enumerate().step_by(library.entries.len() / 150 + 1)
    {
        let scope = if index % 2 == 0 && entry.rule.widths.has(8) {
            Scope::At(8)
        } else {
            Scope::From(entry.rule.widths.least)
        };
        let Some(goal) = goal_at(&entry.rule, scope) else { continue };
        let Some((route, found)) = certificate(&goal, &Effort::default()) else { continue };
        kinds[route as usize] += 1;
        assert_eq!(check_with(&goal, &found, theorems()), Ok(()), "{}", entry.rule.name);
        let sealed = seal(&goal, &found);
        assert_eq!(open(&sealed, &goal).as_ref(), Ok(&found));
        // One byte of each part: magic, version, both digests, payload.
        for position in
            [0, 8, 9, 40, 41, 72, 73, sealed.len() - 1, entropy.below(sealed.len() as u64) as usize]
        {
            let mut damaged = sealed.clone();
            if let Some(byte) = damaged.get_mut(position) {
                *byte ^= 1 << entropy.below(8);
                assert!(open(&damaged, &goal).is_err(), "byte {position} of {}", entry.rule.name);
            }
        }
        for length in [0, 7, 8, 72, sealed.len() - 1] {
            assert!(
                open(&sealed[..length], &goal).is_err(),
                "{length} bytes of {}",
                entry.rule.name
            );
        }
        // The same certificate for a false rule.
        let mut false_rule = entry.rule.clone();
        let one = false_rule
            .equation
            .terms
            .literal(1, false_rule.equation.terms.width(false_rule.left()));
        let right = false_rule.right();
        false_rule.equation.sides[1] = false_rule.equation.terms.apply(Op::Xor, &[right, one]);
        if let Some(other) = goal_at(&false_rule, scope) {
            assert!(open(&sealed, &other).is_err(), "{}", entry.rule.name);
            let accepted = check_with(&other, &found, theorems()).is_ok();
            assert!(!accepted, "{} with 1 added", entry.rule.name);
        }
    }
    assert!(kinds.iter().filter(|&&count| count > 0).count() >= 4, "{kinds:?}");
    assert!(false_goal_is_rejected());
}

fn false_goal_is_rejected() -> bool {
    let mut terms = Terms::new();
    let no = terms.falsehood();
    let goal = Goal { terms, holds: no, scope: Scope::At(8) };
    [Certificate::Ring, Certificate::Linear, Certificate::Circuit, Certificate::Slices(Vec::new())]
        .iter()
        .all(|certificate| check(&goal, certificate).is_err())
}

/// The shipped rules survive evaluation on many values, at all usual widths, for all that is proven
/// of them. Every 101st rule, or all with `MISTRUST_RULES=all`.
#[test]
fn shipped_rules_survive_evaluation() {
    let library = Library::shipped().expect("the library can be read");
    let all = std::env::var("MISTRUST_RULES").is_ok_and(|value| value == "all");
    for entry in library.entries.iter().step_by(if all { 1 } else { 101 }) {
        for semantics in SEMANTICS {
            for width in WIDTHS {
                let Some(relation) = entry.relation(semantics, width) else { continue };
                let search = refute(&entry.rule.equation, semantics, relation, &[width]);
                assert_eq!(
                    search.counterexample, None,
                    "{} under {}",
                    entry.rule.name, semantics.name
                );
            }
        }
    }
}

/// Every shipped rule is proven under some semantics, and every claim of an author is proven.
#[test]
fn shipped_rules_are_proven_as_claimed() {
    let library = Library::shipped().expect("the library can be read");
    for entry in &library.entries {
        assert!(entry.standings.iter().any(Standing::is_proven), "{}", entry.rule.name);
        for claim in &entry.rule.claims {
            let semantics = Semantics::named(claim.semantics).expect("it is in the table");
            let Standing::Proven { relation, .. } = entry.standing(semantics) else {
                panic!("{} is not proven under {}", entry.rule.name, claim.semantics);
            };
            let enough = *relation == claim.relation || *relation == Relation::Exact;
            assert!(enough, "{} under {}", entry.rule.name, claim.semantics);
        }
    }
    let written = library.entries.iter().filter(|entry| !entry.is_synthesised()).count();
    assert!(written >= 700 && library.entries.len() - written >= 10_000);
}
