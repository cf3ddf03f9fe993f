//! Loops over local arrays that optimisers unroll and vectorise: maps, reductions, strided and reversed access. The body is
//! generated in lockstep with the interpreter; `vector_loops.rs` has loops that are functions of their own.

use super::super::program::{Local, Operand, Operator, Place, Projection, Rvalue};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

/// An array that a loop goes over.
#[derive(Clone, Debug)]
pub(super) struct ArrayLoop {
    array: Place,
    element: TypeId,
    /// What else there is: another array that is at least as long, and a number that all goes into.
    other: Option<Place>,
    sum: Local,
    length: u64,
    stride: u64,
    backwards: bool,
    /// A pointer that goes along with the loop, instead of an index.
    walker: Option<Local>,
    /// Nobody looks at what is computed along the way once the loop is over: a loop that is looked into cannot be
    /// turned into vectors.
    closed: bool,
}

/// What can be done with integers again and again.
const FOLDS: [Operator; 6] =
    [Operator::Add, Operator::Add, Operator::Sub, Operator::Mul, Operator::BitXor, Operator::BitOr];

impl ArrayLoop {
    /// How often the loop can run at most.
    pub(super) fn trips(&self) -> u64 {
        self.length / self.stride
    }
}

impl Generator<'_> {
    /// Finds an array, and makes ready what its elements go into.
    pub(super) fn array_loop(&mut self, body: &mut Body) -> Option<ArrayLoop> {
        let types = &self.program.types;
        let most = if body.loops > 1 { 16 } else { 64 };
        let fitting: Vec<(TypeId, TypeId, u64)> = (self.palette.all.iter())
            .filter_map(|of| match types.kind(*of) {
                Kind::Array(element, length) if (4..=most).contains(length) => {
                    let number = matches!(types.kind(*element), Kind::Int(_) | Kind::Float(_));
                    number.then_some((*of, *element, *length))
                }
                _ => None,
            })
            .collect();
        let (of, element, length) = self.entropy.pick(&fitting).copied()?;
        let there = self.pick(body, of, Purpose::Write);
        let array = match there.filter(|place| self.seen(body, place).is_some()) {
            Some(place) => place,
            None => self.place_with_value(body, of, 2)?,
        };
        let other = self.pick(body, of, Purpose::Read).filter(|other| *other != array);
        let start = self.constant_of(element);
        let sum = self.in_new_local(body, element, Rvalue::Use(start))?.place()?.local;
        body.reserved[sum] = true;
        let stride = if length >= 8 && self.entropy.chance(1, 4) { 2 } else { 1 };
        let backwards = self.entropy.chance(1, 4);
        let walks = self.swarm.pointers && self.entropy.chance(1, 3);
        let walker = if walks {
            Some(self.walker(body, &array, element, backwards.then_some(length))?)
        } else {
            None
        };
        let closed = self.entropy.chance(3, 4);
        Some(ArrayLoop { array, element, other, sum, length, stride, backwards, walker, closed })
    }

    /// A pointer to the first element of an array, or to so many from there.
    fn walker(
        &mut self,
        body: &mut Body,
        array: &Place,
        to: TypeId,
        end: Option<u64>,
    ) -> Option<Local> {
        let of = self.program.types.intern(Kind::Pointer { mutable: true, to });
        let zero = Rvalue::Use(Operand::constant(Types::USIZE, 0));
        let zero = self.in_new_local(body, Types::USIZE, zero)?.place()?.local;
        let first = Rvalue::AddressOf(true, array.then(Projection::Index(zero)));
        let mut walker = self.in_new_local(body, of, first)?;
        if let Some(end) = end {
            let end = Operand::constant(Types::USIZE, u128::from(end));
            walker = self.in_new_local(body, of, Rvalue::Offset(walker, end))?;
        }
        let local = walker.place()?.local;
        body.reserved[local] = true;
        Some(local)
    }

    /// The pointer that goes along takes a step.
    fn advance_pointer(
        &mut self,
        body: &mut Body,
        array_loop: &ArrayLoop,
        back: bool,
    ) -> Option<()> {
        let Some(walker) = array_loop.walker else { return Some(()) };
        let by = array_loop.stride.cast_signed();
        let by = Self::distance(if back { -by } else { by });
        let by = Operand::constant(Types::ISIZE, by);
        let moved = Rvalue::Offset(Operand::local(walker), by);
        self.assign(body, Place::local(walker), moved).then_some(())
    }

    /// One turn of the loop, whose counter goes from 0 up or down to 1.
    pub(super) fn array_iteration(
        &mut self,
        body: &mut Body,
        array_loop: &ArrayLoop,
        counter: Local,
        up: bool,
    ) -> Option<()> {
        let index = self.position(body, array_loop, counter, up)?;
        let (of, number) = (array_loop.element, Operand::local(counter));
        let at = |place: &Place| place.then(Projection::Index(index));
        if array_loop.backwards {
            self.advance_pointer(body, array_loop, true)?;
        }
        let here = array_loop.walker.map_or_else(|| at(&array_loop.array), Place::deref);
        let mut value =
            self.temporary(body, array_loop, of, Rvalue::Use(Operand::Copy(here.clone())))?;
        for _ in 0..self.entropy.between(1, 2) {
            let right = match (self.entropy.below(5), &array_loop.other) {
                (0, _) if of != Types::USIZE => {
                    self.temporary(body, array_loop, of, Rvalue::Cast(number.clone(), of))?
                }
                (1 | 2, Some(other)) => Operand::Copy(at(other)),
                (3, _) => Operand::local(array_loop.sum),
                (4, _) => Operand::Copy(self.pick(body, of, Purpose::Read)?),
                _ => self.constant_of(of),
            };
            value = if self.entropy.chance(1, 6) {
                // How many are less than something.
                let less = Rvalue::Binary(Operator::Lt, value, right);
                let less = self.temporary(body, array_loop, Types::BOOL, less)?;
                match self.program.types.kind(of) {
                    Kind::Int(_) => self.temporary(body, array_loop, of, Rvalue::Cast(less, of))?,
                    _ => {
                        let byte = Rvalue::Cast(less, Types::U8);
                        let byte = self.temporary(body, array_loop, Types::U8, byte)?;
                        self.temporary(body, array_loop, of, Rvalue::Cast(byte, of))?
                    }
                }
            } else {
                let operator = self.fold(of)?;
                self.temporary(body, array_loop, of, Rvalue::Binary(operator, value, right))?
            };
        }
        let kind = self.entropy.below(4);
        if kind != 0 {
            let sum = Place::local(array_loop.sum);
            let operator = self.fold(of)?;
            let folded = Rvalue::Binary(operator, Operand::Copy(sum.clone()), value.clone());
            self.assign(body, sum, folded).then_some(())?;
        }
        if kind < 2 {
            self.assign(body, here, Rvalue::Use(value)).then_some(())?;
        }
        if array_loop.backwards { Some(()) } else { self.advance_pointer(body, array_loop, false) }
    }

    /// A local for what is computed along the way.
    fn temporary(
        &mut self,
        body: &mut Body,
        array_loop: &ArrayLoop,
        of: TypeId,
        rvalue: Rvalue,
    ) -> Option<Operand> {
        if array_loop.closed {
            self.in_private_local(body, of, rvalue)
        } else {
            self.in_new_local(body, of, rvalue)
        }
    }

    fn fold(&mut self, of: TypeId) -> Option<Operator> {
        let most = match self.program.types.kind(of) {
            Kind::Float(_) => 4,
            _ => FOLDS.len() as u64,
        };
        FOLDS.get(self.entropy.below(most) as usize).copied()
    }

    /// Which element it is this time.
    fn position(
        &mut self,
        body: &mut Body,
        array_loop: &ArrayLoop,
        counter: Local,
        up: bool,
    ) -> Option<Local> {
        let number = |number: u64| Operand::constant(Types::USIZE, u128::from(number));
        let mut at = counter;
        let step = |generator: &mut Self, body: &mut Body, rvalue: Rvalue| {
            let local = generator.temporary(body, array_loop, Types::USIZE, rvalue)?.place()?.local;
            body.reserved[local] = true;
            Some(local)
        };
        if !up {
            let down = Rvalue::Binary(Operator::Sub, Operand::local(at), number(1));
            at = step(self, body, down)?;
        }
        if array_loop.stride > 1 {
            let wide = Rvalue::Binary(Operator::Mul, Operand::local(at), number(array_loop.stride));
            at = step(self, body, wide)?;
        }
        if array_loop.backwards {
            let last = number(array_loop.length - 1);
            let mirrored = Rvalue::Binary(Operator::Sub, last, Operand::local(at));
            at = step(self, body, mirrored)?;
        }
        Some(at)
    }

    /// The number that all went into, for everybody to see.
    pub(super) fn expose_sum(&mut self, body: &mut Body, array_loop: &ArrayLoop) {
        body.reserved[array_loop.sum] = false;
        body.complexity[array_loop.sum] = super::body::COMPLEX;
    }
}
