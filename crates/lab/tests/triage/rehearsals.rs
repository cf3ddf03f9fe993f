//! Settings are tried with known programs before they are used. An unusable setting is no bug of the compiler.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use forge::{Method as _, Outcome, Program};
use lab::event::Event;
use lab::setting::Setting;
use smoke::Smoke;

use crate::cases::Right;
use crate::hunts::{Heard, hunt_with};
use crate::inline::{Inline, count, value};

fn occasional(names: &[&str]) -> Vec<Setting> {
    names.iter().map(|name| Setting { name: (*name).to_owned(), ..Setting::plain() }).collect()
}

#[test]
fn an_occasional_setting_that_rejects_everything_is_left_out_with_a_warning() {
    let target = Inline::new(|program: &Program, setting: &Setting| match setting.name.as_str() {
        "typo" => Outcome::Rejected { message: "unknown option --typo".to_owned() },
        "fine" if count(program, "xor") >= 3 => value("wrong"),
        _ => value("right"),
    });
    let target = target.with_occasional(occasional(&["typo", "fine"]));
    let folder = tempfile::tempdir().unwrap();
    let heard = Heard::default();
    let method = Arc::new(Right(Smoke::toy()));
    let summary = hunt_with(method, target, 80, &folder, &heard);
    // The other settings are used as usual.
    let settings: Vec<&str> =
        summary.findings.iter().map(|it| it.original.breach.setting.as_str()).collect();
    assert_eq!(settings, ["fine"], "{:?}", summary.findings);
    let events = heard.0.lock().unwrap();
    let warning = |event: &Event| match event {
        Event::Warning { message } => Some(message.clone()),
        _ => None,
    };
    let warnings: BTreeSet<String> = events.iter().filter_map(warning).collect();
    let [warning] = &warnings.into_iter().collect::<Vec<_>>()[..] else { panic!("{events:?}") };
    assert!(warning.contains("left out: setting typo: every program is rejected"), "{warning}");
    let [(why, times)] = &summary.skipped[..] else { panic!("{:?}", summary.skipped) };
    assert!(why.contains("unknown option --typo"), "{why}");
    assert_eq!(*times, 20);
}

#[test]
fn every_setting_is_tried_with_known_programs_before_it_is_used() {
    let shown: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
    let log = Arc::clone(&shown);
    let target = Inline::new(move |program: &Program, setting: &Setting| {
        log.lock().unwrap().push((setting.name.clone(), program.source.clone()));
        value("right")
    });
    let target = target.with_occasional(occasional(&["one", "two", "three"]));
    let folder = tempfile::tempdir().unwrap();
    let method = Right(Smoke::toy());
    let known = method.make(&method.ticket(1, 0)).unwrap().programs[0].source.clone();
    hunt_with(Arc::new(method), target, 40, &folder, &Heard::default());
    // The first program under each setting is a known one, whichever ticket comes first.
    let shown = shown.lock().unwrap();
    for name in ["opt=0", "opt=2", "one", "two", "three"] {
        let (_, first) = shown.iter().find(|(it, _)| it == name).unwrap();
        assert_eq!(*first, known, "{name}");
    }
}
