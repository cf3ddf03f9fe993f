//! Functions: locals, places, operands, statements.

use super::super::program::{
    Block, Function, Local, MAX_ADDRESS, Named, Operand, Place, Program, Projection, Statement,
};
use super::super::types::{Kind, TypeId, Types};
use super::types::{can_be_constant, is_slice};
use super::{Check, Flaw, MOST, Spot, cleanup, constant, ensure};

/// A function that is looked at. Its signature is sound.
#[derive(Clone, Copy)]
pub(super) struct Body<'a> {
    pub(super) program: &'a Program,
    pub(super) types: &'a Types,
    pub(super) function: &'a Function,
}

/// The types of a function's locals.
pub(super) fn signature(types: &Types, function: &Function) -> Check {
    ensure(function.parameters < function.locals.len(), "fewer locals than parameters")?;
    let there = |of: &TypeId| (of.0 as usize) < types.len() && can_be_constant(types, *of);
    let good = function.constants.iter().all(there);
    ensure(good, "a constant parameter of such a type")?;
    let enough = function.constants.len() <= function.generics;
    ensure(enough, "more constants than parameters in angle brackets")?;
    function.locals.iter().try_for_each(|of| sized(types, function, *of))?;
    ensure(!function.blocks.is_empty(), "a function without blocks")?;
    ensure(function.blocks.len() < MOST, "too many blocks")
}

/// A type that a value in a function can have.
pub(super) fn sized(types: &Types, function: &Function, of: TypeId) -> Check {
    ensure((of.0 as usize) < types.len(), "a type that is not there")?;
    ensure(!types.is_constant(of), "a constant as a type")?;
    ensure(!is_slice(types, of), "a slice by value")?;
    ensure(has_parameters(types, of, function), "a type parameter that is not there")
}

/// Whether a function has the parameters that a type mentions.
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
        let in_function = |what| Flaw { what, at: Spot::Function(number) };
        ensure(!self.function.blocks[0].cleanup, "the first block is for cleanup")
            .map_err(in_function)?;
        for (index, block) in self.function.blocks.iter().enumerate() {
            self.block(number, index, block)?;
        }
        self.function.debug.iter().try_for_each(|it| self.named(it)).map_err(in_function)?;
        cleanup::check(self.function).map_err(in_function)
    }

    fn block(self, number: usize, index: usize, block: &Block) -> Result<(), Flaw> {
        for (at, statement) in block.statements.iter().enumerate() {
            let flaw = |what| Flaw { what, at: Spot::Statement(number, index, at) };
            self.statement(statement).map_err(flaw)?;
        }
        let flaw = |what| Flaw { what, at: Spot::Terminator(number, index) };
        self.terminator(block).map_err(flaw)
    }

    /// What a debugger is told: rustc wants it to be somewhere that does not depend on an index.
    fn named(self, named: &Named) -> Check {
        match named {
            Named::Place(place) => {
                let indexed = |it: &Projection| matches!(it, Projection::Index(_));
                ensure(!place.projections.iter().any(indexed), "a name for an element")?;
                self.value(place).map(|_| ())
            }
            Named::Constant(it) => {
                ensure(it.of != Types::UNIT, "a name for a unit")?;
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
                "a storage marker of a parameter, what is returned or no local",
            ),
            Statement::SetDiscriminant(place, variant) => {
                let of = self.value(place)?;
                ensure(*variant < self.types.variants(of).len(), "a variant that is not there")
            }
            Statement::Assume(condition) => {
                ensure(self.operand(condition)? == Types::BOOL, "an assumption that is no `bool`")
            }
            Statement::Retag(place) => {
                let of = self.value(place)?;
                let reference = matches!(self.types.kind(of), Kind::Reference { .. });
                ensure(reference, "a retag of no reference")
            }
        }
    }

    pub(super) fn local(self, local: Local) -> Result<TypeId, &'static str> {
        self.function.locals.get(local).copied().ok_or("a local that is not there")
    }

    /// What lies in a place, which may be a slice.
    pub(super) fn place(self, place: &Place) -> Result<TypeId, &'static str> {
        let mut of = self.local(place.local)?;
        for (index, projection) in place.projections.iter().enumerate() {
            match projection {
                Projection::Deref => ensure(index == 0, "a dereference that is not first")?,
                Projection::Index(local) => {
                    ensure(self.local(*local)? == Types::USIZE, "an index that is no `usize`")?;
                }
                Projection::Field(_) | Projection::Variant(..) => {}
            }
            of = projection.type_of(of, self.types).ok_or("a part that is not there")?;
        }
        Ok(of)
    }

    /// What lies in a place and is no slice.
    pub(super) fn value(self, place: &Place) -> Result<TypeId, &'static str> {
        let of = self.place(place)?;
        ensure(!is_slice(self.types, of), "a slice by value")?;
        Ok(of)
    }

    pub(super) fn operand(self, operand: &Operand) -> Result<TypeId, &'static str> {
        match operand {
            Operand::Copy(place) | Operand::Move(place) => self.value(place),
            Operand::Constant(it)
                if (it.of.0 as usize) < self.types.len() && self.is_thin(it.of) =>
            {
                ensure(it.bits <= MAX_ADDRESS, "a pointer to nothing that is too far away")?;
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

    /// The type of a constant parameter of the function.
    pub(super) fn constant_parameter(self, it: TypeId) -> Result<TypeId, &'static str> {
        ensure((it.0 as usize) < self.types.len(), "a type that is not there")?;
        match self.types.kind(it) {
            Kind::Constant(index, of) if self.function.constant_parameter(*index) == Some(*of) => {
                Ok(*of)
            }
            _ => Err("a constant parameter that is not there"),
        }
    }

    fn function_pointer(self, number: usize, of: TypeId) -> Check {
        let function = self.callee(number)?;
        ensure(function.generics == 0, "a pointer to a generic function")?;
        ensure((of.0 as usize) < self.types.len(), "a type that is not there")?;
        match self.types.kind(of) {
            Kind::Function { parameters, returns } => ensure(
                function.parameter_types() == parameters && function.returns() == *returns,
                "a function as a pointer of another type",
            ),
            _ => Err("a function as no function pointer"),
        }
    }

    pub(super) fn callee(&self, number: usize) -> Result<&Function, &'static str> {
        self.program.functions.get(number).ok_or("a function that is not there")
    }

    /// Whether a place lies in a packed struct, so that it may be misaligned. The place is sound.
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
