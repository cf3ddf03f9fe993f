//! Misbehaving compilers are classified correctly, and leave no processes or files behind.

use crate::world::{World, target, toyc};

/// Small limits, so that the tests are quick.
const LIMITS: &str = "[limits]\ncompile-time = '1s'\nrun-time = '2s'\nmemory-mib = 256\n\
                      file-mib = 16\noutput-mib = 4\nprocesses = 32\n";

/// Hunts with a compiler that misbehaves in every call. Returns the kind and the detail of the finding, if any.
fn hunt(misbehaviour: &str, cases: &str, code: i32) -> Option<(String, String)> {
    hunt_within(LIMITS, misbehaviour, cases, code)
}

fn hunt_within(
    limits: &str,
    misbehaviour: &str,
    cases: &str,
    code: i32,
) -> Option<(String, String)> {
    let world = World::new();
    let text = target("toyc", &["--misbehave", misbehaviour])
        .replace("settings = { opt = [\"0\", \"1\", \"2\"] }", "settings = { opt = [\"0\"] }");
    world.write("mistrust.toml", &format!("{limits}[hunt]\nreduce-time = '1s'\n{text}"));
    world.run(&["hunt", "--cases", cases, "--jobs", "1"]).expect(code);
    world.assert_nothing_is_left();
    let findings = world.findings();
    let part = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let signature = &findings.first()?["signature"];
    Some((part(&signature["kind"]), part(&signature["detail"])))
}

fn assert_classified(misbehaviour: &str, kind: &str, detail: &str) {
    assert_classified_within(LIMITS, misbehaviour, kind, detail);
}

fn assert_classified_within(limits: &str, misbehaviour: &str, kind: &str, detail: &str) {
    let found = hunt_within(limits, misbehaviour, "1", 1);
    let classified = found.as_ref().map(|(kind, detail)| (kind.as_str(), detail.as_str()));
    assert!(
        classified.is_some_and(|(a, b)| a == kind && b.contains(detail)),
        "{misbehaviour}: {classified:?}"
    );
}

#[test]
fn a_compiler_that_sleeps_or_spins_or_ignores_sigterm_hangs() {
    assert_classified("hang", "hang", "compile does not end");
    assert_classified("spin", "hang", "compile does not end");
    assert_classified("ignore-sigterm", "hang", "compile does not end");
}

#[test]
fn a_compiler_that_exceeds_a_limit_is_stopped_and_the_resource_is_named() {
    // Time enough that a loaded machine reaches the other limit first.
    let limits = LIMITS.replace("compile-time = '1s'", "compile-time = '120s'");
    for (misbehaviour, detail) in [
        ("print", "too much output at compile"),
        ("fill-disk", "too much file size at compile"),
        ("eat-memory", "too much memory at compile"),
        ("recurse", "stack overflow"),
    ] {
        assert_classified_within(&limits, misbehaviour, "exhaustion", detail);
    }
}

#[test]
fn success_without_an_output_file_is_a_failure() {
    assert_classified("nothing", "no_artifact", "wrote no output file");
}

#[test]
fn a_message_that_is_not_utf8_is_kept_byte_for_byte() {
    let found = hunt("invalid-utf8", "20", 1);
    let bytes = ("rejection".to_owned(), r"error: bad byte \xff\xfe here".to_owned());
    assert_eq!(found, Some(bytes));
}

#[test]
fn harmless_misbehaviour_is_not_a_finding() {
    for misbehaviour in ["close-stdout", "delete-input", "orphans"] {
        assert_eq!(hunt(misbehaviour, "5", 0), None, "{misbehaviour}");
    }
}

#[test]
fn an_unreliable_failure_is_flaky_with_its_rate() {
    let world = World::new();
    let compile = format!("[{:?}, '--misbehave', 'third-time', '-o', '{{out}}', '{{in}}']", toyc());
    world.write(
        "mistrust.toml",
        &format!(
            "[limits]\nsandbox = false\n[target.toyc]\nlanguage = 'toy'\ncompile = {compile}\n\
             run = ['{{out}}']\nenv = {{ DRILLC_COUNTER = {:?} }}\n",
            world.path("counter")
        ),
    );
    let ran = world.run(&["hunt", "--cases", "10", "--jobs", "1"]).expect(0);
    ran.says("flaky, reproduced in 1 of 3 tries").says("it is the third time");
    assert!(world.findings().is_empty());
}

#[test]
fn a_failure_of_a_host_affects_only_the_current_request() {
    let world = World::new();
    // Each process answers the first request and crashes on the second.
    let script = "read line; printf '%s\\n' '{\"cases\": [[{\"program\": 0, \"outcome\": \"accepted\"}]]}'; \
                  read line; echo 'internal compiler error: tired' >&2; kill -SEGV $$";
    world.write(
        "mistrust.toml",
        &format!(
            "[target.tired]\nlanguage = 'toy'\nbatch = 1\nhost = ['sh', '-c', {script:?}]\n\
                  version = ['true']\n"
        ),
    );
    let ran = world.run(&["hunt", "--cases", "8", "--jobs", "1"]);
    // Each case is sometimes answered and sometimes crashes: flaky, never a finding, never lost.
    assert!(ran.code == Some(0), "{}", ran.stderr);
    ran.says("flaky");
    world.assert_nothing_is_left();
}

/// A case file from elsewhere. Its programs are written to files named after them.
#[test]
fn a_case_file_cannot_name_a_path() {
    let world = World::with_toyc(&[]);
    let case = world.run(&["gen", "smoke-toy:1:1", "--format", "json"]).json();
    world.write("case.json", &case.to_string());
    world.run(&["run", "toyc", "case.json"]).expect(0);
    let outside = world.path("outside/");
    std::fs::create_dir(&outside).unwrap();
    for (name, language) in
        [(outside.to_str().unwrap(), "toy"), ("../x", "toy"), ("base", "../outside/toy")]
    {
        let mut hostile = case.clone();
        hostile["programs"][0]["name"] = name.into();
        hostile["programs"][0]["language"] = language.into();
        world.write("case.json", &hostile.to_string());
        world.run(&["run", "toyc", "case.json"]).expect(2).says("is no name of a");
        let ran = world.run(&["reduce", "case.json", "--target", "toyc"]).expect(2);
        ran.says("is not a case file").says("is no name of a");
    }
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0);
}
