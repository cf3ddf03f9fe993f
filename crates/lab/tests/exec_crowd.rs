//! Concurrent runs do not affect each other, leave no zombies, and do not touch children of other code. This
//! is the only test in its binary, so that it can check every child of the process.

mod exec_bench;

use std::process::{Command, Stdio};
use std::time::Duration;

use exec_bench::{Bench, assert_gone, children, unique_sleep};
use lab::exec::{Ending, Limits, Order};

#[test]
fn concurrent_runs_are_independent() {
    let bench = Bench::new();
    let limits = Limits { wall: Duration::from_secs(3600), ..exec_bench::limits() };
    // A child that the runner did not start, in a session of its own.
    let mut bystander = Command::new("setsid")
        .args(["env", "-i", "sleep", "86400"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    let sleep = unique_sleep();
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (bench, sleep, limits) = (&bench, &sleep, &limits);
            scope.spawn(move || {
                for number in 0..50 {
                    let scratch = bench.runner.scratch().unwrap();
                    let word = format!("{thread}-{number}");
                    let file = scratch.write("word", &word).unwrap();
                    let stray = match number % 5 {
                        0 => format!("setsid sleep {sleep} & "),
                        1 => format!("(env -i setsid sleep {sleep} &) ; "),
                        _ => String::new(),
                    };
                    let script = format!("{stray}cat; cat word >&2; echo x >>word; exit {number}");
                    let order = Order::new(["/bin/sh", "-c", &script]).stdin(word.clone());
                    let run = bench.runner.run(&order.limits(limits.clone()), &scratch).unwrap();
                    assert_eq!(run.ending, Ending::Exited(number));
                    assert_eq!(
                        (run.stdout.text(), run.stderr.text()),
                        (word.clone(), word.clone())
                    );
                    assert_eq!(std::fs::read_to_string(file).unwrap(), format!("{word}x\n"));
                }
            });
        }
    });
    assert_gone(&sleep);
    bench.assert_no_scratch();
    assert_eq!(bench.runner.meter().runs(), 400);
    assert!(bystander.try_wait().unwrap().is_none(), "the bystander was killed");
    // The process that keeps the namespaces of all runs ends with the runner.
    drop(bench);
    let own = std::process::id();
    let left: Vec<_> = children().into_iter().filter(|child| child.2 == own).collect();
    assert_eq!(left.len(), 1, "more than the bystander is left: {left:?}");
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}
