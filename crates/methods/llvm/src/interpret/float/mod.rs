//! Floating-point operations over bits. NaN results have an arbitrary sign and one of the payloads that
//! the language reference allows. Fast-math flags that allow other results mark the run; those that
//! forbid values make poison.

mod format;

#[cfg(test)]
mod tests;

use super::lane::Scope;
use super::stop::Stop;
use super::value::Lane;
use crate::ir::{Flags, FloatKind, FloatPredicate};
use crate::semantics::Bits;
use format::Format;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Neg,
    Abs,
    CopySign,
    MinNum,
    MaxNum,
    Minimum,
    Maximum,
    MinimumNum,
    MaximumNum,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// `rint`, `nearbyint` and `roundeven`, in the default environment.
    Rint,
    Round,
    Fma,
    /// Fused or not.
    FMulAdd,
    Canonicalize,
    /// The operand itself, checked against the flags: `select` and `phi`.
    Same,
}

impl FloatOp {
    pub(crate) fn operands(self) -> usize {
        match self {
            Self::Neg
            | Self::Abs
            | Self::Sqrt
            | Self::Floor
            | Self::Ceil
            | Self::Trunc
            | Self::Rint
            | Self::Round
            | Self::Same
            | Self::Canonicalize => 1,
            Self::Fma | Self::FMulAdd => 3,
            Self::Add
            | Self::Sub
            | Self::Mul
            | Self::Div
            | Self::Rem
            | Self::CopySign
            | Self::MinNum
            | Self::MaxNum
            | Self::Minimum
            | Self::Maximum
            | Self::MinimumNum
            | Self::MaximumNum => 2,
        }
    }

    /// Whether it only moves and changes bits: NaNs keep theirs.
    pub(crate) fn is_bitwise(self) -> bool {
        matches!(self, Self::Neg | Self::Abs | Self::CopySign | Self::Same)
    }

    /// The intrinsic that a function name stands for.
    pub(crate) fn of(callee: &str) -> Option<Self> {
        let name = callee.strip_prefix("llvm.")?;
        Some(match name.split('.').next()? {
            "fabs" => Self::Abs,
            "copysign" => Self::CopySign,
            "minnum" => Self::MinNum,
            "maxnum" => Self::MaxNum,
            "minimum" => Self::Minimum,
            "maximum" => Self::Maximum,
            "minimumnum" => Self::MinimumNum,
            "maximumnum" => Self::MaximumNum,
            "sqrt" => Self::Sqrt,
            "floor" => Self::Floor,
            "ceil" => Self::Ceil,
            "trunc" => Self::Trunc,
            "rint" | "nearbyint" | "roundeven" => Self::Rint,
            "round" => Self::Round,
            "fma" => Self::Fma,
            "fmuladd" => Self::FMulAdd,
            "canonicalize" => Self::Canonicalize,
            _ => return None,
        })
    }
}

/// Flags under which other results than the exact one are allowed.
const INEXACT: [Flags; 4] = [Flags::REASSOC, Flags::ARCP, Flags::CONTRACT, Flags::AFN];

pub(crate) fn compute(
    op: FloatOp,
    flags: Flags,
    kind: FloatKind,
    operands: &[u128],
    scope: &mut Scope,
) -> Result<Lane, Stop> {
    let format = Format::of(kind)?;
    if operands.iter().any(|bits| format.is_forbidden(*bits, flags)) {
        return Ok(Lane::Poison);
    }
    let bits = match op {
        FloatOp::Neg => operands[0] ^ format.sign(),
        FloatOp::Same => operands[0],
        FloatOp::Abs => operands[0] & !format.sign(),
        FloatOp::CopySign => operands[0] & !format.sign() | operands[1] & format.sign(),
        FloatOp::MinNum | FloatOp::MaxNum | FloatOp::MinimumNum | FloatOp::MaximumNum => {
            extreme(op, &format, operands, scope)
        }
        FloatOp::Canonicalize if !format.is_nan(operands[0]) => operands[0],
        FloatOp::Add
        | FloatOp::Sub
        | FloatOp::Mul
        | FloatOp::Div
        | FloatOp::Rem
        | FloatOp::Minimum
        | FloatOp::Maximum
        | FloatOp::Sqrt
        | FloatOp::Floor
        | FloatOp::Ceil
        | FloatOp::Trunc
        | FloatOp::Rint
        | FloatOp::Round
        | FloatOp::Fma
        | FloatOp::FMulAdd
        | FloatOp::Canonicalize => {
            let any_nan = operands.iter().any(|bits| format.is_nan(*bits));
            let exact = if any_nan { None } else { arithmetic(op, kind, operands, scope)? };
            match exact.filter(|bits| !format.is_nan(*bits)) {
                Some(bits) => bits,
                None => nan(&format, operands, scope),
            }
        }
    };
    if format.is_forbidden(bits, flags) {
        return Ok(Lane::Poison);
    }
    if !op.is_bitwise() && INEXACT.iter().any(|flag| flags.has(*flag)) {
        *scope.narrowed = Some("fast-math flags that allow other results");
    }
    if flags.has(Flags::NSZ)
        && (format.is_zero(bits) || operands.iter().any(|bits| format.is_zero(*bits)))
    {
        *scope.narrowed = Some("signs of zeros under nsz");
    }
    Ok(Lane::Bits(bits))
}

