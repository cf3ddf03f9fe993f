//! No false alarms: what rustc prints without any optimisation is what the interpreter says.
//!
//! `MISTRUST_MIR_PROGRAMS=20000 cargo test --release -p lab --test mir` is the long version.

use forge::mir::Mir;
use forge::{Case, Method, Ticket};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::target::rustc::{RustcTarget, find};
use lab::target::{Bench, Target};
use lab::verdict::Verdict;
use lab::{batch, oracle};

#[test]
fn without_optimisation_rustc_and_the_interpreter_agree() {
    let count: u64 = std::env::var("MISTRUST_MIR_PROGRAMS")
        .map_or(200, |text| text.parse().expect("a number of programs"));
    let target = RustcTarget::new(find().into_iter().next().expect("a rustc"));
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path(), SandboxPolicy::BestEffort).unwrap();
    let bench = Bench { runner, compile: Limits::default(), run: Limits::default() };
    let setting = &target.settings()[..1];
    let indices: Vec<u64> = (0..count).collect();
    let mut judged = 0;
    let mut wrong: Vec<String> = vec![];
    for chunk in indices.chunks(100) {
        let cases: Vec<Case> = chunk
            .iter()
            .filter_map(|index| Mir::sized(None).make(&Ticket::new("mir", 7, *index)))
            .collect();
        let shown: Vec<&Case> = cases.iter().collect();
        let sightings = batch::observe(&target, &shown, setting, &bench);
        for (case, observations) in cases.iter().zip(sightings.observations) {
            match oracle::judge(case, &observations) {
                Verdict::Kept => judged += 1,
                Verdict::Broken(breach) => {
                    wrong.push(format!("{}: {}", case.ticket, breach.actual));
                }
                Verdict::Skipped(why) => wrong.push(format!("{}: skipped: {why}", case.ticket)),
            }
        }
    }
    let first: Vec<&str> = wrong.iter().take(5).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} programs differ: {}", wrong.len(), first.join("\n"));
    assert!(judged * 100 >= count * 98, "only {judged} of {count} tickets gave a program");
}
