//! Lemmas: facts about division, remainders and shifts by variable amounts that the other checkers
//! cannot derive. Each is stated in core terms with the reason why it is true, and the tests check
//! it on all operands of up to five bits. A certificate step names a lemma and terms for its
//! operands. The goal then has to be proven only where the fact holds, which is everywhere.

use super::extent::Extent;
use super::goal::Goal;
use super::op::Op;
use super::rejection::Rejection;
use super::term::{TermId, Terms};

/// The operands x, y and z are words of the same width. "Fits" means without unsigned overflow.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub enum Lemma {
    /// y = 0 → x / y is all ones and x % y is x. By definition.
    ByZero,
    /// y ≠ 0 → x % y < y. By definition.
    Remainder,
    /// y ≠ 0 → x / y ≤ x. The divisor is at least 1.
    Quotient,
    /// y ≠ 0 → (x / y)·y fits and is at most x. By definition.
    Multiple,
    /// x < y → x / y = 0 and x % y = x. By definition.
    Small,
    /// y ≠ 0, y ≤ x → x / y ≠ 0. The quotient is at least 1.
    Large,
    /// y ≠ 0, y ≤ x, x − y < y → x / y = 1 and x % y = x − y. By definition.
    Once,
    /// y ≠ 0, x·y fits → (x·y) / y = x and (x·y) % y = 0. The quotient is unique.
    Product,
    /// y ≠ 0, z < y, x·y + z fits → (x·y + z) / y = x and (x·y + z) % y = z. The quotient is
    /// unique.
    Unique,
    /// y ≠ 0, y·z fits → (x / y) / z = x / (y·z). Nested floors.
    Nested,
    /// y ≠ 0, z ≠ 0, y·z does not fit → (x / y) / z = 0. The exact y·z exceeds x.
    NestedLarge,
    /// x ≤ y, z ≠ 0 → x / z ≤ y / z. Division is monotone.
    Monotone,
    /// x + z fits → (x + z) % y = (x % y + z) % y. The two dividends differ by a multiple of y.
    SumRemainder,
    /// x·z fits → (x·z) % y = ((x % y)·z) % y. The two dividends differ by a multiple of y.
    ProductRemainder,
    /// y is a power of two → x % y = x & (y − 1). The low bits.
    PowerRemainder,
    /// y is less than the width → 1 << y is a power of two, and x >> y = x / (1 << y); otherwise
    /// both shifts give 0. By definition.
    PowerShift,
    /// y + z fits → shifting x by y and then by z equals shifting it by y + z.
    ShiftUp,
    ShiftDown,
    ShiftSigned,
    /// x + y fits, or z is a power of two → addmod(x, y, z) = (x + y) % z. 2^w is a multiple of
    /// such a z.
    Addmod,
    /// x·y fits, or z is a power of two → mulmod(x, y, z) = (x·y) % z. 2^w is a multiple of such a
    /// z.
    Mulmod,
    /// z ≠ 0 → addmod(x, y, z) < z and mulmod(x, y, z) < z. They are remainders.
    Residue,
    /// addmod(x, y, z) = addmod(x % z, y, z). The two sums differ by a multiple of z.
    AddmodResidue,
    /// mulmod(x, y, z) = mulmod(x % z, y, z). The two products differ by a multiple of z.
    MulmodResidue,
    /// x < z, y < z → addmod(x, y, z) is x + y if that fits and is less than z, else x + y − z.
    AddmodOnce,
    /// y ≠ 0, x·y does not fit → (x·y) / y ≠ x. The wrapped product is less than the exact one.
    Overflow,
    /// y ≠ 0, z ≠ 0, y·z fits, r = x % (y·z) → r % y = x % y, r / y = (x / y) % z, and r is x % y +
    /// y·((x / y) % z). The two lowest digits of x in the mixed radix y, z.
    Digits,
    /// y ≠ 0, z ≠ 0, y % z = 0 → (x % y) % z = x % z. x % y and x differ by a multiple of z.
    Divides,
    /// y ≠ 0, y·z fits, x + y·z fits → (x + y·z) / y = x / y + z and (x + y·z) % y = x % y.
    AddMultiple,
    /// y ≠ 0, y·z fits → x / y < z if and only if x < y·z, and x / y = z if and only if y·z ≤ x and
    /// x − y·z < y. By definition.
    Floor,
    /// x ≠ 0, y ≠ 0 → (x − 1) / y is x / y − 1 if x % y = 0, else x / y. By definition.
    Predecessor,
    /// The signed product of x and y fits → the product of their magnitudes fits, and x·y is
    /// negative if and only if both are nonzero and their signs differ.
    SignedProduct,
    /// y = 0 → x·y = 0; y = 1 → x·y = x; y = −1 → x·y = −x. By definition.
    Unit,
    /// x·y is odd if and only if x and y are odd.
    Parity,
    /// y is at least the width → x << y = 0; x >> y = 0; an arithmetic shift equals the one by the
    /// width less 1. By definition.
    BeyondUp,
    BeyondDown,
    BeyondSigned,
    /// x and y are less than the width → x ≤ x + y. 2·w − 2 is less than 2^w.
    Amounts,
    /// y = 1 → x / y = x and x % y = 0. By definition.
    ByOne,
    /// y·z = 1 → x·y·z = x. Multiplication is associative.
    Inverse,
    /// z is odd → x·z = y·z if and only if x = y. An odd number is invertible modulo 2^w.
    Odd,
    /// y is a power of two with n trailing zeros → n is less than the width, 1 << n = y, x·y = x <<
    /// n and x / y = x >> n. By definition.
    PowerLog,
}

