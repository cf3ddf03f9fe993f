//! Values across locations: copies to memory, whole values of references, lengths and elements.

use std::rc::Rc;

use ruint::aliases::U256;

use super::frame::{Machine, Stop};
use super::value::{Object, Value};
use crate::abi::Data;
use crate::model::{Length, Location, Type, TypeId};

impl Machine<'_> {
    pub(super) fn allocate(&mut self, object: Object) -> Value {
        self.memory.push(object);
        Value::Memory(self.memory.len() - 1)
    }

    /// Puts a value into memory.
    pub(super) fn allocated(&mut self, data: &Data) -> Value {
        match data {
            Data::Word(word) => Value::Word(*word),
            Data::Bytes(bytes) => self.allocate(Object::Bytes(bytes.clone())),
            Data::List(items) => {
                let items = items.iter().map(|item| self.allocated(item)).collect();
                self.allocate(Object::Items(items))
            }
        }
    }

    /// The whole value behind a value of any location.
    pub(super) fn whole(&mut self, value: &Value, id: TypeId) -> Result<Data, Stop> {
        self.step()?;
        match value {
            Value::Word(word) => Ok(Data::Word(*word)),
            Value::Storage(place) => self.load(*place, id),
            Value::Calldata(data) => Ok((**data).clone()),
            Value::Memory(at) => match self.memory.get(*at).cloned() {
                Some(Object::Bytes(bytes)) => Ok(Data::Bytes(bytes)),
                Some(Object::Items(items)) => {
                    let ty = self.view.ty(id);
                    let inner = |index: usize| match ty {
                        Type::Array(element, _) => element,
                        Type::Struct(which) => {
                            self.view.fields(which).get(index).copied().unwrap_or_default()
                        }
                        _ => 0,
                    };
                    let ids: Vec<TypeId> = (0..items.len()).map(inner).collect();
                    let members = items.iter().zip(ids).map(|(item, id)| self.whole(item, id));
                    members.collect::<Result<_, _>>().map(Data::List)
                }
                None => Err(Stop::Broken),
            },
            Value::Many(_) => Err(Stop::Broken),
        }
    }

    /// A value as a variable of this location holds it: copied if its own location differs.
    pub(super) fn moved(&mut self, value: Value, id: TypeId, to: Location) -> Result<Value, Stop> {
        match (&value, to) {
            (Value::Storage(_) | Value::Calldata(_), Location::Memory)
                if self.view.ty(id).is_reference() =>
            {
                let data = self.whole(&value, id)?;
                Ok(self.allocated(&data))
            }
            _ => Ok(value),
        }
    }

    /// The value that a variable of this type and location has before it is written.
    pub(super) fn initial(&mut self, id: TypeId, location: Location) -> Value {
        match (self.view.ty(id).is_reference(), location) {
            (false, _) => Value::Word(U256::ZERO),
            (true, Location::Memory) => {
                let zero = self.view.zero(id);
                self.allocated(&zero)
            }
            (true, Location::Calldata) => Value::Calldata(Rc::new(self.view.zero(id))),
            (true, Location::Storage) => Value::Storage(crate::layout::Place::at(U256::ZERO)),
        }
    }

    /// `.length` of an array or bytes.
    pub(super) fn length(&self, value: &Value, id: TypeId) -> Result<u64, Stop> {
        match value {
            Value::Storage(place) => self.storage_length(*place, id),
            Value::Calldata(data) => match &**data {
                Data::Bytes(bytes) => Ok(bytes.len() as u64),
                Data::List(items) => Ok(items.len() as u64),
                Data::Word(_) => Err(Stop::Broken),
            },
            Value::Memory(at) => match self.memory.get(*at) {
                Some(Object::Bytes(bytes)) => Ok(bytes.len() as u64),
                Some(Object::Items(items)) => Ok(items.len() as u64),
                None => Err(Stop::Broken),
            },
            // `bytesN.length`, and nothing else.
            Value::Word(_) => match self.view.ty(id) {
                Type::FixedBytes(bytes) => Ok(u64::from(bytes)),
                _ => Err(Stop::Broken),
            },
            Value::Many(_) => Err(Stop::Broken),
        }
    }

    /// The index of an element, if it is in range.
    pub(super) fn in_range(&self, value: &Value, id: TypeId, index: U256) -> Result<u64, Stop> {
        let length = self.length(value, id)?;
        if index >= U256::from(length) {
            return Err(self.panic(0x32));
        }
        Ok(index.as_limbs()[0])
    }

    /// Reads from a place of storage: references stay references.
    pub(super) fn stored(&self, place: crate::layout::Place, id: TypeId) -> Value {
        match self.view.ty(id) {
            ty if ty.is_reference() => Value::Storage(place),
            ty => Value::Word(self.load_word(place, ty, false)),
        }
    }

    /// An element of an array or a byte; the index is in range.
    pub(super) fn element(&self, value: &Value, id: TypeId, index: u64) -> Result<Value, Stop> {
        let at = index as usize;
        let byte =
            |bytes: &[u8]| Value::Word(U256::from(bytes.get(at).copied().unwrap_or(0)) << 248);
        match (value, self.view.ty(id)) {
            (Value::Storage(place), Type::Bytes | Type::String) => {
                Ok(byte(&self.load_bytes(*place, id)?))
            }
            (Value::Storage(place), Type::Array(element, _)) => {
                Ok(self.stored(self.storage_element(*place, id, index), element))
            }
            (Value::Calldata(data), _) => match &**data {
                Data::Bytes(bytes) => Ok(byte(bytes)),
                Data::List(items) => items.get(at).map(from_calldata).ok_or(Stop::Broken),
                Data::Word(_) => Err(Stop::Broken),
            },
            (Value::Memory(object), _) => match self.memory.get(*object) {
                Some(Object::Bytes(bytes)) => Ok(byte(bytes)),
                Some(Object::Items(items)) => items.get(at).cloned().ok_or(Stop::Broken),
                None => Err(Stop::Broken),
            },
            (Value::Word(word), Type::FixedBytes(_)) => Ok(byte(&word.to_be_bytes::<32>())),
            _ => Err(Stop::Broken),
        }
    }

    /// A member of a struct.
    pub(super) fn field(&self, value: &Value, id: TypeId, index: u8) -> Result<Value, Stop> {
        let Type::Struct(which) = self.view.ty(id) else { return Err(Stop::Broken) };
        let at = usize::from(index);
        match value {
            Value::Storage(place) => {
                let fields = self.view.fields(which);
                let (layout, _) = self.view.struct_layout(fields);
                let (Some((slot, offset)), Some(field)) = (layout.get(at), fields.get(at)) else {
                    return Err(Stop::Broken);
                };
                let slot = place.slot.wrapping_add(U256::from(*slot));
                Ok(self.stored(crate::layout::Place { slot, offset: *offset }, *field))
            }
            Value::Calldata(data) => match &**data {
                Data::List(items) => items.get(at).map(from_calldata).ok_or(Stop::Broken),
                _ => Err(Stop::Broken),
            },
            Value::Memory(object) => match self.memory.get(*object) {
                Some(Object::Items(items)) => items.get(at).cloned().ok_or(Stop::Broken),
                _ => Err(Stop::Broken),
            },
            _ => Err(Stop::Broken),
        }
    }

    /// An empty array or bytes of this length in memory.
    pub(super) fn new_array(&mut self, id: TypeId, length: U256) -> Result<Value, Stop> {
        let Ok(length) = usize::try_from(length) else {
            if self.has(super::planted::Planted::HugeArray) {
                return self.new_array(id, U256::ZERO);
            }
            // Before 0.8 it is a revert without data.
            let modern = self.view.version() >= crate::model::Version::V8;
            return Err(if modern { self.panic(0x41) } else { Stop::Revert(vec![]) });
        };
        if length > 2048 {
            // Whether it panics or runs out of gas depends on its size.
            return Err(Stop::Fuel);
        }
        match self.view.ty(id) {
            Type::Bytes | Type::String => Ok(self.allocate(Object::Bytes(vec![0; length]))),
            Type::Array(element, Length::Dynamic) => {
                let zero = self.view.zero(element);
                let items = (0..length).map(|_| self.allocated(&zero)).collect();
                Ok(self.allocate(Object::Items(items)))
            }
            _ => Err(Stop::Broken),
        }
    }
}

fn from_calldata(data: &Data) -> Value {
    match data {
        Data::Word(word) => Value::Word(*word),
        data => Value::Calldata(Rc::new(data.clone())),
    }
}
