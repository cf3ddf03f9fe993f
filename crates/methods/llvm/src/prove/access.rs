//! Loads, stores and the memory intrinsics: when an access is undefined, and what it reads or writes.

use std::sync::Arc;

use identity::kernel::Wire;

use super::bytes::BYTES;
use super::calls::Event;
use super::encode::Encoder;
use super::memory::Byte;
use super::place::Spot;
use super::symbol::{ADDRESS, Lane, Symbol};
use super::value::in_range;
use super::{Encoding, Unencodable};
use crate::interpret::may_access;
use crate::ir::{Constant, Instruction, Memory as Access, Op, Operand, Type};
use crate::semantics::Domain;

impl Encoder<'_> {
    /// The place of an access. Undefined behaviour is recorded.
    fn accessed(&mut self, pointer: &Lane, size: u64, align: u64, writes: bool) -> Encoding<Spot> {
        self.undefined_if(pointer.poison);
        let mut spot = self.spot(&pointer.word);
        let low = align.max(1).trailing_zeros() as usize;
        let misaligned = self.wires.graph.any(&spot.address[..low.min(ADDRESS)]);
        self.undefined_if(misaligned);
        // Where it is not aligned nothing matters any more, so that it can be taken to be aligned.
        spot.address[..low].fill(Wire::FALSE);
        if spot.root.is_none() {
            spot.offset = spot.address.clone();
        }
        for region in self.memory.regions.clone() {
            let inside = spot.regions[region.number];
            if inside == Wire::FALSE {
                continue;
            }
            if let Some(whole) = region.size {
                let out = match whole.checked_sub(size) {
                    Some(last) => {
                        let last = self.wires.word(u128::from(last), ADDRESS as u32);
                        self.wires.ult(&last, &spot.address)
                    }
                    None => Wire::TRUE,
                };
                let bad = self.wires.graph.and(inside, out);
                self.undefined_if(bad);
                if region.align < align {
                    self.unsure_if(inside, "the alignment of a local variable");
                }
                let dead = self.wires.graph.and(inside, !region.is_alive);
                self.unsure_if(dead, "access outside of the lifetime of a local variable");
            }
        }
        let sized = self.memory.regions.iter().filter(|it| it.size.is_some());
        let sized: Vec<Wire> = sized.map(|it| spot.regions[it.number]).collect();
        let foreign = !self.wires.graph.any(&sized);
        if foreign == Wire::FALSE {
            return Ok(spot);
        }
        if !self.null_is_valid {
            let some = self.wires.graph.any(&spot.address);
            let null = self.wires.graph.and(foreign, !some);
            self.undefined_if(null);
        }
        for at in 0..size {
            let place = spot.plus(self.wires, at);
            let contents = &mut self.answers.contents;
            let (valid, writable) = self.memory.rights(self.wires, contents, &place)?;
            let mut bad = !valid;
            if writes {
                bad = self.wires.graph.or(bad, !writable);
            }
            let bad = self.wires.graph.and(foreign, bad);
            self.undefined_if(bad);
        }
        Ok(spot)
    }

    fn ordinary(access: &Access) -> Encoding<()> {
        if access.ordering.is_some() {
            return Err(Unencodable::new("atomics"));
        }
        Ok(())
    }

    pub(super) fn load(&mut self, instruction: &Instruction) -> Encoding<Symbol> {
        let Op::Load(ty, access) = &instruction.op else {
            return Err(Unencodable::new("malformed load"));
        };
        Self::ordinary(access)?;
        let shape = self.shape(ty)?;
        let (_, size) = self.parts(&shape)?;
        if access.volatile {
            let (name, number) = self.volatile("load", ty, &instruction.operands)?;
            let value = self.answers.event(self.wires, self.module, &name, number, ty)?;
            return self.promised(instruction, value);
        }
        let pointer = self.read_one(&instruction.operands[0])?;
        let align = access.align.unwrap_or_else(|| self.layout.align(&shape));
        let spot = self.accessed(&pointer, size, align, false)?;
        // What is computed anew reads the memory of that time.
        let upto = match instruction.result.and_then(|it| self.states.get(&it)) {
            Some(state) if self.again > 0 => *state,
            _ => self.memory.now(),
        };
        if let (Some(result), 0) = (instruction.result, self.again) {
            self.states.insert(result, upto);
        }
        let bytes = self.bytes_at(&spot, size, upto)?;
        let value = self.value_of(ty, &shape, &bytes)?;
        self.promised(instruction, value)
    }

    fn bytes_at(&mut self, spot: &Spot, size: u64, upto: usize) -> Encoding<Vec<Byte>> {
        let mut bytes = vec![];
        for at in 0..size {
            let place = spot.plus(self.wires, at);
            let contents = &mut self.answers.contents;
            bytes.push(self.memory.byte(self.wires, contents, upto, &place)?);
        }
        Ok(bytes)
    }

    /// A loaded value under the metadata of the load.
    fn promised(&mut self, instruction: &Instruction, mut value: Symbol) -> Encoding<Symbol> {
        for attachment in &instruction.metadata {
            match &*attachment.name {
                "range" => value = self.ranged(value, &attachment.node)?,
                "nonnull" => {
                    let lane = value.lane()?.clone();
                    let some = self.wires.graph.any(&lane.word);
                    value = value.poisoned(self.wires, !some);
                }
                "noundef" | "align" | "dereferenceable" | "dereferenceable_or_null" => {}
                "tbaa"
                | "tbaa.struct"
                | "alias.scope"
                | "noalias"
                | "nontemporal"
                | "prof"
                | "dbg"
                | "access_group"
                | "annotation"
                | "invariant.load"
                | "llvm.access.group"
                | "mem_parallel_loop_access"
                | "llvm.mem.parallel_loop_access"
                | "unpredictable"
                | "DIAssignID"
                | "nosanitize" => {}
                _ => return Err(Unencodable::new("metadata of a load")),
            }
        }
        if instruction.attachment("noundef").is_some() {
            let bad = value.is_undetermined(self.wires);
            self.undefined_if(bad);
            let opened = self.opened;
            self.unsure_if(opened, "noundef of a value that depends on undef");
        }
        if ["align", "dereferenceable", "dereferenceable_or_null"]
            .iter()
            .any(|name| instruction.attachment(name).is_some())
        {
            // Not checked, so that the target may not promise more often than the source.
            self.promises += 1;
        }
        Ok(value)
    }

    /// `!{i8 0, i8 2}`
    pub(super) fn ranged(&mut self, value: Symbol, node: &str) -> Encoding<Symbol> {
        let bounds: Vec<&str> =
            node.trim_start_matches("!{").trim_end_matches('}').split(", ").collect();
        let [low, high] = bounds.as_slice() else {
            return Err(Unencodable::new("range of several parts"));
        };
        let high = high.split_once(' ').map_or(*high, |(_, number)| number);
        in_range(self.wires, value, &format!("{low}, {high}"))
    }

    pub(super) fn store(&mut self, instruction: &Instruction, access: &Access) -> Encoding<Symbol> {
        Self::ordinary(access)?;
        let shape = self.shape(&instruction.operands[0].ty)?;
        let (_, size) = self.parts(&shape)?;
        let (value, opened) = self.stored(&instruction.operands[0])?;
        let mut bytes = self.bytes_of(&shape, &value)?;
        if !self.is_source {
            // Each load may see another value.
            for byte in &mut bytes {
                byte.undef = self.wires.graph.or(byte.undef, opened);
            }
        }
        let pointer = self.read_one(&instruction.operands[1])?;
        let align = access.align.unwrap_or_else(|| self.layout.align(&shape));
        let spot = if access.volatile {
            self.volatile("store", &instruction.operands[0].ty, &instruction.operands)?;
            self.undefined_if(pointer.poison);
            self.spot(&pointer.word)
        } else {
            self.accessed(&pointer, size, align, true)?
        };
        self.write(&spot, bytes)?;
        Ok(Symbol::Many(vec![]))
    }

    /// A volatile access is an event: its name and its number. It may be to memory that is none.
    fn volatile(
        &mut self,
        what: &str,
        ty: &Type,
        operands: &[Operand],
    ) -> Encoding<(Arc<str>, usize)> {
        let callee: Arc<str> = format!("volatile {what} {ty:?}").into();
        let mut arguments = vec![];
        for operand in operands {
            let (value, _) = self.determined(operand, false)?;
            arguments.push(self.passed_on(value)?);
        }
        let number = self.events.len();
        let guard = self.reached;
        self.events.push(Event { guard, callee: Arc::clone(&callee), arguments, state: None });
        Ok((callee, number))
    }

    /// A value that is stored, and when it depends on undef.
    fn stored(&mut self, operand: &Operand) -> Encoding<(Symbol, Wire)> {
        let before = std::mem::replace(&mut self.opened, Wire::FALSE);
        let value = self.operand(operand)?;
        let opened = std::mem::replace(&mut self.opened, before);
        Ok((value, opened))
    }

    fn write(&mut self, spot: &Spot, bytes: Vec<Byte>) -> Encoding<()> {
        let mut written = vec![];
        for (at, byte) in bytes.into_iter().enumerate() {
            written.push((spot.plus(self.wires, at as u64), byte));
        }
        self.memory.write(self.reached, written)
    }

    /// `llvm.memcpy`, `memmove` and `memset` of a constant length.
    pub(super) fn memory_intrinsic(
        &mut self,
        name: &str,
        call: &crate::ir::Call,
        arguments: &[Operand],
    ) -> Encoding<Symbol> {
        let constant = |at: usize| match arguments.get(at).and_then(|it| it.as_constant()) {
            Some(Constant::Int(value)) => u64::try_from(*value).ok(),
            _ => None,
        };
        if !may_access(&call.attributes, !name.starts_with("memset")) {
            return Err(Unencodable::new("memory attributes of a call"));
        }
        let size =
            constant(2).ok_or_else(|| Unencodable::new("memory intrinsic of variable length"))?;
        if constant(3) != Some(0) {
            return Err(Unencodable::new("volatile access"));
        } else if size > BYTES {
            return Err(Unencodable::new("large access"));
        } else if size == 0 {
            return Ok(Symbol::Many(vec![]));
        }
        self.ordinary_pointers()?;
        let align = |at: usize| call.argument_attributes[at].number("align").unwrap_or(1);
        let to = self.read_one(&arguments[0])?;
        let bytes = if name.starts_with("memset") {
            let (value, opened) = self.stored(&arguments[1])?;
            let lane = value.lane()?.clone();
            let mut byte = Byte::of(lane.word);
            byte.poison = lane.poison;
            byte.undef = lane.undef;
            if !self.is_source {
                byte.undef = self.wires.graph.or(byte.undef, opened);
            }
            vec![byte; size as usize]
        } else {
            let from = self.read_one(&arguments[1])?;
            let source = self.accessed(&from, size, align(1), false)?;
            if name.starts_with("memcpy") {
                let regions = self.wires.graph.same(&to.word[ADDRESS..], &from.word[ADDRESS..]);
                let (to, from) = (to.word[..ADDRESS].to_vec(), from.word[..ADDRESS].to_vec());
                let limit = self.wires.word(u128::from(size), ADDRESS as u32);
                let (ahead, behind) = (self.wires.sub(&to, &from), self.wires.sub(&from, &to));
                let (near, close) =
                    (self.wires.ult(&ahead, &limit), self.wires.ult(&behind, &limit));
                let overlap = self.wires.graph.or(near, close);
                let differ = self.wires.graph.any(&ahead);
                let bad = self.wires.graph.and(overlap, differ);
                let bad = self.wires.graph.and(bad, regions);
                self.undefined_if(bad);
            }
            let upto = self.memory.now();
            self.bytes_at(&source, size, upto)?
        };
        let spot = self.accessed(&to, size, align(0), true)?;
        self.write(&spot, bytes)?;
        Ok(Symbol::Many(vec![]))
    }
}
