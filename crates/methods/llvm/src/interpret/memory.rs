//! Memory: blocks of bytes with provenance. What values look like as bytes is in `access`.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::stop::Stop;
use super::value::Pointer;

/// Which allocation a block is: what the same block is called in another run or another module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BlockKey {
    /// Passed by the caller.
    Argument(u32),
    Global(Arc<str>),
    Function(Arc<str>),
    /// Returned by an unknown callee.
    External(u64),
    /// An `alloca`.
    Local(u32),
}

/// One byte of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Byte {
    Uninitialised,
    Poison,
    Bits(u8),
    /// A byte of a pointer, lowest first.
    Fragment(Pointer, u8),
}

/// The bytes of a block. Copies share them until one is written to: most runs change few blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(Arc<Vec<Byte>>);

impl Bytes {
    /// Whether they are surely the same, because nobody wrote to either.
    pub fn is_shared_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl From<Vec<Byte>> for Bytes {
    fn from(bytes: Vec<Byte>) -> Self {
        Self(Arc::new(bytes))
    }
}

impl FromIterator<Byte> for Bytes {
    fn from_iter<I: IntoIterator<Item = Byte>>(bytes: I) -> Self {
        Vec::from_iter(bytes).into()
    }
}

impl Deref for Bytes {
    type Target = [Byte];

    fn deref(&self) -> &[Byte] {
        &self.0
    }
}

impl DerefMut for Bytes {
    fn deref_mut(&mut self) -> &mut [Byte] {
        Arc::make_mut(&mut self.0).as_mut_slice()
    }
}

/// One allocation.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub key: BlockKey,
    pub base: u64,
    /// What its address is surely a multiple of.
    pub align: u64,
    pub bytes: Bytes,
    pub is_writable: bool,
    /// False once the function that allocated it has returned.
    pub is_alive: bool,
    /// Between its lifetime markers, if it has any.
    pub is_started: bool,
    /// Attributes restrict accesses through some pointers to it: [`super::Interpreter`] cannot check them.
    pub is_restricted: bool,
    /// Whether callees can read and write it without a pointer that is passed to them.
    pub is_visible: bool,
    /// Whether the caller can look at it afterwards.
    pub is_observed: bool,
}

impl Block {
    pub fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn is_local(&self) -> bool {
        matches!(self.key, BlockKey::Local(_))
    }

    pub fn is_constant(&self) -> bool {
        matches!(self.key, BlockKey::Global(_)) && !self.is_writable
    }

    /// Whether an access with this alignment is aligned at some addresses of the block only. That of a variable which
    /// the module defines is arbitrary, that of any other block is part of the input.
    pub fn is_aligned_by_chance(&self, align: u64) -> bool {
        (self.is_local() || matches!(self.key, BlockKey::Global(_))) && align > self.align
    }

    /// Whether the pointer into it is within bounds or at its end.
    pub fn holds(&self, address: u64) -> bool {
        address >= self.base && address - self.base <= self.size()
    }
}

/// All allocations of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    pub blocks: Vec<Block>,
    locals: u32,
    /// Whether address 0 may be one of a block that is not known here.
    pub null_is_valid: bool,
}

/// Blocks lie this far apart.
const SLOT: u64 = 1 << 16;

impl Memory {
    /// The address of a block: the same for the same key, aligned to `align` and to nothing more.
    pub fn address(key: &BlockKey, align: u64) -> u64 {
        let slot = match key {
            BlockKey::Argument(index) => 0x1000 + u64::from(*index),
            BlockKey::Global(name) | BlockKey::Function(name) => {
                0x4000
                    + name
                        .bytes()
                        .fold(7, |hash: u64, byte| super::choices::mix(hash ^ u64::from(byte)))
                        % 0x2000
            }
            BlockKey::External(hash) => 0x2000 + hash % 0x2000,
            BlockKey::Local(index) => 0x6000 + u64::from(*index) % 0x1000,
        };
        slot * SLOT + align
    }

    pub fn add(&mut self, key: BlockKey, align: u64, bytes: Bytes) -> Result<u32, Stop> {
        if bytes.len() as u64 > SLOT / 2 || align > SLOT / 4 {
            return Stop::unsupported("blocks above 32 KiB");
        }
        let base = Self::address(&key, align);
        // Only globals and blocks of callees can collide: their addresses are hashes.
        let hashed = !matches!(key, BlockKey::Argument(_) | BlockKey::Local(_));
        if hashed && self.blocks.iter().any(|it| it.base / SLOT == base / SLOT) {
            return Stop::unsupported("blocks whose addresses collide");
        }
        let is_visible = !matches!(key, BlockKey::Local(_));
        self.blocks.push(Block {
            key,
            base,
            align,
            bytes,
            is_writable: true,
            is_alive: true,
            is_started: true,
            is_restricted: false,
            is_visible,
            is_observed: is_visible,
        });
        Ok(self.blocks.len() as u32 - 1)
    }

    pub fn add_local(&mut self, align: u64, size: u64) -> Result<Pointer, Stop> {
        if size > SLOT / 2 || self.locals > 1000 {
            return Stop::unsupported("many or large local variables");
        }
        let key = BlockKey::Local(self.locals);
        self.locals += 1;
        let block = self.add(key, align, vec![Byte::Uninitialised; size as usize].into())?;
        Ok(Pointer { block, address: self.blocks[block as usize].base })
    }

    pub fn block(&self, pointer: Pointer) -> Option<&Block> {
        self.blocks.get(pointer.block as usize)
    }

    /// The block that surely contains the address, for integers that are cast to pointers.
    pub fn at_address(&self, address: u64) -> Pointer {
        let holds = |block: &Block| {
            !block.is_local() && address >= block.base && address - block.base < block.size()
        };
        let block = self.blocks.iter().position(holds);
        Pointer { block: block.map_or(Pointer::NOWHERE, |index| index as u32), address }
    }

    /// Checks an access and returns block and offset. Accesses of no bytes are always fine.
    pub fn access(
        &self,
        pointer: Pointer,
        size: u64,
        align: u64,
        write: bool,
    ) -> Result<(usize, usize), Stop> {
        let Some(block) = self.block(pointer) else {
            if (pointer.address == 0 || size == 0) && !self.null_is_valid {
                return Stop::undefined("access through a null pointer");
            }
            return Stop::unsupported("access through an integer cast to a pointer");
        };
        if !block.is_alive {
            return Stop::undefined("access to memory whose lifetime has ended");
        }
        if !block.is_started {
            // What loads return here has changed between versions.
            return Stop::unsupported("access to a local variable outside of its lifetime");
        }
        let offset = pointer.address.wrapping_sub(block.base);
        if offset > block.size() || block.size() - offset < size {
            return Stop::undefined("access out of bounds");
        }
        if !pointer.address.is_multiple_of(align.max(1)) {
            return Stop::undefined("misaligned access");
        }
        if write && !block.is_writable {
            return Stop::undefined("write to constant memory");
        }
        Ok((pointer.block as usize, offset as usize))
    }
}
