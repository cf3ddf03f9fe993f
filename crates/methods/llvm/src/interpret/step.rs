//! One step of a function: what each action does to registers and memory.

use std::sync::Arc;

use super::access;
use super::interpreter::{Interpreter, Next};
use super::lane::{Kind, LaneOp};
use super::memory::Byte;
use super::outcome::Event;
use super::program::{Access, Action, Promise, Rmw, Step};
use super::shape::Shape;
use super::stop::Stop;
use super::value::{Lane, Pointer, Value};
use crate::ir::{BinaryOp, Flags};

impl<'a> Interpreter<'a> {
    pub(crate) fn execute(
        &mut self,
        step: &'a Step,
        registers: &mut [Value],
        depth: u32,
    ) -> Result<Next, Stop> {
        let operand = |index: usize| match step.operands.get(index) {
            Some(source) => source.get(registers),
            None => &Value::POISON,
        };
        let value = match &step.action {
            Action::Lanes(op, lanes) => self.lanes(*op, *lanes, step, registers)?,
            Action::WithOverflow(intrinsic, width, lanes) => {
                self.with_overflow(*intrinsic, *width, *lanes, step, registers)?
            }
            Action::SelectWhole => {
                let condition = operand(0).lane(0);
                match condition {
                    Lane::Bits(condition) => operand(if *condition == 1 { 1 } else { 2 }).clone(),
                    Lane::Undef | Lane::Varying(_) => {
                        self.narrowed = Some("a select of vectors on undef");
                        match self.forced(condition, Kind::Bits(1))? {
                            Lane::Bits(1) => operand(1).clone(),
                            Lane::Bits(_) => operand(2).clone(),
                            _ => poisoned(operand(1)),
                        }
                    }
                    Lane::Poison | Lane::Pointer(_) => poisoned(operand(1)),
                }
            }
            Action::Freeze(shape) => self.freeze(shape, operand(0))?,
            Action::Move => operand(0).clone(),
            Action::CastSpace => {
                self.opaque = Some("addrspacecast".into());
                operand(0).clone()
            }
            Action::BitCast(from, to) => self.bit_cast(from, to, operand(0))?,
            Action::Offset(offset) => self.offset(offset, step, registers)?,
            Action::ExtractElement(lanes) => match self.index(operand(1), 64, *lanes)? {
                Some(index) => Value::Lane(operand(0).lane(index).clone()),
                None => Value::POISON,
            },
            Action::InsertElement(lanes) => match self.index(operand(2), 64, *lanes)? {
                Some(index) => {
                    let mut vector = operand(0).clone();
                    if let Value::Many(elements) = &mut vector {
                        elements[index] = operand(1).clone();
                    }
                    vector
                }
                None => poisoned(operand(0)),
            },
            Action::Shuffle(mask, lanes) => {
                let lane = |index: &Option<u32>| {
                    Value::Lane(match index {
                        None => Lane::Poison,
                        Some(index) if index < lanes => operand(0).lane(*index as usize).clone(),
                        Some(index) => operand(1).lane((index - lanes) as usize).clone(),
                    })
                };
                Value::Many(mask.iter().map(lane).collect())
            }
            Action::ExtractValue(path) => {
                let mut value = operand(0);
                for index in path.iter() {
                    value = match value {
                        Value::Many(elements) => match elements.get(*index as usize) {
                            Some(element) => element,
                            None => return Stop::unsupported("a field that does not exist"),
                        },
                        Value::Lane(_) => return Stop::unsupported("a field of a scalar"),
                    };
                }
                value.clone()
            }
            Action::InsertValue(path) => {
                let mut aggregate = operand(0).clone();
                let mut place = &mut aggregate;
                for index in path.iter() {
                    place = match place {
                        Value::Many(elements) => match elements.get_mut(*index as usize) {
                            Some(element) => element,
                            None => return Stop::unsupported("a field that does not exist"),
                        },
                        Value::Lane(_) => return Stop::unsupported("a field of a scalar"),
                    };
                }
                *place = operand(1).clone();
                aggregate
            }
            Action::Load(access) => self.load(access, operand(0))?,
            Action::Store(access) => {
                let value = self.stored(operand(0), &access.shape)?;
                self.store(access, &value, operand(1))?;
                return Ok(Next::Step);
            }
            Action::Alloca { size, align, count, starts_dead } => {
                let number = match count {
                    None => 1,
                    Some(width) => {
                        let lane = self.forced(operand(0).lane(0), Kind::Bits(*width))?;
                        let Lane::Bits(number) = lane else {
                            return Stop::undefined("the size of a local variable is poison");
                        };
                        u64::try_from(number).unwrap_or(u64::MAX)
                    }
                };
                let pointer = self.memory.add_local(*align, size.saturating_mul(number))?;
                self.memory.blocks[pointer.block as usize].is_started = !starts_dead;
                Value::Lane(Lane::Pointer(pointer))
            }
            Action::ReadModifyWrite(access, change) => {
                let (address, value) = (operand(0).clone(), operand(1).clone());
                let old = self.load(access, &address)?;
                let new = self.changed(access, *change, &old, &value)?;
                let new = self.stored(&new, &access.shape)?;
                self.store(access, &new, &address)?;
                old
            }
            Action::CompareExchange(access) => {
                let old = self.load(access, operand(0))?;
                let width = access.shape.lane_bits(&self.program.layout);
                let op = match access.shape {
                    Shape::Pointer => {
                        LaneOp::ComparePointers(crate::ir::Predicate::Eq, Flags::NONE, width)
                    }
                    _ => LaneOp::Compare(crate::ir::Predicate::Eq, Flags::NONE, width),
                };
                let equal = op.apply(&[old.lane(0), operand(1).lane(0)], &mut self.scope())?;
                let equal = self.decisive(&Value::Lane(equal), 1)?;
                if equal == 1 {
                    let value = self.stored(operand(2), &access.shape)?;
                    self.store(access, &value, operand(0))?;
                } else if let Lane::Pointer(pointer) = operand(0).lane(0) {
                    // It must be writable even if nothing is written.
                    let size = self.program.layout.store_size(&access.shape);
                    self.access(*pointer, size, access.align, true)?;
                }
                Value::Many(Box::new([old, Value::bits(equal)]))
            }
            Action::Copy { may_overlap, aligns, volatile } => {
                self.mark_volatile(*volatile);
                self.copy(operand(0), operand(1), operand(2), *may_overlap, *aligns)?;
                return Ok(Next::Step);
            }
            Action::Fill { align, volatile } => {
                self.mark_volatile(*volatile);
                self.fill(operand(0), operand(1), operand(2), *align)?;
                return Ok(Next::Step);
            }
            Action::Lifetime { starts } => {
                // The pointer is the last operand; older versions have a size before it.
                let pointer = operand(step.operands.len() - 1).lane(0);
                match pointer {
                    Lane::Pointer(pointer)
                        if self.memory.block(*pointer).is_some_and(|it| it.is_local()) =>
                    {
                        let block = &mut self.memory.blocks[pointer.block as usize];
                        block.is_started = *starts;
                        block.bytes.fill(Byte::Uninitialised);
                    }
                    Lane::Poison => {}
                    _ => return Stop::unsupported("lifetime of another block"),
                }
                return Ok(Next::Step);
            }
            Action::Assume(promises) => {
                self.assume(promises, step, registers)?;
                return Ok(Next::Step);
            }
            Action::Reduce(reduction, width, lanes) => {
                self.reduce(*reduction, *width, *lanes, operand(0))?
            }
            Action::Vector(op) => self.vector(op, step, registers)?,
            Action::Call(call) | Action::Invoke(call, _) => {
                let arguments = step.operands.iter().map(|it| it.get(registers).clone()).collect();
                let value = self.call(call, arguments, depth)?;
                if let (Some(value), Some(register)) =
                    (value, registers.get_mut(step.result as usize))
                {
                    *register = value;
                }
                return Ok(match &step.action {
                    Action::Invoke(_, normal) => Next::Block(*normal),
                    _ => Next::Step,
                });
            }
            Action::Return
            | Action::Branch(_)
            | Action::CondBranch(..)
            | Action::Switch { .. }
            | Action::Unreachable
            | Action::Trap => return self.control(step, registers),
            Action::Nothing => return Ok(Next::Step),
            Action::Narrow(reason) => {
                self.narrowed = Some(reason);
                return Ok(Next::Step);
            }
            Action::Unsupported(reason) => return Stop::unsupported(reason.clone()),
        };
        if let Some(register) = registers.get_mut(step.result as usize) {
            *register = value;
        }
        Ok(Next::Step)
    }

