//! Words of wires, least significant bit first, and the textbook circuits for arithmetic on them:
//! ripple-carry adder, array multiplier, restoring divider, barrel shifter. Constant inputs fold
//! gate by gate.

use num_bigint::{BigInt, Sign};

use super::graph::{Graph, Wire};

/// The wires of a word, least significant bit first.
pub type Word = Vec<Wire>;

pub fn constant(value: &BigInt, width: usize) -> Word {
    if value.sign() == Sign::Minus {
        return (0..width).map(|bit| Wire::constant(value.bit(bit as u64))).collect();
    }
    let mut word = vec![Wire::FALSE; width];
    for (digit, place) in value.iter_u64_digits().zip((0..width).step_by(64)) {
        for (bit, wire) in word[place..].iter_mut().take(64).enumerate() {
            *wire = Wire::constant(digit >> bit & 1 == 1);
        }
    }
    word
}

/// The value of a word, if all of its bits are constant.
pub fn value(word: &[Wire]) -> Option<BigInt> {
    let mut bytes = vec![0_u8; word.len().div_ceil(8)];
    for (bit, &wire) in word.iter().enumerate() {
        if !wire.is_constant() {
            return None;
        } else if wire == Wire::TRUE {
            bytes[bit / 8] |= 1 << (bit % 8);
        }
    }
    Some(BigInt::from_bytes_le(Sign::Plus, &bytes))
}

/// The direction of a shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Left,
    Right,
}

