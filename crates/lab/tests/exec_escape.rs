//! The escape suite: small hostile programs, one per way out of a sandbox. Each is contained, and leaves nothing: no process,
//! no shared memory, no file, no lock. The same tests run as an ordinary user, in a child of this process.
//!
//! Programs are scripts of Perl and the shell, because these are everywhere.

mod exec_bench;

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use exec_bench::{Bench, assert_gone, unique_sleep};
use lab::exec::{Ending, ExecError, Limits, Order, Resource, Run, Runner, SandboxPolicy, View};
use nix::unistd::geteuid;

/// The timeout is one that a loaded machine does not reach.
fn limits() -> Limits {
    Limits { wall: Duration::from_secs(3600), ..exec_bench::limits() }
}

/// Set where namespaces are known to work.
const EXPECTED: &str = "MISTRUST_EXPECT_NAMESPACES";

/// A bench with namespaces for each run, or nothing where the system refuses them.
fn isolated() -> Option<Bench> {
    let bench = Bench::new();
    let processes = &bench.runner.confinement().processes;
    let is_expected = std::env::var_os(EXPECTED).is_some();
    assert!(!is_expected || processes.is_yes(), "{processes:?}");
    processes.is_yes().then_some(bench)
}

fn perl(bench: &Bench, script: &str, limits: Limits) -> Run {
    bench.run(&Order::new(["perl", "-e", script]).limits(limits))
}

/// Runs a system call from Perl, which prints the number of its error, or 0.
fn errno(bench: &Bench, number: i64, arguments: &str) -> i32 {
    let script = format!("$! = 0; syscall({number}, {arguments}); printf \"%d\", $!");
    let run = perl(bench, &script, limits());
    run.stdout.text().parse().unwrap_or_else(|_| panic!("{}", run.stderr.text()))
}

/// A daemon that drops everything by which it could be known: environment, session, group, and our mark.
#[test]
fn a_daemon_that_drops_all_marks_ends_with_its_run() {
    let Some(bench) = isolated() else { return };
    let sleep = unique_sleep();
    let script = format!(
        "use POSIX 'setsid'; if (!fork) {{ setsid; %ENV = (); exit if fork; \
         syscall({}, 0, 10, my $l = pack('QQ', 5, 5), 0); open(F, '>ready'); close(F); \
         exec 'sleep', '{sleep}' }} select(undef, undef, undef, 0.01) until -e 'ready'",
        libc::SYS_prlimit64
    );
    assert_eq!(perl(&bench, &script, limits()).ending, Ending::Exited(0));
    assert_gone(&sleep);
}

#[test]
fn hundreds_of_daemons_count_as_processes() {
    let Some(bench) = isolated() else { return };
    let sleep = unique_sleep();
    let script = format!(
        "use POSIX 'setsid'; for (1..600) {{ if (!fork) {{ setsid; %ENV = (); exit if fork; \
         exec 'sleep', '{sleep}' }} }} sleep 86400"
    );
    let run = perl(&bench, &script, Limits { processes: 50, ..limits() });
    assert_eq!(run.ending, Ending::Exceeded(Resource::Processes));
    assert_gone(&sleep);
}

/// The first process of the namespace is ours; a program can end its own run by it, and nothing else.
#[test]
fn our_first_process_cannot_be_read_or_kept_from_ending() {
    let Some(bench) = isolated() else { return };
    let script = "kill 'KILL', 1; kill 'STOP', 1; kill 'SEGV', 1; \
        print((open(F, '<', '/proc/1/environ') && read(F, $b, 1)) || 0, ' '); \
        print((open(F, '<', '/proc/1/mem')) || 0, ' '); \
        $! = 0; syscall(101, 16, 1, 0, 0); print $! ? 'refused' : 'attached'";
    let run = perl(&bench, script, limits());
    assert_eq!(run.stdout.text(), "0 0 refused", "{}", run.stderr.text());
    // Landlock may forbid it; otherwise the program has asked for its own end.
    let ending = bench.shell("kill -TERM 1 2>/dev/null; exit 5", limits()).ending;
    assert!(matches!(ending, Ending::Exited(5) | Ending::Signalled(libc::SIGKILL)), "{ending:?}");
}

