//! Operations on single lanes: what elementwise instructions do to scalars and to each lane of vectors.
//! Integers are computed by the table of semantics, floats by `float`. Operations on undef are not
//! computed but remembered ([`Recipe`]), because every use of their result may see another value.

use std::sync::Arc;

use super::choices::Choices;
use super::float::{self, FloatOp};
use super::memory::Memory;
use super::stop::Stop;
use super::value::{Lane, Pointer, Recipe};
use crate::ir::{BinaryOp, CastOp, Flags, FloatKind, FloatPredicate, Predicate};
use crate::semantics::{Bits, Concrete, Effect, Intrinsic, binary, cast, compare};

/// Why a run ends that computes on undef again and again.
pub(super) const TOO_LONG: &str = "long computations on undef";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LaneOp {
    Binary(BinaryOp, Flags, u32),
    Compare(Predicate, Flags, u32),
    ComparePointers(Predicate, Flags, u32),
    Cast(CastOp, Flags, u32, u32),
    /// Widths of operands and result.
    Intrinsic(Intrinsic, u32, u32),
    /// The second field of the result.
    Overflow(Intrinsic, u32),
    Select(Kind),
    Float(FloatOp, Flags, FloatKind),
    FloatCompare(FloatPredicate, Flags, FloatKind),
    FloatToInt {
        signed: bool,
        saturating: bool,
        from: FloatKind,
        to: u32,
    },
    IntToFloat {
        signed: bool,
        flags: Flags,
        from: u32,
        to: FloatKind,
    },
    FloatCast {
        flags: Flags,
        from: FloatKind,
        to: FloatKind,
    },
    IsClass(FloatKind),
    LdExp(Flags, FloatKind, u32),
    PointerToInt(u32),
    IntToPointer(u32),
    PointerMask(u32),
    /// Some bits of consecutive words, lowest first.
    Slice {
        from: u32,
        low: u32,
        to: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Bits(u32),
    Pointer,
}

/// What an operation may look at and draw from.
pub(crate) struct Scope<'a> {
    pub choices: &'a mut Choices,
    pub memory: &'a Memory,
    /// Why the program may do more than the runs show, if it may.
    pub narrowed: &'a mut Option<&'static str>,
    pub made_nan: &'a mut bool,
}

impl LaneOp {
    /// What the operand is, for choosing a value of it.
    pub(super) fn kind(self, operand: usize) -> Kind {
        match self {
            Self::Binary(_, _, width)
            | Self::Compare(_, _, width)
            | Self::Cast(_, _, width, _)
            | Self::Overflow(_, width)
            | Self::IntToFloat { from: width, .. }
            | Self::IntToPointer(width)
            | Self::Slice { from: width, .. } => Kind::Bits(width),
            Self::Intrinsic(intrinsic, ..) if intrinsic.is_flag(operand) => Kind::Bits(1),
            Self::Intrinsic(_, width, _) => Kind::Bits(width),
            Self::ComparePointers(..) | Self::PointerToInt(_) => Kind::Pointer,
            Self::PointerMask(_) if operand == 0 => Kind::Pointer,
            Self::PointerMask(width) => Kind::Bits(width),
            Self::Select(_) if operand == 0 => Kind::Bits(1),
            Self::Select(kind) => kind,
            Self::IsClass(_) if operand == 1 => Kind::Bits(32),
            Self::LdExp(_, _, width) if operand == 1 => Kind::Bits(width),
            Self::Float(_, _, kind)
            | Self::FloatCompare(_, _, kind)
            | Self::FloatToInt { from: kind, .. }
            | Self::FloatCast { from: kind, .. }
            | Self::LdExp(_, kind, _)
            | Self::IsClass(kind) => Kind::Bits(kind.bits()),
        }
    }

    /// Whether poison in any operand makes the result poison, and nothing else happens.
    fn is_strict(self) -> bool {
        !matches!(self, Self::Select(_)) && !self.is_division()
    }

