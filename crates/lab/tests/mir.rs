//! Checks for false alarms of `mir`: without optimisation, rustc agrees with the interpreter, in every form of a program.
//!
//! `MISTRUST_MIR_PROGRAMS=20000 cargo test --release -p lab --test mir` is the long version; `MISTRUST_MIR_FIRST` is the
//! index of the first program, so that the work can be divided.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a failed setup fails the test")]

use forge::{Case, Method};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::oracle;
use lab::target::rustc::{RustcTarget, find};
use lab::target::{Bench, Target, batch};
use lab::verdict::{BreachKind, Verdict};
use mir::Mir;

struct World {
    target: RustcTarget,
    bench: Bench,
    _folder: tempfile::TempDir,
}

fn world() -> World {
    let target = RustcTarget::new(find().into_iter().next().expect("a rustc"));
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path(), SandboxPolicy::BestEffort).unwrap();
    let bench =
        Bench { runner, compile: Limits::default(), run: Limits::default(), coverage: None };
    World { target, bench, _folder: folder }
}

impl World {
    /// The verdicts on the cases without optimisation.
    fn verdicts(&self, cases: &[Case]) -> Vec<Verdict> {
        let batch: Vec<&Case> = cases.iter().collect();
        let setting = &self.target.spec().settings[..1];
        let sightings = batch::observe(&self.target, &batch, setting, &self.bench);
        let each = cases.iter().zip(sightings.observations);
        each.map(|(case, observations)| oracle::judge(case, &observations)).collect()
    }
}

#[test]
fn without_optimisation_rustc_and_the_interpreter_agree() {
    let number = |name: &str, otherwise: u64| {
        std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number of programs"))
    };
    let count = number("MISTRUST_MIR_PROGRAMS", 200);
    let first = number("MISTRUST_MIR_FIRST", 0);
    let world = world();
    let mir = Mir::sized(None);
    let indices: Vec<u64> = (first..first + count).collect();
    let (mut judged, mut lines) = (0, 0);
    let mut wrong: Vec<String> = vec![];
    for chunk in indices.chunks(50) {
        let cases: Vec<Case> =
            chunk.iter().filter_map(|index| mir.make(&mir.ticket(7, *index))).collect();
        for (case, verdict) in cases.iter().zip(world.verdicts(&cases)) {
            lines += case.programs[0].source.lines().count();
            let problem = match verdict {
                Verdict::Kept => {
                    judged += 1;
                    continue;
                }
                Verdict::Broken(breach) => format!("{}: {}", case.origin, breach.actual),
                Verdict::Skipped(why) => format!("{}: skipped: {why}", case.origin),
            };
            // Printed at once, because a run can be long.
            println!("{problem}");
            wrong.push(problem);
        }
    }
    println!("{judged} programs, {lines} lines in total");
    let first: Vec<&str> = wrong.iter().take(5).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} programs differ: {}", wrong.len(), first.join("\n"));
    assert!(judged * 100 >= count * 98, "only {judged} of {count} tickets gave a program");
}

#[test]
fn all_forms_of_a_program_behave_the_same() {
    let world = world();
    let mir = Mir::sized(Some(60));
    let cases: Vec<Case> = (0..60).filter_map(|index| mir.make(&mir.ticket(9, index))).collect();
    // The first candidate of a reduction is the same program in readable form.
    let readable: Vec<Case> =
        cases.iter().filter_map(|case| mir.smaller(case).flatten().next()).collect();
    assert!(readable.iter().all(|case| case.programs[0].source.contains("mir! {")));
    for (case, verdict) in readable.iter().zip(world.verdicts(&readable)) {
        assert!(matches!(verdict, Verdict::Kept), "{}: {verdict:?}", case.origin);
    }
    let plain: Vec<Case> = cases.iter().flat_map(|case| mir.restatements(case)).collect();
    assert!(plain.iter().all(|case| !case.programs[0].source.contains("custom_mir")));
    let mut kept = 0;
    for (case, verdict) in plain.iter().zip(world.verdicts(&plain)) {
        match verdict {
            Verdict::Kept => kept += 1,
            // The borrow checker may reject the program.
            Verdict::Broken(breach) if breach.kind == BreachKind::Rejection => {}
            other => panic!("{}: {other:?}", case.origin),
        }
    }
    assert!(kept >= 5, "only {kept} of {} programs can be restated in plain Rust", cases.len());
}
