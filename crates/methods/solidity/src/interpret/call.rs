//! Calls: internal ones, calls of this or another contract, and creation.

use std::rc::Rc;

use ruint::aliases::U256;

use super::frame::{Context, Flow, Frame, Machine, Stop};
use super::planted::Planted;
use super::value::{Object, Value};
use crate::abi::{self, Data, Malformed};
use crate::interface::{Callee, Entry};
use crate::model::{
    Attribute, CallKind, Expression, FunctionId, FunctionKind, Location, Message, Mutability,
    StateKind, TypeId, Version, Visibility,
};

/// How deep calls may nest.
const DEPTH: u8 = 24;

impl Machine<'_> {
    pub(super) fn malformed(&self, malformed: Malformed) -> Stop {
        match malformed {
            Malformed::Reverts => Stop::Revert(vec![]),
            Malformed::TooLarge => self.panic(0x41),
        }
    }

    pub(super) fn call(
        &mut self,
        frame: &mut Frame,
        function: FunctionId,
        how: Attribute,
        named: bool,
        arguments: &[Expression],
    ) -> Result<Vec<Value>, Stop> {
        let how = self.view.call_kind(how);
        let view = self.view;
        let declared = view.template.functions.get(usize::from(function)).ok_or(Stop::Broken)?;
        if how == CallKind::Operator {
            let values = self.operands(frame, arguments)?;
            return self.execute_function(function, values);
        }
        let delegates = matches!(how, CallKind::Library | CallKind::Attached)
            && view.visibility(declared.visibility) != Visibility::Internal;
        if delegates {
            let values = self.in_order(frame, named, arguments, |_, value, _, _| Ok(value))?;
            return self.delegate(function, values, arguments);
        }
        if how == CallKind::This {
            let values = self.in_order(frame, named, arguments, |_, value, _, _| Ok(value))?;
            let wholes = values.iter().zip(arguments).map(|(value, it)| self.whole(value, it.ty));
            let data: Vec<Data> = wholes.collect::<Result<_, _>>()?;
            self.check_empty(&values, &data)?;
            let account = self.context.account;
            let results = self.enter(account, function, data, U256::ZERO)?;
            return Ok(results.iter().map(|data| self.allocated(data)).collect());
        }
        let values = self.in_order(frame, named, arguments, |machine, value, ty, at| {
            let local = declared.locals.get(at).ok_or(Stop::Broken)?;
            machine.moved(value, ty, view.location(local.location))
        })?;
        let contract = self.world.accounts[self.context.account].contract;
        let order = self.linear.get(usize::from(contract)).cloned().unwrap_or_default();
        let callee = match how {
            CallKind::Super => {
                let current = self.view.template.functions[usize::from(frame.function)].contract;
                let end = order.iter().position(|it| Some(*it) == current).unwrap_or(order.len());
                self.view.resolve(function, &order[..end])
            }
            CallKind::Base => function,
            _ if declared.contract.is_none_or(|it| !order.contains(&it)) => function,
            _ => self.view.resolve(function, &order),
        };
        self.execute_function(callee, values)
    }

    /// The operands of a user-defined operator, in the order of built-in ones.
    fn operands(
        &mut self,
        frame: &mut Frame,
        arguments: &[Expression],
    ) -> Result<Vec<Value>, Stop> {
        self.in_order(frame, true, arguments, |_, value, _, _| Ok(value))
    }

    /// The version of a function that a call by name reaches.
    pub(super) fn virtual_function(&self, id: FunctionId) -> FunctionId {
        let contract = self.world.accounts[self.context.account].contract;
        let order = self.linear.get(usize::from(contract)).cloned().unwrap_or_default();
        let declared = self.view.template.functions.get(usize::from(id));
        match declared.and_then(|it| it.contract) {
            Some(own) if order.contains(&own) => self.view.resolve(id, &order),
            _ => id,
        }
    }

    pub(super) fn call_pointer(
        &mut self,
        frame: &mut Frame,
        function: FunctionId,
        external: bool,
        arguments: &[Expression],
    ) -> Result<Vec<Value>, Stop> {
        if external {
            let data = self.arguments(frame, arguments)?;
            let account = self.context.account;
            let results = self.enter(account, function, data, U256::ZERO)?;
            return Ok(results.iter().map(|data| self.allocated(data)).collect());
        }
        let view = self.view;
        let declared = view.template.functions.get(usize::from(function)).ok_or(Stop::Broken)?;
        let values = self.in_order(frame, false, arguments, |machine, value, ty, at| {
            let local = declared.locals.get(at).ok_or(Stop::Broken)?;
            machine.moved(value, ty, view.location(local.location))
        })?;
        self.execute_function(function, values)
    }

    /// Evaluates arguments. Named ones are written in another order than they are declared in.
    fn in_order(
        &mut self,
        frame: &mut Frame,
        named: bool,
        arguments: &[Expression],
        mut finish: impl FnMut(&mut Self, Value, TypeId, usize) -> Result<Value, Stop>,
    ) -> Result<Vec<Value>, Stop> {
        let mut values = vec![Value::Word(U256::ZERO); arguments.len()];
        let backwards = named && self.order == super::frame::Order::RightFirst;
        self.order_matters |= named && arguments.len() > 1;
        for step in 0..arguments.len() {
            let at = if backwards { arguments.len() - 1 - step } else { step };
            let value = self.evaluate(frame, &arguments[at])?;
            values[at] = finish(self, value, arguments[at].ty, at)?;
        }
        Ok(values)
    }

    /// An external call of a function of a library: it executes in this contract. References to storage stay.
    fn delegate(
        &mut self,
        function: FunctionId,
        values: Vec<Value>,
        arguments: &[Expression],
    ) -> Result<Vec<Value>, Stop> {
        let view = self.view;
        let declared = view.template.functions.get(usize::from(function)).ok_or(Stop::Broken)?;
        let mut passed = vec![];
        for ((value, argument), local) in values.into_iter().zip(arguments).zip(&declared.locals) {
            passed.push(match (view.location(local.location), &value) {
                (_, Value::Word(_)) | (Location::Storage, Value::Storage(_)) => value,
                (location, _) => {
                    let data = self.whole(&value, argument.ty)?;
                    match location {
                        Location::Calldata => Value::Calldata(Rc::new(data)),
                        _ => self.allocated(&data),
                    }
                }
            });
        }
        let mark = self.world.mark();
        let result = self.execute_function(function, passed);
        if result.is_err() {
            self.world.roll_back(mark);
        }
        let mut results = vec![];
        for (value, id) in result.map_err(passed_on)?.iter().zip(declared.return_types()) {
            results.push(match value {
                Value::Word(_) | Value::Storage(_) => value.clone(),
                _ => {
                    let data = self.whole(value, id)?;
                    self.allocated(&data)
                }
            });
        }
        Ok(results)
    }

    /// Executes a function with values for its parameters, which are in the locations that it declares.
    pub(super) fn execute_function(
        &mut self,
        id: FunctionId,
        values: Vec<Value>,
    ) -> Result<Vec<Value>, Stop> {
        self.step()?;
        if self.context.depth >= DEPTH {
            return Err(Stop::Fuel);
        }
        let function = self.view.template.functions.get(usize::from(id)).ok_or(Stop::Broken)?;
        let mut frame = self.frame(id, values)?;
        self.context.depth += 1;
        let flow = self.execute_modified(&mut frame, 0);
        self.context.depth -= 1;
        flow?;
        Ok(function.return_locals().map(|it| frame.locals[usize::from(it)].clone()).collect())
    }

    /// A frame with values for the parameters and initial ones for the rest.
    fn frame(&mut self, id: FunctionId, values: Vec<Value>) -> Result<Frame, Stop> {
        let function = self.view.template.functions.get(usize::from(id)).ok_or(Stop::Broken)?;
        let mut locals = values;
        locals.truncate(usize::from(function.parameters));
        for local in &function.locals[locals.len()..] {
            let location = self.view.location(local.location);
            let value = match location {
                // Memory that is never read needs no object; declarations allocate their own.
                Location::Memory
                    if locals.len() >= usize::from(function.parameters + function.returns) =>
                {
                    Value::Word(U256::ZERO)
                }
                location => self.initial(local.ty, location),
            };
            locals.push(value);
        }
        Ok(Frame { locals, function: id, checked: true })
    }

    /// Executes the body of a function inside its modifiers from this one on.
    fn execute_modified(&mut self, frame: &mut Frame, from: usize) -> Result<Flow, Stop> {
        let function = &self.view.template.functions[usize::from(frame.function)];
        let Some((id, arguments)) = function.modifiers.get(from) else {
            return self.execute_all(frame, &function.body);
        };
        let view = self.view;
        let modifier = view.template.functions.get(usize::from(*id)).ok_or(Stop::Broken)?;
        let mut values = vec![];
        for (argument, local) in arguments.iter().zip(&modifier.locals) {
            let value = self.evaluate(frame, argument)?;
            values.push(self.moved(value, argument.ty, view.location(local.location))?);
        }
        let mut outer = self.frame(*id, values)?;
        let inner = Frame { locals: vec![], function: frame.function, checked: true };
        self.modified.push((std::mem::replace(frame, inner), from + 1));
        let flow = self.execute_all(&mut outer, &modifier.body);
        if let Some((inner, _)) = self.modified.pop() {
            *frame = inner;
        }
        flow?;
        Ok(Flow::Next)
    }

    /// `_;`: the function goes on inside the modifier that is executed.
    pub(super) fn inner(&mut self) -> Result<(), Stop> {
        let (mut frame, from) = self.modified.pop().ok_or(Stop::Broken)?;
        let flow = self.execute_modified(&mut frame, from);
        self.modified.push((frame, from));
        flow.map(|_| ())
    }

    /// A low-level call. What it did is taken back if it fails.
    pub(super) fn message_call(
        &mut self,
        frame: &mut Frame,
        how: Message,
        target: Option<&Expression>,
        value: Option<&Expression>,
        data: &Expression,
    ) -> Result<Value, Stop> {
        let account = match target {
            None => self.context.account,
            Some(target) => {
                let target = self.evaluate(frame, target)?.word();
                let account = usize::try_from(target).ok().and_then(|it| it.checked_sub(1));
                account.filter(|it| *it < self.world.accounts.len()).ok_or(Stop::Broken)?
            }
        };
        let value = value.map(|it| self.evaluate(frame, it)).transpose()?;
        let value = value.map_or(U256::ZERO, |it| it.word());
        let bytes = self.evaluate(frame, data)?;
        let Data::Bytes(bytes) = self.whole(&bytes, data.ty)? else { return Err(Stop::Broken) };
        let outer = self.context;
        let mark = self.world.mark();
        let delegates = how == Message::Delegate;
        let result = if self.context.depth >= DEPTH {
            Err(Stop::Fuel)
        } else if !delegates && !self.transfer(outer.account, account, value, false) {
            Err(Stop::Revert(vec![]))
        } else {
            let value = if delegates { outer.value } else { value };
            self.context = Context { account, value, depth: outer.depth + 1 };
            let contract = self.world.accounts[account].contract;
            let entries = self.view.entries(contract);
            self.dispatched(contract, &entries, &bytes)
        };
        self.context = outer;
        if result.is_err() {
            self.world.roll_back(mark);
        }
        let (success, data) = match result {
            Ok(data) => (true, data),
            Err(Stop::Revert(data)) => (false, data),
            Err(Stop::Halt) => (false, vec![]),
            Err(stop) => return Err(stop),
        };
        let data = self.allocate(Object::Bytes(data));
        Ok(Value::Many(vec![success.into(), data]))
    }

    /// What a contract does with calldata in the context that is set.
    pub(super) fn dispatched(
        &mut self,
        contract: u8,
        entries: &[Entry],
        data: &[u8],
    ) -> Result<Vec<u8>, Stop> {
        let entry = data.split_first_chunk::<4>().and_then(|(selector, rest)| {
            entries.iter().find(|it| it.selector == *selector).map(|it| (it, rest))
        });
        let Some((entry, rest)) = entry else { return self.fallen_back(contract, data) };
        if !entry.payable && !self.context.value.is_zero() {
            return Err(Stop::Revert(vec![]));
        }
        let mut decoded = abi::decode(self.view, &entry.parameters, rest);
        if let (Ok(values), true) = (&mut decoded, self.has(Planted::NestedDecoder)) {
            for value in values {
                if let Data::List(items) = value
                    && let Some(first @ Data::List(_)) = items.first().cloned()
                {
                    items.fill(first);
                }
            }
        }
        let data = decoded.map_err(|malformed| self.malformed(malformed))?;
        match entry.callee {
            Callee::Function(id) => {
                let results = self.entered(id, data)?;
                Ok(abi::encode(self.view, &entry.returns, &results))
            }
            Callee::Getter(id) => {
                let (types, values): (Vec<TypeId>, Vec<Data>) =
                    self.get(id, &data)?.into_iter().unzip();
                Ok(abi::encode(self.view, &types, &values))
            }
        }
    }

    /// `receive` for calls without data, `fallback` for others that fit no function.
    fn fallen_back(&mut self, contract: u8, data: &[u8]) -> Result<Vec<u8>, Stop> {
        let order = self.linear.get(usize::from(contract)).cloned().unwrap_or_default();
        let view = self.view;
        let find = |kind: FunctionKind| {
            order.iter().rev().find_map(|it| {
                let functions = &view.template.contracts[usize::from(*it)].functions;
                let is_kind =
                    |id: &&FunctionId| view.template.functions[usize::from(**id)].kind == kind;
                functions.iter().find(is_kind).copied()
            })
        };
        let receive = if data.is_empty() { find(FunctionKind::Receive) } else { None };
        let id = receive.or_else(|| find(FunctionKind::Fallback)).ok_or(Stop::Revert(vec![]))?;
        let function = &view.template.functions[usize::from(id)];
        let payable = view.mutability(function.mutability) == Mutability::Payable;
        if !payable && !self.context.value.is_zero() {
            return Err(Stop::Revert(vec![]));
        }
        let mut values = vec![];
        if function.parameters > 0 {
            values.push(Value::Calldata(Rc::new(Data::Bytes(data.to_vec()))));
        }
        let results = self.execute_function(id, values)?;
        match results.first() {
            Some(value) => match self.whole(value, crate::model::BYTES)? {
                Data::Bytes(bytes) => Ok(bytes),
                _ => Err(Stop::Broken),
            },
            None => Ok(vec![]),
        }
    }

    pub(super) fn call_on(
        &mut self,
        frame: &mut Frame,
        target: &Expression,
        function: FunctionId,
        value: Option<&Expression>,
        arguments: &[Expression],
    ) -> Result<Vec<Value>, Stop> {
        let target = self.evaluate(frame, target)?.word();
        let value = value.map(|it| self.evaluate(frame, it)).transpose()?;
        let value = value.map_or(U256::ZERO, |it| it.word());
        let data = self.arguments(frame, arguments)?;
        let account = usize::try_from(target).ok().and_then(|it| it.checked_sub(1));
        let account = account.filter(|it| *it < self.world.accounts.len());
        // A call of an account without code reverts before it is made.
        let account = account.ok_or(Stop::Revert(vec![]))?;
        let results = self.enter(account, function, data, value)?;
        Ok(results.iter().map(|data| self.allocated(data)).collect())
    }

    /// A message call of a function. What it did is taken back if it stops.
    pub(super) fn enter(
        &mut self,
        account: usize,
        function: FunctionId,
        data: Vec<Data>,
        value: U256,
    ) -> Result<Vec<Data>, Stop> {
        let mark = self.world.mark();
        let outer = self.context;
        if !self.transfer(outer.account, account, value, false) {
            return Err(Stop::Revert(vec![]));
        }
        self.context = Context { account, value, depth: outer.depth + 1 };
        let result = self.entered(function, data);
        self.context = outer;
        if result.is_err() {
            self.world.roll_back(mark);
        }
        result.map_err(passed_on)
    }

    fn entered(&mut self, function: FunctionId, data: Vec<Data>) -> Result<Vec<Data>, Stop> {
        let contract = self.world.accounts[self.context.account].contract;
        let order = self.linear.get(usize::from(contract)).cloned().unwrap_or_default();
        let function = self.view.resolve(function, &order);
        let declared =
            self.view.template.functions.get(usize::from(function)).ok_or(Stop::Broken)?;
        let payable = self.view.mutability(declared.mutability) == Mutability::Payable;
        if !payable && !self.context.value.is_zero() {
            return Err(Stop::Revert(vec![]));
        }
        let mut values = vec![];
        for (data, local) in data.into_iter().zip(&declared.locals) {
            let calldata = self.view.location(local.location) == Location::Calldata;
            values.push(match data {
                Data::Word(word) => Value::Word(word),
                data if calldata => Value::Calldata(Rc::new(data)),
                data => self.allocated(&data),
            });
        }
        let results = self.execute_function(function, values)?;
        let types = declared.return_types();
        let wholes = results.iter().zip(types).map(|(value, id)| self.whole(value, id));
        wholes.collect()
    }

    /// Moves wei. Accounts outside of the program have enough.
    pub(super) fn transfer(&mut self, from: usize, to: usize, value: U256, outside: bool) -> bool {
        if value.is_zero() {
            return true;
        }
        if !outside {
            let balance = self.world.accounts[from].balance;
            if balance < value {
                return false;
            }
            self.world.set_balance(from, balance - value);
        }
        let balance = self.world.accounts[to].balance;
        self.world.set_balance(to, balance.wrapping_add(value));
        true
    }

    /// Notes a creation with a salt. Whether the same salt collides depends on the code and the arguments.
    pub(super) fn salt(&mut self, contract: u8, salt: Option<U256>) -> Result<(), Stop> {
        let Some(salt) = salt else { return Ok(()) };
        let creation = (self.context.account, contract, salt);
        if self.salts.contains(&creation) {
            return Err(Stop::Fuel);
        }
        self.salts.push(creation);
        Ok(())
    }

    pub(super) fn create(
        &mut self,
        frame: &mut Frame,
        contract: u8,
        value: Option<&Expression>,
        arguments: &[Expression],
    ) -> Result<Value, Stop> {
        let value = value.map(|it| self.evaluate(frame, it)).transpose()?;
        let value = value.map_or(U256::ZERO, |it| it.word());
        let data = self.arguments(frame, arguments)?;
        self.construct(contract, &data, value, false)
            .map(|account| Value::Word(U256::from(account + 1)))
    }

    /// Creates an account and executes the constructors of a contract.
    pub(super) fn construct(
        &mut self,
        contract: u8,
        data: &[Data],
        value: U256,
        outside: bool,
    ) -> Result<usize, Stop> {
        if self.context.depth >= DEPTH {
            return Err(Stop::Fuel);
        }
        let mark = self.world.mark();
        let outer = self.context;
        let account = self.world.create(contract, U256::ZERO);
        if !self.transfer(outer.account, account, value, outside) {
            self.world.roll_back(mark);
            return Err(Stop::Revert(vec![]));
        }
        self.context = Context { account, value, depth: outer.depth + 1 };
        let result = self.constructed(contract, data);
        self.context = outer;
        if result.is_err() {
            self.world.roll_back(mark);
        }
        let result = result.map_err(|stop| if outside { stop } else { passed_on(stop) });
        result.map(|()| account)
    }

    fn constructed(&mut self, contract: u8, data: &[Data]) -> Result<(), Stop> {
        let template = self.view.template;
        let it = template.contracts.get(usize::from(contract)).ok_or(Stop::Broken)?;
        let constructor = it.constructor.map(|id| &template.functions[usize::from(id)]);
        let payable = constructor
            .is_some_and(|it| self.view.mutability(it.mutability) == Mutability::Payable);
        let implicit = constructor.is_none() && self.has(Planted::ImplicitConstructor);
        if !payable && !implicit && !self.context.value.is_zero() {
            return Err(Stop::Revert(vec![]));
        }
        let order = self.linear.get(usize::from(contract)).cloned().unwrap_or_default();
        for base in &order {
            for id in self.view.declared_states(*base) {
                self.initialise(id)?;
            }
        }
        let values: Vec<Value> = data.iter().map(|data| self.allocated(data)).collect();
        let mut all = vec![(contract, values)];
        // A constructor gives the constructors of its bases their arguments, from its own parameters.
        for derived in order.iter().rev() {
            let own = all.iter().find(|(it, _)| it == derived);
            let locals = own.map_or_else(Vec::new, |(_, values)| values.clone());
            let it = &template.contracts[usize::from(*derived)];
            let mut frame =
                Frame { locals, function: it.constructor.unwrap_or_default(), checked: true };
            for (base, arguments) in &it.base_arguments {
                let mut values = vec![];
                for argument in arguments {
                    let value = self.evaluate(&mut frame, argument)?;
                    values.push(self.moved(value, argument.ty, Location::Memory)?);
                }
                all.push((*base, values));
            }
        }
        for base in &order {
            let Some(id) = template.contracts[usize::from(*base)].constructor else { continue };
            let own = all.iter().find(|(it, _)| it == base);
            self.execute_function(id, own.map_or_else(Vec::new, |(_, values)| values.clone()))?;
        }
        Ok(())
    }

    fn initialise(&mut self, id: u16) -> Result<(), Stop> {
        let state = &self.view.template.states[usize::from(id)];
        let kind = self.view.state_kind(state.kind);
        let Some(initial) = &state.initial else { return Ok(()) };
        if matches!(kind, StateKind::Constant | StateKind::Transient) {
            return Ok(());
        }
        let mut frame = Frame { locals: vec![], function: 0, checked: true };
        let value = self.evaluate(&mut frame, initial)?;
        let place = Expression::new(crate::model::Kind::State(id), state.ty);
        let target = self.target(&mut frame, &place)?;
        self.write(&mut frame, &target, state.ty, value, initial.ty)
    }

    /// What a getter returns.
    pub(super) fn get(&mut self, id: u16, keys: &[Data]) -> Result<Vec<(TypeId, Data)>, Stop> {
        let state = &self.view.template.states[usize::from(id)];
        let mut frame = Frame { locals: vec![], function: 0, checked: true };
        let place = Expression::new(crate::model::Kind::State(id), state.ty);
        let mut value = self.evaluate(&mut frame, &place)?;
        let mut ty = state.ty;
        for key in keys {
            match (self.view.ty(ty), &value) {
                (crate::model::Type::Mapping(key_type, inner), Value::Storage(at)) => {
                    let key = match key {
                        Data::Word(word) => Value::Word(*word),
                        other => Value::Calldata(Rc::new(other.clone())),
                    };
                    let place = self.mapping_place(*at, key_type, &key)?;
                    value = self.stored(place, inner);
                    ty = inner;
                }
                (crate::model::Type::Array(element, _), _) => {
                    // Where an index is out of range, getters revert without data. They halt before 0.7, and in 0.7
                    // either, by the version.
                    let index = self.in_range(&value, ty, key.word());
                    let index = index.map_err(|_| match self.view.version() {
                        Version::V4 | Version::V5 | Version::V6 => Stop::Halt,
                        Version::V7 => Stop::Broken,
                        Version::V8 | Version::Newest => Stop::Revert(vec![]),
                    })?;
                    value = self.element(&value, ty, index)?;
                    ty = element;
                }
                _ => return Err(Stop::Broken),
            }
        }
        if let crate::model::Type::Struct(which) = self.view.ty(ty) {
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

/// How a stop of a called contract stops the caller: an invalid instruction leaves no data to revert with.
fn passed_on(stop: Stop) -> Stop {
    match stop {
        Stop::Halt => Stop::Revert(vec![]),
        stop => stop,
    }
}
