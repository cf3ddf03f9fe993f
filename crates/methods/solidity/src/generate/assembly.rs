//! Inline assembly. It reads and writes variables of 256 bits only, so that no dirty bits arise.

use super::Generator;
use super::places::Use;
use crate::model::{
    Assembly, Expression, FunctionKind, Instruction, Kind, Length, LocalId, Location, StateId,
    StateKind, Statement, Type, Version, Word,
};
use crate::template::type_bit;

impl Generator<'_> {
    pub(super) fn assembly(&mut self) -> Option<Statement> {
        let mut block = vec![];
        for _ in 0..self.entropy.between(1, 3) {
            let made = match self.entropy.below(10) {
                0..3 => self.set_local(),
                3..5 => self.store_state(),
                5..8 => self.store_item(),
                _ => {
                    let local = self.word_local(Use::Write)?;
                    Some(Assembly::Scratch(local, self.word(1)))
                }
            };
            block.extend(made);
        }
        (!block.is_empty()).then_some(Statement::Assembly(block))
    }

    fn set_local(&mut self) -> Option<Assembly> {
        let local = self.word_local(Use::Write)?;
        Some(Assembly::Set(local, self.word(2)))
    }

    fn store_state(&mut self) -> Option<Assembly> {
        let state = self.word_state()?;
        self.writes().then(|| Assembly::Store(state, self.word(2)))
    }

    /// The first word of an array in memory that has at least one.
    fn store_item(&mut self) -> Option<Assembly> {
        let words = type_bit(Type::Uint(256)) | type_bit(Type::FixedBytes(32));
        let arrays: Vec<LocalId> = self
            .scope
            .iter()
            .copied()
            .filter(|id| match self.ty(self.type_of_local(*id)) {
                Type::Array(element, Length::Variable(_) | Length::Fixed(_)) => {
                    !self.is_reference(element) && self.types_of(element) & words != 0
                }
                _ => false,
            })
            .collect();
        let id = *self.entropy.pick(&arrays)?;
        let ty = self.type_of_local(id);
        let Type::Array(element, length) = self.ty(ty) else { return None };
        let location = self.location(&Expression::new(Kind::Local(id), ty));
        let fixed = match length {
            Length::Variable(variable) => self.space.restrict(variable, !1),
            Length::Fixed(_) => true,
            Length::Dynamic => false,
        };
        let fits = fixed
            && self.restrict_type(element, words)
            && self.restrict(location, Location::Memory.bit());
        fits.then(|| Assembly::StoreItem(id, 0, self.word(2)))
    }

    /// A local variable of 256 bits.
    fn word_local(&mut self, purpose: Use) -> Option<LocalId> {
        let words =
            type_bit(Type::Uint(256)) | type_bit(Type::Int(256)) | type_bit(Type::FixedBytes(32));
        // Before 0.6.9, parameters of external functions are not on the stack as variables in all cases.
        let parameters = self.template.functions[self.function].parameters;
        let modern = self.is_version(Version::V6);
        let known: Vec<LocalId> = self
            .scope
            .iter()
            .copied()
            .filter(|id| {
                let ty = self.type_of_local(*id);
                !self.is_reference(ty)
                    && self.types_of(ty) & words != 0
                    && (modern || *id >= parameters || purpose == Use::Read)
            })
            .collect();
        let id = *self.entropy.pick(&known)?;
        let ty = self.type_of_local(id);
        self.restrict_type(ty, words).then_some(id)
    }

    /// A state variable that fills its slot.
    fn word_state(&mut self) -> Option<StateId> {
        let words = type_bit(Type::Uint(256)) | type_bit(Type::FixedBytes(32));
        let function = &self.template.functions[self.function];
        let own = function.contract?;
        if function.kind == FunctionKind::Modifier {
            return None;
        }
        let known: Vec<StateId> = self
            .state_ids()
            .into_iter()
            .filter(|id| {
                let state = &self.template.states[usize::from(*id)];
                let stored = self.domain(state.kind) & StateKind::Storage.bit() != 0;
                let plain = !self.is_reference(state.ty) && self.types_of(state.ty) & words != 0;
                state.contract == own && stored && plain
            })
            .collect();
        let id = *self.entropy.pick(&known)?;
        let (ty, kind) = {
            let state = &self.template.states[usize::from(id)];
            (state.ty, state.kind)
        };
        let fits = self.restrict_type(ty, words) && self.restrict(kind, StateKind::Storage.bit());
        fits.then_some(id)
    }

    fn word(&mut self, depth: u8) -> Word {
        let shifts = self.is_version(Version::V6);
        match self.entropy.below(10) {
            0..3 => match self.word_local(Use::Read) {
                Some(local) => Word::Local(local),
                None => self.word_number(),
            },
            3 => self.word_number(),
            4 => match self.word_state() {
                Some(state) if self.reads() => Word::Load(state),
                _ => self.word_number(),
            },
            _ if depth == 0 => self.word_number(),
            _ => {
                let count = if shifts { 23 } else { 20 };
                let instruction = Instruction::ALL[self.entropy.below(count) as usize];
                let parts = (0..instruction.arity()).map(|_| self.word(depth - 1)).collect();
                Word::Apply(instruction, parts)
            }
        }
    }

    fn word_number(&mut self) -> Word {
        let all = ruint::aliases::U256::MAX;
        Word::Number(match self.entropy.below(6) {
            0 => all,
            1 => all >> 1,
            2 => ruint::aliases::U256::from(self.entropy.word()),
            _ => ruint::aliases::U256::from(self.entropy.below(40)),
        })
    }
}
