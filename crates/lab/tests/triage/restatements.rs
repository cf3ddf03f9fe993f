//! Other forms of a program are stored with a finding if they fail in the same way.

use std::sync::Arc;

use forge::{Case, Interface, Language, Method, Outcome, Ticket};
use lab::event::{Event, Summary};
use lab::finding::{CutShort, Exhibit, Finding, Progress};
use lab::folder::Folders;
use lab::verdict::BreachKind;
use smoke::Smoke;

use crate::hunts::{Heard, hunt_hurried, hunt_with};
use crate::inline::{Inline, count, crash, value};

/// `smoke` with restatements: each program with another first line.
struct Restated(Smoke, Vec<&'static str>);

impl Method for Restated {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn revision(&self) -> u32 {
        self.0.revision()
    }

    fn summary(&self) -> &str {
        ""
    }

    fn language(&self) -> Language {
        self.0.language()
    }

    fn interface(&self) -> Interface {
        self.0.interface()
    }

    fn space(&self) -> Option<u64> {
        None
    }

    fn make(&self, ticket: &Ticket) -> Option<Case> {
        self.0.make(ticket)
    }

    fn smaller<'a>(&'a self, case: &'a Case) -> forge::Candidates<'a> {
        self.0.smaller(case)
    }

    fn restatements(&self, case: &Case) -> Vec<Case> {
        let restate = |way: &&str| {
            let mut restated = case.clone();
            restated.programs[0].source.insert_str(0, &format!("# {way}\n"));
            restated.trail.push(format!("told {way}"));
            restated
        };
        self.1.iter().map(restate).collect()
    }
}

#[test]
fn restatements_that_fail_alike_are_kept_with_the_finding() {
    let target = || {
        Inline::new(|program, _| match program.source.lines().next() {
            Some("# well") => value(""),
            Some("# wrongly") => Outcome::Rejected { message: "what is that?".to_owned() },
            _ if count(program, "xor") >= 2 => crash("xor twice"),
            _ => value(""),
        })
    };
    let folder = tempfile::tempdir().unwrap();
    let ways = vec!["well", "plainly", "wrongly", "briefly"];
    let method = || Arc::new(Restated(Smoke::toy(), ways.clone())) as Arc<dyn Method>;
    let heard = Heard::default();
    let summary = hunt_with(method(), target(), 40, &folder, &heard);
    let crash = |summary: &Summary| {
        let is_it = |it: &&Finding| it.signature.detail == "xor twice";
        summary.findings.iter().find(is_it).cloned().unwrap()
    };
    let finding = crash(&summary);
    let told = |finding: &Finding| {
        let last = |exhibit: &Exhibit| exhibit.case.trail.last().cloned().unwrap();
        finding.restated.iter().map(last).collect::<Vec<String>>()
    };
    assert_eq!(told(&finding), ["told plainly", "told briefly"]);
    // The reduced program is restated, and an event is emitted.
    let reduced = &finding.reduced.as_ref().unwrap().case.programs[0].source;
    assert_eq!(finding.restated[0].case.programs[0].source, format!("# plainly\n{reduced}"));
    let is_told =
        |event: &Event| matches!(event, Event::Advanced { finding } if finding.restated.len() == 2);
    assert!(heard.0.lock().unwrap().iter().any(is_told));
    let path = folder.path().join("out").join(finding.folder());
    for number in ["restated-1", "restated-2"] {
        let script = std::fs::read_to_string(path.join(number).join("replay.sh")).unwrap();
        assert!(script.contains("cp \"$here\"/base."), "{script}");
        assert!(path.join(number).join("case.json").exists());
    }
    let report = std::fs::read_to_string(path.join("report.md")).unwrap();
    // The report has the first restatement, then the program that it restates.
    let (restated, found) = report.split_once("## The same program as it was found").unwrap();
    assert!(restated.contains(&format!("# plainly\n{reduced}")), "{report}");
    assert!(found.contains(reduced.as_str()) && !found.contains("# plainly"), "{report}");
    // The same hunt again changes nothing.
    let again = hunt_with(method(), target(), 40, &folder, &Heard::default());
    assert_eq!(crash(&again), finding);
    // If a finding has fewer restatements than before, the old folders are removed.
    let fewer = Finding { restated: finding.restated[..1].to_vec(), ..finding };
    let folders = Folders::new(&folder.path().join("out"), vec![Arc::new(target())]);
    folders.render(&fewer).unwrap();
    assert!(path.join("restated-1").exists() && !path.join("restated-2").exists());
}

#[test]
fn other_forms_are_tried_although_the_reduction_was_cut_short() {
    let target = Inline::new(|program, _| match program.source.lines().next() {
        Some("# well") => value(""),
        _ if count(program, "xor") >= 2 => crash("xor twice"),
        _ => value(""),
    });
    let folder = tempfile::tempdir().unwrap();
    let method = Arc::new(Restated(Smoke::toy(), vec!["well", "plainly"]));
    let summary =
        hunt_hurried(method, target, 40, &folder, &Heard::default(), std::time::Duration::ZERO);
    // Cases with known results find that the compiler prints nothing, besides.
    let mut crashes = summary.findings.iter().filter(|it| it.signature.kind == BreachKind::Crash);
    let finding = crashes.next().unwrap();
    assert!(crashes.next().is_none(), "{:?}", summary.findings);
    assert_eq!(finding.progress, Progress::Unfinished(CutShort::ReduceTime));
    let [restated] = &finding.restated[..] else { panic!("{:?}", finding.restated) };
    assert_eq!(restated.case.trail.last().unwrap(), "told plainly");
}
