//! The structure of a function: blocks, definitions, dominance, phis.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::{Invalid, Problem, Verifier};
use crate::cfg::Cfg;
use crate::ir::{Block, BlockId, Code, Header, Instruction, LocalId, Op, Value};

/// Where a local is defined: block and instruction; parameters before all.
type Place = Option<(BlockId, usize)>;

/// What the instructions of a function are checked against.
pub(super) struct Body<'f> {
    pub(super) header: &'f Header,
    pub(super) code: &'f Code,
    pub(super) cfg: Cfg,
}

pub(super) fn check(verifier: &Verifier<'_>, header: &Header, code: &Code) -> Result<(), Invalid> {
    structure(header, code).map_err(|problem| Invalid::in_item(&header.name, problem))?;
    each(header, code, |(block, index), instruction| {
        phi_place(code.block(block), index, instruction)?;
        references(instruction, code)
    })?;
    let body = Body { header, code, cfg: Cfg::new(code) };
    let places = places(header, code).map_err(|it| Invalid::in_item(&header.name, it))?;
    if !body.cfg.predecessors(BlockId(0)).is_empty() {
        return Err(Invalid::in_item(&header.name, Problem::EntryPredecessors));
    }
    each(header, code, |(block, index), instruction| {
        verifier.instruction(instruction, block, index, &body)?;
        dominance(instruction, (block, index), &places, &body)
    })
}

/// Applies a rule to all instructions and says where it was violated.
fn each(
    header: &Header,
    code: &Code,
    mut rule: impl FnMut((BlockId, usize), &Instruction) -> Result<(), Problem>,
) -> Result<(), Invalid> {
    for (id, block) in code.block_ids().zip(&code.blocks) {
        for (index, instruction) in block.instructions.iter().enumerate() {
            rule((id, index), instruction).map_err(|problem| Invalid {
                item: header.name.clone(),
                place: Some((block.name.clone(), index)),
                problem,
            })?;
        }
    }
    Ok(())
}

/// Parameters, terminators, names.
fn structure(header: &Header, code: &Code) -> Result<(), Problem> {
    if code.blocks.is_empty() {
        return Err(Problem::NoBlocks);
    }
    let parameters = header.parameters.iter().map(|parameter| &parameter.ty);
    let locals = code.locals.iter().take(header.parameters.len()).map(|local| &local.ty);
    if !parameters.eq(locals) {
        return Err(Problem::Parameters);
    }
    for block in &code.blocks {
        let Some((last, before)) = block.instructions.split_last() else {
            return Err(Problem::Terminator);
        };
        if !last.op.is_terminator() || before.iter().any(|it| it.op.is_terminator()) {
            return Err(Problem::Terminator);
        }
    }
    Ok(())
}

/// Every local and block that is mentioned exists.
fn references(instruction: &Instruction, code: &Code) -> Result<(), Problem> {
    let locals = instruction.operands.iter().filter_map(|operand| operand.as_local());
    for local in locals.chain(instruction.result) {
        if local.0 as usize >= code.locals.len() {
            return Err(Problem::UnknownLocal(local.0));
        }
    }
    let blocks = match &instruction.op {
        Op::Phi(blocks) => blocks.clone(),
        op => op.successors(),
    };
    match blocks.iter().find(|block| block.0 as usize >= code.blocks.len()) {
        Some(block) => Err(Problem::UnknownBlock(block.0)),
        None => Ok(()),
    }
}

/// Where each local is defined. Names of what is defined are unique.
fn places(header: &Header, code: &Code) -> Result<Vec<Option<Place>>, Problem> {
    let mut places: Vec<Option<Place>> = vec![None; code.locals.len()];
    let mut names: HashSet<&Arc<str>> = HashSet::with_capacity(code.locals.len());
    let mut define = |local: LocalId, place: Place| {
        let name = &code.local(local).name;
        if places[local.0 as usize].replace(place).is_some() || !names.insert(name) {
            return Err(Problem::DefinedTwice(name.clone()));
        }
        Ok(())
    };
    for parameter in 0..header.parameters.len() as u32 {
        define(LocalId(parameter), None)?;
    }
    for (id, block) in code.block_ids().zip(&code.blocks) {
        for (index, instruction) in block.instructions.iter().enumerate() {
            if let Some(result) = instruction.result {
                define(result, Some((id, index)))?;
            }
        }
    }
    match code.blocks.iter().find(|block| !names.insert(&block.name)) {
        Some(block) => Err(Problem::DefinedTwice(block.name.clone())),
        None => Ok(places),
    }
}

