//! Numbers as LLVM writes them: integers as signed decimals, floating-point numbers as decimals with six
//! digits if that is exact, else as bits.

use crate::ir::FloatKind;

/// An integer of a width of at most 128 bits.
pub(super) fn integer(value: u128, width: u32) -> String {
    if width == 1 {
        return if value & 1 == 1 { "true" } else { "false" }.to_owned();
    }
    let shift = 128_u32.saturating_sub(width.max(1));
    ((value << shift) as i128 >> shift).to_string()
}

pub(super) fn float(bits: u128, kind: FloatKind) -> String {
    match kind {
        FloatKind::Float | FloatKind::Double => {
            let bits = kind.to_double(bits).unwrap_or(bits as u64);
            decimal(f64::from_bits(bits)).unwrap_or_else(|| format!("0x{bits:016X}"))
        }
        FloatKind::Half => format!("0xH{bits:04X}"),
        FloatKind::BFloat => format!("0xR{bits:04X}"),
        FloatKind::X86Fp80 => format!("0xK{bits:020X}"),
        // The lower half first.
        FloatKind::Fp128 => format!("0xL{:032X}", bits.rotate_left(64)),
        FloatKind::PpcFp128 => format!("0xM{:032X}", bits.rotate_left(64)),
    }
}

/// With six digits behind the point and at least two of exponent, if it is exact.
fn decimal(value: f64) -> Option<String> {
    if !value.is_finite() {
        return None;
    }
    let text = format!("{value:.6e}");
    (text.parse() == Ok(value)).then_some(())?;
    let (digits, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let sign = if exponent < 0 { '-' } else { '+' };
    Some(format!("{digits}e{sign}{:02}", exponent.abs()))
}
