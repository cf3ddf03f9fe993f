//! The edits of a reduction, and how each is applied. Which of them are worth a try is for `propose.rs`.

use crate::crossover::{Point, add_parameters, put};
use crate::ir::{
    Attributes, BlockId, Constant, Flags, LocalId, Module, Op, Operand, Parameter, Type, Value,
};
use crate::mutate::{resize, with_lanes};

/// The number of a function, and a place in it.
pub(super) type At = (usize, BlockId, usize);

/// What has an attribute.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    Parameter(usize),
    Result,
    Function,
}

#[derive(Clone, Debug)]
pub(super) enum Edit {
    /// Another pipeline.
    Passes(String),
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
    /// One attribute of a parameter, of the result or of the function.
    DropAttribute(usize, Owner, usize),
    /// Metadata of the function itself.
    DropFunctionMetadata(usize),
    /// An access that is neither volatile nor atomic.
    PlainAccess(At),
    /// A case of a switch.
    DropCase(At, usize),
    /// A parameter that a function does not use, which is called directly only.
    DropParameter(usize, usize),
    /// Everything in a function that works lane by lane has another number of lanes.
    Lanes(usize, Option<u32>),
    /// Another constant operand.
    Constant(usize, Point, Constant),
    /// An integer type is narrower throughout a function.
    Narrow(usize, u32, u32),
    DropTriple,
    DropDataLayout,
    DropInitialiser(usize),
}

impl Edit {
    /// Applies it; none if it makes no sense here.
    pub(super) fn apply(&self, module: &mut Module, passes: &mut String) -> Option<()> {
        match self {
            Self::Passes(shorter) => passes.clone_from(shorter),
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
            Self::DropAttribute(number, owner, at) => {
                let header = &mut module.functions.get_mut(*number)?.header;
                let attributes = match owner {
                    Owner::Parameter(parameter) => {
                        &mut header.parameters.get_mut(*parameter)?.attributes
                    }
                    Owner::Result => &mut header.return_attributes,
                    Owner::Function => &mut header.attributes,
                };
                attributes.0.remove(*at);
            }
            Self::DropFunctionMetadata(number) => {
                module.functions.get_mut(*number)?.header.metadata.clear();
            }
            Self::PlainAccess(at) => match &mut instruction(module, *at)?.op {
                Op::Load(_, memory) | Op::Store(memory) => {
                    memory.volatile = false;
                    memory.ordering = None;
                }
                _ => return None,
            },
            Self::DropCase((number, block, index), case) => {
                let code = module.functions.get_mut(*number)?.code_mut()?;
                let from = *block;
                let terminator = code.block_mut(from).instructions.get_mut(*index)?;
                let Op::Switch { cases, .. } = &mut terminator.op else { return None };
                let (_, to) = cases.remove(*case);
                terminator.metadata.clear();
                forget_edge(code, from, to);
            }
            Self::DropParameter(number, at) => drop_parameter(module, *number, *at)?,
            Self::Lanes(number, lanes) => {
                let name = module.functions.get(*number)?.header.name.clone();
                with_lanes(module, &name, *lanes)?;
            }
            Self::Constant(number, point, constant) => {
                let code = module.functions.get_mut(*number)?.code_mut()?;
                let constant = Operand::constant(point.ty.clone(), constant.clone());
                put(code, point.user, point.operand, constant)?;
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

/// Removes a parameter, and the argument of every call.
fn drop_parameter(module: &mut Module, number: usize, at: usize) -> Option<()> {
    let function = module.functions.get_mut(number)?;
    let name = function.header.name.clone();
    function.header.parameters.get(at)?;
    function.header.parameters.remove(at);
    let code = function.code_mut()?;
    code.locals.remove(at);
    let moved = |local: LocalId| if local.0 as usize > at { LocalId(local.0 - 1) } else { local };
    for instruction in code.instructions_mut() {
        instruction.result = instruction.result.map(moved);
        for operand in &mut instruction.operands {
            if let Value::Local(local) = &mut operand.value {
                if local.0 as usize == at {
                    return None;
                }
                *local = moved(*local);
            }
        }
    }
    let code = module.functions.iter_mut().filter_map(|it| it.code_mut());
    for instruction in code.flat_map(|it| it.instructions_mut()) {
        let mentions = |it: &Operand| match it.as_constant() {
            Some(Constant::Global(global)) => *global == name,
            _ => false,
        };
        let count = instruction.operands.iter().filter(|it| mentions(it)).count();
        if count == 0 {
            continue;
        }
        if count > 1 || instruction.callee() != Some(&name) {
            return None;
        }
        let (Op::Call(call) | Op::Invoke { call, .. }) = &mut instruction.op else { return None };
        let mut shorter = crate::ir::Call::clone(call);
        if shorter.signature.is_some() || at >= shorter.arguments() {
            return None;
        }
        shorter.argument_attributes.remove(at);
        *call = shorter.into();
        instruction.operands.remove(at);
    }
    Some(())
}
