//! Tests with real Binaryen: integer functions and their proven mutants behave as the model predicts, a known bug is found
//! with its pass, and failures are classified. `MISTRUST_EXPRESSIONS=20000` makes it a long run.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;
mod judging;

use forge::{
    Behaviour, Case, Input, Interface, Language, Model, Outcome, Program, Promise, Reason,
    Resource, Stage, Ticket,
};
use lab::setting::Setting;
use lab::target::binaryen::BinaryenTarget;
use lab::target::{Attempt, Axis, PassControl, PassId, Target};
use lab::verdict::Verdict;

use judging::{assert_no_unknown_failures, bench, count, judged, settings};

fn binaryen(version: &str) -> Option<BinaryenTarget> {
    let folder = installed::toolchain("binaryen", version)?.folder().to_owned();
    Some(BinaryenTarget::new(version, folder))
}

#[test]
fn binaryen_agrees_with_the_model() {
    let Some(target) = binaryen("132.0.0") else { return };
    assert_no_unknown_failures(&target, &settings(&target), count(840), |_| false);
}

/// Its optimiser has bugs, but without optimisation the result is correct.
#[test]
fn an_old_binaryen_without_optimisation_agrees_with_the_model() {
    let Some(target) = binaryen("98.0.0") else { return };
    let settings = [target.spec().setting("none").unwrap(), target.spec().setting("text").unwrap()];
    assert_no_unknown_failures(&target, &settings, count(120), |_| false);
}

/// A hand-written case.
fn case(body: &str, argument: &str, expected: &str) -> Case {
    let source = format!(
        ";; judged(u32) -> u32\n(module\n(func $judged (export \"judged\") (param $a0 i32) (result i32)\n    \
         {body})\n)\n"
    );
    let language = Language::new("wasm");
    Case {
        origin: Ticket::new("text", 0, 0).into(),
        programs: vec![Program {
            name: "base".to_owned(),
            language,
            interface: Interface::Function,
            source,
        }],
        inputs: vec![Input { arguments: vec![argument.to_owned()], ..Input::default() }],
        promise: Promise::Yields(vec![Behaviour::Value(expected.to_owned())]),
        trail: vec![],
        model: Model::absent(),
    }
}

/// <https://github.com/WebAssembly/binaryen/issues/3362>: a sign extension that is extended and shifted again loses the
/// shift.
#[test]
fn the_shift_bug_of_an_old_binaryen_is_found_and_located() {
    let Some(target) = binaryen("98.0.0") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let signed = "(i32.shr_s (i32.shl (local.get $a0) (i32.const 24)) (i32.const 24))";
    let body = format!("(i32.shr_s (i32.shl {signed} (i32.const 30)) (i32.const 24))");
    let cases = [case(&body, "65419", "4294967232")];
    let broken = |setting: &Setting| {
        matches!(judged(&target, &cases, setting, &bench)[0], Verdict::Broken(_))
    };
    let setting = target.spec().setting("O2").unwrap().clone();
    assert!(broken(&setting));
    let axis = target.axes(&cases[0], &setting, &bench).remove(0);
    let Axis::Passes(points) = &axis else { panic!("{axis:?}") };
    let first = points.iter().find(|point| broken(&point.setting)).unwrap();
    let pass = PassId::new("optimize-instructions");
    assert_eq!(first.pass, Some(pass.clone()));
    let [alone] = target.alone(&pass).try_into().unwrap();
    assert!(broken(alone));
    let last = &points.last().unwrap().setting;
    assert!(!broken(&target.without(last, &pass).unwrap()));
}

#[test]
fn a_wrong_expectation_is_a_broken_promise() {
    let Some(target) = binaryen("98.0.0") else { return };
    let root = tempfile::tempdir().unwrap();
    let sum = "(i32.add (local.get $a0) (i32.const 1))";
    let zero = "(i32.div_u (i32.const 1) (local.get $a0))";
    let mut all = vec![case(sum, "1", "2"), case(sum, "1", "3"), case(zero, "0", "0")];
    let trap = Behaviour::Trap { code: expression::TRAP.to_owned(), output: String::new() };
    let traps = |body: &str| {
        let promise = Promise::Yields(vec![trap.clone()]);
        Case { promise, ..case(body, "0", "") }
    };
    all.push(traps(zero));
    // Two divisions trap, one by zero and one by overflow. Which comes first is not specified.
    let overflow = "(i32.div_s (i32.const -2147483648) (i32.sub (local.get $a0) (i32.const 1)))";
    all.push(traps(&format!("(i32.xor {zero} {overflow})")));
    all.push(traps(&format!("(i32.xor {overflow} {zero})")));
    let verdicts = judged(&target, &all, target.spec().setting("O1").unwrap(), &bench(&root));
    let broken = verdicts.iter().map(|it| matches!(it, Verdict::Broken(_))).collect::<Vec<_>>();
    assert_eq!(broken, [false, true, true, false, false, false], "{verdicts:?}");
}

#[test]
fn module_errors_are_classified() {
    let Some(target) = binaryen("98.0.0") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let text = target.spec().setting("text").unwrap();
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
    // The host has replaced the crashed process by a new one.
    let missing = text.with("passes", "heap2local");
    let unknown = together("(i32.const 1)", &missing);
    assert!(matches!(unknown, Outcome::Unobserved(Reason::Lacks(_))), "{unknown}");
    let fine = judged(&target, &[case("(i32.const 1)", "1", "1")], text, &bench);
    assert_eq!(fine, [Verdict::Kept]);
}

/// The stack of this version has 64 KiB, of which `precompute` needs 4 for each nested operator. A module has no
/// guard page: without the one of the host, what comes of the overflow differs from try to try.
#[test]
fn a_stack_overflow_is_seen_every_time() {
    let Some(target) = binaryen("111.0.0-nightly.20230111") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let nested = |depth: usize| {
        let term = |inner: String, _| {
            format!("(i32.add {inner} (i32.mul (local.get $a0) (local.get $a0)))")
        };
        let body = (0..depth).fold("(local.get $a0)".to_owned(), term);
        case(&body, "0", "0")
    };
    let setting = target.alone(&PassId::new("precompute"))[0].clone();
    let outcome = |depth: usize| target.attempt(&[&nested(depth)], &setting, &bench);
    let overflow = Outcome::Exhausted { stage: Stage::Compile, resource: Resource::Stack };
    for _ in 0..3 {
        assert_eq!(outcome(40), Attempt::Together(overflow.clone()));
        // Nothing was overwritten: the same module goes on.
        assert_eq!(judged(&target, &[nested(10)], &setting, &bench), [Verdict::Kept]);
    }
    // The least depth that overflows does so every time.
    let least = (10..40).find(|&depth| outcome(depth) == Attempt::Together(overflow.clone()));
    let least = least.unwrap();
    for _ in 0..5 {
        assert_eq!(outcome(least), Attempt::Together(overflow.clone()));
        assert!(matches!(outcome(least - 1), Attempt::Each(_)));
    }
}

#[test]
fn a_stack_that_is_large_enough_does_not_overflow() {
    let Some(target) = binaryen("132.0.0") else { return };
    let root = tempfile::tempdir().unwrap();
    let body = (0..200).fold("(local.get $a0)".to_owned(), |inner, _| {
        format!("(i32.add {inner} (local.get $a0))")
    });
    let setting = target.alone(&PassId::new("precompute"))[0].clone();
    assert_eq!(judged(&target, &[case(&body, "0", "0")], &setting, &bench(&root)), [Verdict::Kept]);
}
