//! Bit-blasting of core terms into words of wires. This is the one definition of the core operators
//! as circuits. Operand widths are checked, since a goal may come from an untrusted prover.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::clause::Clauses;
use super::graph::{Graph, Wire};
use super::word::{Direction, Word, constant};
use crate::kernel::goal::{Goal, Scope};
use crate::kernel::op::Op;
use crate::kernel::rejection::Rejection;
use crate::kernel::term::{Node, TermId, Terms};

/// Limit on the total bits of all words of one goal, over all of its cases.
const MOST_BITS: usize = 50_000_000;

/// The circuit of one goal.
#[derive(Debug)]
pub struct Circuit {
    graph: Graph,
    output: Wire,
}

impl Circuit {
    pub fn of(goal: &Goal) -> Result<Self, Rejection> {
        let Scope::At(_) = goal.scope else {
            return Err(Rejection("a circuit needs a goal at one width".into()));
        };
        let mut blaster = Blaster::default();
        let output = blaster.flag(&goal.terms, goal.holds)?;
        Ok(Self { graph: blaster.graph, output })
    }

    /// Whether structural hashing alone proves the goal.
    pub fn is_true(&self) -> bool {
        self.output == Wire::TRUE
    }

    /// Clauses that are satisfiable if and only if the goal has a counterexample.
    pub fn clauses(&self) -> Clauses {
        Clauses::refuting(&self.graph, self.output)
    }
}

/// Builds circuits for any number of flags of one arena. They share common subterms.
#[derive(Debug, Default)]
pub struct Blaster {
    graph: Graph,
    words: Vec<Option<Word>>,
    inputs: HashMap<u16, Word>,
    divisions: HashMap<(TermId, TermId), (Word, Word)>,
    bits: usize,
}

impl Blaster {
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The wire of a term that is one bit wide.
    pub fn flag(&mut self, terms: &Terms, root: TermId) -> Result<Wire, Rejection> {
        match self.word(terms, root)?[..] {
            [wire] => Ok(wire),
            _ => Err(Rejection("a goal must be one bit wide".into())),
        }
    }

    /// The wires of a term. All calls must use the same arena, which may grow between them.
    pub fn word(&mut self, terms: &Terms, root: TermId) -> Result<&[Wire], Rejection> {
        self.words.resize(terms.len(), None);
        for term in terms.in_order(&[root]) {
            if self.words[term.0 as usize].is_none() {
                let node = terms.node(term);
                let word = self.apply(terms, node)?;
                self.bits += word.len();
                if self.graph.exhausted() || self.bits > MOST_BITS {
                    return Err(Rejection("the circuit is too large".into()));
                }
                self.words[term.0 as usize] = Some(word);
            }
        }
        Ok(self.known(root))
    }

    fn known(&self, term: TermId) -> &[Wire] {
        self.words[term.0 as usize].as_deref().unwrap_or(&[])
    }

