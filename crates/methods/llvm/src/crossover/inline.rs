//! The inlining crossover: the body of a donor goes to a point of the destination, its arguments come
//! from values that are available there, and its result replaces the operand.

use std::collections::BTreeMap;

use forge::Entropy;

use super::constants::any_constant;
use super::fit::{Builder, can_fit};
use super::points::{Place, Point, available, is_donor, put};
use crate::cfg::Cfg;
use crate::ir::{
    BlockId, Code, Function, Instruction, LocalId, Module, Op, Operand, Parameter, Type, Value,
};
use crate::refusal::Refusal;

/// The most instructions that a function may have after a crossover.
const MOST_INSTRUCTIONS: usize = 400;

/// Puts the body of a donor to a point of a function, whose control flow is given. All that the donor refers
/// to is in the module.
pub fn inline(
    module: &Module,
    function: &mut Function,
    cfg: &Cfg,
    donor: &Function,
    point: &Point,
    entropy: &mut Entropy,
) -> Result<(), Refusal> {
    let (Some(code), Some(body)) = (function.code(), donor.code()) else {
        return Err(Refusal::NoCode);
    };
    if !is_donor(donor) {
        return Err(Refusal::Fixed);
    }
    if code.instructions().count() + body.instructions().count() > MOST_INSTRUCTIONS {
        return Err(Refusal::TooLarge);
    }
    let returns = &donor.header.returns;
    if *returns != Type::Void && !can_fit(returns, &point.ty) {
        return Err(Refusal::Type);
    }
    let at_hand = available(function, cfg, point.place);
    let replaced =
        code.block(point.user.block).instructions[point.user.index].operands[point.operand].clone();
    let plans = plan(module, donor, &at_hand, &replaced, entropy).ok_or(Refusal::Type)?;
    let arguments = arguments(function, donor, &plans, entropy).ok_or(Refusal::Type)?;
    splice(function, body, point, arguments, returns, entropy).ok_or(Refusal::Type)?;
    keep_common_promises(function, donor);
    Ok(())
}

/// Attributes of a function that its new body may not keep.
const PROMISES: [&str; 16] = [
    "memory",
    "readnone",
    "readonly",
    "writeonly",
    "argmemonly",
    "inaccessiblememonly",
    "inaccessiblemem_or_argmemonly",
    "speculatable",
    "nounwind",
    "willreturn",
    "norecurse",
    "nosync",
    "nofree",
    "mustprogress",
    "noreturn",
    "nocallback",
];

/// What the destination promises is promised no more, unless the donor promises it, too.
fn keep_common_promises(function: &mut Function, donor: &Function) {
    let theirs = &donor.header.attributes.0;
    let own = &mut function.header.attributes.0;
    own.retain(|it| !PROMISES.contains(&it.name()) || theirs.contains(it));
}

/// Where the value of a parameter of the donor comes from.
enum Plan {
    /// A value of this very type.
    Value(Operand),
    /// A value that has to be fitted.
    Near(Operand),
    /// A new parameter of the destination.
    Fresh,
}

fn plan(
    module: &Module,
    donor: &Function,
    at_hand: &[Operand],
    replaced: &Operand,
    entropy: &mut Entropy,
) -> Option<Vec<Plan>> {
    let mut plans = vec![];
    for (number, parameter) in donor.header.parameters.iter().enumerate() {
        let ty = &parameter.ty;
        if !ty.is_first_class() || matches!(ty, Type::Token | Type::Other(_)) {
            return None;
        }
        // The operand that is replaced goes through the donor, if its type is right: so nothing is lost.
        if number == 0 && replaced.ty == *ty && entropy.chance(1, 2) {
            plans.push(Plan::Value(replaced.clone()));
            continue;
        }
        let exact: Vec<&Operand> = at_hand.iter().filter(|value| value.ty == *ty).collect();
        let near: Vec<&Operand> = at_hand.iter().filter(|it| can_fit(&it.ty, ty)).collect();
        let drawn = entropy.below(20);
        plans.push(if !exact.is_empty() && drawn < 14 {
            Plan::Value((*entropy.pick(&exact)?).clone())
        } else if !near.is_empty() && drawn < 17 {
            Plan::Near((*entropy.pick(&near)?).clone())
        } else if drawn == 19
            && !ty.is_pointer()
            && let Some(constant) = any_constant(module, ty, entropy)
        {
            Plan::Value(Operand::constant(ty.clone(), constant))
        } else {
            Plan::Fresh
        });
    }
    Some(plans)
}

