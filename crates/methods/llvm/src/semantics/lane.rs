//! Operations on lanes that may be poison: the operations of the table, with poison operands propagated
//! or made undefined as [`super::poison_in`] says.

use super::{Answer, Domain, Effect, Intrinsic, Words, binary, cast, compare};
use crate::ir::{BinaryOp, CastOp, Flags, Predicate};

/// A scalar, or one lane of a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane<Word, Bit> {
    /// Meaningless where it is poison.
    pub value: Word,
    pub poison: Bit,
}

type LaneOf<D> = Lane<<D as Domain>::Word, <D as Domain>::Bit>;
type EffectOf<D> = Effect<<D as Domain>::Word, <D as Domain>::Bit>;

impl<Word, Bit> Effect<Word, Bit> {
    pub fn lane(self) -> Lane<Word, Bit> {
        Lane { value: self.value, poison: self.poison }
    }
}

pub fn binary_lanes<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    flags: Flags,
    a: &LaneOf<D>,
    b: &LaneOf<D>,
) -> EffectOf<D> {
    let effect = binary(domain, op, flags, &a.value, &b.value);
    let either = domain.or(&a.poison, &b.poison);
    let poison = domain.or(&effect.poison, &either);
    let undefined = match op {
        BinaryOp::UDiv | BinaryOp::URem => {
            // A zero divisor is undefined whatever the dividend is; a poison divisor may be zero.
            domain.or(&effect.undefined, &b.poison)
        }
        BinaryOp::SDiv | BinaryOp::SRem => {
            // A poison dividend may be the least number, whose division by -1 is undefined.
            let ones = domain.ones(&b.value);
            let by_minus_one = domain.eq(&b.value, &ones);
            let overflows = domain.and(&a.poison, &by_minus_one);
            let risky = domain.or(&b.poison, &overflows);
            domain.or(&effect.undefined, &risky)
        }
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Shl
        | BinaryOp::LShr
        | BinaryOp::AShr
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor => effect.undefined,
    };
    Effect { value: effect.value, poison, undefined }
}

pub fn compare_lanes<D: Domain>(
    domain: &mut D,
    predicate: Predicate,
    flags: Flags,
    a: &LaneOf<D>,
    b: &LaneOf<D>,
) -> EffectOf<D> {
    let mut effect = compare(domain, predicate, flags, &a.value, &b.value);
    let either = domain.or(&a.poison, &b.poison);
    effect.poison = domain.or(&effect.poison, &either);
    effect
}

pub fn cast_lane<D: Domain>(
    domain: &mut D,
    op: CastOp,
    flags: Flags,
    a: &LaneOf<D>,
    width: u32,
) -> Option<EffectOf<D>> {
    let mut effect = cast(domain, op, flags, &a.value, width)?;
    effect.poison = domain.or(&effect.poison, &a.poison);
    Some(effect)
}

/// `select` over a condition of one bit: poison of the arm that is not chosen has no effect.
pub fn select_lanes<D: Domain>(
    domain: &mut D,
    condition: &LaneOf<D>,
    yes: &LaneOf<D>,
    no: &LaneOf<D>,
) -> LaneOf<D> {
    let chosen = domain.bit_at(&condition.value, 0);
    let value = domain.select(&chosen, &yes.value, &no.value);
    let not_chosen = domain.not(&chosen);
    let (left, right) = (domain.and(&chosen, &yes.poison), domain.and(&not_chosen, &no.poison));
    let arm = domain.or(&left, &right);
    Lane { value, poison: domain.or(&condition.poison, &arm) }
}

/// All integer intrinsics propagate poison from every operand.
pub fn intrinsic_lanes<D: Domain>(
    domain: &mut D,
    intrinsic: Intrinsic,
    arguments: &[LaneOf<D>],
    width: u32,
) -> Option<Answer<D::Word, D::Bit>> {
    let words: Vec<D::Word> = arguments.iter().map(|argument| argument.value.clone()).collect();
    let mut answer = intrinsic.apply(domain, &words, width)?;
    for argument in arguments {
        answer.effect.poison = domain.or(&answer.effect.poison, &argument.poison);
    }
    Some(answer)
}
