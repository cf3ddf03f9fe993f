//! Checks functions: locals, places, operands, statements, debug info.

use super::super::program::{
    Block, Function, Local, MAX_ADDRESS, Named, Operand, Place, Program, Projection, Statement,
};
use super::super::types::{Kind, TypeId, Types};
use super::types::can_be_constant;
use super::{Check, Flaw, INDEX_LIMIT, Location, cleanup, constant, ensure};

/// A function whose signature has been checked.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) program: &'a Program,
    pub(super) types: &'a Types,
    pub(super) function: &'a Function,
}

/// Checks the generic parameters, the types of the locals, and the number of blocks.
pub(super) fn signature(types: &Types, function: &Function) -> Check {
    ensure(function.parameters < function.locals.len(), "fewer locals than parameters")?;
    let there = |of: &TypeId| (of.0 as usize) < types.len() && can_be_constant(types, *of);
    let good = function.constants.iter().all(there);
    ensure(good, "const parameter of an unsupported type")?;
    let enough = function.constants.len() <= function.generics;
    ensure(enough, "more const parameters than generic parameters")?;
    function.locals.iter().try_for_each(|of| sized(types, function, *of))?;
    ensure(!function.blocks.is_empty(), "function without blocks")?;
    ensure(function.blocks.len() < INDEX_LIMIT, "too many blocks")
}

/// Checks that a value in a function can have a type.
pub(super) fn sized(types: &Types, function: &Function, of: TypeId) -> Check {
    ensure((of.0 as usize) < types.len(), "unknown type")?;
    ensure(!types.is_constant(of), "constant used as a type")?;
    ensure(!types.is_unsized(of), "unsized type by value")?;
    ensure(has_parameters(types, of, function), "unknown generic parameter")
}

/// Whether a function has the generic parameters that a type uses.
fn has_parameters(types: &Types, of: TypeId, function: &Function) -> bool {
    let has = |of: TypeId| has_parameters(types, of, function);
    match types.kind(of) {
        Kind::Parameter(index) => *index < function.type_parameters(),
        Kind::ArrayOf(to, index) => {
            function.constant_parameter(*index) == Some(Types::USIZE) && has(*to)
        }
        Kind::Tuple(parts) => parts.iter().all(|part| has(*part)),
        Kind::Array(to, _)
        | Kind::Slice(to)
        | Kind::Heap(to)
        | Kind::Manual(to)
        | Kind::Pointer { to, .. }
        | Kind::Reference { to, .. } => has(*to),
        _ => true,
    }
}

