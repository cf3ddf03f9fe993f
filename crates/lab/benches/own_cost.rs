//! Measures the CPU time of the hunt loop with a target that costs nothing: per case that keeps its promise, per duplicate,
//! and per new finding.
//!
//! `cargo bench -p lab --bench own_cost`. It prints figures and never fails because of them: machines differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use forge::{Behaviour, Case, Input, Interface, Method, Observation, Outcome, Program, Promise};
use lab::campaign::{Campaign, Choice, Line, Options, Shard};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::folder::Folders;
use lab::setting::Setting;
use lab::stop::Stop;
use lab::store::SqliteStore;
use lab::target::{
    Attempt, Batch, Bench, ByHand, Reads, Schedule, Seen, Spec, Target, TargetName, Unusable,
};
use lab::triage::known::KnownBugs;
use smoke::Smoke;

/// A target that returns the promised behaviour, or a crash.
#[derive(Debug)]
struct Free {
    spec: Spec,
    crashes: bool,
}

impl Target for Free {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, _bench: &Bench) -> Attempt {
        let observe = |case: &&Case| {
            let outcome = if self.crashes {
                let message = "internal compiler error: in fold, at fold.cc:12".to_owned();
                Outcome::Crashed { signal: None, message, frames: vec![] }
            } else {
                Outcome::Ran(match &case.promise {
                    Promise::Yields(behaviours) => behaviours[0].clone(),
                    _ => Behaviour::Value(String::new()),
                })
            };
            let setting = setting.name.clone();
            Seen::from(vec![Observation { program: 0, setting, input: Some(0), outcome }])
        };
        Attempt::Each(cases.iter().map(observe).collect())
    }

    fn by_hand(&self, program: &Program, _input: &Input, _setting: &Setting) -> ByHand {
        ByHand::Steps { compile: vec!["free".to_owned(), program.file_name()], run: None }
    }

    fn probe(&self, _program: Option<&Program>, _bench: &Bench) -> Result<String, Unusable> {
        Ok(String::new())
    }
}

/// CPU time of this process, over all threads.
fn cpu() -> Duration {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_SELF).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

/// Hunts with this many cases. Returns the CPU time per case.
fn hunt(cases: u64, batch: usize, crashes: bool, all_findings: bool) -> Duration {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let store = SqliteStore::open(&out, "bench").unwrap();
    let runner = Runner::new(folder.path().join("scratch"), SandboxPolicy::Off).unwrap();
    let limits = Limits::default();
    let spec = Spec {
        name: TargetName::from("free".to_owned()),
        reads: vec![Reads::new("toy", Interface::Program, Batch::of(batch))],
        settings: vec![Setting::plain()],
        occasional: vec![],
        schedule: Schedule::All,
    };
    let targets: Vec<Arc<dyn Target>> = vec![Arc::new(Free { spec, crashes })];
    let folders = Folders::new(&out, targets.clone());
    let campaign = Campaign {
        lines: vec![Line::drawn(Arc::new(Smoke::toy()), targets)],
        relatives: vec![],
        versions: BTreeMap::new(),
        options: Options {
            seed: 1,
            time: None,
            grace: Duration::ZERO,
            cases: Some(cases),
            jobs: 1,
            shard: Shard::whole(),
            choice: Choice::default(),
            all_findings,
            // Reduction is a cost of the method and the compiler, not of the loop.
            reduce_time: Duration::ZERO,
            alive_tv: None,
            command: "bench".to_owned(),
        },
        store: &store,
        out,
        bench: Bench { runner, compile: limits.clone(), run: limits, coverage: None },
        known: KnownBugs::default(),
        listeners: vec![&folders],
        stop: Stop::default(),
    };
    let before = cpu();
    campaign.run().unwrap();
    (cpu() - before) / cases as u32
}

/// The cost of generation alone.
fn generation(cases: u64) -> Duration {
    let smoke = Smoke::toy();
    let before = cpu();
    for index in 0..cases {
        std::hint::black_box(smoke.make(&smoke.ticket(1, index)));
    }
    (cpu() - before) / cases as u32
}

fn main() {
    let rows = [
        ("generation of a case (included in the following figures)", generation(100_000), None),
        (
            "a case that keeps its promise, in batches of 100",
            hunt(100_000, 100, false, false),
            Some(20),
        ),
        ("a case that keeps its promise, one at a time", hunt(100_000, 1, false, false), None),
        ("a duplicate failure", hunt(20_000, 100, true, false), Some(200)),
        ("a failure that is a new finding", hunt(500, 100, true, true), None),
    ];
    println!("own CPU time per case");
    for (what, time, goal) in rows {
        let goal = goal.map(|goal: u32| format!("  (goal: under {goal} µs)")).unwrap_or_default();
        println!("{:>10.1} µs  {what}{goal}", time.as_secs_f64() * 1e6);
    }
}
