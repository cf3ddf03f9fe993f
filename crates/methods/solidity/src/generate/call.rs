//! Calls of functions by name and through pointers, and what they demand of caller and callee.

use super::Generator;
use super::places::Use;
use crate::model::{
    Attribute, BOOL, Binary, CallKind, ContractKind, Expression, Function, FunctionKind, Kind,
    Location, Statement, Type, TypeId, Version, Visibility,
};
use crate::template::{INTEGERS, Relation, VariableKind};

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

    /// Functions before this one that it can call by name: of its contract and bases, free ones, and of libraries.
    pub(super) fn callable(&self) -> Vec<u16> {
        let own = self.template.functions[self.function].contract;
        let family = own.map_or_else(Vec::new, |own| self.ancestors(own));
        (0..self.function as u16)
            .filter(|id| {
                let function = &self.template.functions[usize::from(*id)];
                let known = function.contract.is_none_or(|it| {
                    let kind = self.template.contracts[usize::from(it)].kind;
                    kind == ContractKind::Library || family.contains(&it)
                });
                let named = matches!(function.kind, FunctionKind::Ordinary | FunctionKind::Free);
                let operator = self.template.operators.iter().any(|(_, _, it)| it == id);
                named && known && !operator
            })
            .collect()
    }

    /// A call of a function: internal, through `this`, of a base, or of a library.
    pub(super) fn call(&mut self, id: u16, depth: u8) -> Option<Expression> {
        let function = self.template.functions[usize::from(id)].clone();
        let mut domain = self.ways_to_call(&function)?;
        let open = self.domain(function.visibility)
            & (Visibility::Public.bit() | Visibility::External.bit())
            != 0;
        let kind = self.template.functions[self.function].kind;
        let inside = matches!(kind, FunctionKind::Constructor | FunctionKind::Modifier);
        let reaches = domain & (CallKind::Internal.bit() | CallKind::This.bit()) != 0
            && function.kind == FunctionKind::Ordinary;
        // Results in calldata matter most to external calls.
        let own = function.contract.is_some_and(|it| {
            self.template.contracts[usize::from(it)].kind != ContractKind::Library
        });
        if self.gives_calldata(&function) && open && !inside && reaches && own && self.chance(80) {
            domain = CallKind::This.bit();
        }
        let how = match domain.is_power_of_two() {
            true => Attribute::Is(domain.trailing_zeros() as u8),
            false => self.attribute(VariableKind::Call, domain),
        };
        let draw = self.entropy.word();
        let library = CallKind::Library.bit() | CallKind::Attached.bit();
        let reaches = match (function.visibility, how) {
            _ if domain & library != 0 => true,
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
        let mut how = how;
        if self.domain(how) & CallKind::This.bit() != 0 && !self.reads() {
            if !self.restrict(how, !CallKind::This.bit()) {
                return None;
            }
            if self.domain(how) == CallKind::Internal.bit() {
                how = CallKind::Internal.fixed();
            }
        }
        if !self.calls(function.mutability) {
            return None;
        }
        let external = how == CallKind::This.fixed();
        if !external {
            // What an internal call gives back stays where it is: only fixed calls may give back calldata.
            let fixed = how == CallKind::Internal.fixed() && function.returns == 1;
            for at in function.return_locals() {
                let location = function.locals[usize::from(at)].location;
                if !fixed && !self.restrict(location, Location::Memory.bit()) {
                    return None;
                }
            }
        }
        let mut arguments = vec![];
        for (ty, local) in function.parameter_types().iter().zip(&function.locals) {
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
        // Before 0.6.9, a name in parentheses does not say which version of an overridden function is meant.
        let plain =
            domain & !0b11 == 0 && (self.is_version(Version::V6Late) || !function.is_virtual);
        let named = match arguments.len() {
            _ if plain && self.chance(4) && self.is_unique(id) => Attribute::Is(2),
            2.. if self.chance(15) && self.is_unique(id) => {
                self.attribute(VariableKind::Named, 0b11)
            }
            1 if self.chance(5) && self.is_unique(id) => Attribute::Is(1),
            _ => Attribute::Is(0),
        };
        Some(Expression::new(Kind::Call { function: id, how, named, arguments }, ty))
    }

    /// How the current function can call another one, as a domain. Restricts the visibility if only one way is left.
    pub(super) fn ways_to_call(&mut self, function: &Function) -> Option<u128> {
        let caller = self.template.functions[self.function].clone();
        let plain = function.parameter_types().iter().all(|ty| !self.is_reference(*ty));
        let Some(owner) = function.contract else { return Some(CallKind::Internal.bit()) };
        let library = self.template.contracts[usize::from(owner)].kind == ContractKind::Library;
        if library && caller.contract != Some(owner) {
            let attaches = caller.contract.is_some() && !function.locals.is_empty();
            let inside = caller.contract.is_some_and(|it| {
                self.template.contracts[usize::from(it)].kind == ContractKind::Library
            });
            let attached = if attaches && !inside && function.parameters > 0 {
                CallKind::Attached.bit()
            } else {
                0
            };
            // A reference to calldata cannot be passed on as one.
            return Some(CallKind::Library.bit() | attached);
        }
        let visibility = self.domain(function.visibility);
        let foreign = caller.contract != Some(owner);
        if foreign && !self.restrict(function.visibility, !Visibility::Private.bit()) {
            return None;
        }
        let open = !library
            && caller.kind != FunctionKind::Constructor
            && caller.kind != FunctionKind::Modifier
            && visibility & (Visibility::Public.bit() | Visibility::External.bit()) != 0;
        let closed = visibility & !Visibility::External.bit() != 0;
        let based = closed && foreign && !function.is_abstract && self.chance(50);
        if based {
            // Constructors do not call what is overridden: initialisation is ordered differently there.
            return Some(CallKind::Internal.bit() | CallKind::Super.bit() | CallKind::Base.bit())
                .filter(|_| caller.kind != FunctionKind::Constructor)
                .or(Some(CallKind::Base.bit()));
        }
        if caller.kind == FunctionKind::Constructor && (function.is_virtual || foreign) {
            return None;
        }
        match (closed, open) {
            (true, true) if plain => Some(CallKind::Internal.bit() | CallKind::This.bit()),
            (true, true) if self.chance(40) => Some(CallKind::This.bit()),
            (false, true) => Some(CallKind::This.bit()),
            (true, _) => Some(CallKind::Internal.bit()),
            _ => None,
        }
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

    /// Whether a result can be in calldata.
    pub(super) fn gives_calldata(&self, function: &Function) -> bool {
        function.return_locals().any(|at| {
            let local = &function.locals[usize::from(at)];
            let calldata = self.domain(local.location) & Location::Calldata.bit() != 0;
            self.is_reference(local.ty) && calldata
        })
    }

    /// Whether a function is the only one of its name, which it will stay.
    pub(super) fn is_unique(&mut self, id: u16) -> bool {
        let aliased = self.template.functions.iter().any(|it| it.alias == Some(id));
        let function = &self.template.functions[usize::from(id)];
        let unique = !aliased && function.alias.is_none() && function.overrides.is_empty();
        if unique {
            self.unique.push(id);
        }
        unique
    }

    /// `function (…) … v = f;`, or with the assignment in a branch.
    pub(super) fn let_pointer(&mut self, body: &mut Vec<Statement>) -> Option<Statement> {
        let functions = self.callable();
        let id = *self.entropy.pick(&functions)?;
        let function = self.template.functions[usize::from(id)].clone();
        // Before 0.6.9, names do not say which version of an overridden function is meant.
        let overloaded = !self.is_version(Version::V6Late) && function.is_virtual;
        if overloaded || !self.has_room() || !self.is_unique(id) {
            return None;
        }
        let domain = self.ways_to_call(&function)?;
        let external = match domain {
            _ if domain == CallKind::Internal.bit() => false,
            _ if domain == CallKind::This.bit() => true,
            _ if domain == CallKind::Internal.bit() | CallKind::This.bit() => self.chance(50),
            _ => return None,
        };
        let way = if external { CallKind::This } else { CallKind::Internal };
        if !self.restrict(function.visibility, Relation::Reaches.before(way as u8))
            || (external && !self.reads())
            || !self.calls(function.mutability)
        {
            return None;
        }
        // Types of pointers name the locations.
        let memory = |generator: &mut Self, local: &crate::model::Local| {
            !generator.is_reference(local.ty)
                || generator.restrict(local.location, Location::Memory.bit())
        };
        let kept = usize::from(function.parameters + function.returns);
        let from = if external { usize::from(function.parameters) } else { 0 };
        if !function.locals[from..kept].iter().all(|local| memory(self, local)) {
            return None;
        }
        let ty = self.add_type(Type::Function(id, external));
        let value = Expression::new(Kind::Function(id, external), ty);
        let local = self.local(ty, Location::Memory.fixed());
        if !external && self.chance(20) {
            let condition = self.condition(1);
            body.push(Statement::Let(local, None));
            self.scope.push(local);
            let place = Expression::new(Kind::Local(local), ty);
            let assign = Expression::new(Kind::Assign(None, Box::new((place, value))), ty);
            return Some(Statement::If(condition, vec![Statement::Do(assign)], vec![]));
        }
        self.scope.push(local);
        Some(Statement::Let(local, Some(value)))
    }

    /// A call of a function that a local variable holds.
    pub(super) fn call_pointer(&mut self, body: &mut Vec<Statement>) -> Option<Statement> {
        let is_pointer = |id: &u16| matches!(self.ty(self.type_of_local(*id)), Type::Function(..));
        let pointers: Vec<u16> = self.scope.iter().copied().filter(is_pointer).collect();
        let Some(local) = self.entropy.pick(&pointers).copied() else {
            return self.let_pointer(body);
        };
        let pointer = self.type_of_local(local);
        let Type::Function(id, external) = self.ty(pointer) else { return None };
        if external && !self.reads() {
            return None;
        }
        let arguments = self.external_arguments(id)?;
        let returns = self.template.functions[usize::from(id)].return_types();
        let ty = if let [ty] = returns[..] { ty } else { crate::model::UINT256 };
        let pointer = Box::new(Expression::new(Kind::Local(local), pointer));
        let call = Expression::new(Kind::CallPointer(pointer, arguments), ty);
        if returns.len() > 1 {
            return Some(self.let_many(call, &returns));
        }
        if returns.is_empty() || !self.has_room() {
            return Some(Statement::Do(call));
        }
        let local = self.local(ty, Location::Memory.fixed());
        self.scope.push(local);
        Some(Statement::Let(local, Some(call)))
    }

    /// `this.f.selector`, or an operator of a user-defined value type.
    pub(super) fn selector(&mut self) -> Option<Expression> {
        let own = self.template.functions[self.function].contract?;
        let kind = self.template.functions[self.function].kind;
        let library = self.template.contracts[usize::from(own)].kind == ContractKind::Library;
        let special = matches!(kind, FunctionKind::Constructor | FunctionKind::Modifier);
        if library || special || !self.is_version(Version::V5) || !self.reads() {
            return None;
        }
        let functions = self.callable();
        let id = *self.entropy.pick(&functions)?;
        let function = self.template.functions[usize::from(id)].clone();
        let open = Visibility::Public.bit() | Visibility::External.bit();
        let family = self.ancestors(own);
        let fits = function.contract.is_some_and(|it| family.contains(&it))
            && self.is_unique(id)
            && self.restrict(function.visibility, open);
        let ty = self.add_type(Type::FixedBytes(4));
        if !fits {
            return None;
        }
        let counted = if self.chance(60) { self.counted() } else { None };
        let kind = match counted {
            Some(condition) => Kind::SelectorOf(id, Box::new(condition)),
            None => Kind::Selector(id),
        };
        Some(Expression::new(kind, ty))
    }

    /// `x++ > 3`: a condition that changes something.
    fn counted(&mut self) -> Option<Expression> {
        let place = self.value_place(Use::Write, 0)?;
        if !self.restrict_type(place.ty, INTEGERS) {
            return None;
        }
        let (prefix, up, ty) = (self.chance(50), self.chance(70), place.ty);
        let step = Expression::new(Kind::Step { place: Box::new(place), prefix, up }, ty);
        let parts = Box::new((step, self.literal(ty, true)));
        Some(Expression::new(Kind::Binary(Binary::Greater, parts), BOOL))
    }

    /// `a + b` of a user-defined value type.
    pub(super) fn operated(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let operators = self.template.operators.clone();
        let (wrapper, _, id) = *self.entropy.pick(&operators)?;
        let own = self.add_type(Type::Wrapper(wrapper));
        if usize::from(id) >= self.function || !self.converts(own, ty) {
            return None;
        }
        let arguments = vec![self.typed(own, depth), self.typed(own, depth)];
        let how = Attribute::Is(CallKind::Operator as u8);
        let named = Attribute::Is(0);
        Some(Expression::new(Kind::Call { function: id, how, named, arguments }, own))
    }

    /// `(T a, , U b) = f(…)`.
    pub(super) fn let_many(&mut self, call: Expression, returns: &[TypeId]) -> Statement {
        let mut ids = vec![];
        for ty in returns {
            let named = self.has_room() && self.chance(80);
            ids.push(named.then(|| self.local(*ty, Location::Memory.fixed())));
        }
        if ids.iter().all(Option::is_none) || !self.is_version(Version::V4Late) {
            return Statement::Do(call);
        }
        self.scope.extend(ids.iter().flatten());
        Statement::LetMany(ids, call)
    }
}