impl Graph {
    /// The sum, and its carry-out.
    pub fn sum(&mut self, a: &[Wire], b: &[Wire], mut carry: Wire) -> (Word, Wire) {
        let mut sum = Word::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            // Most sums are of an address and a small constant.
            if y == Wire::FALSE && carry == Wire::FALSE {
                sum.push(x);
                continue;
            }
            sum.push(self.parity(x, y, carry));
            carry = self.majority(x, y, carry);
        }
        (sum, carry)
    }

    /// The difference, and whether it needs no borrow.
    pub fn difference(&mut self, a: &[Wire], b: &[Wire]) -> (Word, Wire) {
        let inverse: Word = b.iter().map(|&wire| !wire).collect();
        self.sum(a, &inverse, Wire::TRUE)
    }

    pub fn below(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let mut carry = Wire::TRUE;
        for (&x, &y) in a.iter().zip(b) {
            carry = self.majority(x, !y, carry);
        }
        !carry
    }

    pub fn same(&mut self, a: &[Wire], b: &[Wire]) -> Wire {
        let differ: Word = a.iter().zip(b).map(|(&x, &y)| self.xor(x, y)).collect();
        !self.any(&differ)
    }

    /// Whether any wire is set. The wires are sorted first, so that words that differ only in the
    /// order of their bits, as after a rotation, yield the same wire.
    pub fn any(&mut self, wires: &[Wire]) -> Wire {
        let mut wires = wires.to_vec();
        wires.sort_unstable();
        wires.iter().fold(Wire::FALSE, |any, &wire| self.or(any, wire))
    }

    /// Whether exactly one wire is set.
    pub fn one(&mut self, wires: &[Wire]) -> Wire {
        let (mut one, mut two) = (Wire::FALSE, Wire::FALSE);
        for &wire in wires {
            let again = self.and(one, wire);
            two = self.or(two, again);
            one = self.or(one, wire);
        }
        self.and(one, !two)
    }

    pub fn select(&mut self, condition: Wire, yes: &[Wire], no: &[Wire]) -> Word {
        yes.iter().zip(no).map(|(&yes, &no)| self.choose(condition, yes, no)).collect()
    }

    /// The lowest `width` bits of the product of two unsigned words of equal width. `width` is at
    /// least that.
    pub fn product(&mut self, a: &[Wire], b: &[Wire], width: usize) -> Word {
        let (rows, word) = in_order(a, b);
        let mut product = vec![Wire::FALSE; width];
        for (shift, &row) in rows.iter().enumerate() {
            if row != Wire::FALSE && !self.exhausted() {
                let mut addend: Word = word.iter().map(|&wire| self.and(row, wire)).collect();
                addend.resize(width, Wire::FALSE);
                self.accumulate(&mut product, shift, &addend, false);
            }
        }
        product
    }

    /// The product of two signed words at twice their width. The partial product of the sign bit is
    /// subtracted.
    pub fn signed_product(&mut self, a: &[Wire], b: &[Wire]) -> Word {
        let (rows, word) = in_order(a, b);
        let width = 2 * word.len();
        let mut product = vec![Wire::FALSE; width];
        for (shift, &row) in rows.iter().enumerate() {
            if row != Wire::FALSE && !self.exhausted() {
                let mut addend: Word = word.iter().map(|&wire| self.and(row, wire)).collect();
                addend.resize(width, addend[word.len() - 1]);
                self.accumulate(&mut product, shift, &addend, shift + 1 == rows.len());
            }
        }
        product
    }

    /// Adds a word, shifted left by `shift`, to another, or subtracts it.
    fn accumulate(&mut self, total: &mut [Wire], shift: usize, addend: &[Wire], negative: bool) {
        let high = &total[shift..];
        let addend = &addend[..high.len()];
        let (sum, _) = if negative {
            self.difference(high, addend)
        } else {
            self.sum(high, addend, Wire::FALSE)
        };
        total[shift..].copy_from_slice(&sum);
    }

    /// Quotient and remainder as in SMT-LIB: division by 0 gives all ones and the dividend.
    pub fn division(&mut self, a: &[Wire], b: &[Wire]) -> (Word, Word) {
        let width = a.len();
        if let Some(divisor) = value(b) {
            if let Some(dividend) = value(a).filter(|_| divisor != BigInt::ZERO) {
                let (quotient, remainder) = (&dividend / &divisor, &dividend % &divisor);
                return (constant(&quotient, width), constant(&remainder, width));
            } else if b.iter().filter(|&&wire| wire == Wire::TRUE).count() == 1 {
                let shift = b.iter().take_while(|&&wire| wire == Wire::FALSE).count();
                let (mut quotient, mut remainder) = (a[shift..].to_vec(), a[..shift].to_vec());
                quotient.resize(width, Wire::FALSE);
                remainder.resize(width, Wire::FALSE);
                return (quotient, remainder);
            }
        }
        // `fits[n]`: whether the divisor fits in its lowest n bits. The partial remainder gains one
        // bit per step.
        let mut fits = vec![Wire::TRUE; width + 1];
        for bit in (0..width).rev() {
            fits[bit] = self.and(fits[bit + 1], !b[bit]);
        }
        let mut quotient = vec![Wire::FALSE; width];
        let mut rest = Word::new();
        for bit in (0..width).rev() {
            rest.insert(0, a[bit]);
            let (less, no_borrow) = self.difference(&rest, &b[..rest.len()]);
            let goes = self.and(no_borrow, fits[rest.len()]);
            quotient[bit] = goes;
            rest = self.select(goes, &less, &rest);
            if self.exhausted() {
                rest.resize(width, Wire::FALSE);
                break;
            }
        }
        (quotient, rest)
    }

    /// Shifts a word. An amount of the width or more leaves only `fill`.
    pub fn shifted(
        &mut self,
        direction: Direction,
        word: &[Wire],
        amount: &[Wire],
        fill: Wire,
    ) -> Word {
        let width = word.len();
        let stages = amount.len().min(width.next_power_of_two().trailing_zeros() as usize + 1);
        let mut word = word.to_vec();
        for (stage, &moves) in amount[..stages].iter().enumerate() {
            if moves != Wire::FALSE {
                let distance = width.min(1 << stage);
                let mut moved = vec![fill; width];
                match direction {
                    Direction::Left => moved[distance..].copy_from_slice(&word[..width - distance]),
                    Direction::Right => {
                        moved[..width - distance].copy_from_slice(&word[distance..]);
                    }
                }
                word = self.select(moves, &moved, &word);
            }
        }
        let beyond = self.any(&amount[stages..]);
        self.select(beyond, &vec![fill; width], &word)
    }

    /// The power of a word, by repeated squaring.
    pub fn power(&mut self, base: &[Wire], exponent: &[Wire]) -> Word {
        let width = base.len();
        let (mut base, mut power) = (base.to_vec(), constant(&BigInt::from(1), width));
        let significant = exponent.iter().rposition(|&bit| bit != Wire::FALSE).map_or(0, |n| n + 1);
        for (step, &bit) in exponent[..significant].iter().enumerate() {
            if step > 0 {
                base = self.product(&base, &base, width);
            }
            if bit != Wire::FALSE {
                let product = self.product(&power, &base, width);
                power = self.select(bit, &product, &power);
            }
        }
        power
    }

    /// The population count, as a word that is just wide enough.
    pub fn count(&mut self, wires: &[Wire]) -> Word {
        if let [] | [_] = wires {
            return wires.to_vec();
        }
        let (low, high) = wires.split_at(wires.len() / 2);
        let (mut low, mut high) = (self.count(low), self.count(high));
        let width = low.len().max(high.len());
        low.resize(width, Wire::FALSE);
        high.resize(width, Wire::FALSE);
        let (mut sum, carry) = self.sum(&low, &high, Wire::FALSE);
        sum.push(carry);
        sum
    }

    /// The number of wires before the first that is set, or the number of all wires if none is.
    pub fn leading(&mut self, wires: &[Wire]) -> Word {
        let mut ended = wires.to_vec();
        ended.resize((wires.len() + 1).next_power_of_two(), Wire::TRUE);
        let (_, mut count) = self.first(&ended);
        count.resize(wires.len(), Wire::FALSE);
        count
    }

    /// Whether any wire is set, and the index of the first that is. The number of wires is a power
    /// of two.
    fn first(&mut self, wires: &[Wire]) -> (Wire, Word) {
        if let [wire] = wires {
            return (*wire, Word::new());
        }
        let (low, high) = wires.split_at(wires.len() / 2);
        let ((in_low, low), (in_high, high)) = (self.first(low), self.first(high));
        let mut place = self.select(in_low, &low, &high);
        place.push(!in_low);
        (self.or(in_low, in_high), place)
    }
}

/// Orders two factors: the one with fewer partial products first, with ties broken by content, so
/// that the circuit does not depend on the operand order.
fn in_order<'a>(a: &'a [Wire], b: &'a [Wire]) -> (&'a [Wire], &'a [Wire]) {
    let rows = |word: &[Wire]| word.iter().filter(|&&wire| wire != Wire::FALSE).count();
    if (rows(a), a) <= (rows(b), b) { (a, b) } else { (b, a) }
}
