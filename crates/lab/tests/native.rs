//! Programs over integers and their proven mutants, compiled by the real compilers of this machine: all do
//! what the model says. `MISTRUST_EXPRESSIONS=20000` makes it a long run.

#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::time::Duration;

use forge::{Behaviour, Case, Method, Outcome, Promise, Ticket};
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::target::rustc::RustcTarget;
use lab::target::{Bench, Target, gcc};
use lab::{batch, oracle, verdict::Verdict};

fn bench(root: &tempfile::TempDir) -> Bench {
    let runner = Runner::new(root.path().to_owned(), SandboxPolicy::BestEffort).unwrap();
    let limits = Limits { wall: Duration::from_secs(120), ..Limits::default() };
    Bench { runner, compile: limits.clone(), run: limits }
}

fn count() -> u64 {
    std::env::var("MISTRUST_EXPRESSIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

fn cases(method: &dyn Method, from: u64, count: u64) -> Vec<Case> {
    let ticket = |index| Ticket::new(method.name(), 11, index);
    (from..from + count).filter_map(|index| method.make(&ticket(index))).collect()
}

/// Shows so many programs to a target, in turn under each setting.
fn all_is_well(target: &dyn Target, method: &str, count: u64) {
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let method = forge::methods::named(method).unwrap();
    let settings = target.settings();
    for (turn, from) in (0..count).step_by(100).enumerate() {
        let cases = cases(method.as_ref(), from, 100.min(count - from));
        let shown: Vec<&Case> = cases.iter().collect();
        let setting = &settings[turn % settings.len()];
        let seen = batch::observe(target, &shown, std::slice::from_ref(setting), &bench);
        assert!(seen.unexplained.is_empty(), "{:?}", seen.unexplained);
        for (case, observations) in cases.iter().zip(&seen.observations) {
            let verdict = oracle::judge(case, observations);
            let programs: Vec<&str> = case.programs.iter().map(|it| it.source.as_str()).collect();
            assert!(
                matches!(verdict, Verdict::Kept),
                "{} under {}: {verdict:?}\n{}\n{:#?}",
                case.ticket,
                setting.name,
                programs.join("\n"),
                case.trail
            );
        }
    }
}

fn system_gcc() -> lab::target::native::NativeTarget {
    gcc::at(None, std::path::Path::new("gcc"))
}

#[test]
fn gcc_does_what_the_model_says() {
    all_is_well(&system_gcc(), "expression-c", count());
}

#[test]
fn rustc_does_what_the_model_says() {
    let toolchain = lab::target::rustc::find().into_iter().next().unwrap();
    all_is_well(&RustcTarget::new(toolchain), "expression-rust", count());
}

/// A check that cannot fail is worth nothing: what is expected wrongly is found, and no other case with it.
#[test]
fn a_wrong_expectation_is_a_broken_promise() {
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let method = forge::methods::named("expression-c").unwrap();
    let mut cases = cases(method.as_ref(), 0, 5);
    if let Promise::Yields(expected) = &mut cases[3].promise {
        expected[0] = Behaviour::Value("7777777\n".to_owned());
    }
    let shown: Vec<&Case> = cases.iter().collect();
    let target = system_gcc();
    let seen = batch::observe(&target, &shown, &target.settings()[..1], &bench);
    let broken = |index: usize| {
        matches!(oracle::judge(&cases[index], &seen.observations[index]), Verdict::Broken(_))
    };
    assert_eq!((0..5).map(broken).collect::<Vec<_>>(), [false, false, false, true, false]);
}

/// A program that dies takes its own call with it, and no other.
#[test]
fn a_call_that_kills_the_program_is_told_apart() {
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let method = forge::methods::named("expression-c").unwrap();
    let mut cases = cases(method.as_ref(), 0, 3);
    for program in &mut cases[1].programs {
        let is_head = |line: &&str| line.contains(" judged(") && line.ends_with('{');
        let head = format!("{}\n", program.source.lines().find(is_head).unwrap());
        program.source = program.source.replace(&head, &format!("{head}    __builtin_trap();\n"));
    }
    let shown: Vec<&Case> = cases.iter().collect();
    let target = system_gcc();
    let seen = batch::observe(&target, &shown, &target.settings()[..1], &bench);
    for (index, observations) in seen.observations.iter().enumerate() {
        let died = observations.iter().any(|observation| {
            matches!(&observation.outcome, Outcome::Ran(Behaviour::Trap { code, .. }) if code == "SIGILL")
        });
        assert_eq!(died, index == 1, "{observations:?}");
    }
}
