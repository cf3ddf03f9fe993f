//! Hosts answer requests, and a failure of a host affects only one request.

mod exec_bench;

use std::path::Path;
use std::time::Duration;

use exec_bench::{Bench, Running, assert_gone, assert_no_zombie, unique_sleep};
use lab::exec::{Ending, Host, HostFailure, HostOrder, Limits, Resource};
use serde_json::{Value, json};

/// Longer than a loaded machine needs for anything.
const PATIENT: Duration = Duration::from_secs(3600);

/// A host as a shell script that echoes requests, except those that tell it to misbehave.
const ECHO: &str = r#"
    while read -r line; do
        case $line in
            *die*) echo "fatal error" >&2; exit 3;;
            *crash*) kill -SEGV $$;;
            *leave*) echo '"last answer"'; exit 0;;
            *hang*) sleep $SLEEP;;
            *daemon*) setsid sleep $SLEEP & sleep $SLEEP;;
            *garble*) echo 'this is not JSON';;
            *twice*) echo '"one"'; echo '"two"'; : >printed;;
            *flood*) exec head -c 1000000000 /dev/zero;;
            *complain*) exec head -c 1000000000 /dev/zero >&2;;
            *eat*) exec perl -e 'my @a; push @a, "x" x 1000000 while @a < 150; sleep 86400';;
            *spin*) while :; do :; done;;
            *) printf '%s\n' "$line";;
        esac
    done
"#;

fn limits() -> Limits {
    Limits { wall: PATIENT, ..exec_bench::limits() }
}

struct HostBench {
    bench: Bench,
    host: Host,
    sleep: String,
    running: Running,
}

fn start(limits: Limits, requests_per_life: u32) -> HostBench {
    let bench = Bench::new();
    let sleep = unique_sleep();
    let order = HostOrder {
        argv: ["/bin/sh", "-c", ECHO].map(Into::into).to_vec(),
        env: vec![("SLEEP".into(), (&sleep).into())],
        limits,
        requests_per_life,
    };
    let running = Running::begin();
    HostBench { host: Host::new(&bench.runner, order), bench, sleep, running }
}

impl HostBench {
    fn ask(&mut self, word: &str) -> Result<Value, HostFailure> {
        self.host.ask(&json!({ "word": word }), PATIENT)
    }

    fn assert_answers(&mut self) {
        match self.ask("hello\n wörld") {
            Ok(answer) => assert_eq!(answer, json!({ "word": "hello\n wörld" })),
            Err(failure) => panic!("{failure:?}"),
        }
    }

    /// Drops the host and checks that it leaves no process and no directory.
    fn finish(self) {
        drop((self.host, self.running));
        self.bench.assert_no_scratch();
        assert_gone(&self.sleep);
        assert_no_zombie();
    }
}

#[test]
fn one_process_answers_all_requests() {
    let mut bench = start(limits(), 0);
    assert_eq!(bench.host.lives(), 0);
    for _ in 0..100 {
        bench.assert_answers();
    }
    assert_eq!(bench.host.lives(), 1);
    assert_eq!(bench.bench.runner.meter().runs(), 100);
    assert!(bench.host.scratch().unwrap().is_dir());
    bench.finish();
}

#[test]
fn a_large_request_gets_a_large_answer() {
    let mut bench = start(limits(), 0);
    let large = json!("x".repeat(300_000));
    assert_eq!(bench.host.ask(&large, PATIENT).unwrap(), large);
    bench.finish();
}

#[test]
fn a_death_fails_only_the_current_request() {
    let mut bench = start(limits(), 0);
    bench.assert_answers();
    match bench.ask("die") {
        Err(HostFailure::Died { ending: Ending::Exited(3), stderr }) => {
            assert_eq!(stderr, "fatal error\n");
        }
        other => panic!("{other:?}"),
    }
    bench.assert_answers();
    let crash = bench.ask("crash");
    assert!(matches!(
        crash,
        Err(HostFailure::Died { ending: Ending::Signalled(libc::SIGSEGV), .. })
    ));
    bench.assert_answers();
    assert_eq!(bench.ask("leave").unwrap(), json!("last answer"));
    bench.assert_answers();
    assert_eq!(bench.host.lives(), 4);
    bench.finish();
}

