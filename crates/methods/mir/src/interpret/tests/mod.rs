//! Hand-built programs: for each kind of undefined behaviour one that has it, and a similar one that is defined.

mod arithmetic;
mod borrowing;
mod bytes;
mod calling;
mod constants;
mod driving;
mod enums;
mod floats;
mod manual;
mod memory;
mod moving;
mod nodes;
mod objects;
mod parts;
mod pointers;
mod unchecked;
mod values;

use super::Undefined::{self, *};
use super::*;
use crate::intrinsic::Intrinsic;
use crate::program::*;
use crate::types::*;

/// Builds a program statement by statement. Function 0 is the entry.
pub(super) struct Build {
    pub(super) program: Program,
    body: Body,
}

#[derive(Default)]
struct Body {
    locals: Vec<TypeId>,
    blocks: Vec<Block>,
    statements: Vec<Statement>,
    generics: usize,
    constants: Vec<TypeId>,
    cleanup: bool,
}

pub(super) const UNIT: TypeId = Types::UNIT;
pub(super) const U8: TypeId = Types::U8;
pub(super) const U32: TypeId = Types::U32;
pub(super) const USIZE: TypeId = Types::USIZE;

/// A local as a place.
pub(super) fn l(local: Local) -> Place {
    Place::local(local)
}

/// The pointee of a local.
pub(super) fn d(local: Local) -> Place {
    Place::deref(local)
}

pub(super) fn f(mut place: Place, field: usize) -> Place {
    place.projections.push(Projection::Field(field));
    place
}

pub(super) fn v(mut place: Place, variant: usize, field: usize) -> Place {
    place.projections.push(Projection::Variant(variant, field));
    place
}

pub(super) fn at(mut place: Place, index: Local) -> Place {
    place.projections.push(Projection::Index(index));
    place
}

pub(super) fn copy(place: Place) -> Operand {
    Operand::Copy(place)
}

pub(super) fn take(place: Place) -> Operand {
    Operand::Move(place)
}

pub(super) fn k(of: TypeId, bits: u128) -> Operand {
    Operand::constant(of, bits)
}

pub(super) fn n(number: u128) -> Operand {
    k(U32, number)
}

impl Build {
    pub(super) fn new() -> Self {
        let empty = Function {
            generics: 0,
            constants: vec![],
            inlining: Inlining::Free,
            locals: vec![UNIT],
            parameters: 0,
            blocks: vec![],
            debug: vec![],
        };
        let program = Program {
            traits: vec![],
            types: Types::new(),
            statics: vec![],
            functions: vec![empty],
            arguments: vec![],
        };
        Self { program, body: Body { locals: vec![UNIT], ..Body::default() } }
    }

    pub(super) fn of(&mut self, kind: Kind) -> TypeId {
        self.program.types.intern(kind)
    }

    pub(super) fn pointer(&mut self, to: TypeId) -> TypeId {
        self.of(Kind::Pointer { mutable: true, to })
    }

    pub(super) fn shared(&mut self, to: TypeId) -> TypeId {
        self.of(Kind::Reference { mutable: false, to })
    }

    pub(super) fn unique(&mut self, to: TypeId) -> TypeId {
        self.of(Kind::Reference { mutable: true, to })
    }

    pub(super) fn array(&mut self, of: TypeId, length: u64) -> TypeId {
        self.of(Kind::Array(of, length))
    }

    pub(super) fn tuple(&mut self, parts: &[TypeId]) -> TypeId {
        self.of(Kind::Tuple(parts.to_vec()))
    }

    pub(super) fn structure(&mut self, repr: Repr, fields: &[TypeId]) -> TypeId {
        let shape = Shape::Struct(fields.to_vec());
        self.program.types.declare(Adt { shape, repr, destructor: None })
    }

