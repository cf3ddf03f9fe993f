//! What is not the compiler's fault is no finding: a full disk, a slow machine, a compiler that is replaced, a wrong
//! set-up. What is its fault is one.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::world::{Ran, World, toyc};

/// The fake compiler behind a shell script, which gets the source file as `$1` and the output file as `$2`. `$TOYC` is
/// the compiler, `$STATE` a folder that outlives the runs.
fn scripted(world: &World, limits: &str, script: &str) {
    let state = world.path("state");
    std::fs::create_dir_all(&state).unwrap();
    world.write(
        "mistrust.toml",
        &format!(
            "[limits]\nsandbox = false\n{limits}\n[target.toyc]\nlanguage = 'toy'\n\
             compile = ['sh', '-c', {script:?}, 'sh', '{{in}}', '{{out}}']\nrun = ['{{out}}']\n\
             env = {{ TOYC = {toyc:?}, STATE = {state:?} }}\nversion = ['cat', {version:?}]\n",
            toyc = toyc(),
            version = state.join("version"),
        ),
    );
    world.write("state/version", "toyc 1.0\n");
}

const COMPILE: &str = "\"$TOYC\" -o \"$2\" \"$1\"";

/// A test of something that some programs have, and others do not.
const HAS_SHIFT: &str = "grep -q shl \"$1\"";

#[track_caller]
fn assert_no_findings(world: &World) {
    let findings = world.findings();
    assert!(findings.is_empty(), "{findings:#?}");
}

#[test]
fn a_full_disk_is_not_a_wrong_rejection() {
    for message in ["No space left on device", "Too many open files", "Read-only file system"] {
        let world = World::new();
        let script = format!("if {HAS_SHIFT}; then echo 'x: {message}' >&2; exit 1; fi; {COMPILE}");
        scripted(&world, "", &script);
        let ran = world.run(&["hunt", "--cases", "40", "--jobs", "1"]);
        ran.says("the machine has run out of something");
        assert_no_findings(&world);
    }
}

#[test]
fn a_slow_machine_is_not_a_hang() {
    let world = World::new();
    // Longer than the limit, and without CPU time.
    let script = format!("if {HAS_SHIFT}; then sleep 1.5; fi; {COMPILE}");
    scripted(&world, "compile-time = '1s'", &script);
    world.run(&["hunt", "--cases", "4", "--jobs", "1"]).expect(0).says("flaky");
    assert_no_findings(&world);
}

#[test]
fn a_compiler_that_is_replaced_ends_the_hunt_without_findings() {
    let world = World::new();
    let compiler = world.path("cc");
    // The first program with a shift replaces the compiler by one that always fails.
    let script = format!(
        "#!/bin/sh\nif {HAS_SHIFT}; then\n  printf '#!/bin/sh\\necho internal compiler error >&2\\nexit 1\\n' > \
         \"$0.new\"\n  chmod +x \"$0.new\"\n  mv \"$0.new\" \"$0\"\n  exec \"$0\"\nfi\n{COMPILE}\n"
    );
    scripted(&world, "", "exit 1");
    let text = world.read("mistrust.toml");
    let line = text.lines().find(|line| line.starts_with("compile")).unwrap().to_owned();
    let named = format!("compile = [{compiler:?}, '{{in}}', '{{out}}']");
    world.write("mistrust.toml", &text.replace(&line, &named));
    let install = || {
        world.write("cc", &script);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&compiler, mode).unwrap();
    };
    // The programs of the rehearsal must not have it: another seed is tried until they do not.
    for seed in 1..20 {
        install();
        let (seed, out) = (seed.to_string(), format!("out-{seed}"));
        let hunt = ["hunt", "--cases", "40", "--jobs", "1", "--seed", &seed, "--out", &out];
        let ran = world.run(&hunt);
        if ran.stderr.contains("was replaced or removed during the hunt") {
            ran.expect(3);
            assert!(world.findings_in(&out).is_empty());
            return;
        }
    }
    panic!("no hunt noticed that the compiler was replaced");
}

