//! JUnit XML, for the test pages of CI systems. A hunt is represented by one passed test for all cases that kept their
//! promise, a failed test for each new finding, and skipped tests for known bugs and flaky failures.

use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::Context;
use lab::event::{Ended, Event, Listener, StartedLine, Summary};
use lab::finding::{Finding, Flaky};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::exporter::{Exporter, Problem, locked};
use super::file::write_atomically;
use crate::display::printable::{block, line};
use crate::display::quantity::{counted, thousands};

const TITLE: usize = 300;
const NAME: usize = 120;
const TEXT: usize = 64 * 1024;
const REASONS: usize = 20;

#[derive(Debug)]
pub(crate) struct JUnit {
    path: PathBuf,
    lines: Mutex<Vec<StartedLine>>,
    problem: Problem,
}

impl JUnit {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), lines: Mutex::default(), problem: Problem::default() }
    }
}

impl Listener for JUnit {
    fn hear(&self, event: &Event) {
        match event {
            Event::Started(started) => locked(&self.lines).clone_from(&started.lines),
            Event::Finished(summary) => {
                let text = render(&locked(&self.lines), summary);
                let write = |text: String| write_atomically(&self.path, text.as_bytes());
                self.problem.note(text.and_then(write).context("JUnit report"));
            }
            _ => {}
        }
    }
}

impl Exporter for JUnit {
    fn problem(&self) -> Option<String> {
        self.problem.get()
    }
}

/// `lines` are the methods and targets of the hunt, if known.
pub(crate) fn render(lines: &[StartedLine], summary: &Summary) -> anyhow::Result<String> {
    let mut report = Report::new("mistrust");
    report.set_time(summary.tally.elapsed);
    report.add_test_suite(hunt(lines, summary));
    for (method, target) in suites(lines, summary) {
        let mut suite = TestSuite::new(name(&format!("{target} with {method}")));
        let of_suite = |origin: &forge::Origin, of: &str| origin.method() == method && of == target;
        let findings = summary.findings.iter().filter(|it| of_suite(it.origin(), &it.target));
        suite.add_test_cases(findings.map(finding_case));
        let flaky = summary.flaky.iter().filter(|it| of_suite(&it.origin, &it.target));
        suite.add_test_cases(flaky.map(flaky_case));
        // Some CI systems reject a suite without tests. The first suite lists all methods and targets.
        if !suite.test_cases.is_empty() {
            report.add_test_suite(suite);
        }
    }
    report.to_string().context("cannot serialise to XML")
}

/// All pairs of method and target: those of this hunt first, then those of earlier ones.
fn suites(lines: &[StartedLine], summary: &Summary) -> Vec<(String, String)> {
    let started = lines
        .iter()
        .flat_map(|line| line.targets.iter().map(|target| (line.method.as_str(), target)));
    let findings =
        summary.findings.iter().map(|finding| (finding.origin().method(), &finding.target));
    let flaky = summary.flaky.iter().map(|flaky| (flaky.origin.method(), &flaky.target));
    let mut suites = vec![];
    for (method, target) in started.chain(findings).chain(flaky) {
        let suite = (method.to_owned(), target.clone());
        if !suites.contains(&suite) {
            suites.push(suite);
        }
    }
    suites
}

fn hunt(lines: &[StartedLine], summary: &Summary) -> TestSuite {
    let tally = &summary.tally;
    let mut suite = TestSuite::new("hunt");
    for line in lines {
        suite.add_property((
            "hunt",
            name(&format!("{} with {}", line.targets.join(", "), line.method)).as_str(),
        ));
    }
    let status = match &summary.ended {
        Ended::Failed(why) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(line(why, TITLE)).set_type("failed hunt");
            status
        }
        _ if tally.cases == 0 => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("no case was tried");
            status
        }
        _ => TestCaseStatus::success(),
    };
    let mut case = TestCase::new("the other cases keep their promise", status);
    case.set_classname("mistrust").set_time(tally.elapsed);
    let mut out = format!(
        "{} kept, {} skipped, {} broken\n",
        counted(tally.kept, "promise"),
        thousands(tally.skipped),
        thousands(tally.broken),
    );
    for (why, count) in summary.skipped.iter().take(REASONS) {
        out.push_str(&format!("skipped {}: {}\n", thousands(*count), line(why, TITLE)));
    }
    case.set_system_out(out);
    suite.add_test_case(case);
    suite
}