/// One of the NaNs that an operation on these operands may return.
fn nan(format: &Format, operands: &[u128], scope: &mut Scope) -> u128 {
    *scope.made_nan = true;
    let mut payloads = vec![format.quiet_nan()];
    for bits in operands.iter().filter(|bits| format.is_nan(**bits)) {
        let unchanged = bits & !format.sign();
        for payload in [unchanged | format.quiet(), unchanged] {
            if !payloads.contains(&payload) {
                payloads.push(payload);
            }
        }
    }
    if let Some(model) = scope.choices.model() {
        if model == 0 {
            return format.quiet_nan();
        }
        // The first or the last NaN is passed on with its sign; without any, a NaN of one sign is made.
        let mut nans = operands.iter().filter(|bits| format.is_nan(**bits));
        let passed = if model % 2 == 1 { nans.next() } else { nans.next_back() };
        let sign = if model % 2 == 1 { format.sign() } else { 0 };
        return passed.map_or(format.quiet_nan() | sign, |bits| bits | format.quiet());
    }
    let choice = scope.choices.below(2 * payloads.len() as u32) as usize;
    let sign = if choice % 2 == 1 { format.sign() } else { 0 };
    payloads[choice / 2] | sign
}

/// Minima and maxima for which a NaN is a missing operand.
fn extreme(op: FloatOp, format: &Format, operands: &[u128], scope: &mut Scope) -> u128 {
    let (a, b) = (operands[0], operands[1]);
    let is_loose = matches!(op, FloatOp::MinNum | FloatOp::MaxNum);
    match (format.is_nan(a), format.is_nan(b)) {
        (true, true) => nan(format, operands, scope),
        (false, false) => {
            let least = matches!(op, FloatOp::MinNum | FloatOp::MinimumNum);
            if is_loose && format.is_zero(a) && format.is_zero(b) && a != b {
                // Machines order zeros by their signs.
                let is_any = scope.choices.model().is_none() && scope.choices.below(2) == 1;
                let wanted = if least != is_any { format.sign() } else { 0 };
                return wanted;
            }
            let a_first = format.order(a) <= format.order(b);
            if a_first == least { a } else { b }
        }
        (a_is_nan, _) => {
            let (number, other) = if a_is_nan { (b, a) } else { (a, b) };
            // minnum and maxnum of a signaling NaN may return a NaN or the number.
            if is_loose
                && !format.is_quiet(other)
                && scope.choices.model().is_none()
                && scope.choices.below(2) == 1
            {
                return nan(format, operands, scope);
            }
            number
        }
    }
}