/// A value for each parameter of the donor, and the instructions that fit them.
struct Arguments {
    values: Vec<Operand>,
    instructions: Vec<Instruction>,
}

fn arguments(
    function: &mut Function,
    donor: &Function,
    plans: &[Plan],
    entropy: &mut Entropy,
) -> Option<Arguments> {
    let fresh: Vec<&Parameter> = plans
        .iter()
        .zip(&donor.header.parameters)
        .filter(|(plan, _)| matches!(plan, Plan::Fresh))
        .map(|(_, parameter)| parameter)
        .collect();
    let old = function.header.parameters.len() as u32;
    let moved = |value: &Operand| match value.value {
        Value::Local(local) if local.0 >= old => {
            Operand::local(value.ty.clone(), LocalId(local.0 + fresh.len() as u32))
        }
        _ => value.clone(),
    };
    add_parameters(function, &fresh)?;
    let mut next_fresh = old;
    let mut builder = Builder::new(function.code_mut()?);
    let mut values = vec![];
    for (plan, parameter) in plans.iter().zip(&donor.header.parameters) {
        values.push(match plan {
            Plan::Value(value) => moved(value),
            Plan::Near(value) => builder.fit(&moved(value), &parameter.ty, entropy)?,
            Plan::Fresh => {
                next_fresh += 1;
                Operand::local(parameter.ty.clone(), LocalId(next_fresh - 1))
            }
        });
    }
    let instructions = builder.instructions;
    Some(Arguments { values, instructions })
}

/// New parameters, after the others. Locals that are no parameters move behind them.
pub fn add_parameters(function: &mut Function, like: &[&Parameter]) -> Option<()> {
    let (at, count) = (function.header.parameters.len() as u32, like.len() as u32);
    let moved = |local: LocalId| if local.0 >= at { LocalId(local.0 + count) } else { local };
    let code = function.code_mut()?;
    for (number, parameter) in like.iter().enumerate() {
        let fresh = code.add_local("extra", parameter.ty.clone());
        let local = code.locals.remove(fresh.0 as usize);
        code.locals.insert(at as usize + number, local);
    }
    for instruction in code.instructions_mut() {
        instruction.result = instruction.result.map(moved);
        for operand in &mut instruction.operands {
            if let Value::Local(local) = &mut operand.value {
                *local = moved(*local);
            }
        }
    }
    for parameter in like {
        let mut attributes = parameter.attributes.clone();
        for name in ["byval", "sret", "inalloca", "nest", "returned", "swiftself", "swifterror"] {
            attributes.remove(name);
        }
        function.header.parameters.push(Parameter { ty: parameter.ty.clone(), attributes });
    }
    Some(())
}