    fn apply(&mut self, terms: &Terms, node: Node) -> Result<Word, Rejection> {
        let Some(width) = node.width.as_fixed().map(usize::from).filter(|&width| width > 0) else {
            return Err(Rejection(format!(
                "a circuit needs a fixed positive width, not {}",
                node.width
            )));
        };
        let args: Vec<Word> = node.args().iter().map(|&arg| self.known(arg).to_vec()).collect();
        let widths: Vec<usize> = args.iter().map(Vec::len).collect();
        if !fits(node.op, width, &widths) {
            return Err(Rejection(format!(
                "{:?} cannot yield {width} bits from operands of {widths:?} bits",
                node.op
            )));
        }
        let graph = &mut self.graph;
        Ok(match (node.op, &args[..]) {
            (Op::Variable(variable), []) => self.variable(variable, width)?,
            (Op::Literal(literal), []) => constant(terms.integer(literal), width),
            (Op::Bits(bits), []) => match bits.as_fixed() {
                Some(bits) => constant(&BigInt::from(bits), width),
                None => return Err(Rejection("a bit count depends on the width".into())),
            },
            (Op::Not, [a]) => a.iter().map(|&wire| !wire).collect(),
            (Op::Neg, [a]) => graph.difference(&vec![Wire::FALSE; width], a).0,
            (Op::Add, [a, b]) => graph.sum(a, b, Wire::FALSE).0,
            (Op::Sub, [a, b]) => graph.difference(a, b).0,
            (Op::Mul, [a, b]) => graph.product(a, b, width),
            (Op::And, [a, b]) => pairwise(a, b, |x, y| graph.and(x, y)),
            (Op::Or, [a, b]) => pairwise(a, b, |x, y| graph.or(x, y)),
            (Op::Xor, [a, b]) => pairwise(a, b, |x, y| graph.xor(x, y)),
            (Op::Shl, [a, by]) => graph.shifted(Direction::Left, a, by, Wire::FALSE),
            (Op::Lshr, [a, by]) => graph.shifted(Direction::Right, a, by, Wire::FALSE),
            (Op::Ashr, [a, by]) => graph.shifted(Direction::Right, a, by, a[width - 1]),
            (Op::Udiv | Op::Urem, [a, b]) => {
                let operands = (node.args[0], node.args[1]);
                let known = self.divisions.entry(operands);
                let (quotient, rest) = known.or_insert_with(|| graph.division(a, b));
                if node.op == Op::Udiv { quotient.clone() } else { rest.clone() }
            }
            (Op::Ite, [condition, yes, no]) => graph.select(condition[0], yes, no),
            (Op::Zext, [a]) => extended(a, width, Wire::FALSE),
            (Op::Sext, [a]) => extended(a, width, a[a.len() - 1]),
            (Op::Extract(low), [a]) => match low.as_fixed().map(usize::from) {
                Some(low) if low + width <= a.len() => a[low..low + width].to_vec(),
                _ => return Err(Rejection("extracts bits beyond the operand".into())),
            },
            (Op::Concat, [high, low]) => [&low[..], &high[..]].concat(),
            (Op::Clz, [a]) => {
                let reversed: Word = a.iter().rev().copied().collect();
                graph.leading(&reversed)
            }
            (Op::Ctz, [a]) => graph.leading(a),
            (Op::Popcount, [a]) => {
                let mut count = graph.count(a);
                count.resize(width, Wire::FALSE);
                count
            }
            (Op::Bswap, [a]) => a.chunks(8).rev().flatten().copied().collect(),
            (Op::Exp, [a, exponent]) => graph.power(a, exponent),
            (Op::Same, [a, b]) => vec![graph.same(a, b)],
            (Op::Below, [a, b]) => vec![graph.below(a, b)],
            (Op::SignedBelow, [a, b]) => vec![graph.below(&biased(a), &biased(b))],
            (Op::Power, [a]) => vec![graph.one(a)],
            (Op::MulOverflows, [a, b]) => {
                let product = graph.product(a, b, 2 * a.len());
                vec![graph.any(&product[a.len()..])]
            }
            (Op::SignedMulOverflows, [a, b]) => {
                let product = graph.signed_product(a, b);
                let sign = product[a.len() - 1];
                let lost: Word =
                    product[a.len()..].iter().map(|&wire| graph.xor(wire, sign)).collect();
                vec![graph.any(&lost)]
            }
            (op, _) => return Err(Rejection(format!("{op:?} is not a core operator"))),
        })
    }

    fn variable(&mut self, variable: u16, width: usize) -> Result<Word, Rejection> {
        let graph = &mut self.graph;
        let word = self.inputs.entry(variable).or_insert_with(|| {
            // Widths are u16, so every bit index fits.
            (0..width).map(|bit| graph.input(variable, bit as u16)).collect()
        });
        if word.len() != width {
            return Err(Rejection(format!("variable {variable} has two widths")));
        }
        Ok(word.clone())
    }
}

/// Whether an operator yields a word of this width from operands of these widths.
fn fits(op: Op, width: usize, args: &[usize]) -> bool {
    match (op, args) {
        (Op::Variable(_) | Op::Literal(_) | Op::Bits(_), []) => true,
        (Op::Neg | Op::Not | Op::Clz | Op::Ctz | Op::Popcount, &[a]) => a == width,
        (Op::Bswap, &[a]) => a == width && width.is_multiple_of(8),
        (Op::Zext | Op::Sext, &[a]) => a <= width,
        (Op::Extract(_), &[a]) => a >= width,
        (Op::Power, &[_]) => width == 1,
        (Op::Concat, &[a, b]) => a + b == width,
        (Op::Shl | Op::Lshr | Op::Ashr | Op::Exp, &[a, _]) => a == width,
        (Op::Ite, &[condition, a, b]) => condition == 1 && a == width && b == width,
        (op, &[a, b]) if op.is_flag() => a == b && width == 1,
        (_, &[a, b]) => a == width && b == width,
        // Not a core operator; `apply` rejects it.
        _ => true,
    }
}

fn pairwise(a: &[Wire], b: &[Wire], mut gate: impl FnMut(Wire, Wire) -> Wire) -> Word {
    a.iter().zip(b).map(|(&x, &y)| gate(x, y)).collect()
}

fn extended(word: &[Wire], width: usize, fill: Wire) -> Word {
    let mut word = word.to_vec();
    word.resize(width, fill);
    word
}

/// Flips the sign bit, so that a signed comparison becomes an unsigned one.
fn biased(word: &[Wire]) -> Word {
    let mut word = word.to_vec();
    if let Some(sign) = word.last_mut() {
        *sign = !*sign;
    }
    word
}
