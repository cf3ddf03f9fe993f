//! Whether a value that was computed from undef has several values, told from its recipe alone. Every use of undef
//! chooses for itself, so that operands vary independently, and the values of a recipe follow from those of its
//! operands. `lane` tries choices where this says nothing: for a comparison with one word of many they rarely differ.

use super::lane::{Kind, LaneOp};
use super::value::Lane;
use crate::ir::{BinaryOp, CastOp, Flags, Predicate};
use crate::semantics::{Bits, Concrete, compare};

/// How many operations of a recipe are looked at: a chain of them can double at each step.
const OPERATIONS: u32 = 64;

/// The values of a lane for all choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spread {
    /// Every value of its width, and maybe poison.
    Full,
    /// At least two different ones, of which one may be poison.
    Many,
}

use Spread::{Full, Many};

impl Lane {
    /// Whether it surely has several values.
    pub(super) fn is_spread(&self, kind: Kind) -> bool {
        matches!(kind, Kind::Bits(_)) && spread(self, &mut { OPERATIONS }).is_some()
    }
}

fn spread(lane: &Lane, operations: &mut u32) -> Option<Spread> {
    let recipe = match lane {
        Lane::Undef => return Some(Full),
        Lane::Varying(recipe) => recipe,
        Lane::Poison | Lane::Bits(_) | Lane::Pointer(_) => return None,
    };
    *operations = operations.checked_sub(1)?;
    let is_of_bits = |index: usize| matches!(recipe.op.kind(index), Kind::Bits(_));
    if !(0..recipe.operands.len()).all(is_of_bits) {
        return None;
    }
    let operand = |index: usize, operations: &mut u32| {
        let lane: &Lane = recipe.operands.get(index)?;
        match lane {
            Lane::Bits(bits) => Some(Operand::Bits(*bits)),
            _ => spread(lane, operations).map(Operand::Of),
        }
    };
    match recipe.op {
        LaneOp::Binary(op, Flags::NONE, width) => {
            binary(op, width, operand(0, operations)?, operand(1, operations)?)
        }
        LaneOp::Compare(predicate, Flags::NONE, width) => {
            compared(predicate, width, operand(0, operations)?, operand(1, operations)?)
        }
        LaneOp::Cast(CastOp::Trunc, Flags::NONE, ..) => match operand(0, operations)? {
            Operand::Of(Full) => Some(Full),
            _ => None,
        },
        LaneOp::Cast(CastOp::ZExt | CastOp::SExt, Flags::NONE, ..) => match operand(0, operations)?
        {
            Operand::Of(_) => Some(Many),
            Operand::Bits(_) => None,
        },
        LaneOp::Select(Kind::Bits(_)) => match operand(0, operations)? {
            Operand::Of(Full) => selected(operand(1, operations), operand(2, operations)),
            _ => None,
        },
        LaneOp::Slice { from, low, to } => {
            let mut all = Full;
            let mut is_any = false;
            for index in 0..recipe.operands.len() {
                let at = from * index as u32;
                let is_used = at < low + to && at + from > low;
                match operand(index, operations)? {
                    Operand::Of(Full) if is_used => is_any = true,
                    // It may vary in other bits.
                    _ if is_used => all = Many,
                    _ => {}
                }
            }
            is_any.then_some(all)
        }
        _ => None,
    }
}

/// An operand that has a value other than poison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operand {
    Bits(u128),
    Of(Spread),
}

fn binary(op: BinaryOp, width: u32, a: Operand, b: Operand) -> Option<Spread> {
    use Operand::{Bits, Of};
    let mask = u128::MAX >> (128 - width);
    match (op, a, b) {
        (BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub, Of(Full), _)
        | (BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub, _, Of(Full)) => Some(Full),
        (BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub, Of(Many), Bits(_))
        | (BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub, Bits(_), Of(Many)) => Some(Many),
        (BinaryOp::And | BinaryOp::Or, Of(Full), Of(Full)) => Some(Full),
        (BinaryOp::And, Of(Full), Bits(bits)) | (BinaryOp::And, Bits(bits), Of(Full)) => {
            (bits != 0).then_some(if bits == mask { Full } else { Many })
        }
        (BinaryOp::Or, Of(Full), Bits(bits)) | (BinaryOp::Or, Bits(bits), Of(Full)) => {
            (bits != mask).then_some(if bits == 0 { Full } else { Many })
        }
        (BinaryOp::Mul, Of(Full), Bits(bits)) | (BinaryOp::Mul, Bits(bits), Of(Full)) => {
            (bits != 0).then_some(if bits & 1 == 1 { Full } else { Many })
        }
        (BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr, Of(Full), Bits(by)) => {
            (by < u128::from(width)).then_some(if by == 0 { Full } else { Many })
        }
        _ => None,
    }
}

/// A comparison has two values, or says nothing.
fn compared(predicate: Predicate, width: u32, a: Operand, b: Operand) -> Option<Spread> {
    let is_equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
    match (a, b) {
        (Operand::Of(Full), Operand::Of(Full)) => Some(Full),
        (Operand::Of(Full), Operand::Of(Many)) | (Operand::Of(Many), Operand::Of(Full)) => {
            is_equality.then_some(Full)
        }
        (Operand::Of(Full), Operand::Bits(bits)) => {
            differs(width, bits, |x, bits| (x, bits), predicate)
        }
        (Operand::Bits(bits), Operand::Of(Full)) => {
            differs(width, bits, |x, bits| (bits, x), predicate)
        }
        _ => None,
    }
}