#[test]
fn other_processes_are_not_seen() {
    let Some(bench) = isolated() else { return };
    if !bench.runner.confinement().process_table.is_yes() {
        return;
    }
    let run = bench.shell("echo /proc/[0-9]*; echo $PPID", limits());
    assert_eq!(run.stdout.text(), "/proc/1 /proc/2\n1\n");
    let ours = std::process::id();
    let run = bench.shell(&format!("cat /proc/{ours}/environ"), limits());
    assert!(!run.ending.success() && run.stdout.total == 0);
    assert_eq!(errno(&bench, libc::SYS_kill, &format!("{ours}, 0")), libc::ESRCH);
}

#[test]
fn programs_have_no_rights() {
    let Some(bench) = isolated() else { return };
    let script = "grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status; id -u";
    let text = bench.shell(script, limits()).stdout.text();
    let none = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"];
    for set in none {
        assert!(text.contains(&format!("{set}:\t0000000000000000\n")), "{text}");
    }
    assert!(text.contains("NoNewPrivs:\t1\n") && !text.ends_with("\n0\n"), "{text}");
}

/// As root, these worked before.
#[test]
fn the_system_cannot_be_changed() {
    let Some(bench) = isolated() else { return };
    let name = || std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let before = name();
    for (what, number, arguments) in [
        ("a device", libc::SYS_mknodat, "-100, my $n = 'disk', 0x61b6, 0x700"),
        ("the host name", libc::SYS_sethostname, "my $n = 'x', 1"),
        ("a mount", libc::SYS_mount, "my $a = 'none', my $b = '/tmp', my $c = 'tmpfs', 0, 0"),
        ("a user namespace", libc::SYS_unshare, "0x10000000"),
        ("a new process in one", libc::SYS_clone, "0x10000011, 0, 0, 0, 0"),
        ("the time", libc::SYS_clock_settime, "0, my $t = pack('QQ', 1, 1)"),
        ("a large pipe", libc::SYS_fcntl, "0, 1031, 1048576"),
        ("a message queue", libc::SYS_mq_open, "my $n = 'x', 0x42, 0x180, 0"),
    ] {
        assert_eq!(errno(&bench, number, arguments), libc::EPERM, "{what}");
    }
    for file in ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/sys/power/state"] {
        let script = format!("print open(F, '>', '{file}') ? 'opened' : 'refused'");
        assert_eq!(perl(&bench, &script, limits()).stdout.text(), "refused", "{file}");
    }
    assert_eq!(name(), before);
}

/// Modes, owners, times and attributes of files outside, which landlock does not cover.
#[test]
fn the_metadata_of_files_outside_cannot_be_changed() {
    let Some(bench) = isolated() else { return };
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("file");
    std::fs::write(&file, "").unwrap();
    let path = file.display();
    for (what, number, arguments) in [
        ("chmod", libc::SYS_fchmodat, format!("-100, my $p = '{path}', 0777")),
        ("utime", libc::SYS_utimensat, format!("-100, my $p = '{path}', 0, 0")),
        (
            "setxattr",
            libc::SYS_setxattr,
            format!("my $p = '{path}', my $n = 'user.x', my $v = 'y', 1, 0"),
        ),
        ("chown", libc::SYS_fchownat, format!("-100, my $p = '{path}', -1, -1, 0")),
    ] {
        assert_eq!(errno(&bench, number, &arguments), libc::EROFS, "{what}");
    }
}

