//! Polynomials with integer coefficients over numbered factors, in a unique normal form. `ring.rs`
//! defines what the factors denote. This file only distinguishes flags, which are idempotent since
//! their value is 0 or 1.

use std::collections::BTreeMap;

use num_bigint::BigInt;

/// Limit on the number of monomials.
const LARGEST: usize = 512;

/// Set in the number of a factor that is a flag.
pub(super) const FLAG: u32 = 1 << 31;

/// Maps each monomial, its factors in ascending order with repetition, to its nonzero coefficient.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Polynomial(BTreeMap<Vec<u32>, BigInt>);

impl Polynomial {
    pub(super) fn constant(value: impl Into<BigInt>) -> Self {
        let mut result = Self::default();
        result.add(Vec::new(), value.into());
        result
    }

    pub(super) fn factor(factor: u32) -> Self {
        Self(BTreeMap::from([(vec![factor], BigInt::from(1))]))
    }

    /// The constant value, if it is constant.
    pub(crate) fn as_constant(&self) -> Option<BigInt> {
        match self.0.len() {
            0 => Some(BigInt::ZERO),
            1 => self.0.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    /// The factor, if it is a single one with coefficient 1.
    pub(super) fn as_factor(&self) -> Option<u32> {
        match self.0.first_key_value() {
            Some((monomial, one)) if self.0.len() == 1 && *one == BigInt::from(1) => {
                <[u32; 1]>::try_from(monomial.as_slice()).ok().map(|[factor]| factor)
            }
            _ => None,
        }
    }

    /// The coefficients and monomials.
    pub(super) fn summands(&self) -> impl ExactSizeIterator<Item = (&BigInt, Self)> {
        let one = |monomial: &Vec<u32>| Self(BTreeMap::from([(monomial.clone(), BigInt::from(1))]));
        self.0.iter().map(move |(monomial, coefficient)| (coefficient, one(monomial)))
    }

    fn add(&mut self, monomial: Vec<u32>, coefficient: BigInt) {
        use std::collections::btree_map::Entry;
        match self.0.entry(monomial) {
            Entry::Vacant(entry) if coefficient != BigInt::ZERO => {
                entry.insert(coefficient);
            }
            Entry::Vacant(_) => {}
            Entry::Occupied(mut entry) => {
                *entry.get_mut() += coefficient;
                if *entry.get() == BigInt::ZERO {
                    entry.remove();
                }
            }
        }
    }

    pub(super) fn plus(&self, other: &Self, times: &BigInt) -> Self {
        let mut sum = self.clone();
        for (monomial, coefficient) in &other.0 {
            sum.add(monomial.clone(), coefficient * times);
        }
        sum
    }

    pub(super) fn scaled(&self, times: &BigInt) -> Self {
        Self::default().plus(self, times)
    }

    /// `None` if the product exceeds the limit.
    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut product = Self::default();
        for (left, a) in &self.0 {
            for (right, b) in &other.0 {
                let mut monomial = [left.as_slice(), right].concat();
                monomial.sort_unstable();
                monomial.dedup_by(|x, y| x == y && *x & FLAG != 0);
                product.add(monomial, a * b);
            }
            if product.0.len() > LARGEST {
                return None;
            }
        }
        Some(product)
    }

    /// Modulo 2^bits, with coefficients 0 < c < 2^bits.
    pub(super) fn modulo(self, bits: u16) -> Self {
        self.modulo_number(&(BigInt::from(1) << bits))
    }

    /// Modulo a positive number, with coefficients 0 < c < modulus.
    pub(super) fn modulo_number(self, modulus: &BigInt) -> Self {
        let reduce = |c: BigInt| ((c % modulus) + modulus) % modulus;
        let terms = self.0.into_iter().map(|(monomial, c)| (monomial, reduce(c)));
        Self(terms.filter(|(_, c)| *c != BigInt::ZERO).collect())
    }
}
