//! Instructions as steps. Calls are in `call`.

use super::{Lowering, Scratch, narrow, result};
use crate::interpret::float::FloatOp;
use crate::interpret::lane::LaneOp;
use crate::interpret::program::{Access, Action, Guard, Offset, Rmw, Source, Step, Term};
use crate::interpret::shape::Shape;
use crate::interpret::stop::Stop;
use crate::ir::{
    Attributes, BinaryOp, CastOp, Constant, Flags, FloatBinaryOp, Instruction, Op, Operand, Type,
};
use crate::semantics::Intrinsic;

impl<'a> Lowering<'a> {
    pub(super) fn step(
        &mut self,
        scratch: &mut Scratch<'a>,
        instruction: &'a Instruction,
        before: &mut Vec<Step>,
    ) -> Result<Step, Stop> {
        let operands = &instruction.operands;
        let flags = instruction.flags;
        let first = |lowering: &Self| match operands.first() {
            Some(operand) => lowering.shape(&operand.ty),
            None => Stop::unsupported("missing operands"),
        };
        // Operands of calls may be metadata.
        if let Op::Call(call) = &instruction.op {
            return self.call(scratch, instruction, call, None, before);
        }
        if let Op::Invoke { call, normal, .. } = &instruction.op {
            return self.call(scratch, instruction, call, Some(normal.0), before);
        }
        let action = match &instruction.op {
            Op::Binary(op) => {
                let shape = first(self)?;
                let width = shape.lane_bits(&self.program.layout);
                Action::Lanes(LaneOp::Binary(*op, flags, width), shape.lanes())
            }
            Op::FloatBinary(op) => {
                let op = match op {
                    FloatBinaryOp::Add => FloatOp::Add,
                    FloatBinaryOp::Sub => FloatOp::Sub,
                    FloatBinaryOp::Mul => FloatOp::Mul,
                    FloatBinaryOp::Div => FloatOp::Div,
                    FloatBinaryOp::Rem => FloatOp::Rem,
                };
                self.float(scratch, op, flags, &first(self)?)?
            }
            Op::FNeg => self.float(scratch, FloatOp::Neg, flags, &first(self)?)?,
            Op::ICmp(predicate) => {
                let shape = first(self)?;
                let width = shape.lane_bits(&self.program.layout);
                let op = match shape.lane() {
                    Shape::Pointer => LaneOp::ComparePointers(*predicate, flags, width),
                    _ => LaneOp::Compare(*predicate, flags, width),
                };
                Action::Lanes(op, shape.lanes())
            }
            Op::FCmp(predicate) => {
                let shape = first(self)?;
                let Shape::Float(kind) = shape.lane() else {
                    return Stop::unsupported("fcmp of other values than floats");
                };
                if let Some(reason) = scratch.floats {
                    return Stop::unsupported(reason);
                }
                if !flags.without(Flags::NNAN | Flags::NINF).is_empty() {
                    before.push(narrow("fast-math flags of a comparison"));
                }
                Action::Lanes(LaneOp::FloatCompare(*predicate, flags, *kind), shape.lanes())
            }
            Op::Select => self.select(instruction)?,
            Op::Freeze => Action::Freeze(first(self)?),
            Op::Cast(op, to) => {
                let (from, to) = (first(self)?, self.shape(to)?);
                self.cast(scratch.floats, *op, flags, &from, &to)?
            }
            Op::Load(ty, memory) => {
                let shape = self.shape(ty)?;
                let mut guard = Guard::of(&Attributes::default(), &shape);
                guard.add_metadata(self.module, instruction, &shape);
                let align = memory.align.unwrap_or_else(|| self.program.layout.align(&shape));
                let volatile = memory.volatile;
                Action::Load(Box::new(Access { shape, align, volatile, guard }))
            }
            Op::Store(memory) => {
                let shape = first(self)?;
                let mut guard = Guard::default();
                guard.add_metadata(self.module, instruction, &shape);
                let align = memory.align.unwrap_or_else(|| self.program.layout.align(&shape));
                let volatile = memory.volatile;
                Action::Store(Box::new(Access { shape, align, volatile, guard }))
            }
            Op::Alloca { of, align, space, modifier } => {
                if modifier.is_some() {
                    return Stop::unsupported("special local variables");
                }
                self.shape(&Type::Pointer { space: *space, to: None })?;
                let shape = self.shape(of)?;
                let size = self.program.layout.size(&shape);
                let align = align.unwrap_or_else(|| self.program.layout.align(&shape));
                let count = match operands.first() {
                    Some(operand) => operand.ty.int_width(),
                    None => None,
                };
                let starts_dead = instruction.result.is_some_and(|local| {
                    scratch.code.instructions().any(|it| {
                        it.callee().is_some_and(|name| name.starts_with("llvm.lifetime.start"))
                            && it.operands.iter().any(|operand| operand.as_local() == Some(local))
                    })
                });
                Action::Alloca { size, align, count, starts_dead }
            }
            Op::GetElementPtr { element } => {
                let base = instruction.result.map(|it| scratch.code.local(it).ty.clone());
                let shape = self.shape(&base.unwrap_or(Type::POINTER))?;
                self.offset(flags, element, operands, &shape)?
            }
            Op::ExtractElement => {
                let Shape::Vector(lanes, _) = first(self)? else {
                    return Stop::unsupported("extractelement of another value");
                };
                Action::ExtractElement(lanes)
            }
            Op::InsertElement => {
                let Shape::Vector(lanes, _) = first(self)? else {
                    return Stop::unsupported("insertelement into another value");
                };
                Action::InsertElement(lanes)
            }
            Op::ShuffleVector(mask, is_scalable) => {
                let Shape::Vector(lanes, _) = first(self)? else {
                    return Stop::unsupported("shufflevector of another value");
                };
                let ty = instruction.result.map(|it| scratch.code.local(it).ty.clone());
                let to = self.shape(&ty.unwrap_or(Type::Void))?.lanes().unwrap_or(0);
                let mask = match (*is_scalable, mask.first()) {
                    (true, Some(first)) => vec![*first; to as usize].into(),
                    _ => mask.clone(),
                };
                Action::Shuffle(mask, lanes)
            }
            Op::ExtractValue(path) => Action::ExtractValue(path.clone()),
            Op::InsertValue(path) => Action::InsertValue(path.clone()),
            Op::AtomicRmw { prefix, op, suffix } => {
                self.read_modify_write(operands, prefix, op, suffix)?
            }
            Op::CmpXchg { prefix, suffix } => {
                let shape = match operands.get(1) {
                    Some(operand) => self.shape(&operand.ty)?,
                    None => return Stop::unsupported("missing operands"),
                };
                if !prefix.trim().is_empty() {
                    return Stop::unsupported("weak or volatile cmpxchg");
                }
                let align = suffix_align(suffix).unwrap_or(self.program.layout.size(&shape));
                let guard = Guard::default();
                Action::CompareExchange(Box::new(Access { shape, align, volatile: false, guard }))
            }
            Op::Fence(_) => Action::Nothing,
            Op::Return => Action::Return,
            Op::Branch(to) => Action::Branch(to.0),
            Op::CondBranch(yes, no) => Action::CondBranch(yes.0, no.0),
            Op::Switch { default, cases } => {
                let Shape::Int(width) = first(self)? else {
                    return Stop::unsupported("switch over another value");
                };
                let cases = cases.iter().map(|(value, block)| (*value, block.0)).collect();
                Action::Switch { width, default: default.0, cases }
            }
            Op::Unreachable => Action::Unreachable,
            Op::VaArg(_) => return Stop::unsupported("va_arg"),
            Op::LandingPad { .. } | Op::Resume => return Stop::unsupported("exceptions"),
            Op::IndirectBranch(_) => return Stop::unsupported("indirectbr"),
            Op::Phi(_) | Op::Call(_) | Op::Invoke { .. } => {
                return Stop::unsupported("a phi behind other instructions");
            }
        };
        let operands = self.sources(scratch, operands)?;
        let step = Step { result: result(instruction), operands, action };
        if instruction.op != Op::Select || flags.is_empty() {
            return Ok(step);
        }
        before.push(step);
        self.kept(scratch, instruction, before.last_mut())
    }

