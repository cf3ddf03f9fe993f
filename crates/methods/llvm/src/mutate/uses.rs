//! Uses: a value gets one more, which stops folds that need it to be the only one; or an instruction loses
//! all of its uses to one of its operands.

use forge::Entropy;

use super::Subject;
use crate::crossover::ends_function;
use crate::ir::{Instruction, Operand, Type};

/// Calls an unknown function with a value.
pub(super) fn add_use(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code()?;
    let mut places = vec![];
    for block in code.block_ids() {
        let instructions = &code.block(block).instructions;
        for (index, instruction) in instructions.iter().enumerate() {
            let next_is_phi = instructions.get(index + 1).is_some_and(Instruction::is_phi);
            if let Some(result) = instruction.result
                && !instruction.op.is_terminator()
                && !next_is_phi
                && !ends_function(instruction)
                && is_plain(&code.local(result).ty)
            {
                places.push((block, index + 1, result));
            }
        }
    }
    let (block, index, result) = *entropy.pick(&places)?;
    let ty = code.local(result).ty.clone();
    let call = subject.unknown("use", None, vec![Operand::local(ty, result)])?;
    let code = subject.function.code_mut()?;
    code.block_mut(block).instructions.insert(index, call);
    Some(())
}

fn is_plain(ty: &Type) -> bool {
    matches!(ty.lane(), Type::Int(1..=128) | Type::Float(_)) && ty.lanes().is_some()
}

/// Every use of an instruction becomes a use of one of its operands of the same type.
pub(super) fn bypass(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<()> {
    let code = subject.function.code_mut()?;
    let mut ways = vec![];
    for instruction in code.instructions() {
        let Some(result) = instruction.result else { continue };
        if instruction.is_phi() {
            continue;
        }
        let ty = &code.local(result).ty;
        for operand in instruction.operands.iter().filter(|operand| operand.ty == *ty) {
            ways.push((result, operand.value.clone()));
        }
    }
    let (result, value) = entropy.pick(&ways)?.clone();
    for instruction in code.instructions_mut() {
        if instruction.result == Some(result) {
            continue;
        }
        for used in &mut instruction.operands {
            if used.as_local() == Some(result) {
                used.value = value.clone();
            }
        }
    }
    Some(())
}
