//! The sandbox forbids what it reports to forbid, and permits what compilers need.

mod exec_bench;

use std::time::Duration;

use exec_bench::Bench;
use lab::exec::{Confined, Ending, ExecError, Limits, Order, SandboxPolicy};

/// The timeout is one that a loaded machine does not reach.
fn limits() -> Limits {
    Limits { wall: Duration::from_secs(3600), ..exec_bench::limits() }
}

#[test]
fn writes_outside_the_scratch_directory_are_forbidden() {
    let bench = Bench::new();
    if !bench.runner.confinement().filesystem.is_yes() {
        return;
    }
    let outside = tempfile::tempdir().unwrap();
    let kept = outside.path().join("kept");
    std::fs::write(&kept, "text").unwrap();
    let path = outside.path().display();
    for attempt in [
        ": >$OUT/new",
        ": >$OUT/kept",
        "echo more >>$OUT/kept",
        "rm $OUT/kept",
        "mkdir $OUT/new",
        "ln -s x $OUT/new",
        "mv $OUT/kept here",
        ": >here; mv here $OUT/new",
        "mkfifo $OUT/new",
        ": >/dev/shm/mistrust-test",
    ] {
        let script = format!("OUT={path}; {attempt}");
        let order = Order::new(["/bin/sh", "-c", &script]).limits(limits());
        let scratch = bench.runner.scratch().unwrap();
        match bench.runner.run(&order, &scratch) {
            Ok(run) => assert!(!run.ending.success(), "{attempt} was permitted"),
            // It has said that the file system is read-only, which is not its fault.
            Err(error) => assert!(matches!(error, ExecError::Starved { .. }), "{error}"),
        }
    }
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "text");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn what_a_compiler_needs_is_permitted() {
    let script = "mkdir a b && echo x >a/f && mv a/f b/g && ln b/g b/h && : >b/g && rm -r b \
        && echo gone >/dev/null && echo seen >/dev/stderr && echo seen >/proc/self/fd/1 \
        && cat /etc/passwd >copy && cp /bin/true . && ./true";
    let run = Bench::new().shell(script, limits());
    assert_eq!((run.ending, run.stderr.text().as_str()), (Ending::Exited(0), "seen\n"));
    assert_eq!(run.stdout.text(), "seen\n");
}

#[test]
fn the_network_is_unreachable() {
    let bench = Bench::new();
    if !bench.runner.confinement().network.is_yes() {
        return;
    }
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let script = format!(
        "perl -MIO::Socket::INET -e 'exit(IO::Socket::INET->new(\"127.0.0.1:{port}\") ? 0 : 7)'"
    );
    assert_eq!(bench.shell(&script, limits()).ending, Ending::Exited(7));
    // Without the sandbox the connection succeeds.
    let open = Bench::with(SandboxPolicy::Off);
    assert_eq!(open.shell(&script, limits()).ending, Ending::Exited(0));
    let interfaces = bench.shell("tail -n +3 /proc/self/net/dev | cut -d: -f1", limits());
    assert_eq!(interfaces.stdout.text().trim(), "lo");
}

#[test]
fn other_processes_cannot_be_signalled() {
    let bench = Bench::new();
    let Confined::Yes(landlock) = &bench.runner.confinement().filesystem else { return };
    let abi: u32 = landlock.rsplit(' ').next().unwrap().parse().unwrap();
    if abi >= 6 {
        let script = format!("kill -0 {} 2>/dev/null && exit 1; kill -0 $$", std::process::id());
        assert_eq!(bench.shell(&script, limits()).ending, Ending::Exited(0));
    }
}

/// Runs a system call from Perl, which prints the number of its error, or 0.
fn system_call(number: i64, arguments: &str) -> String {
    format!("perl -e '$! = 0; syscall({number}, {arguments}); printf \"%d\", $!'")
}

#[test]
fn system_calls_on_others_are_forbidden() {
    let bench = Bench::new();
    if !bench.runner.confinement().system_calls.is_yes() {
        return;
    }
    let ours = std::process::id();
    // A soft and a hard limit of 1000 s.
    let limit = "my $l = pack(\"QQ\", 1000, 1000)";
    for (what, number, arguments) in [
        ("a limit of ours", libc::SYS_prlimit64, format!("{ours}, 0, {limit}, 0")),
        ("the mark of a run", libc::SYS_prlimit64, format!("0, 10, {limit}, 0")),
        ("the mark of a run", libc::SYS_setrlimit, format!("10, {limit}")),
        ("our priority", libc::SYS_setpriority, format!("0, {ours}, 19")),
        ("our cores", libc::SYS_sched_setaffinity, format!("{ours}, 8, my $c = pack(\"Q\", 1)")),
        ("a socket", libc::SYS_socket, "1, 1, 0".to_owned()),
        ("shared memory that stays", libc::SYS_shmget, "0, 4096, 0x3ff".to_owned()),
        ("a namespace", libc::SYS_unshare, "0x10000000".to_owned()),
        ("a device", libc::SYS_mknodat, "-100, my $n = \"device\", 0x61b6, 0x700".to_owned()),
        ("a control of a terminal", libc::SYS_ioctl, "0, 0x5412, my $c = \"x\"".to_owned()),
        ("a BPF program", libc::SYS_bpf, "0, 0, 0".to_owned()),
        ("an io_uring", libc::SYS_io_uring_setup, "1, my $p = \"\\0\" x 120".to_owned()),
    ] {
        let run = bench.shell(&system_call(number, &arguments), limits());
        assert_eq!(run.stdout.text(), libc::EPERM.to_string(), "{what}: {}", run.stderr.text());
    }
}

#[test]
fn system_calls_of_compilers_are_permitted() {
    let bench = Bench::new();
    // Open files.
    let limit = "my $l = pack(\"QQ\", 100, 100)";
    for (what, number, arguments) in [
        ("a lower limit of its own", libc::SYS_prlimit64, format!("0, 7, {limit}, 0")),
        ("a pair of sockets", libc::SYS_socketpair, "1, 1, 0, my $p = pack(\"Q\", 0)".to_owned()),
        ("a pipe", libc::SYS_mknodat, "-100, my $n = \"pipe\", 0x11b6, 0".to_owned()),
        ("its own priority", libc::SYS_setpriority, "0, 0, 19".to_owned()),
    ] {
        let run = bench.shell(&system_call(number, &arguments), limits());
        assert_eq!(run.stdout.text(), "0", "{what}: {}", run.stderr.text());
    }
}

#[test]
fn a_disabled_sandbox_reports_so_and_confines_nothing() {
    let bench = Bench::with(SandboxPolicy::Off);
    let off = Confined::No("the sandbox is turned off".to_owned());
    assert_eq!(bench.runner.confinement().filesystem, off);
    assert_eq!(bench.runner.confinement().network, off);
    assert_eq!(bench.runner.confinement().system_calls, off);
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().join("file");
    bench.shell(&format!(": >{}", path.display()), limits());
    assert!(path.exists());
}

#[test]
fn confining_a_child_does_not_confine_the_parent() {
    Bench::new().shell("true", limits());
    assert!(nix::sys::prctl::get_dumpable().unwrap());
    assert!(!nix::sys::prctl::get_no_new_privs().unwrap());
    tempfile::tempfile().unwrap();
    std::net::TcpListener::bind("127.0.0.1:0").unwrap();
}