    /// Checks the result of a `select` or `phi` against its fast-math flags: it goes to another register,
    /// and from there through the check.
    pub(super) fn kept(
        &self,
        scratch: &mut Scratch<'a>,
        instruction: &Instruction,
        step: Option<&mut Step>,
    ) -> Result<Step, Stop> {
        let to = result(instruction);
        let ty = instruction.result.map(|it| scratch.code.local(it).ty.clone());
        let shape = self.shape(&ty.unwrap_or(Type::Void))?;
        let action = self.float(scratch, FloatOp::Same, instruction.flags, &shape)?;
        let register = scratch.lowered.registers as u32;
        scratch.lowered.registers += 1;
        if let Some(step) = step {
            step.result = register;
        }
        Ok(Step { result: to, operands: vec![Source::Register(register)], action })
    }

    pub(super) fn float(
        &self,
        scratch: &Scratch,
        op: FloatOp,
        flags: Flags,
        shape: &Shape,
    ) -> Result<Action, Stop> {
        let Shape::Float(kind) = shape.lane() else {
            return Stop::unsupported("an operation on other values than floats");
        };
        if let (Some(reason), false) = (scratch.floats, op.is_bitwise()) {
            return Stop::unsupported(reason);
        }
        Ok(Action::Lanes(LaneOp::Float(op, flags, *kind), shape.lanes()))
    }

