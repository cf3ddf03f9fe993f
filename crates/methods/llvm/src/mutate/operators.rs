//! Operators, predicates and the order of operands.

use forge::Entropy;

use super::Subject;
use crate::ir::{
    BinaryOp, Constant, Flags, FloatBinaryOp, FloatPredicate, Instruction, Op, Operand, Predicate,
    Type,
};

/// One of the instructions for which there is something to do.
fn some<'a>(
    subject: &'a mut Subject<'_>,
    entropy: &mut Entropy,
    fits: impl Fn(&Instruction) -> bool,
) -> Option<&'a mut Instruction> {
    let code = subject.function.code_mut()?;
    let mut fitting: Vec<&mut Instruction> =
        code.instructions_mut().filter(|instruction| fits(instruction)).collect();
    let at = entropy.below(fitting.len() as u64) as usize;
    (at < fitting.len()).then(|| fitting.swap_remove(at))
}

pub(super) fn change_predicate(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let instruction = some(subject, entropy, |it| matches!(it.op, Op::ICmp(_) | Op::FCmp(_)))?;
    match &mut instruction.op {
        Op::ICmp(predicate) => *predicate = *entropy.pick(Predicate::ALL)?,
        Op::FCmp(predicate) => *predicate = *entropy.pick(FloatPredicate::ALL)?,
        _ => return None,
    }
    Some(())
}

/// Divisions stay divisions, so that no new undefined behaviour hides everything else.
pub(super) fn change_operator(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    const DIVISIONS: [BinaryOp; 4] =
        [BinaryOp::UDiv, BinaryOp::SDiv, BinaryOp::URem, BinaryOp::SRem];
    const SHIFTS: [BinaryOp; 3] = [BinaryOp::Shl, BinaryOp::LShr, BinaryOp::AShr];
    const OTHERS: [BinaryOp; 9] = [
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
    let instruction =
        some(subject, entropy, |it| matches!(it.op, Op::Binary(_) | Op::FloatBinary(_)))?;
    match &mut instruction.op {
        Op::Binary(op) => {
            let class: &[BinaryOp] = if DIVISIONS.contains(op) {
                &DIVISIONS
            } else if SHIFTS.contains(op) && entropy.chance(2, 3) {
                &SHIFTS
            } else {
                &OTHERS
            };
            *op = *entropy.pick(class)?;
            instruction.flags = Flags::NONE;
        }
        Op::FloatBinary(op) => *op = *entropy.pick(FloatBinaryOp::ALL)?,
        _ => return None,
    }
    Some(())
}

/// Exchanges the two operands of an operator, a comparison, or the arms of a select.
pub(super) fn exchange_operands(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let instruction = some(subject, entropy, |it| {
        matches!(it.op, Op::Binary(_) | Op::FloatBinary(_) | Op::ICmp(_) | Op::FCmp(_) | Op::Select)
    })?;
    if let Op::Select = instruction.op {
        instruction.operands.swap(1, 2);
        return Some(());
    }
    instruction.operands.swap(0, 1);
    if let Op::ICmp(predicate) = &mut instruction.op
        && entropy.chance(1, 2)
    {
        *predicate = predicate.swapped();
    }
    Some(())
}

/// `and a, b` ↔ `select a, b, false`; `or a, b` ↔ `select a, true, b`.
pub(super) fn change_logic(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let is_bool = |it: &Instruction| {
        it.operands.last().is_some_and(|operand| operand.ty.int_width() == Some(1))
    };
    let instruction = some(subject, entropy, |it| {
        let fits = match it.op {
            Op::Binary(BinaryOp::And | BinaryOp::Or) => true,
            // By lane, if at all.
            Op::Select => it.operands[0].ty == it.operands[1].ty,
            _ => false,
        };
        fits && is_bool(it)
    })?;
    match instruction.op {
        Op::Binary(op) => {
            let ty = instruction.operands[0].ty.clone();
            let [a, b] =
                <[Operand; 2]>::try_from(std::mem::take(&mut instruction.operands)).ok()?;
            let all = Operand::constant(ty.clone(), bools(&ty, op == BinaryOp::Or)?);
            instruction.operands =
                if op == BinaryOp::And { vec![a, b, all] } else { vec![a, all, b] };
            instruction.op = Op::Select;
            instruction.flags = Flags::NONE;
        }
        Op::Select => {
            let [condition, yes, no] =
                <[Operand; 3]>::try_from(instruction.operands.clone()).ok()?;
            let is = |operand: &Operand, value: bool| {
                bools(&operand.ty, value).as_ref() == operand.as_constant()
            };
            let (op, other) = if is(&no, false) {
                (BinaryOp::And, yes)
            } else if is(&yes, true) {
                (BinaryOp::Or, no)
            } else {
                return None;
            };
            instruction.op = Op::Binary(op);
            instruction.operands = vec![condition, other];
        }
        _ => return None,
    }
    Some(())
}

/// The constant that is the value in every lane.
fn bools(ty: &Type, value: bool) -> Option<Constant> {
    match ty {
        Type::Int(1) => Some(Constant::Int(u128::from(value))),
        Type::Vector { scalable: false, lanes, .. } if value => {
            Some(Constant::Vector(vec![Constant::TRUE; *lanes as usize].into()))
        }
        Type::Vector { scalable: false, .. } => Some(Constant::Zero),
        _ => None,
    }
}
