//! Terms at a width as a list of instructions in topological order. Terms that are ill-formed at
//! the width are rejected here.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigInt;

use super::column::Stop;
use super::instruction::Instruction;
use super::sheet::Sheet;
use super::{WIDEST, with_limbs};
use crate::kernel::{Extent, Op, Semantics, TermId, Terms, Trap};
use crate::word::Word;

/// The outcome of a term for one valuation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The word as an unsigned number.
    Value(BigInt),
    Trap(Trap),
    Undefined,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => write!(f, "{value:#x}"),
            Self::Trap(Trap::Overflow) => f.write_str("a trap (overflow)"),
            Self::Trap(Trap::Division) => f.write_str("a trap (division)"),
            Self::Trap(Trap::Range) => f.write_str("a trap (range)"),
            Self::Undefined => f.write_str("undefined"),
        }
    }
}

/// Why terms cannot be evaluated at a width.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum IllFormed {
    #[error("{extent} is not a width from 1 to {WIDEST} at w = {width}")]
    Width { extent: Extent, width: u16 },
    #[error("{op:?} cannot yield width {to} from operands of widths {from:?}")]
    Operands { op: Op, from: Vec<u16>, to: u16 },
    #[error("variable {0} has two widths")]
    Variable(u16),
}

/// Terms, compiled for evaluation.
#[derive(Clone, Debug)]
pub struct Tape {
    instructions: Vec<Instruction>,
    roots: Vec<u32>,
    /// Indexed by the `Literal` of an instruction; reduced modulo 2^width.
    literals: Vec<BigInt>,
    /// The instruction and width of each variable.
    variables: BTreeMap<u16, (u32, u16)>,
    limbs: usize,
    semantics: Semantics,
}

impl Tape {
    /// Compiles the terms for `w = width` under the semantics.
    pub fn new(
        terms: &Terms,
        roots: &[TermId],
        width: u16,
        semantics: &Semantics,
    ) -> Result<Self, IllFormed> {
        let mut tape = Self {
            instructions: Vec::new(),
            roots: Vec::new(),
            literals: Vec::new(),
            variables: BTreeMap::new(),
            limbs: 1,
            semantics: *semantics,
        };
        let mut slots: BTreeMap<TermId, u32> = BTreeMap::new();
        for term in terms.in_order(roots) {
            let node = terms.node(term);
            let mut args = [0; 3];
            for (slot, arg) in args.iter_mut().zip(node.args()) {
                *slot = slots[arg];
            }
            let to = extent(node.width, width)?;
            let op = tape.fixed(terms, node.op, width, to)?;
            let slot = tape.push(op, args, to)?;
            slots.insert(term, slot);
        }
        tape.roots = roots.iter().map(|root| slots[root]).collect();
        Ok(tape)
    }

    /// The operator with fixed extents; `Bits` becomes a literal.
    fn fixed(&mut self, terms: &Terms, op: Op, width: u16, to: u16) -> Result<Op, IllFormed> {
        let integer = match op {
            Op::Literal(index) => terms.integer(index).clone(),
            Op::Bits(bits) => {
                BigInt::from(bits.at(width).ok_or(IllFormed::Width { extent: bits, width })?)
            }
            Op::Extract(low) => {
                let fixed = low.at(width).filter(|&low| low < WIDEST);
                let fixed = fixed.ok_or(IllFormed::Width { extent: low, width })?;
                return Ok(Op::Extract(Extent::fixed(fixed)));
            }
            _ => return Ok(op),
        };
        let modulus = BigInt::from(1) << to;
        let residue: BigInt = integer % &modulus;
        let word = if residue < BigInt::ZERO { residue + modulus } else { residue };
        self.literals.push(word);
        Ok(Op::Literal(self.literals.len() as u32 - 1))
    }

    fn push(&mut self, op: Op, args: [u32; 3], width: u16) -> Result<u32, IllFormed> {
        let slot = self.instructions.len() as u32;
        let mut from = [0; 3];
        for (width, &arg) in from.iter_mut().zip(&args[..op.arity()]) {
            *width = self.instructions[arg as usize].width;
        }
        if !fits(op, from, width) {
            return Err(IllFormed::Operands { op, from: from[..op.arity()].to_vec(), to: width });
        }
        if let Op::Variable(index) = op
            && self.variables.insert(index, (slot, width)).is_some()
        {
            return Err(IllFormed::Variable(index));
        }
        self.limbs = self.limbs.max(usize::from(width).div_ceil(64));
        self.instructions.push(Instruction { op, args, width, from });
        Ok(slot)
    }

    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The instructions of the roots.
    pub fn roots(&self) -> &[u32] {
        &self.roots
    }

    pub fn literals(&self) -> &[BigInt] {
        &self.literals
    }

    /// The instruction and width of each variable that occurs.
    pub fn variables(&self) -> &BTreeMap<u16, (u32, u16)> {
        &self.variables
    }

    pub fn semantics(&self) -> &Semantics {
        &self.semantics
    }

    /// The number of limbs of the widest node.
    pub fn limbs(&self) -> usize {
        self.limbs
    }

    /// The outcomes of the roots for one valuation, indexed by variable; missing values are 0.
    /// [`Sheet`] is faster for many valuations.
    pub fn run(&self, valuation: &[BigInt]) -> Vec<Outcome> {
        with_limbs!(self.limbs, run_one::<_>(self, valuation))
    }
}

fn run_one<const N: usize>(tape: &Tape, valuation: &[BigInt]) -> Vec<Outcome> {
    let mut sheet = Sheet::<N>::new(tape, 1);
    for (index, value) in valuation.iter().enumerate() {
        sheet.set(tape, index as u16, [Word::from_integer(value)]);
    }
    sheet.run(tape);
    (0..tape.roots.len()).map(|root| outcome(&sheet, tape, root, 0)).collect()
}

pub(crate) fn outcome<const N: usize>(
    sheet: &Sheet<N>,
    tape: &Tape,
    root: usize,
    row: usize,
) -> Outcome {
    let column = sheet.root(tape, root);
    match column.stop(row) {
        None => Outcome::Value(column.values[row].to_integer()),
        Some(Stop::Trap(trap)) => Outcome::Trap(trap),
        Some(Stop::Undefined) => Outcome::Undefined,
    }
}

fn extent(extent: Extent, width: u16) -> Result<u16, IllFormed> {
    extent
        .at(width)
        .filter(|bits| (1..=WIDEST).contains(bits))
        .ok_or(IllFormed::Width { extent, width })
}

/// Whether an operator accepts operands of these widths and gives a result of width `to`.
fn fits(op: Op, [a, b, c]: [u16; 3], to: u16) -> bool {
    match op {
        Op::Variable(_) | Op::Literal(_) | Op::Bits(_) => true,
        Op::Zext | Op::Sext => a <= to,
        Op::Extract(low) => low.as_fixed().is_some_and(|low| low + to <= a),
        Op::Concat => a + b == to,
        Op::Bswap => a == to && to.is_multiple_of(8),
        Op::Byte => a == to && b == to && to.is_multiple_of(8),
        Op::Ite => b == to && c == to,
        Op::Addmod | Op::Mulmod => a == to && b == to && c == to,
        Op::Power => to == 1,
        _ if op.is_flag() => a == b && to == 1,
        _ if op.is_comparison() => a == b,
        Op::IsPower => true,
        _ if op.arity() == 1 => a == to,
        _ => a == to && b == to,
    }
}