fn finding_case(finding: &Finding) -> TestCase {
    let title = line(&finding.title(), TITLE);
    let status = match &finding.known {
        Some(known) => {
            let link = known.link.as_deref().unwrap_or_default();
            let mut status = TestCaseStatus::skipped();
            status.set_message(line(
                format!("known as {} {link}", name(&known.name)).trim_end(),
                TITLE,
            ));
            status.set_type(finding.signature.kind.name()).set_description(text(finding));
            status
        }
        None => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_message(title.clone()).set_type(finding.signature.kind.name());
            status.set_description(text(finding));
            status
        }
    };
    let mut case = TestCase::new(format!("{}: {title}", name(&finding.id)), status);
    case.set_classname(name(&finding.target));
    case.add_property(("origin", name(&finding.origin().to_string()).as_str()));
    case.add_property(("sightings", finding.sightings.to_string().as_str()));
    case
}

fn flaky_case(flaky: &Flaky) -> TestCase {
    let origin = name(&flaky.origin.to_string());
    let mut status = TestCaseStatus::skipped();
    let message = line(&flaky.message, TITLE);
    status.set_message(format!(
        "flaky: reproduced in {} of {} tries: {message}",
        flaky.seen, flaky.tries
    ));
    status.set_type(line(&flaky.kind, NAME));
    let mut case = TestCase::new(format!("flaky {origin}: {}", line(&flaky.kind, NAME)), status);
    case.set_classname(name(&flaky.target));
    case
}

/// The details of a failure, so that it can be understood on the CI system's page.
fn text(finding: &Finding) -> String {
    let best = finding.best();
    let mut out = "\n".to_owned();
    let mut section = |heading: &str, text: &str| {
        // quick-junit strips tabs together with terminal escapes.
        let text = block(text, TEXT).replace('\t', "    ");
        out.push_str(&format!("--- {heading}\n{}\n", text.trim_end_matches('\n')));
    };
    section("replay", &format!("mistrust replay {}", finding.id));
    for program in &best.case.programs {
        section(&name(&program.file_name()), &program.source);
    }
    if let Some(expected) = &best.breach.expected {
        section("expected", expected);
    }
    section(
        &format!("actual ({})", line(&best.breach.settings.join(", "), TITLE)),
        &best.breach.actual,
    );
    if !best.breach.frames.is_empty() {
        section("frames", &best.breach.frames.join("\n"));
    }
    for culprit in &finding.culprits {
        section("culprit", &culprit.to_string());
    }
    section("target", &format!("{}\n{}", finding.target, finding.version));
    out
}

fn name(text: &str) -> String {
    line(text, NAME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::specimens;

    #[test]
    fn new_findings_fail_known_and_flaky_ones_are_skipped_and_the_rest_passes() {
        let text = render(&specimens::started().lines, &specimens::summary()).unwrap();
        specimens::compare("junit.xml", &text);
        let report = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((report.tests, report.failures, report.skipped, report.errors), (5, 2, 2, 0));
    }

    #[test]
    fn a_hunt_without_findings_is_one_passed_test_and_a_failed_hunt_is_an_error() {
        let text = render(&specimens::started().lines, &specimens::nothing()).unwrap();
        specimens::compare("junit-nothing.xml", &text);
        let report = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((report.tests, report.failures, report.skipped, report.errors), (1, 0, 0, 0));
        let failed = Summary { ended: Ended::Failed("no compiler".into()), ..specimens::nothing() };
        let report = Report::deserialize_from_str(&render(&[], &failed).unwrap()).unwrap();
        assert_eq!((report.tests, report.errors), (1, 1));
    }

    #[test]
    fn hostile_text_gives_well_formed_xml() {
        let text = render(&specimens::started().lines, &specimens::hostile()).unwrap();
        let legal = |character: char| matches!(character, '\n' | '\t' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
        assert!(text.chars().all(legal));
        assert!(!text.contains("<script"));
        assert!(text.len() < 1_000_000, "{} bytes", text.len());
        let report = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((report.tests, report.errors, report.skipped), (3, 1, 2));
    }

    #[test]
    fn the_file_is_written_at_the_end_and_an_error_is_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("junit.xml");
        let junit = JUnit::new(&path);
        let (last, before) =
            specimens::events().split_last().map(|(a, b)| (a.clone(), b.to_vec())).unwrap();
        before.iter().for_each(|event| junit.hear(event));
        assert!(!path.exists());
        junit.hear(&last);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, render(&specimens::started().lines, &specimens::summary()).unwrap());
        assert_eq!(junit.problem(), None);
        let junit = JUnit::new(path.join("below-a-file.xml"));
        junit.hear(&last);
        assert!(junit.problem().unwrap().contains("below-a-file.xml"));
    }
}
