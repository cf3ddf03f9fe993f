//! What intrinsics on whole vectors do, and masked accesses to memory.

use super::interpreter::Interpreter;
use super::lane::{Kind, LaneOp};
use super::program::{Access, Step};
use super::step::poisoned;
use super::stop::Stop;
use super::value::{Lane, Pointer, Value};

#[derive(Debug)]
pub(crate) enum VectorOp {
    /// `vscale`: poison if the type cannot hold it.
    Number(Option<u128>),
    /// `get.active.lane.mask`, over indices of this width.
    LaneMask {
        width: u32,
        lanes: u32,
    },
    Steps {
        width: u32,
        lanes: u32,
    },
    Reverse,
    /// The second vector replaces lanes of the first.
    InsertPart(u32),
    ExtractPart {
        at: u32,
        lanes: u32,
    },
    Interleave,
    Deinterleave(u32),
    /// Lanes of both vectors in a row, from here on; from the end of the first if negative.
    Splice(i32),
    /// From the first lane to the last; with a start value or without.
    ReduceFloat(LaneOp, bool),
    /// The access of one lane, the number of lanes, and which operand is the mask.
    Masked(Box<(Masked, Access, u32, u32)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Masked {
    Load,
    Store,
    Gather,
    Scatter,
    ExpandLoad,
    CompressStore,
}

impl Masked {
    /// Whether active lanes are neighbours in memory.
    pub(crate) fn is_packed(self) -> bool {
        matches!(self, Self::ExpandLoad | Self::CompressStore)
    }
}

impl Interpreter<'_> {
    pub(crate) fn vector(
        &mut self,
        op: &VectorOp,
        step: &Step,
        registers: &[Value],
    ) -> Result<Value, Stop> {
        let operand = |index: usize| match step.operands.get(index) {
            Some(source) => source.get(registers),
            None => &Value::POISON,
        };
        let lanes = |value: &Value| match value {
            Value::Many(lanes) => lanes.to_vec(),
            Value::Lane(_) => vec![],
        };
        Ok(match op {
            VectorOp::Number(number) => number.map_or(Value::POISON, Value::bits),
            VectorOp::Steps { width, lanes } => {
                // What becomes of numbers that do not fit has changed between versions.
                if *width < 32 && *lanes > 1 << *width {
                    return Stop::unsupported("stepvector of narrow lanes");
                }
                Value::Many((0..*lanes).map(|at| Value::bits(u128::from(at))).collect())
            }
            VectorOp::LaneMask { width, lanes } => {
                let mut ends = [0; 2];
                for (index, end) in ends.iter_mut().enumerate() {
                    match self.forced(operand(index).lane(0), Kind::Bits(*width))? {
                        Lane::Bits(bits) => *end = bits,
                        _ => return Ok(Value::Many(vec![Value::POISON; *lanes as usize].into())),
                    }
                }
                if operand(0).lane(0).is_unsettled() || operand(1).lane(0).is_unsettled() {
                    self.narrowed = Some("undef in get.active.lane.mask");
                }
                // The sum is not truncated.
                let lane = |at| Value::bits(u128::from(ends[0] + u128::from(at) < ends[1]));
                Value::Many((0..*lanes).map(lane).collect())
            }
            VectorOp::Reverse => {
                let mut all = lanes(operand(0));
                all.reverse();
                Value::Many(all.into())
            }
            VectorOp::InsertPart(at) => {
                let (mut all, part) = (lanes(operand(0)), lanes(operand(1)));
                let at = *at as usize;
                if at + part.len() > all.len() {
                    return Ok(poisoned(operand(0)));
                }
                all.splice(at..at + part.len(), part);
                Value::Many(all.into())
            }
            VectorOp::ExtractPart { at, lanes: length } => {
                let all = lanes(operand(0));
                match all.get(*at as usize..(*at + *length) as usize) {
                    Some(part) => Value::Many(part.to_vec().into()),
                    None => Value::Many(vec![Value::POISON; *length as usize].into()),
                }
            }
            VectorOp::Interleave => {
                let all: Vec<Vec<Value>> =
                    (0..step.operands.len()).map(|it| lanes(operand(it))).collect();
                let length = all.first().map_or(0, Vec::len);
                let row = |at: usize| all.iter().filter_map(move |it| it.get(at).cloned());
                Value::Many((0..length).flat_map(row).collect())
            }
            VectorOp::Deinterleave(parts) => {
                let (all, parts) = (lanes(operand(0)), *parts as usize);
                let part = |at: usize| {
                    Value::Many(all.iter().skip(at).step_by(parts.max(1)).cloned().collect())
                };
                Value::Many((0..parts).map(part).collect())
            }
            VectorOp::Splice(by) => {
                let (mut all, more) = (lanes(operand(0)), lanes(operand(1)));
                let length = all.len();
                all.extend(more);
                let at = if *by < 0 { length as i64 + i64::from(*by) } else { i64::from(*by) };
                match usize::try_from(at).ok().and_then(|at| all.get(at..at + length)) {
                    Some(part) => Value::Many(part.to_vec().into()),
                    None => poisoned(operand(0)),
                }
            }
            VectorOp::ReduceFloat(op, has_start) => {
                let vector = operand(usize::from(*has_start));
                let all = vector.lanes();
                let mut rest = all.into_iter();
                let start = if *has_start { Some(operand(0).lane(0)) } else { rest.next() };
                let mut sum = start.cloned().unwrap_or(Lane::Poison);
                for lane in rest {
                    sum = op.apply(&[&sum, lane], &mut self.scope())?;
                }
                Value::Lane(sum)
            }
            VectorOp::Masked(masked) => {
                let (kind, access, lanes, mask) = &**masked;
                self.masked(*kind, access, *lanes as usize, *mask as usize, step, registers)?
            }
        })
    }

    fn masked(
        &mut self,
        kind: Masked,
        access: &Access,
        lanes: usize,
        mask: usize,
        step: &Step,
        registers: &[Value],
    ) -> Result<Value, Stop> {
        let operand = |index: usize| match step.operands.get(index) {
            Some(source) => source.get(registers),
            None => &Value::POISON,
        };
        let stores = matches!(kind, Masked::Store | Masked::Scatter | Masked::CompressStore);
        let addresses = operand(usize::from(stores));
        let size = self.program.layout.store_size(&access.shape);
        let (mut result, mut active) = (vec![], 0);
        if let Lane::Poison = addresses.lane(0) {
            return Stop::unsupported("a masked access through poison");
        }
        // The alignment is one of the whole vector: without active lanes, it is not clear what it promises.
        if let (false, Lane::Pointer(base)) = (
            matches!(kind, Masked::Gather | Masked::Scatter) || kind.is_packed(),
            addresses.lane(0),
        ) {
            if !base.address.is_multiple_of(access.align.max(1)) {
                return match operand(mask).any(&|lane| *lane == Lane::Bits(1)) {
                    true => Stop::undefined("misaligned access"),
                    false => Stop::unsupported("a misaligned access of no lane"),
                };
            }
            self.mark_alignment(*base, access.align);
        }
        for lane in 0..lanes {
            let is_on = match operand(mask).lane(lane) {
                Lane::Bits(bit) => *bit == 1,
                Lane::Poison => return Stop::undefined("a mask that is poison"),
                _ => return Stop::unsupported("a mask that depends on undef"),
            };
            if !is_on {
                result.push(Value::Lane(operand(mask + 1).lane(lane).clone()));
                continue;
            }
            let place = if kind.is_packed() { active } else { lane as u64 };
            active += 1;
            let address = match kind {
                Masked::Gather | Masked::Scatter => {
                    self.address(&addresses.lane(lane).clone().into())?
                }
                _ => {
                    let base = self.address(addresses)?;
                    Pointer { address: base.address.wrapping_add(place * size), ..base }
                }
            };
            let is_scattered = matches!(kind, Masked::Gather | Masked::Scatter);
            let one = Access {
                shape: access.shape.clone(),
                align: if is_scattered { access.align } else { 1 },
                volatile: false,
                guard: access.guard.clone(),
            };
            let address = Value::Lane(Lane::Pointer(address));
            if stores {
                let value = self.stored(&operand(0).lane(lane).clone().into(), &one.shape)?;
                self.store(&one, &value, &address)?;
            } else {
                result.push(self.load(&one, &address)?);
            }
        }
        Ok(Value::Many(result.into()))
    }
}
