//! Intrinsics on whole vectors, and masked accesses to memory.

use super::Lowering;
use crate::interpret::float::FloatOp;
use crate::interpret::lane::LaneOp;
use crate::interpret::program::{Access, Action, Guard};
use crate::interpret::shape::Shape;
use crate::interpret::stop::Stop;
use crate::interpret::vector::{Masked, VectorOp};
use crate::ir::{Call, Constant, Instruction};

impl<'a> Lowering<'a> {
    /// The action of a vector intrinsic that has a model.
    pub(super) fn vector_intrinsic(
        &self,
        floats: Option<&'static str>,
        instruction: &'a Instruction,
        call: &Call,
        name: &str,
    ) -> Result<Option<Action>, Stop> {
        let Some(name) = name.strip_prefix("llvm.") else { return Ok(None) };
        if let Some(rest) = name.strip_prefix("masked.") {
            return self.masked(instruction, call, rest);
        }
        let name = name.strip_prefix("experimental.").unwrap_or(name);
        let operands = &instruction.operands;
        let number = |index: usize| match operands.get(index).and_then(|it| it.as_constant()) {
            Some(Constant::Int(value)) => Some(*value),
            _ => None,
        };
        let layout = &self.program.layout;
        let starts = |prefix: &str| name.starts_with(prefix);
        if starts("vscale.") {
            let width = call.returns.int_width().unwrap_or(0);
            let fits = width >= 32 || layout.vscale >> width == 0;
            let number = fits.then_some(u128::from(layout.vscale));
            return Ok(Some(Action::Vector(VectorOp::Number(number))));
        }
        if !starts("vector.") && !starts("stepvector.") && !starts("get.active.lane.mask.") {
            return Ok(None);
        }
        let returns = self.shape(&call.returns)?;
        let lanes = returns.lanes().unwrap_or(0);
        let first = match operands.first() {
            Some(operand) => self.shape(&operand.ty)?,
            None => Shape::Void,
        };
        // Indices of scalable parts count in units of vscale.
        let scaled = |index: usize, is_scalable: bool| {
            let unit = if is_scalable { layout.vscale } else { 1 };
            number(index).and_then(|it| u32::try_from(it).ok()).map(|it| it.saturating_mul(unit))
        };
        let op = if starts("get.active.lane.mask.") {
            VectorOp::LaneMask { width: first.lane_bits(layout), lanes }
        } else if starts("stepvector.") || starts("vector.stepvector.") {
            VectorOp::Steps { width: returns.lane_bits(layout), lanes }
        } else if starts("vector.reverse.") {
            VectorOp::Reverse
        } else if starts("vector.insert.") {
            let Some(part) = operands.get(1) else { return Ok(None) };
            match scaled(2, is_scalable(&part.ty)) {
                Some(at) => VectorOp::InsertPart(at),
                None => return Ok(None),
            }
        } else if starts("vector.extract.") {
            match scaled(1, is_scalable(&call.returns)) {
                Some(at) => VectorOp::ExtractPart { at, lanes },
                None => return Ok(None),
            }
        } else if starts("vector.interleave") {
            VectorOp::Interleave
        } else if starts("vector.deinterleave") {
            match &returns {
                Shape::Struct(fields) => VectorOp::Deinterleave(fields.fields.len() as u32),
                _ => return Ok(None),
            }
        } else if starts("vector.splice.v") || starts("vector.splice.nxv") {
            match number(2) {
                Some(by) => VectorOp::Splice(by as u32 as i32),
                None => return Ok(None),
            }
        } else if let Some(reduction) = name.strip_prefix("vector.reduce.f") {
            let has_start = reduction.starts_with("add.") || reduction.starts_with("mul.");
            let op = match reduction.split('.').next() {
                Some("add") => FloatOp::Add,
                Some("mul") => FloatOp::Mul,
                Some("max") => FloatOp::MaxNum,
                Some("min") => FloatOp::MinNum,
                Some("maximum") => FloatOp::Maximum,
                Some("minimum") => FloatOp::Minimum,
                _ => return Ok(None),
            };
            let (Shape::Float(kind), None) = (returns.lane(), floats) else { return Ok(None) };
            VectorOp::ReduceFloat(LaneOp::Float(op, instruction.flags, *kind), has_start)
        } else {
            return Ok(None);
        };
        Ok(Some(Action::Vector(op)))
    }

    fn masked(
        &self,
        instruction: &'a Instruction,
        call: &Call,
        name: &str,
    ) -> Result<Option<Action>, Stop> {
        let operands = &instruction.operands[..call.arguments()];
        let kind = match name.split('.').next() {
            Some("load") => Masked::Load,
            Some("store") => Masked::Store,
            Some("gather") => Masked::Gather,
            Some("scatter") => Masked::Scatter,
            Some("expandload") => Masked::ExpandLoad,
            Some("compressstore") => Masked::CompressStore,
            _ => return Ok(None),
        };
        let stores = matches!(kind, Masked::Store | Masked::Scatter | Masked::CompressStore);
        // Before LLVM 22, the alignment is an operand behind the address.
        let address = usize::from(stores);
        let old = match operands.get(address + 1).and_then(|it| it.as_constant()) {
            Some(Constant::Int(align)) if !operands[address + 1].ty.is_vector() => Some(*align),
            _ => None,
        };
        let own = call.argument_attributes.get(address).and_then(|it| it.number("align"));
        let shape = if stores { self.shape(&operands[0].ty)? } else { self.shape(&call.returns)? };
        let Shape::Vector(lanes, lane) = shape else { return Ok(None) };
        let layout = &self.program.layout;
        if !lane.lane_bits(layout).is_multiple_of(8) {
            return Stop::unsupported("masked accesses of lanes that are no whole bytes");
        }
        let align = match (old, own) {
            (Some(0), _) | (None, None) if kind.is_packed() => 1,
            (Some(0), _) => layout.align(&lane),
            (Some(align), _) => align as u64,
            (None, own) => own.unwrap_or(1),
        };
        let mut guard = Guard::default();
        guard.add_metadata(self.module, instruction, &lane);
        let access = Access { shape: (*lane).clone(), align, volatile: false, guard };
        let mask = address + 1 + usize::from(old.is_some());
        Ok(Some(Action::Vector(VectorOp::Masked(Box::new((kind, access, lanes, mask as u32))))))
    }
}

fn is_scalable(ty: &crate::ir::Type) -> bool {
    matches!(ty, crate::ir::Type::Vector { scalable: true, .. })
}
