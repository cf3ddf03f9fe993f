//! Binaryen as it is: programs over integers and their proven mutants do what the model says, a known bug is
//! seen and its pass is named, and failures are told apart. `MISTRUST_EXPRESSIONS=20000` makes it a long run.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;
mod judging;

use forge::{Behaviour, Case, Input, Language, Outcome, Program, Promise, Ticket};
use lab::setting::Setting;
use lab::target::binaryen::BinaryenTarget;
use lab::target::{Attempt, Target};
use lab::verdict::Verdict;

use judging::{all_is_well, bench, count, judged, settings};

fn binaryen(version: &str) -> Option<BinaryenTarget> {
    let folder = installed::toolchain("binaryen", version)?.folder().to_owned();
    Some(BinaryenTarget::new(version, folder))
}

#[test]
fn binaryen_does_what_the_model_says() {
    let Some(target) = binaryen("132.0.0") else { return };
    all_is_well(&target, &settings(&target), count(840), |_| false);
}

/// Its optimiser has bugs, but what it reads and emits unchanged is what the model says.
#[test]
fn an_old_binaryen_reads_and_emits_what_the_model_says() {
    let Some(target) = binaryen("98.0.0") else { return };
    let settings = [target.setting("none").unwrap(), target.setting("text").unwrap()];
    all_is_well(&target, &settings, count(120), |_| false);
}

/// A case by hand.
fn case(body: &str, argument: &str, expected: &str) -> Case {
    let source = format!(
        ";; judged(u32) -> u32\n(module\n(func $judged (export \"judged\") (param $a0 i32) (result i32)\n    \
         {body})\n)\n"
    );
    let language = Language::new("wasm");
    Case {
        ticket: Ticket::new("text", 0, 0),
        programs: vec![Program { name: "base".to_owned(), language, source }],
        inputs: vec![Input { arguments: vec![argument.to_owned()], ..Input::default() }],
        promise: Promise::Yields(vec![Behaviour::Value(expected.to_owned())]),
        trail: vec![],
        model: None,
    }
}

/// https://github.com/WebAssembly/binaryen/issues/3362: a sign extension that is extended again, and shifted
/// besides, loses the shift.
#[test]
fn the_shift_bug_of_an_old_binaryen_is_seen_and_its_pass_is_named() {
    let Some(target) = binaryen("98.0.0") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let signed = "(i32.shr_s (i32.shl (local.get $a0) (i32.const 24)) (i32.const 24))";
    let body = format!("(i32.shr_s (i32.shl {signed} (i32.const 30)) (i32.const 24))");
    let cases = [case(&body, "65419", "4294967232")];
    let broken = |setting: &Setting| {
        matches!(judged(&target, &cases, setting, &bench)[0], Verdict::Broken(_))
    };
    let setting = target.setting("O2").unwrap().clone();
    assert!(broken(&setting));
    let axis = &target.axes(&cases[0], &setting, &bench)[0];
    let first = axis.points.iter().find(|point| broken(&point.setting)).unwrap();
    assert_eq!(first.label, "optimize-instructions");
    assert!(broken(target.alone("optimize-instructions").unwrap()));
    let last = &axis.points.last().unwrap().setting;
    assert!(!broken(&target.without(last, "optimize-instructions").unwrap()));
}

#[test]
fn a_wrong_expectation_is_a_broken_promise() {
    let Some(target) = binaryen("98.0.0") else { return };
    let root = tempfile::tempdir().unwrap();
    let sum = "(i32.add (local.get $a0) (i32.const 1))";
    let zero = "(i32.div_u (i32.const 1) (local.get $a0))";
    let mut all = vec![case(sum, "1", "2"), case(sum, "1", "3"), case(zero, "0", "0")];
    let trap = Behaviour::Trap { code: "integer divide by zero".to_owned(), output: String::new() };
    all.push(Case { promise: Promise::Yields(vec![trap]), ..case(zero, "0", "") });
    let verdicts = judged(&target, &all, target.setting("O1").unwrap(), &bench(&root));
    let broken = verdicts.iter().map(|it| matches!(it, Verdict::Broken(_))).collect::<Vec<_>>();
    assert_eq!(broken, [false, true, true, false], "{verdicts:?}");
}

#[test]
fn what_is_wrong_with_a_module_is_told_apart() {
    let Some(target) = binaryen("98.0.0") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let text = target.setting("text").unwrap();
    let together = |body: &str, setting: &Setting| match target.attempt(
        &[&case(body, "1", "1")],
        setting,
        &bench,
    ) {
        Attempt::Together(outcome) => outcome,
        other => panic!("{other:?}"),
    };
    let unknown = together("(i32.nonsense)", text);
    assert!(matches!(unknown, Outcome::Rejected { .. }), "{unknown}");
    let invalid = together("(i64.const 0)", text);
    assert!(matches!(invalid, Outcome::Rejected { .. }), "{invalid}");
    // The host has ended the library that was confused, and goes on with a new one.
    let missing = text.with("passes", "heap2local");
    let unknown = together("(i32.const 1)", &missing);
    assert!(matches!(unknown, Outcome::Unobserved { .. }), "{unknown}");
    let fine = judged(&target, &[case("(i32.const 1)", "1", "1")], text, &bench);
    assert_eq!(fine, [Verdict::Kept]);
}
