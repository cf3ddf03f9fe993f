//! Linked lists: built node by node or in a loop; traversed by chains of dereferences, by loops with run-time bounds, or
//! by recursive functions; modified, reversed, closed into a ring, and dropped as a whole.

use super::super::program::{
    Callee, Local, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator, Unwind,
};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::{Body, COMPLEX};
use super::places::Purpose;
use super::recursive_types::{End, Node, part};

/// How often a list in a loop may grow.
const LONG: u64 = 10;

impl Generator<'_> {
    pub(super) fn traverse_list(&mut self, body: &mut Body) {
        let snapshot = self.snapshot(body);
        if self.try_chase(body).is_none() {
            self.restore(body, snapshot);
        }
    }

    fn try_chase(&mut self, body: &mut Body) -> Option<()> {
        if self.cleaning || self.left - body.lines < 40 {
            return None;
        }
        let node = self.entropy.pick(&self.palette.nodes).cloned()?;
        let types = &self.program.types;
        let boxed = matches!(types.kind(node.pointer), Kind::Heap(_));
        let raw = matches!(types.kind(node.pointer), Kind::Pointer { mutable: true, .. });
        let loops = body.loops == 0 && !self.restricted;
        let grown = (boxed || raw && self.swarm.boxes) && loops && self.entropy.chance(1, 2);
        let (first, last) =
            if grown { (self.grow(body, &node)?, None) } else { self.string(body, &node)? };
        let start = self.walk_from(body, &node, &first)?;
        let ring = match last {
            Some(last) if raw && matches!(node.end, End::Null) && self.entropy.chance(1, 3) => {
                self.close(body, &node, start, &last)?
            }
            _ => None,
        };
        for _ in 0..self.entropy.between(1, 2) {
            let snapshot = self.snapshot(body);
            let done = match self.entropy.below(4) {
                0 => self.hops(body, &node, start),
                1 if ring.is_none() => self.visit(body, &node, start),
                _ if ring == Some(false) => self.hops(body, &node, start),
                _ if loops => {
                    body.loops += 1;
                    let done = self.pursue(body, &node, start, ring.is_some());
                    body.loops -= 1;
                    done
                }
                _ => self.hops(body, &node, start),
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

    /// Something that holds a value in a new local, to be used once.
    fn once(&mut self, body: &mut Body, of: TypeId, rvalue: Rvalue) -> Option<Operand> {
        let place = self.in_new_local(body, of, rvalue)?.place()?.clone();
        let copied = self.program.types.is_copy(of);
        Some(if copied { Operand::Copy(place) } else { Operand::Move(place) })
    }

    /// A pointer to where a walk begins.
    fn walk_from(&mut self, body: &mut Body, node: &Node, place: &Place) -> Option<Local> {
        let pointed = match self.program.types.kind(node.walker) {
            Kind::Reference { .. } => Rvalue::Reference(false, place.clone()),
            Kind::Pointer { mutable, .. } => Rvalue::AddressOf(*mutable, place.clone()),
            _ => return None,
        };
        let start = self.in_new_local(body, node.walker, pointed)?.place()?.local;
        body.reserved[start] = true;
        Some(start)
    }

    /// What points to one that is there: a box has it moved into it.
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
        self.once(body, node.pointer, pointed)
    }

    /// A node with a link, or the last one; its number may be given.
    fn knot(
        &mut self,
        body: &mut Body,
        node: &Node,
        link: Option<&Operand>,
        number: Option<&Operand>,
    ) -> Option<Rvalue> {
        let types = &self.program.types;
        let (variant, hook, fields) = match &node.end {
            End::Variant { at, going, .. } if at.is_empty() => {
                let variant = if link.is_some() { *going } else { 1 - going };
                (variant, None, types.variants(node.of)[variant].fields.clone())
            }
            End::Variant { of, going, .. } => {
                let variant = if link.is_some() { *going } else { 1 - going };
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
            let operand = match (link, hook) {
                (_, Some((hook, variant))) if hook == of => {
                    let inside = link.into_iter().cloned().collect();
                    self.once(body, hook, Rvalue::Aggregate(hook, variant, inside))?
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
            // What is moved may be wanted for the next part, too.
            parts.push(match operand {
                Operand::Move(place) if self.program.types.is_copy(of) => Operand::Copy(place),
                operand => operand,
            });
        }
        Some(Rvalue::Aggregate(node.of, variant, parts))
    }

    /// Some nodes in locals, each of which points to the one before; the first of the list, and the last.
    fn string(&mut self, body: &mut Body, node: &Node) -> Option<(Place, Option<Place>)> {
        let mut next: Option<Place> = None;
        let mut last = None;
        for _ in 0..self.entropy.between(2, 5) {
            let link = match &next {
                Some(next) => Some(self.link(body, node, next)?),
                None => None,
            };
            let value = self.knot(body, node, link.as_ref(), None)?;
            let place = Place::local(self.new_local(body, node.of));
            self.assign(body, place.clone(), value).then_some(())?;
            last.get_or_insert(place.clone());
            next = Some(place);
        }
        Some((next?, last))
    }

    /// Nodes in boxes, as many as nobody can tell who does not run it: the one that has been made last.
    fn grow(&mut self, body: &mut Body, node: &Node) -> Option<Place> {
        let value = self.knot(body, node, None, None)?;
        let list = Place::local(self.new_local(body, node.of));
        self.assign(body, list.clone(), value).then_some(())?;
        let most = self.entropy.between(2, LONG);
        let (bound, _) = self.bound(body, Types::USIZE, most)?;
        let zero = Rvalue::Use(Operand::constant(Types::USIZE, 0));
        let counter = self.in_new_local(body, Types::USIZE, zero)?.place()?.local;
        let goes_on = self.new_local(body, Types::BOOL);
        let boxed = self.program.types.intern(Kind::Heap(node.of));
        let into = self.new_local(body, boxed);
        for local in [list.local, counter, goes_on, into] {
            body.reserved[local] = true;
        }
        body.loops += 1;
        let test = Rvalue::Binary(Operator::Ne, Operand::local(counter), bound);
        let done = self.add_boxes(body, node, &list, (counter, goes_on, into), test);
        body.loops -= 1;
        done?;
        body.reserved[list.local] = false;
        Some(list)
    }

    /// The loop that puts a list into a box, again and again, and a new first node before it.
    fn add_boxes(
        &mut self,
        body: &mut Body,
        node: &Node,
        list: &Place,
        (counter, goes_on, into): (Local, Local, Local),
        test: Rvalue,
    ) -> Option<()> {
        let boxed = body.locals[into];
        let (head, exit) = (body.open(), body.open());
        self.follow(body, Terminator::Goto(head)).then_some(())?;
        self.assign(body, Place::local(goes_on), test).then_some(())?;
        let inside = body.open();
        self.branch(body, goes_on, inside, exit).then_some(())?;
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
        let value = self.knot(body, node, Some(&link), Some(&number))?;
        self.assign(body, list.clone(), value).then_some(())?;
        let one = Operand::constant(Types::USIZE, 1);
        let next = Rvalue::Binary(Operator::Add, Operand::local(counter), one);
        self.assign(body, Place::local(counter), next).then_some(())?;
        self.follow(body, Terminator::Goto(head)).then_some(())?;
        self.run_loop(body, exit)
    }

    /// The last one points to the first, or to itself: whether it is the former.
    fn close(
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

    /// A few steps, with a look or a change at each.
    fn hops(&mut self, body: &mut Body, node: &Node, start: Local) -> Option<()> {
        let walker = self.in_new_local(body, node.walker, Rvalue::Use(Operand::local(start)))?;
        let walker = walker.place()?.local;
        let spare = self.spare(body, node);
        for step in 0..self.entropy.between(2, 5) {
            // What a step changed before it came to nothing must be undone, too.
            let snapshot = self.snapshot(body);
            let there = self.look_at(body, node, walker).is_some();
            let statements = node.hop(&self.program.types, walker, walker, spare);
            let moved = there && statements.into_iter().all(|it| self.execute(body, it));
            if !moved {
                self.restore(body, snapshot);
                return (step > 0).then_some(());
            }
        }
        Some(())
    }

    /// Where a `&mut` goes before what it points to is pointed to.
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

    /// The number of the one that a walk has come to, which may be changed: what it was.
    fn look_at(&mut self, body: &mut Body, node: &Node, walker: Local) -> Option<Operand> {
        let payload = part(&Place::deref(walker), &node.payload);
        let seen = Rvalue::Use(Operand::Copy(payload.clone()));
        let number = self.in_new_local(body, node.number, seen)?;
        if let Some((field, _)) = node.method
            && self.entropy.chance(1, 4)
        {
            let callee = Callee::Pointer(Place::deref(walker).then(Projection::Field(field)));
            let into = Place::local(self.new_local(body, node.number));
            let argument = vec![Operand::local(walker)];
            let snapshot = self.snapshot(body);
            if !self.call(body, callee, argument, into, Unwind::Unreachable) {
                self.restore(body, snapshot);
            }
        }
        if self.is_written(node) && self.entropy.chance(1, 2) {
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

    /// A call of the function that goes along to the end.
    fn visit(&mut self, body: &mut Body, node: &Node, start: Local) -> Option<()> {
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

    /// A loop to the end of a list, or once around a ring.
    fn pursue(&mut self, body: &mut Body, node: &Node, start: Local, ring: bool) -> Option<()> {
        let walker = self.in_new_local(body, node.walker, Rvalue::Use(Operand::local(start)))?;
        let walker = walker.place()?.local;
        let first = self.constant_of(node.number);
        let sum = self.in_new_local(body, node.number, Rvalue::Use(first))?.place()?.local;
        let spare = self.spare(body, node);
        let (tested, test, _) = node.test(&self.program.types, walker);
        let tested = self.new_local(body, tested);
        for local in [walker, sum, tested] {
            body.reserved[local] = true;
        }
        let turned = !ring
            && matches!(node.end, End::Null)
            && self.is_written(node)
            && self.entropy.chance(1, 4);
        let before = if turned {
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
        let number = self.look_at(body, node, walker)?;
        let operators = [Operator::Add, Operator::Sub, Operator::BitXor, Operator::Mul];
        let operator = *self.entropy.pick(&operators)?;
        let folded = Rvalue::Binary(operator, Operand::local(sum), number);
        self.assign(body, Place::local(sum), folded).then_some(())?;
        if self.entropy.chance(1, 3) {
            self.fill_shortly(body)?;
        }
        match before {
            Some(before) => self.turn_around(body, node, walker, before)?,
            None => {
                let hop = node.hop(&self.program.types, walker, walker, spare);
                hop.into_iter().all(|it| self.execute(body, it)).then_some(())?;
            }
        }
        if ring {
            let back = Rvalue::Binary(Operator::Ne, Operand::local(walker), Operand::local(start));
            self.assign(body, Place::local(tested), back).then_some(())?;
            self.branch(body, tested, head, exit).then_some(())?;
        } else {
            self.follow(body, Terminator::Goto(head)).then_some(())?;
        }
        self.run_loop(body, exit)?;
        body.reserved[sum] = false;
        body.complexity[sum] = COMPLEX;
        Some(())
    }

    /// Has a node point to the one before it, and goes on to the one after it.
    fn turn_around(
        &mut self,
        body: &mut Body,
        node: &Node,
        walker: Local,
        before: Local,
    ) -> Option<()> {
        let link = part(&Place::deref(walker), &node.link);
        let after =
            self.in_new_local(body, node.pointer, Rvalue::Use(Operand::Copy(link.clone())))?;
        let mut set = |place: Place, from: Operand| {
            self.execute(body, Statement::Assign(place, Rvalue::Use(from))).then_some(())
        };
        set(link, Operand::local(before))?;
        set(Place::local(before), Operand::local(walker))?;
        set(Place::local(walker), after)
    }
}
