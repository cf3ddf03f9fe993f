//! When we are killed, what we started dies too, and what we left on disk is found later.

mod exec_bench;

use std::process::Command;
use std::time::{Duration, Instant};

use exec_bench::{assert_gone, count_with_argument, limits, unique_sleep};
use lab::exec::{Host, HostOrder, Order, Runner, SandboxPolicy, remove_leftovers};

#[test]
fn a_killed_runner_takes_its_children_along() {
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
    assert_gone(&sleep);
    assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 2);
    assert_eq!(remove_leftovers(root.path()).unwrap(), 2);
}

/// Not a test of its own: the process that is killed above, with one run and one host.
#[test]
#[ignore = "started by the other test"]
fn victim() {
    let (Some(root), Some(sleep)) =
        (std::env::var_os("VICTIM_ROOT"), std::env::var_os("VICTIM_SLEEP"))
    else {
        return;
    };
    let runner = Runner::new(root, SandboxPolicy::BestEffort).unwrap();
    let argv = vec!["sleep".into(), sleep.clone()];
    let order = HostOrder { argv, env: vec![], limits: limits(), requests_per_life: 0 };
    let mut host = Host::new(&runner, order);
    std::thread::spawn(move || host.ask(&serde_json::json!(1), Duration::from_secs(60)));
    let scratch = runner.scratch().unwrap();
    let _ = runner.run(&Order::new(["sleep".into(), sleep]), &scratch);
}

fn wait_until(condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "it did not come to pass");
        std::thread::sleep(Duration::from_millis(5));
    }
}
