//! Recursive types: structs with a raw pointer that is null at the end, and enums with a last variant, behind a pointer,
//! reference or box. Each has a recursive function that traverses a list; owning ones may have a destructor.

use super::super::program::{
    Callee, Local, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator, Unwind,
};
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types, Variant};
use super::Generator;
use super::helper_functions::block;

/// A recursive type, and how to get from a node to the next.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) of: TypeId,
    /// The path to the payload of a node, and its integer type.
    pub(super) payload: Vec<Projection>,
    pub(super) number: TypeId,
    /// The path to the link to the next node, and its type.
    pub(super) link: Vec<Projection>,
    pub(super) pointer: TypeId,
    pub(super) end: End,
    /// The type of a pointer to the current node of a traversal.
    pub(super) cursor: TypeId,
    /// The field and type of a function pointer in the node, which takes a cursor and returns a number.
    pub(super) method: Option<(usize, TypeId)>,
    /// The recursive function that traverses a list.
    pub(super) visitor: usize,
}

/// How the last node is recognised.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// Its link is null.
    Null,
    /// An enum in the node, or the node itself, has another variant than the one with the link.
    Variant { at: Vec<Projection>, of: TypeId, link_variant: usize },
}

/// A place extended by a path.
pub(super) fn part(place: &Place, path: &[Projection]) -> Place {
    let projections = place.projections.iter().chain(path).copied().collect();
    Place { projections, ..*place }
}

impl Node {
    /// The statements from one node to the next. A box and a `&mut` are copied, which only MIR can do; rustc itself
    /// copies a box when it dereferences it.
    pub(super) fn next_node(
        &self,
        types: &Types,
        from: Local,
        to: Local,
        spare: Local,
    ) -> Vec<Statement> {
        let link = Operand::Copy(part(&Place::deref(from), &self.link));
        let to = Place::local(to);
        match types.kind(self.pointer) {
            Kind::Heap(_) => vec![Statement::Assign(to, Rvalue::Transmute(link, self.cursor))],
            Kind::Reference { mutable: true, .. } => vec![
                Statement::Assign(Place::local(spare), Rvalue::Use(link)),
                Statement::Assign(to, Rvalue::AddressOf(true, Place::deref(spare))),
            ],
            _ => vec![Statement::Assign(to, Rvalue::Use(link))],
        }
    }

    /// The test for the end of a list: its type, its rvalue, and a value with whether the list continues for that
    /// value.
    pub(super) fn test(&self, types: &Types, cursor: Local) -> (TypeId, Rvalue, (u128, bool)) {
        match &self.end {
            End::Null => {
                let null = Operand::constant(self.cursor, 0);
                let unlike = Rvalue::Binary(Operator::Ne, Operand::local(cursor), null);
                (Types::BOOL, unlike, (0, false))
            }
            End::Variant { at, of, link_variant } => {
                let tag = Rvalue::Discriminant(part(&Place::deref(cursor), at));
                (types.discriminant_type(*of), tag, (*link_variant as u128, true))
            }
        }
    }

    /// The switch that continues a traversal or leaves it.
    pub(super) fn switch(
        &self,
        types: &Types,
        test: Local,
        inside: usize,
        exit: usize,
    ) -> Terminator {
        let (.., (value, continues)) = self.test(types, 0);
        let (arm, otherwise) = if continues { (inside, exit) } else { (exit, inside) };
        Terminator::Switch { on: Operand::local(test), arms: vec![(value, arm)], otherwise }
    }
}

