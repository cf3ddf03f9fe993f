//! Whether the result of a program depends on its inputs. A constant function tests folding and little else, and many bases
//! that are grown are constant: most of these are dropped.

use num_bigint::BigInt;

use super::constants;
use super::program::Body;
use super::run::{Arithmetic, Fate, run};
use forge::Entropy;
use identity::kernel::Terms;

/// How many inputs are drawn besides the extremes.
const DRAWN: usize = 11;

/// Whether all inputs of a sample with a known result have the same one; also true if there are none.
pub(super) fn is_constant(
    terms: &Terms,
    body: &Body,
    parameters: &[u16],
    arithmetic: Arithmetic,
    entropy: &mut Entropy,
) -> bool {
    let extremes = |n: usize| -> Vec<BigInt> {
        parameters.iter().map(|&width| constants::extremes(width)[n].clone()).collect()
    };
    let mut rows: Vec<Vec<BigInt>> = (0..5).map(extremes).collect();
    for index in 0..DRAWN {
        let word = |&width: &u16| match index % 2 {
            // Checked arithmetic rarely traps on small numbers.
            0 => BigInt::from(entropy.below(1 << width.min(5))),
            _ => constants::draw(entropy, width),
        };
        rows.push(parameters.iter().map(word).collect());
    }
    let fates = run(terms, body, &rows, arithmetic, false).map(|runs| runs.fates);
    let mut known = fates
        .into_iter()
        .flatten()
        .filter(|fate| !matches!(fate, Fate::Undefined | Fate::Ambiguous));
    let first = known.next();
    known.all(|fate| Some(fate) == first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::TrapKinds;
    use forge::{Entropy, Ticket};
    use identity::kernel::{Extent, Op, Semantics};

    #[test]
    fn constant_programs_are_detected() {
        let mut terms = Terms::new();
        let width = Extent::fixed(8);
        let a = terms.variable(0, width);
        let zero = terms.literal(0, width);
        let quotient = terms.apply(Op::Udiv, &[a, zero]);
        let nothing = terms.apply(Op::Xor, &[a, a]);
        let below = terms.apply(Op::Sub, &[zero, a]);
        let semantics = Semantics::named("rust-unsigned").unwrap();
        let arithmetic = Arithmetic { semantics, traps: TrapKinds::Distinct };
        let mut entropy = Entropy::of(&Ticket::new("nontrivial", 1, 1));
        for (result, expected) in [(a, false), (quotient, true), (nothing, true), (below, false)] {
            let body = Body { steps: vec![], result };
            assert_eq!(is_constant(&terms, &body, &[8], arithmetic, &mut entropy), expected);
        }
    }
}
