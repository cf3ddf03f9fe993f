//! Places that can be assigned to.

use ruint::aliases::U256;

use super::frame::{Frame, Machine, Stop};
use super::value::{Object, Value};
use crate::abi::Data;
use crate::keccak::keccak_word;
use crate::layout::Place;
use crate::model::{Expression, Kind, Length, LocalId, Location, StateId, StateKind, Type, TypeId};

/// A place that was evaluated.
#[derive(Clone, Debug)]
pub(super) enum Target {
    Local(LocalId),
    Storage(Place),
    Transient(Place),
    Immutable(StateId),
    /// An element or a member in memory.
    Item(usize, usize),
    Byte(usize, usize),
    StorageByte(Place, TypeId, usize),
}

impl Machine<'_> {
    /// The place of a state variable.
    pub(super) fn state_place(&self, id: StateId) -> Place {
        let contract = self.world.accounts[self.context.account].contract;
        let places = self.places.get(usize::from(contract));
        places.and_then(|places| places.get(&id)).copied().unwrap_or(Place::at(U256::ZERO))
    }

    pub(super) fn target(&mut self, frame: &mut Frame, place: &Expression) -> Result<Target, Stop> {
        self.step()?;
        match &place.kind {
            Kind::Local(id) => Ok(Target::Local(*id)),
            Kind::State(id) => {
                let state = &self.view.template.states[usize::from(*id)];
                match self.view.state_kind(state.kind) {
                    StateKind::Storage => Ok(Target::Storage(self.state_place(*id))),
                    StateKind::Transient => Ok(Target::Transient(self.state_place(*id))),
                    StateKind::Immutable => Ok(Target::Immutable(*id)),
                    StateKind::Constant => Err(Stop::Broken),
                }
            }
            Kind::Index(parts) => {
                let (base, index) = &**parts;
                let value = self.evaluate(frame, base)?;
                if let Type::Mapping(key, _) = self.view.ty(base.ty) {
                    let Value::Storage(at) = value else { return Err(Stop::Broken) };
                    let index = self.evaluate(frame, index)?;
                    return Ok(Target::Storage(self.mapping_place(at, key, &index)?));
                }
                let index = self.evaluate(frame, index)?.word();
                let index = self.in_range(&value, base.ty, index)?;
                match value {
                    Value::Storage(at) if self.view.ty(base.ty).is_bytes_like() => {
                        Ok(Target::StorageByte(at, base.ty, index as usize))
                    }
                    Value::Storage(at) => {
                        Ok(Target::Storage(self.storage_element(at, base.ty, index)))
                    }
                    Value::Memory(at) if self.view.ty(base.ty).is_bytes_like() => {
                        Ok(Target::Byte(at, index as usize))
                    }
                    Value::Memory(at) => Ok(Target::Item(at, index as usize)),
                    _ => Err(Stop::Broken),
                }
            }
            Kind::Field(base, index) => {
                let value = self.evaluate(frame, base)?;
                match (value, self.view.ty(base.ty)) {
                    (Value::Storage(at), Type::Struct(which)) => {
                        let (layout, _) = self.view.struct_layout(self.view.fields(which));
                        let (slot, offset) =
                            layout.get(usize::from(*index)).copied().ok_or(Stop::Broken)?;
                        let slot = at.slot.wrapping_add(U256::from(slot));
                        Ok(Target::Storage(Place { slot, offset }))
                    }
                    (Value::Memory(at), _) => Ok(Target::Item(at, usize::from(*index))),
                    _ => Err(Stop::Broken),
                }
            }
            Kind::Push(array, None) => {
                let Value::Storage(at) = self.evaluate(frame, array)? else {
                    return Err(Stop::Broken);
                };
                let place = self.grow(at, array.ty)?;
                match self.view.ty(array.ty).is_bytes_like() {
                    true => Ok(Target::StorageByte(
                        at,
                        array.ty,
                        self.storage_length(at, array.ty)? as usize - 1,
                    )),
                    false => Ok(Target::Storage(place)),
                }
            }
            _ => Err(Stop::Broken),
        }
    }

    /// The place of a value of a mapping.
    pub(super) fn mapping_place(
        &mut self,
        at: Place,
        key: TypeId,
        index: &Value,
    ) -> Result<Place, Stop> {
        let mut bytes = match self.whole(index, key)? {
            crate::abi::Data::Word(word) => word.to_be_bytes::<32>().to_vec(),
            crate::abi::Data::Bytes(bytes) => bytes,
            crate::abi::Data::List(_) => return Err(Stop::Broken),
        };
        bytes.extend(at.slot.to_be_bytes::<32>());
        Ok(Place::at(keccak_word(&bytes)))
    }

    /// Makes an array one element longer; the place of the new element.
    pub(super) fn grow(&mut self, at: Place, id: TypeId) -> Result<Place, Stop> {
        let length = self.storage_length(at, id)?;
        match self.view.ty(id) {
            Type::Array(_, Length::Dynamic) => {
                self.set_raw(at.slot, U256::from(length + 1));
                Ok(self.storage_element(at, id, length))
            }
            Type::Bytes => {
                let mut bytes = self.load_bytes(at, id)?;
                bytes.push(0);
                self.store_bytes(at, id, &bytes)?;
                Ok(at)
            }
            _ => Err(Stop::Broken),
        }
    }

    pub(super) fn read(&self, frame: &Frame, target: &Target, id: TypeId) -> Result<Value, Stop> {
        match target {
            Target::Local(local) => {
                frame.locals.get(usize::from(*local)).cloned().ok_or(Stop::Broken)
            }
            Target::Storage(place) => Ok(self.stored(*place, id)),
            Target::Transient(place) => {
                Ok(Value::Word(self.load_word(*place, self.view.ty(id), true)))
            }
            Target::Immutable(state) => {
                let account = &self.world.accounts[self.context.account];
                Ok(Value::Word(account.immutables.get(state).copied().unwrap_or_default()))
            }
            Target::Item(object, index) => match self.memory.get(*object) {
                Some(Object::Items(items)) => items.get(*index).cloned().ok_or(Stop::Broken),
                _ => Err(Stop::Broken),
            },
            Target::Byte(object, index) => match self.memory.get(*object) {
                Some(Object::Bytes(bytes)) => {
                    let byte = bytes.get(*index).copied().ok_or(Stop::Broken)?;
                    Ok(Value::Word(U256::from(byte) << 248))
                }
                _ => Err(Stop::Broken),
            },
            Target::StorageByte(place, array, index) => {
                let bytes = self.load_bytes(*place, *array)?;
                let byte = bytes.get(*index).copied().ok_or(Stop::Broken)?;
                Ok(Value::Word(U256::from(byte) << 248))
            }
        }
    }

    /// Writes a value of type `from` to a place of type `id`.
    pub(super) fn write(
        &mut self,
        frame: &mut Frame,
        target: &Target,
        id: TypeId,
        value: Value,
        from: TypeId,
    ) -> Result<(), Stop> {
        match target {
            Target::Local(local) => {
                let declared = &self.view.template.functions[usize::from(frame.function)].locals;
                let location =
                    declared.get(usize::from(*local)).map(|it| self.view.location(it.location));
                let value = self.moved(value, from, location.unwrap_or(Location::Memory))?;
                *frame.locals.get_mut(usize::from(*local)).ok_or(Stop::Broken)? = value;
            }
            Target::Storage(place) => {
                if let (Value::Word(word), ty) = (&value, self.view.ty(id)) {
                    self.store_word(*place, ty, *word, false);
                    return Ok(());
                }
                if matches!(&value, Value::Storage(source) if source == place) {
                    return Ok(());
                }
                let mut data = self.whole(&value, from)?;
                if let (Type::Array(narrow, _), Data::List(items), true) = (
                    self.view.ty(from),
                    &mut data,
                    self.has(super::planted::Planted::SignedElements),
                ) && let Type::Int(bits) = self.view.ty(narrow)
                {
                    for item in items {
                        let low = crate::word::wrap(item.word(), Type::Uint(bits));
                        *item = Data::Word(low);
                    }
                }
                self.store(*place, id, &data)?;
            }
            Target::Transient(place) => {
                self.store_word(*place, self.view.ty(id), value.word(), true);
            }
            Target::Immutable(state) => {
                let account = &mut self.world.accounts[self.context.account];
                account.immutables.insert(*state, value.word());
            }
            Target::Item(object, index) => {
                let value = self.moved(value, from, Location::Memory)?;
                let Some(Object::Items(items)) = self.memory.get_mut(*object) else {
                    return Err(Stop::Broken);
                };
                *items.get_mut(*index).ok_or(Stop::Broken)? = value;
            }
            Target::Byte(object, index) => {
                let byte = value.word().byte(31);
                let Some(Object::Bytes(bytes)) = self.memory.get_mut(*object) else {
                    return Err(Stop::Broken);
                };
                *bytes.get_mut(*index).ok_or(Stop::Broken)? = byte;
            }
            Target::StorageByte(place, array, index) => {
                let mut bytes = self.load_bytes(*place, *array)?;
                *bytes.get_mut(*index).ok_or(Stop::Broken)? = value.word().byte(31);
                self.store_bytes(*place, *array, &bytes)?;
            }
        }
        Ok(())
    }

    /// `delete` of a place.
    pub(super) fn delete(
        &mut self,
        frame: &mut Frame,
        target: &Target,
        id: TypeId,
    ) -> Result<(), Stop> {
        match target {
            Target::Storage(place) => self.clear(*place, id),
            Target::Byte(object, index) if self.has(super::planted::Planted::DeletedByte) => {
                if let Some(Object::Bytes(bytes)) = self.memory.get_mut(*object) {
                    let end = (index + 32).min(bytes.len());
                    bytes[*index..end].fill(0);
                }
                Ok(())
            }
            target => {
                let value = self.initial(id, Location::Memory);
                self.write(frame, target, id, value, id)
            }
        }
    }
}
