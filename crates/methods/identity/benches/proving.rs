//! What proving costs, in CPU time: every rule that is written by hand, once as the ledger says that it is
//! proven, and once in search of all that is true of it under all semantics; and synthesis from nothing.
//!
//! `cargo bench -p forge --bench proving`, with a part of a name for the rules that have it alone, or with
//! `ledger`, `search` or `synthesis` for one of the three. It prints figures and judges nothing: machines differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::BTreeMap;
use std::time::Duration;

use identity::kernel::WORDS;
use identity::{Effort, Entry, Library, Standing, Synthesis, confirm, establish, establish_in};
use nix::sys::resource::{UsageWho, getrusage};

/// How many of the dearest rules are named.
const NAMED: usize = 20;

fn cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

/// From no rules at all to so many, one candidate after the other.
fn synthesis(count: usize) {
    let begun = cpu();
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
    let took = (cpu() - begun).as_secs_f64();
    println!("{proven} rules from nothing, of {tried} candidates ({refuted} false): {took:.1} s");
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
        again(&written);
    }
    if alone.is_none_or(|kind| kind == "search") {
        search(&written);
    }
    if alone.is_none_or(|kind| kind == "synthesis") && part.is_none() {
        synthesis(5_000);
    }
}

fn again(written: &[&Entry]) {
    let mut missing = Vec::new();
    let mut certificates = 0;
    measured("as the ledger says", written, &mut |entry| {
        certificates += entry.standings.iter().map(proofs).sum::<usize>();
        if !confirm(&entry.rule, &entry.standings, &Effort::default()).is_empty() {
            missing.push(entry.rule.name.as_str());
        }
    });
    println!("  {certificates} proofs; not again: {}", missing.join(" "));
}

fn search(written: &[&Entry]) {
    let mut idle = Vec::new();
    measured("in search of all that is true", written, &mut |entry| {
        if !establish(&entry.rule, &Effort::default()).iter().any(Standing::is_proven) {
            idle.push(entry.rule.name.as_str());
        }
    });
    println!("  not proven anywhere: {}", idle.join(" "));
}

fn proofs(standing: &Standing) -> usize {
    match standing {
        Standing::Proven { where_to, .. } => where_to.len(),
        _ => 0,
    }
}

/// What doing something with all of some rules costs, by file, and the dearest of them.
fn measured<'a>(what: &str, entries: &[&'a Entry], doing: &mut dyn FnMut(&'a Entry)) {
    let mut files: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
    let mut dearest = Vec::new();
    let begun = cpu();
    for entry in entries {
        let before = cpu();
        doing(entry);
        let took = cpu() - before;
        let file = files.entry(&entry.source).or_default();
        *file = (file.0 + 1, file.1 + took);
        dearest.push((took, entry));
    }
    println!("{} rules {what}: {:.1} s", entries.len(), (cpu() - begun).as_secs_f64());
    for (file, (rules, took)) in files {
        println!("  {file:<20} {rules:>5} rules {:>8.2} s", took.as_secs_f64());
    }
    dearest.sort_by_key(|&(took, _)| std::cmp::Reverse(took));
    for (took, entry) in dearest.iter().take(NAMED) {
        println!("  {:>8.2} s  {}", took.as_secs_f64(), entry.rule.name);
    }
}
