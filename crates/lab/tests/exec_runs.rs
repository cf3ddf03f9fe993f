//! Programs that behave well or badly: each is classified correctly and leaves no process and no directory.

mod exec_bench;

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use exec_bench::{Bench, Running, assert_gone, unique_sleep};
use lab::exec::{Ending, ExecError, Limits, Order, Resource, SandboxPolicy, remove_leftovers};
use lab::stop::Stop;

/// Limits for programs that behave well. The timeout is one that a loaded machine does not reach.
fn limits() -> Limits {
    Limits { wall: Duration::from_secs(3600), ..exec_bench::limits() }
}

#[test]
fn a_run_reports_exit_code_output_and_usage() {
    let bench = Bench::new();
    let order = Order::new(["/bin/sh", "-c", "cat; echo problem >&2; exit 3"]).stdin("hello");
    let run = bench.run(&order.limits(limits()));
    assert_eq!(run.ending, Ending::Exited(3));
    assert_eq!(run.stdout.text(), "hello");
    assert_eq!(run.stderr.text(), "problem\n");
    assert!(run.peak_memory > 0 && run.wall > Duration::ZERO);
    let meter = bench.runner.meter();
    assert_eq!(meter.runs(), 1);
    assert_eq!((meter.wall(), meter.cpu()), (run.wall, run.cpu));
}

#[test]
fn a_signal_is_distinguished_from_an_exit_code() {
    let run = Bench::new().shell("kill -SEGV $$", limits());
    assert_eq!(run.ending, Ending::Signalled(libc::SIGSEGV));
}

#[test]
fn input_and_output_may_exceed_the_capacity_of_a_pipe() {
    let input: Vec<u8> = (0..300_000u32).flat_map(u32::to_le_bytes).collect();
    let order = Order::new(["cat"]).stdin(input.clone()).limits(limits());
    let run = Bench::new().run(&order);
    assert_eq!(run.stdout.total, input.len() as u64);
    assert!(run.stdout.truncated());
}

#[test]
fn unread_input_is_not_an_error() {
    let order = Order::new(["/bin/sh", "-c", "exec <&-; echo fine"]).stdin(vec![b'x'; 1 << 20]);
    let run = Bench::new().run(&order.limits(limits()));
    assert_eq!((run.ending, run.stdout.text().as_str()), (Ending::Exited(0), "fine\n"));
}

#[test]
fn a_hang_times_out_although_it_ignores_signals() {
    let sleep = unique_sleep();
    let script = format!("trap '' TERM INT HUP XCPU; sleep {sleep}; sleep {sleep}");
    let run = Bench::new().shell(&script, Limits { wall: Duration::from_millis(300), ..limits() });
    assert_eq!(run.ending, Ending::TimedOut);
    assert_gone(&sleep);
}

#[test]
fn an_endless_loop_exceeds_its_cpu_time() {
    let limits = Limits { cpu: Duration::from_millis(300), ..limits() };
    let run = Bench::new().shell("while :; do :; done", limits);
    assert_eq!(run.ending, Ending::TimedOut);
    assert!(run.cpu >= Duration::from_millis(250) && run.cpu < Duration::from_secs(10));
}

#[test]
fn children_that_outlive_the_leader_are_killed_without_waiting() {
    let sleep = unique_sleep();
    // They also keep the pipes open. Waiting for them would take a day.
    let script = format!("sleep {sleep} & sleep {sleep} & (sleep {sleep} &) ; echo done");
    let run = Bench::new().shell(&script, limits());
    assert_eq!((run.ending, run.stdout.text().as_str()), (Ending::Exited(0), "done\n"));
    assert_gone(&sleep);
}

