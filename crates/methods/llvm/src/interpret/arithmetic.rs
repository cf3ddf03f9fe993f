//! Steps that compute values from values: lanes, vectors, aggregates, addresses.

use super::interpreter::Interpreter;
use super::lane::{Kind, LaneOp};
use super::program::{Offset, Step, Term};
use super::shape::Shape;
use super::stop::Stop;
use super::value::{Lane, Pointer, Value};
use crate::ir::Flags;
use crate::semantics::{Bits, Intrinsic, Reduction};

impl Interpreter<'_> {
    pub(crate) fn lanes(
        &mut self,
        op: LaneOp,
        lanes: Option<u32>,
        step: &Step,
        registers: &[Value],
    ) -> Result<Value, Stop> {
        let count = step.operands.len().min(3);
        let mut values = [&Value::POISON; 3];
        for (slot, source) in values.iter_mut().zip(&step.operands) {
            *slot = source.get(registers);
        }
        let flushes = self.flushes;
        let mut is_flushed = false;
        let mut scope = self.scope();
        let mut apply = |index: usize| {
            let mut operands = [&Lane::Poison; 3];
            for (slot, value) in operands.iter_mut().zip(&values[..count]) {
                *slot = value.lane(index);
            }
            let result = op.apply(&operands[..count], &mut scope)?;
            is_flushed |= flushes && op.sees_subnormal(&operands[..count], &result);
            Ok(result)
        };
        let value = match lanes {
            None => Value::Lane(apply(0)?),
            Some(lanes) => {
                let lanes = (0..lanes as usize).map(|index| apply(index).map(Value::Lane));
                Value::Many(lanes.collect::<Result<_, Stop>>()?)
            }
        };
        if is_flushed {
            self.opaque = Some("subnormal numbers under a denormal mode".into());
        }
        Ok(value)
    }

    pub(crate) fn with_overflow(
        &mut self,
        intrinsic: Intrinsic,
        width: u32,
        lanes: Option<u32>,
        step: &Step,
        registers: &[Value],
    ) -> Result<Value, Stop> {
        let value = LaneOp::Intrinsic(intrinsic, width, width);
        let first = self.lanes(value, lanes, step, registers)?;
        let second = self.lanes(LaneOp::Overflow(intrinsic, width), lanes, step, registers)?;
        Ok(Value::Many(Box::new([first, second])))
    }

    pub(crate) fn reduce(
        &mut self,
        reduction: Reduction,
        width: u32,
        lanes: u32,
        vector: &Value,
    ) -> Result<Value, Stop> {
        let op = match reduction {
            Reduction::Binary(op) => LaneOp::Binary(op, Flags::NONE, width),
            Reduction::Intrinsic(intrinsic) => LaneOp::Intrinsic(intrinsic, width, width),
        };
        let mut sum = vector.lane(0).clone();
        for index in 1..lanes as usize {
            sum = op.apply(&[&sum, vector.lane(index)], &mut self.scope())?;
        }
        Ok(Value::Lane(sum))
    }

    pub(crate) fn freeze(&mut self, shape: &Shape, value: &Value) -> Result<Value, Stop> {
        match value {
            Value::Lane(lane @ (Lane::Bits(_) | Lane::Pointer(_))) => Ok(Value::Lane(lane.clone())),
            Value::Lane(lane) => {
                let kind = shape.kind(&self.program.layout);
                let lane = self.forced(lane, kind)?;
                if lane == Lane::Poison {
                    if kind == Kind::Pointer {
                        self.narrowed = Some("freeze of a poison pointer");
                    }
                    let chosen = super::lane::choose(kind, &mut self.scope());
                    return Ok(Value::Lane(chosen));
                }
                Ok(Value::Lane(lane))
            }
            Value::Many(elements) => {
                let mut frozen = Vec::with_capacity(elements.len());
                for (index, element) in elements.iter().enumerate() {
                    let inner = match shape {
                        Shape::Vector(_, of) | Shape::Array(_, of) => of,
                        Shape::Struct(fields) => &fields.fields[index].1,
                        _ => shape,
                    };
                    frozen.push(self.freeze(inner, element)?);
                }
                Ok(Value::Many(frozen.into()))
            }
        }
    }

    /// A cast that keeps the bits: through the memory that both types share.
    pub(crate) fn bit_cast(
        &mut self,
        from: &Shape,
        to: &Shape,
        value: &Value,
    ) -> Result<Value, Stop> {
        let program = self.program;
        let layout = &program.layout;
        let (wide, narrow) = (from.lane_bits(layout), to.lane_bits(layout));
        let (sources, targets) = (from.lanes().unwrap_or(1), to.lanes().unwrap_or(1));
        let is_big = layout.big_endian;
        let mut lanes = Vec::with_capacity(targets as usize);
        for index in 0..targets {
            let place = if is_big { targets - 1 - index } else { index };
            let (first, last) = (place * narrow / wide, ((place + 1) * narrow - 1) / wide);
            let lane =
                |place: u32| value.lane(if is_big { sources - 1 - place } else { place } as usize);
            let parts: Vec<&Lane> = (first..=last).map(lane).collect();
            let poison = parts.iter().filter(|part| ***part == Lane::Poison).count();
            self.cast_mixed_poison |= poison > 0 && poison < parts.len();
            let all_undef = parts.iter().all(|part| **part == Lane::Undef);
            lanes.push(Value::Lane(if wide == narrow {
                parts[0].clone()
            } else if all_undef {
                Lane::Undef
            } else {
                let low = place * narrow - first * wide;
                let op = LaneOp::Slice { from: wide, low, to: narrow };
                op.apply(&parts, &mut self.scope())?
            }));
        }
        Ok(match to {
            Shape::Vector(..) => Value::Many(lanes.into()),
            _ => lanes.swap_remove(0),
        })
    }

    /// The index of an element: none if it is poison or out of bounds.
    pub(crate) fn index(
        &mut self,
        value: &Value,
        width: u32,
        lanes: u32,
    ) -> Result<Option<usize>, Stop> {
        let lane = value.lane(0);
        if lane.is_unsettled() {
            self.narrowed = Some("undef as an index");
        }
        Ok(match self.forced(lane, Kind::Bits(width))? {
            Lane::Bits(index) if index < u128::from(lanes) => Some(index as usize),
            _ => None,
        })
    }

    pub(crate) fn offset(
        &mut self,
        offset: &Offset,
        step: &Step,
        registers: &[Value],
    ) -> Result<Value, Stop> {
        let base = step.operands[0].get(registers);
        let Some(lanes) = offset.lanes else {
            return Ok(Value::Lane(self.offset_lane(offset, base.lane(0), 0, step, registers)?));
        };
        let mut all = Vec::with_capacity(lanes as usize);
        for index in 0..lanes as usize {
            let lane = self.offset_lane(offset, base.lane(index), index, step, registers)?;
            all.push(Value::Lane(lane));
        }
        Ok(Value::Many(all.into()))
    }

    fn offset_lane(
        &mut self,
        offset: &Offset,
        base: &Lane,
        lane: usize,
        step: &Step,
        registers: &[Value],
    ) -> Result<Lane, Stop> {
        if base.is_unsettled() {
            self.narrowed = Some("undef as an address");
        }
        let Lane::Pointer(base) = self.forced(base, Kind::Pointer)? else {
            return Ok(Lane::Poison);
        };
        let bits = self.program.layout.index_bits;
        let has = |flag| offset.flags.has(flag);
        let is_inbounds = has(Flags::INBOUNDS);
        let (nusw, nuw) = (is_inbounds || has(Flags::NUSW), has(Flags::NUW));
        let mask = u64::MAX >> (64 - bits);
        let mut pointer = base;
        let (mut signed, mut unsigned) = (0_i128, 0_u128);
        let mut is_poison = false;
        let mut moves = false;
        for term in &offset.terms {
            let (by, by_unsigned) = match term {
                Term::Fixed(by) => (i128::from(*by), u128::from(*by)),
                Term::Scaled { operand, width, size } => {
                    let index = step.operands[*operand].get(registers).lane(lane);
                    if index.is_unsettled() {
                        self.narrowed = Some("undef as an index");
                    }
                    let Lane::Bits(index) = self.forced(index, Kind::Bits(*width))? else {
                        return Ok(Lane::Poison);
                    };
                    let index = Bits::new(index, *width).signed();
                    let short = Bits::new(index as u128, bits);
                    if nusw && short.signed() != index {
                        is_poison = true;
                    }
                    // Truncated unsigned too, for indices that are wider than addresses.
                    if nuw && *width > bits && Bits::new(index as u128, *width).value != short.value
                    {
                        is_poison = true;
                    }
                    let size = u128::from(*size);
                    (short.signed().wrapping_mul(size as i128), short.value.wrapping_mul(size))
                }
            };
            signed += by;
            unsigned += by_unsigned;
            let fits = |it: i128| Bits::new(it as u128, bits).signed() == it;
            is_poison |= nusw && !(fits(by) && fits(signed));
            is_poison |= nuw && (by_unsigned | unsigned) > u128::from(mask);
            moves |= by != 0;
            let address = pointer.address.wrapping_add(by as u64);
            let kept = pointer.address & !mask;
            pointer.address = kept | address & mask;
            if is_inbounds && moves && !is_poison {
                let exact = i128::from(base.address & mask) + signed;
                is_poison |= exact < 0 || exact > i128::from(mask);
                is_poison |= !self.is_inside(base)? || !self.is_inside(pointer)?;
            }
        }
        let exact = i128::from(base.address & mask) + signed;
        is_poison |= nusw && (exact < 0 || exact > i128::from(mask));
        is_poison |= nuw && u128::from(base.address & mask) + unsigned > u128::from(mask);
        Ok(if is_poison { Lane::Poison } else { Lane::Pointer(pointer) })
    }

    /// Whether it points into its block or to its end.
    fn is_inside(&self, pointer: Pointer) -> Result<bool, Stop> {
        match self.memory.block(pointer) {
            Some(block) => Ok(block.holds(pointer.address)),
            None if pointer.address < 4096 => Ok(false),
            None => Stop::unsupported("inbounds of an integer cast to a pointer"),
        }
    }
}
