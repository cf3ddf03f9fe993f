//! What proving costs, in CPU time: every rule that is written by hand, under all semantics and in the two
//! where all operators are total; and synthesis from nothing.
//!
//! `cargo bench -p forge --bench proving`, with a part of a name for the rules that have it alone. It prints
//! figures and judges nothing: machines differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::BTreeMap;
use std::time::Duration;

use forge::identity::{Effort, Entry, Library, Standing, establish};
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

fn main() {
    let part = std::env::args().nth(1).filter(|part| !part.starts_with('-'));
    let wanted = |name: &str| part.as_deref().is_none_or(|part| name.contains(part));
    let library = Library::shipped().unwrap();
    let written: Vec<&Entry> = library
        .entries
        .iter()
        .filter(|entry| !entry.is_synthesised() && wanted(&entry.rule.name))
        .collect();
    let effort = Effort::default();
    let mut files: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
    let mut dearest = Vec::new();
    let mut idle = 0;
    let begun = cpu();
    for entry in &written {
        let before = cpu();
        let standings = establish(&entry.rule, &effort);
        let took = cpu() - before;
        let file = files.entry(&entry.source).or_default();
        *file = (file.0 + 1, file.1 + took);
        idle += usize::from(!standings.iter().any(Standing::is_proven));
        dearest.push((took, entry));
    }
    println!(
        "{} rules under all semantics: {:.1} s, {idle} of them not proven anywhere",
        written.len(),
        (cpu() - begun).as_secs_f64()
    );
    for (file, (rules, took)) in files {
        println!("  {file:<20} {rules:>5} rules {:>8.2} s", took.as_secs_f64());
    }
    dearest.sort_by_key(|&(took, _)| std::cmp::Reverse(took));
    let named = std::env::var("NAMED").ok().and_then(|n| n.parse().ok()).unwrap_or(NAMED);
    for (took, entry) in dearest.iter().take(named) {
        println!("  {:>8.2} s  {} {}", took.as_secs_f64(), entry.source, entry.rule.name);
    }
}
