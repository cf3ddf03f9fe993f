//! The sandbox forbids what it reports to forbid, and permits what compilers need.

mod exec_bench;

use std::time::Duration;

use exec_bench::Bench;
use lab::exec::{Confined, Ending, Limits, SandboxPolicy};

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
        let run = bench.shell(&format!("OUT={path}; {attempt}"), limits());
        assert!(!run.ending.success(), "{attempt} was permitted");
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

#[test]
fn a_disabled_sandbox_reports_so_and_confines_nothing() {
    let bench = Bench::with(SandboxPolicy::Off);
    let off = Confined::No("the sandbox is turned off".to_owned());
    assert_eq!(bench.runner.confinement().filesystem, off);
    assert_eq!(bench.runner.confinement().network, off);
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
