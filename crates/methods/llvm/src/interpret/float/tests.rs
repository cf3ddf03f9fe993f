//! Formats and conversions of floats, compared with the machine's own arithmetic.

use super::format::Format;
use crate::ir::FloatKind;
use forge::Entropy;

/// Conversions between float and double against those of the machine.
#[test]
fn conversions_agree_with_the_machine() {
    let (float, double) =
        (Format::of(FloatKind::Float).unwrap(), Format::of(FloatKind::Double).unwrap());
    let mut entropy = Entropy::keyed(3);
    for _ in 0..20_000 {
        let word = entropy.word();
        // Exponents around the range of float are the interesting ones.
        let exponent = 1023 - 160 + entropy.below(300);
        let bits = if entropy.chance(1, 2) { word } else { word & !(0x7ff << 52) | exponent << 52 };
        let number = f64::from_bits(bits);
        if number.is_nan() {
            continue;
        }
        let short = u128::from((number as f32).to_bits());
        assert_eq!(double.number_in(&float, u128::from(bits)), short, "{number:e}");
        let wide = u128::from(f64::from(number as f32).to_bits());
        assert_eq!(float.number_in(&double, short), wide);
        let half = Format::of(FloatKind::Half).unwrap();
        let once = double.number_in(&half, wide);
        assert_eq!(
            half.number_in(&double, once),
            half.number_in(&double, float.number_in(&half, short))
        );
    }
}

#[test]
fn integers_are_rounded_as_the_machine_rounds_them() {
    let float = Format::of(FloatKind::Float).unwrap();
    let mut entropy = Entropy::keyed(4);
    for _ in 0..20_000 {
        let number = u128::from(entropy.word()) << 64 | u128::from(entropy.word());
        let number = number >> entropy.below(128);
        assert_eq!(float.pack(false, number, 0), u128::from((number as f32).to_bits()), "{number}");
        assert_eq!(
            float.magnitude(u128::from((number as f32).to_bits())),
            Some(number as f32 as u128)
                .filter(|_| (number as f32).is_finite() && (number as f32) < 3.4e38)
        );
    }
}

#[test]
fn half_holds_what_it_should() {
    let half = Format::of(FloatKind::Half).unwrap();
    for (number, bits) in [
        (1.0, 0x3c00),
        (65504.0, 0x7bff),
        (5.960_464_5e-8, 1),
        (2.9e-8, 0),
        (3.1e-8, 1),
        (-0.0, 0x8000),
    ] {
        assert_eq!(half.rounded_double(number), bits, "{number}");
    }
}
