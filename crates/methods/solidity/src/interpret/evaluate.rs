//! Expressions.

use ruint::aliases::U256;

use super::frame::{Frame, Machine, Order, Stop};
use super::planted::Planted;
use super::value::{Object, Value};
use crate::abi::{self, Data};
use crate::keccak::keccak_word;
use crate::model::{
    AbiKind, Binary, Expression, FunctionId, Kind, Location, StateKind, Type, TypeId, Unary,
};
use crate::word;

impl Machine<'_> {
    pub(super) fn evaluate(&mut self, frame: &mut Frame, it: &Expression) -> Result<Value, Stop> {
        self.step()?;
        match &it.kind {
            Kind::Literal { number, .. } => Ok(Value::Word(self.view.literal(*number, it.ty))),
            Kind::Number(word) => Ok(Value::Word(*word)),
            Kind::Text(bytes) => Ok(self.allocate(Object::Bytes(bytes.clone()))),
            Kind::Local(id) => frame.locals.get(usize::from(*id)).cloned().ok_or(Stop::Broken),
            Kind::State(id) => self.state(frame, *id, it.ty),
            Kind::Binary(op, operands) => self.binary(frame, *op, &operands.0, &operands.1, it.ty),
            Kind::Unary(op, operand) => {
                let value = self.evaluate(frame, operand)?.word();
                self.unary(*op, value, it.ty, frame.checked).map(Value::Word)
            }
            Kind::Cast(inner) => self.cast(frame, inner, it.ty),
            Kind::Conditional(parts) => {
                let (condition, yes, no) = &**parts;
                let branch = if self.evaluate(frame, condition)?.is_true() { yes } else { no };
                let value = self.evaluate(frame, branch)?;
                Ok(value)
            }
            Kind::Index(parts) => {
                let (base, index) = &**parts;
                let value = self.evaluate(frame, base)?;
                let index = self.evaluate(frame, index)?;
                if let (Type::Mapping(key, inner), Value::Storage(at)) =
                    (self.view.ty(base.ty), &value)
                {
                    let place = self.mapping_place(*at, key, &index)?;
                    return Ok(self.stored(place, inner));
                }
                let index = self.in_range(&value, base.ty, index.word())?;
                self.element(&value, base.ty, index)
            }
            Kind::Field(base, index) => {
                let value = self.evaluate(frame, base)?;
                self.field(&value, base.ty, *index)
            }
            Kind::Length(base) => {
                let value = self.evaluate(frame, base)?;
                Ok(Value::Word(U256::from(self.length(&value, base.ty)?)))
            }
            Kind::Call { function, how, named, arguments } => {
                let named = self.view.number(*named) == 1;
                self.call(frame, *function, *how, named, arguments).map(one)
            }
            Kind::CallOn { target, function, value, arguments } => {
                self.call_on(frame, target, *function, value.as_deref(), arguments).map(one)
            }
            Kind::Balance => Ok(Value::Word(self.world.accounts[self.context.account].balance)),
            Kind::Message { how, target, value, data } => {
                self.message_call(frame, *how, target.as_deref(), value.as_deref(), data)
            }
            Kind::New { contract, value, salt, arguments } => {
                self.salt(*contract, *salt)?;
                self.create(frame, *contract, value.as_deref(), arguments)
            }
            Kind::Push(array, Some(value)) => {
                let value_type = value.ty;
                // The array is evaluated before the argument.
                let at = self.evaluate(frame, array)?;
                let Value::Storage(at) = at else { return Err(Stop::Broken) };
                // Early compilers make the array longer before they evaluate the argument.
                let early = self.view.version() < crate::model::Version::V4Late;
                self.order_matters |= early;
                let first = early && self.order == Order::RightFirst;
                let grown = if first { Some(self.grow(at, array.ty)?) } else { None };
                let value = self.evaluate(frame, value)?;
                let place = match grown {
                    Some(place) => place,
                    None => self.grow(at, array.ty)?,
                };
                match self.view.ty(array.ty) {
                    Type::Array(element, _) => {
                        let target = super::place::Target::Storage(place);
                        self.write(frame, &target, element, value, value_type)?;
                    }
                    _ => {
                        let last = self.storage_length(at, array.ty)? as usize - 1;
                        let target = super::place::Target::StorageByte(at, array.ty, last);
                        self.write(frame, &target, value_type, value, value_type)?;
                    }
                }
                Ok(Value::Many(vec![]))
            }
            Kind::Push(_, None) => {
                let target = self.target(frame, it)?;
                self.read(frame, &target, it.ty)
            }
            Kind::Abi(kind, arguments) => self.abi(frame, *kind, arguments),
            Kind::Decode(inner) => {
                let value = self.evaluate(frame, inner)?;
                let Data::Bytes(bytes) = self.whole(&value, inner.ty)? else {
                    return Err(Stop::Broken);
                };
                match abi::decode(self.view, &[it.ty], &bytes) {
                    Ok(values) => Ok(self.allocated(values.first().ok_or(Stop::Broken)?)),
                    Err(malformed) => Err(self.malformed(malformed)),
                }
            }
            Kind::DecodeMany(inner, types) => {
                let value = self.evaluate(frame, inner)?;
                let Data::Bytes(bytes) = self.whole(&value, inner.ty)? else {
                    return Err(Stop::Broken);
                };
                let values = abi::decode(self.view, types, &bytes);
                let values = values.map_err(|malformed| self.malformed(malformed))?;
                Ok(Value::Many(values.iter().map(|it| self.allocated(it)).collect()))
            }
            Kind::Getter { target, state, keys } => {
                self.read_getter(frame, target.as_deref(), *state, keys)
            }
            Kind::Keccak(inner) => {
                let value = self.evaluate(frame, inner)?;
                let Data::Bytes(bytes) = self.whole(&value, inner.ty)? else {
                    return Err(Stop::Broken);
                };
                Ok(Value::Word(keccak_word(&bytes)))
            }
            Kind::NewArray(length) => {
                let length = self.evaluate(frame, length)?.word();
                self.new_array(it.ty, length)
            }
            Kind::MakeStruct(fields) | Kind::MakeArray(fields) => {
                let mut items = vec![];
                for field in fields {
                    let value = self.evaluate(frame, field)?;
                    items.push(self.moved(value, field.ty, Location::Memory)?);
                }
                Ok(self.allocate(Object::Items(items)))
            }
            Kind::Assign(op, parts) => self.assign(frame, *op, &parts.0, &parts.1),
            Kind::Step { place, prefix, up } => {
                let target = self.target(frame, place)?;
                let old = self.read(frame, &target, place.ty)?.word();
                let op = if *up { Binary::Add } else { Binary::Sub };
                let checked = self.is_checked(frame);
                let new = word::binary(op, old, U256::ONE, self.view.ty(place.ty), checked)
                    .map_err(|code| self.panic(code))?;
                self.write(frame, &target, place.ty, Value::Word(new), place.ty)?;
                Ok(Value::Word(if *prefix { new } else { old }))
            }
            Kind::Slice(parts) => {
                let (base, from, to) = &**parts;
                let value = self.evaluate(frame, base)?;
                let from = from.as_ref().map(|it| self.evaluate(frame, it)).transpose()?;
                let to = to.as_ref().map(|it| self.evaluate(frame, it)).transpose()?;
                slice(&value, from, to)
            }
            Kind::Concat(parts) => {
                let mut bytes = vec![];
                for part in parts {
                    let value = self.evaluate(frame, part)?;
                    let data = self.whole(&value, part.ty)?;
                    bytes.extend(abi::pack(self.view, &[part.ty], &[data]));
                }
                Ok(self.allocate(Object::Bytes(bytes)))
            }
            Kind::Modular { multiply, operands } => {
                let (a, b, modulus) = &**operands;
                let [a, b, modulus] = self.three(frame, [a, b, modulus])?;
                if modulus.is_zero() {
                    // Only before 0.5.
                    return Ok(Value::Word(U256::ZERO));
                }
                let value = if *multiply { a.mul_mod(b, modulus) } else { a.add_mod(b, modulus) };
                Ok(Value::Word(value))
            }
            // Zero is a pointer to nothing.
            Kind::Function(id, external) => Ok(Value::Word(U256::from(match external {
                true => *id + 1,
                false => self.virtual_function(*id) + 1,
            }))),
            Kind::CallPointer(pointer, arguments) => {
                let Type::Function(_, external) = self.view.ty(pointer.ty) else {
                    return Err(Stop::Broken);
                };
                let id = self.evaluate(frame, pointer)?.word();
                let id = u16::try_from(id).map_err(|_| Stop::Broken)?;
                self.call_pointer(frame, id.checked_sub(1), external, arguments).map(one)
            }
            Kind::Selector(id) => Ok(self.selector(*id)),
            Kind::SelectorOf(id, condition) => {
                if !self.has(Planted::ForgottenSelector) {
                    self.evaluate(frame, condition)?;
                }
                Ok(self.selector(*id))
            }
            Kind::MsgValue => Ok(Value::Word(self.context.value)),
            Kind::This => Ok(Value::Word(U256::from(self.context.account + 1))),
        }
    }

    fn selector(&self, id: FunctionId) -> Value {
        let mut word = [0; 32];
        word[..4].copy_from_slice(&self.view.function_selector(id));
        Value::Word(U256::from_be_bytes(word))
    }

    pub(super) fn is_checked(&self, frame: &Frame) -> bool {
        frame.checked && self.view.version() >= crate::model::Version::V8
    }

    /// The operands of `addmod` and `mulmod`.
    fn three(&mut self, frame: &mut Frame, operands: [&Expression; 3]) -> Result<[U256; 3], Stop> {
        self.order_matters = true;
        let mut values = [U256::ZERO; 3];
        for step in 0..3 {
            let at = if self.order == Order::LeftFirst { step } else { 2 - step };
            values[at] = self.evaluate(frame, operands[at])?.word();
            // The modulus is checked before anything else is evaluated.
            let checked = self.view.version() >= crate::model::Version::V5;
            if at == 2 && values[at].is_zero() && checked {
                return Err(self.panic(word::DIVISION));
            }
        }
        Ok(values)
    }

    fn state(&mut self, frame: &mut Frame, id: u16, ty: TypeId) -> Result<Value, Stop> {
        let state = &self.view.template.states[usize::from(id)];
        match self.view.state_kind(state.kind) {
            StateKind::Storage => Ok(self.stored(self.state_place(id), ty)),
            StateKind::Transient => {
                Ok(Value::Word(self.load_word(self.state_place(id), self.view.ty(ty), true)))
            }
            StateKind::Constant => match &state.initial {
                Some(initial) => self.evaluate(frame, initial),
                None => Err(Stop::Broken),
            },
            StateKind::Immutable => {
                let account = &self.world.accounts[self.context.account];
                Ok(Value::Word(account.immutables.get(&id).copied().unwrap_or_default()))
            }
        }
    }

    fn binary(
        &mut self,
        frame: &mut Frame,
        op: Binary,
        left: &Expression,
        right: &Expression,
        ty: TypeId,
    ) -> Result<Value, Stop> {
        if matches!(op, Binary::Both | Binary::Either) {
            let first = self.evaluate(frame, left)?.is_true();
            if first == (op == Binary::Either) {
                return Ok(first.into());
            }
            return self.evaluate(frame, right);
        }
        self.order_matters |=
            !(is_plain(left) || is_plain(right)) || has_effect(left) || has_effect(right);
        let (a, b) = match self.order {
            Order::LeftFirst => {
                let a = self.evaluate(frame, left)?;
                (a, self.evaluate(frame, right)?)
            }
            Order::RightFirst => {
                let b = self.evaluate(frame, right)?;
                (self.evaluate(frame, left)?, b)
            }
        };
        let ty = if op.is_comparison() {
            // The operands have a common type: signed if one of them is.
            let signed = |it: &Expression| matches!(self.view.ty(it.ty), Type::Int(_));
            if signed(left) || signed(right) { Type::Int(256) } else { Type::Uint(256) }
        } else {
            self.view.ty(ty)
        };
        let checked = self.is_checked(frame);
        word::binary(op, a.word(), b.word(), ty, checked)
            .map(Value::Word)
            .map_err(|code| self.panic(code))
    }

    fn unary(&self, op: Unary, value: U256, ty: TypeId, checked: bool) -> Result<U256, Stop> {
        let ty = self.view.ty(ty);
        match op {
            Unary::Not => Ok(U256::from(u8::from(value.is_zero()))),
            Unary::Complement => Ok(word::wrap(!value, ty)),
            Unary::Minus => {
                let checked = checked && self.view.version() >= crate::model::Version::V8;
                word::binary(Binary::Sub, U256::ZERO, value, ty, checked)
                    .map_err(|code| self.panic(code))
            }
        }
    }

    fn cast(&mut self, frame: &mut Frame, inner: &Expression, to: TypeId) -> Result<Value, Stop> {
        let value = self.evaluate(frame, inner)?;
        let (from, into) = (self.view.ty(inner.ty), self.view.ty(to));
        match (from, into) {
            // `bytes(s)` and `string(b)` keep the location.
            (Type::Bytes | Type::String, Type::Bytes | Type::String) => Ok(value),
            (Type::Bytes, Type::FixedBytes(_)) => {
                let Data::Bytes(mut bytes) = self.whole(&value, inner.ty)? else {
                    return Err(Stop::Broken);
                };
                bytes.resize(32, 0);
                Ok(Value::Word(word::wrap(
                    U256::try_from_be_slice(&bytes).unwrap_or_default(),
                    into,
                )))
            }
            (_, Type::Enum(which)) if from != into => {
                let members =
                    self.view.template.enums.get(usize::from(which)).copied().unwrap_or(1);
                if value.word() >= U256::from(members) {
                    return Err(self.panic(0x21));
                }
                Ok(value)
            }
            (Type::Bool, _) | (_, Type::Bool) => Ok(value),
            _ => {
                let (from, into) = (self.view.underlying(from), self.view.underlying(into));
                Ok(Value::Word(word::convert(value.word(), from, into)))
            }
        }
    }

    fn assign(
        &mut self,
        frame: &mut Frame,
        op: Option<Binary>,
        place: &Expression,
        value: &Expression,
    ) -> Result<Value, Stop> {
        let right = self.evaluate(frame, value)?;
        let target = self.target(frame, place)?;
        let result = match op {
            None => right,
            Some(op) => {
                let old = self.read(frame, &target, place.ty)?.word();
                let checked = self.is_checked(frame);
                let new = word::binary(op, old, right.word(), self.view.ty(place.ty), checked);
                Value::Word(new.map_err(|code| self.panic(code))?)
            }
        };
        self.write(frame, &target, place.ty, result.clone(), value.ty)?;
        Ok(result)
    }

    /// Arguments as whole values, evaluated from left to right.
    pub(super) fn arguments(
        &mut self,
        frame: &mut Frame,
        arguments: &[Expression],
    ) -> Result<Vec<Data>, Stop> {
        let mut values = vec![];
        for argument in arguments {
            values.push(self.evaluate(frame, argument)?);
        }
        let wholes = values.iter().zip(arguments).map(|(value, it)| self.whole(value, it.ty));
        let wholes: Vec<Data> = wholes.collect::<Result<_, _>>()?;
        self.check_bytes(&values, &wholes)?;
        Ok(wholes)
    }

    /// Before 0.8, some versions encode empty bytes from storage with a superfluous word. Before 0.5, bytes from calldata are
    /// not padded.
    pub(super) fn check_bytes(&self, values: &[Value], wholes: &[Data]) -> Result<(), Stop> {
        fn has_empty(data: &Data) -> bool {
            match data {
                Data::Bytes(bytes) => bytes.is_empty(),
                Data::List(items) => items.iter().any(has_empty),
                Data::Word(_) => false,
            }
        }
        fn is_padded(data: &Data) -> bool {
            match data {
                Data::Bytes(bytes) => bytes.len().is_multiple_of(32),
                Data::List(items) => items.iter().all(is_padded),
                Data::Word(_) => true,
            }
        }
        let unpadded = self.view.version() < crate::model::Version::V5
            && values
                .iter()
                .zip(wholes)
                .any(|(value, whole)| matches!(value, Value::Calldata(_)) && !is_padded(whole));
        if unpadded {
            return Err(Stop::Fuel);
        }
        let unknown = self.view.version() < crate::model::Version::V8
            && values
                .iter()
                .zip(wholes)
                .any(|(value, whole)| matches!(value, Value::Storage(_)) && has_empty(whole));
        if unknown { Err(Stop::Fuel) } else { Ok(()) }
    }

    fn abi(
        &mut self,
        frame: &mut Frame,
        kind: AbiKind,
        arguments: &[Expression],
    ) -> Result<Value, Stop> {
        let mut values = vec![];
        for argument in arguments {
            values.push(self.evaluate(frame, argument)?);
        }
        let wholes = values.iter().zip(arguments).map(|(value, it)| self.whole(value, it.ty));
        let data = wholes.collect::<Result<Vec<Data>, _>>()?;
        self.check_bytes(&values, &data)?;
        let types: Vec<TypeId> = arguments.iter().map(|it| it.ty).collect();
        let mut bytes = match kind {
            AbiKind::Encode | AbiKind::Packed => vec![],
            AbiKind::WithSelector(id) | AbiKind::WithSignature(id) | AbiKind::Call(id) => {
                self.view.function_selector(id).to_vec()
            }
        };
        bytes.extend(match kind {
            AbiKind::Packed => abi::pack(self.view, &types, &data),
            AbiKind::Call(id) => {
                let function = &self.view.template.functions[usize::from(id)];
                let mut encoded = abi::encode(self.view, &function.parameter_types(), &data);
                self.mistake_literals(arguments, &mut encoded);
                encoded
            }
            _ => {
                let mut encoded = abi::encode(self.view, &types, &data);
                self.overflow_head(&values, arguments, &types, &mut encoded);
                encoded
            }
        });
        Ok(self.allocate(Object::Bytes(bytes)))
    }
}

