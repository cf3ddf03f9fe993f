//! Which pass is to blame, alone or with others, and how a reduction changes that.

use forge::{Behaviour, Case, Method as _, Program, Promise, Ticket};
use lab::culprit::{self, Culprit};
use lab::finding::Exhibit;
use lab::stop::Stop;
use lab::target::PassId;
use lab::triage::locate::locate;
use lab::triage::reduce::{Goal, ReductionEnd, reduce};
use smoke::Smoke;

use crate::cases::{Right, with_both};
use crate::inline::{chained, count, examiner, passing};

/// The names of passes, in their order.
fn names(passes: &[PassId]) -> String {
    passes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + ")
}

#[test]
fn a_pass_is_blamed_alone_with_its_required_passes_or_by_the_verifier() {
    let folder = tempfile::tempdir().unwrap();
    let blamed = |wrong, broken| {
        let examiner = examiner(chained(wrong, broken), &folder);
        let case = Smoke::toy().make(&Ticket::new("smoke-toy", 1, 0)).unwrap();
        let expected = Promise::Yields(vec![Behaviour::Value("right".into())]);
        let case = Case { promise: expected, inputs: case.inputs[..1].to_vec(), ..case };
        let exhibit = examiner.exhibit(&case, &examiner.target.spec().settings).expect("it fails");
        let Culprit::Pass(pass) = locate(&examiner, &exhibit).remove(0) else { panic!("no pass") };
        (names(&pass.blamed()), pass.exposed_by.map(|by| by.to_string()))
    };
    let plain = |name: &str| (name.to_owned(), None);
    assert_eq!(blamed(&["third"], None), plain("third"));
    // A pass that fails alone is blamed, whatever the verifier reports about others.
    assert_eq!(blamed(&["third"], Some("first")), plain("third"));
    assert_eq!(blamed(&["first", "third"], None), plain("first + third"));
    let shown = ("first".to_owned(), Some("third".to_owned()));
    assert_eq!(blamed(&["first", "third"], Some("first")), shown);
    // The verifier rejects something unrelated to the failure.
    assert_eq!(blamed(&["first", "third"], Some("second")), plain("first + third"));
    assert_eq!(blamed(&["first", "second", "third"], None), plain("first + second + third"));
}

#[test]
fn a_pass_that_fails_alone_after_one_edit_is_blamed_alone() {
    // The third pass miscompiles `xor`, but in programs that also have `mul`, only after the first.
    reduction_ends_with_blame_on("third", |program, runs| {
        let hidden = count(program, "mul") > 0 && !runs("first");
        runs("third") && count(program, "xor") > 0 && !hidden
    });
    // The first pass does, but in programs that also have `mul`, that shows only after the third.
    reduction_ends_with_blame_on("first", |program, runs| {
        let hidden = count(program, "mul") > 0 && !runs("third");
        runs("first") && count(program, "xor") > 0 && !hidden
    });
}

/// Reduces a failure that needs the first and the third pass, until one of them is the culprit.
fn reduction_ends_with_blame_on(
    pass: &str,
    wrong: impl Fn(&Program, &dyn Fn(&str) -> bool) -> bool + Send + Sync + 'static,
) {
    let folder = tempfile::tempdir().unwrap();
    let examiner = examiner(passing(wrong, None), &folder);
    let start = examiner.exhibit(&with_both(), &examiner.target.spec().settings).expect("it fails");
    let blamed = |exhibit: &Exhibit| names(&culprit::blamed(&locate(&examiner, exhibit)));
    assert_eq!(blamed(&start), "first + third");
    let signature = examiner.sign(&start.case, &start.breach);
    let method = Right(Smoke::toy());
    let (third, needed) = (PassId::new("third"), [PassId::new("first")]);
    let goal = Goal {
        method: &method,
        examiner: &examiner,
        signature: &signature,
        pass: Some(&third),
        with: &needed,
        jobs: 1,
        cursor: 0,
        deadline: None,
    };
    let mut seen = vec![];
    let end = reduce(&goal, start, &Stop::default(), |_, exhibit| {
        let program = &exhibit.case.programs[0];
        seen.push((count(program, "xor"), count(program, "mul")));
        Ok::<(), ()>(())
    })
    .unwrap();
    assert_eq!(end.ended, ReductionEnd::Finished);
    // Only after everything else was removed.
    assert!(seen.contains(&(1, 1)), "{seen:?}");
    assert_eq!(seen.last(), Some(&(1, 0)));
    assert_eq!(blamed(&end.exhibit), pass);
}
