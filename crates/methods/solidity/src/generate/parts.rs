//! Calls, events and errors: uses of other declarations, which are made where none fits.

use super::Generator;
use crate::model::{
    AbiKind, Attribute, BOOL, BYTES, CallKind, ContractKind, Event, Expression, Function,
    FunctionKind, Kind, Location, Message, Mutability, Statement, Type, TypeId, Version,
    Visibility,
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
        // Before 0.6, a name in parentheses does not say which version of an overridden function is meant.
        let plain = domain & !0b11 == 0 && (self.is_version(Version::V6) || !function.is_virtual);
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

    /// `function (…) … v = f;`
    pub(super) fn let_pointer(&mut self) -> Option<Statement> {
        let functions = self.callable();
        let id = *self.entropy.pick(&functions)?;
        let function = self.template.functions[usize::from(id)].clone();
        // Before 0.6, names do not say which version of an overridden function is meant.
        let overloaded = !self.is_version(Version::V6) && function.is_virtual;
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
        self.scope.push(local);
        Some(Statement::Let(local, Some(value)))
    }

    /// A call of a function that a local variable holds.
    pub(super) fn call_pointer(&mut self) -> Option<Statement> {
        let is_pointer = |id: &u16| matches!(self.ty(self.type_of_local(*id)), Type::Function(..));
        let pointers: Vec<u16> = self.scope.iter().copied().filter(is_pointer).collect();
        let Some(local) = self.entropy.pick(&pointers).copied() else { return self.let_pointer() };
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
        fits.then(|| Expression::new(Kind::Selector(id), ty))
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

    /// Whether a result can be in calldata.
    pub(super) fn gives_calldata(&self, function: &Function) -> bool {
        function.return_locals().any(|at| {
            let local = &function.locals[usize::from(at)];
            let calldata = self.domain(local.location) & Location::Calldata.bit() != 0;
            self.is_reference(local.ty) && calldata
        })
    }

    /// How the current function can call another one, as a domain. Restricts the visibility if only one way is left.
    fn ways_to_call(&mut self, function: &Function) -> Option<u128> {
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

    /// A function that others can call from outside, with all that calling it here demands.
    fn external_callee(&mut self, contract: Option<u8>) -> Option<u16> {
        let own = self.template.functions[self.function].contract?;
        let kind = self.template.functions[self.function].kind;
        let open = Visibility::Public.bit() | Visibility::External.bit();
        if contract.is_none()
            && (matches!(kind, FunctionKind::Constructor | FunctionKind::Modifier)
                || self.template.contracts[usize::from(own)].kind == ContractKind::Library)
        {
            return None;
        }
        let family = self.ancestors(contract.unwrap_or(own));
        let known: Vec<u16> = (0..self.function as u16)
            .filter(|id| {
                let function = &self.template.functions[usize::from(*id)];
                function.kind == FunctionKind::Ordinary
                    && function.contract.is_some_and(|it| family.contains(&it))
                    && self.domain(function.visibility) & open != 0
            })
            .collect();
        let id = *self.entropy.pick(&known)?;
        let function = self.template.functions[usize::from(id)].clone();
        let fits = self.reads()
            && self.restrict(function.visibility, open)
            && self.calls(function.mutability);
        fits.then_some(id)
    }

    fn external_arguments(&mut self, id: u16) -> Option<Vec<Expression>> {
        let types = self.template.functions[usize::from(id)].parameter_types();
        let mut arguments = vec![];
        for ty in types {
            arguments.push(match self.is_reference(ty) {
                true => self.forwarded(ty, 1)?,
                false => self.value(ty, 1),
            });
        }
        Some(arguments)
    }

    /// Local variables that hold another contract.
    fn contracts_in_scope(&self) -> Vec<u16> {
        let is_contract = |id: &u16| matches!(self.ty(self.type_of_local(*id)), Type::Contract(_));
        self.scope.iter().copied().filter(is_contract).collect()
    }

    /// `new C(…)`.
    pub(super) fn creation(&mut self) -> Option<Expression> {
        let contract = self.other?;
        if contract >= self.contract || !self.writes() {
            return None;
        }
        let own = self.template.functions[self.function].contract?;
        if self.template.contracts[usize::from(own)].kind == ContractKind::Library {
            return None;
        }
        let constructor = self.template.contracts[usize::from(contract)].constructor;
        let mut arguments = vec![];
        let mut value = None;
        if let Some(id) = constructor {
            arguments = self.external_arguments(id)?;
            let mutability = self.template.functions[usize::from(id)].mutability;
            if self.chance(30) && self.restrict(mutability, Mutability::Payable.bit()) {
                value = Some(Box::new(Expression::number(self.entropy.below(3))));
            }
        }
        let salted = self.is_version(Version::V7) && self.chance(25);
        // The same salt twice would collide: whether it does depends on the code.
        let salt = salted.then(|| {
            self.salts += 1;
            ruint::aliases::U256::from(self.salts)
        });
        let ty = self.add_type(Type::Contract(contract));
        Some(Expression::new(Kind::New { contract, value, salt, arguments }, ty))
    }

    /// A local variable for another contract.
    pub(super) fn let_contract(&mut self) -> Option<Statement> {
        let made = self.creation()?;
        let id = self.local(made.ty, Location::Memory.fixed());
        self.scope.push(id);
        Some(Statement::Let(id, Some(made)))
    }

    /// A call of a function of another contract.
    pub(super) fn call_on(&mut self) -> Option<Expression> {
        let locals = self.contracts_in_scope();
        let local = *self.entropy.pick(&locals)?;
        let target_type = self.type_of_local(local);
        let Type::Contract(contract) = self.ty(target_type) else { return None };
        let function = self.external_callee(Some(contract))?;
        let arguments = self.external_arguments(function)?;
        let it = self.template.functions[usize::from(function)].clone();
        let pays = self.chance(25) && self.restrict(it.mutability, Mutability::Payable.bit());
        let value = (pays && self.calls(it.mutability))
            .then(|| Box::new(Expression::number(self.entropy.below(3))));
        if pays && value.is_none() {
            return None;
        }
        let returns = it.return_types();
        let ty = if let [ty] = returns[..] { ty } else { crate::model::UINT256 };
        let target = Box::new(Expression::new(Kind::Local(local), target_type));
        Some(Expression::new(Kind::CallOn { target, function, value, arguments }, ty))
    }

    /// Calldata for a function: encoded with its selector.
    fn calldata(&mut self, contract: Option<u8>) -> Option<Expression> {
        let id = self.external_callee(contract)?;
        if !self.is_unique(id) {
            return None;
        }
        let arguments = self.external_arguments(id)?;
        let kind = match self.is_version(Version::Newest) && self.chance(50) {
            true => AbiKind::Call(id),
            false => AbiKind::WithSelector(id),
        };
        Some(Expression::new(Kind::Abi(kind, arguments), BYTES))
    }

    /// Whether a function is the only one of its name, which it will stay.
    fn is_unique(&mut self, id: u16) -> bool {
        let aliased = self.template.functions.iter().any(|it| it.alias == Some(id));
        let function = &self.template.functions[usize::from(id)];
        let unique = !aliased && function.alias.is_none() && function.overrides.is_empty();
        if unique {
            self.unique.push(id);
        }
        unique
    }

    /// `(bool a, bytes memory b) = address(this).call(…)`.
    pub(super) fn message(&mut self) -> Option<Statement> {
        if !self.is_version(Version::V5) || !self.has_room() {
            return None;
        }
        let kind = self.template.functions[self.function].kind;
        let own = self.template.functions[self.function].contract?;
        let contained = self.template.contracts[usize::from(own)].kind != ContractKind::Library;
        let plain = !matches!(kind, FunctionKind::Constructor | FunctionKind::Modifier);
        if !contained || !plain || !self.reads() {
            return None;
        }
        let data = self.calldata(None)?;
        let how = match self.weighted(&[6, 3, 2]) {
            0 => Message::Call,
            1 => Message::Static,
            _ => Message::Delegate,
        };
        if let (Message::Static, Kind::Abi(AbiKind::WithSelector(id) | AbiKind::Call(id), _)) =
            (how, &data.kind)
        {
            let mutability = self.template.functions[usize::from(*id)].mutability;
            let only_reads = Mutability::Pure.bit() | Mutability::View.bit();
            if !self.restrict(mutability, only_reads) {
                return None;
            }
        } else if !self.writes() {
            return None;
        }
        let pays = how == Message::Call && self.chance(20);
        let value = pays.then(|| Box::new(Expression::number(self.entropy.below(3))));
        let data = Box::new(data);
        let message = Kind::Message { how, target: None, value, data };
        let success = self.local(BOOL, Location::Memory.fixed());
        let result = self.local(BYTES, Location::Memory.fixed());
        self.scope.extend([success, result]);
        let call = Expression::new(message, BOOL);
        Some(Statement::LetMany(vec![Some(success), Some(result)], call))
    }

    /// `(T a, , U b) = f(…)`.
    pub(super) fn let_many(&mut self, call: Expression, returns: &[TypeId]) -> Statement {
        let mut ids = vec![];
        for ty in returns {
            let named = self.has_room() && self.chance(80);
            ids.push(named.then(|| self.local(*ty, Location::Memory.fixed())));
        }
        if ids.iter().all(Option::is_none) {
            return Statement::Do(call);
        }
        self.scope.extend(ids.iter().flatten());
        Statement::LetMany(ids, call)
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
        // Events outside of contracts came with 0.8.22.
        let free = self.template.functions[self.function].contract.is_none();
        if (free && !self.is_version(Version::Newest)) || !self.writes() {
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
        let again = if self.chance(20) { self.parameters_again() } else { None };
        let mut again = again.map(Vec::into_iter);
        let count = again.as_ref().map_or(count as usize, ExactSizeIterator::len);
        for _ in 0..count {
            let argument = match again.as_mut().and_then(Iterator::next) {
                Some(argument) => argument,
                None => self.encodable(false, 1)?,
            };
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
        let (call, returns) = match self.weighted(&[5, 3, 2]) {
            1 => {
                let call = self.call_on()?;
                let Kind::CallOn { function, .. } = call.kind else { return None };
                (call, self.template.functions[usize::from(function)].return_types())
            }
            2 => {
                let call = self.creation()?;
                let ty = call.ty;
                (call, vec![ty])
            }
            _ => {
                let id = self.external_callee(None)?;
                let arguments = self.external_arguments(id)?;
                let returns = self.template.functions[usize::from(id)].return_types();
                let ty = returns.first().copied().unwrap_or(crate::model::UINT256);
                let how = CallKind::This.fixed();
                let named = Attribute::Is(0);
                (Expression::new(Kind::Call { function: id, how, named, arguments }, ty), returns)
            }
        };
        // Before 0.7, the types of results include the location that the function declares.
        if let (Kind::Call { function, .. } | Kind::CallOn { function, .. }, false) =
            (&call.kind, self.is_version(Version::V7))
        {
            let callee = self.template.functions[usize::from(*function)].clone();
            for at in callee.return_locals() {
                let location = callee.locals[usize::from(at)].location;
                if !self.restrict(location, Location::Memory.bit()) {
                    return None;
                }
            }
        }
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

    pub(super) fn is_array(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Array(..))
    }
}
