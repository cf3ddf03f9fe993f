//! Storage: reading, writing and clearing typed values in raw slots.

use ruint::aliases::U256;

use super::frame::{Machine, Stop};
use super::planted::Planted;
use crate::abi::Data;
use crate::keccak::keccak_word;
use crate::layout::Place;
use crate::model::{Length, Type, TypeId};
use crate::word::{convert, wrap};

/// The slot of the first element of a dynamic array.
pub(super) fn data_slot(slot: U256) -> U256 {
    keccak_word(&slot.to_be_bytes::<32>())
}

impl Machine<'_> {
    pub(super) fn raw(&self, slot: U256) -> U256 {
        self.world.load(self.context.account, slot, false)
    }

    pub(super) fn set_raw(&mut self, slot: U256, value: U256) {
        self.world.store(self.context.account, slot, value, false);
    }

    /// Reads a value type.
    pub(super) fn load_word(&self, place: Place, ty: Type, transient: bool) -> U256 {
        let raw = self.world.load(self.context.account, place.slot, transient);
        let ty = self.view.underlying(ty);
        let shifted = raw >> (usize::from(place.offset) * 8);
        match ty {
            Type::FixedBytes(bytes) => {
                convert(wrap(shifted, Type::Uint(u16::from(bytes) * 8)), Type::Uint(256), ty)
            }
            Type::Bool | Type::Enum(_) => shifted & U256::from(0xff),
            ty => wrap(shifted, ty),
        }
    }

    /// Writes a value type and leaves the rest of the slot.
    pub(super) fn store_word(&mut self, place: Place, ty: Type, value: U256, transient: bool) {
        let ty = self.view.underlying(ty);
        let bytes = usize::from(self.view.stored_bytes(ty));
        let low = match ty {
            Type::FixedBytes(bytes) => value >> (256 - usize::from(bytes) * 8),
            _ => value,
        };
        let mask = if bytes == 32 { U256::MAX } else { (U256::ONE << (bytes * 8)) - U256::ONE };
        let shift = usize::from(place.offset) * 8;
        let raw = self.world.load(self.context.account, place.slot, transient);
        let value = (raw & !(mask << shift)) | ((low & mask) << shift);
        self.world.store(self.context.account, place.slot, value, transient);
    }

    /// The number of elements of a storage array.
    pub(super) fn storage_length(&self, place: Place, id: TypeId) -> Result<u64, Stop> {
        match self.view.ty(id) {
            Type::Array(_, Length::Fixed(length)) => Ok(u64::from(length)),
            Type::Bytes | Type::String => {
                let raw = self.raw(place.slot);
                let long = raw.bit(0);
                let length = if long { raw >> 1 } else { (raw & U256::from(0xff)) >> 1 };
                let length = u64::try_from(length).map_err(|_| Stop::Fuel)?;
                if long != (length >= 32) {
                    return Err(self.panic(0x22));
                }
                Ok(length)
            }
            _ => u64::try_from(self.raw(place.slot)).map_err(|_| Stop::Fuel),
        }
    }

    /// The place of an element of a storage array; the index is in range.
    pub(super) fn storage_element(&self, place: Place, id: TypeId, index: u64) -> Place {
        match self.view.ty(id) {
            Type::Array(element, Length::Fixed(_)) => self.view.element(place.slot, element, index),
            Type::Array(element, _) => self.view.element(data_slot(place.slot), element, index),
            _ => place,
        }
    }

    pub(super) fn load_bytes(&self, place: Place, id: TypeId) -> Result<Vec<u8>, Stop> {
        let length = self.storage_length(place, id)? as usize;
        if length < 32 {
            return Ok(self.raw(place.slot).to_be_bytes::<32>()[..length].to_vec());
        }
        let data = data_slot(place.slot);
        let mut bytes = Vec::with_capacity(length.next_multiple_of(32));
        for index in 0..length.div_ceil(32) {
            bytes.extend(self.raw(data.wrapping_add(U256::from(index))).to_be_bytes::<32>());
        }
        bytes.truncate(length);
        Ok(bytes)
    }

    /// Writes bytes or a string; what the old value used beyond is cleared.
    pub(super) fn store_bytes(
        &mut self,
        place: Place,
        id: TypeId,
        bytes: &[u8],
    ) -> Result<(), Stop> {
        let old = self.storage_length(place, id)?;
        if bytes.is_empty() && old == 0 && self.has(Planted::EmptyBytes) {
            self.set_raw(place.slot, U256::from(0xaa) << 248);
            return Ok(());
        }
        let data = data_slot(place.slot);
        let used = |length: u64| if length < 32 { 0 } else { length.div_ceil(32) };
        let new = bytes.len() as u64;
        for index in used(new)..used(old) {
            self.set_raw(data.wrapping_add(U256::from(index)), U256::ZERO);
        }
        if bytes.len() < 32 {
            let mut word = [0; 32];
            word[..bytes.len()].copy_from_slice(bytes);
            word[31] = bytes.len() as u8 * 2;
            self.set_raw(place.slot, U256::from_be_bytes(word));
            return Ok(());
        }
        self.set_raw(place.slot, U256::from(new * 2 + 1));
        for (index, chunk) in bytes.chunks(32).enumerate() {
            let mut word = [0; 32];
            word[..chunk.len()].copy_from_slice(chunk);
            self.set_raw(data.wrapping_add(U256::from(index)), U256::from_be_bytes(word));
        }
        Ok(())
    }

    /// Reads a whole value. Mappings are left out of structs by their zero word.
    pub(super) fn load(&mut self, place: Place, id: TypeId) -> Result<Data, Stop> {
        self.step()?;
        match self.view.ty(id) {
            Type::Bytes | Type::String => Ok(Data::Bytes(self.load_bytes(place, id)?)),
            Type::Array(element, _) => {
                let length = self.storage_length(place, id)?;
                if length > 4096 {
                    return Err(Stop::Fuel);
                }
                let at = |index| self.storage_element(place, id, index);
                let places: Vec<Place> = (0..length).map(at).collect();
                let items = places.into_iter().map(|it| self.load(it, element));
                items.collect::<Result<_, _>>().map(Data::List)
            }
            Type::Struct(which) => {
                let fields = self.view.fields(which);
                let (layout, _) = self.view.struct_layout(fields);
                let items = fields.iter().zip(layout).map(|(field, (slot, offset))| {
                    let slot = place.slot.wrapping_add(U256::from(slot));
                    self.load(Place { slot, offset }, *field)
                });
                items.collect::<Result<_, _>>().map(Data::List)
            }
            Type::Mapping(..) => Ok(Data::Word(U256::ZERO)),
            ty => Ok(Data::Word(self.load_word(place, ty, false))),
        }
    }

    /// Writes a whole value. Elements that the array had beyond the new length are cleared.
    pub(super) fn store(&mut self, place: Place, id: TypeId, value: &Data) -> Result<(), Stop> {
        self.step()?;
        match (self.view.ty(id), value) {
            (Type::Bytes | Type::String, Data::Bytes(bytes)) => self.store_bytes(place, id, bytes),
            (Type::Array(element, length), Data::List(items)) => {
                let old = self.storage_length(place, id)?;
                let new = items.len() as u64;
                if length == Length::Dynamic {
                    self.set_raw(place.slot, U256::from(new));
                }
                for (index, item) in items.iter().enumerate() {
                    let at = self.storage_element(place, id, index as u64);
                    self.store(at, element, item)?;
                }
                let kept = match self.view.per_slot(element) {
                    Some(count) if self.has(Planted::ShrunkArray) => new.next_multiple_of(count),
                    _ => new,
                };
                for index in kept..old {
                    let at = self.storage_element(place, id, index);
                    self.clear(at, element)?;
                }
                Ok(())
            }
            (Type::Struct(which), Data::List(items)) => {
                let fields = self.view.fields(which);
                let (layout, _) = self.view.struct_layout(fields);
                for ((field, (slot, offset)), item) in fields.iter().zip(layout).zip(items) {
                    let slot = place.slot.wrapping_add(U256::from(slot));
                    self.store(Place { slot, offset }, *field, item)?;
                }
                Ok(())
            }
            (Type::Mapping(..), _) => Ok(()),
            (ty, Data::Word(word)) => {
                self.store_word(place, ty, *word, false);
                Ok(())
            }
            _ => Err(Stop::Broken),
        }
    }

    /// `delete` of a place.
    pub(super) fn clear(&mut self, place: Place, id: TypeId) -> Result<(), Stop> {
        self.step()?;
        match self.view.ty(id) {
            Type::Bytes | Type::String => self.store_bytes(place, id, &[]),
            Type::Array(element, length) => {
                let old = self.storage_length(place, id)?;
                if old > 4096 {
                    return Err(Stop::Fuel);
                }
                for index in 0..old {
                    let at = self.storage_element(place, id, index);
                    self.clear(at, element)?;
                }
                if length == Length::Dynamic {
                    self.set_raw(place.slot, U256::ZERO);
                }
                Ok(())
            }
            Type::Struct(which) => {
                let fields = self.view.fields(which);
                let (layout, _) = self.view.struct_layout(fields);
                for (field, (slot, offset)) in fields.iter().zip(layout) {
                    let slot = place.slot.wrapping_add(U256::from(slot));
                    self.clear(Place { slot, offset }, *field)?;
                }
                Ok(())
            }
            Type::Mapping(..) => Ok(()),
            ty => {
                self.store_word(place, ty, U256::ZERO, false);
                Ok(())
            }
        }
    }
}
