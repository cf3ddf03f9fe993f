//! Mistrust reports its own work truthfully: unfinished reductions are marked, time limits are kept, and a hunt that
//! observes nothing is not a success.

use serde_json::Value;

use crate::world::{World, target, toyc};

/// A world whose hunts have no time for reductions, so that each is interrupted.
fn hurried() -> World {
    let world = World::new();
    let text = format!("[hunt]\nreduce-time = '0s'\n{}", target("toyc", &["--bug", "crash-shl"]));
    world.write("mistrust.toml", &text);
    world
}

fn size(finding: &Value) -> usize {
    finding["reduced"]["case"]["programs"][0]["source"].as_str().expect("a program").len()
}

#[test]
fn a_reduction_without_time_is_unfinished_and_reduce_continues_it() {
    let world = hurried();
    let ran = world.run(&["hunt", "--cases", "60"]).expect(1);
    let findings = world.findings();
    assert_eq!(findings[0]["progress"]["unfinished"], "reduce_time", "{findings:?}");
    let id = findings[0]["id"].as_str().unwrap();
    ran.says("the time limit for one reduction was reached")
        .says(&format!("mistrust reduce {id} continues it"));
    let report = world.read(&format!("mistrust-out/findings/{id}/report.md"));
    assert!(report.contains(&format!("`mistrust reduce {id}` continues it")), "{report}");
    world.run(&["reduce", id, "--time", "60s"]).expect(1);
    let complete = world.findings();
    assert_eq!(complete[0]["progress"], "complete");
    assert!(size(&complete[0]) < size(&findings[0]));
}

#[test]
fn the_next_hunt_continues_an_unfinished_reduction() {
    let world = hurried();
    world.run(&["hunt", "--cases", "60"]).expect(1);
    world.write("mistrust.toml", &target("toyc", &["--bug", "crash-shl"]));
    world.run(&["hunt", "--cases", "60"]).expect(1).says("complete");
    assert_eq!(world.findings()[0]["progress"], "complete");
}

#[test]
fn no_work_starts_after_the_grace_period() {
    let world = World::with_toyc(&["--bug", "crash-shl"]);
    let ran = world.run(&["hunt", "--time", "0s", "--grace", "0s"]).says("time is up");
    assert!(world.findings().is_empty(), "{}", ran.stderr);
    // Earlier findings are not completed either.
    world.write(
        "mistrust.toml",
        &format!("[hunt]\nreduce-time = '0s'\n{}", target("toyc", &["--bug", "crash-shl"])),
    );
    world.run(&["hunt", "--cases", "60"]).expect(1);
    let before = world.findings();
    world.write("mistrust.toml", &target("toyc", &["--bug", "crash-shl"]));
    world.run(&["hunt", "--time", "0s", "--grace", "0s"]).expect(1);
    assert_eq!(world.findings()[0]["reduced"], before[0]["reduced"]);
    world.run(&["hunt", "--time", "x", "--grace", "0s"]).expect(2);
}

#[test]
fn a_target_that_cannot_work_is_a_configuration_error() {
    let compiler = toyc().display();
    let description = |compile: &str, run: &str, settings: &str| {
        format!(
            "[target.toyc]\nlanguage = 'toy'\ncompile = ['{compiler}', {compile}]\nrun = [{run}]\n\
             settings = {{ {settings} }}\n"
        )
    };
    let cases = [
        ("'-o', 'x', '{in}'", "'{out}'", "", "`compile` does not contain it"),
        ("'-o', '{out}', '{in}'", "'./a.out'", "", "`run` must contain `{out}`"),
        ("'-o', '{out}', '{in}'", "'{out}'", "opt = [1, 2]", "no command contains `{opt}`"),
        ("'-O{opt}', '-o', '{out}', '{in}'", "'{out}'", "opt = ['0', 'x']", "opt=x"),
    ];
    for (compile, run, settings, error) in cases {
        let world = World::new();
        world.write("mistrust.toml", &description(compile, run, settings));
        world.run(&["hunt", "--cases", "20"]).expect(2).says(error);
    }
}

#[test]
fn a_hunt_with_few_observations_is_not_a_success() {
    let world = World::new();
    // Most programs exceed a documented limit of this compiler.
    let text = target("toyc", &["--bug", "reject-many"]) + "limit = ['too many']\n";
    world.write("mistrust.toml", &text);
    let ran = world.run(&["hunt", "--cases", "100"]);
    ran.expect(3).says("fewer than half of the cases could be observed").says("documented limit");
}

#[test]
fn known_bugs_that_are_added_later_apply_to_stored_findings() {
    let world = World::with_toyc(&["--bug", "crash-shl"]);
    world.run(&["hunt", "--cases", "60"]).expect(1);
    std::fs::create_dir(world.path("known-bugs")).unwrap();
    let known = "[[bug]]\nname = 'shl twice'\ntarget = 'toyc'\nframe = 'shl_of_shl'\n";
    world.write("known-bugs/toyc.toml", known);
    world.run(&["findings"]).expect(0).says("known").says("shl twice");
    world.run(&["hunt", "--cases", "60"]).expect(0);
    assert_eq!(world.findings()[0]["known"]["name"], "shl twice");
}

#[test]
fn the_family_of_a_compiler_at_a_path_is_detected() {
    let world = World::new();
    world.write("odd", "#!/bin/sh\necho odd 1.0\n");
    let path = world.path("odd");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&path, mode).unwrap();
    let path = path.to_string_lossy().into_owned();
    world.run(&["hunt", &path]).expect(3).says("--as").says("odd 1.0");
    world.run(&["hunt", &path, "--as", "nothing"]).expect(2).says("gcc, tcc, clang");
    let gcc = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("gcc"))
        .find(|path| path.is_file());
    let Some(gcc) = gcc else { return };
    let gcc = gcc.to_string_lossy().into_owned();
    world.run(&["hunt", &gcc, "--cases", "20"]).says("hunting gcc").says("with expression-c");
    world.run(&["hunt", &gcc, "--as", "gcc", "--cases", "20"]).says("with expression-c");
}

#[test]
fn a_c_compiler_described_in_five_lines_is_tested_with_expression() {
    let world = World::new();
    world.write(
        "mistrust.toml",
        "[target.mycc]\nlanguage = 'c'\ncompile = ['cc', '-O{opt}', '-w', '-o', '{out}', '{in}']\n\
         run = ['{out}']\nsettings = { opt = ['0', '2'] }\n",
    );
    world.run(&["hunt", "--cases", "20"]).says("hunting mycc with expression-c");
}
