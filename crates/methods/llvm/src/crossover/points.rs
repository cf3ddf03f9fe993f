//! Places in a function: operands that can be replaced by another value, and the values that dominate a
//! place.

use crate::cfg::Cfg;
use crate::ir::{
    BlockId, Code, Constant, Function, Instruction, LocalId, Module, Op, Operand, Type, Value,
};

/// Before an instruction of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub block: BlockId,
    pub index: usize,
}

/// An operand that can be replaced by any value of its type that is available at `place`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Where new instructions go: before the instruction; for a phi, at the end of the block that the
    /// operand comes from.
    pub place: Place,
    /// The instruction itself.
    pub user: Place,
    pub operand: usize,
    pub ty: Type,
}

/// Every operand of the function that can be replaced, in reachable code.
pub fn points(module: &Module, code: &Code, cfg: &Cfg) -> Vec<Point> {
    let mut points = vec![];
    for block in code.block_ids().filter(|block| cfg.is_reachable(*block)) {
        let instructions = &code.block(block).instructions;
        for (index, instruction) in instructions.iter().enumerate() {
            // Nothing may come between such a call and the return.
            if index > 0 && ends_function(&instructions[index - 1]) {
                break;
            }
            let user = Place { block, index };
            for (operand, value) in instruction.operands.iter().enumerate() {
                if !value.ty.is_first_class() || !is_replaceable(module, code, user, operand) {
                    continue;
                }
                let place = match &instruction.op {
                    Op::Phi(from) => {
                        let from = from[operand];
                        let last = code.block(from).instructions.len().saturating_sub(1);
                        if !cfg.is_reachable(from) || has_invoke(code, from) {
                            continue;
                        }
                        Place { block: from, index: last }
                    }
                    _ => user,
                };
                points.push(Point { place, user, operand, ty: value.ty.clone() });
            }
        }
    }
    points
}

/// Whether an operand is one of those that a function acts upon: what it branches on, stores, passes or
/// returns, and what comes together in a phi.
pub fn is_outward(code: &Code, point: &Point) -> bool {
    let user = &code.block(point.user.block).instructions[point.user.index];
    matches!(user.op, Op::Phi(_) | Op::Store(_) | Op::Call(_)) || user.op.is_terminator()
}

/// Puts a value in the place of an operand. A phi with several edges from one block gets it on all.
pub fn put(code: &mut Code, user: Place, operand: usize, value: Operand) -> Option<()> {
    let instruction = code.block_mut(user.block).instructions.get_mut(user.index)?;
    if let Op::Phi(from) = &instruction.op {
        let edge = *from.get(operand)?;
        for (at, _) in from.iter().enumerate().filter(|(_, it)| **it == edge) {
            *instruction.operands.get_mut(at)? = value.clone();
        }
        return Some(());
    }
    *instruction.operands.get_mut(operand)? = value;
    Some(())
}

/// Whether a call must be followed by a return.
pub(crate) fn ends_function(instruction: &Instruction) -> bool {
    let Op::Call(call) = &instruction.op else { return false };
    call.tail.as_deref() == Some("musttail")
        || instruction.callee().is_some_and(|it| it.starts_with("llvm.experimental.deoptimize"))
}

/// Whether the terminator of a block defines a value, which then is not available before it.
fn has_invoke(code: &Code, block: BlockId) -> bool {
    code.block(block).terminator().is_some_and(|it| matches!(it.op, Op::Invoke { .. }))
}

/// Intrinsics whose arguments are parts of a protocol.
const PARTICULAR: [&str; 6] = [
    "llvm.coro.",
    "llvm.eh.",
    "llvm.experimental.gc.",
    "llvm.experimental.patchpoint",
    "llvm.experimental.stackmap",
    "llvm.localescape",
];