#[test]
fn private_folders_are_not_seen_but_what_a_compiler_needs_is() {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    let root = top.join("out/scratch");
    std::fs::create_dir_all(&root).unwrap();
    std::fs::create_dir_all(top.join("home/.ssh")).unwrap();
    std::fs::create_dir_all(top.join("home/tool/bin")).unwrap();
    std::fs::write(top.join("out/mistrust.db"), "data").unwrap();
    std::fs::write(top.join("home/.ssh/id"), "secret").unwrap();
    std::fs::write(top.join("home/include.h"), "shown").unwrap();
    std::fs::write(top.join("home/tool/data"), "data of a tool").unwrap();
    let tool = top.join("home/tool/bin/cc");
    std::fs::write(&tool, "#!/bin/sh\ncat ${0%/bin/cc}/data; cat $1 $2 2>/dev/null; :\n").unwrap();
    let mode: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&tool, mode).unwrap();
    let view = View { hidden: vec![top.join("out"), top.join("home")], visible: vec![] };
    let runner = Runner::with_view(&root, SandboxPolicy::BestEffort, &view).unwrap();
    if !runner.confinement().private_files.is_yes() {
        return;
    }
    let run = |argv: &[&str]| {
        let scratch = runner.scratch().unwrap();
        runner.run(&Order::new(argv).limits(limits()), &scratch).unwrap().stdout.text()
    };
    let show = |path: &str| run(&["/bin/sh", "-c", &format!("cat {path} 2>&1; :")]);
    for path in ["home/.ssh/id", "home/tool/data", "out/mistrust.db"] {
        // The name is put together by the program, so that no word of its command line names it.
        let said = show(&format!(
            "$(echo {} | tr % /)",
            top.join(path).display().to_string().replace('/', "%")
        ));
        assert!(said.contains("No such file"), "{said}");
    }
    let tool = tool.display().to_string();
    assert_eq!(run(&[&tool]), "data of a tool");
    let header = top.join("home/include.h").display().to_string();
    let secret = "../../home/.ssh/id";
    assert_eq!(run(&[&tool, &header, secret]), "data of a toolshown");
    let listed = run(&["/bin/sh", "-c", "ls /run /dev; ls /dev/pts /dev/shm 2>&1; :"]);
    assert!(!listed.contains("tty") && !listed.contains("sock"), "{listed}");
}

#[test]
fn hidden_memory_counts_as_memory() {
    let Some(bench) = isolated() else { return };
    let limits = Limits { memory: 100 << 20, file_size: 8 << 20, ..limits() };
    let memory = Ending::Exceeded(Resource::Memory);
    let files = format!(
        "for (1..48) {{ my $f = syscall({}, my $n = 'x', 0); open($h[$_], '>&=', $f); \
         for my $i (1..7) {{ syswrite($h[$_], 'x' x (1 << 20)) }} }} sleep 86400",
        libc::SYS_memfd_create
    );
    assert_eq!(perl(&bench, &files, limits.clone()).ending, memory);
    // Linux itself makes pipes smaller when a user has very many.
    let limits = Limits { memory: 40 << 20, ..limits };
    let pipes = "for (1..900) { pipe($r[$_], $w[$_]); syswrite($w[$_], 'x' x 65536) } sleep 86400";
    assert_eq!(perl(&bench, pipes, limits).ending, memory);
}

#[test]
fn files_without_a_name_count_as_space() {
    let Some(bench) = isolated() else { return };
    let limits = Limits { file_size: 8 << 20, ..limits() };
    let script = "for (1..40) { open($h[$_], '>', 'f') or die; unlink 'f'; \
        for my $i (1..8) { syswrite($h[$_], 'x' x (1 << 20)) or last } } sleep 86400";
    let run = perl(&bench, script, limits.clone());
    assert_eq!(run.ending, Ending::Exceeded(Resource::Disk));
    // A program that says so and ends has given the space back before we look.
    let said = script.replace("or last", "or die $!");
    assert_eq!(perl(&bench, &said, limits.clone()).ending, Ending::Exceeded(Resource::Disk));
    // The limit holds within 10%, however fast it is reached.
    let script = "my $n = 0; for (1..40) { open($h[$_], '>', \"f$_\"); \
        for my $i (1..80) { my $w = syswrite($h[$_], 'x' x 100000) or last; $n += $w } } print $n";
    let run = perl(&bench, script, limits);
    let written: u64 = run.stdout.text().parse().unwrap_or(32 << 20);
    assert!(written.abs_diff(32 << 20) < 4 << 20, "{written}");
}

