//! Recursive types: structs with a raw pointer that is null at the end, and enums with a last variant, behind a pointer,
//! reference or box. Each has a recursive function that traverses a list; owning ones may have a destructor.

use super::super::program::{
    Callee, Local, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator, Unwind,
};
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types, Variant};
use super::Generator;
use super::helper_functions::block;

/// A type that points to itself, and how to get from one to the next.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) of: TypeId,
    /// Where in it a number is, and of which type.
    pub(super) payload: Vec<Projection>,
    pub(super) number: TypeId,
    /// Where in it that is which points to the next one, and of which type.
    pub(super) link: Vec<Projection>,
    pub(super) pointer: TypeId,
    pub(super) end: End,
    /// What points to the one that a walk has come to.
    pub(super) walker: TypeId,
    /// A function pointer in it, which takes a walker and gives a number.
    pub(super) method: Option<(usize, TypeId)>,
    /// The function that goes along to the end.
    pub(super) visitor: usize,
}

/// How the last one is known.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// It points nowhere.
    Null,
    /// An enum in it, or it itself, is another variant than this one, which points on.
    Variant { at: Vec<Projection>, of: TypeId, going: usize },
}

/// Part of something.
pub(super) fn part(place: &Place, path: &[Projection]) -> Place {
    let projections = place.projections.iter().chain(path).copied().collect();
    Place { projections, ..*place }
}

impl Node {
    /// From one to the next. What cannot be copied by those who write Rust is, as rustc does where it dereferences.
    pub(super) fn hop(
        &self,
        types: &Types,
        from: Local,
        to: Local,
        spare: Local,
    ) -> Vec<Statement> {
        let link = Operand::Copy(part(&Place::deref(from), &self.link));
        let to = Place::local(to);
        match types.kind(self.pointer) {
            Kind::Heap(_) => vec![Statement::Assign(to, Rvalue::Transmute(link, self.walker))],
            Kind::Reference { mutable: true, .. } => vec![
                Statement::Assign(Place::local(spare), Rvalue::Use(link)),
                Statement::Assign(to, Rvalue::AddressOf(true, Place::deref(spare))),
            ],
            _ => vec![Statement::Assign(to, Rvalue::Use(link))],
        }
    }

    /// What says whether a walk goes on: its type, how it is found out, and its value at the end, or before it.
    pub(super) fn test(&self, types: &Types, walker: Local) -> (TypeId, Rvalue, (u128, bool)) {
        match &self.end {
            End::Null => {
                let null = Operand::constant(self.walker, 0);
                let unlike = Rvalue::Binary(Operator::Ne, Operand::local(walker), null);
                (Types::BOOL, unlike, (0, false))
            }
            End::Variant { at, of, going } => {
                let tag = Rvalue::Discriminant(part(&Place::deref(walker), at));
                (types.discriminant_type(*of), tag, (*going as u128, true))
            }
        }
    }

    /// The end of a block that a walk goes on from, or not.
    pub(super) fn switch(
        &self,
        types: &Types,
        test: Local,
        inside: usize,
        exit: usize,
    ) -> Terminator {
        let (.., (value, goes_on)) = self.test(types, 0);
        let (arm, otherwise) = if goes_on { (inside, exit) } else { (exit, inside) };
        Terminator::Switch { on: Operand::local(test), arms: vec![(value, arm)], otherwise }
    }
}

