//! Calls from outside: of this or another account, of libraries, with raw calldata. What they did is taken back if they
//! stop.

use std::rc::Rc;

use ruint::aliases::U256;

use super::call::DEPTH;
use super::frame::{Context, Frame, Machine, Stop};
use super::planted::Planted;
use super::value::{Object, Value};
use super::world::Mark;
use crate::abi::{self, Data, Malformed};
use crate::interface::{Callee, Entry};
use crate::model::{Expression, FunctionId, FunctionKind, Location, Message, Mutability, TypeId};

impl Machine<'_> {
    pub(super) fn malformed(&self, malformed: Malformed) -> Stop {
        match malformed {
            Malformed::Reverts => Stop::Revert(vec![]),
            Malformed::TooLarge => self.panic(0x41),
        }
    }

    /// An external call of a function of a library: it executes in this contract. References to storage stay.
    pub(super) fn delegate(
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
        let result = match self.execute_function(function, passed) {
            Err(Stop::Finish) if self.gives_nothing(function) => Ok(vec![]),
            Err(Stop::Finish) => Err(Stop::Fuel),
            result => result,
        };
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
        let result = self.finished(result, mark);
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

    fn gives_nothing(&self, function: FunctionId) -> bool {
        let function = self.view.template.functions.get(usize::from(function));
        function.is_some_and(|it| it.returns == 0)
    }

    /// The result of a call that assembly may have ended.
    pub(super) fn finished(
        &mut self,
        result: Result<Vec<u8>, Stop>,
        mark: Mark,
    ) -> Result<Vec<u8>, Stop> {
        match result {
            Err(Stop::Finish) => {
                if self.has(Planted::RemovedStore) {
                    self.world.roll_back(mark);
                }
                Ok(vec![])
            }
            result => result,
        }
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
        let result = match result {
            // Without results, nothing is decoded.
            Err(Stop::Finish) if self.gives_nothing(function) => Ok(vec![]),
            // Decoding nothing fails in the caller, also where failures of the callee are caught.
            Err(Stop::Finish) => Err(Stop::Fuel),
            result => result,
        };
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
}

/// How a stop of a called contract stops the caller: an invalid instruction leaves no data to revert with.
pub(super) fn passed_on(stop: Stop) -> Stop {
    match stop {
        Stop::Halt => Stop::Revert(vec![]),
        stop => stop,
    }
}
