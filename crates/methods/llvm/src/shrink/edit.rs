//! The edits of a reduction.

use crate::cfg::Cfg;
use crate::crossover::{Point, add_parameters, points};
use crate::ir::{
    Attributes, BlockId, Constant, Flags, LocalId, Module, Op, Operand, Parameter, Type, Value,
};
use crate::mutate::resize;

/// The number of a function, and a place in it.
type At = (usize, BlockId, usize);

#[derive(Clone, Debug)]
pub(super) enum Edit {
    /// Leaves a pass out.
    DropPass(usize),
    /// Leaves all functions out but this and what it calls.
    KeepFunction(usize),
    /// A terminator always goes to one of its successors.
    Jump(At, BlockId),
    /// A block returns, with poison if it must return something.
    ReturnHere(usize, BlockId),
    /// Everything that uses a local uses this instead.
    Replace(usize, LocalId, Operand),
    /// A local becomes a parameter.
    MakeParameter(usize, LocalId),
    /// Removes an instruction without a result.
    Delete(At),
    /// The function returns another local.
    Return(usize, LocalId),
    DropFlags(At, Flags),
    DropMetadata(At),
    DropCallAttributes(At),
    DropParameterAttributes(usize, usize),
    DropReturnAttributes(usize),
    DropFunctionAttributes(usize),
    /// Another constant operand.
    Constant(usize, Point, Constant),
    /// An integer type is narrower throughout a function.
    Narrow(usize, u32, u32),
    DropTriple,
    DropDataLayout,
    DropInitialiser(usize),
}

/// All edits, the boldest first.
pub(super) fn edits(module: &Module, passes: &[String]) -> Vec<Edit> {
    let mut edits = vec![];
    if passes.len() > 1 {
        edits.extend((0..passes.len()).map(Edit::DropPass));
    }
    if module.functions.len() > 1 {
        edits.extend((0..module.functions.len()).map(Edit::KeepFunction));
    }
    for number in 0..module.functions.len() {
        control(module, number, &mut edits);
    }
    for number in 0..module.functions.len() {
        data(module, number, &mut edits);
    }
    for number in 0..module.functions.len() {
        details(module, number, &mut edits);
    }
    if module.triple.is_some() {
        edits.push(Edit::DropTriple);
    }
    if module.data_layout.is_some() {
        edits.push(Edit::DropDataLayout);
    }
    let initialised = module
        .globals
        .iter()
        .enumerate()
        .filter(|(_, it)| it.initialiser.as_ref().is_some_and(|it| *it != Constant::Zero));
    edits.extend(initialised.map(|(at, _)| Edit::DropInitialiser(at)));
    edits
}

fn control(module: &Module, number: usize, edits: &mut Vec<Edit>) {
    let Some(code) = module.functions[number].code() else { return };
    for block in code.block_ids() {
        let last = code.block(block).instructions.len().saturating_sub(1);
        let Some(terminator) = code.block(block).terminator() else { continue };
        let mut successors = terminator.op.successors();
        successors.dedup();
        if !matches!(terminator.op, Op::Branch(_)) {
            edits.extend(successors.iter().map(|to| Edit::Jump((number, block, last), *to)));
        }
        if !successors.is_empty() {
            edits.push(Edit::ReturnHere(number, block));
        }
    }
}

fn data(module: &Module, number: usize, edits: &mut Vec<Edit>) {
    let function = &module.functions[number];
    let Some(code) = function.code() else { return };
    // From the end: what is used last is needed by the least.
    for block in code.block_ids().collect::<Vec<_>>().into_iter().rev() {
        let instructions = &code.block(block).instructions;
        for (index, instruction) in instructions.iter().enumerate().rev() {
            if instruction.op.is_terminator() {
                continue;
            }
            let Some(result) = instruction.result else {
                edits.push(Edit::Delete((number, block, index)));
                continue;
            };
            let ty = &code.local(result).ty;
            for operand in instruction.operands.iter().filter(|operand| operand.ty == *ty) {
                edits.push(Edit::Replace(number, result, operand.clone()));
            }
            if *ty == function.header.returns {
                edits.push(Edit::Return(number, result));
            }
            edits.push(Edit::MakeParameter(number, result));
            if let Some(zero) = zero(ty) {
                edits.push(Edit::Replace(number, result, Operand::constant(ty.clone(), zero)));
            }
        }
    }
    for (at, parameter) in function.header.parameters.iter().enumerate() {
        if let Some(zero) = zero(&parameter.ty) {
            let zero = Operand::constant(parameter.ty.clone(), zero);
            edits.push(Edit::Replace(number, LocalId(at as u32), zero));
        }
    }
}

