//! Planted bugs are found, confirmed, reduced to a minimal program and reported once; correct compilers give no
//! findings.

use serde_json::Value;

use crate::world::{World, essence, target};

fn reduced(finding: &Value) -> String {
    finding["reduced"]["case"]["programs"][0]["source"].as_str().expect("a program").to_owned()
}

/// The statements of a program in the toy language.
fn statements(program: &str) -> Vec<&str> {
    program.lines().filter(|line| line.contains('=')).collect()
}

fn operators(program: &str) -> Vec<&str> {
    statements(program).iter().filter_map(|line| line.split_whitespace().nth(2)).collect()
}

#[test]
fn a_correct_compiler_gives_no_findings() {
    let world = World::with_toyc(&[]);
    let ran = world.run(&["hunt", "--cases", "200"]).expect(0).says("no findings in 200 cases");
    assert!(!ran.stderr.contains("flaky: "), "{}", ran.stderr);
    assert!(world.findings().is_empty());
    world.assert_nothing_is_left();
}

/// A planted bug, the expected kind, and the operators of a minimal program.
const PLANTED: &[(&str, &str, &[&str])] = &[
    ("crash-undefined", "crash", &[]),
    ("crash-shl", "crash", &["shl", "shl"]),
    ("reject-equal", "rejection", &["equal"]),
    ("wrong-all", "miscompilation", &["less"]),
    ("wrong-sub", "miscompilation", &["add", "sub"]),
];

#[test]
fn every_planted_bug_is_found_once_and_reduced_to_a_minimal_program() {
    for (bug, kind, core) in PLANTED {
        let world = World::with_toyc(&["--bug", bug]);
        world.run(&["hunt", "--cases", "150"]).expect(1).says("1 finding");
        let findings = world.findings();
        assert_eq!(findings.len(), 1, "{bug} is reported once");
        let finding = &findings[0];
        assert_eq!(finding["signature"]["kind"], *kind, "{bug}");
        assert_eq!(finding["progress"], "complete", "{bug}");
        assert!(finding["sightings"].as_u64() >= Some(2), "{bug}: duplicates are counted");
        let program = reduced(finding);
        if core.is_empty() {
            assert_eq!(statements(&program).len(), 1, "{bug}: {program}");
        } else {
            assert_eq!(operators(&program), *core, "{bug}: {program}");
        }
    }
}

#[test]
fn a_bug_that_only_a_variant_shows_is_found() {
    let world = World::with_toyc(&["--bug", "wrong-left"]);
    world.run(&["hunt", "--cases", "600"]).expect(1);
    let findings = world.findings();
    let by_equivalence =
        findings.iter().find(|finding| finding["original"]["case"]["promise"] == "equivalent");
    let program = reduced(by_equivalence.expect("base and variant differ"));
    assert!(operators(&program).contains(&"or"), "{program}");
    assert!(statements(&program).len() <= 2, "{program}");
}

#[test]
fn failures_seen_by_different_oracles_are_merged_by_their_culprit_pass() {
    let world = World::with_toyc(&["--bug", "wrong-sub"]);
    world.run(&["hunt", "--cases", "300"]).expect(1);
    let findings = world.findings();
    assert_eq!(findings.len(), 1);
    let culprits = findings[0]["culprits"].as_array().expect("culprits");
    let culprit = |kind: &str| culprits.iter().find_map(|culprit| culprit.get(kind)).cloned();
    let pass = culprit("pass").expect("the pass is located");
    let name = |pass: &Value| pass["name"].as_str().map(str::to_owned);
    let located = (name(&pass["good"]), name(&pass["bad"]));
    assert_eq!(located, (Some("order".to_owned()), Some("peephole".to_owned())));
    let option = culprit("option").expect("the option is located");
    assert_eq!(option["option"], "opt");
    assert_eq!((option["good"].as_str(), option["bad"].as_str()), (Some("1"), Some("2")));
    // Tickets with the promises `Yields` and `Agrees` alternate.
    let tickets = findings[0]["sighted_by"].as_array().expect("sightings").iter();
    let promises: std::collections::BTreeSet<u64> = tickets
        .filter_map(|sighting| sighting["origin"].as_str()?.rsplit(':').next()?.parse().ok())
        .map(|index: u64| index % 5)
        .collect();
    assert!(promises.contains(&0) && promises.contains(&3), "seen by the oracles {promises:?}");
}

