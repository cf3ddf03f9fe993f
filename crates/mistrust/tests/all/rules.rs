//! Tests of `mistrust rules`.

use serde_json::Value;

use crate::world::World;

#[test]
fn check_reports_proven_false_and_malformed_rules_with_their_positions() {
    let world = World::new();
    world.write(
        "my.rules",
        "rule good\n    a + b = (a ^ b) + 2 * (a & b)\nrule false\n    a + b = a ^ b\nrule odd\n    a +* b = a\n\
         rule claimed\n    a - b = a + -b\n    claims solidity-unsigned exact\n",
    );
    let output = world.command(&["rules", "check", "my.rules"]).output().expect("mistrust starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("exact, at every width by ring"), "{text}");
    assert!(text.contains("my.rules:3:1: `false` is not sound: at"), "{text}");
    assert!(text.contains("my.rules:6:8: an operand should be here, not `*`"), "{text}");
    assert!(text.contains("my.rules:9:5: `claimed` is claimed under solidity-unsigned"), "{text}");

    let output = world
        .command(&["rules", "check", "my.rules", "--format", "json"])
        .output()
        .expect("mistrust starts");
    let json: Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
    assert_eq!(json["rules"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["errors"].as_array().map(Vec::len), Some(3));
    assert_eq!(json["errors"][1]["line"], 6);
}

#[test]
fn the_library_is_listed_filtered_and_shown() {
    let world = World::new();
    let list = |arguments: &[&str]| {
        let mut all = vec!["rules", "list", "--format", "json"];
        all.extend(arguments);
        let output = world.command(&all).output().expect("mistrust starts");
        assert_eq!(output.status.code(), Some(0));
        let json: Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
        json.as_array().cloned().unwrap_or_default()
    };
    let by_hand = list(&["--hand-written"]);
    let synthesised = list(&["--synthesised"]);
    assert!(by_hand.len() >= 700, "{}", by_hand.len());
    assert!(synthesised.len() >= 10_000, "{}", synthesised.len());
    let checked =
        list(&["--semantics", "solidity-signed", "--width", "256", "--category", "comparison"]);
    assert!(!checked.is_empty());
    assert!(checked.iter().all(|rule| rule["category"] == "comparison"));
    assert!(checked.iter().all(|rule| rule["standings"]["solidity-signed"].is_object()));

    let name = by_hand[0]["name"].as_str().unwrap_or_default();
    let output = world.command(&["rules", "show", name]).output().expect("mistrust starts");
    assert!(String::from_utf8_lossy(&output.stdout).starts_with(&format!("rule {name}\n")));
    let output =
        world.command(&["rules", "show", "nothing-like-that"]).output().expect("mistrust starts");
    assert_eq!(output.status.code(), Some(2));
    let output = world
        .command(&["rules", "list", "--semantics", "cobol"])
        .output()
        .expect("mistrust starts");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn rules_are_synthesised_proven_and_exported() {
    let world = World::new();
    let run = |arguments: &[&str]| {
        let output = world.command(arguments).output().expect("mistrust starts");
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run(&["rules", "synth", "--from-nothing", "--count", "20", "--output", "new.rules", "-q"]);
    assert_eq!(world.read("new.rules").matches("\nrule ").count(), 20);
    std::fs::create_dir(world.path("mine")).expect("a folder");
    std::fs::rename(world.path("new.rules"), world.path("mine/new.rules"))
        .expect("the file can be moved");
    let text = run(&["rules", "prove", "--rules", "mine", "--write", "-q"]);
    assert!(text.contains("20 of 20 rules are proven under some semantics"), "{text}");
    assert_eq!(world.read("mine/ledger").lines().count(), 22);
    run(&["rules", "export", "lmba-add", "--lean", "lean", "--smt2", "smt"]);
    assert!(world.read("lean/Rules/LinearMba.lean").contains("theorem lmba_add_by_xor_and"));
    assert!(world.path("smt/lmba-add-by-xor-and.words.64.smt2").exists());
}
