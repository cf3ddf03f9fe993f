//! Targeted inputs: where the operands of an operator are parameters and literals, arguments are chosen that reach an edge
//! case of this operator. Random values rarely do, if it needs two or three that fit each other.

use num_bigint::BigInt;

use super::constants;
use super::inputs::{row, word};
use super::program::{Body, Step, width};
use super::run::divisor;
use forge::Entropy;
use identity::kernel::{Op, TermId, Terms};

/// Up to `count` inputs, each targeted at one operator, which is drawn.
pub(super) fn targeted(
    terms: &Terms,
    bodies: &[&Body],
    parameters: &[u16],
    near: &[BigInt],
    count: usize,
    entropy: &mut Entropy,
) -> Vec<Vec<BigInt>> {
    let nodes = reachable(terms, bodies, parameters.len());
    // Half of them at divisions, whose edge cases are the hardest to reach.
    let dividing: Vec<TermId> =
        nodes.iter().copied().filter(|&node| divisor(terms.op(node)).is_some()).collect();
    let mut rows = vec![];
    for number in 0..count {
        let all = if number % 2 == 0 || dividing.is_empty() { &nodes } else { &dividing };
        let Some(&node) = entropy.pick(all) else { break };
        let mut row = row(parameters, near, entropy);
        let given: Vec<Option<BigInt>> =
            terms.args(node).iter().map(|&arg| terms.literal_value(arg).cloned()).collect();
        let targets = target(terms.op(node), &given, width(terms, terms.args(node)[0]), entropy);
        for (&arg, target) in terms.args(node).iter().zip(targets) {
            if let Op::Variable(variable) = terms.op(arg) {
                row[usize::from(variable)] = word(target, parameters[usize::from(variable)]);
            }
        }
        rows.push(row);
    }
    rows
}

/// The operators with two operands or more, all of them parameters or literals, and not only literals. Helpers and loops have
/// other variables.
fn reachable(terms: &Terms, bodies: &[&Body], parameters: usize) -> Vec<TermId> {
    let mut roots = vec![];
    for body in bodies {
        roots.push(body.result);
        for step in &body.steps {
            match step {
                Step::Let { term } => roots.push(*term),
                Step::Loop { start, .. } => roots.push(*start),
                Step::Call { arguments, .. } => roots.extend(arguments),
            }
        }
    }
    let is_argument = |term: TermId| match terms.op(term) {
        Op::Variable(variable) => usize::from(variable) < parameters,
        _ => false,
    };
    let is_reached = |term: &TermId| {
        let args = terms.args(*term);
        let known = |arg: &TermId| is_argument(*arg) || terms.literal_value(*arg).is_some();
        args.len() > 1 && args.iter().all(known) && args.iter().any(|&arg| is_argument(arg))
    };
    terms.in_order(&roots).into_iter().filter(is_reached).collect()
}

/// Operands of an operator at one of its edge cases. Some are given.
fn target(op: Op, given: &[Option<BigInt>], width: u16, entropy: &mut Entropy) -> Vec<BigInt> {
    let one = || BigInt::from(1);
    let least = one() << (width - 1);
    let off = |entropy: &mut Entropy| BigInt::from(entropy.below(3)) - 1;
    let either = |at: usize, other: BigInt| given[at].clone().unwrap_or(other);
    match op {
        Op::Addmod | Op::Mulmod => {
            let modulus = either(2, constants::long(entropy, width));
            let below = |entropy: &mut Entropy| &modulus - (entropy.below(4) / 3 + 1);
            vec![below(entropy), below(entropy), modulus.clone()]
        }
        Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl | Op::Rotr => {
            let amount = BigInt::from(width) + off(entropy);
            vec![constants::draw(entropy, width), amount]
        }
        Op::Byte => {
            vec![BigInt::from(width / 8) + off(entropy), constants::draw(entropy, width)]
        }
        Op::Exp => {
            let exponent = BigInt::from(width) + off(entropy);
            vec![BigInt::from(2) - entropy.below(4), exponent]
        }
        // The only quotient that overflows, and its neighbours.
        Op::Sdiv | Op::Srem | Op::Fdiv | Op::Fmod if entropy.chance(1, 2) => {
            vec![least + entropy.below(2), -one()]
        }
        op if divisor(op).is_some() => {
            let by = either(1, constants::long(entropy, width));
            vec![&by + off(entropy), by]
        }
        Op::Add => {
            let a = either(0, constants::draw(entropy, width));
            let to = if entropy.chance(1, 2) { BigInt::ZERO } else { least };
            vec![a.clone(), to - a + off(entropy)]
        }
        Op::Mul => {
            let exponent = entropy.between(1, u64::from(width) - 1);
            let a = either(0, (one() << exponent) + off(entropy));
            vec![a, (one() << (u64::from(width) - exponent)) + off(entropy)]
        }
        // Comparisons, differences and others: equal operands, or adjacent ones.
        _ => {
            let a = given.iter().flatten().next().cloned();
            let a = a.unwrap_or_else(|| constants::draw(entropy, width));
            let mut near = |_: &Option<BigInt>| &a + off(entropy);
            given.iter().map(&mut near).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forge::Ticket;
    use identity::kernel::Extent;

    /// Some inputs of `mulmod` have both factors just below a long modulus, and a parameter that is compared with a literal
    /// gets values next to it.
    #[test]
    fn arguments_are_drawn_at_the_edge_cases_of_their_operator() {
        let mut terms = Terms::new();
        let width = Extent::fixed(256);
        let [a, b, c] = [0, 1, 2].map(|variable| terms.variable(variable, width));
        let number = terms.literal(7, width);
        let product = terms.apply(Op::Mulmod, &[a, b, c]);
        let below = terms.apply(Op::Ult, &[b, number]);
        let whole = terms.apply(Op::Add, &[product, below]);
        let body = Body { steps: vec![], result: whole };
        assert_eq!(reachable(&terms, &[&body], 3), [product, below]);
        let mut entropy = Entropy::of(&Ticket::new("targeted inputs", 1, 1));
        let rows = targeted(&terms, &[&body], &[256; 3], &[], 40, &mut entropy);
        let half = BigInt::from(1) << 128;
        let under = |row: &&Vec<BigInt>| {
            row[2] >= half && [0, 1].iter().all(|&n| &row[2] - &row[n] == BigInt::from(1))
        };
        assert!(rows.iter().filter(under).count() >= 3, "{rows:?}");
        for near in [6, 7, 8] {
            assert!(rows.iter().any(|row| row[1] == BigInt::from(near)), "{near}");
        }
    }
}