    fn is_division(self) -> bool {
        let Self::Binary(op, ..) = self else { return false };
        matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)
    }

    /// Whether a subnormal number goes into a floating-point operation or comes out of it.
    pub(crate) fn sees_subnormal(self, operands: &[&Lane], result: &Lane) -> bool {
        let (from, to) = match self {
            Self::Float(op, _, _) if op.is_bitwise() => return false,
            Self::Float(_, _, kind) | Self::LdExp(_, kind, _) => (kind, Some(kind)),
            Self::FloatCompare(_, _, kind)
            | Self::IsClass(kind)
            | Self::FloatToInt { from: kind, .. } => (kind, None),
            Self::FloatCast { from, to, .. } => (from, Some(to)),
            _ => return false,
        };
        let is = |kind: FloatKind, lane: &Lane| match lane {
            Lane::Bits(bits) => float::class(kind, *bits) & 0x90 != 0,
            Lane::Undef | Lane::Varying(_) => true,
            Lane::Poison | Lane::Pointer(_) => false,
        };
        operands.iter().any(|lane| is(from, lane)) || to.is_some_and(|kind| is(kind, result))
    }

    /// The operation over any lanes.
    pub(crate) fn apply(self, operands: &[&Lane], scope: &mut Scope) -> Result<Lane, Stop> {
        let is_poison = |lane: &&&Lane| matches!(lane, Lane::Poison);
        if self.is_strict() && operands.iter().any(|lane| is_poison(&lane)) {
            return Ok(Lane::Poison);
        }
        if !operands.iter().any(|lane| lane.is_unsettled()) {
            return self.evaluate(operands, scope);
        }
        if self.is_division() {
            return self.divide(operands, scope);
        }
        if let (Self::Select(_), Lane::Poison) = (self, operands[0]) {
            return Ok(Lane::Poison);
        }
        if let (Self::Select(_), Lane::Bits(condition)) = (self, operands[0]) {
            return Ok(operands[if *condition == 1 { 1 } else { 2 }].clone());
        }
        let operands = operands.iter().map(|lane| (*lane).clone()).collect();
        Ok(Lane::Varying(Arc::new(Recipe { op: self, operands })))
    }

    /// A division with an undef operand: whether it is undefined is decided now, once.
    fn divide(self, operands: &[&Lane], scope: &mut Scope) -> Result<Lane, Stop> {
        let Self::Binary(op, _, width) = self else { return Ok(Lane::Poison) };
        let divisor = operands[1].force(self.kind(1), scope)?;
        let minus_one = Lane::Bits(u128::MAX >> (128 - width));
        let is_signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let risky = matches!(divisor, Lane::Poison | Lane::Bits(0))
            || is_signed && divisor == minus_one
            || matches!(operands[0], Lane::Poison);
        if risky || !operands[0].is_unsettled() {
            let dividend = operands[0].force(self.kind(0), scope)?;
            return self.evaluate(&[&dividend, &divisor], scope);
        }
        let operands = vec![operands[0].clone(), divisor];
        Ok(Lane::Varying(Arc::new(Recipe { op: self, operands })))
    }

    /// The operation over lanes that are neither undef nor varying.
    fn evaluate(self, operands: &[&Lane], scope: &mut Scope) -> Result<Lane, Stop> {
        let word = |index: usize, width: u32| match operands.get(index) {
            Some(Lane::Bits(value)) => Ok(Bits::new(*value, width)),
            _ => Stop::unsupported("an operand of another kind"),
        };
        let float = |index: usize, kind: FloatKind| Ok(word(index, kind.bits())?.value);
        match self {
            Self::Binary(op, flags, width) => {
                if operands.iter().any(|lane| matches!(lane, Lane::Poison)) {
                    return poison_division(op, operands, width);
                }
                effect(&binary(&mut Concrete, op, flags, &word(0, width)?, &word(1, width)?))
            }
            Self::Compare(predicate, flags, width) => {
                let (a, b) = (word(0, width)?, word(1, width)?);
                effect(&compare(&mut Concrete, predicate, flags, &a, &b))
            }
            Self::ComparePointers(predicate, flags, width) => {
                let (Some(Lane::Pointer(a)), Some(Lane::Pointer(b))) =
                    (operands.first(), operands.get(1))
                else {
                    return Stop::unsupported("comparison of other values than pointers");
                };
                compare_pointers(predicate, flags, *a, *b, width, scope.memory)
            }
            Self::Cast(op, flags, from, to) => {
                match cast(&mut Concrete, op, flags, &word(0, from)?, to) {
                    Some(result) => effect(&result),
                    None => Stop::unsupported(op.word()),
                }
            }
            Self::Intrinsic(intrinsic, from, to) => {
                let answer = intrinsic_answer(intrinsic, operands, from, to)?;
                effect(&answer.0)
            }
            Self::Overflow(intrinsic, width) => {
                let answer = intrinsic_answer(intrinsic, operands, width, width)?;
                Ok(Lane::Bits(u128::from(answer.1)))
            }
            Self::Select(_) => match operands[0] {
                Lane::Bits(condition) => Ok(operands[if *condition == 1 { 1 } else { 2 }].clone()),
                _ => Ok(Lane::Poison),
            },
            Self::Float(op, flags, kind) => {
                let mut bits = [0; 3];
                for (index, slot) in bits.iter_mut().enumerate().take(op.operands()) {
                    *slot = float(index, kind)?;
                }
                float::compute(op, flags, kind, &bits[..op.operands()], scope)
            }
            Self::FloatCompare(predicate, flags, kind) => {
                float::compare(predicate, flags, kind, float(0, kind)?, float(1, kind)?)
            }
            Self::FloatToInt { signed, saturating, from, to } => {
                float::to_int(from, float(0, from)?, signed, saturating, to)
            }
            Self::IntToFloat { signed, flags, from, to } => {
                float::from_int(word(0, from)?, signed, flags, to)
            }
            Self::FloatCast { flags, from, to } => {
                float::convert(from, to, flags, float(0, from)?, scope)
            }
            Self::IsClass(kind) => {
                let class = float::class(kind, float(0, kind)?);
                Ok(Lane::Bits(u128::from(word(1, 32)?.value & u128::from(class) != 0)))
            }
            Self::LdExp(flags, kind, width) => {
                let by = word(1, width)?.signed();
                float::ldexp(kind, flags, float(0, kind)?, by, scope)
            }
            Self::PointerToInt(width) => match operands[0] {
                Lane::Pointer(pointer) => {
                    if scope.memory.block(*pointer).is_some_and(super::Block::is_local) {
                        return Stop::unsupported("the address of a local variable");
                    }
                    Ok(Lane::Bits(Bits::new(u128::from(pointer.address), width).value))
                }
                _ => Stop::unsupported("ptrtoint of another value"),
            },
            Self::IntToPointer(width) => {
                let address = word(0, width)?.value as u64;
                Ok(Lane::Pointer(scope.memory.at_address(address)))
            }
            Self::PointerMask(width) => match operands[0] {
                Lane::Pointer(pointer) => {
                    let kept = word(1, width)?.value as u64;
                    let address = pointer.address & (kept | !(u64::MAX >> (64 - width)));
                    Ok(Lane::Pointer(Pointer { address, ..*pointer }))
                }
                _ => Stop::unsupported("ptrmask of another value"),
            },
            Self::Slice { from, low, to } => {
                let mut value = 0;
                for (index, _) in operands.iter().enumerate() {
                    let word = word(index, from)?.value;
                    let start = i64::from(from) * index as i64 - i64::from(low);
                    if start >= 128 || start <= -128 {
                        continue;
                    }
                    value |= if start >= 0 { word << start } else { word >> -start };
                }
                Ok(Lane::Bits(Bits::new(value, to).value))
            }
        }
    }
}

