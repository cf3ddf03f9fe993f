//! Structured valuations, chosen to refute false equations: edge cases and their cross products,
//! related operands, small amounts, primes of fields, and random words of several densities. The
//! sequence depends only on the widths.

use super::word::Word;
use forge::{Entropy, Ticket};

/// Primes and orders of fields used in smart contracts, for which compilers have no special cases.
/// Narrower widths use them truncated.
pub const FIELDS: [[u64; 4]; 8] = [
    // secp256k1: field prime and group order.
    [0xffff_fffe_ffff_fc2f, u64::MAX, u64::MAX, u64::MAX],
    [0xbfd2_5e8c_d036_4141, 0xbaae_dce6_af48_a03b, 0xffff_ffff_ffff_fffe, u64::MAX],
    // BN254: scalar field and base field.
    [0x43e1_f593_f000_0001, 0x2833_e848_79b9_7091, 0xb850_45b6_8181_585d, 0x3064_4e72_e131_a029],
    [0x3c20_8c16_d87c_fd47, 0x9781_6a91_6871_ca8d, 0xb850_45b6_8181_585d, 0x3064_4e72_e131_a029],
    // BLS12-381: scalar field.
    [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48],
    // Curve25519, P-256, Goldilocks.
    [0xffff_ffff_ffff_ffed, u64::MAX, u64::MAX, 0x7fff_ffff_ffff_ffff],
    [u64::MAX, 0xffff_ffff, 0, 0xffff_ffff_0000_0001],
    [0xffff_ffff_0000_0001, 0, 0, 0],
];

/// Limit on the cross product of edge cases.
const CROSS: usize = 400;

/// The edge cases of a width, most significant for testing first.
pub fn edge_cases<const N: usize>(width: u16) -> Vec<Word<N>> {
    let bits = u32::from(width);
    let (one, mask, least) = (Word::small(1), Word::<N>::mask(bits), Word::power(bits - 1));
    let small = |n: u32| Word::small(u64::from(n));
    let every = |limb: u64| Word([limb; N]);
    let half = Word::mask(bits / 2);
    let mut edge_cases = vec![
        Word::ZERO,
        one,
        mask,
        least,
        !least,
        small(2),
        !one,
        least | one,
        small(3),
        small(bits),
        small(bits - 1),
        every(0x5555_5555_5555_5555),
        every(0xaaaa_aaaa_aaaa_aaaa),
        half,
        !half,
        small(bits + 1),
        small(4),
        small(5),
        small(6),
        small(7),
        Word::small(0xff),
        !Word::small(0xff),
        every(0x00ff_00ff_00ff_00ff),
        every(0xff00_ff00_ff00_ff00),
        every(0x0f0f_0f0f_0f0f_0f0f),
        every(0x3333_3333_3333_3333),
        every(0x0101_0101_0101_0101),
        every(0x8080_8080_8080_8080),
        Word::power(bits / 2),
        Word::small(0xffff),
        Word::small(0xffff_ffff),
        Word::small(1000),
        Word::small(1024),
        !Word::small(2),
    ];
    for field in FIELDS {
        let prime = Word(std::array::from_fn(|limb| field.get(limb).copied().unwrap_or(0)));
        edge_cases.extend([prime, prime.wrapping_sub(one), prime.wrapping_add(one)]);
    }
    for exponent in 3..bits {
        let power = Word::power(exponent);
        edge_cases.extend([power, power.wrapping_sub(one), power.wrapping_add(one)]);
        edge_cases.push(power.wrapping_neg());
    }
    let mut seen = std::collections::HashSet::new();
    edge_cases.iter().map(|&word| word & mask).filter(|&word| seen.insert(word)).collect()
}

/// An infinite sequence of valuations for variables of given widths.
#[derive(Clone, Debug)]
pub struct Valuations<const N: usize> {
    widths: Vec<u16>,
    /// The edge cases of each variable.
    edge_cases: Vec<Vec<Word<N>>>,
    /// The number of edge cases per variable in the cross product, and the size of the product.
    side: usize,
    cross: usize,
    drawn: usize,
    entropy: Entropy,
}

impl<const N: usize> Valuations<N> {
    /// The widths must be at least 1.
    pub fn new(widths: &[u16]) -> Self {
        let edge_cases: Vec<Vec<Word<N>>> = widths
            .iter()
            .enumerate()
            .map(|(index, &width)| match widths[..index].iter().position(|&w| w == width) {
                Some(_) => Vec::new(),
                None => edge_cases(width),
            })
            .collect();
        let count = widths.len() as u32;
        let product = |side: usize| side.saturating_pow(count);
        let side = if count == 1 {
            edge_cases[0].len()
        } else {
            (1..=CROSS).take_while(|&side| product(side) <= CROSS).last().unwrap_or(0)
        };
        let seed = widths
            .iter()
            .fold(0_u64, |seed, &width| seed.wrapping_mul(1031).wrapping_add(u64::from(width)));
        Self {
            widths: widths.to_vec(),
            edge_cases,
            side,
            cross: if side > 1 { product(side) } else { 0 },
            drawn: 0,
            entropy: Entropy::of(&Ticket::new("valuations", seed, 0)),
        }
    }

