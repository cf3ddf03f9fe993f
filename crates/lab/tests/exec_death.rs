//! When the runner is killed, the processes that it started die, and a later process removes its scratch
//! directories and kills the processes that are left.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod exec_bench;

use std::process::Command;
use std::time::Duration;

use exec_bench::{Bench, assert_gone, count_with_argument, unique_sleep};
use lab::exec::{Host, HostOrder, Limits, Order, Runner, SandboxPolicy, remove_leftovers};
use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};

/// Longer than a loaded machine needs for anything.
const PATIENT: Duration = Duration::from_secs(3600);

#[test]
fn children_of_a_killed_runner_die() {
    let root = tempfile::tempdir().unwrap();
    let sleep = unique_sleep();
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "victim"])
        .env("VICTIM_ROOT", root.path())
        .env("VICTIM_SLEEP", &sleep)
        .spawn()
        .unwrap();
    wait_until(|| count_with_argument(&sleep) == 2);
    victim.kill().unwrap();
    victim.wait().unwrap();
    wait_until(|| count_with_argument(&sleep) == 0);
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 2);
    assert_eq!(remove_leftovers(root.path()).unwrap(), 2);
}

/// The processes of a run whose environment names it, and of one that cleared its environment and left the session.
fn kill_a_runner_with_descendants(policy: &str) -> (tempfile::TempDir, String) {
    let root = tempfile::tempdir().unwrap();
    let sleep = unique_sleep();
    // Where the mark cannot be a limit, there is only the environment.
    let (_, ceiling) = getrlimit(Resource::RLIMIT_LOCKS).unwrap();
    let clear = if ceiling == RLIM_INFINITY { "env -i" } else { "" };
    let script = format!("sleep {sleep} & {clear} setsid sleep {sleep} & sleep {sleep}");
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "victim_with_descendants"])
        .env("VICTIM_ROOT", root.path())
        .env("VICTIM_SCRIPT", &script)
        .env("VICTIM_POLICY", policy)
        .spawn()
        .unwrap();
    wait_until(|| count_with_argument(&sleep) == 3);
    victim.kill().unwrap();
    victim.wait().unwrap();
    (root, sleep)
}

/// Without namespaces, the leader of a run dies with the runner, but its descendants are only found by their mark.
#[test]
fn descendants_left_by_a_killed_runner_are_killed_with_its_leftovers() {
    let (root, sleep) = kill_a_runner_with_descendants("shared");
    assert_eq!(remove_leftovers(root.path()).unwrap(), 1);
    assert_gone(&sleep);
}

#[test]
fn descendants_in_a_namespace_die_with_a_killed_runner() {
    let bench = Bench::new();
    if !bench.runner.confinement().processes.is_yes() {
        return;
    }
    let (root, sleep) = kill_a_runner_with_descendants("isolated");
    wait_until(|| count_with_argument(&sleep) == 0);
    assert_eq!(remove_leftovers(root.path()).unwrap(), 1);
}

/// Not a test: the process that is killed above, with one run and one host.
#[test]
#[ignore = "started by another test"]
fn victim() {
    let (Some(root), Some(sleep)) =
        (std::env::var_os("VICTIM_ROOT"), std::env::var_os("VICTIM_SLEEP"))
    else {
        return;
    };
    let runner = Runner::new(root, SandboxPolicy::BestEffort).unwrap();
    let limits = Limits { wall: PATIENT, ..exec_bench::limits() };
    let argv = vec!["sleep".into(), sleep.clone()];
    let order = HostOrder { argv, env: vec![], limits: limits.clone(), requests_per_life: 0 };
    let mut host = Host::new(&runner, order);
    std::thread::spawn(move || host.ask(&serde_json::json!(1), PATIENT));
    let scratch = runner.scratch().unwrap();
    let _ = runner.run(&Order::new(["sleep".into(), sleep]).limits(limits), &scratch);
}

/// Not a test: the process that is killed above, with one run of a shell script.
#[test]
#[ignore = "started by another test"]
fn victim_with_descendants() {
    let (Some(root), Some(script)) =
        (std::env::var_os("VICTIM_ROOT"), std::env::var_os("VICTIM_SCRIPT"))
    else {
        return;
    };
    let policy = match std::env::var("VICTIM_POLICY").unwrap().as_str() {
        "shared" => SandboxPolicy::WithoutIsolation,
        _ => SandboxPolicy::BestEffort,
    };
    let runner = Runner::new(root, policy).unwrap();
    let limits = Limits { wall: PATIENT, ..exec_bench::limits() };
    let order = Order::new(["/bin/sh".into(), "-c".into(), script]).limits(limits);
    let scratch = runner.scratch().unwrap();
    let _ = runner.run(&order, &scratch);
}

/// Without a deadline, which a loaded machine could miss.
fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::sleep(Duration::from_millis(5));
    }
}
