//! The table of integer intrinsics: their names and what they do, one lane at a time.

use super::{Domain, Effect, Words, binary, compare};
use crate::ir::{BinaryOp, Flags, Predicate};

/// What an intrinsic computes: its value, and for `*.with.overflow` the second field of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer<Word, Bit> {
    pub effect: Effect<Word, Bit>,
    pub overflow: Option<Bit>,
}

macro_rules! table {
    ($($variant:ident = $name:literal $operands:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Intrinsic { $($variant),* }

        impl Intrinsic {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name without the suffix of its types: `llvm.smax`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            pub fn operands(self) -> usize {
                match self { $(Self::$variant => $operands),* }
            }
        }
    };
}

table! {
    Abs = "llvm.abs" 2,
    SMax = "llvm.smax" 2, SMin = "llvm.smin" 2, UMax = "llvm.umax" 2, UMin = "llvm.umin" 2,
    SCmp = "llvm.scmp" 2, UCmp = "llvm.ucmp" 2,
    CtPop = "llvm.ctpop" 1, CtLz = "llvm.ctlz" 2, CtTz = "llvm.cttz" 2,
    BSwap = "llvm.bswap" 1, BitReverse = "llvm.bitreverse" 1,
    FShl = "llvm.fshl" 3, FShr = "llvm.fshr" 3,
    SAddSat = "llvm.sadd.sat" 2, UAddSat = "llvm.uadd.sat" 2,
    SSubSat = "llvm.ssub.sat" 2, USubSat = "llvm.usub.sat" 2,
    SShlSat = "llvm.sshl.sat" 2, UShlSat = "llvm.ushl.sat" 2,
    SAddOverflow = "llvm.sadd.with.overflow" 2, UAddOverflow = "llvm.uadd.with.overflow" 2,
    SSubOverflow = "llvm.ssub.with.overflow" 2, USubOverflow = "llvm.usub.with.overflow" 2,
    SMulOverflow = "llvm.smul.with.overflow" 2, UMulOverflow = "llvm.umul.with.overflow" 2,
}

type AnswerOf<D> = Answer<<D as Domain>::Word, <D as Domain>::Bit>;

impl Intrinsic {
    /// The intrinsic that a function name (without its `@`) stands for.
    pub fn of(callee: &str) -> Option<Self> {
        let is_meant = |intrinsic: &&Self| {
            callee
                .strip_prefix(intrinsic.name())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        Self::ALL.iter().find(is_meant).copied()
    }

    /// Whether the operand is one bit (`is_int_min_poison`, `is_zero_poison`) even where others are vectors.
    pub fn is_flag(self, operand: usize) -> bool {
        operand == 1 && matches!(self, Self::Abs | Self::CtLz | Self::CtTz)
    }

    /// Whether the result is a pair of value and overflow.
    pub fn has_overflow(self) -> bool {
        matches!(
            self,
            Self::SAddOverflow
                | Self::UAddOverflow
                | Self::SSubOverflow
                | Self::USubOverflow
                | Self::SMulOverflow
                | Self::UMulOverflow
        )
    }

    /// One lane, over operands that are not poison. The width is that of the result, which differs from
    /// that of the operands only for `scmp` and `ucmp`. None if operands are missing, or a byte swap is
    /// not of whole pairs of bytes.
    pub fn apply<D: Domain>(
        self,
        domain: &mut D,
        arguments: &[D::Word],
        width: u32,
    ) -> Option<AnswerOf<D>> {
        let a = arguments.first()?;
        let b = arguments.get(self.operands().min(2) - 1)?;
        let effect = match self {
            Self::Abs => abs(domain, a, b),
            Self::SMax => chosen(domain, Predicate::Sgt, a, b),
            Self::SMin => chosen(domain, Predicate::Slt, a, b),
            Self::UMax => chosen(domain, Predicate::Ugt, a, b),
            Self::UMin => chosen(domain, Predicate::Ult, a, b),
            Self::SCmp => three_way(domain, Predicate::Slt, a, b, width),
            Self::UCmp => three_way(domain, Predicate::Ult, a, b, width),
            Self::CtPop => population(domain, a),
            Self::CtLz => zeros(domain, a, b, true),
            Self::CtTz => zeros(domain, a, b, false),
            Self::BSwap if !domain.width(a).is_multiple_of(16) => return None,
            Self::BSwap => reversed(domain, a, 8),
            Self::BitReverse => reversed(domain, a, 1),
            Self::FShl => funnel(domain, a, b, arguments.get(2)?, true),
            Self::FShr => funnel(domain, a, b, arguments.get(2)?, false),
            Self::SAddSat | Self::UAddSat => saturated(domain, BinaryOp::Add, self, a, b),
            Self::SSubSat | Self::USubSat => saturated(domain, BinaryOp::Sub, self, a, b),
            Self::SShlSat | Self::UShlSat => saturated(domain, BinaryOp::Shl, self, a, b),
            Self::SAddOverflow => {
                return Some(overflowing(domain, BinaryOp::Add, Flags::NSW, a, b));
            }
            Self::UAddOverflow => {
                return Some(overflowing(domain, BinaryOp::Add, Flags::NUW, a, b));
            }
            Self::SSubOverflow => {
                return Some(overflowing(domain, BinaryOp::Sub, Flags::NSW, a, b));
            }
            Self::USubOverflow => {
                return Some(overflowing(domain, BinaryOp::Sub, Flags::NUW, a, b));
            }
            Self::SMulOverflow => {
                return Some(overflowing(domain, BinaryOp::Mul, Flags::NSW, a, b));
            }
            Self::UMulOverflow => {
                return Some(overflowing(domain, BinaryOp::Mul, Flags::NUW, a, b));
            }
        };
        Some(Answer { effect, overflow: None })
    }
}

/// What `llvm.vector.reduce.*` folds the lanes of a vector of integers with. The order does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    Binary(BinaryOp),
    Intrinsic(Intrinsic),
}

impl Reduction {
    pub fn of(callee: &str) -> Option<Self> {
        let name = callee.strip_prefix("llvm.vector.reduce.")?.split('.').next()?;
        Some(match name {
            "add" | "mul" | "and" | "or" | "xor" => Self::Binary(BinaryOp::of(name)?),
            "smax" => Self::Intrinsic(Intrinsic::SMax),
            "smin" => Self::Intrinsic(Intrinsic::SMin),
            "umax" => Self::Intrinsic(Intrinsic::UMax),
            "umin" => Self::Intrinsic(Intrinsic::UMin),
            _ => return None,
        })
    }
}

type EffectOf<D> = Effect<<D as Domain>::Word, <D as Domain>::Bit>;

fn abs<D: Domain>(domain: &mut D, a: &D::Word, least_is_poison: &D::Word) -> EffectOf<D> {
    let value = domain.magnitude(a);
    let least = domain.signed_least(a);
    let (is_least, flag) = (domain.eq(a, &least), domain.bit_at(least_is_poison, 0));
    let mut effect = domain.plain(value);
    effect.poison = domain.and(&is_least, &flag);
    effect
}

/// The first operand if the predicate holds, otherwise the second.
fn chosen<D: Domain>(
    domain: &mut D,
    predicate: Predicate,
    a: &D::Word,
    b: &D::Word,
) -> EffectOf<D> {
    let comparison = compare(domain, predicate, Flags::NONE, a, b).value;
    let holds = domain.bit_at(&comparison, 0);
    let value = domain.select(&holds, a, b);
    domain.plain(value)
}

/// -1, 0 or 1.
fn three_way<D: Domain>(
    domain: &mut D,
    less: Predicate,
    a: &D::Word,
    b: &D::Word,
    width: u32,
) -> EffectOf<D> {
    let below = compare(domain, less, Flags::NONE, a, b).value;
    let above = compare(domain, less, Flags::NONE, b, a).value;
    let (below, above) = (domain.bit_at(&below, 0), domain.bit_at(&above, 0));
    let (zero, one) = (domain.word(0, width), domain.word(1, width));
    let minus_one = domain.ones(&zero);
    let positive = domain.select(&above, &one, &zero);
    let value = domain.select(&below, &minus_one, &positive);
    domain.plain(value)
}

fn population<D: Domain>(domain: &mut D, a: &D::Word) -> EffectOf<D> {
    let width = domain.width(a);
    // Sums of neighbours, in words that are just wide enough: a chain of full-width adders is harder to
    // prove anything about.
    let mut sums = Vec::new();
    for index in 0..width {
        let bit = domain.bit_at(a, index);
        sums.push(domain.word_of(&bit));
    }
    while sums.len() > 1 {
        let mut next = Vec::with_capacity(sums.len().div_ceil(2));
        for pair in sums.chunks(2) {
            let [left, right] = pair else {
                next.extend_from_slice(pair);
                continue;
            };
            let room = domain.width(left).max(domain.width(right)) + 1;
            let (left, right) = (domain.resized(left, room), domain.resized(right, room));
            next.push(domain.add(&left, &right));
        }
        sums = next;
    }
    let count = sums.swap_remove(0);
    let value = domain.resized(&count, width);
    domain.plain(value)
}

/// Leading or trailing zeros.
fn zeros<D: Domain>(
    domain: &mut D,
    a: &D::Word,
    zero_is_poison: &D::Word,
    leading: bool,
) -> EffectOf<D> {
    let width = domain.width(a);
    let mut value = domain.word(u128::from(width), width);
    for step in (0..width).rev() {
        let index = if leading { width - 1 - step } else { step };
        let (bit, count) = (domain.bit_at(a, index), domain.word(u128::from(step), width));
        value = domain.select(&bit, &count, &value);
    }
    let (is_zero, flag) = (domain.is_zero(a), domain.bit_at(zero_is_poison, 0));
    let mut effect = domain.plain(value);
    effect.poison = domain.and(&is_zero, &flag);
    effect
}

/// Groups of so many bits in reverse order.
fn reversed<D: Domain>(domain: &mut D, a: &D::Word, group: u32) -> EffectOf<D> {
    let width = domain.width(a);
    let mask = domain.word((1 << group) - 1, width);
    let mut value = domain.word(0, width);
    for low in (0..width).step_by(group as usize) {
        let (down, up) = (u128::from(low), u128::from(width - group - low));
        let (down, up) = (domain.word(down, width), domain.word(up, width));
        let lowered = domain.lshr(a, &down);
        let part = domain.word_and(&lowered, &mask);
        let placed = domain.shl(&part, &up);
        value = domain.word_or(&value, &placed);
    }
    domain.plain(value)
}

fn funnel<D: Domain>(
    domain: &mut D,
    high: &D::Word,
    low: &D::Word,
    amount: &D::Word,
    left: bool,
) -> EffectOf<D> {
    let width = domain.width(high);
    let amount = if width.is_power_of_two() {
        let mask = domain.word(u128::from(width) - 1, width);
        domain.word_and(amount, &mask)
    } else {
        let modulus = domain.word(u128::from(width), width);
        domain.divide(amount, &modulus).1
    };
    // Where the amount is 0, the rest is the whole width, and shifts every bit out.
    let whole = domain.word(u128::from(width), width);
    let rest = domain.sub(&whole, &amount);
    let (up, down) = if left { (&amount, &rest) } else { (&rest, &amount) };
    let (raised, lowered) = (domain.shl(high, up), domain.lshr(low, down));
    let value = domain.word_or(&raised, &lowered);
    domain.plain(value)
}

/// The operator with its result limited to the range of the type.
fn saturated<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    intrinsic: Intrinsic,
    a: &D::Word,
    b: &D::Word,
) -> EffectOf<D> {
    let is_signed =
        matches!(intrinsic, Intrinsic::SAddSat | Intrinsic::SSubSat | Intrinsic::SShlSat);
    let checked = binary(domain, op, if is_signed { Flags::NSW } else { Flags::NUW }, a, b);
    let limit = if is_signed {
        let (sign, least, most) =
            (domain.sign(a), domain.signed_least(a), domain.signed_greatest(a));
        domain.select(&sign, &least, &most)
    } else if op == BinaryOp::Sub {
        domain.zero(a)
    } else {
        domain.ones(a)
    };
    let value = domain.select(&checked.poison, &limit, &checked.value);
    let mut effect = domain.plain(value);
    if op == BinaryOp::Shl {
        effect.poison = domain.is_too_far(b);
    }
    effect
}

fn overflowing<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    flags: Flags,
    a: &D::Word,
    b: &D::Word,
) -> AnswerOf<D> {
    let checked = binary(domain, op, flags, a, b);
    Answer { effect: domain.plain(checked.value), overflow: Some(checked.poison) }
}
