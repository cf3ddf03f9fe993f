//! Choosing places. All places of a type are indexed; a few are drawn, unusable ones are skipped, and of two candidates
//! the one that depends on more values is preferred.

use std::rc::Rc;

use super::super::interpret::Seen;
use super::super::program::{Local, Operand, Place, Projection, Rvalue, Statement};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::{Body, Entry};

/// A path into a type.
#[derive(Clone, Debug)]
pub(super) struct Path {
    steps: Vec<Step>,
    pub(super) of: TypeId,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Field(usize),
    /// An element of an array; none for a slice, whose length is not known here.
    Element(Option<u64>),
    Variant(usize, usize),
}

/// The paths into each type, computed once.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    known: Vec<Option<Rc<[Path]>>>,
}

/// The longest path, and the most paths of a type.
const DEPTH: usize = 3;
const PATHS: usize = 40;

/// How many places are drawn before a choice fails.
const DRAWS: usize = 6;

impl Paths {
    pub(super) fn of(&mut self, of: TypeId, types: &Types) -> Rc<[Path]> {
        let slot = of.0 as usize;
        if self.known.len() <= slot {
            self.known.resize(slot + 1, None);
        }
        if let Some(paths) = &self.known[slot] {
            return Rc::clone(paths);
        }
        let mut paths = vec![];
        // An unsized place cannot be read as a whole.
        if !types.is_unsized(of) {
            paths.push(Path { steps: vec![], of });
        }
        let mut open = vec![Path { steps: vec![], of }];
        while let Some(path) = open.pop() {
            for (step, part) in parts(path.of, types) {
                let mut steps = path.steps.clone();
                steps.push(step);
                let longer = Path { steps, of: part };
                if longer.steps.len() < DEPTH {
                    open.push(longer.clone());
                }
                if paths.len() < PATHS {
                    paths.push(longer);
                }
            }
        }
        let paths: Rc<[Path]> = paths.into();
        self.known[slot] = Some(Rc::clone(&paths));
        paths
    }
}

fn parts(of: TypeId, types: &Types) -> Vec<(Step, TypeId)> {
    match types.kind(of) {
        Kind::Array(element, length) => vec![(Step::Element(Some(*length)), *element)],
        Kind::Slice(element) => vec![(Step::Element(None), *element)],
        _ if types.is_enum(of) => {
            let variants = types.variants(of).iter().enumerate();
            variants
                .flat_map(|(number, variant)| {
                    let fields = variant.fields.iter().enumerate();
                    fields.map(move |(field, of)| (Step::Variant(number, field), *of))
                })
                .collect()
        }
        _ => {
            let fields = types.fields(of).iter().enumerate();
            fields.map(|(field, of)| (Step::Field(field), *of)).collect()
        }
    }
}

/// What a place is chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    Write,
    /// To take its address.
    Borrow,
    /// In a dead block.
    DeadBlock,
}

