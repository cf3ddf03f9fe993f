//! Bindings for variables that occur only in the target of a rule. They must not stop, since the
//! source evaluates nothing in their place. Subterms of the program are preferred to literals.

use num_bigint::BigInt;

use super::material::Material;
use crate::kernel::{Extent, TermId};
use forge::Entropy;

/// Limit on the size of a reused term.
const LARGEST: u32 = 9;

#[derive(Debug)]
pub(super) enum Invention<'a> {
    /// Drawn from the program with this root, or a random literal.
    Drawn { root: TermId, entropy: &'a mut Entropy },
    /// Recorded bindings. The program may have changed since, so that they are checked again.
    Given(&'a [(u8, TermId)], &'a [(u8, BigInt)]),
}

impl Invention<'_> {
    pub(super) fn attempts(&self, draws: usize) -> usize {
        match self {
            Self::Drawn { .. } => draws,
            Self::Given(..) => 1,
        }
    }

    pub(super) fn word(&mut self, material: &mut Material, slot: u8, width: u16) -> Option<TermId> {
        match self {
            Self::Given(words, _) => {
                let (_, word) = *words.iter().find(|(s, _)| *s == slot)?;
                let fits = material.terms().width(word) == Extent::fixed(width)
                    && material.stops(word).is_empty();
                fits.then_some(word)
            }
            Self::Drawn { root, entropy } => {
                if !entropy.chance(1, 6) {
                    for _ in 0..6 {
                        let nth = entropy.below(u64::from(material.size(*root))) as u32;
                        let term = material.nth(*root, nth, &mut Vec::new());
                        if material.terms().width(term) == Extent::fixed(width)
                            && material.stops(term).is_empty()
                            && material.size(term) <= LARGEST
                        {
                            return Some(term);
                        }
                    }
                }
                let value = number(entropy, width);
                Some(material.literal(value, width))
            }
        }
    }

    pub(super) fn number(&mut self, slot: u8, width: u16) -> Option<BigInt> {
        match self {
            Self::Given(_, numbers) => {
                let (_, number) = numbers.iter().find(|(s, _)| *s == slot)?;
                (number.bits() <= u64::from(width)).then(|| number.clone())
            }
            Self::Drawn { entropy, .. } => Some(number(entropy, width)),
        }
    }
}

/// A random literal biased towards edge cases: near 0, near the bounds, powers of two, masks, shift
/// amounts.
pub fn number(entropy: &mut Entropy, width: u16) -> BigInt {
    let modulus = BigInt::from(1) << width;
    let power = |entropy: &mut Entropy| BigInt::from(1) << entropy.below(u64::from(width));
    let value = match entropy.below(8) {
        0 => BigInt::from(entropy.below(4)),
        1 => -BigInt::from(entropy.between(1, 3)),
        2 => &modulus / 2 - entropy.below(2),
        3 | 4 => power(entropy),
        5 => power(entropy) - 1,
        6 => BigInt::from(entropy.below(u64::from(width))),
        _ => BigInt::from(entropy.word()),
    };
    let word: BigInt = value % &modulus;
    if word < BigInt::ZERO { word + modulus } else { word }
}
