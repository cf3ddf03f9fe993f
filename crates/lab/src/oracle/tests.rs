//! Each oracle on hand-written observations: what breaks a promise, what keeps it and what decides nothing.

use std::collections::BTreeMap;

use forge::{
    Check, Excess, Input, Interface, Language, Model, Program, Reason, Resource, Stage, Ticket,
};

use super::*;

fn case(promise: Promise, programs: usize, inputs: usize) -> Case {
    let program = Program {
        name: "p".into(),
        language: Language::new("c"),
        interface: Interface::Program,
        source: String::new(),
    };
    Case {
        origin: Ticket::new("smoke-c", 1, 2).into(),
        programs: vec![program; programs],
        inputs: vec![Input::default(); inputs],
        promise,
        trail: vec![],
        model: Model::absent(),
    }
}

fn seen(program: usize, setting: &str, input: usize, outcome: Outcome) -> Observation {
    Observation { program, setting: setting.into(), input: Some(input), outcome }
}

fn value(text: &str) -> Behaviour {
    Behaviour::Value(text.into())
}

fn ran(text: &str) -> Outcome {
    Outcome::Ran(value(text))
}

fn rejected() -> Outcome {
    Outcome::Rejected { message: "no".into() }
}

fn crashed() -> Outcome {
    Outcome::Crashed { signal: Some(11), message: "boom".into(), frames: vec!["f".into()] }
}

fn promises() -> Vec<Promise> {
    vec![
        Promise::Survives,
        Promise::Compiles,
        Promise::Yields(vec![value("1")]),
        Promise::Agrees,
        Promise::Equivalent,
    ]
}

fn kind(case: &Case, observations: &[Observation]) -> Option<BreachKind> {
    match judge(case, observations) {
        Verdict::Broken(breach) => Some(breach.kind),
        _ => None,
    }
}

#[test]
fn a_correct_compiler_keeps_every_promise() {
    let observations: Vec<Observation> = ["0", "1"]
        .iter()
        .flat_map(|s| [seen(0, s, 0, ran("1")), seen(1, s, 0, ran("1"))])
        .collect();
    for promise in promises() {
        assert_eq!(judge(&case(promise, 2, 1), &observations), Verdict::Kept);
    }
}

#[test]
fn crash_hang_exhaustion_and_missing_output_break_every_promise() {
    let failures = [
        (crashed(), BreachKind::Crash),
        (Outcome::Hung { stage: Stage::Compile, seconds: 3 }, BreachKind::Hang),
        (
            Outcome::Exhausted { stage: Stage::Compile, resource: Resource::Memory },
            BreachKind::Exhaustion,
        ),
        (Outcome::NoArtifact, BreachKind::NoArtifact),
    ];
    for promise in promises() {
        for (failure, expected) in &failures {
            let observations = [seen(0, "0", 0, ran("1")), seen(0, "1", 0, failure.clone())];
            assert_eq!(kind(&case(promise.clone(), 1, 1), &observations), Some(*expected));
        }
    }
}

#[test]
fn a_breach_lists_every_failing_setting() {
    let observations =
        [seen(0, "0", 0, ran("1")), seen(0, "1", 0, crashed()), seen(0, "2", 0, crashed())];
    let Verdict::Broken(breach) = judge(&case(Promise::Survives, 1, 1), &observations) else {
        panic!("the crash is a breach");
    };
    assert_eq!((breach.setting.as_str(), breach.settings), ("1", vec!["1".into(), "2".into()]));
    assert_eq!((breach.message.as_str(), breach.frames), ("boom", vec!["f".into()]));
}

#[test]
fn a_rejection_is_a_breach_if_the_program_is_valid_or_another_setting_accepts_it() {
    let everywhere = [seen(0, "0", 0, rejected()), seen(0, "1", 0, rejected())];
    let somewhere = [seen(0, "0", 0, ran("1")), seen(0, "1", 0, rejected())];
    let rejection = Some(BreachKind::Rejection);
    assert_eq!(kind(&case(Promise::Survives, 1, 1), &somewhere), None);
    assert_eq!(kind(&case(Promise::Compiles, 1, 1), &everywhere), rejection);
    assert_eq!(kind(&case(Promise::Yields(vec![value("1")]), 1, 1), &everywhere), rejection);
    assert_eq!(kind(&case(Promise::Agrees, 1, 1), &somewhere), rejection);
    let verdict = judge(&case(Promise::Agrees, 1, 1), &everywhere);
    assert_eq!(verdict, Verdict::Skipped(undecided("rejected under every setting")));
}

