//! Compares outputs byte for byte with the files in `tests/golden/cli`. `BLESS=1` renews them.

use std::path::{Path, PathBuf};

use crate::world::{World, toyc};

fn compare(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/cli").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        return;
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    if text != stored {
        let difference = similar::TextDiff::from_lines(stored.as_str(), text);
        let difference = difference.unified_diff().to_string();
        panic!("{name} differs; if this is intended, renew it with BLESS=1\n{difference}");
    }
}

#[test]
fn help_texts_match_the_golden_files() {
    let world = World::new();
    compare("help.txt", &world.run(&["--help"]).expect(0).stdout);
    let commands =
        ["hunt", "gen", "replay", "run", "reduce", "findings", "report", "toolchain", "doctor"];
    for command in commands {
        let help = world.run(&[command, "--help"]).expect(0).stdout;
        compare(&format!("help-{command}.txt"), &help);
    }
}

/// The output of one small hunt. Everything that depends on the machine or the time is masked.
#[test]
fn the_files_of_a_hunt_match_the_golden_files() {
    let world = World::with_toyc(&["--bug", "wrong-sub"]);
    let arguments =
        ["hunt", "--cases", "40", "--jobs", "1", "--junit", "junit.xml", "--sarif", "a.sarif"];
    world.run(&arguments).expect(1);
    let id = world.findings()[0]["id"].as_str().unwrap().to_owned();
    let folder = PathBuf::from(format!("mistrust-out/findings/{id}"));
    let stable = |text: &str| {
        let text = text.replace(&toyc().display().to_string(), "toyc");
        let text = text.replace(&world.path("").display().to_string(), "WORLD/");
        let text = mask(&text, "\"first_seen\": ");
        let text = mask(&text, "time=\"");
        mask(&mask(&text, "timestamp=\""), "uuid=\"")
    };
    let file = |name: &str| stable(&world.read(&folder.join(name).display().to_string()));
    compare("report.md", &file("report.md"));
    compare("replay.sh", &file("replay.sh"));
    compare("case.json", &file("reduced/case.json"));
    compare("evidence.json", &file("reduced/evidence.json"));
    compare("junit.xml", &stable(&world.read("junit.xml")));
    compare("sarif.json", &stable(&world.read("a.sarif")));
    let list = world.run(&["findings", "--format", "json"]).expect(1).stdout;
    compare("findings.json", &stable(&list));
    let list = world.run(&["findings"]).expect(1).stdout;
    compare("findings.txt", &stable(&ageless(&list)));
    // A report from the store is the same.
    let again = world.run(&["report", "--format", "sarif", "--output", "-"]).expect(0).stdout;
    assert_eq!(stable(&again), stable(&world.read("a.sarif")));
}

/// Replaces the value after each `before`, up to the next quote, comma or line end, by `X`.
fn mask(text: &str, before: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(before) {
        let value = at + before.len();
        masked.push_str(&rest[..value]);
        masked.push('X');
        let end = rest[value..].find(['"', ',', '\n']).unwrap_or(0);
        rest = &rest[value + end..];
    }
    masked + rest
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let world = World::new();
    world.run(&["completions", "bash"]).expect(0).says("_mistrust");
    world.run(&["man"]).expect(0).says(".TH mistrust");
    world.run(&["man", "--dir", "pages"]).expect(0);
    assert!(world.path("pages/mistrust-hunt.1").exists());
}

#[test]
fn events_are_lines_of_json() {
    let world = World::with_toyc(&["--bug", "crash-shl"]);
    world.run(&["hunt", "--cases", "40", "--events", "events.jsonl"]).expect(1);
    let text = world.read("events.jsonl");
    let names: Vec<String> = text
        .lines()
        .map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            assert!(event["at"].is_number() && event["version"] == 2, "{line}");
            event["event"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(names.first().map(String::as_str), Some("started"));
    assert_eq!(names.last().map(String::as_str), Some("finished"));
    for name in ["found", "again", "reducing", "advanced"] {
        assert!(names.iter().any(|other| other == name), "no event {name}");
    }
    // With `--events -`, standard output contains only events.
    let ran = world.run(&["hunt", "--cases", "60", "--events", "-"]).expect(1);
    assert!(ran.stdout.lines().all(|line| line.starts_with('{')), "{}", ran.stdout);
}

/// A table of findings without their ages, which depend on the clock.
fn ageless(table: &str) -> String {
    let end = table.find(" age").expect("a column of ages") + " age".len();
    let row = |line: &str| match line.get(..end) {
        Some(before) => {
            let before = before.trim_end_matches(|it| it != ' ').trim_end();
            format!("{before} *{}", &line[end..])
        }
        None => line.to_owned(),
    };
    table.lines().map(|line| row(line) + "\n").collect()
}