/// Copies the body to the point.
fn splice(
    function: &mut Function,
    body: &Code,
    point: &Point,
    arguments: Arguments,
    returns: &Type,
    entropy: &mut Entropy,
) -> Option<()> {
    let code = function.code_mut()?;
    // Locals of the donor: parameters are the arguments, the others are new.
    let mut values: Vec<Operand> = arguments.values;
    for local in body.locals.iter().skip(values.len()) {
        let fresh = code.add_local(&local.name, local.ty.clone());
        values.push(Operand::local(local.ty.clone(), fresh));
    }
    let single = body.blocks.len() == 1;
    let mut point = point.clone();
    let hoists = !single || point.place.block != BlockId(0);
    if hoists {
        // Local variables belong to the entry, as an inliner puts them.
        let slots = body.blocks[0].instructions.iter().filter(|it| is_slot(it));
        let slots: Vec<Instruction> = slots.map(|it| copied(it, &values, &|block| block)).collect();
        for place in [&mut point.place, &mut point.user] {
            place.index += if place.block == BlockId(0) { slots.len() } else { 0 };
        }
        code.block_mut(BlockId(0)).instructions.splice(0..0, slots);
    }
    let point = &point;
    let Place { block, index } = point.place;
    let stays = |it: &&Instruction| !hoists || !is_slot(it);
    let user_value = if single {
        let mut inserted = arguments.instructions;
        let mut result = None;
        for instruction in body.blocks[0].instructions.iter().filter(stays) {
            match instruction.op {
                Op::Return => result = instruction.operands.first().map(|it| renamed(it, &values)),
                _ => inserted.push(copied(instruction, &values, &|block| block)),
            }
        }
        let result = fitted(code, result, returns, &point.ty, &mut inserted, entropy)?;
        let count = inserted.len();
        let target = &mut code.block_mut(block).instructions;
        target.splice(index..index, inserted);
        let is_after = point.user.block == block && point.user.index >= index;
        let user = if is_after { point.user.index + count } else { point.user.index };
        (Place { block: point.user.block, index: user }, result)
    } else {
        let tail = split(code, block, index);
        let map: BTreeMap<BlockId, BlockId> =
            body.block_ids().map(|old| (old, code.add_block(&body.block(old).name))).collect();
        let entry = *map.get(&BlockId(0))?;
        code.block_mut(block).instructions.extend(arguments.instructions);
        code.block_mut(block).instructions.push(Instruction::new(None, Op::Branch(entry), vec![]));
        let mut results: Vec<(Operand, BlockId)> = vec![];
        let mut exits: Vec<BlockId> = vec![];
        for old in body.block_ids() {
            let new = *map.get(&old)?;
            let is_entry = old == BlockId(0);
            let instructions = body.block(old).instructions.iter();
            for instruction in instructions.filter(|it| !is_entry || stays(it)) {
                let copy = if let Op::Return = instruction.op {
                    exits.push(new);
                    if let Some(value) = instruction.operands.first() {
                        results.push((renamed(value, &values), new));
                    }
                    Instruction::new(None, Op::Branch(tail), vec![])
                } else {
                    copied(instruction, &values, &|block| map.get(&block).copied().unwrap_or(block))
                };
                code.block_mut(new).instructions.push(copy);
            }
        }
        if exits.is_empty() {
            return None;
        }
        let mut inserted = vec![];
        let result = match results.as_slice() {
            [] => None,
            [(only, _)] if exits.len() == 1 => Some(only.clone()),
            many => {
                let result = code.add_local("joined", returns.clone());
                let (operands, from) = many.iter().cloned().unzip();
                inserted.push(Instruction::new(Some(result), Op::Phi(from), operands));
                Some(Operand::local(returns.clone(), result))
            }
        };
        let result = fitted(code, result, returns, &point.ty, &mut inserted, entropy)?;
        let count = inserted.len();
        code.block_mut(tail).instructions.splice(0..0, inserted);
        let user = if point.user.block == block && point.user.index >= index {
            Place { block: tail, index: point.user.index - index + count }
        } else {
            point.user
        };
        (user, result)
    };
    let (user, result) = user_value;
    if let Some(result) = result {
        put(code, user, point.operand, result)?;
    }
    Some(())
}

/// Whether an instruction makes a local variable of a fixed size.
fn is_slot(instruction: &Instruction) -> bool {
    matches!(instruction.op, Op::Alloca { .. })
        && instruction.operands.iter().all(|it| it.as_constant().is_some())
}

/// The result as the operand that it replaces; nothing where the donor has no result.
fn fitted(
    code: &mut Code,
    result: Option<Operand>,
    returns: &Type,
    to: &Type,
    inserted: &mut Vec<Instruction>,
    entropy: &mut Entropy,
) -> Option<Option<Operand>> {
    let Some(result) = result else { return (*returns == Type::Void).then_some(None) };
    let mut builder = Builder::new(code);
    let fitted = builder.fit(&result, to, entropy)?;
    inserted.append(&mut builder.instructions);
    Some(Some(fitted))
}

/// Moves the instructions from `index` on to a new block. Phis that came from the block come from that.
pub fn split(code: &mut Code, block: BlockId, index: usize) -> BlockId {
    let name = format!("{}.tail", code.block(block).name);
    let tail = code.add_block(&name);
    let moved = code.block_mut(block).instructions.split_off(index);
    code.block_mut(tail).instructions = moved;
    let successors = code.block(tail).terminator().map(|it| it.op.successors());
    for successor in successors.unwrap_or_default() {
        for instruction in &mut code.block_mut(successor).instructions {
            if let Op::Phi(from) = &mut instruction.op {
                from.iter_mut().filter(|from| **from == block).for_each(|from| *from = tail);
            }
        }
    }
    tail
}

fn renamed(operand: &Operand, values: &[Operand]) -> Operand {
    match operand.value {
        Value::Local(local) => values[local.0 as usize].clone(),
        Value::Constant(_) | Value::Metadata(_) => operand.clone(),
    }
}

/// An instruction with the locals and blocks of the destination.
fn copied(
    instruction: &Instruction,
    values: &[Operand],
    block: &dyn Fn(BlockId) -> BlockId,
) -> Instruction {
    let mut copy = instruction.clone();
    copy.result = copy.result.and_then(|local| values[local.0 as usize].as_local());
    for operand in &mut copy.operands {
        *operand = renamed(operand, values);
    }
    for target in copy.op.blocks_mut() {
        *target = block(*target);
    }
    copy
}