fn phi_place(block: &Block, index: usize, instruction: &Instruction) -> Result<(), Problem> {
    if instruction.is_phi() && index > 0 && !block.instructions[index - 1].is_phi() {
        return Err(Problem::LatePhi);
    }
    Ok(())
}

/// Every local is defined on all paths to its use. A phi uses its values at the ends of its predecessors.
fn dominance(
    instruction: &Instruction,
    place: (BlockId, usize),
    places: &[Option<Place>],
    body: &Body<'_>,
) -> Result<(), Problem> {
    for (operand, value) in instruction.operands.iter().enumerate() {
        let Value::Local(local) = value.value else { continue };
        let name = || body.code.local(local).name.clone();
        let Some(definition) = places[local.0 as usize] else {
            return Err(Problem::NeverDefined(name()));
        };
        let Some((block, index)) = definition else { continue };
        // The result of an invoke exists only where it continues normally.
        let (use_block, use_index) = match &instruction.op {
            Op::Phi(blocks) => match blocks.get(operand) {
                Some(from) => (*from, usize::MAX),
                None => continue,
            },
            _ => place,
        };
        let defines = &body.code.blocks[block.0 as usize].instructions[index];
        let dominates = match &defines.op {
            Op::Invoke { normal, .. } => {
                invoke_dominates(block, *normal, use_block, instruction.is_phi(), place.0, body)
            }
            _ if block == use_block => index < use_index || !body.cfg.is_reachable(use_block),
            _ => body.cfg.dominates(block, use_block),
        };
        if !dominates {
            return Err(Problem::Undominated(name()));
        }
    }
    Ok(())
}

/// Whether the edge on which an invoke continues normally dominates a use.
fn invoke_dominates(
    from: BlockId,
    normal: BlockId,
    use_block: BlockId,
    is_phi: bool,
    phi_block: BlockId,
    body: &Body<'_>,
) -> bool {
    let cfg = &body.cfg;
    if !cfg.is_reachable(use_block) {
        return true;
    }
    if !cfg.is_reachable(from) {
        return false;
    }
    // A phi at the end of the edge may use the result on that edge.
    if is_phi && use_block == from && phi_block == normal {
        return true;
    }
    // The edge dominates the block if it is the only way in, apart from back edges.
    let others = cfg.predecessors(normal).iter().filter(|block| **block != from);
    let is_only = cfg.predecessors(normal).iter().filter(|block| **block == from).count() == 1
        && others.into_iter().all(|block| cfg.dominates(normal, *block));
    is_only && cfg.dominates(normal, use_block)
}

impl Verifier<'_> {
    /// The blocks of a phi are the predecessors, as often as there are edges; equal edges, equal values.
    pub(super) fn phi(
        &self,
        instruction: &Instruction,
        blocks: &[BlockId],
        block: BlockId,
        body: &Body<'_>,
    ) -> Result<(), Problem> {
        let operands = &instruction.operands;
        if blocks.len() != operands.len() {
            return Err(Problem::OperandCount { expected: blocks.len(), found: operands.len() });
        }
        let predecessors = body.cfg.predecessors(block);
        if predecessors.len() != blocks.len() {
            return Err(Problem::PhiBlocks);
        }
        let mut counts: HashMap<BlockId, (i32, Option<&Value>)> = HashMap::new();
        for from in predecessors {
            counts.entry(*from).or_insert((0, None)).0 += 1;
        }
        for (from, operand) in blocks.iter().zip(operands) {
            let Some((count, value)) = counts.get_mut(from) else { return Err(Problem::PhiBlocks) };
            *count -= 1;
            match value {
                Some(value) if **value != operand.value => return Err(Problem::PhiValues),
                Some(_) => {}
                None => *value = Some(&operand.value),
            }
        }
        if counts.values().any(|(count, _)| *count != 0) {
            return Err(Problem::PhiBlocks);
        }
        operands.windows(2).try_for_each(|pair| super::instruction::equal(&pair[0].ty, &pair[1].ty))
    }
}