    fn select(&self, instruction: &Instruction) -> Result<Action, Stop> {
        let [condition, yes, _] = &instruction.operands[..] else {
            return Stop::unsupported("missing operands");
        };
        let shape = self.shape(&yes.ty)?;
        let is_aggregate = matches!(shape, Shape::Array(..) | Shape::Struct(_));
        if is_aggregate || shape.lanes().is_some() && !condition.ty.is_vector() {
            return Ok(Action::SelectWhole);
        }
        Ok(Action::Lanes(LaneOp::Select(shape.kind(&self.program.layout)), shape.lanes()))
    }

    pub(super) fn cast(
        &self,
        floats: Option<&'static str>,
        op: CastOp,
        flags: Flags,
        from: &Shape,
        to: &Shape,
    ) -> Result<Action, Stop> {
        let layout = &self.program.layout;
        let lanes = from.lanes();
        let lane = match (op, from.lane(), to.lane()) {
            (CastOp::Trunc | CastOp::ZExt | CastOp::SExt, Shape::Int(a), Shape::Int(b)) => {
                LaneOp::Cast(op, flags, *a, *b)
            }
            (CastOp::FpTrunc | CastOp::FpExt, Shape::Float(a), Shape::Float(b)) => {
                LaneOp::FloatCast { flags, from: *a, to: *b }
            }
            (CastOp::FpToUi | CastOp::FpToSi, Shape::Float(a), Shape::Int(b)) => {
                let signed = op == CastOp::FpToSi;
                LaneOp::FloatToInt { signed, saturating: false, from: *a, to: *b }
            }
            (CastOp::UiToFp | CastOp::SiToFp, Shape::Int(a), Shape::Float(b)) => {
                LaneOp::IntToFloat { signed: op == CastOp::SiToFp, flags, from: *a, to: *b }
            }
            (CastOp::PtrToInt | CastOp::PtrToAddr, Shape::Pointer, Shape::Int(width)) => {
                LaneOp::PointerToInt(*width)
            }
            (CastOp::IntToPtr, Shape::Int(width), Shape::Pointer) => {
                if *width > 64 {
                    return Stop::unsupported("inttoptr of wide integers");
                }
                LaneOp::IntToPointer((*width).min(layout.pointer_bits))
            }
            // The same address: what another address means is up to the target.
            (CastOp::AddrSpaceCast, ..) => return Ok(Action::CastSpace),
            (CastOp::BitCast, a, b) if a == b && lanes == to.lanes() => return Ok(Action::Move),
            (CastOp::BitCast, a, b) if *a != Shape::Pointer && *b != Shape::Pointer => {
                return Ok(Action::BitCast(from.clone(), to.clone()));
            }
            _ => return Stop::unsupported(op.word()),
        };
        let is_float = from.lane() != to.lane()
            && (matches!(from.lane(), Shape::Float(_)) || matches!(to.lane(), Shape::Float(_)));
        if let (Some(reason), true) = (floats, is_float) {
            return Stop::unsupported(reason);
        }
        Ok(Action::Lanes(lane, lanes))
    }

