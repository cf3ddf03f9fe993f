//! Real compilers: the C compiler that links every Rust program, and the rustc that built this test.

use crate::world::World;

#[test]
fn the_c_compiler_of_this_machine_keeps_its_promises() {
    let world = World::new();
    world.write(
        "mistrust.toml",
        "[target.cc]\nlanguage = 'c'\ncompile = ['cc', '-O{opt}', '-o', '{out}', '{in}']\n\
         run = ['{out}']\nsettings = { opt = ['0', '2'] }\n",
    );
    world.run(&["hunt", "--cases", "15"]).expect(0).says("no findings in 15 cases");
    world.assert_nothing_is_left();
}

#[test]
fn a_text_that_the_c_compiler_rejects_is_no_finding_and_a_crash_is_told_from_it() {
    let world = World::new();
    // A real compiler behind a wrapper that crashes on one construct, as a real bug would.
    world.write(
        "wrapped",
        "#!/bin/sh\nif grep -q '<< (v[0-9]* & 31u)' \"$4\"; then\n  \
         echo 'during GIMPLE pass: vrp' >&2\n  \
         echo \"$4: internal compiler error: in vrp_shift, at tree-vrp.cc:$$\" >&2; exit 4\nfi\n\
         exec cc \"$@\"\n",
    );
    let path = world.path("wrapped");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    world.write(
        "mistrust.toml",
        &format!(
            "[target.wrapped]\nlanguage = 'c'\ncompile = [{path:?}, '-O{{opt}}', '-o', '{{in}}', '{{in}}', '-o', '{{out}}']\n\
             run = ['{{out}}']\nsettings = {{ opt = ['0'] }}\n"
        ),
    );
    world.run(&["hunt", "--method", "smoke", "--cases", "20"]).expect(1).says("vrp_shift");
    let findings = world.findings();
    assert_eq!(findings.len(), 1);
    let source = findings[0]["reduced"]["case"]["programs"][0]["source"].as_str().unwrap();
    let statements = source.lines().filter(|line| line.contains("uint32_t v")).count();
    assert!(statements <= 2, "{source}");
}

#[test]
fn the_rust_compiler_of_this_machine_keeps_its_promises() {
    let world = World::new();
    let ran = world.run(&["hunt", "rustc", "--method", "smoke", "--cases", "50"]);
    let ran = ran.expect(0).says("hunting rustc@").says("no findings in 50 cases");
    assert!(!ran.stderr.contains("left out"), "{}", ran.stderr);
    world.assert_nothing_is_left();
}

/// A rustc may have bugs that are found at once; then each is a miscompilation by a pass that is named.
#[test]
fn without_any_configuration_the_machines_own_rustc_is_hunted_with_mir() {
    let world = World::new();
    world.write("mistrust.toml", "[hunt]\nreduce-time = '10s'\n");
    let ran = world.run(&["hunt", "--cases", "50"]).says("hunting rustc@").says("with mir");
    assert!(ran.code == Some(0) || ran.code == Some(1), "{}", ran.stderr);
    for finding in world.findings() {
        assert_eq!(finding["signature"]["kind"], "miscompilation", "{finding}");
        assert!(finding["signature"]["culprit"].is_string(), "{finding}");
    }
    world.assert_nothing_is_left();
}
