//! Calls at run time. An unknown callee answers by a fixed rule, so that two versions of a function get
//! the same answers: a callee with side effects by its name and the number of the event, any other by its
//! name and arguments. Every such rule is one that a real callee could follow, so that a difference between two
//! versions is real.

use std::sync::Arc;

use super::choices::mix;
use super::interpreter::Interpreter;
use super::memory::{Block, BlockKey, Byte};
use super::outcome::Event;
use super::program::{CallStep, Callee, Effects, Guard};
use super::shape::Shape;
use super::stop::Stop;
use super::value::{Lane, Pointer, Value};

impl<'a> Interpreter<'a> {
    pub(crate) fn call(
        &mut self,
        call: &'a CallStep,
        arguments: Vec<Value>,
        depth: u32,
    ) -> Result<Option<Value>, Stop> {
        let mut checked = Vec::with_capacity(arguments.len());
        for (value, (shape, guard)) in arguments.into_iter().zip(&call.arguments) {
            let value = self.check(guard, shape, value)?;
            checked.push(match guard.copied {
                Some(size) => self.copy_of(&value, size, guard.align)?,
                None => value,
            });
        }
        if call.opaque.is_some() {
            self.opaque.clone_from(&call.opaque);
        }
        let value = match &call.callee {
            Callee::Defined(index) => {
                let Some(depth) = depth.checked_sub(1) else { return Err(Stop::OutOfSteps) };
                let program = self.program;
                let function = &program.functions[*index];
                self.defined(call, &checked)?;
                if function.narrowed.is_some() {
                    self.narrowed = function.narrowed;
                }
                let events = self.events.len();
                let value = self.function(function, checked, depth)?;
                // What the call promises is also true of calls in it, where it allows more.
                let Effects { writes_arguments, writes_others, .. } = call.effects;
                if self.events.len() > events && !(writes_arguments && writes_others) {
                    self.narrowed = Some("unknown functions in a call that may not write");
                }
                value
            }
            Callee::Unknown(name) => self.unknown(call, name, &checked)?,
            Callee::Pointer => {
                let name = self.pointed_function(call, checked.last())?;
                self.unknown(call, &name, &checked)?
            }
        };
        if call.never_returns {
            if let Callee::Defined(_) = call.callee {
                return Stop::undefined("a noreturn call returns");
            }
            return Err(Stop::Ends("a callee that does not return".into()));
        }
        let Some(value) = value else { return Ok(None) };
        let (shape, guard) = &call.returns;
        Ok(Some(self.check(guard, shape, value)?))
    }

    /// The name of the event that a call through a pointer is.
    fn pointed_function(
        &mut self,
        call: &CallStep,
        value: Option<&Value>,
    ) -> Result<Arc<str>, Stop> {
        let pointer = self.address(value.unwrap_or(&Value::POISON))?;
        if call.callees.as_ref().is_some_and(|it| !it.contains(&pointer.block)) {
            if pointer.block == Pointer::NOWHERE && !pointer.is_null() {
                return Stop::unsupported("a call through an integer cast to a pointer");
            }
            return Stop::undefined("a call of a function that !callees does not name");
        }
        match self.memory.block(pointer).map(|it| &it.key) {
            Some(BlockKey::Function(name)) if self.program.defined.contains(name) => {
                Stop::unsupported("an indirect call of a defined function")
            }
            Some(BlockKey::Function(_)) => {
                // A direct call has the attributes of the function, too.
                self.opaque = Some("an indirect call of a known function".into());
                Ok("a pointer".into())
            }
            Some(BlockKey::Local(_)) => Stop::undefined("a call of a local variable"),
            None if pointer.is_null() => Stop::undefined("a call of a null pointer"),
            _ => Ok("a pointer".into()),
        }
    }

    /// A block of its own for a `byval` argument. Without `align`, its alignment is up to the machine.
    fn copy_of(&mut self, value: &Value, size: u64, align: Option<u64>) -> Result<Value, Stop> {
        let pointer = self.address(value)?;
        let (block, start) = self.memory.access(pointer, size, 1, false)?;
        let bytes = self.memory.blocks[block].bytes[start..start + size as usize].to_vec();
        let copy = self.memory.add_local(align.unwrap_or(16), size)?;
        let block = &mut self.memory.blocks[copy.block as usize];
        block.bytes = bytes.into();
        block.align = align.unwrap_or(1);
        Ok(Value::Lane(Lane::Pointer(copy)))
    }