#[test]
fn children_that_left_the_process_group_are_killed() {
    let sleep = unique_sleep();
    let script = format!(
        "setsid sh -c ': >a; exec sleep {sleep}' & setsid setsid sh -c ': >b; exec sleep {sleep}' &
         until [ -e a ] && [ -e b ]; do sleep 0.01; done"
    );
    assert_eq!(Bench::new().shell(&script, limits()).ending, Ending::Exited(0));
    assert_gone(&sleep);
}

#[test]
fn a_double_forked_daemon_with_a_cleared_environment_is_killed() {
    let sleep = unique_sleep();
    let daemon = |file| {
        format!(
            "(env -i setsid sh -c ': >{file}; sleep {sleep} & sleep {sleep}' >/dev/null 2>&1 &)"
        )
    };
    // The first one is running when the leader ends; the second one may just be starting.
    let script = format!("{}; until [ -e a ]; do sleep 0.01; done; {}", daemon("a"), daemon("b"));
    let run = Bench::new().shell(&script, limits());
    assert_eq!(run.ending, Ending::Exited(0));
    assert_gone(&sleep);
}

#[test]
fn processes_that_were_started_by_ending_threads_are_killed() {
    let sleep = unique_sleep();
    let program = std::env::current_exe().unwrap().into_os_string();
    let argv = [program, "--ignored".into(), "--exact".into(), "threads_that_fork_and_end".into()];
    let run = Bench::new().run(&Order::new(argv).env("SLEEP", &sleep).limits(limits()));
    assert_eq!(run.ending, Ending::Exited(0), "{}", run.stdout.text());
    assert_gone(&sleep);
}

/// Not a test: the program of the test above. When a thread ends, its children move to another thread.
#[test]
#[ignore = "started by another test"]
fn threads_that_fork_and_end() {
    let Some(sleep) = std::env::var_os("SLEEP") else { return };
    let start = || {
        let mut command = Command::new("setsid");
        command.arg("sleep").arg(&sleep).spawn().unwrap()
    };
    for _ in 0..10 {
        std::thread::scope(|scope| {
            (0..8).for_each(|_| {
                scope.spawn(start);
            });
        });
    }
}

#[test]
fn daemons_count_as_processes_of_the_run() {
    let sleep = unique_sleep();
    let script = format!(
        "for i in 1 2 3 4 5 6 7 8; do (env -i setsid sleep {sleep} &); done; sleep {sleep}"
    );
    let run = Bench::new().shell(&script, Limits { processes: 6, ..limits() });
    assert_eq!(run.ending, Ending::Exceeded(Resource::Processes));
    assert_gone(&sleep);
}

#[test]
fn too_many_processes_are_stopped() {
    let sleep = unique_sleep();
    let script = format!("i=0; while [ $i -lt 500 ]; do sleep {sleep} & i=$((i+1)); done; wait");
    let run = Bench::new().shell(&script, Limits { processes: 50, ..limits() });
    assert_eq!(run.ending, Ending::Exceeded(Resource::Processes));
    assert_gone(&sleep);
}

#[test]
fn a_fork_bomb_is_stopped() {
    // A slow one. A fast one is stopped as well, but slows the machine down for seconds.
    let bomb = "f() { sleep 0.2; f | f & }; f; sleep 86400";
    let run = Bench::new().shell(bomb, Limits { processes: 60, ..limits() });
    assert_eq!(run.ending, Ending::Exceeded(Resource::Processes));
}

#[test]
fn too_much_output_is_stopped() {
    let run = Bench::new().shell("head -c 1000000000 /dev/zero; echo never", limits());
    assert_eq!(run.ending, Ending::Exceeded(Resource::Output));
    assert!(run.stdout.truncated() && run.stdout.bytes.len() < 1 << 20);
    assert!(run.stdout.total > limits().output && run.stdout.total < 200_000_000);
}

