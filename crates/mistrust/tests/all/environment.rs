//! Problems of the machine are reported with exit code 3 and a remedy, and no results are lost.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use crate::world::{Ran, World, essence, target};

#[test]
fn a_missing_compiler_is_reported_and_the_others_are_tested() {
    let world = World::new();
    world
        .write("mistrust.toml", "[target.gone]\nlanguage = 'toy'\ncompile = ['gone-cc', '{in}']\n");
    world.run(&["hunt"]).expect(3).says("`gone-cc`").says("not found");
    world.run(&["doctor"]).expect(3).says("`gone-cc`");
    let text = world.read("mistrust.toml") + &target("toyc", &[]);
    world.write("mistrust.toml", &text);
    world.run(&["hunt", "--cases", "5"]).expect(0).says("not tested: ").says("`gone-cc`");
    // Without described targets and without rustc.
    world.write("mistrust.toml", "");
    let mut bare = world.command(&["hunt"]);
    bare.env("PATH", "").env("HOME", world.path("")).env_remove("RUSTUP_HOME");
    Ran::of(&bare.output().unwrap()).expect(3).says("no rustc, and no other").says("[target.cc]");
}

#[test]
fn a_compiler_that_rejects_everything_is_not_tested() {
    let world = World::new();
    let text = "[target.shim]\nlanguage = 'c'\ncompile = ['./shim', '{in}', '{here}']\n";
    world.write("mistrust.toml", text);
    world.write("shim", "#!/bin/sh\necho \"shim: no home, only $2\" >&2; exit 1\n");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.path("shim"), mode).unwrap();
    let ran = world.run(&["hunt"]).expect(3).says("rejects every program").says("`env`");
    // Relative paths and `{here}` are relative to the description.
    let folder = world.path("").display().to_string();
    ran.says(&format!("shim: no home, only {}", folder.trim_end_matches('/')));
    assert!(world.findings().is_empty());
}

#[test]
fn a_rustc_without_custom_mir_is_reported() {
    let world = World::new();
    world.write(
        "rustc",
        "#!/bin/sh\ncase $* in *-vV*) echo 'rustc 1.99.0 (new)'; echo 'release: 1.99.0'; exit;; esac\n\
         for file in \"$@\"; do :; done\nif grep -q custom_mir \"$file\"; then\n  \
         echo 'error[E0557]: feature has been removed' >&2; exit 1\nfi\nexec rustc \"$@\"\n",
    );
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(world.path("rustc"), mode).unwrap();
    let ran = world.run(&["hunt", "./rustc", "--method", "mir"]).expect(3);
    ran.says("method `mir` cannot be used").says("rustc@1.99.0 does not compile custom MIR");
    // A version that is too old is recognised by its number.
    world.write("rustc", &world.read("rustc").replace("1.99.0", "1.80.0"));
    let ran = world.run(&["hunt", "./rustc", "--method", "mir"]).expect(3);
    ran.says("rustc@1.80.0 is too old").says("1.85 or newer");
    // As a toolchain of rustup it can be used by other methods; doctor reports the unusable method.
    let bin = world.path("rustup/toolchains/old/bin");
    std::fs::create_dir_all(&bin).unwrap();
    std::fs::copy(world.path("rustc"), bin.join("rustc")).unwrap();
    let mut doctor = world.command(&["doctor"]);
    doctor.env("RUSTUP_HOME", world.path("rustup"));
    let ran = Ran::of(&doctor.output().unwrap()).expect(0);
    ran.says("rustc@1.80.0").says("method `mir` cannot be used");
}

