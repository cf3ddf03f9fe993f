//! Normal forms of core terms in a ring of polynomials over the integers, and the check that the
//! normal form of a goal is 1.
//!
//! A word is a polynomial over *conjunctions*: sets of words that are and-ed bitwise. A bitwise
//! function f of words is the sum over the subsets S of its operands of c(S) times the conjunction
//! of S, where c is the Möbius transform of f's truth table; this holds because it holds for each
//! bit. The empty conjunction is all ones, which is −1. Equations between such polynomials hold
//! modulo 2^w for every w. A flag is a polynomial over flags with the values 0 and 1. The result of
//! any other operator is an atom, the same for the same operands.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::extent::Extent;
use super::goal::Goal;
use super::op::Op;
use super::polynomial::{FLAG, Polynomial};
use super::rejection::Rejection;
use super::term::{TermId, Terms};

/// Limit on the operands of a bitwise expression; its truth table has 2^OPERANDS rows.
const OPERANDS: usize = 8;
const LARGEST_SHIFT: u32 = 4096;
const LARGEST_POWER: u32 = 16;

/// Accepts if the flag of the goal has the normal form 1.
pub(crate) fn check(goal: &Goal) -> Result<(), Rejection> {
    let mut ring = Ring::new(&goal.terms, goal.scope.least());
    if ring.of(goal.holds).as_constant() == Some(BigInt::from(1)) {
        Ok(())
    } else {
        Err("the normal form of the goal is not 1".into())
    }
}

/// Atoms: what the normal form treats as opaque. Equal keys have equal values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    /// An operator, its width, and its operands with their widths.
    Result(Op, Extent, Vec<(Extent, Rc<Polynomial>)>),
    /// A word that is not bitwise, as an operand of a bitwise word.
    Word(Rc<Polynomial>, Extent),
    /// A literal other than 0 and −1, as an operand of a bitwise word.
    Literal(BigInt, Extent),
    /// The unsigned value of a word, as an integer (`residue.rs`).
    Value(Rc<Polynomial>, Extent),
    /// The remainder of the first operand, a polynomial over the integers, by the second
    /// (`residue.rs`).
    Residue(Vec<(Extent, Rc<Polynomial>)>),
    /// A term whose normal form would be too large.
    Term(TermId),
}

#[derive(Debug)]
pub(crate) struct Ring<'a> {
    terms: &'a Terms,
    least: u16,
    atoms: HashMap<Key, u32>,
    keys: Vec<Key>,
    conjunctions: HashMap<Vec<u32>, u32>,
    /// The atoms of each conjunction.
    members: Vec<Vec<u32>>,
    known: HashMap<TermId, Rc<Polynomial>>,
}

impl<'a> Ring<'a> {
    /// Normal forms are valid at every width `w` of at least `least`.
    pub(crate) fn new(terms: &'a Terms, least: u16) -> Self {
        Self {
            terms,
            least,
            atoms: HashMap::new(),
            keys: Vec::new(),
            conjunctions: HashMap::new(),
            members: Vec::new(),
            known: HashMap::new(),
        }
    }

    /// The normal form of a term. Terms of the same width with the same normal form are equal.
    pub(crate) fn of(&mut self, term: TermId) -> Rc<Polynomial> {
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let width = self.terms.width(term);
        let result = if width == Extent::BIT { self.flag(term) } else { self.word(term) };
        let result = result.unwrap_or_else(|| self.atom(Key::Term(term), width));
        let result = Rc::new(self.reduced(result, width));
        self.known.insert(term, result.clone());
        result
    }

    fn reduced(&self, polynomial: Polynomial, width: Extent) -> Polynomial {
        match width.as_fixed() {
            // Flags have integer values 0 or 1; they are not taken modulo 2.
            Some(1) | None => polynomial,
            Some(bits) => polynomial.modulo(bits),
        }
    }

    /// The unsigned value of a constant term, if it is the same at every width in question.
    pub(crate) fn number(&mut self, term: TermId) -> Option<BigInt> {
        let value = self.of(term).as_constant()?;
        (value >= BigInt::ZERO && value < self.bound(self.terms.width(term))?).then_some(value)
    }