impl Lane {
    pub(crate) fn is_unsettled(&self) -> bool {
        matches!(self, Self::Undef | Self::Varying(_))
    }

    /// One value of it: neither undef nor varying.
    pub(crate) fn force(&self, kind: Kind, scope: &mut Scope) -> Result<Self, Stop> {
        match self {
            Self::Poison | Self::Bits(_) | Self::Pointer(_) => Ok(self.clone()),
            Self::Undef => Ok(choose(kind, scope)),
            Self::Varying(recipe) => {
                if !scope.choices.burn() {
                    return Stop::unsupported(TOO_LONG);
                }
                // Nearly all operations have so few operands: no allocation for them.
                if let operands @ (1..=3) = recipe.operands.len() {
                    let mut forced = [Self::Poison, Self::Poison, Self::Poison];
                    for (index, operand) in recipe.operands.iter().enumerate() {
                        forced[index] = operand.force(recipe.op.kind(index), scope)?;
                    }
                    let forced = [&forced[0], &forced[1], &forced[2]];
                    return recipe.op.apply(&forced[..operands], scope);
                }
                let mut operands = Vec::with_capacity(recipe.operands.len());
                for (index, operand) in recipe.operands.iter().enumerate() {
                    operands.push(operand.force(recipe.op.kind(index), scope)?);
                }
                let operands: Vec<&Self> = operands.iter().collect();
                recipe.op.apply(&operands, scope)
            }
        }
    }
}

