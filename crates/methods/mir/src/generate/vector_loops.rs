//! Counted loops over arrays that LLVM can vectorise, each in a function of its own: the trip count is an argument, and
//! the arrays are behind pointers that may alias. `vector_body.rs` writes what they compute per element.

use super::super::program::{
    Callee, Local, Operand, Operator, Place, Projection, Rvalue, Terminator, Unwind,
};
use super::super::types::{Kind, TypeId, Types, Width};
use super::Generator;
use super::body::Body;
use super::function_builder::FunctionBuilder;

/// Printed lines of such a loop, with its call and the digest of its result.
const ROOM: i64 = 90;

/// The most steps of one call.
const FUEL: u64 = 8_000;

/// The kinds of loops and their weights.
const WORK: &[(Work, u64)] = &[
    (Work::Reduce, 3),
    (Work::Extreme, 2),
    (Work::Map, 4),
    (Work::ConditionalStore, 2),
    (Work::WideningSum, 3),
    (Work::Narrowing, 2),
    (Work::Search, 2),
    (Work::Count, 1),
    (Work::Recurrence, 1),
    (Work::LastIndex, 1),
    (Work::Interleaved, 2),
    (Work::Shifted, 2),
    (Work::Copy, 1),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// `sum = sum op f(a[i], b[i])`.
    Reduce,
    /// The minimum or maximum, by a comparison and a branch.
    Extreme,
    /// `c[i] = f(a[i], b[i])`.
    Map,
    /// The same under a condition.
    ConditionalStore,
    /// A sum or dot product in a wider type.
    WideningSum,
    /// Computed in a wider type, and stored in the narrow one.
    Narrowing,
    /// Leaves the loop at the first element that satisfies a condition.
    Search,
    /// The number of elements that satisfy a condition.
    Count,
    /// `c[i] = f(a[i], a[i - 1])`, where the previous element is kept in a local.
    Recurrence,
    /// The last index of an element that satisfies a condition.
    LastIndex,
    /// `a[2 * i]` and `a[2 * i + 1]`.
    Interleaved,
    /// `c[i + d] = f(c[i])`: a dependence between iterations.
    Shifted,
    /// `c[i] = a[i]`, or a constant: memcpy and memset.
    Copy,
}

/// The parameters of a loop's function, after the return place.
pub(super) const A: Local = 1;
pub(super) const B: Local = 2;
pub(super) const C: Local = 3;
const COUNT: Local = 4;
pub(super) const KEY: Local = 5;

/// The parameters of a loop that is to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) work: Work,
    pub(super) element: TypeId,
    /// The type of intermediate values: the type of the elements, or a wider one.
    pub(super) wide: TypeId,
    pub(super) result: TypeId,
    pub(super) length: u64,
    pub(super) stride: u64,
    /// How many elements beyond its index an iteration accesses.
    pub(super) reach: u64,
    reversed: bool,
    /// The type of the counter.
    counter: TypeId,
    references: bool,
}

impl Plan {
    /// The maximum trip count.
    fn trips(&self) -> u64 {
        (self.length - self.reach) / self.stride
    }
}