impl Generator<'_> {
    /// The place of an index entry. Array indices are chosen, and assigned to new locals where none fits.
    fn place(&mut self, body: &mut Body, entry: Entry, purpose: Purpose) -> Option<Place> {
        let local = entry.local as usize;
        let mut root = body.locals[local];
        let mut projections = vec![];
        if entry.deref {
            projections.push(Projection::Deref);
            root = self.program.types.pointee(root)?;
        }
        let paths = self.paths.of(root, &self.program.types);
        let path = &paths[entry.path as usize];
        for step in &path.steps {
            projections.push(match step {
                Step::Field(field) => Projection::Field(*field),
                Step::Variant(variant, field) => Projection::Variant(*variant, *field),
                Step::Element(length) => {
                    let length = match length {
                        Some(length) => *length,
                        None if purpose == Purpose::DeadBlock => 4,
                        None => self.interpreter.length(
                            body.scope(&self.program.types),
                            &body.frame,
                            local,
                        )?,
                    };
                    Projection::Index(self.index(body, length, purpose)?)
                }
            });
        }
        Some(Place { local, projections })
    }

    /// A local that holds an index below a length.
    pub(super) fn index(
        &mut self,
        body: &mut Body,
        length: u64,
        purpose: Purpose,
    ) -> Option<Local> {
        if length == 0 {
            return None;
        }
        if let Some((counter, bound)) = body.counters.last().copied()
            && bound <= length
            && self.entropy.chance(2, 3)
        {
            return Some(counter);
        }
        for _ in 0..3 {
            let Some(local) = self.entropy.pick(&body.indices).copied() else { break };
            if purpose == Purpose::DeadBlock {
                return Some(local);
            }
            let scope = body.scope(&self.program.types);
            let seen = self.interpreter.look(scope, &body.frame, &Place::local(local));
            if matches!(seen, Some(Seen::Bits(at)) if at < u128::from(length)) {
                return Some(local);
            }
        }
        if purpose == Purpose::DeadBlock {
            return None;
        }
        let local = self.new_local(body, Types::USIZE);
        body.indices.push(local);
        let at = u128::from(self.entropy.below(length));
        let value = Rvalue::Use(Operand::constant(Types::USIZE, at));
        self.execute(body, Statement::Assign(Place::local(local), value)).then_some(local)
    }

    /// A place of a type.
    pub(super) fn pick(&mut self, body: &mut Body, of: TypeId, purpose: Purpose) -> Option<Place> {
        let mut best: Option<(u32, Place)> = None;
        for _ in 0..DRAWS {
            let Some(entries) = body.index.get(of.0 as usize) else { break };
            let Some(entry) = self.entropy.pick(entries).copied() else { break };
            let local = entry.local as usize;
            if !body.allows(local, purpose) {
                continue;
            }
            let Some(place) = self.place(body, entry, purpose) else { continue };
            if !self.fits(body, &place, purpose) {
                continue;
            }
            let weight = body.complexity[local] + if entry.deref { 30 } else { 1 };
            match &best {
                None => best = Some((weight, place)),
                Some((other, _)) => {
                    // Prefers the more complex of two.
                    let sum = u64::from(weight) + u64::from(*other);
                    if self.entropy.chance(u64::from(weight), sum) {
                        best = Some((weight, place));
                    }
                    break;
                }
            }
            if purpose != Purpose::Read || self.entropy.chance(1, 2) {
                break;
            }
        }
        best.map(|(_, place)| place)
    }

    fn fits(&self, body: &Body, place: &Place, purpose: Purpose) -> bool {
        let scope = body.scope(&self.program.types);
        match purpose {
            Purpose::Read => self.interpreter.look(scope, &body.frame, place).is_some(),
            Purpose::Write | Purpose::Borrow => {
                self.interpreter.writable(scope, &body.frame, place)
            }
            Purpose::DeadBlock => true,
        }
    }

    /// Any place to write to, of any type.
    pub(super) fn target(&mut self, body: &mut Body, purpose: Purpose) -> Option<Place> {
        for _ in 0..DRAWS {
            let local = self.entropy.below(body.locals.len() as u64) as usize;
            let of = body.locals[local];
            if !body.allows(local, purpose) || body.reserved[local] || of == Types::UNIT {
                continue;
            }
            let pointee = self.program.types.pointee(of);
            // Writes through pointers are preferred: they are harder to analyse.
            let deref = pointee.is_some() && self.entropy.chance(3, 4);
            let root = if deref { pointee.unwrap_or(of) } else { of };
            let count = self.paths.of(root, &self.program.types).len();
            if count == 0 {
                continue;
            }
            let path = self.entropy.below(count as u64) as u16;
            let entry = Entry { local: local as u32, path, deref };
            if let Some(place) = self.place(body, entry, purpose)
                && self.fits(body, &place, purpose)
            {
                return Some(place);
            }
        }
        None
    }

    /// A place of a scalar type.
    pub(super) fn scalar(&mut self, body: &mut Body, purpose: Purpose) -> Option<Place> {
        let of = self.scalar_type();
        self.pick(body, of, purpose)
    }

    /// The current value of a place; none if it cannot be read.
    pub(super) fn known_value(&self, body: &Body, place: &Place) -> Option<Seen> {
        self.interpreter.look(body.scope(&self.program.types), &body.frame, place)
    }

    pub(super) fn type_of(&self, body: &Body, place: &Place) -> Option<TypeId> {
        place.type_in(&body.locals, &self.program.types)
    }
}