impl Generator<'_> {
    /// One more type that points to itself.
    pub(super) fn node(&mut self) {
        let number = self.pick_type(|types, of| types.as_int(of).is_some());
        let number = number.unwrap_or(Types::U64);
        let of = self.program.types.announce();
        let kind = self.link_to(of);
        let pointer = self.program.types.intern(kind.clone());
        let walker = match kind {
            Kind::Heap(_) | Kind::Reference { mutable: true, .. } => {
                self.program.types.intern(Kind::Pointer { mutable: true, to: of })
            }
            _ => pointer,
        };
        let visitor = self.program.functions.len();
        let mut node = Node {
            of,
            payload: vec![Projection::Field(0)],
            number,
            link: vec![Projection::Field(1)],
            pointer,
            end: End::Null,
            walker,
            method: None,
            visitor,
        };
        let raw = matches!(kind, Kind::Pointer { .. });
        let mut adt = match self.entropy.below(4) {
            0 | 1 if raw => self.chained(&mut node),
            2 => self.ended(&mut node),
            _ => self.hooked(&mut node),
        };
        let owns = matches!(kind, Kind::Heap(_));
        let dropped = owns && self.swarm.destructors && self.entropy.chance(2, 3);
        adt.destructor = dropped.then_some(visitor + 1);
        self.left -= adt.parts().count() as i64 + 4;
        self.program.types.define([(of, adt)]);
        self.visitor(&node);
        if dropped {
            self.farewell(&node);
        }
        self.palette.links.push(pointer);
        for of in [of, pointer, walker] {
            if !self.palette.all.contains(&of) {
                self.palette.add(&self.program.types, of);
            }
        }
        if owns && self.swarm.manual {
            let types = &mut self.program.types;
            super::parts::manual(self.entropy, types, &mut self.palette, of);
        }
        self.palette.nodes.push(node);
    }

    /// What one points to the next with, as far as the program has such things.
    fn link_to(&mut self, to: TypeId) -> Kind {
        let mutable = self.entropy.chance(3, 4);
        match self.entropy.below(6) {
            0 | 1 if self.swarm.boxes => Kind::Heap(to),
            2 if self.swarm.references => Kind::Reference { mutable: false, to },
            3 if self.swarm.references => Kind::Reference { mutable: true, to },
            _ if self.swarm.boxes && !self.swarm.pointers => Kind::Heap(to),
            _ => Kind::Pointer { mutable, to },
        }
    }

    /// What else is in it.
    fn extra(&mut self) -> Option<TypeId> {
        let of = if self.entropy.chance(1, 3) { self.any_type() } else { self.scalar_type() };
        let types = &self.program.types;
        (types.is_copy(of) && types.size(of) <= 32 && self.entropy.chance(1, 2)).then_some(of)
    }

    fn node_repr(&mut self) -> Repr {
        match self.entropy.below(8) {
            0..=3 => Repr::Rust,
            4 | 5 => Repr::C,
            6 => Repr::RustAlign(16),
            _ => Repr::Align(32),
        }
    }

    fn tag_repr(&mut self) -> Repr {
        match self.entropy.below(6) {
            0 => Repr::C,
            1 => Repr::Int(Int::U8),
            2 => Repr::CInt(Int::U32),
            _ => Repr::Rust,
        }
    }

    /// `struct S { f0: u32, f1: *mut S }`, with a second pointer or one to a function, perhaps, in any order.
    fn chained(&mut self, node: &mut Node) -> Adt {
        let mut fields = vec![node.number, node.pointer];
        if self.entropy.chance(1, 3) {
            fields.push(node.pointer);
        }
        fields.extend(self.extra());
        if self.swarm.function_pointers && self.entropy.chance(1, 2) {
            let kind = Kind::Function { parameters: vec![node.walker], returns: node.number };
            let of = self.program.types.intern(kind);
            node.method = Some((fields.len(), of));
            fields.push(of);
        }
        // The same fields, the first of which may be any.
        let turn = self.entropy.below(fields.len() as u64) as usize;
        fields.rotate_left(turn);
        let count = fields.len();
        let at = |field: usize| (field + count - turn) % count;
        node.payload = vec![Projection::Field(at(0))];
        node.link = vec![Projection::Field(at(1))];
        node.method = node.method.map(|(field, of)| (at(field), of));
        let packed = node.method.is_none() && self.entropy.chance(1, 8);
        let aligned = |of: &TypeId| self.program.types.layout(*of).align > 8;
        let repr = match packed && !fields.iter().any(aligned) {
            true => Repr::PackedTo(1 << self.entropy.below(3)),
            false => self.node_repr(),
        };
        Adt { shape: Shape::Struct(fields), repr, destructor: None }
    }

    /// `enum E { V0, V1(u32, Box<E>) }`, or the other way round.
    fn ended(&mut self, node: &mut Node) -> Adt {
        let going = self.entropy.below(2) as usize;
        let mut fields = vec![node.number, node.pointer];
        fields.extend(self.extra());
        let variant = |fields| Variant { fields, discriminant: None };
        let mut variants = vec![variant(vec![]), variant(vec![])];
        variants[going].fields = fields;
        if self.entropy.chance(1, 3) {
            variants[1 - going].fields.push(node.number);
        }
        node.payload = vec![Projection::Variant(going, 0)];
        node.link = vec![Projection::Variant(going, 1)];
        node.end = End::Variant { at: vec![], of: node.of, going };
        let repr = self.tag_repr();
        Adt { shape: Shape::Enum(variants), repr, destructor: None }
    }

    /// `struct S { f0: u32, f1: E }` and `enum E { V0, V1(Box<S>) }`: each is in the other.
    fn hooked(&mut self, node: &mut Node) -> Adt {
        let going = self.entropy.below(2) as usize;
        let variant = |fields| Variant { fields, discriminant: None };
        let mut variants = vec![variant(vec![]), variant(vec![])];
        variants[going].fields.push(node.pointer);
        let repr = self.tag_repr();
        let hook = Adt { shape: Shape::Enum(variants), repr, destructor: None };
        self.left -= 6;
        let hook = self.program.types.declare(hook);
        self.palette.add(&self.program.types, hook);
        let mut fields = vec![node.number, hook];
        fields.extend(self.extra());
        let turned = self.entropy.chance(1, 2);
        if turned {
            fields.swap(0, 1);
        }
        let at = Projection::Field(usize::from(!turned));
        node.payload = vec![Projection::Field(usize::from(turned))];
        node.link = vec![at, Projection::Variant(going, 0)];
        node.end = End::Variant { at: vec![at], of: hook, going };
        let repr = self.node_repr();
        Adt { shape: Shape::Struct(fields), repr, destructor: None }
    }

    /// `fn f(p) -> …`: the number of what it is given, with what it gives for the next one.
    fn visitor(&mut self, node: &Node) {
        // 1: where it is, 2: whether it is at the end, 3: its number, 4: the next one, 5: what comes back, 6: a spare.
        let types = &self.program.types;
        let (tested, test, _) = node.test(types, 1);
        let mut on = vec![Statement::Assign(
            Place::local(3),
            Rvalue::Use(Operand::Copy(part(&Place::deref(1), &node.payload))),
        )];
        on.extend(node.hop(types, 1, 4, 6));
        let start = vec![Statement::Assign(Place::local(2), test)];
        let switch = node.switch(types, 2, 2, 1);
        let operators = [Operator::Add, Operator::Sub, Operator::BitXor];
        let operator = self.entropy.pick(&operators).copied().unwrap_or(Operator::Add);
        let last = self.constant_of(node.number);
        let mixed = Rvalue::Binary(operator, Operand::local(3), Operand::local(5));
        // Those before see what those after it wrote.
        let writes = self.is_written(node) && self.entropy.chance(1, 2);
        let mut back = vec![Statement::Assign(Place::local(0), mixed)];
        if writes {
            let payload = part(&Place::deref(1), &node.payload);
            back.push(Statement::Assign(payload, Rvalue::Use(Operand::local(5))));
        }
        // By its name, or by what the next one says.
        let callee = match node.method {
            Some((field, _)) if self.entropy.chance(1, 2) => {
                Callee::Pointer(Place::deref(1).then(Projection::Field(field)))
            }
            _ => Callee::Function(node.visitor, vec![]),
        };
        let call = Terminator::Call {
            callee,
            arguments: vec![Operand::local(4)],
            destination: Place::local(5),
            target: 3,
            unwind: Unwind::Continue,
        };
        let give = Statement::Assign(Place::local(0), Rvalue::Use(last));
        let blocks = vec![
            block(start, switch),
            block(vec![give], Terminator::Return),
            block(on, call),
            block(back, Terminator::Return),
        ];
        let number = node.number;
        let locals = [tested, number, node.walker, number, node.pointer];
        self.add(&[number, node.walker], &locals, blocks);
        if let Some(callable) = self.callable.last_mut() {
            callable.steps *= 8;
        }
    }

    /// Whether what a walk comes to may be changed.
    pub(super) fn is_written(&self, node: &Node) -> bool {
        matches!(self.program.types.kind(node.walker), Kind::Pointer { mutable: true, .. })
    }

    /// A destructor that shows what it is called for, before all that comes after is dropped, and may count.
    fn farewell(&mut self, node: &Node) {
        let reference = self.program.types.intern(Kind::Reference { mutable: true, to: node.of });
        let value = match &node.end {
            End::Variant { at, .. } if at.is_empty() => Place::deref(1),
            _ => part(&Place::deref(1), &node.payload),
        };
        let (mut locals, mut statements) = (vec![], vec![]);
        if let Some((item, to)) = self.counter() {
            locals.push(self.program.types.intern(Kind::Pointer { mutable: true, to }));
            let count = Operand::Copy(Place::deref(2));
            let next = Rvalue::Binary(Operator::Add, count, self.constant_of(to));
            statements.push(Statement::Assign(Place::local(2), Rvalue::Static(item)));
            statements.push(Statement::Assign(Place::deref(2), next));
        }
        let show = Terminator::Record { values: vec![value], target: 1 };
        let blocks = vec![block(statements, show), block(vec![], Terminator::Return)];
        self.add(&[Types::UNIT, reference], &locals, blocks);
    }
}
