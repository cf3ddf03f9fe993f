//! `freeze`, inserted and removed.

use forge::Entropy;

use super::Subject;
use crate::cfg::Cfg;
use crate::crossover::{points, put};
use crate::ir::{Instruction, LocalId, Op, Operand};

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
    put(code, point.user, point.operand, Operand::local(point.ty.clone(), frozen))?;
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