#[test]
fn a_compiler_that_disappears_ends_the_hunt_without_losing_findings() {
    let world = World::new();
    let compiler = world.path("toyc");
    std::fs::copy(crate::world::toyc(), &compiler).unwrap();
    let text = target("toyc", &["--bug", "crash-shl"]);
    let text = text.replace(&format!("{:?}", crate::world::toyc()), &format!("{compiler:?}"));
    world.write("mistrust.toml", &text);
    let child = world
        .command(&["hunt", "--time", "60s", "--jobs", "1"])
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    world.wait_for("a finding", |world| world.path("mistrust-out/findings").exists());
    std::fs::remove_file(&compiler).unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap()).expect(3);
    ran.says("was replaced or removed during the hunt");
    let findings = world.findings();
    assert_eq!(findings.len(), 1);
    // Nothing can be reduced without the compiler. That is no complete reduction.
    let source = |which: &str| findings[0][which]["case"]["programs"][0]["source"].to_string();
    let is_complete = findings[0]["progress"] == "complete";
    assert!(!is_complete || source("reduced").len() < source("original").len());
}

#[test]
fn a_second_hunt_on_a_folder_reports_the_process_that_holds_it() {
    let world = World::with_toyc(&["--misbehave", "hang"]);
    let mut first =
        world.command(&["hunt", "--cases", "10"]).stderr(Stdio::null()).spawn().unwrap();
    let holder = format!("process {}", first.id());
    world.wait_for("a hunt that holds the folder", |world| {
        std::fs::read_to_string(world.path("mistrust-out/lock"))
            .is_ok_and(|text| text.contains(&holder))
            && world.run(&["findings"]).code == Some(0)
    });
    world
        .run(&["hunt", "--cases", "10"])
        .expect(3)
        .says("in use")
        .says(&holder)
        .says("hunt --cases 10");
    // Readers are not blocked.
    world.run(&["findings"]).expect(0);
    world.run(&["report"]).expect(0).says("report.html");
    first.kill().unwrap();
    first.wait().unwrap();
}

/// Drops root's capability to ignore permissions, so that the test does not depend on the user.
fn as_ordinary(mut command: Command) -> Ran {
    const CAP_DAC_OVERRIDE: libc::c_ulong = 1;
    const CAP_DAC_READ_SEARCH: libc::c_ulong = 2;
    // SAFETY: prctl with these arguments only changes the child's own capabilities; its failure means
    // that there was nothing to drop.
    #[expect(unsafe_code, reason = "only a hook before exec can drop a capability")]
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
            libc::prctl(libc::PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH);
            Ok(())
        });
    }
    Ran::of(&command.output().expect("mistrust starts"))
}

#[test]
fn an_unusable_folder_is_reported() {
    let world = World::with_toyc(&[]);
    // A file instead of a folder.
    world.write("file", "");
    world.run(&["hunt", "--cases", "5", "--out", "file"]).expect(3).says("file");
    // A read-only folder, and a folder to be created in it.
    std::fs::create_dir(world.path("locked")).unwrap();
    let mode = |mode| std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(world.path("locked"), mode(0o555)).unwrap();
    let hunt = |out: &str| world.command(&["hunt", "--cases", "5", "--out", out]);
    as_ordinary(hunt("locked")).expect(3).says("locked").says("permissions");
    as_ordinary(hunt("locked/out")).expect(3).says("locked").says("permissions");
    // An unreadable database.
    world.run(&["hunt", "--cases", "5", "--out", "unreadable"]).expect(0);
    std::fs::set_permissions(world.path("unreadable/mistrust.db"), mode(0o000)).unwrap();
    as_ordinary(hunt("unreadable")).expect(3).says("unreadable").says("permissions");
    as_ordinary(world.command(&["findings", "--out", "unreadable"])).expect(3).says("unreadable");
    // A finished hunt can be read in a read-only folder.
    world.run(&["hunt", "--cases", "5", "--out", "archive"]).expect(0);
    std::fs::set_permissions(world.path("archive"), mode(0o555)).unwrap();
    let listed = as_ordinary(world.command(&["findings", "--out", "archive"]));
    std::fs::set_permissions(world.path("archive"), mode(0o755)).unwrap();
    listed.expect(0).says("no findings");
}