/// Whether a comparison of any value with a constant has both answers: at the edges, or beside the constant.
fn differs(
    width: u32,
    bits: u128,
    order: impl Fn(Bits, Bits) -> (Bits, Bits),
    predicate: Predicate,
) -> Option<Spread> {
    let mask = u128::MAX >> (128 - width);
    let sign = 1 << (width - 1);
    let values = [0, mask, sign, sign - 1, bits, bits.wrapping_add(1), bits.wrapping_sub(1)];
    let mut answers = values.iter().map(|value| {
        let (a, b) = order(Bits::new(value & mask, width), Bits::new(bits, width));
        compare(&mut Concrete, predicate, Flags::NONE, &a, &b).value.value
    });
    let first = answers.next()?;
    answers.any(|answer| answer != first).then_some(Full)
}

/// What either branch has. A branch that is only poison is unlike any value.
fn selected(yes: Option<Operand>, no: Option<Operand>) -> Option<Spread> {
    match (yes, no) {
        (Some(Operand::Of(Full)), _) | (_, Some(Operand::Of(Full))) => Some(Full),
        (Some(Operand::Of(Many)), _) | (_, Some(Operand::Of(Many))) => Some(Many),
        (Some(Operand::Bits(yes)), Some(Operand::Bits(no))) => (yes != no).then_some(Many),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::value::Recipe;
    use super::*;
    use crate::interpret::choices::Choices;
    use crate::interpret::lane::Scope;
    use crate::interpret::memory::Memory;

    fn varying(op: LaneOp, operands: &[Lane]) -> Lane {
        Lane::Varying(Arc::new(Recipe { op, operands: operands.to_vec() }))
    }

    fn binary(op: BinaryOp, a: Lane, b: Lane) -> Lane {
        varying(LaneOp::Binary(op, Flags::NONE, 4), &[a, b])
    }

    /// All values of a lane of four bits, or of one.
    fn values(lane: &Lane, width: u32) -> Vec<Lane> {
        let memory = Memory::default();
        let (mut narrowed, mut made_nan) = (None, false);
        let mut choices = Choices::all();
        let mut seen = vec![];
        loop {
            let mut scope = Scope {
                choices: &mut choices,
                memory: &memory,
                narrowed: &mut narrowed,
                made_nan: &mut made_nan,
            };
            let value = lane.force(Kind::Bits(width), &mut scope).unwrap();
            if !seen.contains(&value) {
                seen.push(value);
            }
            if !choices.advance() {
                return seen;
            }
        }
    }

    #[test]
    fn what_is_said_to_vary_has_several_values_for_every_operator_and_constant() {
        let ops = [
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
            BinaryOp::Shl,
            BinaryOp::LShr,
            BinaryOp::AShr,
        ];
        let mut found = 0;
        let mut check = |lane: &Lane, width: u32| {
            let all = values(lane, width);
            match spread(lane, &mut { OPERATIONS }) {
                Some(Full) => {
                    let plain = all.iter().filter(|it| **it != Lane::Poison).count();
                    assert_eq!(plain, 1 << width, "{lane:?}");
                }
                Some(Many) => assert!(all.len() > 1, "{lane:?}"),
                None => return,
            }
            found += 1;
        };
        let undef = || Lane::Undef;
        for op in ops {
            for bits in 0..16 {
                let constant = || Lane::Bits(bits);
                for inner in [binary(op, undef(), constant()), binary(op, constant(), undef())] {
                    check(&inner, 4);
                    check(
                        &varying(
                            LaneOp::Slice { from: 4, low: 1, to: 2 },
                            std::slice::from_ref(&inner),
                        ),
                        2,
                    );
                    for outer in [BinaryOp::Xor, BinaryOp::And, BinaryOp::Mul] {
                        check(&binary(outer, inner.clone(), Lane::Bits(6)), 4);
                        check(&binary(outer, inner.clone(), undef()), 4);
                    }
                    let condition = varying(
                        LaneOp::Compare(Predicate::Ult, Flags::NONE, 4),
                        &[inner.clone(), constant()],
                    );
                    let chosen = varying(
                        LaneOp::Select(Kind::Bits(4)),
                        &[condition, constant(), Lane::Bits(3)],
                    );
                    check(&chosen, 4);
                    for predicate in Predicate::ALL {
                        let op = LaneOp::Compare(*predicate, Flags::NONE, 4);
                        check(&varying(op, &[inner.clone(), constant()]), 1);
                        check(&varying(op, &[constant(), inner.clone()]), 1);
                    }
                }
            }
        }
        assert!(found > 1000, "{found}");
    }

    #[test]
    fn a_word_of_many_bits_is_seen_to_differ_from_a_constant() {
        let op = LaneOp::Compare(Predicate::Eq, Flags::NONE, 64);
        let lane = varying(op, &[Lane::Undef, Lane::Bits(0x1234_5678_9abc)]);
        assert!(lane.is_spread(Kind::Bits(1)));
        let never = LaneOp::Compare(Predicate::Ult, Flags::NONE, 64);
        assert!(!varying(never, &[Lane::Undef, Lane::Bits(0)]).is_spread(Kind::Bits(1)));
        // Poison whatever is chosen.
        let wide = LaneOp::Binary(BinaryOp::Shl, Flags::NONE, 8);
        assert!(!varying(wide, &[Lane::Undef, Lane::Bits(8)]).is_spread(Kind::Bits(8)));
    }
}
