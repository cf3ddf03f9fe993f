//! Memory: one arena of bytes, each of which knows what it is part of, and the allocations that lie in it.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::borrows::Tree;
use super::interpret::{Check, Undefined};

/// What a byte is, if not a part of a pointer.
const UNSET: u32 = 0;
const PLAIN: u32 = 1;
/// A byte of a NaN: nobody knows its bits. The byte itself says which one of how many it is.
const NAN: u32 = 2;
/// From here on, a part of a pointer; the byte says which.
const POINTER: u32 = 3;

/// The allocation of function pointers, whose offset is the number of the function.
const FUNCTIONS: u32 = u32::MAX;

/// The allocation of pointers to nothing, whose offset is their address.
const NOWHERE: u32 = u32::MAX - 1;

/// Where a pointer points to, and what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) slot: u32,
    /// Tells the allocations of one slot apart.
    pub(crate) serial: u32,
    /// Two's complement: `arith_offset` may move a pointer out of what it points into, as long as it is not used
    /// there. Nothing is as large as half of what can be counted, so such a pointer is outside of everything.
    pub(crate) offset: u32,
    /// It may be moved and used within these.
    pub(crate) lo: u32,
    pub(crate) hi: u32,
    /// In the tree of borrows; 0 is the allocation itself.
    pub(crate) tag: u8,
    /// What `lo` is surely aligned to: so many zero bits.
    pub(crate) align: u8,
    /// It is an integer at present.
    pub(crate) exposed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub(crate) start: usize,
    pub(crate) size: u32,
    /// So many zero bits.
    pub(crate) align: u8,
    pub(crate) serial: u32,
    pub(crate) live: bool,
    /// Somebody holds the slot, even if it is dead at present.
    held: bool,
    pub(crate) heap: bool,
    pub(crate) constant: bool,
    /// Where it is could be where another one is: a parameter, or what something was moved out of or returned
    /// into.
    pub(crate) doubtful: bool,
    /// Shared with copies of the memory until it changes.
    pub(crate) tree: Option<Rc<Tree>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    bytes: Vec<u8>,
    meta: Vec<u32>,
    allocations: Vec<Allocation>,
    pointers: Vec<Pointer>,
    /// How many pointers there may be before those that nobody holds are thrown away.
    limit: usize,
    serial: u32,
    /// Slots that nobody holds, by size, below others that somebody does. Some may be in use again.
    free: BTreeMap<usize, Vec<u32>>,
}

impl Pointer {
    pub(crate) fn function(function: usize) -> Self {
        Self {
            slot: FUNCTIONS,
            serial: 0,
            offset: function as u32,
            lo: 0,
            hi: 0,
            tag: 0,
            align: 0,
            exposed: false,
        }
    }

    pub(crate) fn as_function(&self) -> Option<usize> {
        (self.slot == FUNCTIONS && !self.exposed).then_some(self.offset as usize)
    }

    /// A pointer to nothing, such as null.
    pub(crate) fn nowhere(address: u32) -> Self {
        Self { slot: NOWHERE, offset: address, ..Self::function(0) }
    }

    /// The address of a pointer to nothing; nobody knows that of another.
    pub(crate) fn address(&self) -> Option<u32> {
        (self.slot == NOWHERE).then_some(self.offset)
    }

    /// What it is surely aligned to: so many zero bits.
    pub(crate) fn alignment(&self) -> u8 {
        let by = self.offset.wrapping_sub(self.lo);
        if by == 0 { self.align } else { self.align.min(by.trailing_zeros() as u8) }
    }

    /// Whether it is within what it may be moved in, or at its end.
    pub(crate) fn is_inside(&self) -> bool {
        (self.lo..=self.hi).contains(&self.offset)
    }

    pub(crate) fn is_aligned(&self, align: usize) -> bool {
        u32::from(self.alignment()) >= align.trailing_zeros()
    }

    /// With no more than some bytes from where it is.
    pub(crate) fn bounded(self, size: usize) -> Self {
        let align = self.alignment();
        Self { lo: self.offset, hi: self.offset + size as u32, align, ..self }
    }

    pub(crate) fn moved(self, by: usize) -> Self {
        Self { offset: self.offset + by as u32, ..self }
    }
}

impl Memory {
    pub(crate) fn allocate(&mut self, size: usize, align: usize) -> u32 {
        self.serial += 1;
        let mut allocation = Allocation {
            start: self.bytes.len(),
            size: size as u32,
            align: align.trailing_zeros() as u8,
            serial: self.serial,
            live: true,
            held: true,
            heap: false,
            constant: false,
            doubtful: false,
            tree: None,
        };
        if let Some(slot) = self.reusable(size) {
            allocation.start = self.allocations[slot as usize].start;
            self.clear(allocation.start, size);
            self.allocations[slot as usize] = allocation;
            return slot;
        }
        self.bytes.resize(allocation.start + size, 0);
        self.meta.resize(allocation.start + size, UNSET);
        self.allocations.push(allocation);
        (self.allocations.len() - 1) as u32
    }