    /// The address of an access: undefined if it is poison.
    pub(crate) fn address(&mut self, value: &Value) -> Result<Pointer, Stop> {
        match self.forced(value.lane(0), Kind::Pointer)? {
            Lane::Pointer(pointer) => Ok(pointer),
            _ => Stop::undefined("access through poison"),
        }
    }

    /// Checks an access and returns block and offset.
    fn access(
        &mut self,
        pointer: Pointer,
        size: u64,
        align: u64,
        write: bool,
    ) -> Result<(usize, usize), Stop> {
        let place = self.memory.access(pointer, size, align, write)?;
        self.mark_alignment(pointer, align);
        Ok(place)
    }

    /// Marks the run if its address makes a pointer aligned that is not aligned at others.
    pub(crate) fn mark_alignment(&mut self, pointer: Pointer, align: u64) {
        let Some(block) = self.memory.block(pointer) else { return };
        if block.is_aligned_by_chance(align) {
            self.narrowed = Some(match block.is_local() {
                true => "the alignment of a local variable",
                false => "the alignment of a global variable",
            });
        }
    }

    pub(crate) fn load(&mut self, access: &Access, address: &Value) -> Result<Value, Stop> {
        let pointer = self.address(address)?;
        let program = self.program;
        let layout = &program.layout;
        let size = layout.store_size(&access.shape);
        let (block, start) = self.access(pointer, size, access.align, false)?;
        if self.memory.blocks[block].is_restricted {
            self.narrowed = Some("readonly and writeonly parameters");
        }
        let bytes = &self.memory.blocks[block].bytes[start..start + size as usize];
        let poison = bytes.iter().filter(|byte| **byte == Byte::Poison).count();
        self.has_loaded = true;
        self.mixed_poison |= poison > 0 && poison < bytes.len();
        let value = access::read(&self.memory, layout, pointer, &access.shape)?;
        if access.volatile {
            let arguments = vec![address.clone()];
            self.events.push(Event {
                name: Arc::from("volatile load"),
                uncaptured: 0,
                arguments,
                memory: vec![],
            });
        }
        self.check(&access.guard, &access.shape, value)
    }

