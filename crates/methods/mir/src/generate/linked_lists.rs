//! Linked lists: built node by node or in a loop; traversed by chains of dereferences, by loops with run-time bounds, or
//! by recursive functions; modified, reversed, closed into a ring, and dropped as a whole.

use super::super::program::{
    Callee, Local, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator, Unwind,
};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::{Body, MAX_COMPLEXITY};
use super::places::Purpose;
use super::recursive_types::{End, Node, part};

/// The most nodes that a loop adds to a list.
const LONG: u64 = 10;

impl Generator<'_> {
    pub(super) fn traverse_list(&mut self, body: &mut Body) {
        let snapshot = self.snapshot(body);
        if self.try_traverse_list(body).is_none() {
            self.restore(body, snapshot);
        }
    }

    fn try_traverse_list(&mut self, body: &mut Body) -> Option<()> {
        if self.in_cleanup || self.lines_left - body.lines < 40 {
            return None;
        }
        let node = self.entropy.pick(&self.palette.nodes).cloned()?;
        let types = &self.program.types;
        let boxed = matches!(types.kind(node.pointer), Kind::Heap(_));
        let raw = matches!(types.kind(node.pointer), Kind::Pointer { mutable: true, .. });
        let loops = body.loops == 0 && !self.restricted;
        let in_boxes = (boxed || raw && self.swarm.boxes) && loops && self.entropy.chance(1, 2);
        let (first, last) = if in_boxes {
            (self.boxed_list(body, &node)?, None)
        } else {
            self.local_list(body, &node)?
        };
        let start = self.cursor_to(body, &node, &first)?;
        let ring = match last {
            Some(last) if raw && matches!(node.end, End::Null) && self.entropy.chance(1, 3) => {
                self.close_ring(body, &node, start, &last)?
            }
            _ => None,
        };
        for _ in 0..self.entropy.between(1, 2) {
            let snapshot = self.snapshot(body);
            let done = match self.entropy.below(4) {
                0 => self.traverse_unrolled(body, &node, start),
                1 if ring.is_none() => self.call_visitor(body, &node, start),
                _ if ring == Some(false) => self.traverse_unrolled(body, &node, start),
                _ if loops => {
                    body.loops += 1;
                    let done = self.traversal_loop(body, &node, start, ring.is_some());
                    body.loops -= 1;
                    done
                }
                _ => self.traverse_unrolled(body, &node, start),
            };
            if done.is_none() {
                self.restore(body, snapshot);
            }
        }
        let owned = first.projections.is_empty() && self.program.types.needs_drop(node.of);
        if owned && self.entropy.chance(2, 3) {
            let target = body.open();
            let unwind = self.unwind(body);
            self.follow(body, Terminator::Drop { place: first, target, unwind }).then_some(())?;
        }
        Some(())
    }

    /// A value in a new local, as an operand that is used once.
    fn single_use(&mut self, body: &mut Body, of: TypeId, rvalue: Rvalue) -> Option<Operand> {
        let place = self.in_new_local(body, of, rvalue)?.place()?.clone();
        let copied = self.program.types.is_copy(of);
        Some(if copied { Operand::Copy(place) } else { Operand::Move(place) })
    }

    /// A pointer to the node where a traversal begins.
    fn cursor_to(&mut self, body: &mut Body, node: &Node, place: &Place) -> Option<Local> {
        let pointed = match self.program.types.kind(node.cursor) {
            Kind::Reference { .. } => Rvalue::Reference(false, place.clone()),
            Kind::Pointer { mutable, .. } => Rvalue::AddressOf(*mutable, place.clone()),
            _ => return None,
        };
        let start = self.in_new_local(body, node.cursor, pointed)?.place()?.local;
        body.reserved[start] = true;
        Some(start)
    }

    /// A link to an existing node; a box takes the node by move.
    fn link(&mut self, body: &mut Body, node: &Node, next: &Place) -> Option<Operand> {
        let pointed = match *self.program.types.kind(node.pointer) {
            Kind::Pointer { mutable, .. } => Rvalue::AddressOf(mutable, next.clone()),
            Kind::Reference { mutable, .. } => Rvalue::Reference(mutable, next.clone()),
            _ => {
                let into = Place::local(self.new_local(body, node.pointer));
                let content = vec![Operand::Move(next.clone())];
                let made = (Callee::NewBox, content, into.clone());
                self.call(body, made.0, made.1, made.2, Unwind::Unreachable).then_some(())?;
                return Some(Operand::Move(into));
            }
        };
        self.single_use(body, node.pointer, pointed)
    }

    /// The value of a node: with a link, or the last one. The payload may be given.
    fn node_value(
        &mut self,
        body: &mut Body,
        node: &Node,
        link: Option<&Operand>,
        number: Option<&Operand>,
    ) -> Option<Rvalue> {
        let types = &self.program.types;
        let (variant, link_enum, fields) = match &node.end {
            End::Variant { at, link_variant, .. } if at.is_empty() => {
                let variant = if link.is_some() { *link_variant } else { 1 - link_variant };
                (variant, None, types.variants(node.of)[variant].fields.clone())
            }
            End::Variant { of, link_variant, .. } => {
                let variant = if link.is_some() { *link_variant } else { 1 - link_variant };
                (0, Some((*of, variant)), types.fields(node.of).to_vec())
            }
            End::Null => (0, None, types.fields(node.of).to_vec()),
        };
        let mut parts = vec![];
        for (field, of) in fields.into_iter().enumerate() {
            let first = |path: &[Projection]| match path.first() {
                Some(Projection::Field(it) | Projection::Variant(_, it)) => *it == field,
                _ => false,
            };
            let operand = match (link, link_enum) {
                (_, Some((link_enum, variant))) if link_enum == of => {
                    let inside = link.into_iter().cloned().collect();
                    self.single_use(body, link_enum, Rvalue::Aggregate(link_enum, variant, inside))?
                }
                (Some(link), _) if first(&node.link) => link.clone(),
                _ if of == node.number && first(&node.payload) => match number {
                    Some(number) => number.clone(),
                    None => self.operand(body, of, Purpose::Read)?,
                },
                _ if of == node.pointer
                    && matches!(self.program.types.kind(of), Kind::Pointer { .. }) =>
                {
                    Operand::constant(of, 0)
                }
                _ if node.method == Some((field, of)) => Operand::Function(node.visitor, of),
                _ => self.find_or_build(body, of, 1)?,
            };
            // A later part may use the same place.
            parts.push(match operand {
                Operand::Move(place) if self.program.types.is_copy(of) => Operand::Copy(place),
                operand => operand,
            });
        }
        Some(Rvalue::Aggregate(node.of, variant, parts))
    }

    /// Some nodes in locals, each with a link to the one before. Returns the first and the last node of the list.
    fn local_list(&mut self, body: &mut Body, node: &Node) -> Option<(Place, Option<Place>)> {
        let mut next: Option<Place> = None;
        let mut last = None;
        for _ in 0..self.entropy.between(2, 5) {
            let link = match &next {
                Some(next) => Some(self.link(body, node, next)?),
                None => None,
            };
            let value = self.node_value(body, node, link.as_ref(), None)?;
            let place = Place::local(self.new_local(body, node.of));
            self.assign(body, place.clone(), value).then_some(())?;
            last.get_or_insert(place.clone());
            next = Some(place);
        }
        Some((next?, last))
    }

    /// A list of boxed nodes, built by a loop with a run-time bound. Returns its first node.
    fn boxed_list(&mut self, body: &mut Body, node: &Node) -> Option<Place> {
        let value = self.node_value(body, node, None, None)?;
        let list = Place::local(self.new_local(body, node.of));
        self.assign(body, list.clone(), value).then_some(())?;
        let most = self.entropy.between(2, LONG);
        let (bound, _) = self.bound(body, Types::USIZE, most)?;
        let zero = Rvalue::Use(Operand::constant(Types::USIZE, 0));
        let counter = self.in_new_local(body, Types::USIZE, zero)?.place()?.local;
        let continues = self.new_local(body, Types::BOOL);
        let boxed = self.program.types.intern(Kind::Heap(node.of));
        let into = self.new_local(body, boxed);
        for local in [list.local, counter, continues, into] {
            body.reserved[local] = true;
        }
        body.loops += 1;
        let test = Rvalue::Binary(Operator::Ne, Operand::local(counter), bound);
        let done = self.push_front_loop(body, node, &list, (counter, continues, into), test);
        body.loops -= 1;
        done?;
        body.reserved[list.local] = false;
        Some(list)
    }

    /// The loop that moves the list into a box and makes a new first node, which links to it.
    fn push_front_loop(
        &mut self,
        body: &mut Body,
        node: &Node,
        list: &Place,
        (counter, continues, into): (Local, Local, Local),
        test: Rvalue,
    ) -> Option<()> {
        let boxed = body.locals[into];
        let (head, exit) = (body.open(), body.open());
        self.follow(body, Terminator::Goto(head)).then_some(())?;
        self.assign(body, Place::local(continues), test).then_some(())?;
        let inside = body.open();
        self.branch(body, continues, inside, exit).then_some(())?;
        let content = vec![Operand::Move(list.clone())];
        let into = Place::local(into);
        let moved = vec![Operand::Move(into.clone())];
        self.call(body, Callee::NewBox, content, into, Unwind::Unreachable).then_some(())?;
        let link = if boxed == node.pointer {
            moved.into_iter().next()?
        } else {
            let raw = self.new_local(body, node.pointer);
            let to = Place::local(raw);
            self.call(body, Callee::BoxToPointer, moved, to, Unwind::Unreachable).then_some(())?;
            Operand::local(raw)
        };
        let number = match node.number {
            Types::USIZE => Operand::local(counter),
            of => self.in_new_local(body, of, Rvalue::Cast(Operand::local(counter), of))?,
        };
        let value = self.node_value(body, node, Some(&link), Some(&number))?;
        self.assign(body, list.clone(), value).then_some(())?;
        let one = Operand::constant(Types::USIZE, 1);
        let next = Rvalue::Binary(Operator::Add, Operand::local(counter), one);
        self.assign(body, Place::local(counter), next).then_some(())?;
        self.follow(body, Terminator::Goto(head)).then_some(())?;
        self.run_loop(body, exit)
    }

    /// Links the last node to the first one, or to itself. Returns whether the ring contains the first node.
    fn close_ring(
        &mut self,
        body: &mut Body,
        node: &Node,
        start: Local,
        last: &Place,
    ) -> Option<Option<bool>> {
        let whole = self.entropy.chance(2, 3);
        let to = match whole {
            true => Rvalue::Use(Operand::local(start)),
            false => Rvalue::AddressOf(true, last.clone()),
        };
        self.assign(body, part(last, &node.link), to).then_some(Some(whole))
    }

    /// A few steps without a loop, each of which reads or modifies a node.
    fn traverse_unrolled(&mut self, body: &mut Body, node: &Node, start: Local) -> Option<()> {
        let cursor = self.in_new_local(body, node.cursor, Rvalue::Use(Operand::local(start)))?;
        let cursor = cursor.place()?.local;
        let spare = self.spare(body, node);
        for step in 0..self.entropy.between(2, 5) {
            // A failed step must be undone completely.
            let snapshot = self.snapshot(body);
            let visited = self.visit_node(body, node, cursor).is_some();
            let statements = node.next_node(&self.program.types, cursor, cursor, spare);
            let moved = visited && statements.into_iter().all(|it| self.execute(body, it));
            if !moved {
                self.restore(body, snapshot);
                return (step > 0).then_some(());
            }
        }
        Some(())
    }

    /// A local for a `&mut` link, which a step reborrows as a raw pointer; unused for other links.
    fn spare(&mut self, body: &mut Body, node: &Node) -> Local {
        match self.program.types.kind(node.pointer) {
            Kind::Reference { mutable: true, .. } => {
                let local = self.new_local(body, node.pointer);
                body.reserved[local] = true;
                local
            }
            _ => 0,
        }
    }

    /// Reads the payload of the current node, and may overwrite it. Returns the old value.
    fn visit_node(&mut self, body: &mut Body, node: &Node, cursor: Local) -> Option<Operand> {
        let payload = part(&Place::deref(cursor), &node.payload);
        let seen = Rvalue::Use(Operand::Copy(payload.clone()));
        let number = self.in_new_local(body, node.number, seen)?;
        if let Some((field, _)) = node.method
            && self.entropy.chance(1, 4)
        {
            let callee = Callee::Pointer(Place::deref(cursor).then(Projection::Field(field)));
            let into = Place::local(self.new_local(body, node.number));
            let argument = vec![Operand::local(cursor)];
            let snapshot = self.snapshot(body);
            if !self.call(body, callee, argument, into, Unwind::Unreachable) {
                self.restore(body, snapshot);
            }
        }
        if self.is_mutable_list(node) && self.entropy.chance(1, 2) {
            let operators = [Operator::Add, Operator::BitXor, Operator::Mul];
            let operator = *self.entropy.pick(&operators)?;
            let right = self.operand(body, node.number, Purpose::Read)?;
            let right = match right {
                Operand::Move(place) => Operand::Copy(place),
                right => right,
            };
            let changed = Rvalue::Binary(operator, number.clone(), right);
            self.assign(body, payload, changed).then_some(())?;
        }
        Some(number)
    }

    /// A call of the recursive function that traverses the list.
    fn call_visitor(&mut self, body: &mut Body, node: &Node, start: Local) -> Option<()> {
        let into = Place::local(self.new_local(body, node.number));
        let callee = match node.method {
            Some((field, _)) if self.entropy.chance(1, 3) => {
                Callee::Pointer(Place::deref(start).then(Projection::Field(field)))
            }
            _ => Callee::Function(node.visitor, vec![]),
        };
        let unwind = self.unwind(body);
        self.call(body, callee, vec![Operand::local(start)], into, unwind).then_some(())
    }

    /// A loop over all nodes of a list, or once around a ring.
    fn traversal_loop(
        &mut self,
        body: &mut Body,
        node: &Node,
        start: Local,
        ring: bool,
    ) -> Option<()> {
        let cursor = self.in_new_local(body, node.cursor, Rvalue::Use(Operand::local(start)))?;
        let cursor = cursor.place()?.local;
        let first = self.constant_of(node.number);
        let sum = self.in_new_local(body, node.number, Rvalue::Use(first))?.place()?.local;
        let spare = self.spare(body, node);
        let (tested, test, _) = node.test(&self.program.types, cursor);
        let tested = self.new_local(body, tested);
        for local in [cursor, sum, tested] {
            body.reserved[local] = true;
        }
        let reverses = !ring
            && matches!(node.end, End::Null)
            && self.is_mutable_list(node)
            && self.entropy.chance(1, 4);
        let before = if reverses {
            let null = Rvalue::Use(Operand::constant(node.pointer, 0));
            let local = self.in_new_local(body, node.pointer, null)?.place()?.local;
            body.reserved[local] = true;
            Some(local)
        } else {
            None
        };
        let (head, exit) = (body.open(), body.open());
        self.follow(body, Terminator::Goto(head)).then_some(())?;
        if !ring {
            let inside = body.open();
            self.assign(body, Place::local(tested), test).then_some(())?;
            let switch = node.switch(&self.program.types, tested, inside, exit);
            self.follow(body, switch).then_some(())?;
            (body.current == inside).then_some(())?;
        }
        let number = self.visit_node(body, node, cursor)?;
        let operators = [Operator::Add, Operator::Sub, Operator::BitXor, Operator::Mul];
        let operator = *self.entropy.pick(&operators)?;
        let folded = Rvalue::Binary(operator, Operand::local(sum), number);
        self.assign(body, Place::local(sum), folded).then_some(())?;
        if self.entropy.chance(1, 3) {
            self.fill_long_loop(body)?;
        }
        match before {
            Some(before) => self.reverse_link(body, node, cursor, before)?,
            None => {
                let hop = node.next_node(&self.program.types, cursor, cursor, spare);
                hop.into_iter().all(|it| self.execute(body, it)).then_some(())?;
            }
        }
        if ring {
            let back = Rvalue::Binary(Operator::Ne, Operand::local(cursor), Operand::local(start));
            self.assign(body, Place::local(tested), back).then_some(())?;
            self.branch(body, tested, head, exit).then_some(())?;
        } else {
            self.follow(body, Terminator::Goto(head)).then_some(())?;
        }
        self.run_loop(body, exit)?;
        body.reserved[sum] = false;
        body.complexity[sum] = MAX_COMPLEXITY;
        Some(())
    }

    /// Links a node to its predecessor, and advances to its successor.
    fn reverse_link(
        &mut self,
        body: &mut Body,
        node: &Node,
        cursor: Local,
        before: Local,
    ) -> Option<()> {
        let link = part(&Place::deref(cursor), &node.link);
        let after =
            self.in_new_local(body, node.pointer, Rvalue::Use(Operand::Copy(link.clone())))?;
        let mut set = |place: Place, from: Operand| {
            self.execute(body, Statement::Assign(place, Rvalue::Use(from))).then_some(())
        };
        set(link, Operand::local(before))?;
        set(Place::local(before), Operand::local(cursor))?;
        set(Place::local(cursor), after)
    }
}