    /// The width `of` minus a term, if that is constant.
    pub(crate) fn width_minus(&mut self, of: Extent, term: TermId) -> Option<BigInt> {
        let width = self.terms.width(term);
        let bits = self.atom(Key::Result(Op::Bits(of), width, Vec::new()), width);
        bits.plus(&self.of(term), &BigInt::from(-1)).as_constant()
    }

    pub(super) fn terms(&self) -> &'a Terms {
        self.terms
    }

    /// The value of a word as an integer. `word_of` is the inverse.
    pub(super) fn value_of(&mut self, term: TermId) -> Polynomial {
        let (normal, width) = (self.of(term), self.terms.width(term));
        let atom = self.atom_number(Key::Value(normal, width));
        Polynomial::factor(self.conjunction(vec![atom]))
    }

    pub(super) fn word_of(&self, value: &Polynomial) -> Option<Rc<Polynomial>> {
        let factor = value.as_factor().filter(|factor| factor & FLAG == 0)?;
        match self.members.get(factor as usize)?[..] {
            [atom] => match &self.keys[atom as usize] {
                Key::Value(word, _) => Some(word.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The flag that a sum is less than an operand: its carry-out.
    pub(super) fn carry(&mut self, sum: TermId, operand: TermId) -> Polynomial {
        let width = self.terms.width(sum);
        let operands = vec![(width, self.of(sum)), (width, self.of(operand))];
        self.atom(Key::Result(Op::Below, Extent::BIT, operands), Extent::BIT)
    }

    pub(super) fn minus(&self, a: &Polynomial, b: &Polynomial, width: Extent) -> Polynomial {
        self.reduced(a.plus(b, &BigInt::from(-1)), width)
    }

    /// The operands of a normal form that is a conjunction of at least two words.
    pub(super) fn conjuncts(&self, normal: &Polynomial) -> Option<Vec<Rc<Polynomial>>> {
        let members = self.members.get(normal.as_factor()? as usize)?;
        if members.len() < 2 {
            return None;
        }
        let word = |&atom: &u32| match &self.keys[atom as usize] {
            Key::Literal(literal, _) => Some(Rc::new(Polynomial::constant(literal.clone()))),
            Key::Word(word, _) => Some(word.clone()),
            _ => self.conjunctions.get(&vec![atom]).map(|&one| Rc::new(Polynomial::factor(one))),
        };
        members.iter().map(word).collect()
    }

    /// 2 to the power of the least width in question. Literals below it fit at every width.
    pub(super) fn bound(&self, width: Extent) -> Option<BigInt> {
        Some(BigInt::from(1) << width.at(self.least).or(width.as_fixed())?)
    }

    fn flag(&mut self, term: TermId) -> Option<Polynomial> {
        let node = self.terms.node(term);
        let minus = BigInt::from(-1);
        let one = Polynomial::constant(1);
        let args: Vec<Rc<Polynomial>> = node.args().iter().map(|&arg| self.of(arg)).collect();
        let of_flags = node.args().iter().all(|&arg| self.terms.width(arg) == Extent::BIT);
        let exclusive = |a: &Polynomial, b: &Polynomial| {
            Some(a.plus(b, &BigInt::from(1)).plus(&a.times(b)?, &BigInt::from(-2)))
        };
        Some(match node.op {
            Op::Literal(_) => Polynomial::constant(self.terms.literal_value(term)?.clone()),
            Op::Not => one.plus(&args[0], &minus),
            Op::Neg => (*args[0]).clone(),
            Op::And | Op::Mul => args[0].times(&args[1])?,
            Op::Or => {
                args[0].plus(&args[1], &BigInt::from(1)).plus(&args[0].times(&args[1])?, &minus)
            }
            Op::Xor | Op::Add | Op::Sub => exclusive(&args[0], &args[1])?,
            Op::Ite => self.choice(&args)?,
            Op::Same if of_flags => one.plus(&exclusive(&args[0], &args[1])?, &minus),
            Op::Same => self.same(node.args[0], &args[0], &args[1]),
            Op::Below | Op::SignedBelow if args[0] == args[1] => Polynomial::default(),
            Op::Below if of_flags => one.plus(&args[0], &minus).times(&args[1])?,
            Op::SignedBelow if of_flags => one.plus(&args[1], &minus).times(&args[0])?,
            Op::Below => {
                let (a, b) = (self.number(node.args[0]), self.number(node.args[1]));
                match (a, b) {
                    (Some(a), Some(b)) => Polynomial::constant(u8::from(a < b)),
                    (_, Some(b)) if b == BigInt::ZERO => Polynomial::default(),
                    _ => self.opaque(term, args),
                }
            }
            _ => self.opaque(term, args),
        })
    }

    /// Two words are equal if their difference is 0. The lesser of both differences is the
    /// canonical one.
    fn same(&mut self, word: TermId, a: &Polynomial, b: &Polynomial) -> Polynomial {
        let width = self.terms.width(word);
        let difference = self.minus(a, b, width).min(self.minus(b, a, width));
        if let Some(number) = difference.as_constant() {
            if number == BigInt::ZERO {
                return Polynomial::constant(1);
            } else if self.bound(width).is_some_and(|bound| number < bound && -number < bound) {
                return Polynomial::default();
            }
        }
        let key = Key::Result(Op::Same, Extent::BIT, vec![(width, Rc::new(difference))]);
        self.atom(key, Extent::BIT)
    }

    fn word(&mut self, term: TermId) -> Option<Polynomial> {
        let node = self.terms.node(term);
        let (one, minus) = (BigInt::from(1), BigInt::from(-1));
        if matches!(node.op, Op::Not | Op::And | Op::Or | Op::Xor) {
            return self.bitwise(term);
        }
        let args: Vec<Rc<Polynomial>> = node.args().iter().map(|&arg| self.of(arg)).collect();
        let same_width =
            node.args().first().is_some_and(|&arg| self.terms.width(arg) == node.width);
        let of_flag = node.args().first().is_some_and(|&arg| self.terms.width(arg) == Extent::BIT);
        Some(match node.op {
            Op::Literal(_) => Polynomial::constant(self.terms.literal_value(term)?.clone()),
            Op::Neg => args[0].scaled(&minus),
            Op::Add => args[0].plus(&args[1], &one),
            Op::Sub => args[0].plus(&args[1], &minus),
            Op::Mul => args[0].times(&args[1])?,
            Op::Ite => self.choice(&args)?,
            Op::Zext if of_flag => (*args[0]).clone(),
            Op::Sext if of_flag => args[0].scaled(&minus),
            Op::Zext if self.number(node.args[0]).is_some() => (*args[0]).clone(),
            Op::Zext | Op::Sext if same_width => (*args[0]).clone(),
            Op::Extract(low) if same_width && low == Extent::fixed(0) => (*args[0]).clone(),
            Op::Extract(_) => match self.modular(term) {
                Some(residue) => residue,
                None => self.opaque(term, args),
            },
            Op::Shl => match self.number(node.args[1]).and_then(|n| u32::try_from(n).ok()) {
                Some(amount) if amount <= LARGEST_SHIFT => args[0].scaled(&(one << amount)),
                // A left shift multiplies by `1 << amount`, which is 0 from the width on.
                _ => {
                    let power = vec![
                        (node.width, Rc::new(Polynomial::constant(1))),
                        (self.terms.width(node.args[1]), args[1].clone()),
                    ];
                    let power = self.atom(Key::Result(Op::Shl, node.width, power), node.width);
                    args[0].times(&power)?
                }
            },
            Op::Lshr | Op::Ashr if args[1].as_constant() == Some(BigInt::ZERO) => {
                (*args[0]).clone()
            }
            Op::Exp => match self.number(node.args[1]).and_then(|n| u32::try_from(n).ok()) {
                Some(power) if power <= LARGEST_POWER => {
                    let mut product = Polynomial::constant(1);
                    for _ in 0..power {
                        product = self.reduced(product.times(&args[0])?, node.width);
                    }
                    product
                }
                _ => self.opaque(term, args),
            },
            Op::Udiv => self.quotient(node.width, &args),
            // Also valid for division by 0, where the remainder is the dividend.
            Op::Urem => {
                if let Some(residue) = self.remainder(node.args[0], node.args[1]) {
                    return Some(residue);
                }
                let quotient = self.quotient(node.width, &args);
                args[0].plus(&quotient.times(&args[1])?, &minus)
            }
            _ => self.opaque(term, args),
        })
    }

    pub(super) fn quotient(&mut self, width: Extent, args: &[Rc<Polynomial>]) -> Polynomial {
        if args[1].as_constant() == Some(BigInt::from(1)) {
            return (*args[0]).clone();
        }
        let args = args.iter().map(|arg| (width, arg.clone())).collect();
        self.atom(Key::Result(Op::Udiv, width, args), width)
    }

    /// `c·x + (1 − c)·y`.
    fn choice(&self, args: &[Rc<Polynomial>]) -> Option<Polynomial> {
        let difference = args[1].plus(&args[2], &BigInt::from(-1));
        Some(args[0].times(&difference)?.plus(&args[2], &BigInt::from(1)))
    }

    fn opaque(&mut self, term: TermId, args: Vec<Rc<Polynomial>>) -> Polynomial {
        let node = self.terms.node(term);
        let mut args: Vec<_> =
            node.args().iter().map(|&arg| self.terms.width(arg)).zip(args).collect();
        if node.op.commutes() {
            args.sort();
        }
        self.atom(Key::Result(node.op, node.width, args), node.width)
    }

    pub(super) fn atom(&mut self, key: Key, width: Extent) -> Polynomial {
        let atom = self.atom_number(key);
        Polynomial::factor(if width == Extent::BIT {
            atom | FLAG
        } else {
            self.conjunction(vec![atom])
        })
    }

    fn atom_number(&mut self, key: Key) -> u32 {
        let next = self.keys.len() as u32;
        *self.atoms.entry(key.clone()).or_insert_with(|| {
            self.keys.push(key);
            next
        })
    }

    fn conjunction(&mut self, atoms: Vec<u32>) -> u32 {
        let next = self.members.len() as u32;
        *self.conjunctions.entry(atoms).or_insert_with_key(|atoms| {
            self.members.push(atoms.clone());
            next
        })
    }

    fn bitwise(&mut self, root: TermId) -> Option<Polynomial> {
        let width = self.terms.width(root);
        let mut operands = Vec::new();
        let table = self.table(root, &mut operands, &mut HashMap::new())?;
        let mut coefficients: Vec<i64> =
            (0..1 << operands.len()).map(|row| i64::from(table.bit(row))).collect();
        for operand in 0..operands.len() {
            for set in 0..coefficients.len() {
                if set >> operand & 1 == 1 {
                    coefficients[set] -= coefficients[set & !(1 << operand)];
                }
            }
        }
        let mut sum = Polynomial::default();
        for (set, &coefficient) in coefficients.iter().enumerate() {
            if coefficient != 0 {
                let members = (0..operands.len()).filter(|&operand| set >> operand & 1 == 1);
                let members: Vec<u32> = members.map(|operand| operands[operand]).collect();
                let value = self.conjoined(&members, width);
                sum = sum.plus(&value, &BigInt::from(coefficient));
            }
        }
        Some(sum)
    }

    /// The conjunction of some atoms.
    fn conjoined(&mut self, members: &[u32], width: Extent) -> Polynomial {
        let mut mask = BigInt::from(-1);
        let mut others = Vec::new();
        for &member in members {
            match &self.keys[member as usize] {
                Key::Literal(literal, _) => mask &= literal,
                _ => others.push(member),
            }
        }
        if mask == BigInt::ZERO || others.is_empty() {
            return Polynomial::constant(mask);
        }
        if mask != BigInt::from(-1) {
            others.push(self.atom_number(Key::Literal(mask, width)));
        }
        if let [single] = others[..]
            && let Key::Word(word, _) = &self.keys[single as usize]
        {
            return (**word).clone();
        }
        others.sort_unstable();
        Polynomial::factor(self.conjunction(others))
    }

    /// The truth table of a bitwise word over its operands, which are appended to `operands`.
    fn table(
        &mut self,
        term: TermId,
        operands: &mut Vec<u32>,
        known: &mut HashMap<TermId, Table>,
    ) -> Option<Table> {
        if let Some(known) = known.get(&term) {
            return Some(*known);
        }
        let node = self.terms.node(term);
        let table = match node.op {
            Op::Not => self.table(node.args[0], operands, known)?.zip(Table::ONES, |a, b| a ^ b),
            Op::And | Op::Or | Op::Xor => {
                let a = self.table(node.args[0], operands, known)?;
                let b = self.table(node.args[1], operands, known)?;
                match node.op {
                    Op::And => a.zip(b, |a, b| a & b),
                    Op::Or => a.zip(b, |a, b| a | b),
                    _ => a.zip(b, |a, b| a ^ b),
                }
            }
            _ => self.operand(term, operands)?,
        };
        known.insert(term, table);
        Some(table)
    }

    /// An operand and its complement, −1 minus it, share one atom.
    fn operand(&mut self, term: TermId, operands: &mut Vec<u32>) -> Option<Table> {
        let width = self.terms.width(term);
        let word = self.of(term);
        let complement = Polynomial::constant(-1).plus(&word, &BigInt::from(-1));
        let complement = Rc::new(self.reduced(complement, width));
        let (key, negated) = match (word.as_constant(), complement.as_constant()) {
            (Some(n), _) if n == BigInt::ZERO => return Some(Table::ZEROS),
            (_, Some(n)) if n == BigInt::ZERO => return Some(Table::ONES),
            (Some(a), Some(b)) => {
                let negated = a < BigInt::ZERO || (b >= BigInt::ZERO && b < a);
                (Key::Literal(if negated { b } else { a }, width), negated)
            }
            _ => {
                let single = |ring: &Self, word: &Polynomial| match ring
                    .members
                    .get(word.as_factor()? as usize)?[..]
                {
                    [atom] => Some(atom),
                    _ => None,
                };
                let alone = single(self, &word).map(|atom| (atom, false));
                let alone = alone.or_else(|| single(self, &complement).map(|atom| (atom, true)));
                match alone {
                    Some((atom, negated)) => (self.keys[atom as usize].clone(), negated),
                    None if complement < word => (Key::Word(complement, width), true),
                    None => (Key::Word(word, width), false),
                }
            }
        };
        let atom = self.atom_number(key);
        let place = operands.iter().position(|&operand| operand == atom).unwrap_or_else(|| {
            operands.push(atom);
            operands.len() - 1
        });
        if place >= OPERANDS {
            return None;
        }
        let table = Table::column(place);
        Some(if negated { table.zip(Table::ONES, |a, b| a ^ b) } else { table })
    }
}

/// A truth table; operand `i` is set in row `r` if bit `i` of `r` is.
#[derive(Clone, Copy)]
struct Table([u64; 1 << (OPERANDS - 6)]);

impl Table {
    const ZEROS: Self = Self([0; 1 << (OPERANDS - 6)]);
    const ONES: Self = Self([u64::MAX; 1 << (OPERANDS - 6)]);

    fn column(operand: usize) -> Self {
        let mut table = Self::ZEROS;
        for row in (0..1 << OPERANDS).filter(|row| row >> operand & 1 == 1) {
            table.0[row / 64] |= 1 << (row % 64);
        }
        table
    }

    fn bit(&self, row: usize) -> bool {
        self.0[row / 64] >> (row % 64) & 1 == 1
    }

    fn zip(self, other: Self, f: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}