impl Lemma {
    pub const ALL: [Self; 42] = [
        Self::ByZero,
        Self::Remainder,
        Self::Quotient,
        Self::Multiple,
        Self::Small,
        Self::Large,
        Self::Once,
        Self::Product,
        Self::Unique,
        Self::Nested,
        Self::NestedLarge,
        Self::Monotone,
        Self::SumRemainder,
        Self::ProductRemainder,
        Self::PowerRemainder,
        Self::PowerShift,
        Self::ShiftUp,
        Self::ShiftDown,
        Self::ShiftSigned,
        Self::Addmod,
        Self::Mulmod,
        Self::Residue,
        Self::AddmodResidue,
        Self::MulmodResidue,
        Self::AddmodOnce,
        Self::Overflow,
        Self::Digits,
        Self::Divides,
        Self::AddMultiple,
        Self::Floor,
        Self::Predecessor,
        Self::SignedProduct,
        Self::Unit,
        Self::Parity,
        Self::BeyondUp,
        Self::BeyondDown,
        Self::BeyondSigned,
        Self::Amounts,
        Self::ByOne,
        Self::Inverse,
        Self::Odd,
        Self::PowerLog,
    ];

    /// The number of operands.
    pub fn arity(self) -> usize {
        match self {
            Self::ByZero
            | Self::Remainder
            | Self::Quotient
            | Self::Multiple
            | Self::Small
            | Self::Large
            | Self::Once
            | Self::Product
            | Self::PowerRemainder
            | Self::PowerShift
            | Self::Overflow
            | Self::Predecessor
            | Self::SignedProduct
            | Self::Unit
            | Self::Parity
            | Self::BeyondUp
            | Self::BeyondDown
            | Self::BeyondSigned
            | Self::Amounts
            | Self::ByOne
            | Self::PowerLog => 2,
            _ => 3,
        }
    }

