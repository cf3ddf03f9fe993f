//! Creation of accounts: constructors, initial values of state variables.

use ruint::aliases::U256;

use super::call::DEPTH;
use super::frame::{Context, Frame, Machine, Stop};
use super::message::passed_on;
use super::planted::Planted;
use super::value::Value;
use crate::abi::Data;
use crate::model::{Expression, Kind, Location, Mutability, StateKind};

impl Machine<'_> {
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
        // The account would have no code.
        let result = result.map_err(|stop| if stop == Stop::Finish { Stop::Fuel } else { stop });
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
        let place = Expression::new(Kind::State(id), state.ty);
        let target = self.target(&mut frame, &place)?;
        self.write(&mut frame, &target, state.ty, value, initial.ty)
    }
}
