//! What a loop of `vector_loops.rs` computes for each element: reductions, maps, searches and so on, with short
//! random expressions.

use super::super::intrinsic::Intrinsic;
use super::super::program::{Local, Operand, Operator, Place, Projection, Rvalue, Terminator};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::function_builder::FunctionBuilder;
use super::vector_loops::{A, B, C, KEY, Plan, Work};

/// Operators that reductions and maps use on integers.
const INTEGER: [Operator; 6] = [
    Operator::Add,
    Operator::BitXor,
    Operator::Sub,
    Operator::Mul,
    Operator::BitAnd,
    Operator::BitOr,
];

/// The same for floats.
const FLOAT: [Operator; 3] = [Operator::Add, Operator::Sub, Operator::Mul];

const COMPARISONS: [Operator; 4] = [Operator::Lt, Operator::Gt, Operator::Eq, Operator::Ne];

impl Generator<'_> {
    /// Sets the return place, which is also the accumulator.
    pub(super) fn initialise(&mut self, builder: &mut FunctionBuilder, plan: &Plan) {
        let start = match plan.work {
            Work::Search => Operand::constant(Types::USIZE, plan.length.into()),
            Work::Count | Work::LastIndex => Operand::constant(Types::USIZE, 0),
            Work::WideningSum => self.constant_of(plan.wide),
            _ => Operand::local(KEY),
        };
        builder.set(0, Rvalue::Use(start));
    }

    /// One iteration. `kept` holds the element of the previous iteration.
    pub(super) fn iteration(
        &mut self,
        builder: &mut FunctionBuilder,
        plan: &Plan,
        index: Local,
        kept: Local,
        exit: usize,
    ) {
        let of = plan.element;
        let at = |array: Local| Place::deref(array).then(Projection::Index(index));
        let read = |builder: &mut FunctionBuilder, place: Place| {
            builder.value(of, Rvalue::Use(Operand::Copy(place)))
        };
        match plan.work {
            Work::Reduce => {
                let (x, y) = (read(builder, at(A)), read(builder, at(B)));
                let value = self.mixed(builder, of, x, &[y]);
                self.accumulate(builder, of, value);
            }
            Work::Extreme => {
                let x = read(builder, at(A));
                let value = if self.entropy.chance(1, 2) {
                    let y = read(builder, at(B));
                    self.mixed(builder, of, x, &[y])
                } else {
                    x
                };
                let operator = COMPARISONS[self.entropy.below(2) as usize];
                let better = Rvalue::Binary(operator, value.clone(), Operand::local(0));
                let better = builder.value(Types::BOOL, better);
                self.if_then(builder, better, |builder| builder.set(0, Rvalue::Use(value)));
            }
            Work::Map => {
                let (x, y) = (read(builder, at(A)), read(builder, at(B)));
                let value = self.mixed(builder, of, x, &[y]);
                builder.assign(at(C), Rvalue::Use(value.clone()));
                if self.entropy.chance(1, 3) {
                    self.accumulate(builder, of, value);
                }
            }
            Work::ConditionalStore => {
                let (x, y) = (read(builder, at(A)), read(builder, at(B)));
                let fits = self.compared(builder, x.clone());
                let value = self.mixed(builder, of, x, &[y]);
                self.if_then(builder, fits, |builder| builder.assign(at(C), Rvalue::Use(value)));
            }
            Work::WideningSum => {
                let x = read(builder, at(A));
                let mut wide = builder.cast(x, of, plan.wide);
                if self.entropy.chance(1, 2) {
                    let y = read(builder, at(B));
                    let other = builder.cast(y, of, plan.wide);
                    let operators = [Operator::Mul, Operator::Mul, Operator::Sub];
                    let operator = self.entropy.pick(&operators).copied().unwrap_or(Operator::Mul);
                    wide = builder.value(plan.wide, Rvalue::Binary(operator, wide, other));
                }
                builder.set(0, Rvalue::Binary(Operator::Add, Operand::local(0), wide));
            }
            Work::Narrowing => {
                let (x, y) = (read(builder, at(A)), read(builder, at(B)));
                let (x, y) = (builder.cast(x, of, plan.wide), builder.cast(y, of, plan.wide));
                let value = self.mixed(builder, plan.wide, x, &[y]);
                let by = Operand::constant(plan.wide, self.entropy.below(9).into());
                let value = builder.value(plan.wide, Rvalue::Binary(Operator::Shr, value, by));
                let value = builder.cast(value, plan.wide, of);
                builder.assign(at(C), Rvalue::Use(value));
            }
            Work::Search => {
                let x = read(builder, at(A));
                let operator = if self.entropy.chance(2, 3) { Operator::Eq } else { Operator::Gt };
                let found = Rvalue::Binary(operator, x, Operand::local(KEY));
                let found = builder.value(Types::BOOL, found);
                let (leave, next) = (builder.open(), builder.open());
                builder.branch(found, leave, next, leave);
                builder.set(0, Rvalue::Use(Operand::local(index)));
                builder.end(Terminator::Goto(exit), next);
            }
            Work::Count => {
                let x = read(builder, at(A));
                let fits = self.compared(builder, x);
                let one = builder.cast(fits, Types::BOOL, Types::USIZE);
                builder.set(0, Rvalue::Binary(Operator::Add, Operand::local(0), one));
            }
            Work::Recurrence => {
                let x = read(builder, at(A));
                let value = self.mixed(builder, of, x.clone(), &[Operand::local(kept)]);
                builder.assign(at(C), Rvalue::Use(value));
                builder.set(kept, Rvalue::Use(x));
            }
            Work::LastIndex => {
                let x = read(builder, at(A));
                let fits = self.compared(builder, x);
                let here = Rvalue::Use(Operand::local(index));
                self.if_then(builder, fits, |builder| builder.set(0, here));
            }
            Work::Interleaved => {
                let one = Operand::constant(Types::USIZE, 1);
                let beside = Rvalue::Binary(Operator::Add, Operand::local(index), one);
                let beside = builder.value(Types::USIZE, beside);
                let beside = beside.place().map_or(index, |place| place.local);
                let next = |array: Local| Place::deref(array).then(Projection::Index(beside));
                let (x, y) = (read(builder, at(A)), read(builder, next(A)));
                let value = self.mixed(builder, of, x.clone(), std::slice::from_ref(&y));
                if self.entropy.chance(1, 2) {
                    let other = self.mixed(builder, of, y, &[x]);
                    builder.assign(at(C), Rvalue::Use(value));
                    builder.assign(next(C), Rvalue::Use(other));
                } else {
                    self.accumulate(builder, of, value);
                }
            }
            Work::Shifted => {
                let by = Operand::constant(Types::USIZE, plan.reach.into());
                let beyond = Rvalue::Binary(Operator::Add, Operand::local(index), by);
                let beyond = builder.value(Types::USIZE, beyond);
                let beyond = beyond.place().map_or(index, |place| place.local);
                let beyond = Place::deref(C).then(Projection::Index(beyond));
                let (from, to) =
                    if self.entropy.chance(2, 3) { (at(C), beyond) } else { (beyond, at(C)) };
                let (x, y) = (read(builder, from), read(builder, at(B)));
                let value = self.mixed(builder, of, x, &[y]);
                builder.assign(to, Rvalue::Use(value));
            }
            Work::Copy => {
                let value = if self.entropy.chance(1, 2) {
                    read(builder, at(A))
                } else {
                    Operand::local(KEY)
                };
                builder.assign(at(C), Rvalue::Use(value));
            }
        }
    }

    /// Code that runs if a condition holds.
    fn if_then(
        &mut self,
        builder: &mut FunctionBuilder,
        condition: Operand,
        then_branch: impl FnOnce(&mut FunctionBuilder),
    ) {
        let (then, next) = (builder.open(), builder.open());
        builder.branch(condition, then, next, then);
        then_branch(builder);
        builder.goto(next);
    }

    fn accumulate(&mut self, builder: &mut FunctionBuilder, of: TypeId, value: Operand) {
        let operator = self.arithmetic(of);
        builder.set(0, Rvalue::Binary(operator, Operand::local(0), value));
    }

    fn arithmetic(&mut self, of: TypeId) -> Operator {
        let all: &[Operator] = match self.program.types.kind(of) {
            Kind::Float(_) => &FLOAT,
            _ => &INTEGER,
        };
        self.entropy.pick(all).copied().unwrap_or(Operator::Add)
    }

    /// An element compared with the key.
    fn compared(&mut self, builder: &mut FunctionBuilder, value: Operand) -> Operand {
        let operator = self.entropy.pick(&COMPARISONS).copied().unwrap_or(Operator::Lt);
        builder.value(Types::BOOL, Rvalue::Binary(operator, value, Operand::local(KEY)))
    }

    /// A short expression of an element and others of the same type.
    pub(super) fn mixed(
        &mut self,
        builder: &mut FunctionBuilder,
        of: TypeId,
        first: Operand,
        others: &[Operand],
    ) -> Operand {
        let mut value = first;
        for round in 0..self.entropy.between(1, 3) {
            let right = match self.entropy.below(3) {
                0 if round > 0 => self.constant_of(of),
                _ => match self.entropy.pick(others) {
                    Some(other) => other.clone(),
                    None => self.constant_of(of),
                },
            };
            value = match self.entropy.below(10) {
                0 => self.selected(builder, of, value, right),
                1 | 2 => self.mixed_by_intrinsic(builder, of, value, right),
                3 if self.program.types.as_int(of).is_some() => {
                    self.shifted(builder, of, value, right)
                }
                _ => {
                    let operator = self.arithmetic(of);
                    builder.value(of, Rvalue::Binary(operator, value, right))
                }
            };
        }
        value
    }

    /// One of two values, selected by a comparison, such as their minimum.
    fn selected(
        &mut self,
        builder: &mut FunctionBuilder,
        of: TypeId,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let operator = self.entropy.pick(&COMPARISONS).copied().unwrap_or(Operator::Lt);
        let test = Rvalue::Binary(operator, left.clone(), right.clone());
        let test = builder.value(Types::BOOL, test);
        if self.entropy.chance(1, 2) {
            return builder.intrinsic(Intrinsic::Select, vec![test, left, right], of);
        }
        let local = builder.local(of);
        builder.set(local, Rvalue::Use(right));
        self.if_then(builder, test, |builder| builder.set(local, Rvalue::Use(left)));
        Operand::local(local)
    }

    /// A shift by a constant, or by the low bits of the right operand.
    fn shifted(
        &mut self,
        builder: &mut FunctionBuilder,
        of: TypeId,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let most = self.program.types.as_int(of).map_or(7, |int| int.bits() - 1);
        let operator = if self.entropy.chance(1, 2) { Operator::Shl } else { Operator::Shr };
        let by = if self.entropy.chance(1, 2) {
            Operand::constant(of, self.entropy.below(u64::from(most) + 1).into())
        } else {
            let most = Operand::constant(of, most.into());
            builder.value(of, Rvalue::Binary(Operator::BitAnd, right, most))
        };
        builder.value(of, Rvalue::Binary(operator, left, by))
    }

    fn mixed_by_intrinsic(
        &mut self,
        builder: &mut FunctionBuilder,
        of: TypeId,
        left: Operand,
        right: Operand,
    ) -> Operand {
        let Some(int) = self.program.types.as_int(of) else {
            return match self.entropy.below(3) {
                0 => builder.intrinsic(Intrinsic::Absolute, vec![left], of),
                1 => builder.intrinsic(Intrinsic::CopySign, vec![left, right], of),
                _ => {
                    let third = self.constant_of(of);
                    builder.intrinsic(Intrinsic::FusedMultiplyAdd, vec![left, right, third], of)
                }
            };
        };
        match self.entropy.below(6) {
            0 => builder.intrinsic(Intrinsic::SaturatingAdd, vec![left, right], of),
            1 => builder.intrinsic(Intrinsic::SaturatingSub, vec![left, right], of),
            2 => builder.intrinsic(Intrinsic::ByteSwap, vec![left], of),
            3 => builder.intrinsic(Intrinsic::BitReverse, vec![left], of),
            4 if !int.signed => {
                let by =
                    Operand::constant(Types::U32, self.entropy.below(int.bits().into()).into());
                builder.intrinsic(Intrinsic::RotateLeft, vec![left, by], of)
            }
            _ => {
                let count = builder.intrinsic(Intrinsic::CountOnes, vec![left], Types::U32);
                builder.cast(count, Types::U32, of)
            }
        }
    }
}