#[test]
fn rejecting_only_the_variant_breaks_equivalence_and_rejecting_both_is_undecided() {
    let one = [seen(0, "0", 0, ran("1")), seen(1, "0", 0, rejected())];
    let both = [seen(0, "0", 0, rejected()), seen(1, "0", 0, rejected())];
    let case = case(Promise::Equivalent, 2, 1);
    assert_eq!(kind(&case, &one), Some(BreachKind::Rejection));
    assert_eq!(judge(&case, &both), Verdict::Skipped(undecided("every program is rejected")));
}

#[test]
fn a_wrong_value_is_attributed_to_its_setting_and_input() {
    let promise = Promise::Yields(vec![value("1"), value("2")]);
    let observations = [
        seen(0, "0", 0, ran("1")),
        seen(0, "0", 1, ran("2")),
        seen(0, "2", 0, ran("1")),
        seen(0, "2", 1, ran("3")),
    ];
    let Verdict::Broken(breach) = judge(&case(promise, 1, 2), &observations) else {
        panic!("3 is not 2");
    };
    assert_eq!((breach.setting.as_str(), breach.input), ("2", Some(1)));
    assert_eq!((breach.expected.as_deref(), breach.actual.as_str()), (Some("2"), "3"));
    assert_eq!(breach.message, "a wrong value");
}

#[test]
fn traps_are_compared_like_values() {
    let trap = |code: &str| Behaviour::Trap { code: code.into(), output: String::new() };
    let yields = |expected, actual| {
        let case = case(Promise::Yields(vec![expected]), 1, 1);
        match judge(&case, &[seen(0, "0", 0, Outcome::Ran(actual))]) {
            Verdict::Broken(breach) => breach.message,
            other => format!("{other:?}"),
        }
    };
    assert_eq!(yields(trap("exit 4"), trap("exit 4")), "Kept");
    assert_eq!(yields(trap("exit 4"), trap("SIGSEGV")), "SIGSEGV instead of exit 4");
    assert_eq!(yields(trap("exit 4"), value("")), "a value instead of exit 4");
    assert_eq!(yields(value(""), trap("exit 4")), "exit 4 instead of a value");
}

#[test]
fn a_timeout_at_run_time_is_a_breach_only_if_the_behaviour_is_known() {
    let hung = Outcome::Hung { stage: Stage::Run, seconds: 9 };
    let observations = [seen(0, "0", 0, ran("1")), seen(0, "1", 0, hung)];
    let yields = case(Promise::Yields(vec![value("1")]), 1, 1);
    assert_eq!(kind(&yields, &observations), Some(BreachKind::Hang));
    for promise in [Promise::Survives, Promise::Compiles, Promise::Agrees, Promise::Equivalent] {
        assert_eq!(kind(&case(promise, 1, 1), &observations), None);
    }
}

#[test]
fn differing_settings_break_agreement_and_differing_programs_break_equivalence() {
    let by_setting = [seen(0, "0", 0, ran("1")), seen(0, "1", 0, ran("2"))];
    let by_program = [seen(0, "0", 0, ran("1")), seen(1, "0", 0, ran("2"))];
    let miscompilation = Some(BreachKind::Miscompilation);
    assert_eq!(kind(&case(Promise::Agrees, 1, 1), &by_setting), miscompilation);
    assert_eq!(kind(&case(Promise::Equivalent, 1, 1), &by_setting), None);
    assert_eq!(kind(&case(Promise::Equivalent, 2, 1), &by_program), miscompilation);
}

#[test]
fn an_unobserved_case_is_skipped_but_hides_no_breach() {
    let reason = Reason::Environment("no disk".into());
    let unobserved = Outcome::Unobserved(reason.clone());
    for promise in promises() {
        let case = case(promise, 1, 1);
        let skipped = judge(&case, &[seen(0, "0", 0, unobserved.clone())]);
        assert_eq!(
            skipped,
            Verdict::Skipped(Skipped::Unobserved(reason.clone())),
            "{}",
            case.promise
        );
        assert!(matches!(judge(&case, &[]), Verdict::Skipped(_)));
        let both = [seen(0, "0", 0, unobserved.clone()), seen(0, "1", 0, crashed())];
        assert_eq!(kind(&case, &both), Some(BreachKind::Crash));
    }
}

