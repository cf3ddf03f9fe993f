//! Measures the overhead of the runner over `std::process::Command`, with and without the sandbox:
//! `cargo bench -p lab --bench exec_overhead`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints its results")]

#[path = "../tests/exec_bench/mod.rs"]
mod exec_bench;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use exec_bench::Bench;
use lab::exec::{Host, HostOrder, Limits, Order, Runner, SandboxPolicy};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

const ROUNDS: u32 = 500;

fn main() {
    let confined = Bench::new();
    let open = Bench::with(SandboxPolicy::Off);
    let shared = Bench::with(SandboxPolicy::WithoutIsolation);
    println!("{:?}", confined.runner.confinement());
    let order = Order::new(["/bin/true"]);
    let plain = || {
        Command::new("/bin/true")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .unwrap();
    };
    let run = |runner: &Runner| {
        let scratch = runner.scratch().unwrap();
        runner.run(&order, &scratch).unwrap();
    };
    for _ in 0..2 {
        measure("plain std::process", plain);
        measure("runner, no sandbox", || run(&open.runner));
        measure("runner, sandbox without own namespaces", || run(&shared.runner));
        measure("runner, sandbox", || run(&confined.runner));
    }
    let mut other = Command::new("sleep").arg("86400").spawn().unwrap();
    measure("runner, sandbox, while another child is alive", || run(&confined.runner));
    other.kill().unwrap();
    other.wait().unwrap();
    let argv = ["cat"].map(Into::into).to_vec();
    let order = HostOrder { argv, env: vec![], limits: Limits::default(), requests_per_life: 0 };
    let mut host = Host::new(&confined.runner, order);
    let request = serde_json::json!({ "hello": [1, 2, 3] });
    measure("a request to a host", || {
        host.ask(&request, Duration::from_secs(60)).unwrap();
    });
    let ballast = vec![1u8; 512 << 20];
    measure("plain std::process, with 512 MiB of our own", plain);
    measure("runner, with 512 MiB of our own", || run(&confined.runner));
    assert_eq!(ballast[ballast.len() - 1], 1);
}

fn measure(what: &str, mut act: impl FnMut()) {
    act();
    let cpu = |who| {
        let usage = getrusage(who).unwrap();
        (usage.user_time() + usage.system_time()).num_microseconds()
    };
    let both = || [cpu(UsageWho::RUSAGE_SELF), cpu(UsageWho::RUSAGE_CHILDREN)];
    let (before, start) = (both(), Instant::now());
    (0..ROUNDS).for_each(|_| act());
    let wall = start.elapsed() / ROUNDS;
    let [own, children] = both();
    println!(
        "{what:48} {:6} µs wall {:5} µs own CPU {:5} µs children's CPU",
        wall.as_micros(),
        (own - before[0]) / i64::from(ROUNDS),
        (children - before[1]) / i64::from(ROUNDS),
    );
}