#[test]
fn a_damaged_database_is_reported_and_not_changed() {
    let world = World::with_toyc(&["--bug", "crash-shl"]);
    world.run(&["hunt", "--cases", "30"]).expect(1);
    let path = world.path("mistrust-out/mistrust.db");
    for name in ["mistrust-out/mistrust.db-wal", "mistrust-out/mistrust.db-shm"] {
        let _ = std::fs::remove_file(world.path(name));
    }
    let mut torn = std::fs::read(&path).unwrap();
    torn[100..1000].fill(0xa5);
    for damage in [b"this is no database, but long enough to be taken for one".to_vec(), torn] {
        std::fs::write(&path, &damage).unwrap();
        world.run(&["hunt", "--cases", "60"]).expect(3).says("mistrust.db").says("damaged");
        world.run(&["findings"]).expect(3).says("mistrust.db");
        assert_eq!(std::fs::read(&path).unwrap(), damage, "the file is not changed");
    }
    // The finding is still in its folder.
    let folders = std::fs::read_dir(world.path("mistrust-out/findings")).unwrap().count();
    assert_eq!(folders, 1);
}

#[test]
fn a_database_of_a_newer_version_is_rejected() {
    let world = World::with_toyc(&[]);
    world.run(&["hunt", "--cases", "5"]).expect(0);
    let path = world.path("mistrust-out/mistrust.db");
    let connection = rusqlite::Connection::open(path).unwrap();
    connection.pragma_update(None, "user_version", 999).unwrap();
    drop(connection);
    world.run(&["hunt", "--cases", "5"]).expect(3).says("newer Mistrust");
    world.run(&["findings"]).expect(3).says("newer Mistrust");
}

#[test]
fn a_full_disk_ends_the_hunt_without_losing_findings() {
    let world = World::with_toyc(&["--bug", "crash-shl", "--bug", "wrong-all"]);
    // A file system of one megabyte in a separate mount namespace; unprivileged users also need a user namespace. If
    // neither is permitted, the test is skipped.
    let disk = world.path("disk");
    std::fs::create_dir(&disk).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=1m tmpfs {disk} || exit 99\n\
         {mistrust} hunt --time 60s --out {disk}/out; code=$?\n\
         cp -r {disk}/out {copy}\nexit $code\n",
        disk = disk.display(),
        mistrust = env!("CARGO_BIN_EXE_mistrust"),
        copy = world.path("copy").display(),
    );
    let root = nix::unistd::geteuid().is_root();
    let flags = if root { "-m" } else { "-Urm" };
    let mut command = Command::new("unshare");
    command.args([flags, "sh", "-c", &script]).current_dir(world.path(""));
    let ran = Ran::of(&command.output().expect("unshare starts"));
    if ran.code == Some(99) || ran.stderr.contains("unshare failed") {
        assert!(std::env::var_os("CI").is_none(), "no small disk can be made: {}", ran.stderr);
        return;
    }
    ran.expect(3).says("no space is left");
    // Earlier findings are kept, and the hunt can continue in another folder.
    let findings = world.findings_in("copy");
    assert!(!findings.is_empty());
    world.run(&["hunt", "--cases", "20", "--out", "copy"]).expect(1);
    assert!(essence(&world.findings_in("copy")).len() >= findings.len());
}

#[test]
fn the_folder_of_a_finding_that_was_deleted_is_written_again() {
    let world = World::with_toyc(&["--bug", "crash-shl"]);
    world.run(&["hunt", "--cases", "60", "--jobs", "1"]).expect(1);
    let findings = world.path("mistrust-out/findings");
    std::fs::remove_dir_all(&findings).unwrap();
    world.run(&["hunt", "--cases", "60", "--jobs", "1"]);
    for finding in world.findings() {
        let folder = findings.join(finding["id"].as_str().unwrap());
        for file in ["report.md", "replay.sh", "finding.json", "case.json"] {
            assert!(folder.join(file).is_file(), "{file}");
        }
    }
    assert!(!world.findings().is_empty());
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_before_the_hunt() {
    let world = World::with_toyc(&[]);
    world.write("file", "");
    for flag in ["--junit", "--sarif", "--events"] {
        let ran = world.run(&["hunt", "--cases", "5", flag, "file/report"]).expect(3);
        ran.says("cannot write file/report");
    }
    assert!(!world.path("mistrust-out/report.html").exists());
}
