//! The case split on a flag: the goal where the flag is clear, and the goal where it is set. Each
//! case has the flag replaced by its value, which removes choices that depend on it, and must be
//! proven only where the flag has that value.

use std::collections::HashMap;

use super::extent::Extent;
use super::goal::Goal;
use super::op::Op;
use super::rejection::Rejection;
use super::term::TermId;

pub(crate) fn flag_cases(goal: &Goal, flag: TermId) -> Result<[Goal; 2], Rejection> {
    if flag.0 as usize >= goal.terms.len() || goal.terms.width(flag) != Extent::BIT {
        return Err("a case split needs a flag of the goal".into());
    }
    Ok([false, true].map(|value| given(goal, flag, value)))
}

fn given(goal: &Goal, flag: TermId, value: bool) -> Goal {
    let mut terms = goal.terms.clone();
    let mut known = HashMap::new();
    for term in goal.terms.in_order(&[goal.holds]) {
        let node = goal.terms.node(term);
        let args: Vec<TermId> = node.args().iter().map(|arg| known[arg]).collect();
        let with = match (node.op, &args[..]) {
            _ if term == flag && value => terms.truth(),
            _ if term == flag => terms.falsehood(),
            (Op::Ite, &[c, x, y]) => terms.choose(c, x, y),
            (Op::Not, &[a]) if node.width == Extent::BIT => terms.negation(a),
            (Op::And, &[a, b]) if node.width == Extent::BIT => terms.both(a, b),
            (Op::Xor, &[a, b]) if node.width == Extent::BIT => terms.exclusive(a, b),
            (_, []) => term,
            _ => terms.apply_at(node.op, &args, node.width),
        };
        known.insert(term, with);
    }
    let other_case = if value { terms.negation(flag) } else { flag };
    let holds = terms.either(other_case, known[&goal.holds]);
    Goal { terms, holds, scope: goal.scope }
}