    /// Refuses what calls between functions of the module do not model.
    fn defined(&mut self, call: &CallStep, arguments: &[Value]) -> Result<(), Stop> {
        if call.returned.is_some() {
            self.narrowed = Some("returned");
        }
        let pointers = |value: &Value| -> Vec<Pointer> {
            let pointer = |lane: &&Lane| match lane {
                Lane::Pointer(pointer) => Some(*pointer),
                _ => None,
            };
            value.lanes().iter().filter_map(pointer).collect()
        };
        let all: Vec<Pointer> = arguments.iter().flat_map(pointers).collect();
        for (value, (_, guard)) in arguments.iter().zip(&call.arguments) {
            for pointer in pointers(value) {
                let block = self.memory.block(pointer);
                if call.is_tail && block.is_some_and(|it| it.is_local()) {
                    return Stop::unsupported("a tail call with the address of a local variable");
                }
                let shared = all.iter().filter(|it| it.block == pointer.block).count() > 1;
                if guard.is_noalias && block.is_some_and(|it| shared || !it.is_local()) {
                    return Stop::unsupported("noalias arguments that may alias");
                }
                if guard.is_restricted {
                    self.narrowed = Some("readonly and writeonly parameters");
                }
            }
        }
        Ok(())
    }

    fn unknown(
        &mut self,
        call: &CallStep,
        name: &Arc<str>,
        arguments: &[Value],
    ) -> Result<Option<Value>, Stop> {
        let mut settled = Vec::with_capacity(arguments.len());
        for (value, (shape, _)) in arguments.iter().zip(&call.arguments) {
            if value.any(&|lane| matches!(lane, Lane::Varying(_))) {
                self.narrowed = Some("a value that depends on undef is passed on");
            }
            settled.push(self.forced_within(value, shape, false)?);
        }
        self.has_asked = true;
        let mut seed = name.bytes().fold(self.answers, |seed, byte| mix(seed ^ u64::from(byte)));
        if call.effects.is_event {
            seed = mix(seed ^ self.events.len() as u64);
            self.record(call, name, &settled);
        } else {
            for (value, guard) in settled.iter().zip(&call.parameters) {
                seed = self.hashed(value, seed, guard.reads && call.effects.reads_arguments);
            }
        }
        self.let_write(call, seed, &settled);
        if call.never_returns {
            return Ok(None);
        }
        if let Some(index) = call.returned {
            return Ok(settled.into_iter().nth(index));
        }
        let (shape, _) = &call.returns;
        if *shape == Shape::Void {
            return Ok(None);
        }
        self.answer(seed, shape, &call.promised).map(Some)
    }

    /// A number that equal arguments share. Poison and undef could be anything: the run is marked.
    fn hashed(&mut self, value: &Value, seed: u64, reads: bool) -> u64 {
        match value {
            Value::Many(elements) => {
                elements.iter().fold(seed, |seed, element| self.hashed(element, seed, reads))
            }
            Value::Lane(Lane::Bits(bits)) => mix(mix(seed ^ *bits as u64) ^ (bits >> 64) as u64),
            Value::Lane(Lane::Pointer(pointer)) => {
                // The address of a local variable is arbitrary, and another block may take its place.
                self.content(*pointer, seed, reads)
            }
            Value::Lane(Lane::Poison | Lane::Undef | Lane::Varying(_)) => {
                self.narrowed = Some("poison or undef passed to a function without effects");
                seed
            }
        }
    }

