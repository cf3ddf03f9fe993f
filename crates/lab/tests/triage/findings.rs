//! Failures in a whole hunt: which are merged into one finding, and under which settings they are examined.

use std::sync::Arc;

use forge::Program;
use lab::event::{Ended, Event};
use lab::finding::{Finding, Progress};
use lab::setting::Setting;
use lab::store::{Findings as _, SqliteStore};
use lab::target::PassId;
use smoke::Smoke;

use crate::cases::Right;
use crate::hunts::{Heard, hunt, hunt_with};
use crate::inline::{Inline, count, crash, limit, passing, value};

#[test]
fn findings_with_the_same_culprit_pass_are_merged() {
    // One pass, whose bug shows in large programs at level 1, and in others only at level 2: two classes of
    // settings. Listing the passes of large programs fails, so there are two findings at first, and one
    // after both are reduced.
    let wrong = |program: &Program, setting: &Setting| {
        let enough = match setting.value("opt") {
            Some("2") => count(program, "xor") >= 1,
            Some("1") => count(program, "xor") >= 2,
            _ => false,
        };
        value(if enough && limit(setting) >= 1 { "wrong" } else { "" })
    };
    let mut target = Inline::new(wrong);
    target.spec.settings.insert(1, Setting::of(vec![("opt".to_owned(), "1".to_owned())]));
    target.passes =
        Box::new(
            |program| {
                if program.source.matches('=').count() <= 2 { vec!["gvn"] } else { vec![] }
            },
        );
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt(target, 100, &folder, &heard);
    assert_eq!(summary.ended, Ended::Cases);
    let merged: Vec<(String, String)> = heard
        .0
        .lock()
        .unwrap()
        .iter()
        .filter_map(|event| match event {
            Event::Merged { id, into } => Some((id.clone(), into.clone())),
            _ => None,
        })
        .collect();
    let [(gone, kept)] = merged.as_slice() else { panic!("{merged:?}") };
    let by_gvn: Vec<_> = summary
        .findings
        .iter()
        .filter(|finding| finding.signature.passes == [PassId::new("gvn")])
        .collect();
    let [finding] = by_gvn.as_slice() else { panic!("{by_gvn:?}") };
    assert_eq!(finding.id, *kept);
    assert!(summary.findings.iter().all(|finding| finding.id != *gone));
    // All sightings of both are kept, and the id of the merged finding gives the other.
    let store = SqliteStore::read(&folder.path().join("out")).unwrap();
    assert_eq!(store.finding(gone).unwrap().id, *kept);
    assert_eq!(store.sightings(kept).unwrap().len() as u64, finding.sightings);
    assert!(finding.sightings >= 3);
}

#[test]
fn two_passes_with_the_same_bug_are_two_findings() {
    // Both passes miscompile `xor`, the third only if it runs alone, as if the first left it nothing to do.
    let wrong = |program: &Program, runs: &dyn Fn(&str) -> bool| {
        count(program, "xor") > 0 && (runs("first") || runs("third"))
    };
    let mut target = passing(wrong, None);
    let alone = target.alone.iter().zip(["only-first", "only-second", "only-third"]);
    target.alone =
        alone.map(|(setting, name)| Setting { name: name.to_owned(), ..setting.clone() }).collect();
    let alone = target.alone.clone();
    let target = target.with_occasional(alone);
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt_with(Arc::new(Right(Smoke::toy())), target, 60, &folder, &heard);
    let mut blamed: Vec<String> =
        summary.findings.iter().filter_map(|it| it.signature.blamed()).collect();
    blamed.sort_unstable();
    assert_eq!(blamed, ["first", "third"]);
    assert!(summary.findings.iter().all(|it| it.reduced.is_some()));
}

