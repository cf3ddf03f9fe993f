//! No network, by a network namespace that has none. It is made once and joined by every child,
//! since making one costs milliseconds.
//!
//! Root makes it directly. An ordinary user needs a user namespace around it, in which the user is
//! nobody special either: the one mapping is from the user to itself.

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
    /// Makes a network namespace in the way that is permitted, or says why there is none.
    pub(super) fn new() -> io::Result<Namespaces> {
        Namespaces::privileged().or_else(|_| Namespaces::unprivileged())
    }

    pub(super) fn describe(&self) -> &'static str {
        if self.user.is_some() { "network and user namespace" } else { "network namespace" }
    }

    /// Joins. Safe between fork and exec.
    pub(super) fn join(&self) -> io::Result<()> {
        if let Some(user) = &self.user {
            setns(user, CloneFlags::CLONE_NEWUSER)?;
        }
        setns(&self.network, CloneFlags::CLONE_NEWNET)?;
        Ok(())
    }

    fn privileged() -> io::Result<Namespaces> {
        // Only the thread that asks is moved, so that one is started just for this.
        let thread = thread::Builder::new().spawn(|| -> io::Result<OwnedFd> {
            unshare(CloneFlags::CLONE_NEWNET)?;
            Ok(File::open("/proc/thread-self/ns/net")?.into())
        })?;
        let network = thread.join().map_err(|_| io::Error::other("the thread panicked"))??;
        Ok(Namespaces { user: None, network })
    }

    fn unprivileged() -> io::Result<Namespaces> {
        // A process with several threads, like ours, can't move to a user namespace; a child can.
        // The namespaces outlive it in our descriptors.
        let mut child = start_child_in_new_namespaces()?;
        let namespaces = adopt(&child);
        let _ = child.kill();
        let _ = child.wait();
        namespaces
    }
}

#[expect(unsafe_code, reason = "the child has to move between fork and exec")]
fn start_child_in_new_namespaces() -> io::Result<Child> {
    let mut command = Command::new("/bin/sh");
    // It waits for its input, which never comes; our death would end it.
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
    // An ordinary user may only map its group after giving up `setgroups`.
    fs::write(format!("{proc}/setgroups"), "deny")?;
    fs::write(format!("{proc}/uid_map"), format!("{user} {user} 1\n"))?;
    fs::write(format!("{proc}/gid_map"), format!("{group} {group} 1\n"))?;
    let open = |name: &str| File::open(format!("{proc}/ns/{name}")).map(OwnedFd::from);
    Ok(Namespaces { user: Some(open("user")?), network: open("net")? })
}
