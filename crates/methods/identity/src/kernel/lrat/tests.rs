//! Corrupted refutations, refutations of other clauses, and refutations of satisfiable clauses are
//! rejected.

use super::{check, put_step, read};
use crate::kernel::{Certificate, Circuit, Clauses, Goal};
use crate::prove::sample::goal;
use crate::prove::sat::{Answer, prove};
use forge::{Entropy, Ticket};

type Steps = Vec<(Vec<i32>, Vec<usize>)>;

fn clauses(goal: &Goal) -> Clauses {
    Circuit::of(goal).unwrap().clauses()
}

fn refuted(equation: &str, width: u16) -> (Clauses, Vec<u8>) {
    let goal = goal(equation, width);
    let Answer::Proven(Certificate::Refutation(bytes)) = prove(&goal, 10_000, 1_000_000) else {
        panic!()
    };
    (clauses(&goal), bytes)
}

fn steps(clauses: &Clauses, bytes: &[u8]) -> Steps {
    let mut steps = Vec::new();
    read(clauses, bytes, |literals, hints| {
        steps.push((literals.to_vec(), hints.to_vec()));
        Ok(())
    })
    .unwrap();
    steps
}

fn encoded(clauses: &Clauses, steps: &Steps) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, (literals, hints)) in steps.iter().enumerate() {
        put_step(&mut bytes, clauses.len() + 1 + index, literals, hints.iter().copied());
    }
    bytes
}

#[test]
fn encoding_round_trips() {
    let (clauses, bytes) = refuted("a - b = a + ~b + 1", 8);
    check(&clauses, &bytes).unwrap();
    assert_eq!(encoded(&clauses, &steps(&clauses, &bytes)), bytes);
}

#[test]
fn truncated_or_extended_refutations_are_rejected() {
    let (clauses, bytes) = refuted("a - b = a + ~b + 1", 8);
    for length in 0..bytes.len() {
        assert!(check(&clauses, &bytes[..length]).is_err(), "{length} of {}", bytes.len());
    }
    assert!(check(&clauses, &[&bytes[..], &[0]].concat()).is_err());
}

#[test]
fn corrupted_steps_are_rejected() {
    let (clauses, bytes) = refuted("a + b = (a ^ b) + 2 * (a & b)", 8);
    let good = steps(&clauses, &bytes);
    let rejected = |change: &dyn Fn(&mut Steps)| {
        let mut bad = good.clone();
        change(&mut bad);
        check(&clauses, &encoded(&clauses, &bad)).is_err()
    };
    let last = good.len() - 1;
    assert!(rejected(&|steps| steps[last].0.push(1)), "not empty");
    // Some clauses follow from their hints in several orders, but not many.
    let mut disordered = 0;
    for index in 0..good.len() {
        let number = clauses.len() + 1 + index;
        let end = good[index].1.len() - 1;
        assert!(rejected(&|steps| steps[index].1.clear()), "no hints");
        assert!(rejected(&|steps| steps[index].1.truncate(end)), "no conflict");
        assert!(rejected(&|steps| steps[index].1.push(1)), "hints after the conflict");
        assert!(rejected(&|steps| steps[index].1.insert(0, number)), "hints at itself");
        assert!(rejected(&|steps| steps[index].1.insert(0, 0)), "hints at clause 0");
        assert!(
            rejected(&|steps| steps[index].0.push(clauses.variables() as i32 + 1)),
            "unknown variable"
        );
        disordered += usize::from(rejected(&|steps| steps[index].1.swap(0, end)));
        for at in 0..good[index].0.len() {
            let flipped = -good[index].0[at];
            assert!(rejected(&|steps| steps[index].0.push(flipped)), "a literal and its negation");
        }
    }
    assert!(2 * disordered > good.len(), "{disordered} of {}", good.len());
}

#[test]
fn refutations_of_other_clauses_are_rejected() {
    let (_, bytes) = refuted("a - b = a + ~b + 1", 8);
    for equation in ["a - b = a + ~b", "a + b = (a ^ b) + 2 * (a & b)", "a - b = b - a"] {
        assert!(check(&clauses(&goal(equation, 8)), &bytes).is_err(), "{equation}");
    }
    assert!(check(&clauses(&goal("a - b = a + ~b + 1", 9)), &bytes).is_err());
}

#[test]
fn no_mutated_refutation_refutes_satisfiable_clauses() {
    let mut entropy = Entropy::of(&Ticket::new("lrat", 1, 1));
    let (_, bytes) = refuted("a + b = (a ^ b) + 2 * (a & b)", 4);
    for equation in ["a + b = (a ^ b) + (a & b)", "a + b = (a ^ b) + 2 * (a | b)", "a + b = a | b"]
    {
        let clauses = clauses(&goal(equation, 4));
        for _ in 0..5_000 {
            let mut bad = bytes.clone();
            for _ in 0..entropy.between(1, 6) {
                let at = entropy.below(bad.len() as u64) as usize;
                match entropy.below(4) {
                    0 => bad[at] = entropy.word() as u8,
                    1 => bad[at] ^= 1 << entropy.below(8),
                    2 => {
                        bad.remove(at);
                    }
                    _ => bad.insert(at, entropy.below(40) as u8),
                }
            }
            assert!(check(&clauses, &bad).is_err());
        }
    }
}
