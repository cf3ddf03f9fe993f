//! Crashes without a stable message: corrupted memory and stack overflows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use forge::{
    Candidates, Case, Input, Interface, Language, Method, Model, Outcome, Program, Promise,
    Resource, Stage, Ticket,
};
use lab::event::Event;
use lab::finding::{Finding, Progress};
use lab::setting::Setting;
use lab::stop::Stop;
use lab::triage::reduce::{Goal, ReductionEnd, reduce};
use lab::verdict::BreachKind;

use crate::hunts::{Heard, hunt, hunt_with};
use crate::inline::{Inline, count, crash, examiner, limit, value};

/// A message that differs from all earlier ones.
fn another_message() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::SeqCst).to_string();
    let word: String = number.bytes().map(|digit| char::from(b'a' + digit - b'0')).collect();
    format!("failed at {word}")
}

fn crashes(findings: &[Finding]) -> Vec<&Finding> {
    findings.iter().filter(|it| it.signature.kind == BreachKind::Crash).collect()
}

#[test]
fn a_crash_whose_message_differs_from_try_to_try_is_one_finding() {
    let target = Inline::new(|program, _| match count(program, "xor") {
        0 | 1 => value(""),
        _ => crash(&another_message()),
    });
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt(target, 100, &folder, &heard);
    let [finding] = crashes(&summary.findings)[..] else { panic!("{:?}", summary.findings) };
    assert_eq!(finding.signature.detail, "the message differs from run to run");
    assert!(finding.signature.shape.is_some());
    assert_eq!(finding.progress, Progress::Complete);
    assert!(finding.sightings > 5, "{}", finding.sightings);
    let reduced = &finding.reduced.as_ref().unwrap().case.programs[0];
    assert_eq!(count(reduced, "xor"), 2);
    assert_eq!(reduced.source.matches('=').count(), 2, "{}", reduced.source);
    // None is flaky, and the finding has no message.
    assert!(summary.flaky.is_empty(), "{:?}", summary.flaky);
    assert!(!finding.title().contains("failed at"), "{}", finding.title());
}

#[test]
fn crashes_of_programs_with_different_shapes_are_different_findings() {
    let target = Inline::new(|program, _| {
        let twice = |operator: &str| count(program, operator) >= 2;
        if twice("xor") || twice("mul") { crash(&another_message()) } else { value("") }
    });
    let folder = tempfile::tempdir().unwrap();
    let summary = hunt(target, 300, &folder, &Heard::default());
    let found = crashes(&summary.findings);
    let [one, other] = found[..] else { panic!("{found:?}") };
    assert_ne!(one.signature.shape, other.signature.shape);
    let count = |finding: &Finding, operator| count(&finding.best().case.programs[0], operator);
    let mut counts = [one, other].map(|it| (count(it, "mul"), count(it, "xor")));
    counts.sort_unstable();
    assert_eq!(counts, [(0, 2), (2, 0)]);
}

/// This depth of nested parentheses overflows the stack.
const DEPTH: usize = 17;

fn nesting(program: &Program) -> usize {
    program.source.matches('(').count()
}

/// A program of nested parentheses and further lines.
struct Nested;

impl Nested {
    fn case(ticket: &Ticket, depth: usize, lines: usize) -> Case {
        let nested = format!("{}x{}\n", "(".repeat(depth), ")".repeat(depth));
        let program = Program {
            name: "base".to_owned(),
            language: Language::new("toy"),
            interface: Interface::Program,
            source: nested + &"line\n".repeat(lines),
        };
        Case {
            origin: ticket.clone().into(),
            programs: vec![program],
            inputs: vec![Input::default()],
            promise: Promise::Survives,
            trail: vec![],
            model: Model::absent(),
        }
    }

    fn with(case: &Case, depth: usize, lines: usize) -> Option<Case> {
        let ticket = Ticket::new("nested", 1, case.origin.number());
        Some(Self::case(&ticket, depth, lines))
    }

    fn lines(case: &Case) -> usize {
        case.programs[0].source.matches("line").count()
    }
}