/// The value of a call with one result; several stay together.
fn one(mut values: Vec<Value>) -> Value {
    match values.pop() {
        Some(value) if values.is_empty() => value,
        Some(value) => {
            values.push(value);
            Value::Many(values)
        }
        None => Value::Many(vec![]),
    }
}

fn slice(value: &Value, from: Option<Value>, to: Option<Value>) -> Result<Value, Stop> {
    let Value::Calldata(data) = value else { return Err(Stop::Broken) };
    let length = match &**data {
        Data::Bytes(bytes) => bytes.len(),
        Data::List(items) => items.len(),
        Data::Word(_) => return Err(Stop::Broken),
    };
    let from = from.map_or(U256::ZERO, |it| it.word());
    let to = to.map_or(U256::from(length), |it| it.word());
    if from > to || to > U256::from(length) {
        return Err(Stop::Revert(vec![]));
    }
    let range = from.as_limbs()[0] as usize..to.as_limbs()[0] as usize;
    Ok(Value::Calldata(std::rc::Rc::new(match &**data {
        Data::Bytes(bytes) => Data::Bytes(bytes[range].to_vec()),
        Data::List(items) => Data::List(items[range].to_vec()),
        Data::Word(word) => Data::Word(*word),
    })))
}

/// Whether evaluating an expression does nothing but read.
fn is_plain(it: &Expression) -> bool {
    matches!(it.kind, Kind::Literal { .. } | Kind::Number(_) | Kind::Local(_) | Kind::State(_))
}

