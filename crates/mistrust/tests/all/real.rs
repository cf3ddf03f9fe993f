//! Hunts with real compilers: the C compiler that links Rust programs, and the rustc that built this test.

use crate::world::World;

#[test]
fn the_c_compiler_of_this_machine_gives_no_findings() {
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
fn a_crash_of_a_c_compiler_is_found_and_reduced() {
    let world = World::new();
    // A wrapper around the real compiler that crashes on one construct.
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
fn the_rustc_of_this_machine_gives_no_findings_with_smoke() {
    let world = World::new();
    let ran = world.run(&["hunt", "rustc", "--method", "smoke", "--cases", "50"]);
    let ran = ran.expect(0).says("hunting rustc@").says("no findings in 50 cases");
    assert!(!ran.stderr.contains("not tested: "), "{}", ran.stderr);
    world.assert_nothing_is_left();
}

/// A rustc may have bugs that are found immediately. Each must be a miscompile with a culprit pass, and those that
/// ship as known bugs must be marked with their links. Case 101 shows one of them in rustc 1.95.
#[test]
fn without_configuration_the_machines_rustc_is_tested_with_mir() {
    let world = World::new();
    world.write("mistrust.toml", "[hunt]\nreduce-time = '10s'\n");
    let ran = world.run(&["hunt", "--cases", "104"]).says("hunting rustc@").says("with mir");
    assert!(ran.code == Some(0) || ran.code == Some(1), "{}", ran.stderr);
    let findings = world.findings();
    for finding in &findings {
        assert_eq!(finding["signature"]["kind"], "miscompilation", "{finding}");
        let passes = finding["signature"]["passes"].as_array();
        assert!(passes.is_some_and(|passes| !passes.is_empty()), "{finding}");
    }
    if ran.stderr.contains("hunting rustc@1.95.") {
        ran.says("known ").says("SimplifyComparisonIntegral").says("rust-lang/rust#158206");
        let links = findings.iter().filter_map(|finding| finding["known"]["link"].as_str());
        assert!(links.clone().any(|link| link.ends_with("/158206")), "{findings:?}");
    }
    world.assert_nothing_is_left();
}
