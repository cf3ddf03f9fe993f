//! Other contracts, and calls from outside: creation, calls of their functions, low-level calls, `try`.

use super::Generator;
use crate::model::{
    AbiKind, Attribute, BOOL, BYTES, CallKind, ContractKind, Expression, FunctionKind, Kind,
    Location, Message, Mutability, Statement, Type, TypeId, Version, Visibility,
};
use crate::template::BYTES_TYPES;

impl Generator<'_> {
    /// A function that others can call from outside, with all that calling it here demands.
    pub(super) fn external_callee(&mut self, contract: Option<u8>) -> Option<u16> {
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

    pub(super) fn external_arguments(&mut self, id: u16) -> Option<Vec<Expression>> {
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

    /// A value of a type from any location.
    pub(super) fn forwarded(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        self.reference(ty, Location::Memory.fixed(), depth)
    }

    /// The contract of this function, if it can be called from outside here.
    pub(super) fn own_from_outside(&self) -> Option<u8> {
        let function = &self.template.functions[self.function];
        let own = function.contract?;
        let kind = self.template.contracts[usize::from(own)].kind;
        let built = !matches!(function.kind, FunctionKind::Constructor | FunctionKind::Modifier);
        (built && kind != ContractKind::Library).then_some(own)
    }

    /// Local variables that hold another contract.
    pub(super) fn contracts_in_scope(&self) -> Vec<u16> {
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
    pub(super) fn calldata(&mut self, contract: Option<u8>) -> Option<Expression> {
        let mut id = self.external_callee(contract)?;
        // Functions that take bytes are encoded in more ways than others.
        let takes_bytes = |generator: &Self, id: u16| {
            let types = generator.template.functions[usize::from(id)].parameter_types();
            types.iter().any(|ty| generator.types_of(*ty) & BYTES_TYPES != 0)
        };
        for _ in 0..3 {
            if !takes_bytes(self, id) {
                id = self.external_callee(contract)?;
            }
        }
        if !self.is_unique(id) {
            return None;
        }
        let mut arguments = self.external_arguments(id)?;
        let kind = match self.entropy.below(5) {
            0..3 if self.is_version(Version::V8Late) => AbiKind::Call(id),
            0 | 3 => AbiKind::WithSignature(id),
            _ => AbiKind::WithSelector(id),
        };
        if let AbiKind::Call(_) = kind {
            // Literals of `bytesN` are written without a conversion here.
            for argument in &mut arguments {
                if self.chance(50) && self.restrict_type(argument.ty, BYTES_TYPES) {
                    *argument = self.literal(argument.ty, true);
                }
            }
        }
        Some(Expression::new(Kind::Abi(kind, arguments), BYTES))
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
        let called = match &data.kind {
            Kind::Abi(
                AbiKind::WithSelector(id) | AbiKind::WithSignature(id) | AbiKind::Call(id),
                _,
            ) => Some(*id),
            _ => None,
        };
        if let (Message::Static, Some(id)) = (how, called) {
            let mutability = self.template.functions[usize::from(id)].mutability;
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
        if self.is_version(Version::V8Types) && self.chance(50) {
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
}
