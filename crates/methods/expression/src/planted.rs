//! How often a miscompilation would be detected: an operator that is wrong in an edge case is planted in an interpreter, and
//! the tickets are counted with a chosen input on which a result differs. Compilers had these bugs; the generator does not
//! depend on them.

use num_bigint::BigInt;

use super::pair::Pair;
use super::program::{ACCUMULATOR, Body, COUNTER, HELPER, Step, width};
use super::run::Fate;
use super::{Expression, languages};
use forge::Ticket;
use identity::evaluate::{Outcome, Tape};
use identity::kernel::{Op, Semantics, TermId, Terms};

/// The wrong result of an operator on words of a width; nothing where it is right.
type Mistake = fn(Op, &[BigInt], u16) -> Option<BigInt>;

/// An interpreter of bodies that makes one mistake.
struct Interpreter<'a> {
    terms: &'a Terms,
    semantics: &'a Semantics,
    mistake: Mistake,
}

impl Interpreter<'_> {
    /// The value of the body; nothing if it traps or is undefined.
    fn run(&self, body: &Body, arguments: &[BigInt]) -> Option<BigInt> {
        let mut known: Vec<(u16, BigInt)> =
            arguments.iter().enumerate().map(|(n, value)| (n as u16, value.clone())).collect();
        for (index, step) in body.steps.iter().enumerate() {
            let result = match step {
                Step::Let { term } => self.value(*term, &known)?,
                Step::Loop { times, start, body } => {
                    let mut accumulator = self.value(*start, &known)?;
                    for turn in 0..*times {
                        let mut inside = known.clone();
                        inside.extend([(ACCUMULATOR, accumulator), (COUNTER, BigInt::from(turn))]);
                        accumulator = self.value(*body, &inside)?;
                    }
                    accumulator
                }
                Step::Call { arguments, body, .. } => {
                    let given = arguments.iter().enumerate();
                    let given: Option<Vec<(u16, BigInt)>> = given
                        .map(|(n, &term)| Some((HELPER + n as u16, self.value(term, &known)?)))
                        .collect();
                    self.value(*body, &given?)?
                }
            };
            known.push((Body::variable(arguments.len(), index), result));
        }
        self.value(body.result, &known)
    }

    fn value(&self, term: TermId, known: &[(u16, BigInt)]) -> Option<BigInt> {
        let node = self.terms.node(term);
        if let Op::Variable(variable) = node.op {
            return known.iter().find(|it| it.0 == variable).map(|it| it.1.clone());
        }
        if let Some(value) = self.terms.literal_value(term) {
            return Some(value.clone());
        }
        if node.op == Op::Ite {
            let taken = if self.value(node.args[0], known)? == BigInt::ZERO { 2 } else { 1 };
            return self.value(node.args[taken], known);
        }
        let values: Option<Vec<BigInt>> =
            node.args().iter().map(|&arg| self.value(arg, known)).collect();
        let values = values?;
        let wide = width(self.terms, node.args[0]);
        if let Some(wrong) = (self.mistake)(node.op, &values, wide) {
            return Some(wrong);
        }
        let mut terms = Terms::new();
        let args: Vec<TermId> = node
            .args()
            .iter()
            .zip(values)
            .map(|(&arg, value)| terms.literal(value, self.terms.width(arg)))
            .collect();
        let term = terms.apply_at(node.op, &args, node.width);
        match Tape::new(&terms, &[term], 1, self.semantics).ok()?.run(&[]).pop()? {
            Outcome::Value(value) => Some(value),
            Outcome::Trap(_) | Outcome::Undefined => None,
        }
    }
}

/// Whether a program of a pair has a wrong result on one of its inputs.
fn shows(pair: &Pair, fates: &[Fate], mistake: Mistake) -> bool {
    let Some(semantics) = Semantics::named(pair.style.semantics) else { return false };
    let interpreter = Interpreter { terms: &pair.terms, semantics, mistake };
    pair.inputs.iter().zip(fates).any(|(row, fate)| {
        let Fate::Value(right) = fate else { return false };
        let differs = |body: &&Body| interpreter.run(body, row).as_ref() != Some(right);
        pair.bodies().iter().any(differs)
    })
}

