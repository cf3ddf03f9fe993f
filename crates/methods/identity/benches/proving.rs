//! The cost of proving in CPU time: all hand-written rules, once reproven as recorded in the ledger
//! and once by a full search under all semantics; and synthesis without a basis.
//!
//! `cargo bench -p identity --bench proving`, optionally with a part of a rule name, or with
//! `ledger`, `search` or `synthesis` for one of the three. It prints figures without thresholds,
//! since machines differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::BTreeMap;
use std::time::Duration;

use identity::kernel::WORDS;
use identity::{Effort, Entry, Library, Standing, Synthesis, confirm, establish, establish_in};
use nix::sys::resource::{UsageWho, getrusage};

/// How many of the most expensive rules are listed.
const NAMED: usize = 20;

fn cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

/// Synthesises until `count` rules are proven, sequentially.
fn synthesis(count: usize) {
    let start = cpu();
    let effort = Effort { conflicts: 500, ..Effort::default() };
    let mut synthesis = Synthesis::new(1, &[]);
    let (mut proven, mut tried, mut refuted) = (0, 0, 0);
    while proven < count {
        let candidates = synthesis.candidates(256);
        if candidates.is_empty() {
            break;
        }
        for rule in candidates {
            let standing = establish_in(&rule, &WORDS, &effort);
            tried += 1;
            proven += usize::from(standing.is_proven());
            refuted += usize::from(matches!(standing, Standing::Unsound(_)));
            synthesis.learn(&rule, &standing);
        }
    }
    let took = (cpu() - start).as_secs_f64();
    println!(
        "{proven} rules without a basis, from {tried} candidates ({refuted} false): {took:.1} s"
    );
}

fn main() {
    let word = std::env::args().nth(1).filter(|word| !word.starts_with('-'));
    let (alone, part) = match word.as_deref() {
        Some(kind @ ("ledger" | "search" | "synthesis")) => (Some(kind), None),
        part => (None, part),
    };
    let library = Library::shipped().unwrap();
    let written: Vec<&Entry> = library
        .entries
        .iter()
        .filter(|entry| !entry.is_synthesised())
        .filter(|entry| part.is_none_or(|part| entry.rule.name.contains(part)))
        .collect();
    if alone.is_none_or(|kind| kind == "ledger") {
        reprove(&written);
    }
    if alone.is_none_or(|kind| kind == "search") {
        search(&written);
    }
    if alone.is_none_or(|kind| kind == "synthesis") && part.is_none() {
        synthesis(5_000);
    }
}

fn reprove(written: &[&Entry]) {
    let mut missing = Vec::new();
    let mut certificates = 0;
    measure("reproven as recorded", written, &mut |entry| {
        certificates += entry.standings.iter().map(proofs).sum::<usize>();
        if !confirm(&entry.rule, &entry.standings, &Effort::default()).is_empty() {
            missing.push(entry.rule.name.as_str());
        }
    });
    println!("  {certificates} proofs; not reproven: {}", missing.join(" "));
}

fn search(written: &[&Entry]) {
    let mut unproven = Vec::new();
    measure("by full search", written, &mut |entry| {
        if !establish(&entry.rule, &Effort::default()).iter().any(Standing::is_proven) {
            unproven.push(entry.rule.name.as_str());
        }
    });
    println!("  not proven anywhere: {}", unproven.join(" "));
}

fn proofs(standing: &Standing) -> usize {
    match standing {
        Standing::Proven { where_to, .. } => where_to.len(),
        _ => 0,
    }
}

/// Runs an action on all entries and prints its cost by file, and the most expensive rules.
fn measure<'a>(what: &str, entries: &[&'a Entry], action: &mut dyn FnMut(&'a Entry)) {
    let mut files: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
    let mut most_expensive = Vec::new();
    let start = cpu();
    for entry in entries {
        let before = cpu();
        action(entry);
        let took = cpu() - before;
        let file = files.entry(&entry.source).or_default();
        *file = (file.0 + 1, file.1 + took);
        most_expensive.push((took, entry));
    }
    println!("{} rules {what}: {:.1} s", entries.len(), (cpu() - start).as_secs_f64());
    for (file, (rules, took)) in files {
        println!("  {file:<20} {rules:>5} rules {:>8.2} s", took.as_secs_f64());
    }
    most_expensive.sort_by_key(|&(took, _)| std::cmp::Reverse(took));
    for (took, entry) in most_expensive.iter().take(NAMED) {
        println!("  {:>8.2} s  {}", took.as_secs_f64(), entry.rule.name);
    }
}
