//! How many programs a CPU second gives: generated and printed, interpreted, and spoilt. `cargo bench -p solidity`, or with
//! `-- PROGRAMS`.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;

use forge::Method;
use nix::sys::resource::{UsageWho, getrusage};
use solidity::model::Version;
use solidity::{Invalid, Solidity};

/// How many tickets are measured, if no number is given.
const PROGRAMS: u64 = 8_000;

/// The CPU time of this process, in seconds.
fn cpu() -> f64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(0.0, |usage| {
        let time = usage.user_time();
        time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6
    })
}

fn measure(what: &str, count: u64, mut one: impl FnMut(u64) -> usize) {
    let began = cpu();
    let bytes: usize = (0..count).map(|index| black_box(one(index))).sum();
    let seconds = cpu() - began;
    let each = bytes as f64 / count as f64;
    println!("{what:<34} {:>8.0} per CPU second, {each:>6.0} bytes each", count as f64 / seconds);
}

fn main() {
    let asked = std::env::args().skip(1).find_map(|word| word.parse().ok());
    let count = asked.unwrap_or(PROGRAMS);
    for version in [Version::Newest, Version::V7] {
        let method = Solidity::new(version);
        let ticket = |index: u64| method.ticket(7, index);
        println!("{}, {count} tickets", method.name());
        measure("generated and printed", count, |index| method.printed(&ticket(index)).len());
        // The transactions and the expected behaviour besides.
        measure("generated, printed, interpreted", count, |index| {
            let case = method.make(&ticket(index));
            case.map_or(0, |case| case.programs.iter().map(|it| it.source.len()).sum())
        });
        let invalid = Invalid::new(version);
        measure("made invalid", count, |index| {
            let case = invalid.make(&invalid.ticket(7, index));
            case.map_or(0, |case| case.programs.iter().map(|it| it.source.len()).sum())
        });
    }
}