#[test]
fn nothing_in_a_scratch_directory_stays() {
    let Some(bench) = isolated() else { return };
    let deep = "for (1..6000) { mkdir 'd' or die; chdir 'd' or die } open(F, '>', 'f')";
    assert_eq!(perl(&bench, deep, limits()).ending, Ending::Exited(0));
    let locked =
        "open(F, '>', 'f'); ioctl(F, 0x40086602, pack('L', 0x10)); mkdir 'a'; chmod 0, 'a'";
    perl(&bench, locked, limits());
    // The next run finds an empty directory.
    assert_eq!(bench.shell("ls -A", limits()).stdout.total, 0);
}

#[test]
fn shared_memory_does_not_stay() {
    let Some(bench) = isolated() else { return };
    let segments = || std::fs::read_to_string("/proc/sysvipc/shm").unwrap();
    let before = segments();
    perl(&bench, &format!("syscall({}, 0, 4096, 0x3ff)", libc::SYS_shmget), limits());
    assert_eq!(segments(), before);
    let run = bench.shell(": >/dev/shm/mistrust-escape", limits());
    assert!(!run.ending.success());
}

#[test]
fn a_socket_outside_cannot_be_connected_to() {
    let Some(bench) = isolated() else { return };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let script = format!(
        "use Socket; socket(S, PF_UNIX, SOCK_STREAM, 0) or exit 7; \
         connect(S, pack_sockaddr_un('{}')) or exit 8",
        path.display()
    );
    assert_eq!(perl(&bench, &script, limits()).ending, Ending::Exited(7));
}

/// The probe tells the truth about a system that refuses namespaces.
#[test]
fn without_namespaces_the_other_layers_hold() {
    let bench = Bench::with(SandboxPolicy::WithoutIsolation);
    let confinement = bench.runner.confinement();
    assert!(!confinement.processes.is_yes() && !confinement.private_files.is_yes());
    let sleep = unique_sleep();
    let script = format!("(env -i setsid sleep {sleep} &); : >file; echo done");
    let run = bench.shell(&script, limits());
    assert_eq!(run.stdout.text(), "done\n");
    assert_gone(&sleep);
    let scratch = bench.runner.scratch().unwrap();
    let order = Order::new(["/bin/sh", "-c", ": >../outside"]).limits(limits());
    match bench.runner.run(&order, &scratch) {
        Ok(run) => assert!(confinement.filesystem.is_yes() != run.ending.success()),
        Err(error) => assert!(matches!(error, ExecError::Starved { .. }), "{error}"),
    }
}

/// All of this once more as an ordinary user, if we are root.
#[test]
fn the_suite_holds_for_an_ordinary_user() {
    const USER: u32 = 61_000;
    if !geteuid().is_root() {
        return;
    }
    // Where others can execute it, and where that user can write.
    let folder = tempfile::tempdir().unwrap();
    let mode: std::fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    std::fs::set_permissions(folder.path(), mode).unwrap();
    let copy = folder.path().join("suite");
    std::fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
    let as_user = |program: &Path| {
        let mut command = Command::new(program);
        command.current_dir(folder.path()).env("TMPDIR", folder.path());
        command.env("HOME", folder.path().join("home")).uid(USER).gid(USER);
        command
    };
    let mut unshare = as_user(Path::new("unshare"));
    unshare.args(["--user", "--map-root-user", "--mount", "--pid", "--fork", "true"]);
    let mut suite = as_user(&copy);
    if unshare.status().is_ok_and(|status| status.success()) {
        suite.env(EXPECTED, "1");
    }
    let output = suite.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}