#[test]
fn too_large_a_file_is_stopped() {
    let limits = Limits { file_size: 1 << 20, ..limits() };
    let bench = Bench::new();
    let too_large = Ending::Exceeded(Resource::FileSize);
    let write = "head -c 10000000000 /dev/zero >large";
    assert_eq!(bench.shell(&format!("exec {write}"), limits.clone()).ending, too_large);
    assert_eq!(bench.shell(&format!("{write}; exit $?"), limits.clone()).ending, too_large);
    // A program that ignores the signal is recognised by its error message.
    assert_eq!(bench.shell(&format!("trap '' XFSZ; {write}"), limits).ending, too_large);
}

#[test]
fn too_many_large_files_are_stopped() {
    let script = "i=0; while [ $i -lt 400 ]; do head -c 900000 /dev/zero >f$i; i=$((i+1)); done; sleep 86400";
    let run = Bench::new().shell(script, Limits { file_size: 1 << 20, ..limits() });
    assert_eq!(run.ending, Ending::Exceeded(Resource::Disk));
}

#[test]
fn too_much_memory_is_stopped() {
    let limits = Limits { memory: 100 << 20, ..limits() };
    let memory = Ending::Exceeded(Resource::Memory);
    let bench = Bench::new();
    let eat = "my @a; push @a, 'x' x 1000000 while @a < 150; sleep 86400";
    let run = bench.run(&Order::new(["perl", "-e", eat]).limits(limits.clone()));
    assert_eq!(run.ending, memory);
    assert!(run.peak_memory > 100 << 20 && run.peak_memory < 400 << 20);
    // In one allocation, so that the limit that Linux enforces applies first.
    let gulp =
        Order::new(["perl", "-e", "my $a = 'x' x 3000000000; sleep 86400"]).limits(limits.clone());
    assert_eq!(bench.run(&gulp).ending, memory);
    // Several processes that exceed the limit only together.
    let each =
        "for i in 1 2 3 4 5; do perl -e 'my $a = \"x\" x 20000000; sleep 86400' & done; wait";
    assert_eq!(bench.shell(each, limits).ending, memory);
}

#[test]
fn closing_stdout_does_not_end_the_run() {
    let run = Bench::new().shell("exec >&- 2>&-; sleep 0.1; exit 4", limits());
    assert_eq!(run.ending, Ending::Exited(4));
    assert_eq!(run.stdout.total, 0);
}

#[test]
fn invalid_utf8_is_escaped() {
    let run = Bench::new().shell(r"printf '\377a\\'; printf '\376a' >&2", limits());
    assert_eq!(run.stdout.bytes, b"\xffa\\");
    assert_eq!(run.stdout.text(), "\\xffa\\\\");
    assert_eq!(run.stderr.text(), "\\xfea");
}

#[test]
fn the_environment_contains_only_what_is_documented() {
    let bench = Bench::new();
    let scratch = bench.runner.scratch().unwrap();
    let order = Order::new(["/bin/sh", "-c", "env; pwd"]).env("EXTRA", "1").env("LANG", "C");
    let order = order.limits(limits());
    let _running = Running::begin();
    let run = bench.runner.run(&order, &scratch).unwrap();
    let text = run.stdout.text();
    let mut names: Vec<&str> =
        text.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.sort_unstable();
    assert_eq!(names, ["EXTRA", "HOME", "LANG", "MISTRUST_RUN", "PATH", "PWD", "TMPDIR"]);
    let path = scratch.path().display();
    assert!(text.contains(&format!("HOME={path}\n")) && text.contains(&format!("TMPDIR={path}\n")));
    assert!(text.contains("LANG=C\n") && text.ends_with(&format!("{path}\n")));
}

#[test]
fn only_the_standard_streams_are_inherited() {
    let run = Bench::new().shell("exec ls /proc/self/fd", limits());
    // Descriptor 3 is the directory that `ls` itself reads.
    assert_eq!(run.stdout.text(), "0\n1\n2\n3\n");
}

