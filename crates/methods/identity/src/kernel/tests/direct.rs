//! A reference evaluator of core terms, written from `op.rs` alone, for words of at most 16 bits.

use super::super::goal::{Goal, Scope};
use super::super::op::Op;
use super::super::term::{TermId, Terms};

pub(super) fn evaluate(terms: &Terms, root: TermId, w: u16, variables: &[u64]) -> u64 {
    let mut values = vec![0u64; terms.len()];
    for term in terms.in_order(&[root]) {
        let node = terms.node(term);
        let bits = |t: TermId| terms.width(t).at(w).unwrap();
        let width = node.width.at(w).unwrap();
        let mask = (1u64 << width) - 1;
        let arg = |i: usize| values[node.args[i].0 as usize];
        let signed = |i: usize| {
            let bits = bits(node.args[i]);
            let value = arg(i) as i64;
            if value >> (bits - 1) & 1 == 1 { value - (1 << bits) } else { value }
        };
        let value = match node.op {
            Op::Variable(index) => variables[index as usize],
            Op::Literal(_) => {
                let value = terms.literal_value(term).unwrap();
                (0..u64::from(width)).filter(|&bit| value.bit(bit)).map(|bit| 1 << bit).sum()
            }
            Op::Bits(extent) => u64::from(extent.at(w).unwrap()),
            Op::Neg => arg(0).wrapping_neg(),
            Op::Not => !arg(0),
            Op::Add => arg(0) + arg(1),
            Op::Sub => arg(0).wrapping_sub(arg(1)),
            Op::Mul => arg(0) * arg(1),
            Op::And => arg(0) & arg(1),
            Op::Or => arg(0) | arg(1),
            Op::Xor => arg(0) ^ arg(1),
            Op::Shl => {
                if arg(1) >= u64::from(width) {
                    0
                } else {
                    arg(0) << arg(1)
                }
            }
            Op::Lshr => {
                if arg(1) >= u64::from(width) {
                    0
                } else {
                    arg(0) >> arg(1)
                }
            }
            Op::Ashr => (signed(0) >> arg(1).min(63)) as u64,
            Op::Udiv => arg(0).checked_div(arg(1)).unwrap_or(u64::MAX),
            Op::Urem => arg(0).checked_rem(arg(1)).unwrap_or(arg(0)),
            Op::Ite => {
                if arg(0) == 1 {
                    arg(1)
                } else {
                    arg(2)
                }
            }
            Op::Zext => arg(0),
            Op::Sext => signed(0) as u64,
            Op::Extract(low) => arg(0) >> low.at(w).unwrap(),
            Op::Concat => arg(0) << bits(node.args[1]) | arg(1),
            Op::Exp => (0..arg(1)).fold(1u64, |product, _| product.wrapping_mul(arg(0)) & mask),
            Op::Popcount => u64::from(arg(0).count_ones()),
            Op::Ctz => u64::from(arg(0).trailing_zeros().min(u32::from(width))),
            Op::Clz => u64::from(arg(0).leading_zeros() + u32::from(width) - 64),
            Op::Same => u64::from(arg(0) == arg(1)),
            Op::Below => u64::from(arg(0) < arg(1)),
            Op::SignedBelow => u64::from(signed(0) < signed(1)),
            Op::Power => u64::from(arg(0).is_power_of_two()),
            Op::MulOverflows => u64::from((arg(0) * arg(1)) >> bits(node.args[0]) != 0),
            Op::SignedMulOverflows => {
                let (product, half) = (signed(0) * signed(1), 1 << (bits(node.args[0]) - 1));
                u64::from(product < -half || product >= half)
            }
            other => panic!("{other:?}"),
        };
        values[term.0 as usize] = value & mask;
    }
    values[root.0 as usize]
}

/// Whether the goal holds for all values of its variables, at all widths of its scope up to
/// `greatest`.
pub(super) fn holds(goal: &Goal, greatest: u16) -> bool {
    let widths = match goal.scope {
        Scope::At(width) => width..=width,
        Scope::From(least) => least..=greatest,
    };
    widths.into_iter().all(|w| holds_at(goal, w))
}

fn holds_at(goal: &Goal, w: u16) -> bool {
    let mut sizes: Vec<u16> = Vec::new();
    for term in goal.terms.in_order(&[goal.holds]) {
        let node = goal.terms.node(term);
        let Some(bits) = node.width.at(w) else { return true };
        if let Op::Variable(index) = node.op {
            sizes.resize(sizes.len().max(usize::from(index) + 1), 0);
            sizes[usize::from(index)] = bits;
        }
    }
    let total: u16 = sizes.iter().sum();
    assert!(total <= 16, "too many values for exhaustive evaluation");
    (0..1u64 << total).all(|code| {
        let mut code = code;
        let values: Vec<u64> = sizes
            .iter()
            .map(|&bits| {
                let value = code & ((1 << bits) - 1);
                code >>= bits;
                value
            })
            .collect();
        evaluate(&goal.terms, goal.holds, w, &values) == 1
    })
}
