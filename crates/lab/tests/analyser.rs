//! Targets that do not run programs: an analyser, whose answers must not contradict each other, and a translation
//! validator, which checks for all inputs whether the compiler's output refines its input.

#![expect(clippy::unwrap_used, reason = "this is all test code")]

mod hunting;

use std::collections::BTreeMap;
use std::sync::Arc;

use forge::{
    Candidates, Case, Check, Entropy, Excess, Input, Interface, Language, Method, Model,
    Observation, Origin, Outcome, Program, Promise, Ticket,
};
use lab::campaign::Line;
use lab::event::Summary;
use lab::finding::{Finding, Progress};
use lab::setting::Setting;
use lab::target::{
    Attempt, Batch, Bench, ByHand, Reads, Schedule, Seen, Spec, Target, TargetName, Unusable,
};
use lab::verdict::BreachKind;

const CASES: u64 = 60;
const OPERATIONS: [&str; 5] = ["add", "mul", "shl", "div", "neg"];

/// Programs of operations on one variable, one operation per line. The first line names the variable.
struct Operations(Promise);

impl Operations {
    fn case(&self, origin: Origin, source: String) -> Case {
        Case {
            origin,
            programs: vec![Program {
                name: "base".to_owned(),
                language: self.language(),
                interface: self.interface(),
                source,
            }],
            inputs: vec![Input::default()],
            promise: self.0.clone(),
            trail: vec![],
            model: Model::absent(),
        }
    }
}

impl Method for Operations {
    fn name(&self) -> &str {
        "operations"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn summary(&self) -> &str {
        "a few operations"
    }

    fn language(&self) -> Language {
        Language::new("operations")
    }

    fn interface(&self) -> Interface {
        Interface::Module
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        let mut entropy = Entropy::of(ticket);
        let mut source = format!("x{}\n", entropy.below(100));
        for _ in 0..entropy.between(1, 6) {
            source.push_str(entropy.pick(&OPERATIONS)?);
            source.push('\n');
        }
        Some(self.case(ticket.clone().into(), source))
    }

    /// The program without one of its operations.
    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let lines: Vec<&str> = case.programs[0].source.lines().collect();
        Box::new((1..lines.len()).map(move |left_out| {
            let kept = lines.iter().enumerate().filter(|(at, _)| *at != left_out);
            let source = kept.map(|(_, line)| format!("{line}\n")).collect();
            Some(self.case(case.origin.clone(), source))
        }))
    }
}

fn has(program: &Program, operation: &str) -> bool {
    program.source.lines().any(|line| line == operation)
}

/// The operations of the reduced program of a finding.
fn left(finding: &Finding) -> Vec<&str> {
    let mut left: Vec<&str> = finding.best().case.programs[0].source.lines().skip(1).collect();
    left.sort_unstable();
    left
}

type Answer = fn(&Program, &Setting) -> Outcome;

/// A target that is a function in the test.
struct Inline {
    spec: Spec,
    answer: Answer,
}

impl Inline {
    /// A target with one option, whose first value is the reference.
    fn new(option: &str, values: &[&str], answer: Answer) -> Self {
        let setting = |value: &&str| Setting::of(vec![(option.to_owned(), (*value).to_owned())]);
        let spec = Spec {
            name: TargetName::new("inline", None),
            reads: vec![Reads::new("operations", Interface::Module, Batch::of(4))],
            settings: values.iter().map(setting).collect(),
            occasional: vec![],
            schedule: Schedule::All,
        };
        Self { spec, answer }
    }

    /// The same target with rotating settings.
    fn rotating(mut self) -> Self {
        self.spec.schedule = Schedule::all_but_reference(&self.spec.settings);
        self
    }
}

impl Target for Inline {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, _bench: &Bench) -> Attempt {
        let see = |case: &&Case| {
            let outcome = (self.answer)(&case.programs[0], setting);
            let setting = setting.name.clone();
            Seen::from(vec![Observation { program: 0, setting, input: None, outcome }])
        };
        Attempt::Each(cases.iter().map(see).collect())
    }

    fn by_hand(&self, program: &Program, _input: &Input, setting: &Setting) -> ByHand {
        let compile = vec!["inline".to_owned(), setting.name.clone(), program.file_name()];
        ByHand::Steps { compile, run: None }
    }

    fn probe(&self, _program: Option<&Program>, _bench: &Bench) -> Result<String, Unusable> {
        Ok("inline 1".to_owned())
    }
}

fn hunt(promise: Promise, target: Inline, folder: &tempfile::TempDir) -> Summary {
    let line = Line::drawn(Arc::new(Operations(promise)), vec![Arc::new(target)]);
    hunting::hunt(line, CASES, folder.path())
}

/// How many of the programs of a hunt satisfy a predicate.
fn count(is: impl Fn(&Program) -> bool) -> u64 {
    let method = Operations(Promise::Refines);
    let cases = (0..CASES).filter_map(|index| method.make(&method.ticket(1, index)));
    cases.filter(|case| is(&case.programs[0])).count() as u64
}

/// An analyser's answer to whether the variable can be negative; `None` if it does not decide.
fn analysed(program: &Program, negative: Option<bool>) -> Outcome {
    let variable = program.source.lines().next().unwrap();
    let statement = format!("{variable} can be negative");
    Outcome::Analysed(BTreeMap::from_iter(negative.map(|holds| (statement, holds))))
}

/// The interval domain cannot decide programs with a multiplication; the other domains can.
fn correct_analyser(program: &Program, setting: &Setting) -> Outcome {
    let decides = setting.value("domain") != Some("interval") || !has(program, "mul");
    analysed(program, decides.then(|| has(program, "neg")))
}