impl Method for Nested {
    fn name(&self) -> &str {
        "nested"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn summary(&self) -> &str {
        ""
    }

    fn language(&self) -> Language {
        Language::new("toy")
    }

    fn interface(&self) -> Interface {
        Interface::Program
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        Some(Self::case(ticket, ticket.index as usize * 7 % 60, 5))
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let (depth, lines) = (nesting(&case.programs[0]), Self::lines(case));
        let fewer = (0..lines).map(move |lines| Self::with(case, depth, lines));
        Box::new(fewer.chain((depth > 0).then(|| Self::with(case, depth - 1, lines))))
    }

    fn shallower<'a>(&'a self, case: &'a Case) -> Candidates<'a> {
        let (depth, lines) = (nesting(&case.programs[0]), Self::lines(case));
        let depths = [1, depth / 2, depth * 3 / 4, depth.saturating_sub(1)];
        let less = depths.into_iter().filter(move |less| *less < depth);
        Box::new(less.map(move |less| Self::with(case, less, lines)))
    }
}

/// A compiler whose second pass overflows the stack on deeply nested programs, with a message that says so.
fn recursive() -> Inline {
    let mut target = Inline::new(|program, setting| match nesting(program) >= DEPTH {
        true if limit(setting) >= 2 => {
            Outcome::Exhausted { stage: Stage::Compile, resource: Resource::Stack }
        }
        _ => value(""),
    });
    target.passes = Box::new(|_| vec!["parse", "walk"]);
    target
}

#[test]
fn a_stack_overflow_is_one_finding_of_the_pass_that_recurses() {
    let folder = tempfile::tempdir().unwrap();
    let summary = hunt_with(Arc::new(Nested), recursive(), 60, &folder, &Heard::default());
    let [finding] = &summary.findings[..] else { panic!("{:?}", summary.findings) };
    assert_eq!(finding.title(), "inline: exhaustion by walk: stack overflow");
    assert_eq!(finding.best().case.programs[0].source, Nested::case_source(DEPTH));
    assert!(finding.sightings > 5);
    let report = folder.path().join("out").join(finding.folder()).join("report.md");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains("stack overflow"), "{report}");
}

impl Nested {
    fn case_source(depth: usize) -> String {
        Self::case(&Ticket::new("nested", 1, 0), depth, 0).programs[0].source.clone()
    }
}

#[test]
fn the_reduction_of_a_stack_overflow_tries_less_nesting_first() {
    let folder = tempfile::tempdir().unwrap();
    let examiner = examiner(recursive(), &folder);
    let deep = Nested::case(&Ticket::new("nested", 1, 0), 59, 5);
    let start = examiner.exhibit(&deep, &examiner.target.spec().settings).unwrap();
    assert!(start.breach.is_stack_overflow());
    let signature = examiner.sign(&start.case, &start.breach);
    let goal = Goal {
        method: &Nested,
        examiner: &examiner,
        signature: &signature,
        pass: None,
        with: &[],
        jobs: 1,
        cursor: 0,
        deadline: None,
    };
    let mut sizes = vec![];
    let reduction = reduce(&goal, start, &Stop::default(), |_, exhibit| {
        sizes.push((nesting(&exhibit.case.programs[0]), Nested::lines(&exhibit.case)));
        Ok::<(), std::convert::Infallible>(())
    });
    let reduction = reduction.unwrap();
    assert_eq!(reduction.ended, ReductionEnd::Finished);
    assert_eq!(reduction.exhibit.case.programs[0].source, Nested::case_source(DEPTH));
    // No line is removed before the nesting is minimal.
    let first_line_gone = sizes.iter().position(|(_, lines)| *lines < 5).unwrap();
    assert_eq!(sizes[first_line_gone - 1], (DEPTH, 5), "{sizes:?}");
}

#[test]
fn reasons_that_differ_only_in_scratch_paths_are_reported_once() {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let target = Inline::new(|program, _| match count(program, "xor") {
        0 => value(""),
        _ => {
            let number = NUMBER.fetch_add(1, Ordering::SeqCst);
            Outcome::unobserved(format!("cannot start /out/scratch/{number}/base.out"))
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt(target, 60, &folder, &heard);
    let is_warning = |event: &&Event| matches!(event, Event::Warning { .. });
    assert_eq!(heard.0.lock().unwrap().iter().filter(is_warning).count(), 1);
    let [(why, times)] = &summary.skipped[..] else { panic!("{:?}", summary.skipped) };
    assert_eq!(why, "cannot start TMP");
    assert!(*times > 5);
}

#[test]
fn stack_overflows_of_several_passes_on_one_program_are_one_finding() {
    // Both recurse. Either can be seen first, since the settings take turns.
    let mut target = Inline::new(|program, setting| {
        let alone = setting.extra.iter().find_map(|it| it.strip_prefix('+'));
        let runs = |pass: &str, at| alone.is_none_or(|it| it == pass) && limit(setting) >= at;
        match nesting(program) >= DEPTH && (runs("walk", 1) || runs("fold", 2)) {
            true => Outcome::Exhausted { stage: Stage::Compile, resource: Resource::Stack },
            false => value(""),
        }
    });
    target.passes = Box::new(|_| vec!["walk", "fold"]);
    let alone = |pass: &str| Setting {
        name: format!("only-{pass}"),
        extra: vec![format!("+{pass}")],
        ..Setting::plain()
    };
    target.alone = vec![alone("walk"), alone("fold")];
    let alone = target.alone.clone();
    let folder = tempfile::tempdir().unwrap();
    let target = target.with_occasional(alone);
    let summary = hunt_with(Arc::new(Nested), target, 60, &folder, &Heard::default());
    let titles: Vec<String> = summary.findings.iter().map(Finding::title).collect();
    assert_eq!(titles.len(), 1, "{titles:?}");
    assert!(titles[0].ends_with(": stack overflow"), "{titles:?}");
}
