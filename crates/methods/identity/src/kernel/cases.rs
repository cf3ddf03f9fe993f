//! Case splits on a variable at a fixed width: one case per listed value, and one for all other
//! values. The cases together imply the goal. This file states each case; `check.rs` checks the
//! certificate of each.

use num_bigint::BigInt;

use super::certificate::CaseSplit;
use super::extent::Extent;
use super::op::Op;
use super::rejection::Rejection;
use super::term::{Node, TermId, Terms};

/// The flags to be proven, one per value and one for the remaining values. They share an arena, and
/// with it every subterm that does not depend on the variable.
pub fn split(
    terms: &mut Terms,
    holds: TermId,
    variable: u16,
    of: CaseSplit,
) -> Result<Vec<TermId>, Rejection> {
    let is_variable = |node: Node| node.op == Op::Variable(variable);
    let found = terms.in_order(&[holds]).into_iter().find(|&term| is_variable(terms.node(term)));
    let Some(leaf) = found else {
        return Err(Rejection(format!("the goal has no variable {variable}")));
    };
    let Some(width) = terms.width(leaf).as_fixed() else {
        return Err(Rejection("a case split needs a variable of fixed width".into()));
    };
    let mut flags = Vec::with_capacity(usize::from(width) + 1);
    for number in 0..width {
        let value = match of {
            CaseSplit::Amounts => BigInt::from(number),
            CaseSplit::Powers => BigInt::from(1) << number,
        };
        let value = terms.literal(value, Extent::fixed(width));
        flags.push(replaced(terms, holds, |_, node| is_variable(node).then_some(value)));
    }
    flags.push(match of {
        CaseSplit::Amounts => beyond_amounts(terms, holds, leaf, width),
        CaseSplit::Powers => beyond_powers(terms, holds, leaf),
    });
    Ok(flags)
}

/// The case in which the variable is at least its width. Shifts and comparisons that are then
/// constant are folded.
fn beyond_amounts(terms: &mut Terms, holds: TermId, leaf: TermId, width: u16) -> TermId {
    let word = Extent::fixed(width);
    let bound = terms.literal(width, word);
    let (last, masks) = (terms.literal(width - 1, word), width.is_power_of_two());
    let wrapped = |node: Node| match node.op {
        Op::Urem => node.args[..2] == [leaf, bound],
        Op::And => masks && (node.args[..2] == [leaf, last] || node.args[..2] == [last, leaf]),
        _ => false,
    };
    // If the goal depends on the variable only modulo its width, the cases below the width cover
    // all values, so that this case reduces to the one of value 0.
    let zero = terms.literal(0, word);
    let reduced = replaced(terms, holds, |_, node| wrapped(node).then_some(zero));
    if !terms.in_order(&[reduced]).contains(&leaf) {
        return reduced;
    }
    let (yes, no) = (terms.truth(), terms.falsehood());
    let known = replaced(terms, holds, |terms, node| {
        let [a, b, _] = node.args;
        let narrow = node.width.as_fixed().is_some_and(|bits| bits <= width);
        let at_most = |terms: &Terms, literal: TermId, most: u16| {
            let literal = terms.literal_value(literal);
            literal.is_some_and(|n| *n >= BigInt::ZERO && *n <= most.into())
        };
        let is_even = |terms: &Terms, literal: TermId| {
            terms.literal_value(literal).is_some_and(|n| !n.bit(0))
        };
        match node.op {
            Op::Shl | Op::Lshr if b == leaf && narrow => Some(terms.literal(0, node.width)),
            // The n-th power of an even number is divisible by 2^n.
            Op::Exp if b == leaf && narrow && is_even(terms, a) => {
                Some(terms.literal(0, node.width))
            }
            Op::Ashr if b == leaf && narrow => Some(terms.apply(Op::Ashr, &[a, last])),
            Op::Below if a == leaf && at_most(terms, b, width) => Some(no),
            Op::Below if b == leaf && at_most(terms, a, width - 1) => Some(yes),
            Op::Same if a == leaf && at_most(terms, b, width - 1) => Some(no),
            Op::Same if b == leaf && at_most(terms, a, width - 1) => Some(no),
            _ => None,
        }
    });
    let below_bound = terms.apply(Op::Below, &[leaf, bound]);
    terms.either(below_bound, known)
}

/// The case in which the variable is not a power of two.
fn beyond_powers(terms: &mut Terms, holds: TermId, leaf: TermId) -> TermId {
    let power = terms.apply(Op::Power, &[leaf]);
    let no = terms.falsehood();
    let is_power = |node: Node| node.op == Op::Power && node.args[0] == leaf;
    let known = replaced(terms, holds, |_, node| is_power(node).then_some(no));
    terms.either(power, known)
}

/// Rebuilds a term bottom-up with some of its subterms replaced.
pub(super) fn replaced(
    terms: &mut Terms,
    root: TermId,
    mut replace: impl FnMut(&mut Terms, Node) -> Option<TermId>,
) -> TermId {
    let order = terms.in_order(&[root]);
    let mut now = vec![root; terms.len()];
    for term in order {
        let mut node = terms.node(term);
        for slot in 0..node.op.arity() {
            node.args[slot] = now[node.args[slot].0 as usize];
        }
        let other = match replace(terms, node) {
            Some(other) => other,
            None => rebuilt(terms, node),
        };
        now[term.0 as usize] = other;
    }
    now[root.0 as usize]
}

/// Interns a node, simplified where an operand is a constant flag. This drops branches that the
/// case makes unreachable, which may be large.
fn rebuilt(terms: &mut Terms, node: Node) -> TermId {
    let [a, b, c] = node.args;
    match node.op {
        Op::Not if node.width == Extent::BIT => terms.negation(a),
        Op::And if node.width == Extent::BIT => terms.both(a, b),
        Op::Xor if node.width == Extent::BIT => terms.exclusive(a, b),
        Op::Ite => terms.choose(a, b, c),
        op => terms.apply_at(op, node.args(), node.width),
    }
}