    /// The next valuation; `row` has one slot per variable.
    pub fn draw(&mut self, row: &mut [Word<N>]) {
        let index = self.drawn;
        self.drawn += 1;
        if index < self.cross {
            let mut rest = index;
            for (variable, value) in row.iter_mut().enumerate() {
                let edge_cases = self.edge_cases_of(variable);
                *value = edge_cases[rest % self.side % edge_cases.len()];
                rest /= self.side;
            }
            return;
        }
        match index % 8 {
            0 | 1 => self.each(row, |this, variable| this.edge_case(variable)),
            2 | 3 => self.related(row),
            4 => self.each(row, |this, variable| this.amount(variable)),
            5 => self.each(row, |this, _| this.dense()),
            _ => self.each(row, |this, variable| match this.entropy.below(5) {
                0 => this.edge_case(variable),
                1 => this.amount(variable),
                2 => this.power(variable),
                3 => this.sparse(variable),
                _ => this.dense(),
            }),
        }
        for (value, &width) in row.iter_mut().zip(&self.widths) {
            *value = *value & Word::mask(u32::from(width));
        }
    }

    fn each(&mut self, row: &mut [Word<N>], mut one: impl FnMut(&mut Self, usize) -> Word<N>) {
        for (variable, value) in row.iter_mut().enumerate() {
            *value = one(self, variable);
        }
    }

    /// Variables of equal width share one list of edge cases.
    fn edge_cases_of(&self, variable: usize) -> &[Word<N>] {
        let width = self.widths[variable];
        let first = self.widths.iter().position(|&w| w == width).unwrap_or(variable);
        &self.edge_cases[first]
    }

    fn edge_case(&mut self, variable: usize) -> Word<N> {
        let count = self.edge_cases_of(variable).len() as u64;
        let index = self.entropy.below(count) as usize;
        self.edge_cases_of(variable)[index]
    }

    /// A shift amount: below the width, or slightly above.
    fn amount(&mut self, variable: usize) -> Word<N> {
        Word::small(self.entropy.below(u64::from(self.widths[variable]) + 2))
    }

    fn power(&mut self, variable: usize) -> Word<N> {
        Word::power(self.entropy.below(u64::from(self.widths[variable])) as u32)
    }

    fn random(&mut self) -> Word<N> {
        Word(std::array::from_fn(|_| self.entropy.word()))
    }

    /// A random word with about half, a quarter or three quarters of its bits set, or with leading
    /// zeros.
    fn dense(&mut self) -> Word<N> {
        let word = self.random();
        match self.entropy.below(5) {
            0 => word & self.random(),
            1 => word | self.random(),
            2 => word.shifted_right(self.entropy.below(u64::from(Word::<N>::BITS)) as u32),
            _ => word,
        }
    }

    /// One to three runs of ones, possibly complemented.
    fn sparse(&mut self, variable: usize) -> Word<N> {
        let width = u64::from(self.widths[variable]);
        let mut word = Word::ZERO;
        for _ in 0..self.entropy.between(1, 3) {
            let length = if self.entropy.chance(1, 2) { 1 } else { self.entropy.below(width) + 1 };
            let start = self.entropy.below(width) as u32;
            word = word ^ Word::mask(length as u32).shifted_left(start);
        }
        if self.entropy.chance(1, 3) { !word } else { word }
    }

    /// One variable is drawn freely; each other one is derived from a variable that has its value.
    fn related(&mut self, row: &mut [Word<N>]) {
        let count = row.len();
        let first = self.entropy.below(count as u64) as usize;
        row[first] = match self.entropy.below(3) {
            0 => self.edge_case(first),
            1 => self.amount(first),
            _ => self.dense(),
        };
        for step in 1..count {
            let variable = (first + step) % count;
            let from = (first + self.entropy.below(step as u64) as usize) % count;
            let a = row[from] & Word::mask(u32::from(self.widths[from]));
            let width = Word::small(u64::from(self.widths[variable]));
            let one = Word::small(1);
            row[variable] = match self.entropy.below(14) {
                0 | 1 => a,
                2 => !a,
                3 => a.wrapping_neg(),
                4 => a.wrapping_add(one),
                5 => a.wrapping_sub(one),
                6 => a.shifted_left(1),
                7 => a.shifted_right(1),
                8 => width.wrapping_sub(a),
                9 => width.wrapping_sub(a).wrapping_sub(one),
                10 => Word::power(a.count()),
                11 => Word::power(a.count()).wrapping_sub(one),
                12 => Word::small(u64::from(a.trailing_zeros())),
                _ => self.dense(),
            };
        }
    }
}
