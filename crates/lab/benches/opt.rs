//! Measures hunts with LLVM's `opt` from ticket to verdict, on one thread, in CPU time of all processes: functions
//! judged per second at O2 and with one pass, and the share that is Mistrust's own.
//!
//! `cargo bench -p lab --bench opt`, or with `-- VERSION CASES TESTS`, where the tests can be of an older version. It
//! needs the tests of LLVM 19 as a hunt packs them: `mistrust hunt opt@19 --cases 1`. It prints figures and never fails because of them: machines differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use forge::{Case, Check, Method, Outcome};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::setting::Setting;
use lab::target::built_in::BuiltIn;
use lab::target::{Bench, Target, batch};
use lab::toolchain::Toolchains;
use llvm::corpus::Corpus;
use llvm::method::Crossover;
use mimalloc::MiMalloc;
use nix::sys::resource::{UsageWho, getrusage};

const SEED: u64 = 1;

/// As in the binary.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn cpu(who: UsageWho) -> Duration {
    let usage = getrusage(who).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

/// The packed tests of a version.
fn packed(toolchains: &Toolchains, version: &str) -> Option<PathBuf> {
    let start = format!("llvm-tests@{version}-");
    let entries = std::fs::read_dir(toolchains.folder().join("corpora")).ok()?;
    let mut names = entries.flatten().map(|entry| entry.path());
    names.find(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with(&start) && name.ends_with(".packed.jsonl")
    })
}

fn functions(case: &Case) -> usize {
    case.programs.iter().map(|it| it.source.matches("\ndefine ").count()).sum()
}

/// Judges cases and prints the rate.
fn row(what: &str, goal: &str, method: &dyn Method, target: &dyn Target, passes: &str, cases: u64) {
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path(), SandboxPolicy::BestEffort).unwrap();
    let bench =
        Bench { runner, compile: Limits::default(), run: Limits::default(), coverage: None };
    let setting = Setting::of(vec![("passes".to_owned(), passes.to_owned())]);
    let size = target.spec().batch(method.interface()).cases as u64;
    let (mut making, mut own, mut compiler) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut results: BTreeMap<&str, usize> = BTreeMap::new();
    let mut why: BTreeMap<String, usize> = BTreeMap::new();
    for start in (0..cases).step_by(usize::try_from(size).unwrap()) {
        let before = (cpu(UsageWho::RUSAGE_SELF), cpu(UsageWho::RUSAGE_CHILDREN));
        let tickets = (start..cases.min(start + size)).map(|index| method.ticket(SEED, index));
        let made: Vec<Case> = tickets.filter_map(|ticket| method.make(&ticket)).collect();
        let between = cpu(UsageWho::RUSAGE_SELF);
        let all: Vec<&Case> = made.iter().collect();
        let seen = batch::observe(target, &all, std::slice::from_ref(&setting), &bench);
        making += between - before.0;
        own += cpu(UsageWho::RUSAGE_SELF) - between;
        compiler += cpu(UsageWho::RUSAGE_CHILDREN) - before.1;
        for (case, observations) in made.iter().zip(&seen.observations) {
            for observation in observations {
                let kind = match &observation.outcome {
                    Outcome::Checked(Check::Holds) => "judged",
                    Outcome::Checked(Check::Fails { .. }) => "refuted",
                    Outcome::Checked(Check::Unknown { why: reason }) => {
                        *why.entry(reason.clone()).or_default() += functions(case);
                        "not decided"
                    }
                    other if other.reason().is_some() => "not observed",
                    _ => "crashes and hangs",
                };
                *results.entry(kind).or_default() += functions(case);
            }
        }
    }
    let count: usize = results.values().sum();
    let total = making + own + compiler;
    let rate = count as f64 / total.as_secs_f64().max(1e-6);
    let share = |time: Duration| 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-6);
    println!(
        "{rate:>8.0} functions/s  {what}{goal}: opt {:.0}%, making {:.0}%, checking {:.0}% of {:.1} s",
        share(compiler),
        share(making),
        share(own),
        total.as_secs_f64()
    );
    let results: Vec<String> =
        results.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
    println!("{:>22} {}", "", results.join(", "));
    let mut why: Vec<(String, usize)> = why.into_iter().collect();
    why.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (reason, count) in why.iter().take(6) {
        println!("{:>22} {count} {reason}", "");
    }
}

fn main() {
    let mut words = std::env::args().skip(1).filter(|word| !word.starts_with("--"));
    let version = words.next().unwrap_or_else(|| "19".to_owned());
    let cases = words.next().and_then(|it| it.parse().ok()).unwrap_or(4000);
    let tests = words.next().unwrap_or_else(|| version.clone());
    let folder = std::env::var_os("MISTRUST_TOOLCHAINS").map(PathBuf::from);
    let toolchains = Toolchains::open(&folder.or_else(Toolchains::usual_folder).unwrap()).unwrap();
    let installed = toolchains.get("clang", &version);
    let (Some(installed), Some(packed)) = (installed, packed(&toolchains, &tests)) else {
        println!("first: mistrust hunt opt@{version} --cases 1");
        return;
    };
    let target = BuiltIn::named("opt").unwrap().target(&installed).unwrap();
    let text = std::fs::read_to_string(packed).unwrap();
    let before = cpu(UsageWho::RUSAGE_SELF);
    let corpus = Arc::new(Corpus::read(tests.parse().unwrap(), &text).unwrap());
    let reading = cpu(UsageWho::RUSAGE_SELF) - before;
    println!(
        "{:>8.0} functions/s  reading the corpus of {} functions",
        corpus.seeds.len() as f64 / reading.as_secs_f64(),
        corpus.seeds.len()
    );
    let (crossover, plain) = (Crossover::new(Arc::clone(&corpus)), Crossover::plain(corpus));
    let row = |what, goal, method: &dyn Method, passes| {
        row(what, goal, method, target.as_ref(), passes, cases);
    };
    row("crossovers, O2", " (goal: 2000)", &crossover, "default<O2>");
    row("crossovers, InstCombine", " (goal: 5000)", &crossover, "instcombine");
    row("crossovers, own passes", "", &crossover, "own");
    row("tests as they are, InstCombine", "", &plain, "instcombine");
}