#[test]
fn a_target_that_runs_nothing_cannot_break_promises_about_behaviour() {
    let accepted = [seen(0, "0", 0, Outcome::Accepted), seen(0, "1", 0, Outcome::Accepted)];
    let yields = case(Promise::Yields(vec![value("1")]), 1, 1);
    assert!(matches!(judge(&yields, &accepted), Verdict::Skipped(_)));
    assert_eq!(judge(&case(Promise::Compiles, 1, 1), &accepted), Verdict::Kept);
}

fn checked(check: Check) -> Outcome {
    Outcome::Checked(check)
}

#[test]
fn refinement_holds_fails_or_is_undecided() {
    let case = case(Promise::Refines, 1, 1);
    let fails = checked(Check::Fails {
        excess: Excess::Undefined,
        counterexample: "%x = poison".into(),
        optimised: None,
    });
    let unknown = checked(Check::Unknown { why: "a loop".into() });
    let holds = || seen(0, "O2", 0, checked(Check::Holds));
    assert_eq!(judge(&case, &[holds()]), Verdict::Kept);
    let verdict = judge(&case, &[holds(), seen(0, "O3", 0, unknown.clone())]);
    assert_eq!(verdict, Verdict::Skipped(undecided("refinement not decided: a loop")));
    let Verdict::Broken(breach) =
        judge(&case, &[seen(0, "O1", 0, unknown), holds(), seen(0, "O3", 0, fails)])
    else {
        panic!("a counterexample breaks the promise")
    };
    assert_eq!((breach.kind, breach.setting.as_str()), (BreachKind::Miscompilation, "O3"));
    assert_eq!(breach.actual, "%x = poison");
    assert_eq!(kind(&case, &[seen(0, "O1", 0, rejected())]), Some(BreachKind::Rejection));
    assert_eq!(kind(&case, &[seen(0, "O1", 0, crashed())]), Some(BreachKind::Crash));
}

#[test]
fn an_analyser_may_not_contradict_itself() {
    let case = case(Promise::Consistent, 2, 1);
    let says = |program, setting: &str, facts: &[(&str, bool)]| {
        let facts: BTreeMap<String, bool> =
            facts.iter().map(|(what, holds)| ((*what).to_owned(), *holds)).collect();
        seen(program, setting, 0, Outcome::Analysed(facts))
    };
    let consistent =
        [says(0, "fast", &[("a", true)]), says(1, "deep", &[("a", true), ("b", false)])];
    assert_eq!(judge(&case, &consistent), Verdict::Kept);
    let contradicting = [says(0, "fast", &[("a", true)]), says(1, "deep", &[("a", false)])];
    let Verdict::Broken(breach) = judge(&case, &contradicting) else { panic!("a contradiction") };
    assert_eq!((breach.kind, breach.setting.as_str()), (BreachKind::Contradiction, "deep"));
    assert_eq!(breach.expected.as_deref(), Some("a: yes (under fast)"));
    assert!(matches!(judge(&case, &[says(0, "fast", &[])]), Verdict::Skipped(_)));
    assert_eq!(kind(&case, &[seen(0, "fast", 0, crashed())]), Some(BreachKind::Crash));
}

#[test]
fn an_invalid_program_must_be_rejected_under_every_setting() {
    let mut case = case(Promise::Rejects, 1, 1);
    case.trail = vec!["`f` is private and is overridden".to_owned()];
    let rejects = || seen(0, "O0", 0, rejected());
    assert_eq!(judge(&case, &[rejects()]), Verdict::Kept);
    for accepted in [Outcome::Accepted, ran("1"), Outcome::Hung { stage: Stage::Run, seconds: 9 }] {
        let Verdict::Broken(breach) = judge(&case, &[rejects(), seen(0, "O1", 0, accepted)]) else {
            panic!("an invalid program was accepted");
        };
        assert_eq!((breach.kind, breach.setting.as_str()), (BreachKind::Acceptance, "O1"));
        assert_eq!(breach.message, "accepted although `f` is private and is overridden");
        assert_eq!(breach.input, None);
    }
    let hung = Outcome::Hung { stage: Stage::Compile, seconds: 9 };
    for (failure, expected) in [(crashed(), BreachKind::Crash), (hung, BreachKind::Hang)] {
        assert_eq!(kind(&case, &[rejects(), seen(0, "O1", 0, failure)]), Some(expected));
    }
    let unobserved = Outcome::unobserved("no disk");
    assert!(matches!(judge(&case, &[seen(0, "O0", 0, unobserved)]), Verdict::Skipped(_)));
}
