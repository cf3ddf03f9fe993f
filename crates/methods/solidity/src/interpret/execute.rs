//! Statements.

use ruint::aliases::U256;

use super::frame::{Flow, Frame, Machine, Stop, error_text};
use super::place::Target;
use super::value::{Object, Value};
use super::world::Log;
use crate::abi::{self, Data};
use crate::keccak::keccak;
use crate::model::{
    CatchKind, Expression, Kind, Length, LocalId, Location, Statement, Type, TypeId,
};

impl Machine<'_> {
    pub(super) fn execute_all(
        &mut self,
        frame: &mut Frame,
        body: &[Statement],
    ) -> Result<Flow, Stop> {
        for statement in body {
            let flow = self.execute(frame, statement)?;
            if flow != Flow::Next {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn execute(&mut self, frame: &mut Frame, statement: &Statement) -> Result<Flow, Stop> {
        self.step()?;
        match statement {
            Statement::Let(id, initial) => {
                let local = self.local(frame, *id)?;
                let value = match initial {
                    Some(initial) => {
                        let value = self.evaluate(frame, initial)?;
                        self.moved(value, initial.ty, local.1)?
                    }
                    None => self.initial(local.0, local.1),
                };
                frame.locals[usize::from(*id)] = value;
            }
            Statement::LetMany(ids, call) => {
                let values = match self.evaluate(frame, call)? {
                    Value::Many(values) => values,
                    value => vec![value],
                };
                for (id, value) in ids.iter().zip(values) {
                    if let Some(id) = id {
                        let local = self.local(frame, *id)?;
                        frame.locals[usize::from(*id)] = self.moved(value, local.0, local.1)?;
                    }
                }
            }
            Statement::Do(expression) => {
                self.evaluate(frame, expression)?;
            }
            Statement::If(condition, yes, no) => {
                let branch = if self.evaluate(frame, condition)?.is_true() { yes } else { no };
                return self.execute_all(frame, branch);
            }
            Statement::For { counter, bound, body } => {
                return self.count(frame, *counter, bound, body);
            }
            Statement::While { counter, condition, bound, test_last, body } => {
                return self.repeat(frame, *counter, condition, *bound, *test_last, body);
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Inner => self.inner()?,
            Statement::Mention(_) => {}
            Statement::Assembly(block) => self.assemble(frame, block)?,
            Statement::Return(values) => return self.give_back(frame, values),
            Statement::Block(checked, body) => {
                let outer = frame.checked;
                frame.checked = outer && self.view.is_on(*checked);
                let flow = self.execute_all(frame, body);
                frame.checked = outer;
                return flow;
            }
            Statement::Require(condition, text, error) => {
                if let Some((id, arguments)) = error {
                    // The arguments are evaluated whether the condition holds or not.
                    let holds = self.evaluate(frame, condition)?.is_true();
                    let data = self.error_data(frame, *id, arguments)?;
                    return if holds { Ok(Flow::Next) } else { Err(Stop::Revert(data)) };
                }
                if !self.evaluate(frame, condition)?.is_true() {
                    let data = text.as_ref().map_or_else(Vec::new, |text| error_text(text));
                    return Err(Stop::Revert(data));
                }
            }
            Statement::Assert(condition) => {
                if !self.evaluate(frame, condition)?.is_true() {
                    return Err(self.panic(0x01));
                }
            }
            Statement::Revert(Some((id, arguments)), _) => {
                return Err(Stop::Revert(self.error_data(frame, *id, arguments)?));
            }
            Statement::Revert(None, text) => return Err(Stop::Revert(error_text(text))),
            Statement::Emit(id, arguments) => self.emit(frame, *id, arguments)?,
            Statement::Delete(place) => {
                let target = self.target(frame, place)?;
                self.delete(frame, &target, place.ty)?;
            }
            Statement::Pop(array) => self.pop(frame, array)?,
            Statement::Swap(places, values) => {
                let mut words = vec![];
                for value in values {
                    words.push((self.evaluate(frame, value)?, value.ty));
                }
                let mut targets = vec![];
                for place in places {
                    targets.push((self.target(frame, place)?, place.ty));
                }
                if self.has(super::planted::Planted::NestedTuple) && words.len() > 2 {
                    words.swap(0, 1);
                }
                // The last component is stored first.
                for ((target, id), (value, from)) in targets.iter().zip(words).rev() {
                    self.write(frame, target, *id, value, from)?;
                }
            }
            Statement::Try { call, results, body, catches } => {
                return self.attempt(frame, call, results, body, catches);
            }
        }
        Ok(Flow::Next)
    }

    fn local(&self, frame: &Frame, id: LocalId) -> Result<(TypeId, Location), Stop> {
        let function = &self.view.template.functions[usize::from(frame.function)];
        let local = function.locals.get(usize::from(id)).ok_or(Stop::Broken)?;
        Ok((local.ty, self.view.location(local.location)))
    }

    fn count(
        &mut self,
        frame: &mut Frame,
        counter: LocalId,
        bound: &Expression,
        body: &[Statement],
    ) -> Result<Flow, Stop> {
        let at = usize::from(counter);
        frame.locals[at] = Value::Word(U256::ZERO);
        loop {
            self.step()?;
            let bound = self.evaluate(frame, bound)?.word();
            if frame.locals[at].word() >= bound {
                return Ok(Flow::Next);
            }
            match self.execute_all(frame, body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return => return Ok(Flow::Return),
                Flow::Next | Flow::Continue => {}
            }
            frame.locals[at] = Value::Word(frame.locals[at].word() + U256::ONE);
        }
    }

    /// `while (i < bound && c) { i++; … }`, or the same with the test last.
    fn repeat(
        &mut self,
        frame: &mut Frame,
        counter: LocalId,
        condition: &Expression,
        bound: u8,
        test_last: bool,
        body: &[Statement],
    ) -> Result<Flow, Stop> {
        let at = usize::from(counter);
        frame.locals[at] = Value::Word(U256::ZERO);
        let mut first = true;
        loop {
            self.step()?;
            if !(first && test_last) {
                let goes_on = frame.locals[at].word() < U256::from(bound)
                    && self.evaluate(frame, condition)?.is_true();
                if !goes_on {
                    return Ok(Flow::Next);
                }
            }
            first = false;
            frame.locals[at] = Value::Word(frame.locals[at].word() + U256::ONE);
            match self.execute_all(frame, body)? {
                Flow::Break => return Ok(Flow::Next),
                Flow::Return => return Ok(Flow::Return),
                Flow::Next | Flow::Continue => {}
            }
        }
    }

    fn give_back(&mut self, frame: &mut Frame, values: &[Expression]) -> Result<Flow, Stop> {
        let ids = self.view.template.functions[usize::from(frame.function)].return_locals();
        let mut results = vec![];
        for value in values {
            results.push((self.evaluate(frame, value)?, value.ty));
        }
        for (id, (value, from)) in ids.zip(results) {
            self.write(frame, &Target::Local(id), from, value, from)?;
        }
        Ok(Flow::Return)
    }

    fn error_data(
        &mut self,
        frame: &mut Frame,
        id: u16,
        arguments: &[Expression],
    ) -> Result<Vec<u8>, Stop> {
        let types = self.view.template.errors.get(usize::from(id)).ok_or(Stop::Broken)?;
        let values = self.arguments(frame, arguments)?;
        let mut data = abi::selector(self.view, &format!("Er{id}"), types).to_vec();
        data.extend(abi::encode(self.view, types, &values));
        Ok(data)
    }

    fn emit(&mut self, frame: &mut Frame, id: u16, arguments: &[Expression]) -> Result<(), Stop> {
        let event = self.view.template.events.get(usize::from(id)).ok_or(Stop::Broken)?;
        let types: Vec<TypeId> = event.parameters.iter().map(|(ty, _)| *ty).collect();
        let values = self.arguments(frame, arguments)?;
        let mut topics = vec![];
        if !event.anonymous {
            let mut name = format!("Ev{id}");
            if self.mistakes_event(frame.function, &types) {
                name.push('?');
            }
            topics.push(keccak(abi::signature(self.view, &name, &types).as_bytes()));
        }
        let (mut open, mut open_types) = (vec![], vec![]);
        for ((ty, indexed), value) in event.parameters.iter().zip(values) {
            match (indexed, value) {
                (true, Data::Word(word)) => topics.push(word.to_be_bytes::<32>()),
                (true, value) => topics.push(keccak(&abi::pack_indexed(&value))),
                (false, value) => {
                    open.push(value);
                    open_types.push(*ty);
                }
            }
        }
        let data = abi::encode(self.view, &open_types, &open);
        self.world.logs.push(Log { account: self.context.account, topics, data });
        Ok(())
    }

    fn pop(&mut self, frame: &mut Frame, array: &Expression) -> Result<(), Stop> {
        let Value::Storage(at) = self.evaluate(frame, array)? else { return Err(Stop::Broken) };
        let length = self.storage_length(at, array.ty)?;
        let Some(last) = length.checked_sub(1) else { return Err(self.panic(0x31)) };
        match self.view.ty(array.ty) {
            Type::Array(element, Length::Dynamic) => {
                let place = self.storage_element(at, array.ty, last);
                self.clear(place, element)?;
                self.set_raw(at.slot, U256::from(last));
                Ok(())
            }
            Type::Bytes => {
                let mut bytes = self.load_bytes(at, array.ty)?;
                bytes.pop();
                self.store_bytes(at, array.ty, &bytes)
            }
            _ => Err(Stop::Broken),
        }
    }

    fn attempt(
        &mut self,
        frame: &mut Frame,
        call: &Expression,
        results: &[LocalId],
        body: &[Statement],
        catches: &[(CatchKind, Vec<Statement>)],
    ) -> Result<Flow, Stop> {
        // Only what the called contract does is caught; the arguments are evaluated outside.
        let called = self.called(frame, call)?;
        match called {
            Ok(values) => {
                for (id, value) in results.iter().zip(values) {
                    frame.locals[usize::from(*id)] = value;
                }
                self.execute_all(frame, body)
            }
            Err(Stop::Halt) => self.caught(frame, &[], catches),
            Err(Stop::Revert(data)) => self.caught(frame, &data, catches),
            Err(stop) => Err(stop),
        }
    }

    /// The outcome of an external call: the outer result is of this contract, the inner one of the callee.
    fn called(
        &mut self,
        frame: &mut Frame,
        call: &Expression,
    ) -> Result<Result<Vec<Value>, Stop>, Stop> {
        let (account, function, value, data) = match &call.kind {
            Kind::Call { function, arguments, .. } => {
                (self.context.account, *function, U256::ZERO, self.arguments(frame, arguments)?)
            }
            Kind::CallOn { target, function, value, arguments } => {
                let target = self.evaluate(frame, target)?.word();
                let value = value.as_ref().map(|it| self.evaluate(frame, it)).transpose()?;
                let value = value.map_or(U256::ZERO, |it| it.word());
                let data = self.arguments(frame, arguments)?;
                let account = usize::try_from(target).ok().and_then(|it| it.checked_sub(1));
                let account = account.filter(|it| *it < self.world.accounts.len());
                (account.ok_or(Stop::Revert(vec![]))?, *function, value, data)
            }
            Kind::New { contract, value, salt, arguments } => {
                self.salt(*contract, *salt)?;
                let value = value.as_ref().map(|it| self.evaluate(frame, it)).transpose()?;
                let value = value.map_or(U256::ZERO, |it| it.word());
                let data = self.arguments(frame, arguments)?;
                let made = self.construct(*contract, &data, value, false);
                return Ok(made.map(|account| vec![Value::Word(U256::from(account + 1))]));
            }
            _ => return Err(Stop::Broken),
        };
        let result = self.enter(account, function, data, value);
        Ok(result.map(|values| values.iter().map(|data| self.allocated(data)).collect()))
    }

    fn caught(
        &mut self,
        frame: &mut Frame,
        data: &[u8],
        catches: &[(CatchKind, Vec<Statement>)],
    ) -> Result<Flow, Stop> {
        let text = data.strip_prefix(&[0x08, 0xc3, 0x79, 0xa0]);
        let text = text.and_then(|rest| abi::decode(self.view, &[crate::model::STRING], rest).ok());
        let code = data.strip_prefix(&[0x4e, 0x48, 0x7b, 0x71]).filter(|rest| rest.len() >= 32);
        for (kind, body) in catches {
            match (kind, &text, code) {
                (CatchKind::Error(id), Some(values), _) => {
                    let value = self.allocated(values.first().ok_or(Stop::Broken)?);
                    frame.locals[usize::from(*id)] = value;
                }
                (CatchKind::Panic(id), _, Some(code)) => {
                    let code = U256::try_from_be_slice(&code[..32]).unwrap_or_default();
                    frame.locals[usize::from(*id)] = Value::Word(code);
                }
                (CatchKind::Data(id), _, _) => {
                    frame.locals[usize::from(*id)] = self.allocate(Object::Bytes(data.to_vec()));
                }
                (CatchKind::All, _, _) => {}
                _ => continue,
            }
            return self.execute_all(frame, body);
        }
        Err(Stop::Revert(data.to_vec()))
    }
}