#[test]
fn a_hang_times_out_and_its_descendants_are_killed() {
    let mut bench = start(limits(), 0);
    for word in ["hang", "daemon"] {
        let answer = bench.host.ask(&json!(word), Duration::from_millis(300));
        assert!(matches!(answer, Err(HostFailure::TimedOut)));
        assert_gone(&bench.sleep);
    }
    bench.assert_answers();
    bench.finish();
}

#[test]
fn the_process_is_replaced_after_the_given_number_of_requests() {
    let mut bench = start(limits(), 3);
    (0..7).for_each(|_| bench.assert_answers());
    assert_eq!(bench.host.lives(), 3);
    bench.finish();
}

#[test]
fn an_answer_that_is_not_json_is_garbled() {
    let mut bench = start(limits(), 0);
    match bench.ask("garble") {
        Err(HostFailure::Garbled { line }) => assert_eq!(line, "this is not JSON"),
        other => panic!("{other:?}"),
    }
    bench.assert_answers();
    bench.finish();
}

#[test]
fn surplus_output_is_not_the_answer_to_the_next_request() {
    let mut bench = start(limits(), 0);
    assert_eq!(bench.ask("twice").unwrap(), json!("one"));
    let printed = bench.host.scratch().unwrap().join("printed");
    wait_until(|| printed.exists());
    bench.assert_answers();
    bench.finish();
}

#[test]
fn too_much_output_is_stopped() {
    let mut bench = start(Limits { output: 1 << 20, ..limits() }, 0);
    for word in ["flood", "complain"] {
        let answer = bench.ask(word);
        assert!(matches!(answer, Err(HostFailure::Exceeded(Resource::Output))), "{answer:?}");
        bench.assert_answers();
    }
    bench.finish();
}

#[test]
fn too_much_memory_is_stopped() {
    let mut bench = start(Limits { memory: 100 << 20, ..limits() }, 0);
    let answer = bench.ask("eat");
    assert!(matches!(answer, Err(HostFailure::Exceeded(Resource::Memory))), "{answer:?}");
    bench.assert_answers();
    bench.finish();
}

#[test]
fn cpu_time_is_limited_per_request() {
    let mut bench = start(Limits { cpu: Duration::from_millis(300), ..limits() }, 0);
    bench.assert_answers();
    let answer = bench.ask("spin");
    assert!(matches!(answer, Err(HostFailure::TimedOut)), "{answer:?}");
    assert!(bench.bench.runner.meter().cpu() > Duration::from_millis(200));
    bench.assert_answers();
    bench.finish();
}

#[test]
fn a_host_outlives_the_thread_of_the_first_request() {
    let mut bench = start(limits(), 0);
    let (mut bench, thread) = std::thread::spawn(move || {
        bench.assert_answers();
        (bench, nix::unistd::gettid())
    })
    .join()
    .unwrap();
    // Linux sends parent-death signals before it removes the thread.
    wait_until(|| !Path::new(&format!("/proc/self/task/{thread}")).exists());
    bench.assert_answers();
    assert_eq!(bench.host.lives(), 1);
    bench.finish();
}

#[test]
fn a_host_that_cannot_be_started_is_an_error() {
    let bench = Bench::new();
    let argv = vec!["no-such-host".into()];
    let order = HostOrder { argv, env: vec![], limits: limits(), requests_per_life: 0 };
    let _running = Running::begin();
    let answer = Host::new(&bench.runner, order).ask(&json!(1), PATIENT);
    assert!(matches!(answer, Err(HostFailure::Exec(lab::exec::ExecError::NotFound { .. }))));
    bench.assert_no_scratch();
}

/// Without a deadline, which a loaded machine could miss.
fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::sleep(Duration::from_millis(2));
    }
}