/// Whether evaluating an expression can change what another one reads.
pub(super) fn has_effect(it: &Expression) -> bool {
    match &it.kind {
        Kind::Call { .. }
        | Kind::CallOn { .. }
        | Kind::New { .. }
        | Kind::Message { .. }
        | Kind::CallPointer(..)
        | Kind::Push(..)
        | Kind::Assign(..)
        | Kind::Step { .. } => true,
        Kind::Literal { .. }
        | Kind::Number(_)
        | Kind::Text(_)
        | Kind::Local(_)
        | Kind::State(_)
        | Kind::MsgValue
        | Kind::Balance
        | Kind::Function(..)
        | Kind::Selector(_)
        | Kind::This => false,
        Kind::Binary(_, parts) | Kind::Index(parts) => has_effect(&parts.0) || has_effect(&parts.1),
        Kind::Unary(_, inner)
        | Kind::Cast(inner)
        | Kind::Field(inner, _)
        | Kind::Length(inner)
        | Kind::Decode(inner)
        | Kind::DecodeMany(inner, _)
        | Kind::Keccak(inner)
        | Kind::SelectorOf(_, inner)
        | Kind::NewArray(inner) => has_effect(inner),
        Kind::Conditional(parts) => {
            has_effect(&parts.0) || has_effect(&parts.1) || has_effect(&parts.2)
        }
        Kind::Modular { operands, .. } => {
            has_effect(&operands.0) || has_effect(&operands.1) || has_effect(&operands.2)
        }
        Kind::Slice(parts) => {
            let optional = |it: &Option<Expression>| it.as_ref().is_some_and(has_effect);
            has_effect(&parts.0) || optional(&parts.1) || optional(&parts.2)
        }
        Kind::Abi(_, many)
        | Kind::MakeStruct(many)
        | Kind::MakeArray(many)
        | Kind::Concat(many)
        | Kind::Getter { keys: many, .. } => many.iter().any(has_effect),
    }
}
