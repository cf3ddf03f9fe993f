//! Events and errors. They are made for their arguments where none fits.

use super::Generator;
use crate::model::{
    ADDRESS, ContractKind, Event, Expression, Kind, Location, Statement, Type, TypeId, Version,
};

impl Generator<'_> {
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
                None if self.is_in_library()
                    && !self.is_version(Version::V6)
                    && self.chance(40) =>
                {
                    // A contract follows each library, in the same file before 0.6.
                    let ty = self.add_type(Type::Contract(self.contract + 1));
                    let address = self.literal(ADDRESS, false);
                    Expression::new(Kind::Cast(Box::new(address)), ty)
                }
                None if self.chance(8) => {
                    let which = self.entropy.below(self.template.enums.len() as u64) as u8;
                    let ty = self.add_type(Type::Enum(which));
                    self.typed(ty, 0)
                }
                None => self.encodable(false, 1)?,
            };
            // Before 0.5.7, references are no topics with the second ABI coder.
            let fits = self.is_version(Version::V6) || !self.is_reference(argument.ty);
            let as_topic = indexed < 3 && self.chance(25) && fits;
            indexed += u8::from(as_topic);
            parameters.push((argument.ty, as_topic));
            arguments.push(argument);
        }
        let anonymous = self.chance(8);
        self.template.events.push(Event { parameters, anonymous });
        Some(Statement::Emit(known as u16, arguments))
    }

    fn is_in_library(&self) -> bool {
        let own = self.template.functions[self.function].contract;
        own.is_some_and(|it| self.template.contracts[usize::from(it)].kind == ContractKind::Library)
    }

    /// An error with arguments: one that exists, or one that is made.
    pub(super) fn error(&mut self) -> Option<(u16, Vec<Expression>)> {
        if !self.is_version(Version::V8Types) {
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

    pub(super) fn arguments_for(&mut self, types: &[TypeId]) -> Option<Vec<Expression>> {
        let mut arguments = vec![];
        for ty in types {
            arguments.push(match self.is_reference(*ty) {
                true => self.reference(*ty, Location::Memory.fixed(), 1)?,
                false => self.value(*ty, 1),
            });
        }
        Some(arguments)
    }
}
