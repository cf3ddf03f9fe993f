//! A hunt can be interrupted at any time, and a later run continues it.

use std::os::unix::process::ExitStatusExt as _;
use std::time::{Duration, Instant};

use crate::world::{Ran, World, essence};

const BUGS: &[&str] =
    &["--bug", "crash-shl", "--bug", "reject-equal", "--bug", "wrong-sub", "--bug", "wrong-all"];
const HUNT: &[&str] = &["hunt", "--cases", "400", "--jobs", "2", "--quiet"];

/// Pseudo-random delays, the same in every run of the test.
fn delays() -> impl Iterator<Item = Duration> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Duration::from_millis(20 + state % 300)
    })
}

#[test]
fn a_hunt_that_is_killed_twenty_times_ends_with_the_same_findings() {
    let world = World::with_toyc(BUGS);
    let undisturbed = [HUNT, &["--out", "undisturbed"]].concat();
    world.run(&undisturbed).expect(1);
    let mut killed = 0;
    for delay in delays().take(20) {
        let mut child = world.command(HUNT).stderr(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(delay);
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().signal() == Some(9));
    }
    assert!(killed >= 10, "only {killed} of 20 were still running when they were killed");
    world.run(HUNT).expect(1);
    world.assert_nothing_is_left();
    let (disturbed, undisturbed) = (world.findings(), world.findings_in("undisturbed"));
    assert_eq!(essence(&disturbed), essence(&undisturbed));
}

#[test]
fn an_interrupt_finishes_running_cases_and_the_next_run_continues() {
    let world = World::with_toyc(BUGS);
    let hunt = ["hunt", "--cases", "2000", "--jobs", "2"];
    let child = world
        .command(&hunt)
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    world.wait_for("a finding", |world| world.path("mistrust-out/findings").exists());
    nix::sys::signal::kill(
        nix::unistd::Pid::from_raw(child.id() as i32),
        nix::sys::signal::Signal::SIGINT,
    )
    .unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap());
    assert!(ran.code == Some(1) || ran.code == Some(0), "{ran:?}");
    ran.says("finishing the running cases").says("interrupted after");
    world.assert_nothing_is_left();
    world.run(&["hunt", "--cases", "100", "--jobs", "2"]).says("resum");
}

#[test]
fn the_next_hunt_kills_the_orphans_of_a_killed_hunt() {
    let world = World::with_toyc(&[]);
    let scratch = world.path("mistrust-out/scratch");
    // What a killed hunt leaves: the scratch directory of a dead process, and an orphan of its compiler.
    let dead = std::process::Command::new("true").spawn().map(|mut child| {
        child.wait().unwrap();
        child.id()
    });
    let dead = dead.unwrap();
    let left = scratch.join(format!("{dead}-0"));
    std::fs::create_dir_all(&left).unwrap();
    let mut orphan = std::process::Command::new("sleep")
        .arg("3600")
        .env("HOME", &left)
        .env("MISTRUST_RUN", format!("{dead}-abc"))
        .spawn()
        .unwrap();
    // A process with the same home but without our mark is not an orphan.
    let mut bystander =
        std::process::Command::new("sleep").arg("3600").env("HOME", &left).spawn().unwrap();
    world.run(&["hunt", "--cases", "5"]).expect(0);
    let lives = |child: &mut std::process::Child| child.try_wait().unwrap().is_none();
    let (orphan_lives, bystander_lives) = (lives(&mut orphan), lives(&mut bystander));
    for mut child in [orphan, bystander] {
        let _ = child.kill();
        child.wait().unwrap();
    }
    assert!(!orphan_lives && bystander_lives, "only the orphan is killed");
    assert!(!left.exists());
}

#[test]
fn a_second_interrupt_exits_at_once() {
    let world = World::with_toyc(&["--misbehave", "hang"]);
    let child = world
        .command(&["hunt", "--cases", "10", "--jobs", "1"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    world.wait_for("a compiler that runs", |world| {
        let scratch = std::fs::read_dir(world.path("mistrust-out/scratch"));
        scratch.is_ok_and(|mut entries| entries.next().is_some())
    });
    std::thread::sleep(Duration::from_millis(300));
    let began = Instant::now();
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    // Waiting for the compiler would have taken much longer.
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[test]
fn a_finished_hunt_does_nothing_and_a_longer_one_continues() {
    let world = World::with_toyc(BUGS);
    world.run(&["hunt", "--cases", "50"]).expect(1);
    let before = essence(&world.findings());
    let began = Instant::now();
    world.run(&["hunt", "--cases", "50"]).expect(1).says("0 cases");
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(essence(&world.findings()), before);
    world.run(&["hunt", "--cases", "100"]).expect(1);
    world.run(&["hunt", "--cases", "100", "--out", "at-once"]).expect(1);
    assert_eq!(essence(&world.findings()), essence(&world.findings_in("at-once")));
}

#[test]
fn time_limits_a_hunt() {
    let world = World::with_toyc(&[]);
    let began = Instant::now();
    world.run(&["hunt", "--time", "1s"]).expect(0).says("time");
    assert!(began.elapsed() >= Duration::from_secs(1));
}

#[test]
fn an_interrupt_does_not_wait_for_a_compiler_that_hangs() {
    let world = World::with_toyc(&["--misbehave", "hang"]);
    let config = world.read("mistrust.toml");
    world.write("mistrust.toml", &format!("[limits]\ncompile-time = '1h'\n{config}"));
    let child = world
        .command(&["hunt", "--cases", "10", "--jobs", "1"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    world.wait_for("a compiler that runs", |world| {
        let scratch = std::fs::read_dir(world.path("mistrust-out/scratch"));
        scratch.is_ok_and(|mut entries| entries.next().is_some())
    });
    std::thread::sleep(Duration::from_millis(300));
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    // Without the interrupt this would take an hour.
    child.wait_with_output().unwrap();
    world.assert_nothing_is_left();
}

/// Leftovers of commands without an output folder are removed by the next one.
#[test]
fn what_a_killed_command_leaves_in_the_temporary_folder_is_removed() {
    let world = World::with_toyc(&[]);
    let temporary = world.path("tmp");
    let mut dead = std::process::Command::new("true").spawn().unwrap();
    dead.wait().unwrap();
    let left = temporary.join(format!("mistrust-{}-abc", dead.id()));
    let others = temporary.join("mistrust-notes");
    std::fs::create_dir_all(left.join("scratch").join(format!("{}-0", dead.id()))).unwrap();
    std::fs::create_dir_all(&others).unwrap();
    let mut doctor = world.command(&["doctor", "--offline"]);
    Ran::of(&doctor.env("TMPDIR", &temporary).output().unwrap());
    assert!(!left.exists() && others.exists());
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 1);
}
