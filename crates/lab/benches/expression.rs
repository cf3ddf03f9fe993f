//! Measures how many functions are judged per CPU second, for each installed compiler: in batches; with one compilation per
//! function; and with one compiler process per function, as on the command line. For native compilers the last two are the
//! same. Also measures the share of our own CPU time. The single functions are a sample of the batches, under the same
//! settings, so that the figures are comparable.
//!
//! `cargo bench -p lab --bench expression [-- FAMILY@VERSION …]`. It prints figures and never fails because of them:
//! machines differ. It uses the compilers in `MISTRUST_TOOLCHAINS` or `target/toolchains`, and those of the machine.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use forge::{Case, Interface, Method};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::setting::Setting;
use lab::target::built_in::BUILT_IN;
use lab::target::{Bench, Target, TargetName, batch};
use lab::toolchain::Toolchains;
use lab::{oracle, verdict::Verdict};
use mimalloc::MiMalloc;
use nix::sys::resource::{UsageWho, getrusage};

/// As in the binary.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The minimal number of batches: settings rotate, and the main ones should all be used.
const BATCHES: usize = 8;

/// The minimal number of cases, so that the start of the compiler, once per hunt, is negligible.
const CASES: usize = 160;

/// The number of functions that are also judged alone.
const ALONE: usize = 32;

fn cpu(who: UsageWho) -> Duration {
    let usage = getrusage(who).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

#[derive(Default)]
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
    Bench { runner, compile: limits.clone(), run: limits, coverage: None }
}

fn usable(make: &dyn Fn() -> Arc<dyn Target>) -> Result<(), lab::target::Unusable> {
    let root = tempfile::tempdir().unwrap();
    make().probe(None, &bench(&root)).map(|_| ())
}

/// The first batches of a hunt: the numbers of their tickets, and their settings.
struct Plan {
    method: Box<dyn Method>,
    batches: Vec<(Range<usize>, Vec<Setting>)>,
}

impl Plan {
    fn of(target: &dyn Target) -> Self {
        let mut reads = target.spec().reads.iter();
        let functions = reads.find(|reads| reads.interface == Interface::Function).unwrap();
        let (language, interface) = (&functions.language, functions.interface);
        let method = methods::fitting(language, interface, Some("expression")).unwrap();
        let mut plan = Self { method, batches: vec![] };
        let size = functions.batch.cases;
        for number in 0..CASES.div_ceil(size).max(BATCHES) {
            let numbers = number * size..(number + 1) * size;
            let first: Vec<Case> =
                numbers.clone().find_map(|at| plan.make(at)).into_iter().collect();
            plan.batches.push((numbers, target.spec().settings_for(&first)));
        }
        plan
    }

    fn make(&self, number: usize) -> Option<Case> {
        self.method.make(&self.method.ticket(3, number as u64))
    }

    /// Generates and judges all batches.
    fn together(&self, make: &dyn Fn() -> Arc<dyn Target>) -> Spent {
        spent(make, |target, bench, spent| {
            for (numbers, settings) in &self.batches {
                let cases: Vec<Case> = numbers.clone().filter_map(|at| self.make(at)).collect();
                judge(target, &cases, settings, bench, spent);
            }
        })
    }

    /// A sample of functions from all batches, alternately bases and mutants, with the settings of their batches.
    fn sample(&self) -> Vec<(Case, &[Setting])> {
        let cases = self.batches.iter().flat_map(|(numbers, settings)| {
            numbers.clone().filter_map(move |at| Some((self.make(at)?, settings.as_slice())))
        });
        let cases: Vec<_> = cases.collect();
        let sample = (0..ALONE).map(|at| {
            let (mut case, settings) = cases[at * cases.len() / ALONE].clone();
            case.programs = vec![case.programs.swap_remove(at % case.programs.len())];
            (case, settings)
        });
        sample.collect()
    }

    fn alone(&self, make: &dyn Fn() -> Arc<dyn Target>) -> Spent {
        let sample = self.sample();
        spent(make, |target, bench, spent| {
            for (case, settings) in &sample {
                judge(target, std::slice::from_ref(case), settings, bench, spent);
            }
        })
    }

    /// The sample, with a new compiler process for each function and setting.
    fn restarted(&self, make: &dyn Fn() -> Arc<dyn Target>) -> Spent {
        let mut sum = Spent::default();
        let sample = self.sample();
        let each =
            sample.iter().flat_map(|(case, settings)| settings.iter().map(move |it| (case, it)));
        for (case, setting) in each {
            let one = spent(make, |target, bench, spent| {
                let (case, setting) = (std::slice::from_ref(case), std::slice::from_ref(setting));
                judge(target, case, setting, bench, spent);
            });
            sum.functions += one.functions;
            sum.own += one.own;
            sum.compilers += one.compilers;
        }
        sum
    }
}

fn judge(
    target: &dyn Target,
    cases: &[Case],
    settings: &[Setting],
    bench: &Bench,
    spent: &mut Spent,
) {
    let batch: Vec<&Case> = cases.iter().collect();
    let seen = batch::observe(target, &batch, settings, bench);
    for (case, observations) in cases.iter().zip(&seen.observations) {
        spent.functions += case.programs.len() * settings.len();
        let verdict = oracle::judge(case, observations);
        spent.broken += usize::from(matches!(verdict, Verdict::Broken(_)));
    }
}

/// The cost of `work` with a new target, including its start and end.
fn spent(
    make: &dyn Fn() -> Arc<dyn Target>,
    work: impl FnOnce(&dyn Target, &Bench, &mut Spent),
) -> Spent {
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let target = make();
    let before = (cpu(UsageWho::RUSAGE_SELF), cpu(UsageWho::RUSAGE_CHILDREN));
    let mut spent = Spent::default();
    work(target.as_ref(), &bench, &mut spent);
    // The CPU time of hosts is counted when they end.
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
    for built_in in BUILT_IN {
        if !built_in.of_machine().is_empty() {
            makers.push(Box::new(|| built_in.of_machine().remove(0)));
        }
        let Some(family) = built_in.toolchain() else { continue };
        for version in toolchains.installed(family) {
            let installed = toolchains.get(family, &version).unwrap();
            makers.push(Box::new(move || built_in.target(&installed).unwrap()));
        }
    }
    for make in makers {
        let name: TargetName = make().name().clone();
        let matches = |it: &String| *it == name.family || *it == name.to_string();
        if !wanted.is_empty() && !wanted.iter().any(matches) {
            continue;
        }
        if let Err(why) = usable(&*make) {
            println!("{name}: {why}");
            continue;
        }
        // Rules are prepared once per hunt of any length, so this is not measured: the plan does it.
        let plan = Plan::of(make().as_ref());
        let together = plan.together(&*make);
        let alone = plan.alone(&*make);
        let restarted = plan.restarted(&*make);
        println!(
            "{name}: {:.0} functions per CPU second in batches; {:.1} one at a time ({:.0} times), {:.1} with \
             a compiler started for each ({:.0} times); {:.1}% of the CPU is ours; {} of {} broken",
            together.per_second(),
            alone.per_second(),
            together.per_second() / alone.per_second(),
            restarted.per_second(),
            together.per_second() / restarted.per_second(),
            100.0 * together.own / (together.own + together.compilers),
            together.broken,
            together.functions,
        );
    }
}