#[test]
fn a_hunt_under_some_settings_finds_only_their_bugs() {
    let world = World::with_toyc(&["--bug", "wrong-sub"]);
    world.run(&["hunt", "--cases", "150", "--setting", "opt=0", "--setting", "*=1"]).expect(0);
    assert!(world.findings().is_empty(), "only opt=2 is wrong");
    let ran = world.run(&["hunt", "--cases", "150", "--seed", "2", "--setting", "opt=2"]).expect(1);
    ran.says("1 finding");
    let ran = world.run(&["hunt", "--setting", "opt=9"]).expect(2);
    ran.says("target `toyc` has no setting `opt=9`").says("opt=0, opt=1, opt=2");
}

#[test]
fn two_bugs_with_the_same_message_are_distinguished_by_their_frames() {
    let world = World::with_toyc(&["--bug", "crash-shl", "--bug", "crash-div"]);
    world.run(&["hunt", "--cases", "200"]).expect(1);
    let findings = world.findings();
    let mut frames: Vec<&str> =
        findings.iter().filter_map(|finding| finding["signature"]["frames"][0].as_str()).collect();
    frames.sort_unstable();
    assert_eq!(frames, ["toyc::fold::div_of_mul", "toyc::fold::shl_of_shl"]);
    assert_eq!(findings[0]["signature"]["detail"], findings[1]["signature"]["detail"]);
}

/// No program of the folder has the crash: a mutation uses a variable that is not defined.
#[test]
fn mutations_of_a_folder_find_a_planted_crash() {
    let world = World::with_toyc(&["--bug", "crash-undefined"]);
    std::fs::create_dir_all(world.path("programs/more")).unwrap();
    let programs = [
        ("a.toy", "params 2\nv0 = shl p1 p0\nv1 = xor v0 p1\nprint v1\n"),
        ("b.toy", "params 1\nv0 = add p0 3\nv1 = shl p0 2\nv2 = less v0 v1\nprint v2\n"),
        ("more/c.toy", "params 2\nv0 = sub p0 p1\nv1 = equal v0 p1\nprint v1\n"),
    ];
    for (name, text) in programs {
        world.write(&format!("programs/{name}"), text);
    }
    world.write("programs/d.txt", "not a program");
    let ran = world.run(&["hunt", "--corpus", "programs", "--cases", "100"]).expect(1);
    ran.says("3 programs from programs").says("with mutate-toy-");
    // The message of this crash names the variable, so there are several findings.
    let findings = world.findings();
    for finding in &findings {
        assert_eq!(finding["signature"]["frames"][0], "toyc::parse::look_up", "{finding}");
        let program = reduced(finding);
        assert!(program.lines().count() <= 2, "{program}");
    }
    let finding = &findings[0];
    let origin = finding["original"]["case"]["origin"].as_str().unwrap();
    assert!(origin.starts_with("mutate-toy-"), "{origin}");
    // The command of the report needs no corpus.
    world.run(&["reduce", finding["id"].as_str().unwrap(), "--restart"]).expect(1);
}

#[test]
fn a_corpus_that_cannot_be_used_is_reported() {
    let world = World::with_toyc(&[]);
    std::fs::create_dir(world.path("empty")).unwrap();
    world.run(&["hunt", "--corpus", "empty"]).expect(2).says("no .toy file");
    world.run(&["hunt", "--corpus", "missing"]).expect(2).says("missing");
    world.run(&["hunt", "--method", "mutate"]).expect(2).says("--corpus");
    world.run(&["hunt", "--method", "smoke", "--corpus", "empty"]).expect(2).says("does not use");
    world.run(&["hunt", "--corpus", "vyper-tests"]).expect(2).says("programs are vyper");
    // A program that is an image, one that is much too large, and a folder that has nothing else.
    std::fs::create_dir(world.path("odd")).unwrap();
    std::fs::write(world.path("odd/image.toy"), b"\x89PNG\0\0").unwrap();
    std::fs::write(world.path("odd/large.toy"), "x".repeat(100_000)).unwrap();
    std::fs::write(world.path("odd/blank.toy"), "\n").unwrap();
    world.run(&["hunt", "--corpus", "odd"]).expect(2).says("no .toy file that could be used");
    std::fs::write(world.path("odd/good.toy"), "params 1\nprint p0\n").unwrap();
    let ran = world.run(&["hunt", "--corpus", "odd", "--cases", "20"]).expect(0);
    ran.says("1 program from odd").says("1 (binary)").says("1 (larger than 8 KiB)");
}

