//! Loops over local arrays that optimisers unroll and vectorise: maps, reductions, strided and reversed access. The body is
//! generated in lockstep with the interpreter; `vector_loops.rs` has loops that are functions of their own.

use super::super::program::{Local, Operand, Operator, Place, Projection, Rvalue};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

/// A loop over an array.
#[derive(Clone, Debug)]
pub(super) struct ArrayLoop {
    array: Place,
    element: TypeId,
    /// Another array of at least the same length, which elements may be combined with.
    other: Option<Place>,
    sum: Local,
    length: u64,
    stride: u64,
    backwards: bool,
    /// A pointer that is advanced in each iteration, instead of an index.
    cursor: Option<Local>,
    /// The temporaries are not used after the loop: LLVM does not vectorise a loop whose intermediate values escape.
    private_temporaries: bool,
}

/// Operators of reductions. The first four also apply to floats.
const FOLDS: [Operator; 6] =
    [Operator::Add, Operator::Add, Operator::Sub, Operator::Mul, Operator::BitXor, Operator::BitOr];

impl ArrayLoop {
    /// The maximum trip count.
    pub(super) fn trips(&self) -> u64 {
        self.length / self.stride
    }
}

impl Generator<'_> {
    /// Finds or makes an array, and initialises the accumulator.
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
        let existing = self.pick(body, of, Purpose::Write);
        let array = match existing.filter(|place| self.known_value(body, place).is_some()) {
            Some(place) => place,
            None => self.place_with_value(body, of, 2)?,
        };
        let other = self.pick(body, of, Purpose::Read).filter(|other| *other != array);
        let start = self.constant_of(element);
        let sum = self.in_new_local(body, element, Rvalue::Use(start))?.place()?.local;
        body.reserved[sum] = true;
        let stride = if length >= 8 && self.entropy.chance(1, 4) { 2 } else { 1 };
        let backwards = self.entropy.chance(1, 4);
        let by_pointer = self.swarm.pointers && self.entropy.chance(1, 3);
        let cursor = if by_pointer {
            Some(self.cursor(body, &array, element, backwards.then_some(length))?)
        } else {
            None
        };
        let private_temporaries = self.entropy.chance(3, 4);
        Some(ArrayLoop {
            array,
            element,
            other,
            sum,
            length,
            stride,
            backwards,
            cursor,
            private_temporaries,
        })
    }

    /// A pointer to the first element of an array, or `end` elements behind it.
    fn cursor(
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
        let mut cursor = self.in_new_local(body, of, first)?;
        if let Some(end) = end {
            let end = Operand::constant(Types::USIZE, u128::from(end));
            cursor = self.in_new_local(body, of, Rvalue::Offset(cursor, end))?;
        }
        let local = cursor.place()?.local;
        body.reserved[local] = true;
        Some(local)
    }

    /// Moves the cursor by one stride.
    fn advance_pointer(
        &mut self,
        body: &mut Body,
        array_loop: &ArrayLoop,
        back: bool,
    ) -> Option<()> {
        let Some(cursor) = array_loop.cursor else { return Some(()) };
        let by = array_loop.stride.cast_signed();
        let by = Self::distance(if back { -by } else { by });
        let by = Operand::constant(Types::ISIZE, by);
        let moved = Rvalue::Offset(Operand::local(cursor), by);
        self.assign(body, Place::local(cursor), moved).then_some(())
    }

    /// The body of one iteration. The counter goes up from 0, or down to 1.
    pub(super) fn array_iteration(
        &mut self,
        body: &mut Body,
        array_loop: &ArrayLoop,
        counter: Local,
        up: bool,
    ) -> Option<()> {
        let index = self.element_index(body, array_loop, counter, up)?;
        let (of, number) = (array_loop.element, Operand::local(counter));
        let at = |place: &Place| place.then(Projection::Index(index));
        if array_loop.backwards {
            self.advance_pointer(body, array_loop, true)?;
        }
        let here = array_loop.cursor.map_or_else(|| at(&array_loop.array), Place::deref);
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
                // The result of a comparison as a number.
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
                let operator = self.reduction_operator(of)?;
                self.temporary(body, array_loop, of, Rvalue::Binary(operator, value, right))?
            };
        }
        let kind = self.entropy.below(4);
        if kind != 0 {
            let sum = Place::local(array_loop.sum);
            let operator = self.reduction_operator(of)?;
            let folded = Rvalue::Binary(operator, Operand::Copy(sum.clone()), value.clone());
            self.assign(body, sum, folded).then_some(())?;
        }
        if kind < 2 {
            self.assign(body, here, Rvalue::Use(value)).then_some(())?;
        }
        if array_loop.backwards { Some(()) } else { self.advance_pointer(body, array_loop, false) }
    }

    /// Assigns an intermediate value to a new local.
    fn temporary(
        &mut self,
        body: &mut Body,
        array_loop: &ArrayLoop,
        of: TypeId,
        rvalue: Rvalue,
    ) -> Option<Operand> {
        if array_loop.private_temporaries {
            self.in_private_local(body, of, rvalue)
        } else {
            self.in_new_local(body, of, rvalue)
        }
    }

    fn reduction_operator(&mut self, of: TypeId) -> Option<Operator> {
        let most = match self.program.types.kind(of) {
            Kind::Float(_) => 4,
            _ => FOLDS.len() as u64,
        };
        FOLDS.get(self.entropy.below(most) as usize).copied()
    }

    /// The index of the element of this iteration.
    fn element_index(
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

    /// Makes the accumulator available to later statements.
    pub(super) fn expose_sum(&mut self, body: &mut Body, array_loop: &ArrayLoop) {
        body.reserved[array_loop.sum] = false;
        body.complexity[array_loop.sum] = super::body::MAX_COMPLEXITY;
    }
}
