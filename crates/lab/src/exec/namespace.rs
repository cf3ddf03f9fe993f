//! A network namespace without network devices other than its own loopback, so that children have no network.
//! It is created once and joined by every child, because creating one takes milliseconds. When it is joined is
//! left to `sandbox`.
//!
//! Root creates it directly. An unprivileged user needs a user namespace around it, in which the user is
//! mapped to itself and has no further rights.

use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;

use nix::sched::{CloneFlags, setns, unshare};
use nix::unistd::{getegid, geteuid};

#[derive(Debug)]
pub(super) struct Namespaces {
    user: Option<OwnedFd>,
    network: OwnedFd,
}

impl Namespaces {
    /// Creates a network namespace, with a user namespace if that is required.
    pub(super) fn new() -> io::Result<Namespaces> {
        Namespaces::privileged().or_else(|_| Namespaces::unprivileged())
    }

    pub(super) fn describe(&self) -> &'static str {
        if self.user.is_some() { "network and user namespace" } else { "network namespace" }
    }

    /// Moves the calling process into the namespaces. Safe between fork and exec.
    pub(super) fn join(&self) -> io::Result<()> {
        if let Some(user) = &self.user {
            setns(user, CloneFlags::CLONE_NEWUSER)?;
        }
        setns(&self.network, CloneFlags::CLONE_NEWNET)?;
        Ok(())
    }

    fn privileged() -> io::Result<Namespaces> {
        // `unshare` moves only the calling thread, so a separate one is started.
        let thread = thread::Builder::new().spawn(|| -> io::Result<OwnedFd> {
            unshare(CloneFlags::CLONE_NEWNET)?;
            Ok(File::open("/proc/thread-self/ns/net")?.into())
        })?;
        let network = thread.join().map_err(|_| io::Error::other("the thread panicked"))??;
        Ok(Namespaces { user: None, network })
    }

    fn unprivileged() -> io::Result<Namespaces> {
        // A process with several threads cannot enter a user namespace, so a child does. Our descriptors keep
        // the namespaces alive after it has ended.
        let mut child = start_child_in_new_namespaces()?;
        let namespaces = adopt(&child);
        let _ = child.kill();
        let _ = child.wait();
        namespaces
    }
}

#[expect(unsafe_code, reason = "the child enters the namespaces between fork and exec")]
fn start_child_in_new_namespaces() -> io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    // It waits for input, which never comes, and ends when our end of the pipe is closed.
    command.args(["-c", "read line"]).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // SAFETY: the closure makes one system call.
    unsafe {
        command.pre_exec(|| {
            unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNET)?;
            Ok(())
        });
    }
    command.spawn()
}

fn adopt(child: &Child) -> io::Result<Namespaces> {
    let proc = format!("/proc/{}", child.id());
    let (user, group) = (geteuid(), getegid());
    // An unprivileged user may only map its group after denying `setgroups`.
    fs::write(format!("{proc}/setgroups"), "deny")?;
    fs::write(format!("{proc}/uid_map"), format!("{user} {user} 1\n"))?;
    fs::write(format!("{proc}/gid_map"), format!("{group} {group} 1\n"))?;
    let open = |name: &str| File::open(format!("{proc}/ns/{name}")).map(OwnedFd::from);
    Ok(Namespaces { user: Some(open("user")?), network: open("net")? })
}