impl Generator<'_> {
    pub(super) fn vector_loop(&mut self, body: &mut Body) {
        if body.loops > 0
            || self.restricted
            || self.in_cleanup
            || self.lines_left - body.lines < ROOM
        {
            return self.switch(body);
        }
        let snapshot = self.snapshot(body);
        if self.try_vector_loop(body).is_none() {
            self.restore(body, snapshot);
        }
    }

    fn try_vector_loop(&mut self, body: &mut Body) -> Option<()> {
        let plan = self.plan();
        let number = self.write_loop(&plan);
        let array = self.program.types.intern(Kind::Array(plan.element, plan.length));
        let first = self.filled(body, plan.element, array, plan.length)?;
        let second = self.filled(body, plan.element, array, plan.length)?;
        let third = match self.entropy.below(6) {
            // If the arrays alias, the run-time check of the vectorised loop must detect it.
            0 => first,
            1 => second,
            _ => self.filled(body, plan.element, array, plan.length)?,
        };
        let mut recorded = vec![];
        for _ in 0..self.entropy.between(1, 3) {
            let wanted = match self.entropy.below(4) {
                0 => self.entropy.below(plan.trips() + 1),
                _ => self.entropy.between(plan.trips() / 2, plan.trips()),
            };
            let count = self.opaque_exactly(body, Types::USIZE, u128::from(wanted))?;
            let key = match self.entropy.below(3) {
                0 => self.constant_of(plan.element),
                _ => self.run_time_value(body, plan.element)?,
            };
            let arguments = vec![
                self.array_argument(body, array, first, plan.references, false)?,
                self.array_argument(body, array, second, plan.references, false)?,
                self.array_argument(body, array, third, plan.references, true)?,
                count,
                key,
            ];
            let result = Place::local(self.new_local(body, plan.result));
            let callee = Callee::Function(number, vec![]);
            let unwind = Unwind::Unreachable;
            self.call_within(body, callee, arguments, result.clone(), unwind, FUEL).then_some(())?;
            recorded.push(result);
        }
        recorded.reverse();
        recorded.insert(0, self.digest_of(body, &plan, array, third)?);
        self.record_places(body, &recorded)
    }

    fn plan(&mut self) -> Plan {
        let widths = [Width::W8, Width::W16, Width::W32, Width::W64];
        // Narrow elements are preferred: few wide ones fit into a vector.
        let at = self.entropy.pick(&[0, 0, 1, 1, 2, 2, 2, 3]).copied().unwrap_or(2_usize);
        let signed = self.entropy.chance(1, 2);
        let total = WORK.iter().map(|(_, weight)| weight).sum();
        let mut draw = self.entropy.below(total);
        let drawn = WORK.iter().find(|(_, weight)| {
            let found = draw < *weight;
            draw = draw.saturating_sub(*weight);
            found
        });
        let work = drawn.map_or(Work::Map, |(work, _)| *work);
        let widens = matches!(work, Work::WideningSum | Work::Narrowing);
        let at = if widens { at.min(2) } else { at };
        let float = self.swarm.floats && !widens && self.entropy.chance(1, 4);
        let (element, wide) = if float {
            let of = if self.entropy.chance(1, 2) { Types::F32 } else { Types::F64 };
            (of, of)
        } else {
            let above = at + 1 + self.entropy.below(3 - at.min(2) as u64) as usize;
            let wide = if widens { widths[above.min(3)] } else { widths[at] };
            (self.int_type(signed, widths[at]), self.int_type(signed, wide))
        };
        let result = match work {
            Work::Search | Work::Count | Work::LastIndex => Types::USIZE,
            Work::WideningSum => wide,
            _ => element,
        };
        // LLVM does not vectorise loops that are known to have few iterations.
        let length = match self.entropy.below(3) {
            0 => 32 << self.entropy.below(3),
            _ => self.entropy.between(24, 100),
        };
        let (stride, reach) = match work {
            Work::Interleaved => (2, 1),
            Work::Shifted => (1, 1 << self.entropy.below(4)),
            _ if self.entropy.chance(1, 6) => (self.entropy.between(2, 3), 0),
            _ => (1, 0),
        };
        let reversed = work != Work::Shifted && self.entropy.chance(1, 5);
        let counters =
            [Types::USIZE, Types::USIZE, Types::USIZE, Types::U32, Types::I32, Types::U8];
        let counter = self.entropy.pick(&counters).copied().unwrap_or(Types::USIZE);
        let references = self.swarm.references && self.entropy.chance(1, 3);
        Plan { work, element, wide, result, length, stride, reach, reversed, counter, references }
    }

    fn write_loop(&mut self, plan: &Plan) -> usize {
        let array = self.program.types.intern(Kind::Array(plan.element, plan.length));
        let reader = self.array_pointer_type(array, plan.references, false);
        let writer = self.array_pointer_type(array, plan.references, true);
        let signature = [plan.result, reader, reader, writer, Types::USIZE, plan.element];
        let mut builder = FunctionBuilder::new(&signature);
        let trips = self.bounded(&mut builder, plan.trips());
        let trips = builder.cast(trips, Types::USIZE, plan.counter);
        self.initialise(&mut builder, plan);
        let kept = builder.local(plan.element);
        builder.set(kept, Rvalue::Use(Operand::local(KEY)));
        let counter = builder.local(plan.counter);
        let (zero, one) = (Operand::constant(plan.counter, 0), Operand::constant(plan.counter, 1));
        let down = self.entropy.chance(1, 5);
        let start = if down { trips.clone() } else { zero.clone() };
        let last = if down { zero } else { trips };
        builder.set(counter, Rvalue::Use(start));
        let (head, inside, exit) = (builder.open(), builder.open(), builder.open());
        let operator = match (self.entropy.below(2), down) {
            (0, false) => Operator::Lt,
            (0, true) => Operator::Gt,
            _ => Operator::Ne,
        };
        let test = Rvalue::Binary(operator, Operand::local(counter), last);
        builder.goto(head);
        let continues = builder.value(Types::BOOL, test.clone());
        builder.branch(continues, inside, exit, inside);
        if down {
            let less = Rvalue::Binary(Operator::Sub, Operand::local(counter), one.clone());
            builder.set(counter, less);
        }
        let index = self.iteration_index(&mut builder, plan, counter);
        self.iteration(&mut builder, plan, index, kept, exit);
        if !down {
            builder.set(counter, Rvalue::Binary(Operator::Add, Operand::local(counter), one));
        }
        if self.entropy.chance(1, 2) {
            // A rotated loop: tested at the end, and once before the first iteration.
            let continues = builder.value(Types::BOOL, test);
            builder.branch(continues, inside, exit, exit);
        } else {
            builder.end(Terminator::Goto(head), exit);
        }
        builder.finish(self, plan.trips())
    }

    /// The number of iterations: the argument, limited in one of several ways.
    fn bounded(&mut self, builder: &mut FunctionBuilder, most: u64) -> Operand {
        let count = Operand::local(COUNT);
        let limit = |number: u64| Operand::constant(Types::USIZE, number.into());
        match self.entropy.below(3) {
            0 => {
                let mask = (1 << (63 - (most + 1).leading_zeros())) - 1;
                builder.value(Types::USIZE, Rvalue::Binary(Operator::BitAnd, count, limit(mask)))
            }
            1 => builder.value(Types::USIZE, Rvalue::Binary(Operator::Rem, count, limit(most + 1))),
            _ => {
                let local = builder.local(Types::USIZE);
                builder.set(local, Rvalue::Use(count.clone()));
                let more =
                    builder.value(Types::BOOL, Rvalue::Binary(Operator::Gt, count, limit(most)));
                let (then, next) = (builder.open(), builder.open());
                builder.branch(more, then, next, then);
                builder.set(local, Rvalue::Use(limit(most)));
                builder.goto(next);
                Operand::local(local)
            }
        }
    }

    /// The index of an iteration.
    fn iteration_index(
        &mut self,
        builder: &mut FunctionBuilder,
        plan: &Plan,
        counter: Local,
    ) -> Local {
        let number = |number: u64| Operand::constant(Types::USIZE, number.into());
        let mut at = builder.cast(Operand::local(counter), plan.counter, Types::USIZE);
        if plan.stride > 1 {
            at =
                builder.value(Types::USIZE, Rvalue::Binary(Operator::Mul, at, number(plan.stride)));
        }
        if plan.reversed {
            let last = number(plan.length - 1 - plan.reach);
            at = builder.value(Types::USIZE, Rvalue::Binary(Operator::Sub, last, at));
        }
        at.place().map_or(counter, |place| place.local)
    }

    /// The type of a pointer or reference to an array.
    fn array_pointer_type(&mut self, to: TypeId, reference: bool, mutable: bool) -> TypeId {
        let kind =
            if reference { Kind::Reference { mutable, to } } else { Kind::Pointer { mutable, to } };
        self.program.types.intern(kind)
    }

    /// A pointer or reference to an array, as an argument.
    fn array_argument(
        &mut self,
        body: &mut Body,
        array: TypeId,
        local: Local,
        reference: bool,
        mutable: bool,
    ) -> Option<Operand> {
        let of = self.array_pointer_type(array, reference, mutable);
        let place = Place::local(local);
        let rvalue = if reference {
            Rvalue::Reference(mutable, place)
        } else {
            Rvalue::AddressOf(mutable, place)
        };
        let operand = self.in_private_local(body, of, rvalue)?;
        if reference && mutable {
            Some(Operand::Move(operand.place()?.clone()))
        } else {
            Some(operand)
        }
    }

    /// A new array of constants and a few run-time values.
    fn filled(
        &mut self,
        body: &mut Body,
        element: TypeId,
        array: TypeId,
        length: u64,
    ) -> Option<Local> {
        let run_time = [self.run_time_value(body, element)?, self.run_time_value(body, element)?];
        let parts = (0..length).map(|_| match self.entropy.below(6) {
            0 => self.entropy.pick(&run_time).cloned(),
            _ => Some(self.constant_of(element)),
        });
        let parts = parts.collect::<Option<Vec<Operand>>>()?;
        self.in_new_local(body, array, Rvalue::Aggregate(array, 0, parts))?
            .place()
            .map(|it| it.local)
    }

    /// Calls a function that combines all elements of an array into one number.
    fn digest_of(
        &mut self,
        body: &mut Body,
        plan: &Plan,
        array: TypeId,
        local: Local,
    ) -> Option<Place> {
        let functions = self.program.functions.len();
        self.digests.retain(|(_, number)| *number < functions);
        let known = self.digests.iter().find(|(of, _)| *of == array).map(|(_, number)| *number);
        let number = known.unwrap_or_else(|| self.write_digest(plan, array));
        let pointer = self.array_argument(body, array, local, false, false)?;
        let digest = Place::local(self.new_local(body, Types::U64));
        let callee = Callee::Function(number, vec![]);
        let unwind = Unwind::Unreachable;
        self.call_within(body, callee, vec![pointer], digest.clone(), unwind, FUEL)
            .then_some(digest)
    }

    fn write_digest(&mut self, plan: &Plan, array: TypeId) -> usize {
        let pointer = self.array_pointer_type(array, false, false);
        let mut builder = FunctionBuilder::new(&[Types::U64, pointer]);
        let counter = builder.local(Types::USIZE);
        let usize_of = |number: u64| Operand::constant(Types::USIZE, number.into());
        builder.set(0, Rvalue::Use(Operand::constant(Types::U64, 7)));
        builder.set(counter, Rvalue::Use(usize_of(0)));
        let (head, exit) = (builder.open(), builder.open());
        builder.goto(head);
        let element = Place::deref(1).then(Projection::Index(counter));
        let signed = builder.cast(Operand::Copy(element), plan.element, Types::ISIZE);
        let word = builder.cast(signed, Types::ISIZE, Types::U64);
        let factor = Operand::constant(Types::U64, 31);
        builder.set(0, Rvalue::Binary(Operator::Mul, Operand::local(0), factor));
        builder.set(0, Rvalue::Binary(Operator::BitXor, Operand::local(0), word));
        builder.set(counter, Rvalue::Binary(Operator::Add, Operand::local(counter), usize_of(1)));
        let test = Rvalue::Binary(Operator::Ne, Operand::local(counter), usize_of(plan.length));
        let continues = builder.value(Types::BOOL, test);
        builder.branch(continues, head, exit, exit);
        let number = builder.finish(self, plan.length);
        self.digests.push((array, number));
        number
    }
}
