//! Removes what nothing needs: unreachable blocks, instructions without uses or effects, blocks that only
//! jump on, parameters, declarations.

use crate::cfg::Cfg;
use crate::ir::{BlockId, Code, Function, Instruction, LocalId, Module, Op, Value};

use super::edit::forget_edge;

/// The module without dead code. None if it has no function left.
pub(super) fn clean(mut module: Module) -> Option<Module> {
    for function in &mut module.functions {
        if let Some(code) = function.code_mut() {
            clean_code(code);
        }
    }
    let called: Vec<String> = module
        .functions
        .iter()
        .filter_map(Function::code)
        .flat_map(Code::instructions)
        .flat_map(|it| &it.operands)
        .filter_map(|operand| match operand.as_constant()? {
            crate::ir::Constant::Global(name) => Some(name.to_string()),
            _ => None,
        })
        .collect();
    for function in &mut module.functions {
        if !called.iter().any(|name| *name == *function.header.name) {
            drop_unused_parameters(function);
        }
    }
    // Functions that something calls are there with their callers.
    let roots: Vec<String> = module
        .functions
        .iter()
        .map(|function| function.header.name.to_string())
        .filter(|name| !called.contains(name))
        .collect();
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    if roots.is_empty() {
        return (!module.functions.is_empty()).then_some(module);
    }
    Some(module.extract(&roots))
}

fn clean_code(code: &mut Code) {
    drop_unreachable(code);
    while fold_phis(code) | drop_dead(code) | merge_blocks(code) {}
}

fn drop_unreachable(code: &mut Code) {
    let cfg = Cfg::new(code);
    let keep: Vec<bool> = code.block_ids().map(|block| cfg.is_reachable(block)).collect();
    if keep.iter().all(|keep| *keep) {
        return;
    }
    let dead: Vec<BlockId> = code.block_ids().filter(|it| !keep[it.0 as usize]).collect();
    for block in &dead {
        let successors = code.block(*block).terminator().map(|it| it.op.successors());
        for to in successors.unwrap_or_default() {
            forget_edge(code, *block, to);
        }
    }
    renumber(code, &keep);
}

/// Keeps some blocks and gives them new numbers.
fn renumber(code: &mut Code, keep: &[bool]) {
    let mut next = 0;
    let numbers: Vec<Option<BlockId>> = keep
        .iter()
        .map(|keep| {
            next += u32::from(*keep);
            keep.then(|| BlockId(next - 1))
        })
        .collect();
    let mut at = 0;
    code.blocks.retain(|_| {
        at += 1;
        keep[at - 1]
    });
    for instruction in code.instructions_mut() {
        for block in instruction.op.blocks_mut() {
            if let Some(number) = numbers[block.0 as usize] {
                *block = number;
            }
        }
    }
}

/// A phi with one operand is that operand.
fn fold_phis(code: &mut Code) -> bool {
    let found = code.instructions().find_map(|it| match (&it.op, it.result) {
        (Op::Phi(from), Some(result)) if from.len() == 1 => {
            Some((result, it.operands.first()?.value.clone()))
        }
        _ => None,
    });
    let Some((result, value)) = found else { return false };
    if value == Value::Local(result) {
        return false;
    }
    for block in &mut code.blocks {
        block.instructions.retain(|it| it.result != Some(result));
        for operand in block.instructions.iter_mut().flat_map(|it| &mut it.operands) {
            if operand.as_local() == Some(result) {
                operand.value = value.clone();
            }
        }
    }
    true
}

fn drop_dead(code: &mut Code) -> bool {
    let mut used = vec![false; code.locals.len()];
    for operand in code.instructions().flat_map(|it| &it.operands) {
        if let Some(local) = operand.as_local() {
            used[local.0 as usize] = true;
        }
    }
    let is_dead = |instruction: &Instruction| {
        let is_unused = instruction.result.is_some_and(|result| !used[result.0 as usize]);
        is_unused && !has_effect(instruction)
    };
    let mut changed = false;
    for block in &mut code.blocks {
        let before = block.instructions.len();
        block.instructions.retain(|instruction| !is_dead(instruction));
        changed |= block.instructions.len() < before;
    }
    changed
}

fn has_effect(instruction: &Instruction) -> bool {
    match &instruction.op {
        Op::Call(_) => !instruction.callee().is_some_and(|it| it.starts_with("llvm.")),
        Op::Store(_)
        | Op::Fence(_)
        | Op::CmpXchg { .. }
        | Op::AtomicRmw { .. }
        | Op::VaArg(_)
        | Op::LandingPad { .. }
        | Op::Invoke { .. } => true,
        Op::Load(_, memory) => memory.volatile || memory.ordering.is_some(),
        _ => instruction.op.is_terminator(),
    }
}

/// Appends a block to its only predecessor, if that has no other successor.
fn merge_blocks(code: &mut Code) -> bool {
    let mut predecessors = vec![vec![]; code.blocks.len()];
    for block in code.block_ids() {
        let successors = code.block(block).terminator().map(|it| it.op.successors());
        for to in successors.unwrap_or_default() {
            predecessors[to.0 as usize].push(block);
        }
    }
    let joint = code.block_ids().find_map(|block| {
        let Op::Branch(to) = code.block(block).terminator()?.op else { return None };
        let starts_with_phi = code.block(to).instructions.first().is_some_and(Instruction::is_phi);
        let fits = to != block
            && to != BlockId(0)
            && predecessors[to.0 as usize] == [block]
            && !starts_with_phi;
        fits.then_some((block, to))
    });
    let Some((block, to)) = joint else { return false };
    let tail = std::mem::take(&mut code.block_mut(to).instructions);
    code.block_mut(block).instructions.pop();
    code.block_mut(block).instructions.extend(tail);
    for instruction in code.instructions_mut() {
        if let Op::Phi(from) = &mut instruction.op {
            from.iter_mut().filter(|from| **from == to).for_each(|from| *from = block);
        }
    }
    let keep: Vec<bool> = code.block_ids().map(|it| it != to).collect();
    renumber(code, &keep);
    true
}

/// Parameters that nothing uses go, and the numbers of locals with them.
fn drop_unused_parameters(function: &mut Function) {
    let count = function.header.parameters.len();
    let Some(code) = function.code_mut() else { return };
    let mut keep = vec![true; code.locals.len()];
    keep[..count].fill(false);
    for operand in code.instructions().flat_map(|it| &it.operands) {
        if let Some(local) = operand.as_local() {
            keep[local.0 as usize] = true;
        }
    }
    if keep.iter().all(|keep| *keep) {
        return;
    }
    let mut next = 0;
    let numbers: Vec<LocalId> = keep
        .iter()
        .map(|keep| {
            next += u32::from(*keep);
            LocalId(next.saturating_sub(1))
        })
        .collect();
    for instruction in code.instructions_mut() {
        instruction.result = instruction.result.map(|it| numbers[it.0 as usize]);
        for operand in &mut instruction.operands {
            if let Value::Local(local) = &mut operand.value {
                *local = numbers[local.0 as usize];
            }
        }
    }
    let mut at = 0;
    code.locals.retain(|_| {
        at += 1;
        keep[at - 1]
    });
    let mut at = 0;
    function.header.parameters.retain(|_| {
        at += 1;
        keep[at - 1]
    });
}