impl Generator<'_> {
    /// Adds a recursive type.
    pub(super) fn node(&mut self) {
        let number = self.pick_type(|types, of| types.as_int(of).is_some());
        let number = number.unwrap_or(Types::U64);
        let of = self.program.types.announce();
        let kind = self.link_to(of);
        let pointer = self.program.types.intern(kind.clone());
        let cursor = match kind {
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
            cursor,
            method: None,
            visitor,
        };
        let raw = matches!(kind, Kind::Pointer { .. });
        let mut adt = match self.entropy.below(4) {
            0 | 1 if raw => self.null_terminated_struct(&mut node),
            2 => self.list_enum(&mut node),
            _ => self.struct_with_link_enum(&mut node),
        };
        let owns = matches!(kind, Kind::Heap(_));
        let dropped = owns && self.swarm.destructors && self.entropy.chance(2, 3);
        adt.destructor = dropped.then_some(visitor + 1);
        self.lines_left -= adt.parts().count() as i64 + 4;
        self.program.types.define([(of, adt)]);
        self.visitor(&node);
        if dropped {
            self.recording_destructor(&node);
        }
        self.palette.links.push(pointer);
        for of in [of, pointer, cursor] {
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

    /// The kind of the link, as far as the features allow.
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

    /// Another field, sometimes.
    fn extra_field(&mut self) -> Option<TypeId> {
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

    /// `struct S { f0: u32, f1: *mut S }`, optionally with a second link or a function pointer, in a rotated order.
    fn null_terminated_struct(&mut self, node: &mut Node) -> Adt {
        let mut fields = vec![node.number, node.pointer];
        if self.entropy.chance(1, 3) {
            fields.push(node.pointer);
        }
        fields.extend(self.extra_field());
        if self.swarm.function_pointers && self.entropy.chance(1, 2) {
            let kind = Kind::Function { parameters: vec![node.cursor], returns: node.number };
            let of = self.program.types.intern(kind);
            node.method = Some((fields.len(), of));
            fields.push(of);
        }
        // A rotation of the fields.
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
    fn list_enum(&mut self, node: &mut Node) -> Adt {
        let link_variant = self.entropy.below(2) as usize;
        let mut fields = vec![node.number, node.pointer];
        fields.extend(self.extra_field());
        let variant = |fields| Variant { fields, discriminant: None };
        let mut variants = vec![variant(vec![]), variant(vec![])];
        variants[link_variant].fields = fields;
        if self.entropy.chance(1, 3) {
            variants[1 - link_variant].fields.push(node.number);
        }
        node.payload = vec![Projection::Variant(link_variant, 0)];
        node.link = vec![Projection::Variant(link_variant, 1)];
        node.end = End::Variant { at: vec![], of: node.of, link_variant };
        let repr = self.tag_repr();
        Adt { shape: Shape::Enum(variants), repr, destructor: None }
    }

    /// `struct S { f0: u32, f1: E }` and `enum E { V0, V1(Box<S>) }`, which are mutually recursive.
    fn struct_with_link_enum(&mut self, node: &mut Node) -> Adt {
        let link_variant = self.entropy.below(2) as usize;
        let variant = |fields| Variant { fields, discriminant: None };
        let mut variants = vec![variant(vec![]), variant(vec![])];
        variants[link_variant].fields.push(node.pointer);
        let repr = self.tag_repr();
        let link_enum = Adt { shape: Shape::Enum(variants), repr, destructor: None };
        self.lines_left -= 6;
        let link_enum = self.program.types.declare(link_enum);
        self.palette.add(&self.program.types, link_enum);
        let mut fields = vec![node.number, link_enum];
        fields.extend(self.extra_field());
        let swapped = self.entropy.chance(1, 2);
        if swapped {
            fields.swap(0, 1);
        }
        let at = Projection::Field(usize::from(!swapped));
        node.payload = vec![Projection::Field(usize::from(swapped))];
        node.link = vec![at, Projection::Variant(link_variant, 0)];
        node.end = End::Variant { at: vec![at], of: link_enum, link_variant };
        let repr = self.node_repr();
        Adt { shape: Shape::Struct(fields), repr, destructor: None }
    }

    /// `fn f(p) -> …`: the payload of a node, combined with the result for the next one.
    fn visitor(&mut self, node: &Node) {
        // 1: the cursor, 2: the end test, 3: the payload, 4: the next node, 5: the result for it, 6: a spare for a
        // `&mut` link.
        let types = &self.program.types;
        let (tested, test, _) = node.test(types, 1);
        let mut on = vec![Statement::Assign(
            Place::local(3),
            Rvalue::Use(Operand::Copy(part(&Place::deref(1), &node.payload))),
        )];
        on.extend(node.next_node(types, 1, 4, 6));
        let start = vec![Statement::Assign(Place::local(2), test)];
        let switch = node.switch(types, 2, 2, 1);
        let operators = [Operator::Add, Operator::Sub, Operator::BitXor];
        let operator = self.entropy.pick(&operators).copied().unwrap_or(Operator::Add);
        let last = self.constant_of(node.number);
        let mixed = Rvalue::Binary(operator, Operand::local(3), Operand::local(5));
        // The payload is overwritten with the result for the rest of the list.
        let writes = self.is_mutable_list(node) && self.entropy.chance(1, 2);
        let mut back = vec![Statement::Assign(Place::local(0), mixed)];
        if writes {
            let payload = part(&Place::deref(1), &node.payload);
            back.push(Statement::Assign(payload, Rvalue::Use(Operand::local(5))));
        }
        // A direct call, or a call through the function pointer in the node.
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
        let set_result = Statement::Assign(Place::local(0), Rvalue::Use(last));
        let blocks = vec![
            block(start, switch),
            block(vec![set_result], Terminator::Return),
            block(on, call),
            block(back, Terminator::Return),
        ];
        let number = node.number;
        let locals = [tested, number, node.cursor, number, node.pointer];
        self.add(&[number, node.cursor], &locals, blocks);
        if let Some(callable) = self.callable.last_mut() {
            callable.steps *= 8;
        }
    }

    /// Whether a traversal may write to the nodes.
    pub(super) fn is_mutable_list(&self, node: &Node) -> bool {
        matches!(self.program.types.kind(node.cursor), Kind::Pointer { mutable: true, .. })
    }

    /// A destructor that records its node before the rest of the list is dropped, and may increment a static.
    fn recording_destructor(&mut self, node: &Node) {
        let reference = self.program.types.intern(Kind::Reference { mutable: true, to: node.of });
        let value = match &node.end {
            End::Variant { at, .. } if at.is_empty() => Place::deref(1),
            _ => part(&Place::deref(1), &node.payload),
        };
        let (mut locals, mut statements) = (vec![], vec![]);
        if let Some((item, to)) = self.counting_static() {
            locals.push(self.program.types.intern(Kind::Pointer { mutable: true, to }));
            let count = Operand::Copy(Place::deref(2));
            let next = Rvalue::Binary(Operator::Add, count, self.constant_of(to));
            statements.push(Statement::Assign(Place::local(2), Rvalue::Static(item)));
            statements.push(Statement::Assign(Place::deref(2), next));
        }
        let record = Terminator::Record { values: vec![value], target: 1 };
        let blocks = vec![block(statements, record), block(vec![], Terminator::Return)];
        self.add(&[Types::UNIT, reference], &locals, blocks);
    }
}