#[test]
fn a_verifier_rejection_of_a_miscompiled_program_belongs_to_its_finding() {
    // One pass miscompiles `xor`, which the verifier also rejects; the output of another is rejected by the verifier only.
    let observe = |program: &Program, setting: &Setting| {
        let runs = |pass: usize| limit(setting) >= pass;
        let checks = setting.extra.iter().any(|it| it == "check");
        let optimises = setting.value("opt") != Some("0");
        match (checks, optimises) {
            (true, _) if runs(1) && count(program, "xor") > 0 => crash("broken by gvn"),
            (true, _) if runs(2) && count(program, "mul") > 0 => crash("broken by sroa"),
            (false, true) if runs(1) && count(program, "xor") > 0 => value("wrong"),
            _ => value("right"),
        }
    };
    let mut target = Inline::new(observe);
    target.passes = Box::new(|_| vec!["gvn", "sroa"]);
    let mut lint = Setting { name: "lint".to_owned(), ..Setting::plain() };
    lint.extra.push("check".to_owned());
    let target = target.with_occasional(vec![lint]);
    let spec = target.spec.clone();
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt_with(Arc::new(Right(Smoke::toy())), target, 60, &folder, &heard);
    let titles: Vec<String> = summary.findings.iter().map(Finding::title).collect();
    assert_eq!(titles.len(), 2, "{titles:?}");
    let wrong = summary.findings.iter().find(|it| it.signature.passes == [PassId::new("gvn")]);
    let wrong = wrong.unwrap_or_else(|| panic!("{titles:?}"));
    assert_eq!(wrong.verifier_aliases.len(), 1);
    assert_eq!(wrong.verifier_aliases[0].detail, "broken by gvn");
    assert!(titles.iter().any(|title| title.contains("broken by sroa")), "{titles:?}");
    // It has the sightings of both kinds.
    let store = SqliteStore::read(&folder.path().join("out")).unwrap();
    let seen = store.sightings(&wrong.id).unwrap();
    let is_lint = |number: u64| spec.schedule.turn(&spec, number)[0].name == "lint";
    let of_lint = seen.iter().filter(|(origin, _)| is_lint(origin.number())).count();
    assert!(of_lint > 0 && of_lint < seen.len(), "{seen:?}");
    let report = folder.path().join("out").join(wrong.folder()).join("report.md");
    assert!(std::fs::read_to_string(report).unwrap().contains("`broken by gvn`"));
}

#[test]
fn a_failure_under_an_occasional_setting_is_confirmed_and_completed_under_it() {
    let wrong = |program: &Program, setting: &Setting| {
        if setting.name == "only-gvn" && count(program, "xor") >= 1 {
            crash("broken by gvn")
        } else {
            value("")
        }
    };
    let target = Inline::new(wrong);
    let only = |name: &str| Setting { name: name.to_owned(), ..Setting::plain() };
    let target = target.with_occasional(vec![only("only-sroa"), only("only-gvn")]);
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let summary = hunt(target, 40, &folder, &heard);
    let findings = summary.findings.iter();
    let by_gvn: Vec<_> =
        findings.filter(|finding| finding.signature.detail == "broken by gvn").collect();
    let [finding] = by_gvn.as_slice() else { panic!("{by_gvn:?}") };
    assert_eq!(finding.progress, Progress::Complete);
    assert!(finding.sightings >= 2, "{}", finding.sightings);
    let reduced = finding.reduced.as_ref().expect("it is reduced");
    assert_eq!(count(&reduced.case.programs[0], "xor"), 1);
    // It is confirmed under the setting that found it. The result is examined under every ordinary setting, and
    // under no other occasional one.
    let all: &[&str] = &["opt=0", "opt=2", "only-gvn"];
    for (exhibit, shown) in [(&finding.original, &all[2..]), (reduced, all)] {
        assert_eq!(exhibit.breach.settings, ["only-gvn"]);
        let mut names: Vec<&str> =
            exhibit.observations.iter().map(|seen| seen.setting.as_str()).collect();
        names.dedup();
        assert_eq!(names, shown);
    }
    let report = folder.path().join("out").join(finding.folder()).join("report.md");
    let report = std::fs::read_to_string(report).unwrap();
    assert!(report.contains("inline only-gvn base"), "{report}");
}

#[test]
#[should_panic(expected = "a bug of ours")]
fn a_panic_in_a_worker_is_propagated() {
    let folder = tempfile::tempdir().unwrap();
    hunt(Inline::new(|_, _| panic!("a bug of ours")), 10, &folder, &Heard::default());
}