fn details(module: &Module, number: usize, edits: &mut Vec<Edit>) {
    let function = &module.functions[number];
    let Some(code) = function.code() else { return };
    if !function.header.attributes.is_empty() {
        edits.push(Edit::DropFunctionAttributes(number));
    }
    if !function.header.return_attributes.is_empty() {
        edits.push(Edit::DropReturnAttributes(number));
    }
    for (at, parameter) in function.header.parameters.iter().enumerate() {
        if !parameter.attributes.is_empty() {
            edits.push(Edit::DropParameterAttributes(number, at));
        }
    }
    for block in code.block_ids() {
        for (index, instruction) in code.block(block).instructions.iter().enumerate() {
            let at = (number, block, index);
            edits.extend(instruction.flags.iter().map(|flag| Edit::DropFlags(at, flag)));
            if !instruction.metadata.is_empty() {
                edits.push(Edit::DropMetadata(at));
            }
            if let Op::Call(call) = &instruction.op
                && (!call.attributes.is_empty()
                    || !call.return_attributes.is_empty()
                    || call.tail.is_some()
                    || call.argument_attributes.iter().any(|it| !it.is_empty()))
            {
                edits.push(Edit::DropCallAttributes(at));
            }
        }
    }
    let mut widths: Vec<u32> = code.locals.iter().filter_map(|it| it.ty.int_width()).collect();
    widths.sort_unstable();
    widths.dedup();
    for from in widths {
        for to in [8, 4, 16, 32].into_iter().filter(|to| *to < from) {
            edits.push(Edit::Narrow(number, from, to));
        }
    }
    for point in points(module, code, &Cfg::new(code)) {
        let user = &code.block(point.user.block).instructions[point.user.index];
        let Some(constant) = user.operands[point.operand].as_constant() else { continue };
        for simpler in simpler(constant, &point.ty) {
            edits.push(Edit::Constant(number, point.clone(), simpler));
        }
    }
}

/// The simplest constant of a type.
fn zero(ty: &Type) -> Option<Constant> {
    match ty {
        Type::Int(1..=128) => Some(Constant::Int(0)),
        Type::Float(_) => Some(Constant::Float(0)),
        Type::Vector { .. } | Type::Array { .. } | Type::Struct { .. } => Some(Constant::Zero),
        Type::Pointer { .. } => Some(Constant::Null),
        _ => None,
    }
}

fn simpler(constant: &Constant, ty: &Type) -> Vec<Constant> {
    match (constant, ty) {
        (Constant::Int(value), Type::Int(width)) if *value > 1 => {
            let small = [0, 1, value / 2, value & 0xff];
            let mut small: Vec<u128> = small.into_iter().filter(|it| it < value).collect();
            small.dedup();
            let mut all: Vec<Constant> = small.into_iter().map(Constant::Int).collect();
            let ones = Constant::int(u128::MAX, *width);
            if ones != *constant {
                all.push(ones);
            }
            all
        }
        (Constant::Int(1), _) => vec![Constant::Int(0)],
        (Constant::Float(bits), _) if *bits != 0 => vec![Constant::Float(0)],
        (Constant::Vector(lanes), Type::Vector { of, .. }) => {
            let mut all = vec![Constant::Zero];
            for (at, lane) in lanes.iter().enumerate() {
                for simpler in simpler(lane, of).into_iter().take(2) {
                    let mut lanes = lanes.to_vec();
                    lanes[at] = simpler;
                    all.push(Constant::Vector(lanes.into()));
                }
                if let Some(first) = lanes.first().filter(|first| *first != lane) {
                    let mut lanes = lanes.to_vec();
                    lanes[at] = first.clone();
                    all.push(Constant::Vector(lanes.into()));
                }
            }
            all
        }
        (Constant::Splat(_), _) => vec![Constant::Zero],
        (Constant::Undef, _) => vec![Constant::Poison],
        _ => vec![],
    }
}

