//! Integer operators with their flags, and comparisons. Operands are not poison: see [`super::Lane`].

use super::{Domain, Effect, Words};
use crate::ir::{BinaryOp, Flags, Predicate};

/// One lane of an integer operator.
pub fn binary<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> Effect<D::Word, D::Bit> {
    match op {
        BinaryOp::Add => add(domain, flags, a, b),
        BinaryOp::Sub => sub(domain, flags, a, b),
        BinaryOp::Mul => mul(domain, flags, a, b),
        BinaryOp::UDiv | BinaryOp::URem => divide_unsigned(domain, op, flags, a, b),
        BinaryOp::SDiv | BinaryOp::SRem => divide_signed(domain, op, flags, a, b),
        BinaryOp::Shl => shl(domain, flags, a, b),
        BinaryOp::LShr | BinaryOp::AShr => shift_right(domain, op, flags, a, b),
        BinaryOp::And => {
            let value = domain.word_and(a, b);
            domain.plain(value)
        }
        BinaryOp::Or => {
            let value = domain.word_or(a, b);
            let mut effect = domain.plain(value);
            if flags.has(Flags::DISJOINT) {
                let shared = domain.word_and(a, b);
                effect.poison = domain.is_not_zero(&shared);
            }
            effect
        }
        BinaryOp::Xor => {
            let value = domain.word_xor(a, b);
            domain.plain(value)
        }
    }
}

fn add<D: Domain>(
    domain: &mut D,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> Effect<D::Word, D::Bit> {
    let sum = domain.add(a, b);
    let mut effect = domain.plain(sum.clone());
    if flags.has(Flags::NUW) {
        effect.poison = domain.unsigned_sum_overflows(a, &sum);
    }
    if flags.has(Flags::NSW) {
        let signed = domain.signed_sum_overflows(a, b, &sum);
        effect.poison = domain.or(&effect.poison, &signed);
    }
    effect
}

fn sub<D: Domain>(
    domain: &mut D,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> Effect<D::Word, D::Bit> {
    let difference = domain.sub(a, b);
    let mut effect = domain.plain(difference.clone());
    if flags.has(Flags::NUW) {
        effect.poison = domain.ult(a, b);
    }
    if flags.has(Flags::NSW) {
        let signed = domain.signed_difference_overflows(a, b, &difference);
        effect.poison = domain.or(&effect.poison, &signed);
    }
    effect
}

fn mul<D: Domain>(
    domain: &mut D,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> Effect<D::Word, D::Bit> {
    let product = domain.mul(a, b);
    let mut effect = domain.plain(product);
    if flags.has(Flags::NUW) {
        effect.poison = domain.unsigned_product_overflows(a, b);
    }
    if flags.has(Flags::NSW) {
        let signed = domain.signed_product_overflows(a, b);
        effect.poison = domain.or(&effect.poison, &signed);
    }
    effect
}

fn divide_unsigned<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> Effect<D::Word, D::Bit> {
    let (quotient, remainder) = domain.divide(a, b);
    let undefined = domain.is_zero(b);
    let mut effect = domain.plain(if op == BinaryOp::UDiv { quotient } else { remainder.clone() });
    effect.undefined = undefined;
    if op == BinaryOp::UDiv && flags.has(Flags::EXACT) {
        effect.poison = domain.is_not_zero(&remainder);
    }
    effect
}

fn divide_signed<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> Effect<D::Word, D::Bit> {
    let (left, right) = (domain.magnitude(a), domain.magnitude(b));
    let (quotient, remainder) = domain.divide(&left, &right);
    let value = if op == BinaryOp::SDiv {
        let (a_sign, b_sign) = (domain.sign(a), domain.sign(b));
        let is_negative = domain.xor(&a_sign, &b_sign);
        let negated = domain.negate(&quotient);
        domain.select(&is_negative, &negated, &quotient)
    } else {
        let (sign, negated) = (domain.sign(a), domain.negate(&remainder));
        domain.select(&sign, &negated, &remainder)
    };
    let mut effect = domain.plain(value);
    let (least, ones) = (domain.signed_least(a), domain.ones(b));
    let (is_least, is_minus_one) = (domain.eq(a, &least), domain.eq(b, &ones));
    let (by_zero, overflows) = (domain.is_zero(b), domain.and(&is_least, &is_minus_one));
    effect.undefined = domain.or(&by_zero, &overflows);
    if op == BinaryOp::SDiv && flags.has(Flags::EXACT) {
        effect.poison = domain.is_not_zero(&remainder);
    }
    effect
}

fn shl<D: Domain>(
    domain: &mut D,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> Effect<D::Word, D::Bit> {
    let shifted = domain.shl(a, b);
    let mut effect = domain.plain(shifted.clone());
    effect.poison = domain.is_too_far(b);
    if flags.has(Flags::NUW) {
        let back = domain.lshr(&shifted, b);
        let lost = domain.differ(&back, a);
        effect.poison = domain.or(&effect.poison, &lost);
    }
    if flags.has(Flags::NSW) {
        let back = domain.ashr(&shifted, b);
        let lost = domain.differ(&back, a);
        effect.poison = domain.or(&effect.poison, &lost);
    }
    effect
}

fn shift_right<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> Effect<D::Word, D::Bit> {
    let shifted = if op == BinaryOp::LShr { domain.lshr(a, b) } else { domain.ashr(a, b) };
    let mut effect = domain.plain(shifted.clone());
    effect.poison = domain.is_too_far(b);
    if flags.has(Flags::EXACT) {
        let back = domain.shl(&shifted, b);
        let lost = domain.differ(&back, a);
        effect.poison = domain.or(&effect.poison, &lost);
    }
    effect
}

/// One lane of `icmp` over integers. The value is a word of one bit.
pub fn compare<D: Domain>(
    domain: &mut D,
    predicate: Predicate,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> Effect<D::Word, D::Bit> {
    let holds = match predicate {
        Predicate::Eq => domain.eq(a, b),
        Predicate::Ne => domain.differ(a, b),
        Predicate::Ult => domain.ult(a, b),
        Predicate::Ugt => domain.ult(b, a),
        Predicate::Slt => domain.slt(a, b),
        Predicate::Sgt => domain.slt(b, a),
        Predicate::Uge | Predicate::Ule | Predicate::Sge | Predicate::Sle => {
            let opposite = match predicate {
                Predicate::Uge => domain.ult(a, b),
                Predicate::Ule => domain.ult(b, a),
                Predicate::Sge => domain.slt(a, b),
                _ => domain.slt(b, a),
            };
            domain.not(&opposite)
        }
    };
    let value = domain.word_of(&holds);
    let mut effect = domain.plain(value);
    if flags.has(Flags::SAMESIGN) {
        let (left, right) = (domain.sign(a), domain.sign(b));
        effect.poison = domain.xor(&left, &right);
    }
    effect
}