    pub(crate) fn store(
        &mut self,
        access: &Access,
        value: &Value,
        address: &Value,
    ) -> Result<(), Stop> {
        let pointer = self.address(address)?;
        let program = self.program;
        let layout = &program.layout;
        let size = layout.store_size(&access.shape);
        let (block, _) = self.access(pointer, size, access.align, true)?;
        if self.memory.blocks[block].is_restricted {
            self.narrowed = Some("readonly and writeonly parameters");
        }
        if access.guard.narrowed.is_some() {
            self.narrowed = access.guard.narrowed;
        }
        access::write(&mut self.memory, layout, pointer, &access.shape, value)?;
        if access.volatile {
            let arguments = vec![address.clone(), value.clone()];
            self.events.push(Event {
                name: Arc::from("volatile store"),
                uncaptured: 0,
                arguments,
                memory: vec![],
            });
        }
        Ok(())
    }

    /// A value as it is stored: one value of lanes that depend on undef.
    pub(crate) fn stored(&mut self, value: &Value, shape: &Shape) -> Result<Value, Stop> {
        if !value.any(&|lane| matches!(lane, Lane::Varying(_))) {
            return Ok(value.clone());
        }
        self.narrowed = Some("a value that depends on undef is stored");
        self.forced_within(value, shape, false)
    }

    /// One value of all varying lanes, and of undef ones as well if asked to.
    pub(crate) fn forced_within(
        &mut self,
        value: &Value,
        shape: &Shape,
        undef: bool,
    ) -> Result<Value, Stop> {
        match value {
            Value::Lane(lane) if matches!(lane, Lane::Varying(_)) || undef => {
                let kind = shape.kind(&self.program.layout);
                Ok(Value::Lane(self.forced(lane, kind)?))
            }
            Value::Lane(lane) => Ok(Value::Lane(lane.clone())),
            Value::Many(elements) => {
                let mut forced = Vec::with_capacity(elements.len());
                for (index, element) in elements.iter().enumerate() {
                    let inner = match shape {
                        Shape::Vector(_, of) | Shape::Array(_, of) => of,
                        Shape::Struct(fields) => &fields.fields[index].1,
                        _ => shape,
                    };
                    forced.push(self.forced_within(element, inner, undef)?);
                }
                Ok(Value::Many(forced.into()))
            }
        }
    }

    fn changed(
        &mut self,
        access: &Access,
        change: Rmw,
        old: &Value,
        value: &Value,
    ) -> Result<Value, Stop> {
        let width = access.shape.lane_bits(&self.program.layout);
        let operands = [old.lane(0), value.lane(0)];
        let mut scope = self.scope();
        Ok(Value::Lane(match change {
            Rmw::Exchange => return Ok(value.clone()),
            Rmw::Binary(op) => {
                LaneOp::Binary(op, Flags::NONE, width).apply(&operands, &mut scope)?
            }
            Rmw::Nand => {
                let both = LaneOp::Binary(BinaryOp::And, Flags::NONE, width);
                let both = both.apply(&operands, &mut scope)?;
                let ones = Lane::Bits(u128::MAX >> (128 - width));
                let op = LaneOp::Binary(BinaryOp::Xor, Flags::NONE, width);
                op.apply(&[&both, &ones], &mut scope)?
            }
            Rmw::Extreme(intrinsic) => {
                LaneOp::Intrinsic(intrinsic, width, width).apply(&operands, &mut scope)?
            }
        }))
    }

