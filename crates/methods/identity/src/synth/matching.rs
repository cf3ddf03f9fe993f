//! Matching modulo commutativity, without backtracking across operands, and the keys under which
//! candidate patterns are looked up.

use crate::kernel::{Op, TermId, Terms};

/// The operators of the root and of its first two operands; `None` is any term.
pub(super) type Key = (Op, Option<Op>, Option<Op>);

/// The key of a pattern.
pub(super) fn key(terms: &Terms, pattern: TermId) -> Key {
    let node = terms.node(pattern);
    let below = |index: usize| node.args().get(index).and_then(|&arg| kind(terms, arg));
    (node.op, below(0), below(1))
}

/// The keys of all patterns that may match a term.
pub(super) fn keys(terms: &Terms, term: TermId) -> Vec<Key> {
    let node = terms.node(term);
    let below = |index: usize| node.args().get(index).and_then(|&arg| kind(terms, arg));
    let (first, second) = (below(0), below(1));
    let mut keys = Vec::with_capacity(8);
    for (a, b) in [(first, second), (second, first)] {
        keys.extend([
            (node.op, a, b),
            (node.op, a, None),
            (node.op, None, b),
            (node.op, None, None),
        ]);
        if !node.op.commutes() {
            break;
        }
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The operator of a term, or `None` for a variable, which matches any term. Literal indices are
/// arena-specific, so that all literals share one key.
fn kind(terms: &Terms, term: TermId) -> Option<Op> {
    match terms.op(term) {
        Op::Variable(_) => None,
        Op::Literal(_) => Some(Op::Literal(0)),
        op => Some(op),
    }
}

pub(crate) fn matches(
    patterns: &Terms,
    pattern: TermId,
    terms: &Terms,
    term: TermId,
    bound: &mut Vec<(u16, TermId)>,
) -> bool {
    let node = patterns.node(pattern);
    if let Op::Variable(index) = node.op {
        if let Some((_, known)) = bound.iter().find(|(i, _)| *i == index) {
            return *known == term;
        }
        bound.push((index, term));
        return true;
    }
    let other = terms.node(term);
    if let (Op::Literal(a), Op::Literal(b)) = (node.op, other.op) {
        return patterns.integer(a) == terms.integer(b);
    }
    if node.op != other.op {
        return false;
    }
    let mark = bound.len();
    let mut pairs = node.args().iter().zip(other.args());
    if pairs.all(|(&p, &t)| matches(patterns, p, terms, t, bound)) {
        return true;
    }
    bound.truncate(mark);
    let swapped = node.op.commutes()
        && node.args().len() == 2
        && matches(patterns, node.args[0], terms, other.args[1], bound)
        && matches(patterns, node.args[1], terms, other.args[0], bound);
    if !swapped {
        bound.truncate(mark);
    }
    swapped
}

/// The number of nodes as a tree.
pub(super) fn size(terms: &Terms, term: TermId) -> usize {
    1 + terms.args(term).iter().map(|&arg| size(terms, arg)).sum::<usize>()
}
