//! What decides about poison and undef: freeze, and attributes of parameters and results.

use forge::Entropy;

use super::Subject;
use crate::cfg::Cfg;
use crate::crossover::points;
use crate::ir::{Instruction, LocalId, Op, Operand, Type, Value};

/// Freezes an operand.
pub(super) fn insert_freeze(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    let cfg = Cfg::new(code);
    let locals: Vec<_> = points(subject.module, code, &cfg)
        .into_iter()
        .filter(|point| {
            let user = &code.block(point.user.block).instructions[point.user.index];
            user.operands[point.operand].as_local().is_some()
        })
        .collect();
    let point = entropy.pick(&locals)?.clone();
    let code = subject.function.code_mut()?;
    let operand =
        code.block(point.user.block).instructions[point.user.index].operands[point.operand].clone();
    let frozen = code.add_local("frozen", point.ty.clone());
    let user = &mut code.block_mut(point.user.block).instructions[point.user.index];
    user.operands[point.operand] = Operand::local(point.ty.clone(), frozen);
    let freeze = Instruction::new(Some(frozen), Op::Freeze, vec![operand]);
    code.block_mut(point.place.block).instructions.insert(point.place.index, freeze);
    Some(())
}

/// Uses what a freeze froze instead of its result.
pub(super) fn remove_freeze(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code_mut()?;
    let freezes: Vec<(LocalId, Operand)> = code
        .instructions()
        .filter(|it| matches!(it.op, Op::Freeze))
        .filter_map(|it| Some((it.result?, it.operands.first()?.clone())))
        .collect();
    let (result, operand) = entropy.pick(&freezes)?.clone();
    for instruction in code.instructions_mut() {
        if instruction.result == Some(result) {
            continue;
        }
        for used in &mut instruction.operands {
            if used.as_local() == Some(result) {
                used.value = operand.value.clone();
            }
        }
    }
    Some(())
}

/// An attribute of a parameter, of the result, or the flag of an intrinsic that makes a result poison.
pub(super) fn toggle_attribute(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    if entropy.chance(1, 3) {
        return toggle_immediate(subject, entropy);
    }
    let header = &mut subject.function.header;
    let count = header.parameters.len();
    let at = entropy.below(count as u64 + 1) as usize;
    let (ty, attributes) = match header.parameters.get_mut(at) {
        Some(parameter) => (parameter.ty.clone(), &mut parameter.attributes),
        None => (header.returns.clone(), &mut header.return_attributes),
    };
    let names: &[&str] = match &ty {
        Type::Void => return None,
        Type::Pointer { .. } => &["noundef", "nonnull"],
        _ => &["noundef"],
    };
    let name = entropy.pick(names)?;
    if attributes.has(name) {
        attributes.remove(name);
    } else {
        attributes.add(name);
    }
    Some(())
}

/// `is_zero_poison` of ctlz and cttz, `is_int_min_poison` of abs.
fn toggle_immediate(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code_mut()?;
    let names = ["llvm.ctlz.", "llvm.cttz.", "llvm.abs."];
    let mut calls: Vec<&mut Instruction> = code
        .instructions_mut()
        .filter(|it| {
            it.callee().is_some_and(|callee| names.iter().any(|it| callee.starts_with(it)))
        })
        .collect();
    let at = entropy.below(calls.len() as u64) as usize;
    let flag = calls.get_mut(at)?.operands.get_mut(1)?;
    let Value::Constant(crate::ir::Constant::Int(value)) = &mut flag.value else { return None };
    *value ^= 1;
    Some(())
}
