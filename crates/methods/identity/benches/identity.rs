//! The cost of evaluation and refutation in CPU time: nodes per second by operator and width, and
//! searches for a counterexample.
//!
//! `cargo bench -p identity --bench identity`. It prints figures without thresholds, since machines
//! differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::hint::black_box;
use std::time::Duration;

use identity::evaluate::{Sheet, Tape};
use identity::kernel::{Equation, Extent, Op, Relation, Semantics, TermId, Terms, WORDS};
use identity::refute::refute;
use identity::valuations::Valuations;
use identity::word::Word;
use nix::sys::resource::{UsageWho, getrusage};

/// About as many valuations as the synthesiser uses.
const ROWS: usize = 192;

/// Long enough to keep the noise small.
const LONG: Duration = Duration::from_millis(200);

fn cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

/// A term with the typical operator mix of rules, mostly cheap ones.
fn mixed(terms: &mut Terms) -> TermId {
    let [a, b, c] = [0, 1, 2].map(|index| terms.variable(index, Extent::WORD));
    let mut on = |op: Op, args: &[TermId]| terms.apply(op, args);
    let (and, or, xor) = (on(Op::And, &[a, b]), on(Op::Or, &[a, c]), on(Op::Xor, &[b, c]));
    let (sum, difference) = (on(Op::Add, &[and, or]), on(Op::Sub, &[xor, and]));
    let (product, not) = (on(Op::Mul, &[sum, difference]), on(Op::Not, &[a]));
    let (up, down) = (on(Op::Shl, &[product, c]), on(Op::Ashr, &[not, b]));
    let (less, minus) = (on(Op::Ult, &[up, down]), on(Op::Neg, &[sum]));
    let choice = on(Op::Ite, &[less, minus, product]);
    let (rest, quotient) = (on(Op::Urem, &[choice, b]), on(Op::Udiv, &[sum, c]));
    on(Op::Add, &[rest, quotient])
}

/// `a * (b + c) = a * b + a * c`.
fn distribution() -> Equation {
    let mut terms = Terms::new();
    let [a, b, c] = [0, 1, 2].map(|index| terms.variable(index, Extent::WORD));
    let sum = terms.apply(Op::Add, &[b, c]);
    let left = terms.apply(Op::Mul, &[a, sum]);
    let (x, y) = (terms.apply(Op::Mul, &[a, b]), terms.apply(Op::Mul, &[a, c]));
    let right = terms.apply(Op::Add, &[x, y]);
    Equation { terms, sides: [left, right], conditions: Vec::new() }
}

/// Nodes per CPU second, in millions.
fn speed<const N: usize>(terms: &Terms, root: TermId, width: u16, semantics: &Semantics) -> f64 {
    let tape = Tape::new(terms, &[root], width, semantics).unwrap();
    let nodes = tape.instructions().iter().filter(|node| node.op.arity() > 0).count();
    let widths = vec![width; tape.variables().len()];
    let mut valuations = Valuations::<N>::new(&widths);
    let mut rows = vec![vec![Word::ZERO; widths.len()]; ROWS];
    // Draws past the first edge cases.
    for index in 0..1000 {
        valuations.draw(&mut rows[index % ROWS]);
    }
    let mut sheet = Sheet::<N>::new(&tape, ROWS);
    for variable in 0..widths.len() {
        sheet.set(&tape, variable as u16, rows.iter().map(|row| row[variable]));
    }
    let (before, mut rounds) = (cpu(), 0);
    while rounds < 1 || cpu() - before < LONG {
        for _ in 0..10 {
            sheet.run(&tape);
            black_box(&sheet);
        }
        rounds += 10;
    }
    (rounds * nodes * ROWS) as f64 / (cpu() - before).as_secs_f64() / 1e6
}

fn main() {
    let signed = Semantics::named("solidity-signed").unwrap();
    println!("million node evaluations per CPU second, {ROWS} valuations at once");
    let mut terms = Terms::new();
    let root = mixed(&mut terms);
    for semantics in [&WORDS, signed] {
        println!(
            "a mix under {:16} 64 bits {:6.0}   128 bits {:6.0}   256 bits {:6.0}   257 bits {:6.0}   512 bits {:6.0}",
            semantics.name,
            speed::<1>(&terms, root, 64, semantics),
            speed::<2>(&terms, root, 128, semantics),
            speed::<4>(&terms, root, 256, semantics),
            speed::<5>(&terms, root, 257, semantics),
            speed::<9>(&terms, root, 512, semantics),
        );
    }
    use Op::{
        Add, Addmod, And, Ashr, Clz, Exp, Mul, Mulmod, Not, Rotl, Sdiv, Shl, Slt, Udiv, Ult, Urem,
    };
    for op in
        [Not, And, Add, Mul, Shl, Ashr, Rotl, Ult, Slt, Clz, Udiv, Urem, Sdiv, Addmod, Mulmod, Exp]
    {
        let mut terms = Terms::new();
        let args: Vec<TermId> =
            (0..op.arity()).map(|index| terms.variable(index as u16, Extent::WORD)).collect();
        let root = terms.apply(op, &args);
        println!(
            "{:16} at 256 bits: {:6.1} wrapping, {:6.1} checked and signed",
            format!("{op:?}"),
            speed::<4>(&terms, root, 256, &WORDS),
            speed::<4>(&terms, root, 256, signed)
        );
    }
    let widths = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 257];
    let equation = distribution();
    let before = cpu();
    let rounds = 200;
    for _ in 0..rounds {
        let search = refute(black_box(&equation), &WORDS, Relation::Exact, &widths);
        assert_eq!(search.counterexample, None);
    }
    let each = (cpu() - before) / rounds;
    println!("a true equation of 3 variables survives {} widths in {each:.2?}", widths.len());
}
