//! The types of operands and results of each instruction.

use super::attribute::is_float_or_made_of;
use super::function::Body;
use super::{Problem, Verifier};
use crate::ir::{
    BinaryOp, BlockId, CastOp, Clause, Flags, Instruction, Op, Operand, Type, Value, field,
};

pub(super) fn equal(a: &Type, b: &Type) -> Result<(), Problem> {
    if a == b { Ok(()) } else { Err(Problem::Unequal(a.clone(), b.clone())) }
}

/// An operand for which something must hold.
pub(super) fn require(
    operands: &[Operand],
    operand: usize,
    expected: &'static str,
    holds: impl Fn(&Type) -> bool,
) -> Result<(), Problem> {
    match operands.get(operand) {
        Some(it) if holds(&it.ty) => Ok(()),
        Some(it) => Err(Problem::OperandType { operand, expected, found: it.ty.clone() }),
        None => Err(Problem::OperandCount { expected: operand + 1, found: operands.len() }),
    }
}

fn count(operands: &[Operand], expected: usize) -> Result<(), Problem> {
    let found = operands.len();
    if found == expected { Ok(()) } else { Err(Problem::OperandCount { expected, found }) }
}

fn is_float(ty: &Type) -> bool {
    ty.lane().is_float()
}

fn is_int(ty: &Type) -> bool {
    ty.lane().is_int()
}

fn is_value(ty: &Type) -> bool {
    ty.is_first_class()
}

/// Whether two types are both scalars or have as many lanes.
pub(super) fn same_lanes(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (
            Type::Vector { lanes, scalable, .. },
            Type::Vector { lanes: others, scalable: other, .. },
        ) => lanes == others && scalable == other,
        _ => !a.is_vector() && !b.is_vector(),
    }
}

fn is_pointer(ty: &Type) -> bool {
    ty.lane().is_pointer()
}

