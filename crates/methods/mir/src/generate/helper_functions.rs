//! Functions that are built as a whole before anything runs: destructors, functions that panic, functions that
//! permute the fields of an aggregate. They are called like all others.

use super::super::program::{
    Block, Callee, Function, Inlining, Operand, Operator, Place, Projection, Reason, Rvalue,
    Statement, Terminator, Unwind,
};
use super::super::types::{Adt, Kind, Repr, Shape, TypeId, Types};
use super::{Callable, Generator, parts};

/// Shorter programs have no helper functions.
const MIN_LINES: i64 = 60;

pub(super) fn block(statements: Vec<Statement>, terminator: Terminator) -> Block {
    Block { cleanup: false, statements, terminator }
}

fn cleanup(statements: Vec<Statement>, terminator: Terminator) -> Block {
    Block { cleanup: true, statements, terminator }
}

fn copied(place: Place) -> Rvalue {
    Rvalue::Use(Operand::Copy(place))
}

impl Generator<'_> {
    pub(super) fn add_helper_functions(&mut self) {
        if self.swarm.lines < MIN_LINES {
            return;
        }
        if self.swarm.nodes {
            for _ in 0..self.entropy.between(1, 2) {
                self.node();
            }
        }
        if self.swarm.destructors {
            for _ in 0..self.entropy.between(1, 2) {
                self.destructor();
            }
        }
        if self.swarm.objects {
            self.traits();
        }
        if self.swarm.generics {
            // The calls of each take lines, too.
            let most = if self.swarm.lines < 200 { 1 } else { 3 };
            for _ in 0..self.entropy.between(1, most) {
                self.generic();
            }
        }
        if self.swarm.function_pointers && self.entropy.chance(2, 3) {
            self.function_holders();
        }
        let types = &self.program.types;
        let permuted: Vec<TypeId> = (self.palette.all.iter().copied())
            .filter(|of| self.has_equal_fields(*of) && types.is_copy(*of))
            .collect();
        if let Some(of) = self.entropy.pick(&permuted).copied()
            && self.entropy.chance(2, 3)
        {
            self.permuter(of);
        }
        if self.swarm.unwinding {
            self.panicking_function();
        }
        if self.swarm.recursion {
            self.recursive();
        }
        if self.swarm.tail_calls {
            self.forwarder();
        }
    }

    pub(super) fn add(
        &mut self,
        signature: &[TypeId],
        locals: &[TypeId],
        blocks: Vec<Block>,
    ) -> usize {
        self.add_generic((0, vec![]), signature, locals, blocks)
    }

    /// Adds a function with `generics` generic parameters, the last of which are const parameters of the given types.
    pub(super) fn add_generic(
        &mut self,
        (generics, constants): (usize, Vec<TypeId>),
        signature: &[TypeId],
        locals: &[TypeId],
        blocks: Vec<Block>,
    ) -> usize {
        let inlining = match self.entropy.below(4) {
            0 if self.swarm.inlining => Inlining::Never,
            _ => Inlining::Free,
        };
        let lines: usize = blocks.iter().map(|block| block.statements.len() + 4).sum();
        self.lines_left -= (lines + locals.len() + 8) as i64;
        self.program.functions.push(Function {
            generics,
            constants,
            inlining,
            locals: signature.iter().chain(locals).copied().collect(),
            parameters: signature.len() - 1,
            blocks,
            debug: vec![],
        });
        let number = self.program.functions.len() - 1;
        let steps = lines as u64;
        self.callable.push(Callable { number, generics, steps, panics: false });
        number
    }

    /// A struct whose destructor records its fields, and may increment a static, write through a pointer in the
    /// struct, or delegate to another function.
    fn destructor(&mut self) {
        let mut fields: Vec<TypeId> =
            (0..self.entropy.between(1, 2)).map(|_| self.recordable_type()).collect();
        let recorded = fields.len();
        let has_pointer = self.swarm.pointers && self.entropy.chance(1, 3);
        if has_pointer {
            let to = fields[0];
            fields.push(self.program.types.intern(Kind::Pointer { mutable: true, to }));
        }
        let repr = if self.entropy.chance(1, 2) { Repr::Rust } else { Repr::C };
        let delegates = self.entropy.chance(1, 3);
        let number = self.program.functions.len() + usize::from(delegates);
        let shape = Shape::Struct(fields.clone());
        let of = self.program.types.declare(Adt { shape, repr, destructor: Some(number) });
        let reference = self.program.types.intern(Kind::Reference { mutable: true, to: of });
        let field = |number: usize| Place::deref(1).then(Projection::Field(number));
        let mut locals = vec![];
        let mut statements = vec![];
        if has_pointer {
            let pointer = fields[recorded];
            locals.push(pointer);
            statements.push(Statement::Assign(Place::local(2), copied(field(recorded))));
            statements.push(Statement::Assign(Place::deref(2), copied(field(0))));
        }
        if let Some((item, to)) = self.counting_static() {
            let pointer = self.program.types.intern(Kind::Pointer { mutable: true, to });
            locals.push(pointer);
            let local = 1 + locals.len();
            let next = Rvalue::Binary(
                Operator::Add,
                Operand::Copy(Place::deref(local)),
                self.constant_of(to),
            );
            statements.push(Statement::Assign(Place::local(local), Rvalue::Static(item)));
            statements.push(Statement::Assign(Place::deref(local), next));
        }
        let record = Terminator::Record { values: (0..recorded).map(field).collect(), target: 1 };
        let end = block(vec![], Terminator::Return);
        let signature = [Types::UNIT, reference];
        let rest = self.add(&signature, &locals, vec![block(statements, record), end.clone()]);
        if delegates {
            let reborrow = Rvalue::Reference(true, Place::deref(1));
            let call = Terminator::Call {
                callee: Callee::Function(rest, vec![]),
                arguments: vec![Operand::Move(Place::local(2))],
                destination: Place::local(0),
                target: 1,
                unwind: Unwind::Continue,
            };
            let start = block(vec![Statement::Assign(Place::local(2), reborrow)], call);
            self.add(&signature, &[reference], vec![start, end]);
        }
        self.palette.owning.push(of);
        if self.entropy.chance(2, 3) {
            let owner = parts::owner(self.entropy, &mut self.program.types, of);
            self.palette.owning.push(owner);
        }
        self.palette.all.push(of);
        if self.swarm.manual {
            parts::manual(self.entropy, &mut self.program.types, &mut self.palette, of);
        }
    }

    /// A scalar type whose values can all be recorded, which excludes floats because of NaN.
    pub(super) fn recordable_type(&mut self) -> TypeId {
        let of = self.scalar_type();
        match self.program.types.kind(of) {
            Kind::Float(_) => Types::U32,
            _ => of,
        }
    }

    /// A mutable static of an integer type; sometimes none.
    pub(super) fn counting_static(&mut self) -> Option<(usize, TypeId)> {
        let fitting: Vec<(usize, TypeId)> = (self.program.statics.iter().enumerate())
            .filter(|(_, item)| item.mutable && self.program.types.as_int(item.of).is_some())
            .map(|(number, item)| (number, item.of))
            .collect();
        let picked = self.entropy.pick(&fitting).copied();
        picked.filter(|_| self.entropy.chance(2, 3))
    }

    /// A function that returns its argument with rotated fields, and assigns them one by one.
    fn permuter(&mut self, of: TypeId) {
        let count = self.program.types.fields(of).len();
        let shift = 1 + self.entropy.below(count as u64 - 1) as usize;
        let field = |local: usize, number: usize| {
            Place::local(local).then(Projection::Field(number % count))
        };
        let statements = (0..count)
            .map(|number| Statement::Assign(field(0, number), copied(field(1, number + shift))))
            .collect();
        self.add(&[of, of], &[], vec![block(statements, Terminator::Return)]);
    }

    /// A function that panics for some arguments, and one that calls it with a cleanup block.
    fn panicking_function(&mut self) {
        let of = self.scalar_type();
        let of = if matches!(self.program.types.kind(of), Kind::Float(_)) { Types::U8 } else { of };
        let Operand::Constant(constant) = self.constant_of(of) else { return };
        let pointer = self.program.types.intern(Kind::Pointer { mutable: true, to: of });
        let raise = Terminator::Call {
            callee: Callee::Raise,
            arguments: vec![],
            destination: Place::local(3),
            target: 2,
            unwind: Unwind::Continue,
        };
        let switch = if self.entropy.chance(1, 2) {
            Terminator::Switch {
                on: Operand::local(1),
                arms: vec![(constant.bits, 1)],
                otherwise: 2,
            }
        } else {
            Terminator::Switch {
                on: Operand::local(1),
                arms: vec![(constant.bits, 2)],
                otherwise: 1,
            }
        };
        let write = Statement::Assign(Place::deref(2), copied(Place::local(1)));
        let set_result = Statement::Assign(Place::local(0), copied(Place::deref(2)));
        let callee = self.add(
            &[of, of, pointer],
            &[Types::UNIT],
            vec![
                block(vec![write], switch),
                block(vec![], raise),
                block(vec![set_result], Terminator::Return),
            ],
        );
        let owned = self.entropy.pick(&self.palette.owning).copied();
        let plain = |of: &TypeId| {
            let types = &self.program.types;
            matches!(types.kind(*of), Kind::Adt(_))
                && !types.is_enum(*of)
                && types.fields(*of).iter().all(|field| types.is_scalar(*field))
        };
        let owned = owned.filter(plain);
        self.cleanup_function(of, pointer, callee, owned);
    }

    fn cleanup_function(
        &mut self,
        of: TypeId,
        pointer: TypeId,
        callee: usize,
        owned: Option<TypeId>,
    ) {
        let constant = self.constant_of(of);
        let call = Terminator::Call {
            callee: Callee::Function(callee, vec![]),
            arguments: vec![Operand::local(1), Operand::local(2)],
            destination: Place::local(3),
            target: 1,
            unwind: Unwind::Cleanup(2),
        };
        let mut start = vec![];
        let mut locals = vec![of];
        if let Some(owned) = owned {
            locals.push(owned);
            let fields = self.program.types.fields(owned).to_vec();
            let parts = fields.into_iter().map(|field| self.constant_of(field)).collect();
            start.push(Statement::Assign(Place::local(4), Rvalue::Aggregate(owned, 0, parts)));
        }
        let drop = |target: usize, unwind: Unwind| match owned {
            Some(_) => Terminator::Drop { place: Place::local(4), target, unwind },
            None => Terminator::Goto(target),
        };
        let overwrite = Statement::Assign(Place::deref(2), Rvalue::Use(constant));
        let set_result = Statement::Assign(Place::local(0), copied(Place::local(3)));
        self.add(
            &[of, of, pointer],
            &locals,
            vec![
                block(start, call),
                block(vec![set_result], drop(4, Unwind::Continue)),
                cleanup(vec![overwrite], drop(3, Unwind::Terminate(Reason::InCleanup))),
                cleanup(vec![], Terminator::Resume),
                block(vec![], Terminator::Return),
            ],
        );
    }

    /// A function that only makes a tail call of another with the same signature.
    fn forwarder(&mut self) {
        let fitting: Vec<usize> = (1..self.program.functions.len())
            .filter(|&number| {
                let function = &self.program.functions[number];
                function.generics == 0 && !function.blocks.is_empty() && function.parameters > 0
            })
            .filter(|&number| {
                self.program.types.adts.iter().all(|adt| adt.destructor != Some(number))
            })
            .collect();
        let function = match self.entropy.pick(&fitting).copied() {
            Some(function) => function,
            None => {
                let of = self.scalar_type();
                let set_result = Statement::Assign(Place::local(0), copied(Place::local(1)));
                self.add(&[of, of, of], &[], vec![block(vec![set_result], Terminator::Return)])
            }
        };
        let callee = &self.program.functions[function];
        let signature = callee.locals[..=callee.parameters].to_vec();
        let arguments = (1..signature.len())
            .map(|number| {
                // Parameters of the same type may be exchanged.
                let alike: Vec<usize> =
                    (1..signature.len()).filter(|&it| signature[it] == signature[number]).collect();
                Operand::local(self.entropy.pick(&alike).copied().unwrap_or(number))
            })
            .collect();
        self.add(
            &signature,
            &[],
            vec![block(
                vec![],
                Terminator::TailCall { callee: Callee::Function(function, vec![]), arguments },
            )],
        );
    }
}