    /// What a callee sees of memory if it looks through a pointer and not at it: some bytes.
    fn content(&mut self, pointer: Pointer, seed: u64, reads: bool) -> u64 {
        let Some(block) = self.memory.block(pointer).filter(|it| it.holds(pointer.address)) else {
            return mix(seed ^ pointer.address);
        };
        let start = (pointer.address - block.base) as usize;
        let mut seed = mix(seed ^ 1);
        for byte in block.bytes[start..].iter().take(if reads { 4 } else { 0 }) {
            match byte {
                Byte::Bits(byte) => seed = mix(seed ^ u64::from(*byte)),
                Byte::Fragment(..) => {}
                Byte::Uninitialised | Byte::Poison => {
                    self.narrowed = Some("a callee that reads uninitialised memory");
                    break;
                }
            }
        }
        seed
    }

    /// Whether a callee may not access a block: a tail call does not need the local variables of the function that it
    /// stands in. Those of its callers are there.
    fn is_gone(&self, call: &CallStep, index: usize) -> bool {
        let is_local = self.memory.blocks.get(index).is_some_and(Block::is_local);
        call.is_tail && index >= self.first_local && is_local
    }

    /// Indices of blocks that the callee surely can read.
    fn readable(&self, call: &CallStep, arguments: &[Value]) -> Vec<usize> {
        let mut blocks = vec![];
        if call.effects.reads_arguments {
            for (value, guard) in arguments.iter().zip(&call.parameters) {
                for lane in value.lanes() {
                    let Lane::Pointer(pointer) = lane else { continue };
                    let Some(block) = self.memory.block(*pointer) else { continue };
                    let inside = block.is_alive && block.is_started;
                    let index = pointer.block as usize;
                    if guard.reads && inside && !self.is_gone(call, index) {
                        blocks.push(index);
                    }
                }
            }
        }
        if call.effects.reads_others {
            let visible = |index: &usize| {
                let block = &self.memory.blocks[*index];
                block.is_visible
            };
            blocks.extend((0..self.memory.blocks.len()).filter(visible));
        }
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }

    fn record(&mut self, call: &CallStep, name: &Arc<str>, arguments: &[Value]) {
        let mut memory = vec![];
        for index in self.readable(call, arguments) {
            let block = &self.memory.blocks[index];
            if block.bytes.is_empty() || !block.is_writable {
                continue;
            }
            if !block.is_local() {
                memory.push((block.key.clone(), block.bytes.clone()));
                continue;
            }
            // Local variables are named by the argument that points to them, from where it points.
            for (at, argument) in arguments.iter().enumerate() {
                let Value::Lane(Lane::Pointer(pointer)) = argument else { continue };
                if pointer.block as usize == index && block.holds(pointer.address) {
                    let bytes = block.bytes[(pointer.address - block.base) as usize..].to_vec();
                    memory.push((BlockKey::Local(at as u32), bytes.into()));
                }
            }
        }
        let mut uncaptured = 0;
        for (index, (_, guard)) in call.arguments.iter().enumerate().take(64) {
            uncaptured |= u64::from(!guard.is_captured) << index;
        }
        let arguments = arguments.to_vec();
        self.events.push(Event { name: name.clone(), arguments, uncaptured, memory });
    }

    /// Half of the callees change the beginning of what they can write: first what everybody sees, then what
    /// arguments point to, whatever block that is in.
    fn let_write(&mut self, call: &CallStep, seed: u64, arguments: &[Value]) {
        if call.effects.writes_others {
            self.has_let_write = true;
            for block in &mut self.memory.blocks {
                let random = mix(seed ^ block.base);
                let is_open = block.is_visible && block.is_writable;
                if is_open && random & 1 == 1 {
                    overwrite(block.bytes.iter_mut().take(8), random);
                }
            }
        }
        if !call.effects.writes_arguments {
            return;
        }
        for (at, (value, guard)) in arguments.iter().zip(&call.parameters).enumerate() {
            let Value::Lane(Lane::Pointer(pointer)) = value else {
                let is_pointer = call.arguments[at].0 == Shape::Pointer;
                if is_pointer && guard.writes {
                    self.narrowed = Some("a poison pointer passed to a callee that may write");
                }
                continue;
            };
            let is_gone = self.is_gone(call, pointer.block as usize);
            let Some(block) = self.memory.blocks.get_mut(pointer.block as usize) else { continue };
            let is_open = block.is_alive && block.is_started && block.is_writable;
            let random = mix(seed ^ mix(at as u64));
            if !guard.writes || !is_open || is_gone || random & 1 == 0 {
                continue;
            }
            let Some(start) = pointer.address.checked_sub(block.base) else { continue };
            let length = guard.dereferenceable.map_or(4, |size| size.clamp(1, 8));
            if start >= block.size() || block.size() - start < length {
                self.narrowed = Some("a callee that writes a small block");
                continue;
            }
            let bytes = block.bytes.iter_mut().skip(start as usize).take(length as usize);
            overwrite(bytes, random);
        }
    }

