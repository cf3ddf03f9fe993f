//! What loops do with arrays, in the shapes that optimisers unroll and turn into vectors: each element mapped, all of
//! them folded into one number, every second one, from the end to the start.

use super::super::program::{Local, Operand, Operator, Place, Projection, Rvalue};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

/// An array that a loop goes over.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
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

impl Kernel {
    /// How often the loop can run at most.
    pub(super) fn trips(&self) -> u64 {
        self.length / self.stride
    }
}

impl Generator<'_> {
    /// Finds an array, and makes ready what its elements go into.
    pub(super) fn kernel(&mut self, body: &mut Body) -> Option<Kernel> {
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
            None => self.somewhere(body, of, 2)?,
        };
        let other = self.pick(body, of, Purpose::Read).filter(|other| *other != array);
        let start = self.constant_of(element);
        let sum = self.held(body, element, Rvalue::Use(start))?.place()?.local;
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
        Some(Kernel { array, element, other, sum, length, stride, backwards, walker, closed })
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
        let zero = self.held(body, Types::USIZE, zero)?.place()?.local;
        let first = Rvalue::AddressOf(true, array.then(Projection::Index(zero)));
        let mut walker = self.held(body, of, first)?;
        if let Some(end) = end {
            let end = Operand::constant(Types::USIZE, u128::from(end));
            walker = self.held(body, of, Rvalue::Offset(walker, end))?;
        }
        let local = walker.place()?.local;
        body.reserved[local] = true;
        Some(local)
    }

    /// The pointer that goes along takes a step.
    fn walk(&mut self, body: &mut Body, kernel: &Kernel, back: bool) -> Option<()> {
        let Some(walker) = kernel.walker else { return Some(()) };
        let by = kernel.stride.cast_signed();
        let by = Self::distance(if back { -by } else { by });
        let by = Operand::constant(Types::ISIZE, by);
        let moved = Rvalue::Offset(Operand::local(walker), by);
        self.assign(body, Place::local(walker), moved).then_some(())
    }

    /// One turn of the loop, whose counter goes from 0 up or down to 1.
    pub(super) fn turn(
        &mut self,
        body: &mut Body,
        kernel: &Kernel,
        counter: Local,
        up: bool,
    ) -> Option<()> {
        let index = self.position(body, kernel, counter, up)?;
        let (of, number) = (kernel.element, Operand::local(counter));
        let at = |place: &Place| place.then(Projection::Index(index));
        if kernel.backwards {
            self.walk(body, kernel, true)?;
        }
        let here = kernel.walker.map_or_else(|| at(&kernel.array), Place::deref);
        let mut value = self.along(body, kernel, of, Rvalue::Use(Operand::Copy(here.clone())))?;
        for _ in 0..self.entropy.between(1, 2) {
            let right = match (self.entropy.below(5), &kernel.other) {
                (0, _) if of != Types::USIZE => {
                    self.along(body, kernel, of, Rvalue::Cast(number.clone(), of))?
                }
                (1 | 2, Some(other)) => Operand::Copy(at(other)),
                (3, _) => Operand::local(kernel.sum),
                (4, _) => Operand::Copy(self.pick(body, of, Purpose::Read)?),
                _ => self.constant_of(of),
            };
            value = if self.entropy.chance(1, 6) {
                // How many are less than something.
                let less = Rvalue::Binary(Operator::Lt, value, right);
                let less = self.along(body, kernel, Types::BOOL, less)?;
                match self.program.types.kind(of) {
                    Kind::Int(_) => self.along(body, kernel, of, Rvalue::Cast(less, of))?,
                    _ => {
                        let byte = Rvalue::Cast(less, Types::U8);
                        let byte = self.along(body, kernel, Types::U8, byte)?;
                        self.along(body, kernel, of, Rvalue::Cast(byte, of))?
                    }
                }
            } else {
                let operator = self.fold(of)?;
                self.along(body, kernel, of, Rvalue::Binary(operator, value, right))?
            };
        }
        let kind = self.entropy.below(4);
        if kind != 0 {
            let sum = Place::local(kernel.sum);
            let operator = self.fold(of)?;
            let folded = Rvalue::Binary(operator, Operand::Copy(sum.clone()), value.clone());
            self.assign(body, sum, folded).then_some(())?;
        }
        if kind < 2 {
            self.assign(body, here, Rvalue::Use(value)).then_some(())?;
        }
        if kernel.backwards { Some(()) } else { self.walk(body, kernel, false) }
    }

    /// A local for what is computed along the way.
    fn along(
        &mut self,
        body: &mut Body,
        kernel: &Kernel,
        of: TypeId,
        rvalue: Rvalue,
    ) -> Option<Operand> {
        if kernel.closed { self.unseen(body, of, rvalue) } else { self.held(body, of, rvalue) }
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
        kernel: &Kernel,
        counter: Local,
        up: bool,
    ) -> Option<Local> {
        let number = |number: u64| Operand::constant(Types::USIZE, u128::from(number));
        let mut at = counter;
        let step = |generator: &mut Self, body: &mut Body, rvalue: Rvalue| {
            let local = generator.along(body, kernel, Types::USIZE, rvalue)?.place()?.local;
            body.reserved[local] = true;
            Some(local)
        };
        if !up {
            let down = Rvalue::Binary(Operator::Sub, Operand::local(at), number(1));
            at = step(self, body, down)?;
        }
        if kernel.stride > 1 {
            let wide = Rvalue::Binary(Operator::Mul, Operand::local(at), number(kernel.stride));
            at = step(self, body, wide)?;
        }
        if kernel.backwards {
            let last = number(kernel.length - 1);
            let mirrored = Rvalue::Binary(Operator::Sub, last, Operand::local(at));
            at = step(self, body, mirrored)?;
        }
        Some(at)
    }

    /// The number that all went into, for everybody to see.
    pub(super) fn reap(&mut self, body: &mut Body, kernel: &Kernel) {
        body.reserved[kernel.sum] = false;
        body.complexity[kernel.sum] = super::body::COMPLEX;
    }
}