impl Verifier<'_> {
    pub(super) fn instruction(
        &self,
        instruction: &Instruction,
        block: BlockId,
        index: usize,
        body: &Body<'_>,
    ) -> Result<(), Problem> {
        for operand in &instruction.operands {
            match &operand.value {
                Value::Local(local) => {
                    let local = &body.code.local(*local).ty;
                    if *local != operand.ty {
                        let (local, used) = (local.clone(), operand.ty.clone());
                        return Err(Problem::LocalType { local, used });
                    }
                }
                Value::Constant(constant) => self.constant(constant, &operand.ty)?,
                Value::Metadata(_) if operand.ty == Type::Metadata => {}
                Value::Metadata(_) => return Err(Problem::Constant(operand.ty.clone())),
            }
        }
        self.operation(instruction, block, index, body)?;
        flags(instruction)?;
        self.metadata(instruction)?;
        self.result(instruction, body)
    }

    fn result(&self, instruction: &Instruction, body: &Body<'_>) -> Result<(), Problem> {
        let operands = &instruction.operands;
        let typed = self.module.has_typed_pointers;
        let computed = instruction.op.result(operands, &|name| self.definition(name), typed);
        let computed = computed.ok_or(Problem::NoResultType)?;
        match instruction.result {
            Some(result) => {
                let written = &body.code.local(result).ty;
                if computed == Type::Void {
                    Err(Problem::Result)
                } else if computed == *written {
                    Ok(())
                } else {
                    Err(Problem::ResultType { computed, written: written.clone() })
                }
            }
            None if computed == Type::Void => Ok(()),
            None => Err(Problem::Result),
        }
    }

    fn operation(
        &self,
        instruction: &Instruction,
        block: BlockId,
        index: usize,
        body: &Body<'_>,
    ) -> Result<(), Problem> {
        let operands = &instruction.operands;
        match &instruction.op {
            Op::Binary(_) => {
                count(operands, 2)?;
                require(operands, 0, "an integer", is_int)?;
                equal(&operands[0].ty, &operands[1].ty)
            }
            Op::FloatBinary(_) => {
                count(operands, 2)?;
                require(operands, 0, "a floating-point number", is_float)?;
                equal(&operands[0].ty, &operands[1].ty)
            }
            Op::FNeg => {
                count(operands, 1)?;
                require(operands, 0, "a floating-point number", is_float)
            }
            Op::ICmp(_) => {
                count(operands, 2)?;
                require(operands, 0, "an integer or pointer", |ty| is_int(ty) || is_pointer(ty))?;
                equal(&operands[0].ty, &operands[1].ty)
            }
            Op::FCmp(_) => {
                count(operands, 2)?;
                require(operands, 0, "a floating-point number", is_float)?;
                equal(&operands[0].ty, &operands[1].ty)
            }
            Op::Select => {
                count(operands, 3)?;
                let value = operands[1].ty.clone();
                require(operands, 0, "i1 or a vector of it", |ty| {
                    *ty.lane() == Type::BOOL && (!ty.is_vector() || same_lanes(ty, &value))
                })?;
                require(operands, 1, "a value", |ty| is_value(ty) && *ty != Type::Token)?;
                equal(&operands[1].ty, &operands[2].ty)
            }
            Op::Freeze => {
                count(operands, 1)?;
                require(operands, 0, "a value", |ty| is_value(ty) && *ty != Type::Token)
            }
            Op::Cast(op, to) => {
                count(operands, 1)?;
                self.cast(*op, &operands[0].ty, to)
            }
            Op::Phi(blocks) => {
                require(operands, 0, "a value", |ty| is_value(ty) && *ty != Type::Token)?;
                self.phi(instruction, blocks, block, body)
            }
            Op::Call(call) => self.call(call, operands),
            Op::Load(..)
            | Op::Store(_)
            | Op::Alloca { .. }
            | Op::GetElementPtr { .. }
            | Op::CmpXchg { .. }
            | Op::AtomicRmw { .. }
            | Op::Fence(_)
            | Op::VaArg(_) => self.memory(instruction),
            Op::ExtractElement => {
                count(operands, 2)?;
                require(operands, 0, "a vector", Type::is_vector)?;
                require(operands, 1, "an integer", Type::is_int)
            }
            Op::InsertElement => {
                count(operands, 3)?;
                require(operands, 0, "a vector", Type::is_vector)?;
                require(operands, 2, "an integer", Type::is_int)?;
                equal(operands[0].ty.lane(), &operands[1].ty)
            }
            Op::ShuffleVector(mask, scalable) => self.shuffle(operands, mask, *scalable),
            Op::ExtractValue(path) => {
                count(operands, 1)?;
                self.element(&operands[0].ty, path).map(|_| ())
            }
            Op::InsertValue(path) => {
                count(operands, 2)?;
                equal(&self.element(&operands[0].ty, path)?, &operands[1].ty)
            }
            Op::LandingPad { cleanup, clauses, .. } => {
                count(operands, clauses.len())?;
                if !cleanup && clauses.is_empty() {
                    return Err(Problem::LandingPad);
                }
                for (operand, clause) in clauses.iter().enumerate() {
                    if operands[operand].as_constant().is_none() {
                        return Err(Problem::LandingPad);
                    }
                    require(operands, operand, "what the clause catches", |ty| match clause {
                        Clause::Catch => ty.is_pointer(),
                        Clause::Filter => matches!(ty, Type::Array { .. }),
                    })?;
                }
                self.landing_pad(block, index, body)
            }
            Op::Return => match (operands.as_slice(), &body.header.returns) {
                ([], Type::Void) => Ok(()),
                ([], _) => Err(Problem::Return(Type::Void)),
                ([value], returns) if value.ty == *returns => Ok(()),
                ([value, ..], _) => Err(Problem::Return(value.ty.clone())),
            },
            Op::Branch(_) | Op::Unreachable => count(operands, 0),
            Op::CondBranch(..) => {
                count(operands, 1)?;
                require(operands, 0, "i1", |ty| *ty == Type::BOOL)
            }
            Op::Switch { cases, .. } => {
                count(operands, 1)?;
                require(operands, 0, "an integer", Type::is_int)?;
                let mut values: Vec<u128> = cases.iter().map(|(value, _)| *value).collect();
                values.sort_unstable();
                if values.windows(2).any(|pair| pair[0] == pair[1]) {
                    return Err(Problem::Case);
                }
                let width = operands[0].ty.int_width().unwrap_or(0);
                let fits = |value: &u128| width >= 128 || value >> width == 0;
                if values.iter().all(fits) { Ok(()) } else { Err(Problem::Case) }
            }
            Op::IndirectBranch(_) => {
                count(operands, 1)?;
                require(operands, 0, "a pointer", Type::is_pointer)
            }
            Op::Invoke { call, unwind, .. } => {
                if !body.header.suffix.contains("personality") {
                    return Err(Problem::Personality);
                }
                let unwind = &body.code.block(*unwind).instructions;
                let first = unwind.iter().find(|instruction| !instruction.is_phi());
                if !first.is_some_and(|first| matches!(first.op, Op::LandingPad { .. })) {
                    return Err(Problem::LandingPad);
                }
                self.call(call, operands)
            }
            Op::Resume => {
                count(operands, 1)?;
                require(operands, 0, "a value", is_value)?;
                let has_personality = body.header.suffix.contains("personality");
                if has_personality { Ok(()) } else { Err(Problem::Personality) }
            }
        }
    }

    /// The type at a path into an aggregate.
    fn element(&self, aggregate: &Type, path: &[u32]) -> Result<Type, Problem> {
        if path.is_empty() {
            return Err(Problem::Path);
        }
        let mut ty = aggregate.clone();
        for &index in path {
            if let Type::Array { length, .. } = self.resolved(&ty)
                && u64::from(index) >= *length
            {
                return Err(Problem::Path);
            }
            let inner = field(&ty, index.into(), &|name| self.definition(name));
            ty = inner.ok_or(Problem::Path)?;
        }
        Ok(ty)
    }

    fn shuffle(
        &self,
        operands: &[Operand],
        mask: &[Option<u32>],
        scalable: bool,
    ) -> Result<(), Problem> {
        count(operands, 2)?;
        require(operands, 0, "a vector", Type::is_vector)?;
        equal(&operands[0].ty, &operands[1].ty)?;
        let Type::Vector { lanes, scalable: is_scalable, .. } = &operands[0].ty else {
            return Err(Problem::Mask);
        };
        let is_uniform =
            || mask.iter().all(|lane| *lane == Some(0)) || mask.iter().all(Option::is_none);
        let fits = |lane: &Option<u32>| lane.is_none_or(|lane| lane / 2 < *lanes);
        let is_valid = !mask.is_empty()
            && scalable == *is_scalable
            && mask.iter().all(fits)
            && (!scalable || is_uniform());
        if is_valid { Ok(()) } else { Err(Problem::Mask) }
    }

    /// A landing pad is the first instruction of its block but phis, and only invokes unwind to it.
    fn landing_pad(&self, block: BlockId, index: usize, body: &Body<'_>) -> Result<(), Problem> {
        let code = body.code;
        let before = &code.block(block).instructions[..index];
        let unwinds = |from: &BlockId| {
            let last = code.block(*from).terminator().map(|last| &last.op);
            matches!(last, Some(Op::Invoke { normal, unwind, .. }) if *unwind == block && *normal != block)
        };
        let is_placed = before.iter().all(Instruction::is_phi)
            && block != BlockId(0)
            && body.cfg.predecessors(block).iter().all(unwinds);
        if !is_placed {
            return Err(Problem::LandingPad);
        }
        let has_personality = body.header.suffix.contains("personality");
        if has_personality { Ok(()) } else { Err(Problem::Personality) }
    }

    /// The metadata that mutations may leave on values of other types.
    fn metadata(&self, instruction: &Instruction) -> Result<(), Problem> {
        if instruction.metadata.is_empty() {
            return Ok(());
        }
        let ty = match &instruction.op {
            Op::Load(ty, _) => ty,
            Op::Call(call) | Op::Invoke { call, .. } => &call.returns,
            _ => return Ok(()),
        };
        if let Some(node) = instruction.attachment("range")
            && node.starts_with("!{i")
            && !node.starts_with(&format!("!{{{} ", ty.lane()))
        {
            return Err(Problem::Metadata("range", ty.clone()));
        }
        if instruction.attachment("nonnull").is_some() && !ty.is_pointer() {
            return Err(Problem::Metadata("nonnull", ty.clone()));
        }
        Ok(())
    }
}

