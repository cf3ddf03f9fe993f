//! Builds a function block by block before anything runs it. Shapes that are defined for all arguments are built this
//! way, and are then called several times with different values.

use super::super::intrinsic::Intrinsic;
use super::super::program::{
    Block, Callee, Inlining, Local, Operand, Place, Projection, Rvalue, Statement, Terminator,
    Unwind,
};
use super::super::types::{Int, Kind, TypeId, Types, Width};
use super::Generator;
use super::body::Body;
use super::helper_functions::block;
use super::places::Purpose;

/// How many places are tried before a value is made with `black_box`.
const TRIES: usize = 6;

pub(super) struct FunctionBuilder {
    signature: Vec<TypeId>,
    /// The locals after the parameters.
    locals: Vec<TypeId>,
    blocks: Vec<Block>,
    /// The block that statements are added to.
    current: usize,
}

impl FunctionBuilder {
    /// The return type, then the parameters, which are the locals from 1 on.
    pub(super) fn new(signature: &[TypeId]) -> Self {
        let first = block(vec![], Terminator::Return);
        Self { signature: signature.to_vec(), locals: vec![], blocks: vec![first], current: 0 }
    }

    pub(super) fn local(&mut self, of: TypeId) -> Local {
        self.locals.push(of);
        self.signature.len() + self.locals.len() - 1
    }

    pub(super) fn assign(&mut self, place: Place, rvalue: Rvalue) {
        self.blocks[self.current].statements.push(Statement::Assign(place, rvalue));
    }

    pub(super) fn set(&mut self, local: Local, rvalue: Rvalue) {
        self.assign(Place::local(local), rvalue);
    }

    /// A value in a new local.
    pub(super) fn value(&mut self, of: TypeId, rvalue: Rvalue) -> Operand {
        let local = self.local(of);
        self.set(local, rvalue);
        Operand::local(local)
    }

    /// Casts a value, if the types differ.
    pub(super) fn cast(&mut self, value: Operand, from: TypeId, to: TypeId) -> Operand {
        if from == to { value } else { self.value(to, Rvalue::Cast(value, to)) }
    }

    /// A constant index in a new local.
    pub(super) fn index(&mut self, at: u64) -> Projection {
        let local = self.local(Types::USIZE);
        self.set(local, Rvalue::Use(Operand::constant(Types::USIZE, at.into())));
        Projection::Index(local)
    }

    pub(super) fn open(&mut self) -> usize {
        self.blocks.push(block(vec![], Terminator::Return));
        self.blocks.len() - 1
    }

    /// Ends the current block and continues with another.
    pub(super) fn end(&mut self, terminator: Terminator, next: usize) {
        self.blocks[self.current].terminator = terminator;
        self.current = next;
    }

    pub(super) fn goto(&mut self, target: usize) {
        self.end(Terminator::Goto(target), target);
    }

    /// Branches on a `bool`, and continues with one of the two blocks.
    pub(super) fn branch(&mut self, on: Operand, then: usize, otherwise: usize, next: usize) {
        self.end(Terminator::Switch { on, arms: vec![(0, otherwise)], otherwise: then }, next);
    }

    pub(super) fn call(&mut self, callee: Callee, arguments: Vec<Operand>, destination: Place) {
        let target = self.open();
        let unwind = Unwind::Unreachable;
        let call = Terminator::Call { callee, arguments, destination, target, unwind };
        self.end(call, target);
    }

    pub(super) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        arguments: Vec<Operand>,
        of: TypeId,
    ) -> Operand {
        let local = self.local(of);
        self.call(Callee::Intrinsic(intrinsic), arguments, Place::local(local));
        Operand::local(local)
    }

    /// Adds the function to the program. A run takes about `times` as many steps as the function has lines.
    pub(super) fn finish(self, generator: &mut Generator<'_>, times: u64) -> usize {
        let number = generator.add(&self.signature, &self.locals, self.blocks);
        if let Some(callable) = generator.callable.last_mut() {
            callable.steps *= times;
        }
        let inlining = match generator.entropy.below(4) {
            0 | 1 => Inlining::Never,
            2 => Inlining::Always,
            _ => Inlining::Free,
        };
        generator.program.functions[number].inlining = inlining;
        number
    }
}

impl Generator<'_> {
    pub(super) fn int_type(&self, signed: bool, width: Width) -> TypeId {
        self.program.types.int(Int { signed, width })
    }

    /// A run-time value of a scalar type: one that some place holds, as it is or cast, or a constant that is hidden
    /// from the compiler.
    pub(super) fn run_time_value(&mut self, body: &mut Body, of: TypeId) -> Option<Operand> {
        for attempt in 0..TRIES {
            let from = if attempt == 0 { of } else { self.scalar_type() };
            let Some(place) = self.pick(body, from, Purpose::Read) else { continue };
            let is_int = self.program.types.as_int(from).is_some();
            if self.known_bits(body, &place).is_none() || from != of && !is_int {
                continue;
            }
            let value = Operand::Copy(place);
            if from == of {
                return Some(value);
            }
            if matches!(self.program.types.kind(of), Kind::Int(_) | Kind::Float(_)) {
                return self.in_new_local(body, of, Rvalue::Cast(value, of));
            }
        }
        let value = vec![self.constant_of(of)];
        let place = Place::local(self.new_local(body, of));
        self.call(body, Callee::BlackBox, value, place.clone(), Unwind::Unreachable)
            .then_some(Operand::Copy(place))
    }

    /// Records those of the places whose values are known, as far as they fit into one record.
    pub(super) fn record_places(&mut self, body: &mut Body, places: &[Place]) -> Option<()> {
        let mut values: Vec<Place> = vec![];
        let mut words = 0;
        for place in places {
            let Some(of) = self.type_of(body, place) else { continue };
            let more = if self.program.types.size(of) == 16 { 2 } else { 1 };
            let full = words + more > super::super::program::RECORDED;
            if full || values.contains(place) || self.known_bits(body, place).is_none() {
                continue;
            }
            values.push(place.clone());
            words += more;
        }
        if values.is_empty() {
            return None;
        }
        body.lines += values.len() as i64;
        let target = body.open();
        self.follow(body, Terminator::Record { values, target }).then_some(())
    }
}
