//! Memory: allocations of bytes that know which of them are initialised and where pointers lie.

use std::collections::BTreeMap;

/// What a pointer points to: an allocation, and where in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) allocation: usize,
    pub(super) offset: usize,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Allocation {
    bytes: Vec<u8>,
    initialised: Vec<bool>,
    /// The pointers that begin at some byte; their eight bytes hold nothing else that can be read.
    pointers: BTreeMap<usize, Pointer>,
    /// False after its local is dead.
    live: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    allocations: Vec<Allocation>,
}

/// What must not happen, and what a program that does it does not have: a behaviour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Undefined {
    Dangling,
    OutOfBounds,
    Uninitialised,
    /// The address of something would become a number, or a number an address.
    Address,
    InvalidValue,
    Arithmetic,
    Overlap,
    /// What is being returned into was touched from within the call.
    Protected,
    /// It takes more steps than are allowed.
    Endless,
    /// The program is not well-formed.
    IllFormed,
}

impl Memory {
    pub(super) fn allocate(&mut self, size: usize) -> usize {
        self.allocations.push(Allocation {
            bytes: vec![0; size],
            initialised: vec![false; size],
            pointers: BTreeMap::new(),
            live: true,
        });
        self.allocations.len() - 1
    }

    pub(super) fn free(&mut self, allocation: usize) {
        self.allocations[allocation].live = false;
    }

    fn check(&self, at: Pointer, size: usize) -> Result<&Allocation, Undefined> {
        let allocation = self.allocations.get(at.allocation).ok_or(Undefined::Dangling)?;
        if !allocation.live {
            return Err(Undefined::Dangling);
        }
        if at.offset + size > allocation.bytes.len() {
            return Err(Undefined::OutOfBounds);
        }
        Ok(allocation)
    }

    pub(super) fn read_bits(&self, at: Pointer, size: usize) -> Result<u128, Undefined> {
        let allocation = self.check(at, size)?;
        let range = at.offset..at.offset + size;
        if allocation.pointers.range(at.offset.saturating_sub(7)..range.end).next().is_some() {
            return Err(Undefined::Address);
        }
        if !allocation.initialised[range.clone()].iter().all(|known| *known) {
            return Err(Undefined::Uninitialised);
        }
        let bytes = allocation.bytes[range].iter().rev();
        Ok(bytes.fold(0, |bits, byte| bits << 8 | u128::from(*byte)))
    }

    pub(super) fn write_bits(
        &mut self,
        at: Pointer,
        size: usize,
        bits: u128,
    ) -> Result<(), Undefined> {
        self.clear(at, size)?;
        let allocation = &mut self.allocations[at.allocation];
        for index in 0..size {
            allocation.bytes[at.offset + index] = (bits >> (8 * index)) as u8;
            allocation.initialised[at.offset + index] = true;
        }
        Ok(())
    }

    pub(super) fn read_pointer(&self, at: Pointer) -> Result<Pointer, Undefined> {
        let allocation = self.check(at, 8)?;
        match allocation.pointers.get(&at.offset) {
            Some(pointer) => Ok(*pointer),
            None if allocation.initialised[at.offset] => Err(Undefined::Address),
            None => Err(Undefined::Uninitialised),
        }
    }

    pub(super) fn write_pointer(&mut self, at: Pointer, pointer: Pointer) -> Result<(), Undefined> {
        self.clear(at, 8)?;
        let allocation = &mut self.allocations[at.allocation];
        allocation.initialised[at.offset..at.offset + 8].fill(true);
        allocation.pointers.insert(at.offset, pointer);
        Ok(())
    }

    /// Makes bytes uninitialised. A pointer that is torn by it is gone.
    pub(super) fn clear(&mut self, at: Pointer, size: usize) -> Result<(), Undefined> {
        self.check(at, size)?;
        let allocation = &mut self.allocations[at.allocation];
        let torn: Vec<usize> = allocation
            .pointers
            .range(at.offset.saturating_sub(7)..at.offset + size)
            .map(|(offset, _)| *offset)
            .collect();
        for offset in torn {
            allocation.pointers.remove(&offset);
            allocation.initialised[offset..offset + 8].fill(false);
        }
        allocation.initialised[at.offset..at.offset + size].fill(false);
        Ok(())
    }

    /// Copies bytes as they are, initialised or not: what a union is made of.
    pub(super) fn copy_raw(
        &mut self,
        from: Pointer,
        to: Pointer,
        size: usize,
    ) -> Result<(), Undefined> {
        let source = self.check(from, size)?;
        let bytes = source.bytes[from.offset..from.offset + size].to_vec();
        let initialised = source.initialised[from.offset..from.offset + size].to_vec();
        if source.pointers.range(from.offset.saturating_sub(7)..from.offset + size).next().is_some()
        {
            return Err(Undefined::Address);
        }
        self.clear(to, size)?;
        let target = &mut self.allocations[to.allocation];
        target.bytes[to.offset..to.offset + size].copy_from_slice(&bytes);
        target.initialised[to.offset..to.offset + size].copy_from_slice(&initialised);
        Ok(())
    }
}