    /// `getelementptr`, as an instruction or as a constant expression.
    pub(super) fn offset(
        &self,
        flags: Flags,
        element: &Type,
        operands: &[Operand],
        to: &Shape,
    ) -> Result<Action, Stop> {
        let layout = &self.program.layout;
        let mut shape = self.shape(element)?;
        let mut terms = Vec::with_capacity(operands.len());
        for (index, operand) in operands.iter().enumerate().skip(1) {
            let Some(width) = operand.ty.int_width() else {
                return Stop::unsupported("indices of other types");
            };
            let is_vector = index > 1 && matches!(shape, Shape::Vector(..));
            if index > 1 {
                let inner = match &shape {
                    Shape::Struct(fields) => {
                        let number = match operand.as_constant().and_then(|it| it.lane(0)) {
                            Some(Constant::Int(number)) => Some(*number as usize),
                            Some(Constant::Zero) => Some(0),
                            _ => None,
                        };
                        let field = number.and_then(|number| fields.fields.get(number));
                        let Some((offset, field)) = field else {
                            return Stop::unsupported("a field that does not exist");
                        };
                        terms.push(Term::Fixed(*offset));
                        shape = field.clone();
                        continue;
                    }
                    Shape::Array(_, of) | Shape::Vector(_, of) => (**of).clone(),
                    _ => return Stop::unsupported("an index into a scalar"),
                };
                shape = inner;
            }
            // Elements of vectors have no padding between them.
            let size = if is_vector { layout.store_size(&shape) } else { layout.size(&shape) };
            terms.push(Term::Scaled { operand: index, width, size });
        }
        Ok(Action::Offset(Box::new(Offset { flags, terms, lanes: to.lanes() })))
    }

    fn read_modify_write(
        &self,
        operands: &[Operand],
        prefix: &str,
        op: &str,
        suffix: &str,
    ) -> Result<Action, Stop> {
        let shape = match operands.get(1) {
            Some(operand) => self.shape(&operand.ty)?,
            None => return Stop::unsupported("missing operands"),
        };
        let change = match op {
            "xchg" => Rmw::Exchange,
            "nand" => Rmw::Nand,
            "max" => Rmw::Extreme(Intrinsic::SMax),
            "min" => Rmw::Extreme(Intrinsic::SMin),
            "umax" => Rmw::Extreme(Intrinsic::UMax),
            "umin" => Rmw::Extreme(Intrinsic::UMin),
            _ => match BinaryOp::of(op) {
                Some(op) => Rmw::Binary(op),
                None => return Stop::unsupported("other atomicrmw"),
            },
        };
        if !prefix.trim().is_empty() || change != Rmw::Exchange && !matches!(shape, Shape::Int(_)) {
            return Stop::unsupported("volatile or floating-point atomicrmw");
        }
        let align = suffix_align(suffix).unwrap_or(self.program.layout.size(&shape));
        let access = Access { shape, align, volatile: false, guard: Guard::default() };
        Ok(Action::ReadModifyWrite(Box::new(access), change))
    }
}

fn suffix_align(suffix: &str) -> Option<u64> {
    suffix.split_once("align ")?.1.split([' ', ',']).next()?.parse().ok()
}