    /// A slot of a size that nobody holds. What outlives the calls around it, such as a box, would else keep
    /// all that lies below it for good.
    fn reusable(&mut self, size: usize) -> Option<u32> {
        let slots = self.free.get_mut(&size)?;
        while let Some(slot) = slots.pop() {
            let found = self.allocations.get(slot as usize);
            if found.is_some_and(|found| !found.held && found.size as usize == size) {
                return Some(slot);
            }
        }
        self.free.remove(&size);
        None
    }

    /// How many bytes there are in all.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn allocation_mut(&mut self, slot: u32) -> Option<&mut Allocation> {
        self.allocations.get_mut(slot as usize)
    }

    /// From now on nobody knows whether something else is at the same place.
    pub(crate) fn doubt(&mut self, slot: u32) {
        if let Some(allocation) = self.allocations.get_mut(slot as usize) {
            allocation.doubtful = true;
        }
    }

    /// Ends what lies in a slot. What a reference protects cannot be freed.
    pub(crate) fn kill(&mut self, slot: u32) -> Check {
        let Some(allocation) = self.allocations.get_mut(slot as usize) else {
            return Err(Undefined::IllFormed);
        };
        if allocation.live && allocation.tree.as_ref().is_some_and(|tree| tree.is_guarded()) {
            return Err(Undefined::Borrow);
        }
        allocation.live = false;
        allocation.tree = None;
        Ok(())
    }

    /// A fresh allocation in an old slot.
    pub(crate) fn revive(&mut self, slot: u32) -> Check {
        self.kill(slot)?;
        self.serial += 1;
        let allocation = &mut self.allocations[slot as usize];
        allocation.live = true;
        allocation.serial = self.serial;
        allocation.doubtful = false;
        let start = allocation.start;
        self.meta[start..start + allocation.size as usize].fill(UNSET);
        Ok(())
    }

    /// Ends what lies in a slot, and gives the slot back.
    pub(crate) fn free(&mut self, slot: u32) -> Check {
        self.kill(slot)?;
        self.release(slot);
        Ok(())
    }

    /// Gives a slot back, whatever may protect it.
    pub(crate) fn release(&mut self, slot: u32) {
        if let Some(allocation) = self.allocations.get_mut(slot as usize) {
            allocation.live = false;
            allocation.tree = None;
            allocation.held = false;
        }
        while let Some(last) = self.allocations.last()
            && !last.held
        {
            self.bytes.truncate(last.start);
            self.meta.truncate(last.start);
            self.allocations.pop();
        }
        if let Some(allocation) = self.allocations.get(slot as usize) {
            self.free.entry(allocation.size as usize).or_default().push(slot);
        }
    }

    /// A pointer to the whole of an allocation that is live.
    #[inline]
    pub(crate) fn whole(&self, slot: u32) -> Check<Pointer> {
        let allocation = self.allocations.get(slot as usize).ok_or(Undefined::IllFormed)?;
        if !allocation.live {
            return Err(Undefined::Dangling);
        }
        Ok(Pointer {
            slot,
            serial: allocation.serial,
            offset: 0,
            lo: 0,
            hi: allocation.size,
            tag: 0,
            align: allocation.align,
            exposed: false,
        })
    }

    /// The allocation that a pointer points into.
    #[inline]
    pub(crate) fn target(&self, at: &Pointer) -> Check<&Allocation> {
        match self.allocations.get(at.slot as usize) {
            Some(found) if found.live && found.serial == at.serial => Ok(found),
            _ => Err(Undefined::Dangling),
        }
    }

    /// Where in the arena so many bytes begin.
    #[inline]
    pub(crate) fn locate(&self, at: &Pointer, size: usize) -> Check<usize> {
        self.locate_in(at, size).map(|(index, _)| index)
    }

    /// Where in the arena so many bytes begin, and the allocation.
    #[inline]
    pub(crate) fn locate_in(&self, at: &Pointer, size: usize) -> Check<(usize, &Allocation)> {
        let allocation = self.target(at)?;
        if at.offset < at.lo || at.offset as usize + size > at.hi as usize {
            return Err(Undefined::OutOfBounds);
        }
        Ok((allocation.start + at.offset as usize, allocation))
    }

    pub(crate) fn clear(&mut self, index: usize, size: usize) {
        self.meta[index..index + size].fill(UNSET);
    }

    /// Whether all bytes are plain numbers.
    pub(crate) fn is_plain(&self, index: usize, size: usize) -> bool {
        self.meta[index..index + size].iter().all(|meta| *meta == PLAIN)
    }

    pub(crate) fn read_bits(&self, index: usize, size: usize) -> Check<u128> {
        let meta = &self.meta[index..index + size];
        if meta.iter().any(|meta| *meta != PLAIN) {
            return Err(match meta.iter().find(|meta| **meta != PLAIN) {
                _ if meta.contains(&UNSET) => Undefined::Uninitialised,
                Some(&NAN) => Undefined::Nondeterministic,
                _ => Undefined::Address,
            });
        }
        let mut whole = [0; 16];
        whole[..size].copy_from_slice(&self.bytes[index..index + size]);
        Ok(u128::from_le_bytes(whole))
    }

    pub(crate) fn write_bits(&mut self, index: usize, size: usize, bits: u128) {
        self.bytes[index..index + size].copy_from_slice(&bits.to_le_bytes()[..size]);
        self.meta[index..index + size].fill(PLAIN);
    }

    /// The same byte, so many times.
    pub(crate) fn fill(&mut self, index: usize, size: usize, byte: u8) {
        self.bytes[index..index + size].fill(byte);
        self.meta[index..index + size].fill(PLAIN);
    }

    /// Whether there is a NaN of so many bytes.
    pub(crate) fn is_nan(&self, index: usize, size: usize) -> bool {
        self.meta[index] == NAN
            && (0..size).all(|part| {
                self.meta[index + part] == NAN && self.bytes[index + part] == nan_byte(size, part)
            })
    }

    pub(crate) fn write_nan(&mut self, index: usize, size: usize) {
        for part in 0..size {
            self.bytes[index + part] = nan_byte(size, part);
        }
        self.meta[index..index + size].fill(NAN);
    }

    /// A pointer, or an integer that was one.
    pub(crate) fn read_pointer(&self, index: usize) -> Check<Pointer> {
        let meta = &self.meta[index..index + 8];
        let first = meta[0];
        let whole = first >= POINTER
            && meta.iter().all(|meta| *meta == first)
            && self.bytes[index..index + 8] == [0, 1, 2, 3, 4, 5, 6, 7];
        if whole {
            Ok(self.pointers[(first - POINTER) as usize])
        } else if meta.contains(&UNSET) {
            Err(Undefined::Uninitialised)
        } else {
            Err(Undefined::Address)
        }
    }

    pub(crate) fn write_pointer(&mut self, index: usize, pointer: &Pointer) {
        if self.pointers.last() != Some(pointer) {
            self.pointers.push(*pointer);
        }
        let number = (self.pointers.len() - 1) as u32 + POINTER;
        self.meta[index..index + 8].fill(number);
        self.bytes[index..index + 8].copy_from_slice(&[0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// Copies bytes as they are, initialised or not.
    pub(crate) fn copy(&mut self, from: usize, to: usize, size: usize) {
        self.bytes.copy_within(from..from + size, to);
        self.meta.copy_within(from..from + size, to);
    }

    /// How bytes that are plain numbers compare.
    pub(crate) fn compare(
        &self,
        one: usize,
        other: usize,
        size: usize,
    ) -> Check<std::cmp::Ordering> {
        for at in [one, other] {
            if !self.is_plain(at, size) {
                (at..at + size).try_for_each(|byte| self.read_bits(byte, 1).map(drop))?;
            }
        }
        Ok(self.bytes[one..one + size].cmp(&self.bytes[other..other + size]))
    }

    /// Throws away the pointers that nobody holds, if there are many.
    pub(crate) fn tidy(&mut self) {
        if self.pointers.len() >= self.limit.max(256) {
            self.collect();
        }
    }

    fn collect(&mut self) {
        let mut numbers = vec![0; self.pointers.len()];
        let mut kept = vec![];
        for allocation in self.allocations.iter().filter(|allocation| allocation.live) {
            let range = allocation.start..allocation.start + allocation.size as usize;
            for meta in self.meta[range].iter_mut().filter(|meta| **meta >= POINTER) {
                let old = (*meta - POINTER) as usize;
                if numbers[old] == 0 {
                    kept.push(self.pointers[old]);
                    numbers[old] = (kept.len() - 1) as u32 + POINTER;
                }
                *meta = numbers[old];
            }
        }
        self.limit = kept.len() * 2;
        self.pointers = kept;
    }

    /// Forgets the borrows of an allocation by which nobody can do anything any more, but for one.
    pub(crate) fn prune(&mut self, slot: u32, but: u8) {
        self.collect();
        let Some(allocation) = self.allocations.get_mut(slot as usize) else { return };
        let Some(tree) = &mut allocation.tree else { return };
        let serial = allocation.serial;
        let ours = self.pointers.iter().filter(|at| at.slot == slot && at.serial == serial);
        Rc::make_mut(tree).prune(ours.fold(1 << but, |kept, at| kept | 1 << at.tag));
    }
}

/// What the bytes of a NaN hold, so that parts of different ones are told apart.
fn nan_byte(size: usize, part: usize) -> u8 {
    (size * 16 + part) as u8
}