/// The compiler crashes on a byte that is no UTF-8.
#[test]
fn bytes_that_are_no_utf_8_reach_the_compiler_and_the_folder_of_a_finding() {
    let world = World::new();
    let script = "#!/bin/sh\nif LC_ALL=C grep -q \"$(printf '\\377')\" \"$1\"; then\n  \
                  echo 'internal compiler error: a strange byte' >&2; exit 134\nfi\ncp \"$1\" \"$2\"\n";
    world.write("compile.sh", script);
    let compile = world.path("compile.sh").display().to_string();
    let description = format!(
        "[target.bytes]\nlanguage = 'toy'\ncompile = ['sh', '{compile}', '{{in}}', '{{out}}']\nrun = ['{{out}}']\n"
    );
    world.write("mistrust.toml", &description);
    std::fs::create_dir(world.path("programs")).unwrap();
    let program = b"params 1\nprint p0 \xff\n";
    std::fs::write(world.path("programs/a.toy"), program).unwrap();
    world.run(&["hunt", "--corpus", "programs", "--cases", "1"]).expect(0).says("1 of them known");
    let findings = world.findings();
    let id = findings[0]["id"].as_str().unwrap();
    let kept = std::fs::read(world.path(&format!("mistrust-out/findings/{id}/base.toy"))).unwrap();
    assert_eq!(kept, program);
    // A file is read in the same way.
    let ran = world.run(&["run", "bytes", "programs/a.toy"]);
    assert!(ran.stdout.contains("crashed"), "{}", ran.stdout);
}

#[test]
fn a_program_that_crashes_as_it_is_is_no_new_finding() {
    let world = World::with_toyc(&["--bug", "crash-shl"]);
    std::fs::create_dir(world.path("programs")).unwrap();
    let crashing = "params 1\nv0 = shl p0 1\nv1 = shl v0 2\nprint v1\n";
    world.write("programs/a.toy", crashing);
    world.write("programs/b.toy", "params 1\nv0 = add p0 3\nprint v0\n");
    world.run(&["hunt", "--corpus", "programs", "--cases", "64"]).expect(0).says("1 of them known");
    let findings = world.findings();
    assert_eq!(findings[0]["known"]["name"], "corpus: a.toy", "{findings:?}");
    assert_eq!(findings[0]["progress"], "complete");
    // It stays known when the same hunt continues.
    world.run(&["hunt", "--corpus", "programs", "--cases", "128"]).expect(0);
}