/// Some operands must be constants, or are no values in the first place.
fn is_replaceable(module: &Module, code: &Code, user: Place, operand: usize) -> bool {
    let instruction = &code.block(user.block).instructions[user.index];
    let own = &instruction.operands[operand];
    if matches!(own.value, Value::Metadata(_)) || matches!(own.ty, Type::Token | Type::Other(_)) {
        return false;
    }
    match &instruction.op {
        Op::Call(call) | Op::Invoke { call, .. } => {
            let is_argument = operand < call.arguments();
            let must_tail = call.tail.as_deref() == Some("musttail");
            if !is_argument || must_tail || call.is_asm {
                return false;
            }
            let special =
                ["immarg", "byval", "inalloca", "swifterror", "swiftself", "preallocated"];
            let declared = instruction.callee().and_then(|callee| module.header(callee));
            let declared = declared.and_then(|header| header.parameters.get(operand));
            let is_special = |name: &&str| {
                call.argument_attributes[operand].has(name)
                    || declared.is_some_and(|parameter| parameter.attributes.has(name))
            };
            let callee = instruction.callee().unwrap_or_default();
            if PARTICULAR.iter().any(|prefix| callee.starts_with(prefix)) {
                return false;
            }
            // Intrinsics are picky about pointers to slots (lifetime, gc).
            let is_intrinsic = callee.starts_with("llvm.");
            !special.iter().any(is_special) && (!is_intrinsic || !own.ty.is_pointer())
        }
        // Indices into structs are constants.
        Op::GetElementPtr { .. } => operand < 2,
        Op::Alloca { .. } | Op::LandingPad { .. } | Op::IndirectBranch(_) | Op::Resume => false,
        _ => true,
    }
}

/// The values that can be used at a place: parameters, and results of instructions that dominate it.
pub fn available(function: &Function, cfg: &Cfg, place: Place) -> Vec<Operand> {
    let Some(code) = function.code() else { return vec![] };
    let mut values: Vec<Operand> = vec![];
    for (at, parameter) in function.header.parameters.iter().enumerate() {
        let special = ["swifterror", "inalloca", "swiftself"];
        if parameter.ty.is_first_class()
            && !special.iter().any(|name| parameter.attributes.has(name))
        {
            values.push(Operand::local(parameter.ty.clone(), LocalId(at as u32)));
        }
    }
    for block in code.block_ids() {
        let end = if block == place.block {
            place.index
        } else if cfg.dominates(block, place.block) {
            usize::MAX
        } else {
            continue;
        };
        for instruction in code.block(block).instructions.iter().take(end) {
            // What an invoke returns is there in its normal successor only.
            if let (Some(result), false) = (instruction.result, instruction.op.is_terminator()) {
                let ty = &code.local(result).ty;
                let of_alloca = matches!(
                    &instruction.op,
                    Op::Alloca { modifier: Some(_), .. } | Op::LandingPad { .. }
                );
                if ty.is_first_class() && !of_alloca && !matches!(ty, Type::Token | Type::Other(_))
                {
                    values.push(Operand::local(ty.clone(), result));
                }
            }
        }
    }
    values
}

/// Whether a function can be copied into another, which then continues behind it.
pub fn is_donor(function: &Function) -> bool {
    let Some(code) = function.code() else { return false };
    let fits = |ty: &Type| ty.is_first_class() && !matches!(ty, Type::Token | Type::Other(_));
    let header = &function.header;
    let is_plain = !header.variadic
        && !header.attributes.has("presplitcoroutine")
        && (header.returns == Type::Void || fits(&header.returns))
        && header.parameters.iter().all(|it| fits(&it.ty) && !it.attributes.has("swifterror"));
    is_plain && is_movable(code) && code.instructions().any(|it| matches!(it.op, Op::Return))
}

/// Intrinsics that belong to the function that calls them.
const OF_A_FUNCTION: [&str; 12] = [
    "llvm.va_",
    "llvm.coro",
    "llvm.localescape",
    "llvm.localrecover",
    "llvm.experimental.deoptimize",
    "llvm.experimental.convergence",
    "llvm.eh.",
    "llvm.frameaddress",
    "llvm.returnaddress",
    "llvm.gc",
    "llvm.call.preallocated",
    "llvm.swift.",
];

/// Whether the instructions mean the same elsewhere.
fn is_movable(code: &Code) -> bool {
    let is_fixed = |operand: &Operand| match &operand.value {
        Value::Constant(Constant::Text(text)) => text.starts_with("blockaddress"),
        Value::Constant(_) | Value::Local(_) => matches!(operand.ty, Type::Token | Type::Other(_)),
        // A local in metadata has no name elsewhere.
        Value::Metadata(text) => text.contains('%'),
    };
    code.instructions().all(|instruction| {
        let fits = match &instruction.op {
            Op::Call(call) => {
                let callee = instruction.callee().unwrap_or_default();
                call.tail.as_deref() != Some("musttail")
                    && !call.attributes.has("returns_twice")
                    && !OF_A_FUNCTION.iter().any(|prefix| callee.starts_with(prefix))
            }
            Op::IndirectBranch(_)
            | Op::Resume
            | Op::LandingPad { .. }
            | Op::Invoke { .. }
            | Op::VaArg(_) => false,
            Op::Alloca { modifier: Some(_), .. } => false,
            _ => true,
        };
        fits && !instruction.operands.iter().any(is_fixed)
    })
}