/// Whether the instruction can have its flags.
fn flags(instruction: &Instruction) -> Result<(), Problem> {
    if instruction.flags.is_empty() {
        return Ok(());
    }
    let wraps = Flags::NUW | Flags::NSW;
    let allowed = match &instruction.op {
        Op::Binary(op) => match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => wraps,
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::LShr | BinaryOp::AShr => Flags::EXACT,
            BinaryOp::Or => Flags::DISJOINT,
            BinaryOp::URem | BinaryOp::SRem | BinaryOp::And | BinaryOp::Xor => Flags::NONE,
        },
        Op::Cast(op, _) => match op {
            CastOp::Trunc => wraps,
            CastOp::ZExt => Flags::NNEG,
            CastOp::UiToFp => Flags::NNEG | Flags::FAST,
            CastOp::SiToFp | CastOp::FpTrunc | CastOp::FpExt => Flags::FAST,
            _ => Flags::NONE,
        },
        Op::ICmp(_) => Flags::SAMESIGN,
        Op::GetElementPtr { .. } => Flags::INBOUNDS | Flags::NUSW | Flags::NUW,
        Op::FloatBinary(_) | Op::FNeg | Op::FCmp(_) => Flags::FAST,
        Op::Select | Op::Phi(_) | Op::Call(_) | Op::Invoke { .. } => Flags::FAST,
        _ => Flags::NONE,
    };
    let mut is_allowed = instruction.flags.without(allowed).is_empty();
    // These have fast-math flags only if their result is a floating-point number.
    let result = match &instruction.op {
        Op::Select => instruction.operands.get(1).map(|operand| &operand.ty),
        Op::Phi(_) => instruction.operands.first().map(|operand| &operand.ty),
        Op::Call(call) | Op::Invoke { call, .. } => Some(&call.returns),
        _ => None,
    };
    if let Some(ty) = result {
        is_allowed &= is_float_or_made_of(ty);
    }
    if is_allowed { Ok(()) } else { Err(Problem::Flags) }
}
