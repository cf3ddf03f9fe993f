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
        Some(Kernel { array, element, other, sum, length, stride, backwards })
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
        let mut value = self.held(body, of, Rvalue::Use(Operand::Copy(at(&kernel.array))))?;
        for _ in 0..self.entropy.between(1, 2) {
            let right = match (self.entropy.below(5), &kernel.other) {
                (0, _) if of != Types::USIZE => {
                    self.held(body, of, Rvalue::Cast(number.clone(), of))?
                }
                (1 | 2, Some(other)) => Operand::Copy(at(other)),
                (3, _) => Operand::local(kernel.sum),
                (4, _) => Operand::Copy(self.pick(body, of, Purpose::Read)?),
                _ => self.constant_of(of),
            };
            value = if self.entropy.chance(1, 6) {
                // How many are less than something.
                let less = Rvalue::Binary(Operator::Lt, value, right);
                let less = self.held(body, Types::BOOL, less)?;
                match self.program.types.kind(of) {
                    Kind::Int(_) => self.held(body, of, Rvalue::Cast(less, of))?,
                    _ => {
                        let byte = self.held(body, Types::U8, Rvalue::Cast(less, Types::U8))?;
                        self.held(body, of, Rvalue::Cast(byte, of))?
                    }
                }
            } else {
                let operator = self.fold(of)?;
                self.held(body, of, Rvalue::Binary(operator, value, right))?
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
            self.assign(body, at(&kernel.array), Rvalue::Use(value)).then_some(())?;
        }
        Some(())
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
            let local = generator.held(body, Types::USIZE, rvalue)?.place()?.local;
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
