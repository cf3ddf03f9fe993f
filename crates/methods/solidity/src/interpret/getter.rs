//! What getters of public state variables return.

use std::rc::Rc;

use ruint::aliases::U256;

use super::frame::{Context, Frame, Machine, Stop};
use super::message::passed_on;
use super::value::Value;
use crate::abi::Data;
use crate::model::{Expression, Kind, Type, TypeId, Version};

impl Machine<'_> {
    /// A call of a getter from inside: of this contract or of another one.
    pub(super) fn read_getter(
        &mut self,
        frame: &mut Frame,
        target: Option<&Expression>,
        state: u16,
        keys: &[Expression],
    ) -> Result<Value, Stop> {
        let outer = self.context;
        let account = match target {
            None => outer.account,
            Some(target) => {
                let target = self.evaluate(frame, target)?.word();
                let account = usize::try_from(target).ok().and_then(|it| it.checked_sub(1));
                let account = account.filter(|it| *it < self.world.accounts.len());
                // A call of an account without code reverts before it is made.
                account.ok_or(Stop::Revert(vec![]))?
            }
        };
        let keys = self.arguments(frame, keys)?;
        self.context = Context { account, value: U256::ZERO, depth: outer.depth + 1 };
        let result = self.get(state, &keys);
        self.context = outer;
        let values = result.map_err(passed_on)?;
        let mut values: Vec<Value> = values.iter().map(|(_, data)| self.allocated(data)).collect();
        Ok(match (values.len(), values.pop()) {
            (1, Some(value)) => value,
            (_, last) => Value::Many(values.into_iter().chain(last).collect()),
        })
    }

    /// What a getter returns.
    pub(super) fn get(&mut self, id: u16, keys: &[Data]) -> Result<Vec<(TypeId, Data)>, Stop> {
        let state = &self.view.template.states[usize::from(id)];
        let mut frame = Frame { locals: vec![], function: 0, checked: true };
        let place = Expression::new(Kind::State(id), state.ty);
        let mut value = self.evaluate(&mut frame, &place)?;
        let mut ty = state.ty;
        for key in keys {
            match (self.view.ty(ty), &value) {
                (Type::Mapping(key_type, inner), Value::Storage(at)) => {
                    let key = match key {
                        Data::Word(word) => Value::Word(*word),
                        other => Value::Calldata(Rc::new(other.clone())),
                    };
                    let place = self.mapping_place(*at, key_type, &key)?;
                    value = self.stored(place, inner);
                    ty = inner;
                }
                (Type::Array(element, _), _) => {
                    // Where an index is out of range, getters revert without data. They halt before 0.7, and in 0.7
                    // either, by the version.
                    let index = self.in_range(&value, ty, key.word());
                    let index = index.map_err(|_| match self.view.version() {
                        it if it < Version::V7 => Stop::Halt,
                        it if it < Version::V8 => Stop::Broken,
                        _ => Stop::Revert(vec![]),
                    })?;
                    value = self.element(&value, ty, index)?;
                    ty = element;
                }
                _ => return Err(Stop::Broken),
            }
        }
        if let Type::Struct(which) = self.view.ty(ty) {
            let mut out = vec![];
            for (index, field) in self.view.fields(which).iter().enumerate() {
                use crate::model::Type::{Array, Mapping};
                if !matches!(self.view.ty(*field), Array(..) | Mapping(..)) {
                    let member = self.field(&value, ty, index as u8)?;
                    out.push((*field, self.whole(&member, *field)?));
                }
            }
            return Ok(out);
        }
        Ok(vec![(ty, self.whole(&value, ty)?)])
    }
}