    /// The fact as a flag. `words` has as many entries as the lemma has operands.
    fn fact(self, terms: &mut Terms, words: &[TermId]) -> Result<TermId, Rejection> {
        let (x, y) = (words[0], words[1]);
        let z = words.get(2).copied().unwrap_or(y);
        let width = terms.width(x);
        let mut t = Writer { terms, zero: x };
        t.zero = t.terms.literal(0, width);
        let (given, then) = match self {
            Self::ByZero => {
                let (ones, q, r) =
                    (t.terms.literal(-1, width), t.op(Op::Udiv, x, y), t.op(Op::Urem, x, y));
                (vec![t.is_zero(y)], vec![t.op(Op::Same, q, ones), t.op(Op::Same, r, x)])
            }
            Self::Remainder => {
                let r = t.op(Op::Urem, x, y);
                (vec![t.nonzero(y)], vec![t.op(Op::Below, r, y)])
            }
            Self::Quotient => {
                let q = t.op(Op::Udiv, x, y);
                (vec![t.nonzero(y)], vec![t.at_most(q, x)])
            }
            Self::Multiple => {
                let q = t.op(Op::Udiv, x, y);
                let product = t.op(Op::Mul, q, y);
                (vec![t.nonzero(y)], vec![t.fits(q, y), t.at_most(product, x)])
            }
            Self::Small => {
                let then = t.divides(x, y, t.zero, x);
                (vec![t.op(Op::Below, x, y)], then)
            }
            Self::Large => {
                let q = t.op(Op::Udiv, x, y);
                (vec![t.nonzero(y), t.at_most(y, x)], vec![t.nonzero(q)])
            }
            Self::Once => {
                let (less, one) = (t.op(Op::Sub, x, y), t.terms.literal(1, width));
                let then = t.divides(x, y, one, less);
                (vec![t.nonzero(y), t.at_most(y, x), t.op(Op::Below, less, y)], then)
            }
            Self::Product => {
                let product = t.op(Op::Mul, x, y);
                let then = t.divides(product, y, x, t.zero);
                (vec![t.nonzero(y), t.fits(x, y)], then)
            }
            Self::Unique => {
                let product = t.op(Op::Mul, x, y);
                let sum = t.op(Op::Add, product, z);
                let then = t.divides(sum, y, x, z);
                let less = t.op(Op::Below, z, y);
                (vec![t.nonzero(y), less, t.fits(x, y), t.at_most(z, sum)], then)
            }
            Self::Nested => {
                let (q, product) = (t.op(Op::Udiv, x, y), t.op(Op::Mul, y, z));
                let (nested, whole) = (t.op(Op::Udiv, q, z), t.op(Op::Udiv, x, product));
                (vec![t.nonzero(y), t.fits(y, z)], vec![t.op(Op::Same, nested, whole)])
            }
            Self::NestedLarge => {
                let q = t.op(Op::Udiv, x, y);
                let (nested, fits) = (t.op(Op::Udiv, q, z), t.fits(y, z));
                let overflows = t.terms.negation(fits);
                (vec![t.nonzero(y), t.nonzero(z), overflows], vec![t.is_zero(nested)])
            }
            Self::Monotone => {
                let (low, high) = (t.op(Op::Udiv, x, z), t.op(Op::Udiv, y, z));
                (vec![t.nonzero(z), t.at_most(x, y)], vec![t.at_most(low, high)])
            }
            Self::SumRemainder => {
                let (sum, r) = (t.op(Op::Add, x, z), t.op(Op::Urem, x, y));
                let part = t.op(Op::Add, r, z);
                let (whole, part) = (t.op(Op::Urem, sum, y), t.op(Op::Urem, part, y));
                (vec![t.at_most(x, sum)], vec![t.op(Op::Same, whole, part)])
            }
            Self::ProductRemainder => {
                let (product, r) = (t.op(Op::Mul, x, z), t.op(Op::Urem, x, y));
                let part = t.op(Op::Mul, r, z);
                let (whole, part) = (t.op(Op::Urem, product, y), t.op(Op::Urem, part, y));
                (vec![t.fits(x, z)], vec![t.op(Op::Same, whole, part)])
            }
            Self::PowerRemainder => {
                let one = t.terms.literal(1, width);
                let (mask, r) = (t.op(Op::Sub, y, one), t.op(Op::Urem, x, y));
                let masked = t.op(Op::And, x, mask);
                (vec![t.terms.apply(Op::Power, &[y])], vec![t.op(Op::Same, r, masked)])
            }
            Self::PowerShift => {
                let (one, bits) =
                    (t.terms.literal(1, width), t.terms.apply_at(Op::Bits(width), &[], width));
                let power = t.op(Op::Shl, one, y);
                let (shifted, q) = (t.op(Op::Lshr, x, y), t.op(Op::Udiv, x, power));
                let (is_power, same) =
                    (t.terms.apply(Op::Power, &[power]), t.op(Op::Same, shifted, q));
                let (no_power, nothing) = (t.is_zero(power), t.is_zero(shifted));
                let (inside, yes) = (t.op(Op::Below, y, bits), t.terms.both(is_power, same));
                let no = t.terms.both(no_power, nothing);
                (Vec::new(), vec![t.terms.choose(inside, yes, no)])
            }
            Self::ShiftUp | Self::ShiftDown | Self::ShiftSigned => {
                let op = match self {
                    Self::ShiftUp => Op::Shl,
                    Self::ShiftDown => Op::Lshr,
                    _ => Op::Ashr,
                };
                let (first, amount) = (t.op(op, x, y), t.op(Op::Add, y, z));
                let (twice, once) = (t.op(op, first, z), t.op(op, x, amount));
                (vec![t.at_most(y, amount)], vec![t.op(Op::Same, twice, once)])
            }
            Self::Addmod | Self::Mulmod => {
                let add = self == Self::Addmod;
                let whole = t.op(if add { Op::Add } else { Op::Mul }, x, y);
                let fits = if add { t.at_most(x, whole) } else { t.fits(x, y) };
                let power = t.terms.apply(Op::Power, &[z]);
                let (modular, r) = (t.modular(add, x, y, z)?, t.op(Op::Urem, whole, z));
                (vec![t.terms.either(fits, power)], vec![t.op(Op::Same, modular, r)])
            }
            Self::Residue => {
                let (sum, product) = (t.modular(true, x, y, z)?, t.modular(false, x, y, z)?);
                (vec![t.nonzero(z)], vec![t.op(Op::Below, sum, z), t.op(Op::Below, product, z)])
            }
            Self::AddmodResidue | Self::MulmodResidue => {
                let add = self == Self::AddmodResidue;
                let r = t.op(Op::Urem, x, z);
                let (whole, part) = (t.modular(add, x, y, z)?, t.modular(add, r, y, z)?);
                (Vec::new(), vec![t.op(Op::Same, whole, part)])
            }
            Self::AddmodOnce => {
                let sum = t.op(Op::Add, x, y);
                let (fits, small) = (t.at_most(x, sum), t.op(Op::Below, sum, z));
                let (plain, less) = (t.terms.both(fits, small), t.op(Op::Sub, sum, z));
                let (modular, once) = (t.modular(true, x, y, z)?, t.terms.choose(plain, sum, less));
                let given = vec![t.op(Op::Below, x, z), t.op(Op::Below, y, z)];
                (given, vec![t.op(Op::Same, modular, once)])
            }
            Self::Overflow => {
                let (product, fits) = (t.op(Op::Mul, x, y), t.fits(x, y));
                let q = t.op(Op::Udiv, product, y);
                let (overflows, same) = (t.terms.negation(fits), t.op(Op::Same, q, x));
                (vec![t.nonzero(y), overflows], vec![t.terms.negation(same)])
            }
            Self::Digits => {
                let whole = t.op(Op::Mul, y, z);
                let (r, q) = (t.op(Op::Urem, x, whole), t.op(Op::Udiv, x, y));
                let (low, high) = (t.op(Op::Urem, x, y), t.op(Op::Urem, q, z));
                let mut then = t.divides(r, y, high, low);
                let raised = t.op(Op::Mul, y, high);
                let sum = t.op(Op::Add, low, raised);
                then.push(t.op(Op::Same, r, sum));
                (vec![t.nonzero(y), t.nonzero(z), t.fits(y, z)], then)
            }
            Self::Divides => {
                let (r, rest) = (t.op(Op::Urem, x, y), t.op(Op::Urem, y, z));
                let (nested, whole) = (t.op(Op::Urem, r, z), t.op(Op::Urem, x, z));
                let given = vec![t.nonzero(y), t.nonzero(z), t.is_zero(rest)];
                (given, vec![t.op(Op::Same, nested, whole)])
            }
            Self::AddMultiple => {
                let multiple = t.op(Op::Mul, y, z);
                let (sum, q, r) =
                    (t.op(Op::Add, x, multiple), t.op(Op::Udiv, x, y), t.op(Op::Urem, x, y));
                let more = t.op(Op::Add, q, z);
                let then = t.divides(sum, y, more, r);
                (vec![t.nonzero(y), t.fits(y, z), t.at_most(x, sum)], then)
            }
            Self::Floor => {
                let (q, multiple) = (t.op(Op::Udiv, x, y), t.op(Op::Mul, y, z));
                let (below, less) = (t.op(Op::Below, q, z), t.op(Op::Below, x, multiple));
                let rest = t.op(Op::Sub, x, multiple);
                let (same, within) = (t.op(Op::Same, q, z), t.op(Op::Below, rest, y));
                let reached = t.terms.negation(less);
                let there = t.terms.both(reached, within);
                let differ = [t.terms.exclusive(below, less), t.terms.exclusive(same, there)];
                let then = differ.map(|differ| t.terms.negation(differ)).to_vec();
                (vec![t.nonzero(y), t.fits(y, z)], then)
            }
            Self::Predecessor => {
                let one = t.terms.literal(1, width);
                let (before, q, r) =
                    (t.op(Op::Sub, x, one), t.op(Op::Udiv, x, y), t.op(Op::Urem, x, y));
                let (less, whole) = (t.op(Op::Sub, q, one), t.is_zero(r));
                let (quotient, there) = (t.op(Op::Udiv, before, y), t.terms.choose(whole, less, q));
                (vec![t.nonzero(x), t.nonzero(y)], vec![t.op(Op::Same, quotient, there)])
            }
            Self::SignedProduct => {
                let overflows = t.op(Op::SignedMulOverflows, x, y);
                let product = t.op(Op::Mul, x, y);
                let [x_negative, y_negative, negative] =
                    [x, y, product].map(|word| t.op(Op::SignedBelow, word, t.zero));
                let [minus_x, minus_y] = [x, y].map(|word| t.terms.apply(Op::Neg, &[word]));
                let (x_size, y_size) = (
                    t.terms.choose(x_negative, minus_x, x),
                    t.terms.choose(y_negative, minus_y, y),
                );
                let (some_x, some_y) = (t.nonzero(x), t.nonzero(y));
                let some = t.terms.both(some_x, some_y);
                let opposed = t.terms.exclusive(x_negative, y_negative);
                let expected = t.terms.both(some, opposed);
                let differ = t.terms.exclusive(negative, expected);
                let fits = t.terms.negation(overflows);
                (vec![fits], vec![t.fits(x_size, y_size), t.terms.negation(differ)])
            }
            Self::Unit => {
                let (one, ones) = (t.terms.literal(1, width), t.terms.literal(-1, width));
                let (product, minus) = (t.op(Op::Mul, x, y), t.terms.apply(Op::Neg, &[x]));
                let factors = [(t.zero, t.zero), (ones, minus), (one, x)];
                let then = factors.map(|(factor, result)| {
                    let (is, same) = (t.op(Op::Same, y, factor), t.op(Op::Same, product, result));
                    let is_not = t.terms.negation(is);
                    t.terms.either(is_not, same)
                });
                (Vec::new(), then.to_vec())
            }
            Self::Parity => {
                let (one, product) = (t.terms.literal(1, width), t.op(Op::Mul, x, y));
                let both = t.op(Op::And, x, y);
                let (is, expected) = (t.op(Op::And, product, one), t.op(Op::And, both, one));
                (Vec::new(), vec![t.op(Op::Same, is, expected)])
            }
            Self::BeyondUp | Self::BeyondDown | Self::BeyondSigned => {
                let (one, bits) =
                    (t.terms.literal(1, width), t.terms.apply_at(Op::Bits(width), &[], width));
                let (op, left) = match self {
                    Self::BeyondUp => (Op::Shl, t.zero),
                    Self::BeyondDown => (Op::Lshr, t.zero),
                    _ => {
                        let last = t.op(Op::Sub, bits, one);
                        (Op::Ashr, t.op(Op::Ashr, x, last))
                    }
                };
                let shifted = t.op(op, x, y);
                (vec![t.at_most(bits, y)], vec![t.op(Op::Same, shifted, left)])
            }
            Self::Amounts => {
                let bits = t.terms.apply_at(Op::Bits(width), &[], width);
                let (small, sum) = ([x, y].map(|n| t.op(Op::Below, n, bits)), t.op(Op::Add, x, y));
                (small.to_vec(), vec![t.at_most(x, sum)])
            }
            Self::ByOne => {
                let one = t.terms.literal(1, width);
                let then = t.divides(x, y, x, t.zero);
                (vec![t.op(Op::Same, y, one)], then)
            }
            Self::Inverse => {
                let (one, unit) = (t.terms.literal(1, width), t.op(Op::Mul, y, z));
                let part = t.op(Op::Mul, x, y);
                let whole = t.op(Op::Mul, part, z);
                (vec![t.op(Op::Same, unit, one)], vec![t.op(Op::Same, whole, x)])
            }
            Self::Odd => {
                let (one, a, b) =
                    (t.terms.literal(1, width), t.op(Op::Mul, x, z), t.op(Op::Mul, y, z));
                let lowest = t.op(Op::And, z, one);
                let (products, words) = (t.op(Op::Same, a, b), t.op(Op::Same, x, y));
                let differ = t.terms.exclusive(products, words);
                (vec![t.op(Op::Same, lowest, one)], vec![t.terms.negation(differ)])
            }
            Self::PowerLog => {
                let (one, bits) =
                    (t.terms.literal(1, width), t.terms.apply_at(Op::Bits(width), &[], width));
                let n = t.terms.apply(Op::Ctz, &[y]);
                let (up, down) = (t.op(Op::Shl, x, n), t.op(Op::Lshr, x, n));
                let (power, product, q) =
                    (t.op(Op::Shl, one, n), t.op(Op::Mul, x, y), t.op(Op::Udiv, x, y));
                let then = vec![
                    t.op(Op::Below, n, bits),
                    t.op(Op::Same, power, y),
                    t.op(Op::Same, product, up),
                    t.op(Op::Same, q, down),
                ];
                (vec![t.terms.apply(Op::Power, &[y])], then)
            }
        };
        let all = |terms: &mut Terms, flags: Vec<TermId>| {
            let yes = terms.truth();
            flags.into_iter().fold(yes, |all, flag| terms.both(all, flag))
        };
        let (given, then) = (all(terms, given), all(terms, then));
        let not_given = terms.negation(given);
        Ok(terms.either(not_given, then))
    }
}