    pub(super) fn choice(&mut self, repr: Repr, variants: &[&[TypeId]]) -> TypeId {
        let variant = |fields: &&[TypeId]| Variant { fields: fields.to_vec(), discriminant: None };
        let shape = Shape::Enum(variants.iter().map(variant).collect());
        self.program.types.declare(Adt { shape, repr, destructor: None })
    }

    pub(super) fn union(&mut self, fields: &[TypeId]) -> TypeId {
        let shape = Shape::Union(fields.to_vec());
        self.program.types.declare(Adt { shape, repr: Repr::C, destructor: None })
    }

    pub(super) fn local(&mut self, of: TypeId) -> Local {
        self.body.locals.push(of);
        self.body.locals.len() - 1
    }

    /// A new local, initialised with a constant.
    pub(super) fn with(&mut self, of: TypeId, bits: u128) -> Local {
        let local = self.local(of);
        self.set(l(local), Rvalue::Use(k(of, bits)));
        local
    }

    pub(super) fn then(&mut self, statement: Statement) {
        self.body.statements.push(statement);
    }

    pub(super) fn set(&mut self, place: Place, rvalue: Rvalue) {
        self.then(Statement::Assign(place, rvalue));
    }

    pub(super) fn assign(&mut self, place: Place, operand: Operand) {
        self.set(place, Rvalue::Use(operand));
    }

    /// A new local, initialised with an rvalue.
    pub(super) fn new_local(&mut self, of: TypeId, rvalue: Rvalue) -> Local {
        let local = self.local(of);
        self.set(l(local), rvalue);
        local
    }

    /// A new local with a raw pointer to a place.
    pub(super) fn raw(&mut self, to: TypeId, place: Place) -> Local {
        let of = self.pointer(to);
        self.new_local(of, Rvalue::AddressOf(true, place))
    }

    pub(super) fn borrow(&mut self, mutable: bool, to: TypeId, place: Place) -> Local {
        let of = self.of(Kind::Reference { mutable, to });
        self.new_local(of, Rvalue::Reference(mutable, place))
    }

    /// Ends the block. Later statements are in the next one.
    pub(super) fn end(&mut self, terminator: impl FnOnce(usize) -> Terminator) {
        let next = self.body.blocks.len() + 1;
        let statements = std::mem::take(&mut self.body.statements);
        let block = Block { cleanup: self.body.cleanup, statements, terminator: terminator(next) };
        self.body.blocks.push(block);
    }

    pub(super) fn record(&mut self, place: Place) {
        self.end(|target| Terminator::Record { values: vec![place], target });
    }

    pub(super) fn call(&mut self, callee: Callee, arguments: Vec<Operand>, to: Place) {
        self.call_or(callee, arguments, to, Unwind::Continue);
    }

    pub(super) fn call_or(
        &mut self,
        callee: Callee,
        arguments: Vec<Operand>,
        destination: Place,
        unwind: Unwind,
    ) {
        self.end(|target| Terminator::Call { callee, arguments, destination, target, unwind });
    }

    pub(super) fn call_function(&mut self, function: usize, arguments: Vec<Operand>, to: Place) {
        self.call(Callee::Function(function, vec![]), arguments, to);
    }

    pub(super) fn intrinsic(&mut self, which: Intrinsic, arguments: Vec<Operand>, to: Place) {
        self.call(Callee::Intrinsic(which), arguments, to);
    }

    /// Later blocks are cleanup blocks.
    pub(super) fn cleanup(&mut self) {
        self.body.cleanup = true;
    }

    pub(super) fn drop_place(&mut self, place: Place) {
        self.end(|target| Terminator::Drop { place, target, unwind: Unwind::Unreachable });
    }

    /// Adds a function. Its parameters are the locals from 1 on.
    pub(super) fn function(
        &mut self,
        returns: TypeId,
        parameters: &[TypeId],
        make: impl FnOnce(&mut Self),
    ) -> usize {
        self.generic(0, returns, parameters, make)
    }