#[test]
fn corpora_are_listed_shown_and_refused_with_the_reason() {
    let world = World::with_toyc(&[]);
    std::fs::create_dir(world.path("programs")).unwrap();
    world.write("programs/a.toy", "params 1\nprint p0\n");
    world.run(&["corpus", "list"]).expect(0).says("vyper-tests").says("not installed");
    let show = ["corpus", "show", "programs"];
    world.run(&show).expect(2).says("--language");
    world.run(&[&show[..], &["--language", "toy"]].concat()).expect(0).says("1 program");
    world
        .run(&["corpus", "show", "rust-ui@1.2.3"])
        .expect(3)
        .says("mistrust corpus add rust-ui@1.2.3");
    world.run(&["corpus", "show", "nothing"]).expect(2).says("solidity-npm");
    world.run(&["corpus", "add", "nothing"]).expect(2).says("solidity-npm");
    world.run(&["--offline", "corpus", "add", "rust-ui@1.2.3"]).expect(3).says("rust-ui");
    let minimise = ["corpus", "minimise", "programs", "--target", "toyc", "--to"];
    world.run(&[&minimise[..], &["programs"]].concat()).expect(2).says("exists already");
    // An executable is measured by breakpoints, where the machine has what that needs.
    let ran = world.run(&[&minimise[..], &["small"]].concat());
    match ran.code {
        Some(0) => {
            ran.says("1 program of 1 reach all");
            assert!(world.path("small/a.toy").exists());
        }
        _ => drop(ran.expect(3).says("no coverage")),
    }
    // A script is no compiler, so there is nothing to measure.
    world.write("script", "#!/bin/sh\nexit 0\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(world.path("script"), mode).unwrap();
    let text = format!(
        "[target.toyc]\nlanguage = 'toy'\ncompile = [{:?}, '{{in}}']\n",
        world.path("script")
    );
    world.write("mistrust.toml", &text);
    world.run(&[&minimise[..], &["none"]].concat()).expect(3).says("no coverage");
    assert!(!world.path("none").exists());
}

#[test]
fn a_crashing_batch_is_split_until_the_failing_case_is_alone() {
    let world = World::new();
    let toyc = crate::world::toyc();
    world.write(
        "mistrust.toml",
        &format!(
            "[target.served]\nlanguage = 'toy'\nbatch = 16\n\
             host = [{toyc:?}, '--serve', '--bug', 'crash-shl', '--bug', 'wrong-all']\n\
             version = [{toyc:?}, '--version']\nsettings = {{ opt = ['0', '1'] }}"
        ),
    );
    world.run(&["hunt", "--cases", "150"]).expect(1);
    let findings = world.findings();
    let mut kinds: Vec<&str> =
        findings.iter().filter_map(|finding| finding["signature"]["kind"].as_str()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["crash", "miscompilation"]);
    let crash = findings.iter().find(|finding| finding["signature"]["kind"] == "crash");
    assert_eq!(operators(&reduced(crash.expect("the crash"))), ["shl", "shl"]);
    world.assert_nothing_is_left();
    for finding in &findings {
        let id = finding["id"].as_str().expect("an id");
        let script = world.path(&format!("mistrust-out/findings/{id}/replay.sh"));
        let shown = std::process::Command::new("sh").arg(&script).output().expect("sh starts");
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert_eq!(shown.status.code(), Some(1), "{text}");
    }

    // One case at a time, the same tickets fail.
    world.write(
        "mistrust.toml",
        &target("served", &["--bug", "crash-shl", "--bug", "wrong-all"]).replace(
            "settings = { opt = [\"0\", \"1\", \"2\"] }",
            "settings = { opt = [\"0\", \"1\"] }",
        ),
    );
    world.run(&["hunt", "--cases", "150", "--out", "alone"]).expect(1);
    let tickets = |findings: &[Value], kind: &str| {
        let of_kind = findings.iter().find(|finding| finding["signature"]["kind"] == kind);
        of_kind.map(|finding| finding["sighted_by"].clone())
    };
    let alone = world.findings_in("alone");
    for kind in ["crash", "miscompilation"] {
        assert_eq!(tickets(&findings, kind), tickets(&alone, kind), "{kind}");
    }
}

const ALL_BUGS: &[&str] = &[
    "--bug",
    "crash-shl",
    "--bug",
    "crash-div",
    "--bug",
    "reject-equal",
    "--bug",
    "wrong-sub",
    "--bug",
    "wrong-all",
];

#[test]
fn one_worker_and_four_workers_give_the_same_findings() {
    let world = World::with_toyc(ALL_BUGS);
    world.run(&["hunt", "--cases", "200", "--jobs", "1", "--out", "one"]).expect(1);
    world.run(&["hunt", "--cases", "200", "--jobs", "4", "--out", "four"]).expect(1);
    let (one, four) = (essence(&world.findings_in("one")), essence(&world.findings_in("four")));
    assert!(one.len() >= 4, "{} findings", one.len());
    assert_eq!(one, four);
}

#[test]
fn the_shards_together_have_the_sightings_of_the_whole() {
    let world = World::with_toyc(ALL_BUGS);
    world.run(&["hunt", "--cases", "160", "--out", "whole"]).expect(1);
    world.run(&["hunt", "--cases", "160", "--out", "first", "--shard", "1/2"]).expect(1);
    world.run(&["hunt", "--cases", "160", "--out", "second", "--shard", "2/2"]).expect(1);
    let sighted = |out: &str| -> std::collections::BTreeSet<String> {
        let findings = world.findings_in(out);
        let pairs = findings.iter().flat_map(|finding| {
            let tickets = finding["sighted_by"].as_array().cloned().unwrap_or_default();
            tickets.into_iter().map(move |ticket| format!("{} {ticket}", finding["signature"]))
        });
        pairs.collect()
    };
    let (first, second) = (sighted("first"), sighted("second"));
    assert!(!first.is_empty() && !second.is_empty() && first.is_disjoint(&second));
    assert_eq!(
        first.union(&second).cloned().collect::<std::collections::BTreeSet<_>>(),
        sighted("whole")
    );
}

#[test]
fn with_all_findings_every_failure_is_a_separate_finding() {
    let world = World::with_toyc(&["--bug", "crash-shl"]);
    world.run(&["hunt", "--cases", "60"]).expect(1);
    let sightings = world.findings()[0]["sightings"].as_u64().expect("a number") as usize;
    world.run(&["hunt", "--cases", "60", "--out", "all", "--all-findings"]).expect(1);
    assert!(sightings > 1);
    assert_eq!(world.findings_in("all").len(), sightings);
}

#[test]
fn a_known_bug_is_marked_and_hides_no_other_bug() {
    let world = World::with_toyc(&["--bug", "crash-shl", "--bug", "crash-div"]);
    std::fs::create_dir(world.path("known-bugs")).unwrap();
    let known = "[[bug]]\nname = 'shl twice'\ntarget = 'toyc'\nframe = 'shl_of_shl'\nlink = 'X'\n";
    world.write("known-bugs/toyc.toml", known);
    world.run(&["hunt", "--cases", "100"]).expect(1).says("known");
    let findings = world.findings();
    let mut names: Vec<Option<&str>> =
        findings.iter().map(|finding| finding["known"]["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, [None, Some("shl twice")]);

    // Known bugs alone give exit code 0.
    world.write("mistrust.toml", &target("toyc", &["--bug", "crash-shl"]));
    world.run(&["hunt", "--cases", "100", "--out", "known"]).expect(0);
}

#[test]
fn the_range_of_bad_versions_is_found() {
    let world = World::new();
    let versions = [
        ("1.9", &[][..]),
        ("1.10", &["--bug", "crash-shl"][..]),
        ("2.0", &["--bug", "crash-shl"][..]),
        ("2.1-beta", &["--bug", "crash-shl"][..]),
        ("2.1", &[][..]),
    ];
    let text: String =
        versions.iter().map(|(version, bugs)| target(&format!("toyc@{version}"), bugs)).collect();
    world.write("mistrust.toml", &text);
    world.run(&["hunt", "toyc@2.0", "--cases", "60"]).expect(1);
    let findings = world.findings();
    let culprits = findings[0]["culprits"].as_array().expect("culprits").iter();
    let versions = |culprit: &Value| culprit.get("versions").cloned();
    let version = culprits.clone().find_map(versions).expect("a range of versions");
    assert_eq!(version["good"], "toyc@1.9");
    assert_eq!(version["bad"], "toyc@1.10");
    assert_eq!(version["after"]["bad"], "toyc@2.1-beta");
    assert_eq!(version["after"]["good"], "toyc@2.1");
}

#[test]
fn a_finding_replays_and_its_script_needs_only_the_compiler() {
    for bug in ["crash-shl", "reject-equal", "wrong-sub", "wrong-all"] {
        let world = World::with_toyc(&["--bug", bug]);
        world.run(&["hunt", "--cases", "100"]).expect(1);
        let id = world.findings()[0]["id"].as_str().expect("an id").to_owned();
        world.run(&["replay", &id]).expect(1).says("the bug shows");
        world.run(&["replay", &id[..4], "--original"]).expect(1).says("the bug shows");
        let script = world.path(&format!("mistrust-out/findings/{id}/replay.sh"));
        let shown = std::process::Command::new("sh").arg(&script).output().expect("sh starts");
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        assert_eq!(shown.status.code(), Some(1), "{bug}: {text}");
        assert!(text.contains("the bug shows"), "{bug}: {text}");

        // Once the compiler is fixed, neither reproduces the bug.
        world.write("mistrust.toml", &target("toyc", &[]));
        world.run(&["replay", &id]).expect(0).says("the bug does not show");
        let fixed = std::fs::read_to_string(&script).unwrap().replace(&format!("--bug {bug} "), "");
        std::fs::write(&script, fixed).unwrap();
        let shown = std::process::Command::new("sh").arg(&script).output().expect("sh starts");
        assert_eq!(shown.status.code(), Some(0), "{}", String::from_utf8_lossy(&shown.stdout));
    }
}

#[test]
fn run_compiles_and_runs_one_program_under_one_setting() {
    let world = World::with_toyc(&["--bug", "reject-equal"]);
    world.write("sum.toy", "params 1\nv0 = add p0 2\nprint v0\n");
    world.write("equal.toy", "params 1\nv0 = equal p0 p0\nprint v0\n");
    world.run(&["run", "toyc", "sum.toy", "40"]).expect(0).says("{\"value\":\"42");
    let of_setting = ["run", "--setting", "opt=2", "toyc", "sum.toy", "5"];
    world.run(&of_setting).expect(0).says("{\"value\":\"7");
    world.run(&["run", "--with", "opt=2", "toyc", "equal.toy", "1"]).expect(1).says("failure");
    world.run(&["run", "--setting", "O2", "toyc", "sum.toy"]).expect(2).says("opt=1");
    world.run(&["run", "--with", "opt", "toyc", "sum.toy"]).expect(2).says("OPTION=VALUE");
    world.run(&["run", "toyc", "none.toy"]).expect(3).says("cannot read none.toy");
    world.assert_nothing_is_left();
}

#[test]
fn findings_cases_and_source_files_can_be_reduced() {
    let world = World::with_toyc(&["--bug", "crash-shl"]);
    world.run(&["hunt", "--cases", "40"]).expect(1);
    let before = world.findings();
    let id = before[0]["id"].as_str().expect("an id");
    world.run(&["reduce", id, "--restart"]).expect(1).says("shl");
    assert_eq!(essence(&world.findings()), essence(&before));

    // A case and a source text from a file.
    std::fs::copy(
        world.path(&format!("mistrust-out/findings/{id}/case.json")),
        world.path("case.json"),
    )
    .unwrap();
    world.run(&["reduce", "case.json"]).expect(1);
    assert!(world.read("case.reduced.json").matches("shl").count() >= 2);
    let source = before[0]["original"]["case"]["programs"][0]["source"].as_str().expect("a text");
    world.write("bug.toy", source);
    world.run(&["reduce", "bug.toy", "--output", "small.toy"]).expect(1);
    let small = world.read("small.toy");
    // Values cannot be renumbered in a text, so the lines that define the values before `v1` remain.
    assert!(small.len() * 3 < source.len() && small.matches("shl").count() == 2, "{small}");
    world.write("fine.toy", "params 0\nv0 = add 1 2\nprint v0\n");
    world.run(&["reduce", "fine.toy"]).expect(3).says("does not fail on fine.toy");
}

/// A text is only compiled: that the compiler rejects it is no failure.
#[test]
fn run_compiles_a_text_that_need_not_be_a_program() {
    let world = World::with_toyc(&["--bug", "crash-shl"]);
    world.write("a.toy", "no program\n");
    world.run(&["run", "toyc", "a.toy"]).expect(1).says("rejected");
    world.run(&["run", "--text", "toyc", "a.toy"]).expect(0).says("rejected");
    world.write("b.toy", "params 1\nv0 = shl p0 1\nv1 = shl v0 1\nprint v1\n");
    world.run(&["run", "--text", "--setting", "opt=2", "toyc", "b.toy"]).expect(1).says("crashed");
}
