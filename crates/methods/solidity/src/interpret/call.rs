//! Calls: internal ones, calls of this or another contract, and creation.

use std::rc::Rc;

use ruint::aliases::U256;

use super::frame::{Context, Flow, Frame, Machine, Stop};
use super::value::Value;
use crate::abi::{Data, Malformed};
use crate::model::{
    Attribute, CallKind, Expression, FunctionId, Location, Mutability, StateKind, TypeId,
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
        arguments: &[Expression],
    ) -> Result<Vec<Value>, Stop> {
        let how = self.view.call_kind(how);
        let declared =
            self.view.template.functions.get(usize::from(function)).ok_or(Stop::Broken)?;
        if how == CallKind::This {
            let data = self.arguments(frame, arguments)?;
            let account = self.context.account;
            let results = self.enter(account, function, data, U256::ZERO)?;
            return Ok(results.iter().map(|data| self.to_memory(data)).collect());
        }
        let mut values = vec![];
        for (argument, local) in arguments.iter().zip(&declared.locals) {
            let value = self.evaluate(frame, argument)?;
            values.push(self.moved(value, argument.ty, self.view.location(local.location))?);
        }
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
        let mut frame = Frame { locals, function: id, checked: true };
        self.context.depth += 1;
        let flow = self.execute_modified(&mut frame, 0);
        self.context.depth -= 1;
        flow?;
        Ok(function.return_locals().map(|it| frame.locals[usize::from(it)].clone()).collect())
    }

    /// Executes the body of a function inside its modifiers from this one on.
    fn execute_modified(&mut self, frame: &mut Frame, from: usize) -> Result<Flow, Stop> {
        let function = &self.view.template.functions[usize::from(frame.function)];
        let Some((id, arguments)) = function.modifiers.get(from) else {
            return self.execute_all(frame, &function.body);
        };
        let modifier = self.view.template.modifiers.get(usize::from(*id)).ok_or(Stop::Broken)?;
        let mut locals = vec![];
        for argument in arguments {
            locals.push(self.evaluate(frame, argument)?);
        }
        locals.resize(modifier.locals.len(), Value::Word(U256::ZERO));
        let mut outer = Frame { locals, function: frame.function, checked: true };
        if self.execute_all(&mut outer, &modifier.before)? == Flow::Return {
            return Ok(Flow::Return);
        }
        self.execute_modified(frame, from + 1)?;
        self.execute_all(&mut outer, &modifier.after)?;
        Ok(Flow::Next)
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
        Ok(results.iter().map(|data| self.to_memory(data)).collect())
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
        if !self.transfer(outer.account, account, value, outer.depth == 0) {
            return Err(Stop::Revert(vec![]));
        }
        self.context = Context { account, value, depth: outer.depth + 1 };
        let result = self.entered(function, data);
        self.context = outer;
        if result.is_err() {
            self.world.roll_back(mark);
        }
        result
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
                data => self.to_memory(&data),
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
        self.construct(contract, data, value, false)
            .map(|account| Value::Word(U256::from(account + 1)))
    }

    /// Creates an account and executes the constructors of a contract.
    pub(super) fn construct(
        &mut self,
        contract: u8,
        data: Vec<Data>,
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
        result.map(|()| account)
    }

    fn constructed(&mut self, contract: u8, data: Vec<Data>) -> Result<(), Stop> {
        let template = self.view.template;
        let it = template.contracts.get(usize::from(contract)).ok_or(Stop::Broken)?;
        let constructor = it.constructor.map(|id| &template.functions[usize::from(id)]);
        let payable = constructor
            .is_some_and(|it| self.view.mutability(it.mutability) == Mutability::Payable);
        if !payable && !self.context.value.is_zero() {
            return Err(Stop::Revert(vec![]));
        }
        let order = self.linear.get(usize::from(contract)).cloned().unwrap_or_default();
        for base in &order {
            for id in self.view.declared_states(*base) {
                self.initialise(id)?;
            }
        }
        let values: Vec<Value> = data.iter().map(|data| self.to_memory(data)).collect();
        for base in &order {
            let Some(id) = template.contracts[usize::from(*base)].constructor else { continue };
            let values = if *base == contract {
                values.clone()
            } else {
                let arguments = order.iter().rev().find_map(|derived| {
                    let derived = &template.contracts[usize::from(*derived)];
                    derived.base_arguments.iter().find(|(it, _)| it == base)
                });
                let mut frame = Frame { locals: vec![], function: id, checked: true };
                let mut values = vec![];
                for argument in arguments.map_or(&[][..], |(_, arguments)| arguments) {
                    values.push(self.evaluate(&mut frame, argument)?);
                }
                values
            };
            self.execute_function(id, values)?;
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
                    value = self.from_storage(place, inner);
                    ty = inner;
                }
                (crate::model::Type::Array(element, _), _) => {
                    // Getters revert without data where an index is out of range.
                    let index = self.in_range(&value, ty, key.word());
                    let index = index.map_err(|_| Stop::Revert(vec![]))?;
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