    /// How many accesses a volatile copy makes is not specified.
    fn mark_volatile(&mut self, volatile: bool) {
        if volatile {
            self.opaque = Some("volatile copies".into());
        }
    }

    fn length(&mut self, value: &Value) -> Result<u64, Stop> {
        match self.forced(value.lane(0), Kind::Bits(64))? {
            Lane::Bits(length) => Ok(length as u64),
            _ => Stop::undefined("a length that is poison"),
        }
    }

    fn copy(
        &mut self,
        to: &Value,
        from: &Value,
        length: &Value,
        may_overlap: bool,
        aligns: (u64, u64),
    ) -> Result<(), Stop> {
        let length = self.length(length)?;
        if length == 0 {
            return Ok(());
        }
        let (to, from) = (self.address(to)?, self.address(from)?);
        let (target, at) = self.access(to, length, aligns.0, true)?;
        let (source, start) = self.access(from, length, aligns.1, false)?;
        if self.memory.blocks[target].is_restricted || self.memory.blocks[source].is_restricted {
            self.narrowed = Some("readonly and writeonly parameters");
        }
        let length = length as usize;
        if !may_overlap && source == target && at != start && at.abs_diff(start) < length {
            return Stop::undefined("memcpy of overlapping memory");
        }
        let bytes = self.memory.blocks[source].bytes[start..start + length].to_vec();
        self.memory.blocks[target].bytes[at..at + length].copy_from_slice(&bytes);
        Ok(())
    }

    fn fill(&mut self, to: &Value, value: &Value, length: &Value, align: u64) -> Result<(), Stop> {
        let length = self.length(length)?;
        if length == 0 {
            return Ok(());
        }
        let to = self.address(to)?;
        let value = self.stored(value, &Shape::Int(8))?;
        let byte = match value.lane(0) {
            Lane::Bits(bits) => Byte::Bits(*bits as u8),
            Lane::Undef => Byte::Uninitialised,
            Lane::Poison | Lane::Pointer(_) | Lane::Varying(_) => Byte::Poison,
        };
        let (block, at) = self.access(to, length, align, true)?;
        if self.memory.blocks[block].is_restricted {
            self.narrowed = Some("readonly and writeonly parameters");
        }
        self.memory.blocks[block].bytes[at..at + length as usize].fill(byte);
        Ok(())
    }

    fn assume(
        &mut self,
        promises: &[(Promise, usize)],
        step: &Step,
        registers: &[Value],
    ) -> Result<(), Stop> {
        if self.decisive(step.operands[0].get(registers), 1)? == 0 {
            return Stop::undefined("an assumption does not hold");
        }
        let mut next = 1;
        for (promise, count) in promises {
            let operands = &step.operands[next..(next + count).min(step.operands.len())];
            next += count;
            let value = |index: usize| operands[index].get(registers);
            let numbers: Vec<u64> = (1..operands.len())
                .map(|index| match value(index).lane(0) {
                    Lane::Bits(bits) => *bits as u64,
                    _ => 0,
                })
                .collect();
            let holds = match promise {
                Promise::Other => {
                    self.narrowed = Some("a bundle of llvm.assume");
                    true
                }
                Promise::NoUndef => !value(0)
                    .any(&|lane| matches!(lane, Lane::Poison | Lane::Undef | Lane::Varying(_))),
                Promise::NonNull => !self.address(value(0))?.is_null(),
                Promise::Align => {
                    let align = numbers.first().copied().unwrap_or(1);
                    let skew = numbers.get(1).copied().unwrap_or(0);
                    let pointer = self.address(value(0))?;
                    let address = pointer.address.wrapping_sub(skew);
                    self.mark_alignment(pointer, align);
                    match align.is_power_of_two() {
                        true => address.is_multiple_of(align),
                        // LLVM's reference: then the pointer must be zero.
                        false => pointer.address == 0,
                    }
                }
                Promise::Dereferenceable => {
                    let size = numbers.first().copied().unwrap_or(0);
                    let pointer = self.address(value(0))?;
                    size == 0 || self.memory.access(pointer, size, 1, false).is_ok()
                }
            };
            if !holds {
                return Stop::undefined("a bundle of an assumption does not hold");
            }
        }
        Ok(())
    }
}

/// The same shape, all poison.
pub(crate) fn poisoned(value: &Value) -> Value {
    match value {
        Value::Lane(_) => Value::POISON,
        Value::Many(elements) => Value::Many(elements.iter().map(poisoned).collect()),
    }
}