#[test]
fn a_finding_that_no_longer_shows_at_the_end_fails_the_hunt() {
    let world = World::new();
    let gone = "[ ! -e \"$STATE/gone\" ]";
    let failing =
        format!("if {gone} && {HAS_SHIFT}; then echo 'internal error: x' >&2; kill -ABRT $$; fi");
    scripted(&world, "", &format!("{failing}; {COMPILE}"));
    let (findings, gone) = (world.path("mistrust-out/findings"), world.path("state/gone"));
    let ran = std::thread::scope(|scope| {
        // What made the compiler fail is over as soon as the failure was confirmed.
        scope.spawn(|| {
            let is_there = || std::fs::read_dir(&findings).is_ok_and(|mut it| it.next().is_some());
            while !is_there() {
                std::thread::yield_now();
            }
            std::fs::write(&gone, "").unwrap();
        });
        world.run(&["hunt", "--cases", "200", "--jobs", "1"])
    });
    ran.expect(3).says("no longer shows");
}

#[test]
fn an_output_file_that_cannot_be_started_is_a_finding() {
    for damage in [": > \"$2\"", "printf '\\177ELFxx' > \"$2\"", "chmod -x \"$2\""] {
        let world = World::new();
        scripted(&world, "", &format!("{COMPILE} && if {HAS_SHIFT}; then {damage}; fi"));
        let ran = world.run(&["hunt", "--cases", "12", "--jobs", "1"]).expect(1);
        ran.says("an output file that cannot be started");
        let findings = world.findings();
        assert_eq!(findings.len(), 1, "{damage}");
        assert_eq!(findings[0]["signature"]["kind"], "no_artifact");
    }
}

#[test]
fn output_files_that_never_start_are_a_wrong_set_up() {
    let world = World::new();
    scripted(&world, "", &format!("{COMPILE} && : > \"$2\""));
    let ran = world.run(&["hunt", "--cases", "12"]).expect(2);
    ran.says("what it emits cannot be run (it is no executable of this machine)");
}

#[test]
fn programs_that_always_end_in_the_same_way_are_a_wrong_set_up() {
    let world = World::new();
    scripted(&world, "", COMPILE);
    let text = world.read("mistrust.toml");
    world.write("mistrust.toml", &text.replace("run = ['{out}']", "run = ['false', '{out}']"));
    world.run(&["hunt", "--cases", "12"]).expect(2).says("cannot be run (exit 1)");
}

fn hosted(world: &World, script: &str) -> Ran {
    world.write(
        "mistrust.toml",
        &format!(
            "[target.host]\nlanguage = 'toy'\nhost = ['sh', '-c', {script:?}]\nversion = ['true']\n"
        ),
    );
    world.run(&["hunt", "--cases", "12"])
}

#[test]
fn a_host_that_never_answers_is_a_wrong_set_up() {
    let world = World::new();
    let ran = hosted(&world, "read line; echo 'cannot find module x' >&2; exit 1");
    ran.expect(2).says("the host died before its first answer: cannot find module x");
}

#[test]
fn an_answer_about_a_program_that_does_not_exist_is_a_protocol_error() {
    for place in ["'program': 7", "'program': 0, 'input': 9"] {
        let world = World::new();
        let seen =
            format!("[{{{place}, 'outcome': {{'ran': {{'value': '1'}}}}}}]").replace('\'', "\"");
        let answer = format!(
            "while read line; do n=$(printf %s \"$line\" | grep -o '\"programs\"' | wc -l); \
             printf '{{\"cases\": ['; i=1; while [ $i -lt $n ]; do printf '%s, ' '{seen}'; i=$((i + 1)); done; \
             printf '%s]}}\\n' '{seen}'; done"
        );
        let ran = hosted(&world, &answer).expect(2);
        ran.says("a program or an input that the case does not have");
    }
}