impl Body<'_> {
    pub(super) fn check(self, number: usize) -> Result<(), Flaw> {
        let in_function = |what| Flaw { what, at: Location::Function(number) };
        ensure(!self.function.blocks[0].cleanup, "the first block is a cleanup block")
            .map_err(in_function)?;
        for (index, block) in self.function.blocks.iter().enumerate() {
            self.block(number, index, block)?;
        }
        self.function.debug.iter().try_for_each(|it| self.debug_info(it)).map_err(in_function)?;
        cleanup::check(self.function).map_err(in_function)
    }

    fn block(self, number: usize, index: usize, block: &Block) -> Result<(), Flaw> {
        for (at, statement) in block.statements.iter().enumerate() {
            let flaw = |what| Flaw { what, at: Location::Statement(number, index, at) };
            self.statement(statement).map_err(flaw)?;
        }
        let flaw = |what| Flaw { what, at: Location::Terminator(number, index) };
        self.terminator(block).map_err(flaw)
    }

    /// Checks debug info: rustc does not accept an index in it.
    fn debug_info(self, named: &Named) -> Check {
        match named {
            Named::Place(place) => {
                let indexed = |it: &Projection| matches!(it, Projection::Index(_));
                ensure(!place.projections.iter().any(indexed), "debug info for an indexed place")?;
                self.value(place).map(|_| ())
            }
            Named::Constant(it) => {
                ensure(it.of != Types::UNIT, "debug info for a unit")?;
                self.operand(&Operand::Constant(*it)).map(|_| ())
            }
        }
    }

    fn statement(self, statement: &Statement) -> Check {
        match statement {
            Statement::Assign(place, rvalue) => {
                let of = self.value(place)?;
                self.rvalue(rvalue, of)
            }
            Statement::StorageLive(local) | Statement::StorageDead(local) => ensure(
                (self.function.parameters + 1..self.function.locals.len()).contains(local),
                "storage marker of a parameter, of the return place or of an unknown local",
            ),
            Statement::SetDiscriminant(place, variant) => {
                let of = self.value(place)?;
                ensure(*variant < self.types.variants(of).len(), "unknown variant")
            }
            Statement::Assume(condition) => ensure(
                self.operand(condition)? == Types::BOOL,
                "`Assume` of an operand that is not a `bool`",
            ),
            Statement::Retag(place) => {
                let of = self.value(place)?;
                let reference = matches!(self.types.kind(of), Kind::Reference { .. });
                ensure(reference, "retag of a place that is not a reference")
            }
        }
    }

    pub(super) fn local(self, local: Local) -> Result<TypeId, &'static str> {
        self.function.locals.get(local).copied().ok_or("unknown local")
    }

    /// The type of a place, which may be unsized.
    pub(super) fn place(self, place: &Place) -> Result<TypeId, &'static str> {
        let mut of = self.local(place.local)?;
        for (index, projection) in place.projections.iter().enumerate() {
            match projection {
                Projection::Deref => ensure(index == 0, "dereference is not the first projection")?,
                Projection::Index(local) => {
                    ensure(self.local(*local)? == Types::USIZE, "index is not a `usize`")?;
                }
                Projection::Field(_) | Projection::Variant(..) => {}
            }
            of = projection.type_of(of, self.types).ok_or("invalid projection")?;
        }
        Ok(of)
    }

    /// The type of a place, which must be sized.
    pub(super) fn value(self, place: &Place) -> Result<TypeId, &'static str> {
        let of = self.place(place)?;
        ensure(!self.types.is_unsized(of), "unsized type by value")?;
        Ok(of)
    }

    pub(super) fn operand(self, operand: &Operand) -> Result<TypeId, &'static str> {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.value(place),
            Operand::Constant(it)
                if (it.of.0 as usize) < self.types.len() && self.is_thin(it.of) =>
            {
                ensure(it.bits <= MAX_ADDRESS, "address of a pointer constant is too large")?;
                Ok(it.of)
            }
            Operand::Constant(it) => {
                constant(self.types, it)?;
                Ok(it.of)
            }
            Operand::Function(number, of) => {
                self.function_pointer(*number, *of)?;
                Ok(*of)
            }
            Operand::Parameter(it) => self.constant_parameter(*it),
        }
    }

    /// The type of a const parameter of the function.
    pub(super) fn constant_parameter(self, it: TypeId) -> Result<TypeId, &'static str> {
        ensure((it.0 as usize) < self.types.len(), "unknown type")?;
        match self.types.kind(it) {
            Kind::Constant(index, of) if self.function.constant_parameter(*index) == Some(*of) => {
                Ok(*of)
            }
            _ => Err("unknown const parameter"),
        }
    }

    fn function_pointer(self, number: usize, of: TypeId) -> Check {
        let function = self.callee(number)?;
        ensure(function.generics == 0, "pointer to a generic function")?;
        ensure((of.0 as usize) < self.types.len(), "unknown type")?;
        match self.types.kind(of) {
            Kind::Function { parameters, returns } => ensure(
                function.parameter_types() == parameters && function.returns() == *returns,
                "function pointer type mismatch",
            ),
            _ => Err("function operand without a function pointer type"),
        }
    }

    pub(super) fn callee(&self, number: usize) -> Result<&Function, &'static str> {
        self.program.functions.get(number).ok_or("unknown function")
    }

    /// Whether a place is inside a packed struct, so that it may be misaligned. The place must have been checked
    /// before.
    pub(super) fn is_packed(self, place: &Place) -> bool {
        let mut of = self.function.locals[place.local];
        for projection in &place.projections {
            if self.types.adt(of).is_some_and(|adt| adt.repr.packing().is_some()) {
                return true;
            }
            match projection.type_of(of, self.types) {
                Some(part) => of = part,
                None => return false,
            }
        }
        false
    }
}
