//! The interpreter's memory: one arena of bytes with metadata per byte (uninitialised, plain, NaN or pointer), and the
//! allocations in it. Aliasing rules are left to `borrows.rs`.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::borrows::Tree;
use super::interpret::{Check, Undefined};

/// The metadata of an uninitialised byte.
const UNINITIALISED: u32 = 0;
/// The metadata of a byte with a value and without provenance.
const PLAIN: u32 = 1;
/// The metadata of a byte of a NaN, whose bits are unspecified. The byte itself is [`nan_byte`].
const NAN: u32 = 2;
/// The least metadata of a byte of a pointer: the metadata is this plus an index into `Memory::pointers`. The byte
/// itself is its position in the pointer.
const POINTER: u32 = 3;

/// The slot of function pointers. Their offset is the index of the function.
const FUNCTIONS: u32 = u32::MAX;

/// The slot of pointers without provenance. Their offset is the address.
const NO_PROVENANCE: u32 = u32::MAX - 1;

/// A pointer with its provenance: allocation, bounds and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pointer {
    pub(crate) slot: u32,
    /// Distinguishes successive allocations in one slot.
    pub(crate) serial: u32,
    /// Two's complement: `arith_offset` can move a pointer out of its allocation, if it is not dereferenced there.
    /// Allocations are smaller than half of the range, so a negative offset is out of bounds of every allocation.
    pub(crate) offset: u32,
    /// The bounds within which it may be moved and dereferenced.
    pub(crate) lo: u32,
    pub(crate) hi: u32,
    /// Its node in the borrow tree. 0 is the allocation itself.
    pub(crate) tag: u8,
    /// The guaranteed alignment of `lo`, as the number of trailing zero bits.
    pub(crate) align: u8,
    /// It was cast to an integer and not back.
    pub(crate) exposed: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub(crate) start: usize,
    pub(crate) size: u32,
    /// As the number of trailing zero bits.
    pub(crate) align: u8,
    pub(crate) serial: u32,
    pub(crate) live: bool,
    /// The slot is in use, even if its allocation is dead, as that of a local after `StorageDead`.
    held: bool,
    pub(crate) heap: bool,
    pub(crate) constant: bool,
    /// Its address may equal that of another allocation: a parameter, the source of a move, or a return destination.
    pub(crate) ambiguous_address: bool,
    /// Shared with clones of the memory until it changes.
    pub(crate) tree: Option<Rc<Tree>>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    bytes: Vec<u8>,
    meta: Vec<u32>,
    allocations: Vec<Allocation>,
    pointers: Vec<Pointer>,
    /// The number of pointers from which unreferenced ones are collected.
    limit: usize,
    serial: u32,
    /// Candidates for reuse, by size: slots that were released while later slots were in use. Some may be in use again.
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

    /// A pointer without provenance, such as null.
    pub(crate) fn without_provenance(address: u32) -> Self {
        Self { slot: NO_PROVENANCE, offset: address, ..Self::function(0) }
    }

    /// The address of a pointer without provenance. That of any other pointer is unspecified.
    pub(crate) fn address(&self) -> Option<u32> {
        (self.slot == NO_PROVENANCE).then_some(self.offset)
    }

    /// Its guaranteed alignment, as the number of trailing zero bits.
    pub(crate) fn alignment(&self) -> u8 {
        let by = self.offset.wrapping_sub(self.lo);
        if by == 0 { self.align } else { self.align.min(by.trailing_zeros() as u8) }
    }

    /// Whether it is within its bounds, or one past their end.
    pub(crate) fn is_inside(&self) -> bool {
        (self.lo..=self.hi).contains(&self.offset)
    }

    pub(crate) fn is_aligned(&self, align: usize) -> bool {
        u32::from(self.alignment()) >= align.trailing_zeros()
    }

    /// The pointer with its bounds reduced to the next `size` bytes.
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
            ambiguous_address: false,
            tree: None,
        };
        if let Some(slot) = self.reusable(size) {
            allocation.start = self.allocations[slot as usize].start;
            self.clear(allocation.start, size);
            self.allocations[slot as usize] = allocation;
            return slot;
        }
        self.bytes.resize(allocation.start + size, 0);
        self.meta.resize(allocation.start + size, UNINITIALISED);
        self.allocations.push(allocation);
        (self.allocations.len() - 1) as u32
    }

    /// A free slot of a size. Without reuse, an allocation that outlives its function, such as a box, would keep all
    /// slots below it allocated.
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

    /// The size of the arena in bytes.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn allocation_mut(&mut self, slot: u32) -> Option<&mut Allocation> {
        self.allocations.get_mut(slot as usize)
    }

    /// From now on the address of the allocation may equal that of another.
    pub(crate) fn set_ambiguous_address(&mut self, slot: u32) {
        if let Some(allocation) = self.allocations.get_mut(slot as usize) {
            allocation.ambiguous_address = true;
        }
    }

    /// Deallocates, and keeps the slot. Undefined behaviour if a strong protector forbids it.
    pub(crate) fn kill(&mut self, slot: u32) -> Check {
        let Some(allocation) = self.allocations.get_mut(slot as usize) else {
            return Err(Undefined::IllFormed);
        };
        let tree = allocation.tree.as_ref();
        if allocation.live && tree.is_some_and(|tree| tree.is_strongly_protected()) {
            return Err(Undefined::Borrow);
        }
        allocation.live = false;
        allocation.tree = None;
        Ok(())
    }

    /// Replaces the allocation of a slot by a new, uninitialised one.
    pub(crate) fn revive(&mut self, slot: u32) -> Check {
        self.kill(slot)?;
        self.serial += 1;
        let allocation = &mut self.allocations[slot as usize];
        allocation.live = true;
        allocation.serial = self.serial;
        allocation.ambiguous_address = false;
        let start = allocation.start;
        self.meta[start..start + allocation.size as usize].fill(UNINITIALISED);
        Ok(())
    }

    /// Deallocates, and releases the slot. Undefined behaviour if a strong protector forbids it.
    pub(crate) fn free(&mut self, slot: u32) -> Check {
        self.kill(slot)?;
        self.release(slot);
        Ok(())
    }

    /// Deallocates without a check for protectors, and releases the slot.
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

    /// A pointer to the whole of a live allocation.
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

    /// The index in the arena of `size` bytes at a pointer, which must be in bounds.
    #[inline]
    pub(crate) fn locate(&self, at: &Pointer, size: usize) -> Check<usize> {
        self.locate_in(at, size).map(|(index, _)| index)
    }

    /// As `locate`, with the allocation.
    #[inline]
    pub(crate) fn locate_in(&self, at: &Pointer, size: usize) -> Check<(usize, &Allocation)> {
        let allocation = self.target(at)?;
        if at.offset < at.lo || at.offset as usize + size > at.hi as usize {
            return Err(Undefined::OutOfBounds);
        }
        Ok((allocation.start + at.offset as usize, allocation))
    }

    /// Makes bytes uninitialised.
    pub(crate) fn clear(&mut self, index: usize, size: usize) {
        self.meta[index..index + size].fill(UNINITIALISED);
    }

    /// Whether all bytes are initialised, and none belongs to a pointer or a NaN.
    pub(crate) fn is_plain(&self, index: usize, size: usize) -> bool {
        self.meta[index..index + size].iter().all(|meta| *meta == PLAIN)
    }

    pub(crate) fn read_bits(&self, index: usize, size: usize) -> Check<u128> {
        let meta = &self.meta[index..index + size];
        if meta.iter().any(|meta| *meta != PLAIN) {
            return Err(match meta.iter().find(|meta| **meta != PLAIN) {
                _ if meta.contains(&UNINITIALISED) => Undefined::Uninitialised,
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

    /// Writes the same byte `size` times.
    pub(crate) fn fill(&mut self, index: usize, size: usize, byte: u8) {
        self.bytes[index..index + size].fill(byte);
        self.meta[index..index + size].fill(PLAIN);
    }

    /// Whether there is a NaN of `size` bytes.
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

    /// Reads a pointer, or an integer that was cast from one.
    pub(crate) fn read_pointer(&self, index: usize) -> Check<Pointer> {
        let meta = &self.meta[index..index + 8];
        let first = meta[0];
        let whole = first >= POINTER
            && meta.iter().all(|meta| *meta == first)
            && self.bytes[index..index + 8] == [0, 1, 2, 3, 4, 5, 6, 7];
        if whole {
            Ok(self.pointers[(first - POINTER) as usize])
        } else if meta.contains(&UNINITIALISED) {
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

    /// Copies bytes with their metadata, initialised or not.
    pub(crate) fn copy(&mut self, from: usize, to: usize, size: usize) {
        self.bytes.copy_within(from..from + size, to);
        self.meta.copy_within(from..from + size, to);
    }

    /// Compares bytes. They must all be plain.
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

    /// Collects unreferenced pointers if there are many pointers.
    pub(crate) fn collect_if_due(&mut self) {
        if self.pointers.len() >= self.limit.max(256) {
            self.collect();
        }
    }

    /// Removes the pointers that no live allocation contains.
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

    /// Removes the nodes of an allocation's borrow tree that no stored pointer uses, except one.
    pub(crate) fn prune(&mut self, slot: u32, except: u8) {
        self.collect();
        let Some(allocation) = self.allocations.get_mut(slot as usize) else { return };
        let Some(tree) = &mut allocation.tree else { return };
        let serial = allocation.serial;
        let ours = self.pointers.iter().filter(|at| at.slot == slot && at.serial == serial);
        Rc::make_mut(tree).prune(ours.fold(1 << except, |kept, at| kept | 1 << at.tag));
    }
}

/// The content of byte `part` of a NaN of `size` bytes. It distinguishes a whole NaN from parts of several.
fn nan_byte(size: usize, part: usize) -> u8 {
    (size * 16 + part) as u8
}