#[test]
fn a_hunt_without_a_finished_case_is_not_a_success() {
    let world = World::with_toyc(&[]);
    world.run(&["hunt", "--time", "0s"]).expect(3).says("nothing was tested");
    world.run(&["hunt", "--cases", "0"]).expect(2).says("would test nothing");
    // What earlier runs have tested need not be tested again.
    world.run(&["hunt", "--cases", "20"]).expect(0);
    world.run(&["hunt", "--cases", "20"]).expect(0);
}

#[test]
fn findings_of_another_build_are_pointed_out() {
    let world = World::new();
    scripted(&world, "", &format!("if {HAS_SHIFT}; then kill -SEGV $$; fi; {COMPILE}"));
    let ran = world.run(&["hunt", "--cases", "12", "--jobs", "1"]).expect(1);
    assert!(!ran.stderr.contains("another build"), "{}", ran.stderr);
    scripted(&world, "", COMPILE);
    world.write("state/version", "toyc 2.0\n");
    let ran = world.run(&["hunt", "--cases", "24", "--jobs", "1"]);
    let id = world.findings()[0]["id"].as_str().unwrap().to_owned();
    ran.says("toyc is another build than").says(&format!("mistrust replay {id}"));
}

#[test]
fn limits_that_nothing_can_keep_are_refused() {
    for (limit, error) in [
        ("compile-time = '0s'", "limits.compile-time is 0"),
        ("run-time = '0s'", "limits.run-time is 0"),
        ("memory-mib = 0", "limits.memory-mib is 0"),
        ("processes = 0", "limits.processes is 0"),
        ("memory-mib = 17592186044417", "the largest value is"),
        ("compile-time = '1000years'", "the longest time is ten years"),
    ] {
        let world = World::new();
        scripted(&world, limit, COMPILE);
        world.run(&["hunt", "--cases", "5"]).expect(2).says(error);
    }
}

#[test]
fn times_and_numbers_of_any_size_are_understood_or_refused() {
    let world = World::with_toyc(&[]);
    let forever = "18446744073709551615s";
    world.run(&["hunt", "--time", forever]).expect(2).says("the longest time is ten years");
    world.run(&["hunt", "--cases", "100000000000", "--time", "1s"]).expect(0);
    world.run(&["hunt", "--shard", "4294967295/4294967295", "--time", "1s"]).expect(0);
}

#[test]
fn paths_need_not_be_utf8() {
    let world = World::new();
    let folder = world.path("work").join(OsStr::from_bytes(b"bad\xff"));
    std::fs::create_dir_all(&folder).unwrap();
    world.write("mistrust.toml", &crate::world::target("toyc", &[]));
    std::fs::copy(world.path("mistrust.toml"), folder.join("mistrust.toml")).unwrap();
    let mut hunt = world.command(&["hunt", "--cases", "20"]);
    Ran::of(&hunt.current_dir(&folder).output().unwrap()).expect(0);
    let mut hunt = world.command(&["hunt", "--cases", "20", "--out"]);
    Ran::of(&hunt.arg(OsStr::from_bytes(b"out\xff")).output().unwrap()).expect(0);
}

#[test]
fn a_hunt_says_what_the_sandbox_lacks() {
    let world = World::new();
    let hunt = |sandbox: &str| {
        let text = format!("[limits]\nsandbox = {sandbox}\n{}", crate::world::target("toyc", &[]));
        world.write("mistrust.toml", &text);
        world.run(&["hunt", "--cases", "3"])
    };
    hunt("false").expect(0).says("the sandbox is off");
    hunt("3").expect(2).says("write true, false or \"require\"");
    let complete = !hunt("true").expect(0).stderr.contains("the sandbox lacks");
    let required = hunt("\"require\"");
    match complete {
        true => drop(required.expect(0)),
        false => drop(required.expect(3).says("the sandbox is required, but lacks")),
    }
}