    /// A value that obeys the attributes of the result.
    fn answer(&mut self, seed: u64, shape: &Shape, guard: &Guard) -> Result<Value, Stop> {
        let random = mix(seed);
        Ok(match shape {
            Shape::Void => Value::POISON,
            Shape::Vector(_, of) | Shape::Array(_, of) => {
                let length = match shape {
                    Shape::Vector(lanes, _) => u64::from(*lanes),
                    Shape::Array(length, _) => *length,
                    _ => 0,
                };
                if length > 256 {
                    return Stop::unsupported("long results");
                }
                let each = (0..length).map(|at| self.answer(mix(random ^ at), of, guard));
                Value::Many(each.collect::<Result<_, _>>()?)
            }
            Shape::Struct(fields) => {
                let mut values = vec![];
                for (at, (_, field)) in fields.fields.iter().enumerate() {
                    values.push(self.answer(mix(random ^ at as u64), field, guard)?);
                }
                Value::Many(values.into())
            }
            Shape::Pointer => self.answer_pointer(random, guard)?,
            Shape::Int(_) | Shape::Float(_) => {
                let width = shape.lane_bits(&self.program.layout);
                if !guard.noundef && random.is_multiple_of(32) {
                    return Ok(Value::POISON);
                }
                let mask = u128::MAX >> (128 - width);
                let wide = u128::from(mix(random)) << 64 | u128::from(random);
                let edges = [0, 1, mask, 1 << (width - 1), mask >> 1, 2, wide, wide];
                let mut bits = edges[(random >> 8) as usize % edges.len()] & mask;
                if let Some((first, end)) = guard.ranges.first() {
                    let size = end.wrapping_sub(*first) & mask;
                    if size != 0 {
                        bits = first.wrapping_add(wide % size) & mask;
                    }
                }
                if let (Shape::Float(kind), true) = (shape, guard.classes != 0) {
                    let one_or = [bits, 0, 1, 1 << (width - 2)];
                    let fits =
                        |bits: &&u128| guard.classes & super::float::class(*kind, **bits) == 0;
                    bits = one_or.iter().find(fits).copied().unwrap_or(bits);
                }
                Value::bits(bits)
            }
        })
    }

    fn answer_pointer(&mut self, random: u64, guard: &Guard) -> Result<Value, Stop> {
        let may_be_null = !guard.nonnull && guard.dereferenceable.unwrap_or(0) == 0;
        if may_be_null && random.is_multiple_of(4) {
            return Ok(Value::Lane(Lane::Pointer(Pointer::NULL)));
        }
        let key = BlockKey::External(random);
        let known = self.memory.blocks.iter().position(|it| it.key == key);
        let block = match known {
            Some(block) => block as u32,
            None => {
                let size = guard.dereferenceable.max(guard.dereferenceable_or_null);
                let size = size.unwrap_or(0).max(64);
                if size > 4096 {
                    return Stop::unsupported("large results");
                }
                let byte = |at: u64| Byte::Bits(mix(random.wrapping_add(at)) as u8);
                let block = self.memory.add(key, 256, (0..size).map(byte).collect())?;
                self.memory.blocks[block as usize].is_visible = !guard.is_noalias;
                self.memory.blocks[block as usize].is_observed = !guard.is_noalias;
                block
            }
        };
        let address = self.memory.blocks[block as usize].base;
        Ok(Value::Lane(Lane::Pointer(Pointer { block, address })))
    }
}

fn overwrite<'a>(bytes: impl Iterator<Item = &'a mut Byte>, random: u64) {
    for (at, byte) in bytes.enumerate() {
        *byte = Byte::Bits(mix(random.wrapping_add(at as u64)) as u8);
    }
}
