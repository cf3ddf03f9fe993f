//! Calls of functions of the same account: by name, through pointers, inside their modifiers.

use super::frame::{Flow, Frame, Machine, Order, Stop};
use super::value::Value;
use crate::abi::Data;
use crate::model::{Attribute, CallKind, Expression, FunctionId, Location, TypeId, Visibility};
use ruint::aliases::U256;

/// How deep calls may nest.
pub(super) const DEPTH: u8 = 24;

impl Machine<'_> {
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
            self.check_bytes(&values, &data)?;
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
        function: Option<FunctionId>,
        external: bool,
        arguments: &[Expression],
    ) -> Result<Vec<Value>, Stop> {
        let Some(function) = function else {
            // What the pointer leads to is called after the arguments were evaluated.
            self.in_order(frame, false, arguments, |_, value, _, _| Ok(value))?;
            return Err(if external { Stop::Broken } else { self.panic(0x51) });
        };
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
        let backwards = named && self.order == Order::RightFirst;
        self.order_matters |= named && arguments.len() > 1;
        for step in 0..arguments.len() {
            let at = if backwards { arguments.len() - 1 - step } else { step };
            let value = self.evaluate(frame, &arguments[at])?;
            values[at] = finish(self, value, arguments[at].ty, at)?;
        }
        Ok(values)
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
}
