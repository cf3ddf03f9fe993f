//! How many functions are judged per CPU second, for each compiler that is installed: in batches; with one
//! compile for each function; and with a compiler that is started for each, as its command line is. For those
//! that are processes of their own the last two are the same. And what share of the CPU is our own.
//!
//! `cargo bench -p lab --bench expression [-- FAMILY@VERSION …]`. It prints figures and judges nothing:
//! machines differ. Compilers are those of `MISTRUST_TOOLCHAINS`, or of
//! `target/toolchains`, and those of the machine.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use forge::{Case, Ticket};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::target::built_in::BUILT_IN;
use lab::target::rustc::RustcTarget;
use lab::target::{Bench, Target, TargetName};
use lab::toolchain::Toolchains;
use lab::{batch, oracle, verdict::Verdict};
use nix::sys::resource::{UsageWho, getrusage};

/// How many batches are judged, and how many cases one by one.
const BATCHES: usize = 2;
const ALONE: usize = 4;

fn cpu(who: UsageWho) -> Duration {
    let usage = getrusage(who).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

struct Spent {
    functions: usize,
    broken: usize,
    own: f64,
    compilers: f64,
}

impl Spent {
    fn per_second(&self) -> f64 {
        self.functions as f64 / (self.own + self.compilers)
    }
}

fn bench(root: &tempfile::TempDir) -> Bench {
    let runner = Runner::new(root.path().to_owned(), SandboxPolicy::BestEffort).unwrap();
    let limits = Limits {
        wall: Duration::from_secs(600),
        cpu: Duration::from_secs(600),
        ..Limits::default()
    };
    Bench { runner, compile: limits.clone(), run: limits }
}

fn usable(make: &dyn Fn() -> Arc<dyn Target>) -> Result<(), lab::target::Unusable> {
    let root = tempfile::tempdir().unwrap();
    make().probe(&bench(&root)).map(|_| ())
}

/// Judges cases one by one, each with a compiler that was not there before.
fn judge_anew(make: &dyn Fn() -> Arc<dyn Target>) -> Spent {
    let mut spent = Spent { functions: 0, broken: 0, own: 0.0, compilers: 0.0 };
    for number in 0..ALONE {
        let one = judge(make, Some(1), number..number + 1);
        spent.functions += one.functions;
        spent.own += one.own;
        spent.compilers += one.compilers;
    }
    spent
}

/// Makes and judges cases, a batch at a time, in turn under the settings of the target.
fn judge(
    make: &dyn Fn() -> Arc<dyn Target>,
    size: Option<usize>,
    batches: std::ops::Range<usize>,
) -> Spent {
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let target = make();
    let method = forge::methods::fitting(target.language(), Some("expression"), |_| true).unwrap();
    let size = size.unwrap_or(target.batch_size());
    // The rules are made ready once in a hunt, whatever its length.
    let ticket = |index: usize| Ticket::new(method.name(), 3, index as u64);
    let _ = method.make(&ticket(0));
    let before = (cpu(UsageWho::RUSAGE_SELF), cpu(UsageWho::RUSAGE_CHILDREN));
    let mut spent = Spent { functions: 0, broken: 0, own: 0.0, compilers: 0.0 };
    for number in batches {
        let numbers = number * size..(number + 1) * size;
        let mut cases: Vec<Case> = numbers.filter_map(|n| method.make(&ticket(n))).collect();
        if size == 1 {
            // A base and a mutant in turn.
            cases.iter_mut().for_each(|case| case.programs.truncate(1 + number / BATCHES % 2));
            cases.iter_mut().for_each(|case| drop(case.programs.drain(..case.programs.len() - 1)));
        }
        let shown: Vec<&Case> = cases.iter().collect();
        // Cases that are alone are judged under the settings of the batches.
        let turn = (number % BATCHES) * target.batch_size();
        let of_turn: Vec<Case> = method.make(&ticket(turn)).into_iter().collect();
        let settings = target.settings_for(&of_turn);
        let seen = batch::observe(target.as_ref(), &shown, &settings, &bench);
        for (case, observations) in cases.iter().zip(&seen.observations) {
            spent.functions += case.programs.len() * settings.len();
            let verdict = oracle::judge(case, observations);
            spent.broken += usize::from(matches!(verdict, Verdict::Broken(_)));
        }
    }
    // Hosts are counted once they have ended.
    drop(target);
    spent.own = (cpu(UsageWho::RUSAGE_SELF) - before.0).as_secs_f64();
    spent.compilers = (cpu(UsageWho::RUSAGE_CHILDREN) - before.1).as_secs_f64();
    spent
}

fn main() {
    let folder = std::env::var_os("MISTRUST_TOOLCHAINS").map(PathBuf::from);
    let usual = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/toolchains");
    let toolchains = Toolchains::open(&folder.unwrap_or_else(usual)).unwrap();
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut makers: Vec<Box<dyn Fn() -> Arc<dyn Target>>> = vec![];
    for toolchain in lab::target::rustc::find().into_iter().take(1) {
        makers.push(Box::new(move || Arc::new(RustcTarget::new(toolchain.clone()))));
    }
    for built_in in BUILT_IN {
        if built_in.of_machine().is_some() {
            makers.push(Box::new(|| built_in.of_machine().unwrap()));
        }
        for version in toolchains.installed(built_in.toolchain) {
            let installed = toolchains.get(built_in.toolchain, &version).unwrap();
            makers.push(Box::new(move || built_in.target(&installed)));
        }
    }
    for make in makers {
        let name: TargetName = make().name().clone();
        let asked = |it: &String| *it == name.family || *it == name.to_string();
        if !wanted.is_empty() && !wanted.iter().any(asked) {
            continue;
        }
        if let Err(why) = usable(&*make) {
            println!("{name}: {why}");
            continue;
        }
        let together = judge(&*make, None, 0..BATCHES);
        let alone = judge(&*make, Some(1), 0..ALONE);
        let anew = judge_anew(&*make);
        println!(
            "{name}: {:.0} functions per CPU second in batches; {:.1} one at a time ({:.0} times), {:.1} with \
             a compiler started for each ({:.0} times); {:.1}% of the CPU is ours; {} of {} broken",
            together.per_second(),
            alone.per_second(),
            together.per_second() / alone.per_second(),
            anew.per_second(),
            together.per_second() / anew.per_second(),
            100.0 * together.own / (together.own + together.compilers),
            together.broken,
            together.functions,
        );
    }
}
