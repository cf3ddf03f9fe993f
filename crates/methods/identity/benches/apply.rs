//! The cost of applying rules in CPU time: 8 rules stacked on a term of 50 nodes of 256 bits.
//!
//! `cargo bench -p identity --bench apply`. It prints figures without thresholds, since machines
//! differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::hint::black_box;
use std::time::Duration;

use forge::{Entropy, Ticket};
use identity::apply::Rulebook;
use identity::kernel::{Extent, Op, Semantics, TermId, Terms};
use identity::{Entry, Library};
use nix::sys::resource::{UsageWho, getrusage};

const WIDTH: u16 = 256;
const NODES: u32 = 50;
const RULES: usize = 8;
const ROUNDS: u64 = 4000;

const OPERATORS: [Op; 10] =
    [Op::Add, Op::Sub, Op::Mul, Op::And, Op::Or, Op::Xor, Op::Not, Op::Lshr, Op::Udiv, Op::Eq];

fn program(entropy: &mut Entropy, terms: &mut Terms, size: u32) -> TermId {
    if size < 2 {
        return match entropy.below(5) {
            0 => terms.literal(entropy.below(300), Extent::fixed(WIDTH)),
            _ => terms.variable(entropy.below(4) as u16, Extent::fixed(WIDTH)),
        };
    }
    let op = OPERATORS[entropy.below(OPERATORS.len() as u64) as usize];
    let op = if size == 2 { Op::Not } else { op };
    let left = if op.arity() == 2 { entropy.between(1, u64::from(size) - 2) as u32 } else { 0 };
    let mut args = Vec::new();
    for part in [left, size - 1 - left].into_iter().filter(|&part| part > 0) {
        args.push(program(entropy, terms, part));
    }
    terms.apply_at(op, &args, Extent::fixed(WIDTH))
}

fn cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

fn measure(semantics: &Semantics, library: &[Entry]) {
    let start = cpu();
    let book = Rulebook::new(library, semantics, &[WIDTH]);
    let built = cpu() - start;
    // Programs are generated and rewritten one by one, as in a hunt. The cost of generating them is
    // measured separately and subtracted.
    let make = |round| {
        let mut entropy = Entropy::of(&Ticket::new("bench", 0, round));
        let mut terms = Terms::new();
        let root = program(&mut entropy, &mut terms, NODES);
        (entropy, terms, root)
    };
    let start = cpu();
    for round in 0..ROUNDS {
        black_box(make(round));
    }
    let made = cpu() - start;
    let mut firings = 0;
    let start = cpu();
    for round in 0..ROUNDS {
        let (mut entropy, terms, root) = make(round);
        let mut material = book.material(terms);
        let mutant = book.stack(&mut material, root, RULES, 4 * NODES, &mut entropy);
        firings += black_box(&mutant).trail.len();
    }
    let spent = (cpu() - start).saturating_sub(made);
    println!(
        "{}: {} rules, {} arms in {built:.1?}; {:.1} µs for {:.2} firings on {NODES} nodes",
        semantics.name,
        library.len(),
        book.len(),
        spent.as_secs_f64() * 1e6 / ROUNDS as f64,
        f64::from(firings as u32) / ROUNDS as f64,
    );
}

fn main() {
    let library = Library::shipped().unwrap();
    for name in ["words", "evm", "solidity-unsigned", "vyper-signed"] {
        measure(Semantics::named(name).unwrap(), &library.entries);
    }
}