#[test]
fn errors_say_why_a_program_was_not_started() {
    let bench = Bench::new();
    let scratch = bench.runner.scratch().unwrap();
    let _running = Running::begin();
    let start = |argv: &[OsString]| bench.runner.run(&Order::new(argv), &scratch).unwrap_err();
    let missing = start(&["no-such-compiler".into()]);
    assert!(matches!(&missing, ExecError::NotFound { program } if program == "no-such-compiler"));
    assert_eq!(missing.to_string().lines().count(), 1);
    assert!(matches!(start(&["/nowhere/cc".into()]), ExecError::NotFound { .. }));
    assert!(matches!(start(&[]), ExecError::NoProgram));
    let plain = scratch.write("plain", "data").unwrap();
    assert!(matches!(start(&[plain.clone().into()]), ExecError::PermissionDenied { .. }));
    std::fs::set_permissions(&plain, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(start(&[plain.into()]), ExecError::NotExecutable { .. }));
    let script = scratch.write("script", "#!/nowhere/interpreter\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(matches!(start(&[script.into()]), ExecError::NotFound { .. }));
    std::fs::remove_dir_all(scratch.path()).unwrap();
    assert!(matches!(start(&["true".into()]), ExecError::Scratch { .. }));
}

#[test]
fn a_scratch_directory_rejects_outside_names_and_is_removed_although_read_only() {
    let bench = Bench::with(SandboxPolicy::Off);
    let scratch = bench.runner.scratch().unwrap();
    for name in ["", "..", "../out", "/tmp/out", "a/../../out", "."] {
        assert!(scratch.write(name, "").is_err(), "{name:?} was accepted");
    }
    let path = scratch.write("a/b/file", "text").unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "text");
    let script =
        "ln -s /tmp link; mkdir -p locked/deep; : >locked/deep/f; chmod 0 locked/deep locked";
    let _running = Running::begin();
    bench.runner.run(&Order::new(["/bin/sh", "-c", script]), &scratch).unwrap();
    assert!(scratch.write("link/out", "").is_err());
    drop(scratch);
    bench.assert_no_scratch();
}

#[test]
fn only_leftovers_of_dead_processes_are_removed() {
    let bench = Bench::new();
    let alive = bench.runner.scratch().unwrap();
    // Process ids do not go that high.
    for name in ["999999999-0", "notes", "1-0"] {
        std::fs::create_dir(bench.root.path().join(name)).unwrap();
    }
    assert_eq!(remove_leftovers(bench.root.path()).unwrap(), 1);
    assert!(alive.path().is_dir());
    assert!(bench.root.path().join("notes").is_dir() && bench.root.path().join("1-0").is_dir());
    assert_eq!(remove_leftovers(&bench.root.path().join("nowhere")).unwrap(), 0);
}

#[test]
fn nothing_starts_after_the_deadline() {
    let bench = Bench::new();
    assert_eq!(bench.shell("true", limits()).ending, Ending::Exited(0));
    let stop = Stop::default();
    bench.runner.end_with(&stop);
    assert_eq!(bench.shell("true", limits()).ending, Ending::Exited(0));
    stop.set_deadline(std::time::Instant::now());
    let order = Order::new(["true"]).limits(limits());
    let scratch = bench.runner.scratch().unwrap();
    assert!(matches!(bench.runner.run(&order, &scratch), Err(ExecError::Late)));
}

#[test]
fn a_run_is_ended_soon_after_the_request_of_the_user() {
    let bench = Bench::new();
    let stop = Stop::default();
    bench.runner.end_with(&stop);
    let sleep = unique_sleep();
    let scratch = bench.runner.scratch().unwrap();
    let order = Order::new(["sleep", &sleep]).limits(limits());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while exec_bench::count_with_argument(&sleep) == 0 {
                std::thread::yield_now();
            }
            stop.set();
        });
        // Without the request it would take a day.
        assert!(matches!(bench.runner.run(&order, &scratch), Err(ExecError::Late)));
    });
    assert_gone(&sleep);
}