/// The correctly rounded result over numbers. None for a NaN.
fn arithmetic(
    op: FloatOp,
    kind: FloatKind,
    operands: &[u128],
    scope: &mut Scope,
) -> Result<Option<u128>, Stop> {
    let format = Format::of(kind)?;
    if let FloatOp::Minimum | FloatOp::Maximum = op {
        let a_first = format.order(operands[0]) <= format.order(operands[1]);
        let least = op == FloatOp::Minimum;
        return Ok(Some(operands[usize::from(a_first != least)]));
    }
    let mut fuses = || match scope.choices.model() {
        Some(model) => model % 2 == 1,
        None => scope.choices.below(2) == 0,
    };
    let fused = op == FloatOp::Fma || op == FloatOp::FMulAdd && fuses();
    macro_rules! native {
        ($float:ty, $bits:ty) => {{
            let mut numbers = [0.0; 3];
            for (slot, bits) in numbers.iter_mut().zip(operands) {
                *slot = <$float>::from_bits(*bits as $bits);
            }
            let [a, b, c] = numbers;
            let result = match op {
                FloatOp::Fma | FloatOp::FMulAdd if fused => a.mul_add(b, c),
                FloatOp::Fma | FloatOp::FMulAdd => a * b + c,
                _ => simple!(op, a, b),
            };
            u128::from(result.to_bits())
        }};
    }
    macro_rules! simple {
        ($op:expr, $a:expr, $b:expr) => {
            match $op {
                FloatOp::Add => $a + $b,
                FloatOp::Sub => $a - $b,
                FloatOp::Mul => $a * $b,
                FloatOp::Div => $a / $b,
                FloatOp::Rem => $a % $b,
                FloatOp::Sqrt => $a.sqrt(),
                FloatOp::Floor => $a.floor(),
                FloatOp::Ceil => $a.ceil(),
                FloatOp::Trunc => $a.trunc(),
                FloatOp::Rint => $a.round_ties_even(),
                FloatOp::Round => $a.round(),
                _ => return Stop::unsupported("an operation on floats"),
            }
        };
    }
    Ok(match kind {
        FloatKind::Double => Some(native!(f64, u64)),
        FloatKind::Float => Some(native!(f32, u32)),
        // Doubles hold sums, products, quotients and roots of these exactly enough that rounding twice
        // gives the same as rounding once.
        FloatKind::Half | FloatKind::BFloat => {
            let double = |index: usize| {
                f64::from_bits(format.to_double(operands.get(index).copied().unwrap_or(0)))
            };
            let (a, b) = (double(0), double(1));
            let result = match op {
                FloatOp::Fma | FloatOp::FMulAdd if fused => sum_to_odd(a * b, double(2)),
                FloatOp::Fma | FloatOp::FMulAdd => {
                    let product = format.rounded_double(a * b);
                    f64::from_bits(format.to_double(product)) + double(2)
                }
                _ => simple!(op, a, b),
            };
            (!result.is_nan()).then(|| format.rounded_double(result))
        }
        FloatKind::X86Fp80 | FloatKind::Fp128 | FloatKind::PpcFp128 => {
            return Stop::unsupported("arithmetic on long floats");
        }
    })
}

/// The sum rounded to odd, so that rounding it again is exact.
fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    if !sum.is_finite() {
        return sum;
    }
    let part = sum - a;
    let error = (a - (sum - part)) + (b - part);
    if error == 0.0 || sum.to_bits() & 1 == 1 {
        return sum;
    }
    let away = (error > 0.0) == (sum > 0.0);
    f64::from_bits(if away { sum.to_bits() + 1 } else { sum.to_bits() - 1 })
}

pub(crate) fn compare(
    predicate: FloatPredicate,
    flags: Flags,
    kind: FloatKind,
    a: u128,
    b: u128,
) -> Result<Lane, Stop> {
    let format = Format::of(kind)?;
    if format.is_forbidden(a, flags) || format.is_forbidden(b, flags) {
        return Ok(Lane::Poison);
    }
    let unordered = format.is_nan(a) || format.is_nan(b);
    // Zeros of both signs are equal.
    let order = |bits: u128| if format.is_zero(bits) { 0 } else { format.order(bits) };
    let (less, equal) = (order(a) < order(b), order(a) == order(b));
    let (less, equal, more) =
        (less && !unordered, equal && !unordered, !less && !equal && !unordered);
    let holds = match predicate {
        FloatPredicate::False => false,
        FloatPredicate::Oeq => equal,
        FloatPredicate::Ogt => more,
        FloatPredicate::Oge => more || equal,
        FloatPredicate::Olt => less,
        FloatPredicate::Ole => less || equal,
        FloatPredicate::One => less || more,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Ueq => equal || unordered,
        FloatPredicate::Ugt => more || unordered,
        FloatPredicate::Uge => more || equal || unordered,
        FloatPredicate::Ult => less || unordered,
        FloatPredicate::Ule => less || equal || unordered,
        FloatPredicate::Une => less || more || unordered,
        FloatPredicate::Uno => unordered,
        FloatPredicate::True => true,
    };
    Ok(Lane::Bits(u128::from(holds)))
}

