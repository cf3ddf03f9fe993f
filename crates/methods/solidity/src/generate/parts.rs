//! Calls, events and errors: uses of other declarations, which are made where none fits.

use super::Generator;
use crate::model::{
    Attribute, CallKind, Event, Expression, FunctionKind, Kind, Location, Mutability, Statement,
    Type, TypeId, Version, Visibility,
};
use crate::template::{Relation, VariableKind};

impl Generator<'_> {
    /// A call with one result of a value type that converts to `ty`.
    pub(super) fn call_value(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let functions: Vec<u16> = self.callable();
        let id = *self.entropy.pick(&functions)?;
        let returns = self.template.functions[usize::from(id)].return_types();
        let [result] = returns[..] else { return None };
        if self.is_reference(result) || !self.converts(result, ty) {
            return None;
        }
        self.call(id, depth)
    }

    /// Functions before this one that its contract can call.
    pub(super) fn callable(&self) -> Vec<u16> {
        (0..self.function as u16)
            .filter(|id| {
                let function = &self.template.functions[usize::from(*id)];
                let own = function.contract == Some(self.contract);
                let free = function.kind == FunctionKind::Free;
                let ordinary = function.kind == FunctionKind::Ordinary && own;
                free || ordinary
            })
            .collect()
    }

    /// A call of a function, internal or through `this`.
    pub(super) fn call(&mut self, id: u16, depth: u8) -> Option<Expression> {
        let function = self.template.functions[usize::from(id)].clone();
        let constructing = self.template.functions[self.function].kind == FunctionKind::Constructor;
        let outside = self.template.functions[self.function].contract.is_none();
        let parameters = function.parameter_types();
        let plain = parameters.iter().all(|ty| !self.is_reference(*ty));
        let open = function.kind == FunctionKind::Ordinary
            && !constructing
            && !outside
            && self.domain(function.visibility)
                & (Visibility::Public.bit() | Visibility::External.bit())
                != 0;
        let closed = self.domain(function.visibility) & !Visibility::External.bit() != 0;
        let mut how = match (closed, open) {
            (true, true) if plain => {
                let domain = CallKind::Internal.bit() | CallKind::This.bit();
                self.attribute(VariableKind::Call, domain)
            }
            (true, true) if self.chance(40) => CallKind::This.fixed(),
            (false, true) => CallKind::This.fixed(),
            (true, _) => CallKind::Internal.fixed(),
            _ => return None,
        };
        let draw = self.entropy.word();
        let reaches = match (function.visibility, how) {
            (Attribute::Variable(from), Attribute::Variable(to)) => {
                self.space.relate(from, to, Relation::Reaches, draw)
            }
            (Attribute::Variable(from), Attribute::Is(to)) => {
                self.space.restrict(from, Relation::Reaches.before(to))
            }
            (Attribute::Is(from), Attribute::Variable(to)) => {
                self.space.restrict(to, Relation::Reaches.after(from))
            }
            (Attribute::Is(from), Attribute::Is(to)) => {
                Relation::Reaches.after(from) & (1 << to) != 0
            }
        };
        if !reaches {
            return None;
        }
        if self.domain(how) & CallKind::This.bit() != 0 && !self.reads() {
            if !self.restrict(how, CallKind::Internal.bit()) {
                return None;
            }
            how = CallKind::Internal.fixed();
        }
        if !self.calls(function.mutability) {
            return None;
        }
        let external = how == CallKind::This.fixed();
        let mut arguments = vec![];
        for (ty, local) in parameters.iter().zip(&function.locals) {
            let location = if external { Location::Memory.fixed() } else { local.location };
            arguments.push(match self.is_reference(*ty) {
                // An external call takes data from anywhere.
                true if external => self.forwarded(*ty, depth)?,
                true => self.reference(*ty, location, depth)?,
                false => self.value(*ty, depth.min(1)),
            });
        }
        let returns = function.return_types();
        let ty = if let [ty] = returns[..] { ty } else { crate::model::UINT256 };
        Some(Expression::new(Kind::Call { function: id, how, named: Attribute::Is(0), arguments }, ty))
    }

    /// A value of a type from any location.
    fn forwarded(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        self.reference(ty, Location::Memory.fixed(), depth)
    }

    /// Demands that a function with this mutability can be called here.
    pub(super) fn calls(&mut self, callee: Attribute) -> bool {
        let caller = self.mutability();
        let draw = self.entropy.word();
        match (callee, caller) {
            (Attribute::Variable(from), Attribute::Variable(to)) => {
                self.space.relate(from, to, Relation::Calls, draw)
            }
            (Attribute::Variable(from), Attribute::Is(to)) => {
                self.space.restrict(from, Relation::Calls.before(to))
            }
            (Attribute::Is(from), Attribute::Variable(to)) => {
                self.space.restrict(to, Relation::Calls.after(from))
            }
            (Attribute::Is(from), Attribute::Is(to)) => {
                Relation::Calls.after(from) & (1 << to) != 0
            }
        }
    }

    /// `emit` of an event that exists or is made for its arguments.
    pub(super) fn emit(&mut self) -> Option<Statement> {
        if !self.writes() {
            return None;
        }
        let known = self.template.events.len() as u64;
        if known > 0 && self.chance(40) {
            let id = self.entropy.below(known) as u16;
            let types: Vec<TypeId> = self.template.events[usize::from(id)]
                .parameters
                .iter()
                .map(|(ty, _)| *ty)
                .collect();
            let arguments = self.arguments_for(&types)?;
            return Some(Statement::Emit(id, arguments));
        }
        if known > 3 {
            return None;
        }
        let count = self.entropy.between(1, 3);
        let mut arguments = vec![];
        let mut parameters = vec![];
        let mut indexed = 0;
        for _ in 0..count {
            let argument = self.encodable(false, 1)?;
            let as_topic = indexed < 3 && self.chance(25);
            indexed += u8::from(as_topic);
            parameters.push((argument.ty, as_topic));
            arguments.push(argument);
        }
        let anonymous = self.chance(8);
        self.template.events.push(Event { parameters, anonymous });
        Some(Statement::Emit(known as u16, arguments))
    }

    /// An error with arguments: one that exists, or one that is made.
    pub(super) fn error(&mut self) -> Option<(u16, Vec<Expression>)> {
        if !self.is_version(Version::Newest) {
            return None;
        }
        let known = self.template.errors.len() as u64;
        if known > 0 && self.chance(50) {
            let id = self.entropy.below(known) as u16;
            let types = self.template.errors[usize::from(id)].clone();
            return Some((id, self.arguments_for(&types)?));
        }
        if known > 3 {
            return None;
        }
        let count = self.entropy.below(3);
        let mut arguments = vec![];
        for _ in 0..count {
            arguments.push(self.encodable(false, 1)?);
        }
        self.template.errors.push(arguments.iter().map(|it| it.ty).collect());
        Some((known as u16, arguments))
    }

    fn arguments_for(&mut self, types: &[TypeId]) -> Option<Vec<Expression>> {
        let mut arguments = vec![];
        for ty in types {
            arguments.push(match self.is_reference(*ty) {
                true => self.reference(*ty, Location::Memory.fixed(), 1)?,
                false => self.value(*ty, 1),
            });
        }
        Some(arguments)
    }

    /// `try this.f(…)` with catch clauses.
    pub(super) fn attempt(&mut self) -> Option<Statement> {
        if !self.is_version(Version::V6) {
            return None;
        }
        let functions: Vec<u16> = self.callable();
        let id = *self.entropy.pick(&functions)?;
        let function = self.template.functions[usize::from(id)].clone();
        let constructing = self.template.functions[self.function].kind == FunctionKind::Constructor;
        let open = Visibility::Public.bit() | Visibility::External.bit();
        if constructing
            || function.kind != FunctionKind::Ordinary
            || !self.restrict(function.visibility, open)
            || !self.reads()
            || !self.calls(function.mutability)
        {
            return None;
        }
        let mut arguments = vec![];
        for ty in function.parameter_types() {
            arguments.push(match self.is_reference(ty) {
                true => self.forwarded(ty, 1)?,
                false => self.value(ty, 1),
            });
        }
        let returns = function.return_types();
        let ty = returns.first().copied().unwrap_or(crate::model::UINT256);
        let how = CallKind::This.fixed();
        let call = Expression::new(Kind::Call { function: id, how, named: Attribute::Is(0), arguments }, ty);
        let scope = self.scope.len();
        let results: Vec<u16> =
            returns.iter().map(|ty| self.local(*ty, Location::Memory.fixed())).collect();
        self.scope.extend(&results);
        let body = self.block();
        self.scope.truncate(scope);
        let mut catches = vec![];
        if self.chance(40) {
            let id = self.local(crate::model::STRING, Location::Memory.fixed());
            self.scope.push(id);
            catches.push((crate::model::CatchKind::Error(id), self.block()));
            self.scope.truncate(scope);
        }
        if self.is_version(Version::Newest) && self.chance(50) {
            let id = self.local(crate::model::UINT256, Location::Memory.fixed());
            self.scope.push(id);
            catches.push((crate::model::CatchKind::Panic(id), self.block()));
            self.scope.truncate(scope);
        }
        if self.chance(50) {
            let id = self.local(crate::model::BYTES, Location::Memory.fixed());
            self.scope.push(id);
            catches.push((crate::model::CatchKind::Data(id), self.block()));
            self.scope.truncate(scope);
        } else {
            catches.push((crate::model::CatchKind::All, self.block()));
        }
        Some(Statement::Try { call, results, body, catches })
    }

    pub(super) fn is_payable(&self) -> bool {
        self.domain(self.mutability()) == Mutability::Payable.bit()
    }

    pub(super) fn is_array(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Array(..))
    }
}
