//! What the functions of a program do, as far as constraints depend on it. Less may be known than is true: then a
//! violation is not found.

use std::collections::BTreeSet;

use crate::model::{
    CallKind, Expression, Function, FunctionId, FunctionKind, Kind, StateId, Statement,
};
use crate::view::View;

/// What the functions of a program do.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The ordinary functions that are declared, with their contracts.
    pub(super) functions: Vec<(FunctionId, u8)>,
    /// State variables that are declared, with their contracts.
    pub(super) states: Vec<(StateId, u8)>,
    /// Functions that change the state, by name of what they change.
    pub(super) writers: BTreeSet<FunctionId>,
    /// State variables written by ordinary functions or constructors.
    pub(super) written: BTreeSet<StateId>,
    /// State variables written by ordinary functions.
    pub(super) written_later: BTreeSet<StateId>,
    /// Functions that name a state variable.
    pub(super) readers: Vec<(FunctionId, StateId)>,
    pub(super) called_internally: BTreeSet<FunctionId>,
    pub(super) called_externally: BTreeSet<FunctionId>,
    pub(super) called_with_value: BTreeSet<FunctionId>,
    pub(super) created: BTreeSet<u8>,
    pub(super) overridden: BTreeSet<FunctionId>,
    /// Functions that are used as values: their attributes are part of a type.
    pub(super) values: BTreeSet<FunctionId>,
}

impl Facts {
    pub(super) fn of(view: &View<'_>) -> Self {
        let mut facts = Self::default();
        let template = view.template;
        for (number, contract) in template.contracts.iter().enumerate() {
            facts.states.extend(contract.states.iter().map(|id| (*id, number as u8)));
            for id in contract.functions.iter().chain(&contract.constructor) {
                let Some(function) = template.functions.get(usize::from(*id)) else { continue };
                if function.kind == FunctionKind::Ordinary {
                    facts.functions.push((*id, number as u8));
                }
                facts.overridden.extend(&function.overrides);
                facts.body(view, *id, function, &function.body);
            }
        }
        facts
    }

    fn body(&mut self, view: &View<'_>, id: FunctionId, function: &Function, body: &[Statement]) {
        for statement in body {
            let places: Vec<&Expression> = match statement {
                Statement::Delete(place) | Statement::Pop(place) => vec![place],
                Statement::Swap(places, _) => places.iter().collect(),
                _ => vec![],
            };
            places.into_iter().for_each(|place| self.write(id, function, place));
            if let Statement::Emit(..) = statement {
                self.writers.insert(id);
            }
            for expression in statement.expressions() {
                expression.each(&mut |it| self.expression(view, id, function, it));
            }
            for inner in statement.bodies() {
                self.body(view, id, function, inner);
            }
        }
    }

    fn expression(
        &mut self,
        view: &View<'_>,
        id: FunctionId,
        function: &Function,
        expression: &Expression,
    ) {
        match &expression.kind {
            Kind::State(state) => self.readers.push((id, *state)),
            Kind::Assign(_, parts) => self.write(id, function, &parts.0),
            Kind::Step { place, .. } => self.write(id, function, place),
            Kind::Push(array, _) => self.write(id, function, array),
            Kind::Call { function: callee, how, .. } => match view.call_kind(*how) {
                CallKind::Internal => {
                    self.called_internally.insert(*callee);
                }
                CallKind::This | CallKind::Other => {
                    self.called_externally.insert(*callee);
                }
                _ => {}
            },
            Kind::CallOn { function: callee, value, .. } => {
                self.called_externally.insert(*callee);
                if value.is_some() {
                    self.called_with_value.insert(*callee);
                }
            }
            Kind::Function(callee, _) => {
                self.values.insert(*callee);
            }
            Kind::New { contract, .. } => {
                self.created.insert(*contract);
            }
            _ => {}
        }
    }

    /// Remembers a write, if what is written is part of a state variable.
    fn write(&mut self, id: FunctionId, function: &Function, place: &Expression) {
        let mut root = place;
        loop {
            root = match &root.kind {
                Kind::Index(parts) => &parts.0,
                Kind::Field(inner, _) => inner,
                Kind::State(state) => {
                    self.writers.insert(id);
                    self.written.insert(*state);
                    if function.kind == FunctionKind::Ordinary {
                        self.written_later.insert(*state);
                    }
                    return;
                }
                _ => return,
            };
        }
    }
}