/// Rounds towards zero. A result that does not fit is poison, or the nearest number that fits.
pub(crate) fn to_int(
    kind: FloatKind,
    bits: u128,
    signed: bool,
    saturating: bool,
    width: u32,
) -> Result<Lane, Stop> {
    let format = Format::of(kind)?;
    if format.is_nan(bits) {
        return Ok(if saturating { Lane::Bits(0) } else { Lane::Poison });
    }
    let negative = bits & format.sign() != 0;
    let magnitude = format.magnitude(bits);
    let limit = match (signed, negative) {
        (true, true) => 1 << (width - 1),
        (true, false) => (1 << (width - 1)) - 1,
        (false, true) => 0,
        (false, false) => u128::MAX >> (128 - width),
    };
    let value = match magnitude {
        Some(magnitude) if magnitude <= limit => magnitude,
        _ if saturating => limit,
        _ => return Ok(Lane::Poison),
    };
    let value = if negative { value.wrapping_neg() } else { value };
    Ok(Lane::Bits(Bits::new(value, width).value))
}

pub(crate) fn from_int(
    word: Bits,
    signed: bool,
    flags: Flags,
    kind: FloatKind,
) -> Result<Lane, Stop> {
    let format = Format::of(kind)?;
    let negative = signed && word.signed() < 0;
    if flags.has(Flags::NNEG) && word.signed() < 0 {
        return Ok(Lane::Poison);
    }
    let magnitude = if negative { word.signed().unsigned_abs() } else { word.value };
    Ok(Lane::Bits(format.pack(negative, magnitude, 0)))
}

/// `fpext` and `fptrunc`.
pub(crate) fn convert(
    from: FloatKind,
    to: FloatKind,
    flags: Flags,
    bits: u128,
    scope: &mut Scope,
) -> Result<Lane, Stop> {
    let (source, target) = (Format::of(from)?, Format::of(to)?);
    if source.is_forbidden(bits, flags) {
        return Ok(Lane::Poison);
    }
    let result = if source.is_nan(bits) {
        nan(&target, &[source.nan_in(&target, bits)], scope)
    } else {
        source.number_in(&target, bits)
    };
    if target.is_forbidden(result, flags) {
        return Ok(Lane::Poison);
    }
    if INEXACT.iter().any(|flag| flags.has(*flag)) || flags.has(Flags::NSZ) {
        *scope.narrowed = Some("fast-math flags that allow other results");
    }
    Ok(Lane::Bits(result))
}

pub(crate) fn ldexp(
    kind: FloatKind,
    flags: Flags,
    bits: u128,
    by: i128,
    scope: &mut Scope,
) -> Result<Lane, Stop> {
    let format = Format::of(kind)?;
    if format.is_forbidden(bits, flags) {
        return Ok(Lane::Poison);
    }
    let result = if format.is_nan(bits) {
        nan(&format, &[bits], scope)
    } else {
        format.scaled(bits, by.clamp(-100_000, 100_000) as i32)
    };
    if flags != Flags::NONE {
        *scope.narrowed = Some("fast-math flags that allow other results");
    }
    Ok(if format.is_forbidden(result, flags) { Lane::Poison } else { Lane::Bits(result) })
}

/// The bit of `llvm.is.fpclass` and `nofpclass` that a number belongs to.
pub(crate) fn class(kind: FloatKind, bits: u128) -> u32 {
    let Ok(format) = Format::of(kind) else { return 0 };
    let negative = bits & format.sign() != 0;
    let index = if format.is_nan(bits) {
        return if format.is_quiet(bits) { 2 } else { 1 };
    } else if format.is_infinite(bits) {
        0
    } else if format.is_zero(bits) {
        3
    } else if format.is_subnormal(bits) {
        2
    } else {
        1
    };
    if negative { 4 << index } else { 512 >> index }
}