/// Any value that is not poison.
pub(crate) fn choose(kind: Kind, scope: &mut Scope) -> Lane {
    match kind {
        Kind::Bits(width) => Lane::Bits(scope.choices.word(width)),
        Kind::Pointer => {
            scope.choices.leave_out();
            let blocks = &scope.memory.blocks;
            let options = blocks.len().min(3) as u32 + 1;
            match scope.choices.below(options) {
                0 => Lane::Pointer(Pointer::NULL),
                index => {
                    let block = index - 1;
                    let address = blocks[block as usize].base;
                    Lane::Pointer(Pointer { block, address })
                }
            }
        }
    }
}

fn effect(effect: &Effect<Bits, bool>) -> Result<Lane, Stop> {
    if effect.undefined {
        return Stop::undefined("division by zero or overflow of a division");
    }
    Ok(if effect.poison { Lane::Poison } else { Lane::Bits(effect.value.value) })
}

/// A division of or by poison: undefined if the divisor may be 0, or if the quotient may overflow.
fn poison_division(op: BinaryOp, operands: &[&Lane], width: u32) -> Result<Lane, Stop> {
    use crate::semantics::{Lane as Table, binary_lanes};
    let lane = |lane: &Lane| match lane {
        Lane::Bits(value) => Table { value: Bits::new(*value, width), poison: false },
        _ => Table { value: Bits::new(0, width), poison: true },
    };
    let (a, b) = (lane(operands[0]), lane(operands[1]));
    let result = binary_lanes(&mut Concrete, op, Flags::NONE, &a, &b);
    if result.undefined {
        return Stop::undefined("division that poison may make undefined");
    }
    Ok(Lane::Poison)
}

fn intrinsic_answer(
    intrinsic: Intrinsic,
    operands: &[&Lane],
    from: u32,
    to: u32,
) -> Result<(Effect<Bits, bool>, bool), Stop> {
    let mut words = [Bits::new(0, 1); 3];
    for (index, (slot, operand)) in words.iter_mut().zip(operands).enumerate() {
        let Lane::Bits(value) = operand else {
            return Stop::unsupported("an intrinsic on other values than integers");
        };
        *slot = Bits::new(*value, if intrinsic.is_flag(index) { 1 } else { from });
    }
    let count = intrinsic.operands().min(operands.len());
    match intrinsic.apply(&mut Concrete, &words[..count], to) {
        Some(answer) => Ok((answer.effect, answer.overflow.unwrap_or(false))),
        None => Stop::unsupported(intrinsic.name()),
    }
}

/// Addresses of blocks that the function got from outside are numbers that both versions of a function
/// share. Those of local variables are not: only what holds at any address is decided.
fn compare_pointers(
    predicate: Predicate,
    flags: Flags,
    a: Pointer,
    b: Pointer,
    width: u32,
    memory: &Memory,
) -> Result<Lane, Stop> {
    let local = |pointer| memory.block(pointer).is_some_and(super::Block::is_local);
    if (local(a) || local(b)) && a.block != b.block {
        // At its end, another block may begin.
        let inside = |pointer: Pointer| match memory.block(pointer) {
            Some(block) => {
                block.holds(pointer.address) && pointer.address - block.base < block.size()
            }
            None => pointer.is_null(),
        };
        let decided = matches!(predicate, Predicate::Eq | Predicate::Ne);
        if !decided || !inside(a) || !inside(b) {
            return Stop::unsupported("comparison that depends on the address of a local variable");
        }
        return Ok(Lane::Bits(u128::from(predicate == Predicate::Ne)));
    }
    let word = |pointer: Pointer| Bits::new(u128::from(pointer.address), width);
    effect(&compare(&mut Concrete, predicate, flags, &word(a), &word(b)))
}