struct Writer<'a> {
    terms: &'a mut Terms,
    zero: TermId,
}

impl Writer<'_> {
    fn op(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        self.terms.apply(op, &[a, b])
    }

    fn is_zero(&mut self, a: TermId) -> TermId {
        self.op(Op::Same, a, self.zero)
    }

    fn nonzero(&mut self, a: TermId) -> TermId {
        let zero = self.is_zero(a);
        self.terms.negation(zero)
    }

    fn at_most(&mut self, a: TermId, b: TermId) -> TermId {
        let more = self.op(Op::Below, b, a);
        self.terms.negation(more)
    }

    fn fits(&mut self, a: TermId, b: TermId) -> TermId {
        let overflows = self.op(Op::MulOverflows, a, b);
        self.terms.negation(overflows)
    }

    /// The flags that x / y is the quotient and that x % y is the remainder.
    fn divides(
        &mut self,
        x: TermId,
        y: TermId,
        quotient: TermId,
        remainder: TermId,
    ) -> Vec<TermId> {
        let (q, r) = (self.op(Op::Udiv, x, y), self.op(Op::Urem, x, y));
        vec![self.op(Op::Same, q, quotient), self.op(Op::Same, r, remainder)]
    }

    /// `addmod` or `mulmod`, lowered as in `meaning.rs`.
    fn modular(&mut self, add: bool, x: TermId, y: TermId, z: TermId) -> Result<TermId, Rejection> {
        let width = self.terms.width(x);
        let wider = width.plus(if add { Extent::BIT } else { width });
        let wider = wider
            .ok_or_else(|| Rejection::from("the widened operands exceed the greatest width"))?;
        let [x, y, z] = [x, y, z].map(|word| self.terms.apply_at(Op::Zext, &[word], wider));
        let exact = self.op(if add { Op::Add } else { Op::Mul }, x, y);
        let rest = self.op(Op::Urem, exact, z);
        Ok(self.terms.apply_at(Op::Extract(Extent::fixed(0)), &[rest], width))
    }
}

/// One instance of a lemma.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Step {
    pub lemma: Lemma,
    /// Terms of the goal, or of the fact of an earlier step.
    pub operands: Vec<TermId>,
}

impl Step {
    /// The instantiated fact.
    pub(crate) fn fact(&self, terms: &mut Terms) -> Result<TermId, Rejection> {
        let known = self.operands.iter().all(|term| (term.0 as usize) < terms.len());
        if !known || self.operands.len() != self.lemma.arity() {
            return Err("a lemma has the wrong number of operands or an unknown one".into());
        }
        let width = terms.width(self.operands[0]);
        if self.operands.iter().any(|&term| terms.width(term) != width) {
            return Err("the operands of a lemma differ in width".into());
        }
        self.lemma.fact(terms, &self.operands)
    }
}

/// The goal under the assumption of the facts. It implies the goal, since the facts always hold.
pub(crate) fn assume(goal: &Goal, steps: &[Step]) -> Result<Goal, Rejection> {
    let mut goal = goal.clone();
    for step in steps {
        let fact = step.fact(&mut goal.terms)?;
        let not = goal.terms.negation(fact);
        goal.holds = goal.terms.either(not, goal.holds);
    }
    Ok(goal)
}
