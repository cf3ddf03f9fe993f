//! Measures the CPU time of the method `mir`: of generation, whether it grows faster than the size of the programs, and of
//! the whole loop with the machine's rustc, including all processes.
//!
//! `cargo bench -p lab --bench mir`. It prints figures and never fails because of them: machines differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::time::Duration;

use forge::{Case, Method};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::oracle;
use lab::target::rustc::{RustcTarget, find};
use lab::target::{Bench, Target, batch};
use lab::verdict::Verdict;
use nix::sys::resource::{UsageWho, getrusage};

const SEED: u64 = 1;

/// Enough lines that process start-up and noise of the machine are negligible.
const LINES: usize = 100_000;

/// How often compared costs are measured.
const ROUNDS: usize = 5;

fn cpu(who: UsageWho) -> Duration {
    let usage = getrusage(who).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

fn lines(case: &Case) -> usize {
    case.programs.iter().map(|program| program.source.lines().count()).sum()
}

/// Generates cases until there are this many tickets or lines. Returns cases, lines and CPU time.
fn generation(method: &dyn Method, tickets: u64, enough: usize) -> (usize, usize, Duration) {
    let before = cpu(UsageWho::RUSAGE_SELF);
    let (mut cases, mut printed) = (0, 0);
    for index in 0..tickets {
        if let Some(case) = method.make(&method.ticket(SEED, index)) {
            cases += 1;
            printed += lines(&std::hint::black_box(case));
        }
        if printed >= enough {
            break;
        }
    }
    (cases, printed, cpu(UsageWho::RUSAGE_SELF) - before)
}

fn per_second(count: usize, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(1e-6)
}

/// Prints the cost of generation. Returns the CPU time per line in nanoseconds.
fn generation_row(name: &str, tickets: u64, enough: usize, goal: &str) -> f64 {
    let method = methods::named(name).unwrap();
    let (cases, printed, time) = generation(method.as_ref(), tickets, enough);
    let each = printed / cases.max(1);
    let rate = per_second(printed, time);
    println!("{rate:>12.0} lines/s  {name}: {cases} programs of {each} lines{goal}");
    1e9 / rate
}

/// Runs the loop from ticket to verdict on one thread. Returns the CPU time per line in microseconds.
fn whole_loop(name: &str, goal: &str) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path(), SandboxPolicy::BestEffort).unwrap();
    let bench =
        Bench { runner, compile: Limits::default(), run: Limits::default(), coverage: None };
    let target = RustcTarget::new(find().into_iter().next().unwrap());
    let setting = std::slice::from_ref(target.spec().setting("O3-mir4").unwrap());
    let method = methods::named(name).unwrap();
    let usage = || (cpu(UsageWho::RUSAGE_SELF), cpu(UsageWho::RUSAGE_CHILDREN));
    let before = usage();
    let (mut printed, mut kept, mut broken, mut skipped) = (0, 0, 0, 0);
    let size = target.spec().batch(method.interface()).cases;
    for start in (0..).step_by(size) {
        let tickets = (start..start + size as u64).map(|index| method.ticket(SEED, index));
        let mut cases: Vec<Case> = tickets.filter_map(|ticket| method.make(&ticket)).collect();
        // A whole batch of large programs would take too long.
        let mut before = printed;
        cases.retain(|case| {
            let wanted = before < LINES;
            before += lines(case);
            wanted
        });
        for portion in batch::portions(&target, &cases) {
            let shown: Vec<&Case> = portion.iter().collect();
            let sightings = batch::observe(&target, &shown, setting, &bench);
            for (case, observations) in portion.iter().zip(sightings.observations) {
                match oracle::judge(case, &observations) {
                    Verdict::Kept => kept += 1,
                    Verdict::Broken(_) => broken += 1,
                    Verdict::Skipped(_) => skipped += 1,
                }
                printed += lines(case);
            }
        }
        if printed >= LINES || start >= 2_000 {
            break;
        }
    }
    let after = usage();
    let (own, others) = (after.0 - before.0, after.1 - before.1);
    let rate = per_second(printed, own + others);
    let share = 100.0 * own.as_secs_f64() / (own + others).as_secs_f64();
    println!(
        "{rate:>12.0} lines/s  {name}, O3-mir4, {}: {printed} lines; {kept} kept, {broken} broken, \
         {skipped} skipped{goal}",
        target.name()
    );
    println!("{share:>12.1} %        of that is our own CPU time  (goal: under 10)");
    1e6 / rate
}

fn main() {
    println!("generation, own CPU time");
    generation_row("mir", 500, usize::MAX, "  (goal: over 400,000)");
    // Measured in turn, and the cheapest of several rounds counts: other load on the machine only adds to the time.
    let sizes = ["mir@100", "mir@1000", "mir@10000"];
    let mut costs = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        let round = sizes.map(|name| generation_row(name, 10_000, 5 * LINES, ""));
        costs = std::array::from_fn(|size| costs[size].min(round[size]));
    }
    let [small, middle, large] = costs;
    println!(
        "{:>12.2} times    as much a line at 10,000 lines ({large:.0} ns) as at 1,000 ({middle:.0} ns); \
         {:.2} times as at 100 ({small:.0} ns)  (goal: below 1.3)",
        large / middle,
        large / small
    );
    println!("from ticket to verdict, CPU time of all processes");
    whole_loop("mir", "  (goal: over 13,000)");
    let [small, middle, large] = sizes.map(|name| whole_loop(name, ""));
    println!(
        "{:>12.2} times    as much a line at 10,000 lines ({large:.0} us) as at 1,000 ({middle:.0} us); \
         {:.2} times as at 100 ({small:.0} us)",
        large / middle,
        large / small
    );
}