/// A long division by half words that takes a digit of all ones for one that does not fit: `mulmod` by a modulus of more than
/// half of all bits in resolc 0.3.0 and its predecessors.
fn digit(op: Op, args: &[BigInt], width: u16) -> Option<BigInt> {
    let half = BigInt::from(1) << (width / 2);
    if op != Op::Mulmod || args[2] < half {
        return None;
    }
    let ones = &half - 1;
    let shift = u64::from(width) - args[2].bits();
    let divisor: BigInt = &args[2] << shift;
    let high: BigInt = &divisor / &half;
    let low: BigInt = &divisor % &half;
    let product = ((&args[0] % &args[2]) * (&args[1] % &args[2])) << shift;
    let modulus = &half * &half;
    let mut rest: BigInt = &product / &modulus;
    for next in [&product / &half % &half, &product % &half] {
        let (mut guess, mut left): (BigInt, BigInt) = (&rest / &high, &rest % &high);
        while guess >= ones || &guess * &low > &left * &half + &next {
            guess -= 1;
            left += &high;
            if left >= ones {
                break;
            }
        }
        let wrapped: BigInt = (&rest * &half + next - guess % &half * &divisor) % &modulus;
        rest = if wrapped < BigInt::ZERO { wrapped + &modulus } else { wrapped };
    }
    Some(rest >> shift)
}

/// The sum is truncated before it is reduced.
fn carry(op: Op, args: &[BigInt], width: u16) -> Option<BigInt> {
    if op != Op::Addmod || args[2] == BigInt::ZERO {
        return None;
    }
    Some((&args[0] + &args[1]) % (BigInt::from(1) << width) % &args[2])
}

/// The check for the overflow of a signed division tests the least number plus one, as in resolc 0.3.0.
fn least(op: Op, args: &[BigInt], width: u16) -> Option<BigInt> {
    let least = BigInt::from(1) << (width - 1);
    let ones: BigInt = &least * 2 - 1;
    (op == Op::Sdiv && args[0] == least + 1 && args[1] == ones).then(|| args[0].clone())
}

/// The shift amount is taken modulo the width.
fn masked(op: Op, args: &[BigInt], width: u16) -> Option<BigInt> {
    let wide = BigInt::from(width);
    let applies = op == Op::Lshr && args[1] >= wide;
    applies.then(|| &args[0] >> u16::try_from(&args[1] % wide).unwrap_or(0))
}

/// `byte` of an index beyond the word.
fn beyond(op: Op, args: &[BigInt], width: u16) -> Option<BigInt> {
    (op == Op::Byte && args[0] >= BigInt::from(width / 8)).then(|| &args[1] % 256_u16)
}

/// The exponent of a power is truncated to a byte.
fn exponent(op: Op, args: &[BigInt], width: u16) -> Option<BigInt> {
    let applies = op == Op::Exp && args[1] >= BigInt::from(256);
    applies.then(|| args[0].modpow(&(&args[1] % 256_u16), &(BigInt::from(1) << width)))
}

/// How many tickets are run.
const TICKETS: u64 = 1500;

/// The planted bugs, and how many tickets have to detect each.
const MISTAKES: &[(&str, Mistake, usize)] = &[
    ("a digit of a long division", digit, 4),
    ("the carry of addmod", carry, 25),
    ("the least number but one", least, 1),
    ("a shift by too much", masked, 10),
    ("a byte beyond the word", beyond, 2),
    ("a long exponent", exponent, 8),
];

/// The bounds are about half of what was measured.
#[test]
fn known_miscompilations_would_be_detected() {
    let method = Expression::new(&languages::solidity::DIALECT);
    let mut counts = vec![0; MISTAKES.len()];
    for index in 0..TICKETS {
        let Some(pair) = method.grow(&Ticket::new(method.dialect.name, 1, index)) else { continue };
        let fates = pair.fates().expect("base and mutant agree");
        for (count, it) in counts.iter_mut().zip(MISTAKES) {
            *count += usize::from(shows(&pair, &fates, it.1));
        }
    }
    for (&(name, _, least), &count) in MISTAKES.iter().zip(&counts) {
        assert!(count >= least, "{name}: {count} of {TICKETS} tickets, {counts:?} in all");
    }
}

#[test]
fn the_planted_long_division_fails_like_resolcs() {
    let power = |exponent: u32| BigInt::from(1) << exponent;
    let modulus = power(136) + 1;
    let wrong = digit(Op::Mulmod, &[power(136), power(136), modulus], 256);
    assert_ne!(wrong, Some(BigInt::from(1)));
    // The example of the upstream report, whose result is the remainder plus the modulus.
    let [a, b, modulus]: [BigInt; 3] = [power(159), power(256) - power(54) - 1, power(255) + 1];
    let right: BigInt = &a * &b % &modulus;
    assert_eq!(digit(Op::Mulmod, &[a, b, modulus.clone()], 256), Some(right + modulus));
    let plain = [power(200) + 12345, power(190) + 7, power(255) - 19];
    let right: BigInt = &plain[0] * &plain[1] % &plain[2];
    assert_eq!(digit(Op::Mulmod, &plain, 256), Some(right));
}