impl Edit {
    /// Applies it; none if it makes no sense here.
    pub(super) fn apply(&self, module: &mut Module, passes: &mut Vec<String>) -> Option<()> {
        match self {
            Self::DropPass(at) => {
                passes.remove(*at);
            }
            Self::KeepFunction(at) => {
                let name = module.functions.get(*at)?.header.name.clone();
                *module = module.extract(&[&*name]);
            }
            Self::DropTriple => module.triple = None,
            Self::DropDataLayout => module.data_layout = None,
            Self::DropInitialiser(at) => {
                module.globals.get_mut(*at)?.initialiser = Some(Constant::Zero);
            }
            Self::Jump((number, block, index), to) => {
                let code = module.functions.get_mut(*number)?.code_mut()?;
                let from = *block;
                let terminator = code.block_mut(from).instructions.get_mut(*index)?;
                let left: Vec<BlockId> =
                    terminator.op.successors().into_iter().filter(|it| it != to).collect();
                terminator.op = Op::Branch(*to);
                terminator.operands.clear();
                terminator.metadata.clear();
                terminator.result = None;
                for block in left {
                    forget_edge(code, from, block);
                }
            }
            Self::ReturnHere(number, block) => {
                let function = module.functions.get_mut(*number)?;
                let returns = function.header.returns.clone();
                let code = function.code_mut()?;
                let terminator = code.block_mut(*block).instructions.last_mut()?;
                let left = terminator.op.successors();
                terminator.op = Op::Return;
                terminator.metadata.clear();
                terminator.result = None;
                terminator.operands = match returns {
                    Type::Void => vec![],
                    ty => vec![Operand::constant(ty, Constant::Poison)],
                };
                for to in left {
                    forget_edge(code, *block, to);
                }
            }
            Self::Replace(number, local, value) => {
                replace(module, *number, *local, value)?;
            }
            Self::MakeParameter(number, local) => {
                let function = module.functions.get_mut(*number)?;
                let ty = function.code()?.local(*local).ty.clone();
                if !ty.is_first_class() || matches!(ty, Type::Token | Type::Other(_)) {
                    return None;
                }
                let at = function.header.parameters.len() as u32;
                let parameter = Parameter { ty: ty.clone(), attributes: Attributes::default() };
                add_parameters(function, &[&parameter])?;
                let moved = LocalId(if local.0 >= at { local.0 + 1 } else { local.0 });
                replace(module, *number, moved, &Operand::local(ty, LocalId(at)))?;
            }
            Self::Delete((number, block, index)) => {
                let code = module.functions.get_mut(*number)?.code_mut()?;
                code.block_mut(*block).instructions.remove(*index);
            }
            Self::Return(number, local) => {
                let function = module.functions.get_mut(*number)?;
                let code = function.code_mut()?;
                let ty = code.local(*local).ty.clone();
                for instruction in code.instructions_mut() {
                    if let Op::Return = instruction.op {
                        instruction.operands = vec![Operand::local(ty.clone(), *local)];
                    }
                }
            }
            Self::DropFlags(at, flag) => {
                let instruction = instruction(module, *at)?;
                instruction.flags = instruction.flags.without(*flag);
            }
            Self::DropMetadata(at) => instruction(module, *at)?.metadata.clear(),
            Self::DropCallAttributes(at) => {
                let Op::Call(call) = &mut instruction(module, *at)?.op else { return None };
                let mut plain = crate::ir::Call::clone(call);
                plain.attributes = Attributes::default();
                plain.return_attributes = Attributes::default();
                plain.argument_attributes.iter_mut().for_each(|it| it.0.clear());
                plain.tail = None;
                *call = plain.into();
            }
            Self::DropParameterAttributes(number, at) => {
                let header = &mut module.functions.get_mut(*number)?.header;
                header.parameters.get_mut(*at)?.attributes.0.clear();
            }
            Self::DropReturnAttributes(number) => {
                module.functions.get_mut(*number)?.header.return_attributes.0.clear();
            }
            Self::DropFunctionAttributes(number) => {
                module.functions.get_mut(*number)?.header.attributes.0.clear();
            }
            Self::Constant(number, point, constant) => {
                let code = module.functions.get_mut(*number)?.code_mut()?;
                let user =
                    code.block_mut(point.user.block).instructions.get_mut(point.user.index)?;
                user.operands.get_mut(point.operand)?.value = Value::Constant(constant.clone());
            }
            Self::Narrow(number, from, to) => {
                let name = module.functions.get(*number)?.header.name.clone();
                resize(module, &name, *from, *to)?;
            }
        }
        Some(())
    }
}

fn instruction(module: &mut Module, at: At) -> Option<&mut crate::ir::Instruction> {
    let (number, block, index) = at;
    let code = module.functions.get_mut(number)?.code_mut()?;
    code.block_mut(block).instructions.get_mut(index)
}

/// Every use of a local is a use of the value.
fn replace(module: &mut Module, number: usize, local: LocalId, value: &Operand) -> Option<()> {
    let code = module.functions.get_mut(number)?.code_mut()?;
    for instruction in code.instructions_mut() {
        // An instruction that uses itself, as a phi may, goes with its other uses.
        if instruction.result == Some(local) {
            continue;
        }
        for operand in &mut instruction.operands {
            if operand.as_local() == Some(local) {
                operand.value = value.value.clone();
            }
        }
    }
    Some(())
}

/// Phis of a block no longer come from a predecessor.
pub(super) fn forget_edge(code: &mut crate::ir::Code, from: BlockId, to: BlockId) {
    for instruction in &mut code.block_mut(to).instructions {
        if let Op::Phi(blocks) = &mut instruction.op
            && let Some(at) = blocks.iter().position(|block| *block == from)
        {
            blocks.remove(at);
            instruction.operands.remove(at);
        }
    }
}
