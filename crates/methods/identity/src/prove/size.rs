//! Estimates circuit sizes, so that no circuit is built for products and quotients that are out of
//! reach.

use crate::kernel::{Op, TermId, Terms};

/// An estimate of the gates of a term of fixed widths.
pub fn gates(terms: &Terms, root: TermId) -> usize {
    terms.in_order(&[root]).into_iter().map(|term| gates_of(terms, term)).sum()
}

fn gates_of(terms: &Terms, term: TermId) -> usize {
    let node = terms.node(term);
    let ones = |arg: TermId| terms.literal_value(arg).map(|n| n.magnitude().count_ones() as usize);
    let width = |arg: TermId| usize::from(terms.width(arg).as_fixed().unwrap_or(0));
    // Each partial product and each division step is an addition.
    let product = |a: TermId, b: TermId| {
        let rows = ones(a).into_iter().chain(ones(b)).min().unwrap_or(width(a) / 2);
        7 * rows * width(a)
    };
    match (node.op, node.args()) {
        (Op::Mul, &[a, b]) => product(a, b),
        (Op::MulOverflows | Op::SignedMulOverflows, &[a, b]) => 4 * product(a, b),
        (Op::Udiv | Op::Urem, &[_, b]) if ones(b) == Some(1) => width(b),
        (Op::Udiv | Op::Urem, &[a, _]) => 4 * width(a) * width(a),
        // Powers of 1, −1 and of powers of two become constant after a few squarings.
        (Op::Exp, &[a, _]) if ones(a).is_some_and(|n| n <= 1 || n == width(a)) => 60 * width(a),
        (Op::Exp, &[a, b]) => {
            let bits = terms.literal_value(b).map_or(width(b), |n| n.bits() as usize);
            2 * bits * product(a, a)
        }
        (Op::Shl | Op::Lshr | Op::Ashr, &[a, b]) if ones(b).is_none() => 30 * width(a),
        (Op::Clz | Op::Ctz, &[a]) => 4 * width(a) * (width(a).ilog2() as usize + 1),
        _ => 4 * usize::from(node.width.as_fixed().unwrap_or(0)),
    }
}