/// The octagon domain forgets a negation if there is a shift.
fn wrong_analyser(program: &Program, setting: &Setting) -> Outcome {
    let is_wrong = setting.value("domain") == Some("octagon") && has(program, "shl");
    if is_wrong { analysed(program, Some(false)) } else { correct_analyser(program, setting) }
}

/// The same, but the interval domain decides nothing: only the two other domains contradict each other.
fn wrong_analyser_with_a_silent_reference(program: &Program, setting: &Setting) -> Outcome {
    match setting.value("domain") {
        Some("interval") => analysed(program, None),
        _ => wrong_analyser(program, setting),
    }
}

fn analyser(answer: Answer) -> Inline {
    Inline::new("domain", &["interval", "octagon", "polyhedra"], answer)
}

/// Checks that there is one finding: a contradiction, reduced to the two operations that cause it, with a report.
#[track_caller]
fn contradiction_is_found_reduced_and_reported(target: Inline) {
    let folder = tempfile::tempdir().unwrap();
    let summary = hunt(Promise::Consistent, target, &folder);
    assert_eq!(summary.flaky, []);
    // The variable has a different name in each program, but it is the same bug.
    let [finding] = summary.findings.as_slice() else { panic!("{:#?}", summary.findings) };
    assert_eq!(finding.signature.kind, BreachKind::Contradiction);
    assert_eq!(finding.progress, Progress::Complete);
    assert!(finding.sightings >= 2, "{}", finding.sightings);
    assert_eq!(left(finding), ["neg", "shl"]);
    let report = hunting::file(folder.path(), finding, "report.md");
    for part in ["contradiction", "can be negative: yes", "can be negative: no", "neg\n", "shl\n"] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
    // The steps to reproduce use both contradicting settings.
    let steps = report.split_once("To reproduce:").unwrap().1.split_once("## ").unwrap().0;
    assert_eq!(steps.matches("inline domain=").count(), 2, "{steps}");
    assert!(steps.contains("inline domain=octagon base.operations"), "{steps}");
}

#[test]
fn a_contradiction_to_the_reference_is_found_reduced_and_reported() {
    contradiction_is_found_reduced_and_reported(analyser(wrong_analyser));
}

#[test]
fn a_contradiction_to_the_reference_is_found_with_rotating_settings() {
    contradiction_is_found_reduced_and_reported(analyser(wrong_analyser).rotating());
}

#[test]
fn a_contradiction_between_two_non_reference_settings_is_found() {
    let target = analyser(wrong_analyser_with_a_silent_reference);
    contradiction_is_found_reduced_and_reported(target);
}

#[test]
fn a_correct_analyser_with_undecided_statements_gives_no_findings() {
    assert!(count(|program| has(program, "mul")) > 10);
    let folder = tempfile::tempdir().unwrap();
    let summary = hunt(Promise::Consistent, analyser(correct_analyser), &folder);
    assert_eq!((summary.findings, summary.flaky), (vec![], vec![]));
    assert_eq!((summary.tally.kept, summary.tally.skipped), (CASES, 0));
}

#[test]
fn an_analyser_that_decides_nothing_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let silent = analyser(|program, _| analysed(program, None));
    let summary = hunt(Promise::Consistent, silent, &folder);
    assert_eq!(summary.findings, []);
    assert_eq!(summary.skipped, [("the analyser decided nothing".to_owned(), CASES)]);
}

/// A validator of a correct compiler. It cannot decide programs with a division.
fn correct_validator(program: &Program, _setting: &Setting) -> Outcome {
    Outcome::Checked(if has(program, "div") {
        Check::Unknown { why: "the solver timed out".to_owned() }
    } else {
        Check::Holds
    })
}

/// A validator of a compiler that miscompiles programs with a shift and a multiplication at the higher level.
fn validator_of_wrong_compiler(program: &Program, setting: &Setting) -> Outcome {
    let is_wrong = setting.value("opt") == Some("2") && has(program, "shl") && has(program, "mul");
    if is_wrong {
        let counterexample = "x = 7 gives 1, not 3".to_owned();
        Outcome::Checked(Check::Fails { excess: Excess::Wrong, counterexample, optimised: None })
    } else {
        correct_validator(program, setting)
    }
}

fn validator(answer: Answer) -> Inline {
    Inline::new("opt", &["0", "2"], answer)
}

#[test]
fn a_failed_refinement_is_found_reduced_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let summary = hunt(Promise::Refines, validator(validator_of_wrong_compiler), &folder);
    assert_eq!(summary.flaky, []);
    let [finding] = summary.findings.as_slice() else { panic!("{:#?}", summary.findings) };
    assert_eq!(finding.signature.kind, BreachKind::Miscompilation);
    assert_eq!(finding.best().case.promise, Promise::Refines);
    assert_eq!(finding.progress, Progress::Complete);
    assert!(finding.sightings >= 2, "{}", finding.sightings);
    assert_eq!(left(finding), ["mul", "shl"]);
    assert_eq!(finding.best().breach.settings, ["opt=2"]);
    let report = hunting::file(folder.path(), finding, "report.md");
    for part in ["does not refine its source", "x = 7 gives 1, not 3", "Settings that do not"] {
        assert!(report.contains(part), "{part} is not in\n{report}");
    }
}

#[test]
fn an_undecided_refinement_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let summary = hunt(Promise::Refines, validator(correct_validator), &folder);
    assert_eq!((summary.findings, summary.flaky), (vec![], vec![]));
    let undecided = count(|program| has(program, "div"));
    assert!(undecided > 10 && undecided < CASES);
    let why = "refinement not decided: the solver timed out".to_owned();
    assert_eq!(summary.skipped, [(why, undecided)]);
    assert_eq!((summary.tally.kept, summary.tally.skipped), (CASES - undecided, undecided));
}
