//! Inline assembly. It reads and writes variables of 256 bits only, so that no dirty bits arise.

use super::Generator;
use super::places::Use;
use crate::model::{
    Assembly, Attribute, CallKind, Expression, FunctionKind, Instruction, Kind, Length, Local,
    LocalId, Location, Mutability, StateId, StateKind, Statement, Type, UINT256, Version,
    Visibility, Word,
};
use crate::template::{SIGNED, VariableKind, type_bit};

impl Generator<'_> {
    pub(super) fn assembly(&mut self, body: &mut Vec<Statement>) -> Option<Statement> {
        if self.chance(20)
            && let Some(made) = self.read_immutable(body)
        {
            return Some(made);
        }
        let mut block = vec![];
        for _ in 0..self.entropy.between(1, 3) {
            let made = match self.entropy.below(14) {
                0..3 => self.set_local(),
                3..5 => self.store_state(),
                5..8 => self.store_item(),
                8..10 if self.is_version(Version::V5) => self.hash_words(),
                // Loops can be left since 0.5.8.
                10..12 if self.is_version(Version::V6) => self.add_in_loop(),
                // Assembly has `if` since 0.4.16.
                12 if self.is_version(Version::V4Late) => self.stop(),
                _ => {
                    let local = self.word_local(Use::Write)?;
                    Some(Assembly::Scratch(local, self.word(1)))
                }
            };
            block.extend(made);
        }
        if block.is_empty() {
            return None;
        }
        // What was computed is seen in storage.
        if let Some(local) = block.iter().rev().find_map(|it| it.locals().first().copied())
            && !self.is_reference(self.type_of_local(local))
            && self.chance(60)
            && let Some(state) = self.word_state()
            && self.writes()
        {
            let word = match block.last() {
                Some(Assembly::Hash([(first, _), (second, _)], _)) => {
                    let parts = vec![Word::Local(*first), Word::Local(*second)];
                    Word::Apply(Instruction::Sub, parts)
                }
                _ => Word::Local(local),
            };
            block.push(Assembly::Store(state, word));
        }
        Some(Statement::Assembly(block))
    }

    /// A function that may end the transaction.
    pub(super) fn stopper(&mut self) {
        let visibility =
            self.attribute(VariableKind::Visibility, Visibility::Public.bit() | 0b1100);
        let id = self.declared(visibility, Mutability::NonPayable.bit());
        let location = Location::Memory.fixed();
        self.template.functions[id].locals.push(Local { ty: UINT256, location });
        self.template.functions[id].parameters = 1;
        let parts = vec![Word::Local(0), Word::Number(ruint::aliases::U256::from(3))];
        let instruction = if self.chance(50) { Instruction::Gt } else { Instruction::Lt };
        let stop = Assembly::Stop(Word::Apply(instruction, parts));
        self.template.functions[id].body = vec![Statement::Assembly(vec![stop])];
        self.template.contracts[usize::from(self.contract)].functions.push(id as u16);
        self.stoppers.push(id as u16);
    }

    /// A write to a state variable, a call that may stop, and another write to it.
    pub(super) fn overwrite(&mut self, body: &mut Vec<Statement>) -> Option<Statement> {
        let stoppers = self.stoppers.clone();
        let id = *self.entropy.pick(&stoppers)?;
        let function = &self.template.functions[self.function];
        let fits = function.kind == FunctionKind::Ordinary
            && function.contract == Some(self.contract)
            && self.template.functions[usize::from(id)].contract == function.contract
            && self.nesting == 0;
        let state = fits.then(|| self.word_state()).flatten()?;
        let mutability = self.template.functions[usize::from(id)].mutability;
        if !self.writes() || !self.calls(mutability) {
            return None;
        }
        let ty = self.template.states[usize::from(state)].ty;
        let assign = |generator: &mut Self| {
            let place = Expression::new(Kind::State(state), ty);
            let parts = Box::new((place, generator.value(ty, 1)));
            Statement::Do(Expression::new(Kind::Assign(None, parts), ty))
        };
        let first = assign(self);
        let argument = self.integer(1);
        let how = CallKind::Internal.fixed();
        let arguments = vec![argument];
        let call = Kind::Call { function: id, how, named: Attribute::Is(0), arguments };
        body.push(first);
        body.push(Statement::Do(Expression::new(call, UINT256)));
        Some(assign(self))
    }

    /// The hashes of two prefixes of a word.
    fn hash_words(&mut self) -> Option<Assembly> {
        let first = self.word_local(Use::Write)?;
        let second = (0..4).find_map(|_| self.word_local(Use::Write).filter(|it| *it != first))?;
        let mut size = || [32, 32, 32, 31, 23, 4, 1][self.entropy.below(7) as usize];
        let hashes = [(first, size()), (second, size())];
        Some(Assembly::Hash(hashes, self.word(1)))
    }

    fn add_in_loop(&mut self) -> Option<Assembly> {
        let sum = self.word_local(Use::Write)?;
        let count = self.entropy.between(1, 4) as u8;
        let leaves_at = self.entropy.below(4) as u8;
        let breaks = self.chance(50);
        Some(Assembly::Loop { sum, count, leaves_at, breaks, word: self.word(1) })
    }

    /// `if … { stop() }` in a function without results, so that nobody decodes them.
    fn stop(&mut self) -> Option<Assembly> {
        let function = &self.template.functions[self.function];
        let kind = matches!(function.kind, FunctionKind::Ordinary | FunctionKind::Fallback);
        if !kind || function.returns > 0 {
            return None;
        }
        let local = self.word_local(Use::Read)?;
        let instruction = [Instruction::Lt, Instruction::Gt, Instruction::Eq];
        let instruction = instruction[self.entropy.below(3) as usize];
        let parts = vec![Word::Local(local), self.word_number()];
        Some(Assembly::Stop(Word::Apply(instruction, parts)))
    }

    /// A local variable with the value of a signed immutable, which assembly reads next.
    fn read_immutable(&mut self, body: &mut Vec<Statement>) -> Option<Statement> {
        let function = &self.template.functions[self.function];
        let reads = matches!(function.kind, FunctionKind::Ordinary);
        let own = function.contract?;
        let kept = self.is_last && self.template.contracts[usize::from(own)].states.len() < 8;
        if !self.is_version(Version::V6Late) || !reads || !kept || !self.has_room() {
            return None;
        }
        let variable = self.variable(VariableKind::Type, SIGNED & !type_bit(Type::Int(256)));
        let ty = self.add_type(Type::Variable(variable));
        let state = self.add_state(ty);
        let initial = self.literal(ty, true);
        let it = &mut self.template.states[usize::from(state)];
        (it.initial, it.kind) = (Some(initial), StateKind::Immutable.fixed());
        self.late.push(state);
        if !self.reads() {
            return None;
        }
        let memory = Location::Memory.fixed();
        let target = match self.word_state() {
            Some(state) if self.chance(60) && self.writes() => Err(state),
            _ => Ok(self.word_local(Use::Write)?),
        };
        let small = self.local(ty, memory);
        let initial = Expression::new(Kind::State(state), ty);
        body.push(Statement::Let(small, Some(initial)));
        let word = Word::Local(small);
        let read = match target {
            Err(state) => Assembly::Store(state, word),
            Ok(local) => Assembly::Set(local, word),
        };
        Some(Statement::Assembly(vec![read]))
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
        let modern = self.is_version(Version::V6Late);
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
