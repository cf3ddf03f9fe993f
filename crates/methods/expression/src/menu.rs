//! Numbers that are worth writing into a program, and worth giving to one.

use num_bigint::{BigInt, Sign};

use forge::Entropy;
use identity::apply;
use identity::valuations::FIELDS;

/// The words that every program is tried on: 0, 1, −1, the least and the greatest signed number.
pub(super) fn corners(width: u16) -> [BigInt; 5] {
    let half = BigInt::from(1) << (width - 1);
    [BigInt::ZERO, BigInt::from(1), &half * 2 - 1, half.clone(), half - 1]
}

/// A word of a width: what rules and compilers turn at, a prime of a field or a neighbour of one, or
/// anything.
pub(super) fn draw(entropy: &mut Entropy, width: u16) -> BigInt {
    let modulus = BigInt::from(1) << width;
    match entropy.below(10) {
        0 if width >= 64 => {
            let field = entropy.pick(&FIELDS).copied().unwrap_or_default();
            (integer(&field) + entropy.below(3) + &modulus - 1_u32) % modulus
        }
        1 | 2 => {
            let limbs: [u64; 9] = std::array::from_fn(|_| entropy.word());
            integer(&limbs) % modulus
        }
        // A word with a number of significant bits that is drawn, for no magnitude is special.
        3 | 4 => {
            let bits = entropy.between(1, u64::from(width));
            let limbs: [u64; 9] = std::array::from_fn(|_| entropy.word());
            integer(&limbs) % (BigInt::from(1) << bits)
        }
        _ => apply::number(entropy, width),
    }
}

/// A number with more than half of the bits of a width: what is divided by it takes more than one step where words
/// are put together from halves.
pub(super) fn long(entropy: &mut Entropy, width: u16) -> BigInt {
    let (half, modulus) = (u64::from(width / 2), BigInt::from(1) << width);
    let value = match entropy.below(6) {
        0 if width >= 256 => integer(&entropy.pick(&FIELDS).copied().unwrap_or_default()),
        0 | 1 => (BigInt::from(1) << entropy.between(half, u64::from(width) - 1)) + 1,
        2 => BigInt::from(1) << entropy.between(half, u64::from(width) - 1),
        3 => &modulus - entropy.between(1, 3),
        4 => &modulus / 2 - entropy.below(2),
        _ => {
            let limbs: [u64; 9] = std::array::from_fn(|_| entropy.word());
            let bits = entropy.between(half + 1, u64::from(width));
            (integer(&limbs) % (BigInt::from(1) << bits)) | (BigInt::from(1) << (bits - 1))
        }
    };
    value % modulus
}

fn integer(limbs: &[u64]) -> BigInt {
    let digits: Vec<u32> =
        limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
    BigInt::from_slice(Sign::Plus, &digits)
}
