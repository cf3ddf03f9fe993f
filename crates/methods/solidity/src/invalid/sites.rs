//! Where a program can violate a constraint.

use super::facts::Facts;
use super::{Kind, Site, Violation};
use crate::model::{
    ContractKind, Function, FunctionId, Length, Location, Mutability, State, StateId, StateKind,
    Type, Visibility,
};
use crate::view::View;

/// All violations that a program can have.
pub(super) fn violations(view: &View<'_>) -> Vec<Violation> {
    let sites = Sites { view, facts: Facts::of(view) };
    let of = |kind: Kind| sites.of(kind).into_iter().map(move |site| Violation { kind, site });
    Kind::of(view.version()).flat_map(of).collect()
}

/// Whether a program can have this violation.
pub(super) fn can_have(view: &View<'_>, violation: Violation) -> bool {
    let sites = Sites { view, facts: Facts::of(view) };
    sites.of(violation.kind).contains(&violation.site)
}

struct Sites<'a> {
    view: &'a View<'a>,
    facts: Facts,
}

impl Sites<'_> {
    fn of(&self, kind: Kind) -> Vec<Site> {
        use Mutability::{NonPayable, Payable, Pure};
        use StateKind::{Constant, Immutable, Storage};
        use Visibility::{External, Private, Public};
        let facts = &self.facts;
        let visible = |it: &Function| self.view.visibility(it.visibility);
        let mutable = |it: &Function| self.view.mutability(it.mutability);
        let open = |it: &Function| matches!(visible(it), Public | External);
        let stored = |it: &State| self.view.state_kind(it.kind) == Storage;
        let plain = |it: &State| stored(it) && self.view.ty(it.ty).is_value();
        match kind {
            Kind::StorageParameter | Kind::NoLocation => {
                self.parameters(|it, ty, _| open(it) && ty.is_reference())
            }
            Kind::WriterIsView => {
                self.functions(|id, it| facts.writers.contains(&id) && !self.is_in_family(id, it))
            }
            Kind::ReaderIsPure => self.functions(|id, it| {
                let is_read = |state: StateId| {
                    let state = &self.view.template.states[usize::from(state)];
                    !matches!(self.view.state_kind(state.kind), Constant | Immutable)
                };
                let reads = facts.readers.iter().any(|(of, state)| *of == id && is_read(*state));
                reads && mutable(it) != Pure && !self.is_in_family(id, it)
            }),
            Kind::InternalIsPayable => {
                self.functions(|id, it| !open(it) && !self.is_in_family(id, it))
            }
            Kind::CalledIsExternal => self.functions(|id, it| {
                let called = facts.called_internally.contains(&id);
                let alone = it.overrides.is_empty() && !self.is_overloaded(id);
                called && visible(it) != External && !self.has_storage(it) && alone
            }),
            Kind::CalledIsInternal => self.functions(|id, it| {
                let called = facts.called_externally.contains(&id);
                let alone = !self.is_in_family(id, it) && !self.is_overloaded(id);
                called && open(it) && mutable(it) != Payable && alone
            }),
            Kind::VirtualIsPrivate => self.functions(|_, it| {
                it.is_virtual && visible(it) != Private && mutable(it) != Payable
            }),
            // What an interface declares may be implemented without it.
            Kind::NoOverride => self.functions(|_, it| {
                let of_interface = |base: &&Function| {
                    let contract = base.contract.map(usize::from);
                    let contract = contract.and_then(|id| self.view.template.contracts.get(id));
                    contract.is_none_or(|it| it.kind == ContractKind::Interface)
                };
                let bases = self.bases(it);
                !bases.is_empty() && !bases.iter().any(of_interface)
            }),
            Kind::NoVirtual => {
                self.functions(|id, it| it.is_virtual && facts.overridden.contains(&id))
            }
            Kind::NeedlessOverride => self.functions(|_, it| it.overrides.is_empty()),
            Kind::OverrideIsExternal => self.functions(|_, it| {
                let bases = self.bases(it);
                visible(it) == Public && bases.iter().any(|base| visible(base) == Public)
            }),
            Kind::OverrideIsPayable => self.functions(|_, it| {
                let bases = self.bases(it);
                visible(it) == Public
                    && mutable(it) != Payable
                    && bases.iter().all(|base| mutable(base) <= NonPayable)
                    && !bases.is_empty()
            }),
            Kind::ConstantWithoutValue => self.states(|_, it| plain(it) && it.initial.is_none()),
            Kind::ConstantIsWritten => self
                .states(|id, it| plain(it) && it.initial.is_some() && facts.written.contains(&id)),
            Kind::ImmutableIsWritten => {
                self.states(|id, it| plain(it) && facts.written_later.contains(&id))
            }
            Kind::TransientWithValue => self.states(|_, it| plain(it) && it.initial.is_some()),
            Kind::Conversion => {
                self.parameters(|_, ty, _| super::text::unconvertible(self.view, ty, 0).is_some())
            }
            Kind::LongerArray => self.parameters(|_, ty, place| {
                matches!(ty, Type::Array(_, Length::Fixed(_))) && place == Location::Memory
            }),
            Kind::StorageOfCalldata => {
                self.parameters(|_, ty, place| ty.is_reference() && place != Location::Storage)
            }
            Kind::CalldataOfMemory => {
                self.parameters(|_, ty, place| ty.is_reference() && place == Location::Memory)
            }
            Kind::CalldataIsWritten => self.parameters(|_, ty, place| {
                let indexed = match ty {
                    Type::Array(_, Length::Fixed(length)) => length > 1,
                    ty => matches!(ty, Type::Bytes | Type::Array(_, Length::Dynamic)),
                };
                indexed && place == Location::Calldata
            }),
            Kind::BasesInWrongOrder => self.contracts(|_, bases, has_arguments| {
                let derives = |base: u8, from: u8| self.view.linearised(base).contains(&from);
                let ordered = bases.windows(2).any(|pair| derives(pair[1], pair[0]));
                ordered && !has_arguments
            }),
            Kind::AbstractIsCreated => self.contracts(|id, _, _| {
                let is_contract =
                    self.view.template.contracts[usize::from(id)].kind == ContractKind::Contract;
                facts.created.contains(&id) && is_contract
            }),
            Kind::ValueForNonPayable => self.functions(|id, it| {
                let paid = facts.called_with_value.contains(&id);
                paid && mutable(it) == Payable && !self.is_in_family(id, it)
            }),
            Kind::NestedUnchecked => self.functions(|_, _| true),
            Kind::PrivateIsOverridden => self.functions(|id, it| {
                let [base] = it.overrides[..] else { return false };
                let all = &self.view.template.functions;
                let unused = |id: FunctionId| {
                    let it = &all[usize::from(id)];
                    let named = facts.called_internally.contains(&id)
                        || facts.called_externally.contains(&id)
                        || facts.values.contains(&id);
                    let overloaded =
                        it.alias.is_some() || all.iter().any(|it| it.alias == Some(id));
                    !named && !it.is_abstract && mutable(it) != Payable && !overloaded
                };
                let known = facts.functions.iter().any(|(id, _)| *id == base);
                let alone = all[usize::from(base)].overrides.is_empty()
                    && all.iter().filter(|it| it.overrides.contains(&base)).count() == 1;
                known && alone && unused(id) && unused(base) && !self.is_interface(base)
            }),
            Kind::FunctionTwice => {
                let last = self.view.template.contracts.len().saturating_sub(1) as u8;
                self.contracts(|id, _, _| id == last)
            }
            Kind::SliceOfDynamic => self.parameters(|_, ty, place| match ty {
                Type::Array(element, Length::Dynamic) => {
                    self.view.is_dynamic(element) && place == Location::Calldata
                }
                _ => false,
            }),
            Kind::OtherLocation => self.parameters(|it, ty, place| {
                let bases = self.bases(it);
                let closed = bases.iter().all(|base| visible(base) != External);
                let moves = ty.is_reference() && place != Location::Storage;
                moves && closed && !bases.is_empty()
            }),
        }
    }

    /// Ordinary functions of contracts, not of libraries: in those, other rules hold.
    fn functions(&self, fits: impl Fn(FunctionId, &Function) -> bool) -> Vec<Site> {
        let is_contract = |contract: u8| {
            let kind = self.view.template.contracts[usize::from(contract)].kind;
            matches!(kind, ContractKind::Contract | ContractKind::Abstract)
        };
        let all = self.facts.functions.iter().filter(|(_, contract)| is_contract(*contract));
        let fits = |id: &FunctionId| {
            let function = &self.view.template.functions[usize::from(*id)];
            let is_value = self.facts.values.contains(id);
            !function.is_abstract && !is_value && fits(*id, function)
        };
        all.map(|(id, _)| *id).filter(fits).map(Site::Function).collect()
    }

    /// Parameters, by function, type and data location.
    fn parameters(&self, fits: impl Fn(&Function, Type, Location) -> bool) -> Vec<Site> {
        let mut sites = vec![];
        for site in self.functions(|_, _| true) {
            let Site::Function(id) = site else { continue };
            let function = &self.view.template.functions[usize::from(id)];
            for at in 0..function.parameters {
                let local = &function.locals[usize::from(at)];
                if fits(function, self.view.ty(local.ty), self.view.location(local.location)) {
                    sites.push(Site::Parameter(id, at));
                }
            }
        }
        sites
    }

    fn states(&self, fits: impl Fn(StateId, &State) -> bool) -> Vec<Site> {
        let fits = |id: &StateId| fits(*id, &self.view.template.states[usize::from(*id)]);
        self.facts.states.iter().map(|(id, _)| *id).filter(fits).map(Site::State).collect()
    }

    fn contracts(&self, fits: impl Fn(u8, &[u8], bool) -> bool) -> Vec<Site> {
        let all = self.view.template.contracts.iter().enumerate();
        all.filter(|(id, it)| fits(*id as u8, &it.bases, !it.base_arguments.is_empty()))
            .map(|(id, _)| Site::Contract(id as u8))
            .collect()
    }

    /// Whether a function overrides another one or is overridden: then its attributes depend on those of others.
    fn is_in_family(&self, id: FunctionId, function: &Function) -> bool {
        !function.overrides.is_empty() || self.facts.overridden.contains(&id)
    }

    /// Whether another function has the same name. Then a call may mean that one.
    fn is_overloaded(&self, id: FunctionId) -> bool {
        let name = self.view.function_name(id);
        let mut others = self.facts.functions.iter().filter(|(other, _)| *other != id);
        others.any(|(other, _)| self.view.function_name(*other) == name)
    }

    fn bases(&self, function: &Function) -> Vec<&Function> {
        function
            .overrides
            .iter()
            .map(|id| &self.view.template.functions[usize::from(*id)])
            .collect()
    }

    fn is_interface(&self, id: FunctionId) -> bool {
        let contract = self.view.template.functions[usize::from(id)].contract;
        let contract = contract.and_then(|it| self.view.template.contracts.get(usize::from(it)));
        contract.is_none_or(|it| it.kind == ContractKind::Interface)
    }

    fn has_storage(&self, function: &Function) -> bool {
        let all = function.parameters + function.returns;
        let locals = &function.locals[..usize::from(all)];
        locals.iter().any(|it| {
            self.view.ty(it.ty).is_reference()
                && self.view.location(it.location) == Location::Storage
        })
    }
}
