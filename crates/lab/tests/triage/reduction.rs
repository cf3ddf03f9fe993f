//! Tests of reduction: its result, that it does not slide to another bug, and its time limits.

use std::sync::Arc;

use forge::{Method as _, Outcome, Program, Ticket};
use lab::culprit;
use lab::exec::Limits;
use lab::finding::{Exhibit, Step};
use lab::setting::Setting;
use lab::stop::Stop;
use lab::target::{PassId, Target};
use lab::triage::examiner::Examiner;
use lab::triage::locate::locate;
use lab::triage::reduce::{Goal, Reduction, ReductionEnd, reduce};
use smoke::Smoke;

use crate::cases::{Right, with_both};
use crate::inline::{Inline, bench, count, crashes_on_two_xors, examiner, limit, value};

/// The first case with this promise that the target fails on.
fn failing(examiner: &Examiner, promise: &str) -> Exhibit {
    (0..500)
        .filter_map(|index| Smoke::toy().make(&Ticket::new("smoke-toy", 1, index)))
        .filter(|case| case.promise.name() == promise)
        .find_map(|case| examiner.exhibit(&case, &examiner.target.spec().settings))
        .expect("some case fails")
}

fn reduce_with(
    examiner: &Examiner,
    start: &Exhibit,
    jobs: usize,
    stop_after: Option<u64>,
) -> (Reduction, Vec<Step>) {
    continue_with(examiner, start, 0, jobs, stop_after)
}

/// Continues a stopped reduction; `cursor` is that of its last step.
fn continue_with(
    examiner: &Examiner,
    start: &Exhibit,
    cursor: usize,
    jobs: usize,
    stop_after: Option<u64>,
) -> (Reduction, Vec<Step>) {
    let signature = examiner.sign(&start.case, &start.breach);
    let culprits = locate(examiner, start);
    let smoke = Smoke::toy();
    let goal = Goal {
        method: &smoke,
        examiner,
        signature: &signature,
        pass: culprit::pass(&culprits).map(|pass| &pass.bad),
        with: &[],
        jobs,
        cursor,
        deadline: None,
    };
    let stop = Stop::default();
    let mut steps = vec![];
    let reduction = reduce(&goal, start.clone(), &stop, |step, _| {
        steps.push(step.clone());
        if stop_after == Some(step.step) {
            stop.set();
        }
        Ok::<(), std::convert::Infallible>(())
    });
    (reduction.unwrap(), steps)
}

#[test]
fn the_result_of_a_reduction_does_not_depend_on_the_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let examiner = examiner(crashes_on_two_xors(), &folder);
    let start = failing(&examiner, "survives");
    let (one, steps) = reduce_with(&examiner, &start, 1, None);
    let (four, _) = reduce_with(&examiner, &start, 4, None);
    assert_eq!([one.ended, four.ended], [ReductionEnd::Finished; 2]);
    assert_eq!(one.exhibit.case, four.exhibit.case);
    let program = &one.exhibit.case.programs[0];
    assert_eq!(count(program, "xor"), 2);
    assert_eq!(program.source.matches('=').count(), 2, "{}", program.source);
    assert_eq!(steps.len() as u64, one.steps);
    assert!(steps.windows(2).all(|pair| pair[0].tries < pair[1].tries));
}

#[test]
fn a_reduction_stopped_after_any_step_resumes_to_the_same_case() {
    let folder = tempfile::tempdir().unwrap();
    let examiner = examiner(crashes_on_two_xors(), &folder);
    let start = failing(&examiner, "survives");
    let (whole, all) = reduce_with(&examiner, &start, 2, None);
    assert!(all.len() > 2);
    for count in 1..all.len() {
        let (stopped, steps) = reduce_with(&examiner, &start, 2, Some(count as u64));
        assert_eq!(stopped.ended, ReductionEnd::Stopped);
        let cursor = steps[count - 1].cursor;
        let (resumed, _) = continue_with(&examiner, &stopped.exhibit, cursor, 2, None);
        assert_eq!(resumed.ended, ReductionEnd::Finished);
        assert_eq!(resumed.exhibit.case, whole.exhibit.case, "stopped after {count} steps");
    }
}

/// The culprit pass.
fn blamed(examiner: &Examiner, exhibit: &Exhibit) -> PassId {
    let culprits = locate(examiner, exhibit);
    culprit::pass(&culprits).expect("a culprit pass").bad.clone()
}

#[test]
fn a_reduction_keeps_the_culprit_pass() {
    // Two passes with different bugs but the same outcome.
    let two_bugs = |program: &Program, setting: &Setting| {
        let first = count(program, "xor") >= 1 && limit(setting) >= 1;
        let second = count(program, "mul") >= 1 && limit(setting) >= 2;
        value(if first || second { "wrong" } else { "right" })
    };
    let mut target = Inline::new(two_bugs);
    target.spec.settings.truncate(1);
    target.passes = Box::new(|_| vec!["one", "two"]);
    let folder = tempfile::tempdir().unwrap();
    let examiner = examiner(target, &folder);
    let start = examiner.exhibit(&with_both(), &examiner.target.spec().settings).expect("it fails");
    let one = PassId::new("one");
    assert_eq!(blamed(&examiner, &start), one);
    let signature = examiner.sign(&start.case, &start.breach);
    let method = Right(Smoke::toy());
    let goal = Goal {
        method: &method,
        examiner: &examiner,
        signature: &signature,
        pass: Some(&one),
        with: &[],
        jobs: 2,
        cursor: 0,
        deadline: None,
    };
    let end = reduce(&goal, start, &Stop::default(), |_, _| Ok::<(), ()>(())).unwrap();
    let program = &end.exhibit.case.programs[0];
    assert_eq!((count(program, "xor"), count(program, "mul")), (1, 0), "{}", program.source);
    assert_eq!(blamed(&examiner, &end.exhibit), one);
}

#[test]
fn the_time_limit_of_candidates_adapts_except_for_hangs() {
    let folder = tempfile::tempdir().unwrap();
    let hangs = |program: &Program, _: &Setting| {
        let hung = Outcome::Hung { stage: forge::Stage::Compile, seconds: 30 };
        if count(program, "xor") >= 1 { hung } else { value("") }
    };
    for (target, adapts) in [(crashes_on_two_xors(), true), (Inline::new(hangs), false)] {
        let target = Arc::new(target);
        let examiner =
            Examiner::new(Arc::clone(&target) as Arc<dyn Target>, bench(&folder), Stop::default());
        let start = failing(&examiner, "survives");
        reduce_with(&examiner, &start, 1, None);
        let walls = target.walls.lock().unwrap();
        let shortest = walls.iter().min().unwrap();
        assert_eq!(*shortest < Limits::default().wall, adapts);
    }
}