    pub(super) fn generic(
        &mut self,
        generics: usize,
        returns: TypeId,
        parameters: &[TypeId],
        make: impl FnOnce(&mut Self),
    ) -> usize {
        let locals = [&[returns], parameters].concat();
        let outer = std::mem::replace(&mut self.body, Body { locals, generics, ..Body::default() });
        make(self);
        let body = std::mem::replace(&mut self.body, outer);
        self.program.functions.push(body.finish(parameters.len()));
        self.program.functions.len() - 1
    }

    /// Adds a function with type parameters and const parameters.
    pub(super) fn const_generic(
        &mut self,
        (generics, constants): (usize, &[TypeId]),
        returns: TypeId,
        parameters: &[TypeId],
        make: impl FnOnce(&mut Self),
    ) -> usize {
        let function = self.generic(generics + constants.len(), returns, parameters, make);
        self.program.functions[function].constants = constants.to_vec();
        function
    }

    /// Adds a function with an empty body.
    pub(super) fn idle(&mut self, parameters: &[TypeId]) -> usize {
        self.function(UNIT, parameters, |_| {})
    }
}

impl Body {
    fn finish(mut self, parameters: usize) -> Function {
        let open = !self.statements.is_empty()
            || self
                .blocks
                .last()
                .is_none_or(|block| block.terminator.targets().contains(&self.blocks.len()));
        if open {
            let statements = std::mem::take(&mut self.statements);
            let terminator = if self.cleanup { Terminator::Resume } else { Terminator::Return };
            self.blocks.push(Block { cleanup: self.cleanup, statements, terminator });
        }
        Function {
            generics: self.generics,
            constants: self.constants,
            inlining: Inlining::Free,
            locals: self.locals,
            parameters,
            blocks: self.blocks,
            debug: vec![],
        }
    }
}

/// The first word of each record of a program.
pub(super) fn output_of(make: impl FnOnce(&mut Build)) -> Result<Vec<u64>, Undefined> {
    let mut build = Build::new();
    make(&mut build);
    build.program.functions[0] = std::mem::take(&mut build.body).finish(0);
    let output = run_logged(&build.program, 10_000)?;
    assert_eq!(run(&build.program, 10_000).map(|output| output.hash), Ok(output.hash));
    Ok(output.entries.iter().map(|entry| entry.words[0]).collect())
}

#[track_caller]
pub(super) fn outputs(expected: &[u64], make: impl FnOnce(&mut Build)) {
    assert_eq!(output_of(make), Ok(expected.to_vec()));
}

#[track_caller]
pub(super) fn undefined(expected: Undefined, make: impl FnOnce(&mut Build)) {
    assert_eq!(output_of(make), Err(expected));
}

#[test]
fn the_hash_covers_location_and_words_of_records() {
    let mut build = Build::new();
    let signed = build.with(Types::I32, u32::MAX.into());
    let int = Int { signed: false, width: Width::W128 };
    let of = build.program.types.int(int);
    let wide = build.with(of, 3 << 64 | 5);
    let values = vec![l(signed), l(wide)];
    build.end(|target| Terminator::Record { values, target });
    build.program.functions[0] = std::mem::take(&mut build.body).finish(0);
    let output = run_logged(&build.program, 100).unwrap();
    assert_eq!(output.entries[0].words, [u64::MAX, 5, 3, 0]);
    let mix =
        |hash: u64, word: u64| (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    assert_eq!(output.hash, [0, u64::MAX, 5, 3, 0].into_iter().fold(0, mix));
}

#[test]
fn steps_and_call_depth_are_limited() {
    let infinite_loop = |build: &mut Build| {
        let one = build.with(U32, 1);
        build.record(l(one));
        build.end(|_| Terminator::Goto(0));
    };
    undefined(Limit, infinite_loop);
    // Infinite recursion.
    undefined(Limit, |build| {
        let function = build.program.functions.len();
        build.function(UNIT, &[], |build| {
            let unit = build.local(UNIT);
            build.call_function(function, vec![], l(unit));
        });
        build.call_function(function, vec![], l(0));
    });
}
