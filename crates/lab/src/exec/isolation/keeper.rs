//! The process that keeps the namespaces of all runs: it is forked once, enters a user, a mount and a network namespace,
//! arranges what is to be seen in them, and creates the `init` of each run. It ends with us. What is hidden is left to
//! `view`.
//!
//! It is a copy of our process that never executes a program. It must not use what other threads of ours may have
//! locked: the environment, the standard streams, threads.

use std::ffi::{CStr, CString, OsStr};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use nix::fcntl::{AtFlags, OFlag, openat};
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::sys::stat::{Mode, SFlag, fstatat};
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout, getppid, setsid};

use super::super::filter::Filter;
use super::super::syscall;
use super::mounts::{self, READ_ONLY, SAFE};
use super::wire::{self, Kind, Request};
use super::{init, view};

/// The descriptor of the socket, after all others are closed.
pub(super) const SOCKET: RawFd = 3;

/// An empty directory of ours, in which only we make entries.
const COVER: &CStr = c"mode=0755,size=1m,nr_inodes=4096";

/// Devices that store nothing.
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
const DEVICE_LINKS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];

/// What the process prepares, in this order, by what a user calls it.
pub(super) const STEPS: [&str; 5] = [
    "no user and mount namespace",
    "no user id",
    "no view of the files",
    "no devices",
    "no scratch",
];

/// What it has to know. Nothing is read from elsewhere.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) parent: Pid,
    /// The folder of all scratch directories.
    pub(super) root: CString,
    /// The first is not below another one.
    pub(super) hidden: Vec<CString>,
    /// Folders of ours that are hidden although a folder around them is to be seen.
    pub(super) own: Vec<CString>,
    /// What is to be seen below hidden folders: where, and what.
    pub(super) shown: Vec<(CString, CString)>,
    pub(super) uid_map: String,
    pub(super) gid_map: String,
    pub(super) filter: Option<Arc<Filter>>,
}

/// A hidden folder as it was.
#[derive(Debug)]
struct Original {
    path: CString,
    folder: OwnedFd,
}

/// Forks the process. The calling thread has to outlive it.
#[expect(unsafe_code, reason = "it is a copy of our process")]
pub(super) fn start(plan: &Plan, socket: &UnixStream) -> io::Result<Pid> {
    // SAFETY: the C library makes its allocator usable in the child. `child` uses nothing else that another thread may
    // have locked, and it does not return.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => {
            let _ = catch_unwind(AssertUnwindSafe(|| child(plan, socket)));
            // SAFETY: it ends the process without running anything of ours.
            unsafe { libc::_exit(0) }
        }
        pid => Ok(Pid::from_raw(pid)),
    }
}

fn child(plan: &Plan, socket: &UnixStream) -> io::Result<()> {
    let mut socket = settle(plan, socket)?;
    let originals = match prepare(plan) {
        Ok(originals) => originals,
        Err((step, error)) => {
            let step = i32::try_from(step).unwrap_or(0);
            return wire::refuse(&socket, &error, step);
        }
    };
    wire::answer(&socket, Ok(0), None)?;
    while let Some((request, fds)) = Request::receive(&mut socket)? {
        serve(&request, fds, plan, &originals, &mut socket)?;
    }
    Ok(())
}

/// Lets go of everything that our process had.
#[expect(unsafe_code, reason = "descriptors and signal handlers of a copy of our process")]
fn settle(plan: &Plan, socket: &UnixStream) -> io::Result<UnixStream> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    if getppid() != plan.parent {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    setsid()?;
    // SAFETY: no handler is installed; the descriptors that are closed are used by no code that still runs here.
    let socket = unsafe {
        let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
        for signal in Signal::iterator() {
            let _ = sigaction(signal, &default);
        }
        if libc::dup2(socket.as_raw_fd(), SOCKET) < 0 && socket.as_raw_fd() != SOCKET {
            return Err(io::Error::last_os_error());
        }
        libc::fcntl(SOCKET, libc::F_SETFD, libc::FD_CLOEXEC);
        let after = (SOCKET + 1) as libc::c_uint;
        if libc::syscall(libc::SYS_close_range, after, libc::c_uint::MAX, 0) < 0 {
            return Err(io::Error::last_os_error());
        }
        UnixStream::from_raw_fd(SOCKET)
    };
    SigSet::empty().thread_set_mask()?;
    let null = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    Ok(socket)
}

/// Enters the namespaces and arranges the files. Returns the hidden folders, or the number of the step that failed.
fn prepare(plan: &Plan) -> Result<Vec<Original>, (usize, io::Error)> {
    let at = |step: usize| move |error: io::Error| (step, error);
    let namespaces = CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS | CloneFlags::CLONE_NEWNET;
    unshare(namespaces).map_err(|error| (0, error.into()))?;
    become_nobody(plan).map_err(at(1))?;
    let originals = arrange(plan).map_err(at(2))?;
    devices().map_err(at(3))?;
    // Whatever can be mounted has been: from here on all is read-only.
    mounts::change(c"/", true, READ_ONLY | SAFE, 0).map_err(at(2))?;
    mounts::cover(&plan.root, COVER).map_err(at(4))?;
    // Programs must not read the memory of this process, which is a copy of ours.
    prctl::set_dumpable(false).map_err(|error| (1, error.into()))?;
    Ok(originals)
}

fn become_nobody(plan: &Plan) -> io::Result<()> {
    // Without this, only a privileged user may map a group.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", &plan.uid_map)?;
    fs::write("/proc/self/gid_map", &plan.gid_map)?;
    // No further user namespaces below this one. seccomp forbids them, too.
    let _ = fs::write("/proc/sys/user/max_user_namespaces", "0");
    Ok(())
}

/// Hides folders, shows what is needed below them, and makes the folder of scratch directories.
fn arrange(plan: &Plan) -> io::Result<Vec<Original>> {
    mounts::make_private()?;
    let mut originals = vec![];
    for path in &plan.hidden {
        // Not to be read: a folder of another user is hidden as well.
        let flags = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let folder = nix::fcntl::open(path.as_c_str(), flags, Mode::empty())?;
        originals.push(Original { path: path.clone(), folder });
    }
    for original in &originals {
        mounts::cover(&original.path, COVER)?;
    }
    for (place, what) in &plan.shown {
        // What cannot be shown stays hidden; the run that needs it fails and says so.
        let _ = show(place, what, &originals);
    }
    for own in &plan.own {
        if as_path(own).is_dir() {
            mounts::cover(own, COVER)?;
        }
    }
    fs::create_dir_all(as_path(&plan.root))?;
    Ok(originals)
}

/// `/dev` without terminals, disks and shared memory.
fn devices() -> io::Result<()> {
    let open = |name: &str| -> io::Result<OwnedFd> {
        let path = Path::new("/dev").join(name);
        Ok(nix::fcntl::open(&path, OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())?)
    };
    let devices: Vec<_> =
        DEVICES.iter().filter_map(|name| Some((name, open(name).ok()?))).collect();
    mounts::cover(c"/dev", COVER)?;
    for (name, device) in devices {
        let path = format!("/dev/{name}");
        File::create(&path)?;
        let path = CString::new(path)?;
        mounts::attach(mounts::copy_of(device.as_fd())?.as_fd(), &path)?;
    }
    for (name, target) in DEVICE_LINKS {
        std::os::unix::fs::symlink(target, Path::new("/dev").join(name))?;
    }
    Ok(())
}

/// Mounts `what`, a file or folder that may be hidden, at `place` below a hidden folder.
fn show(place: &CStr, what: &CStr, originals: &[Original]) -> io::Result<()> {
    let below = |path: &CStr| {
        originals.iter().find_map(|original| {
            Some((original, view::below(as_path(path), as_path(&original.path))?.to_owned()))
        })
    };
    let flags = OFlag::O_PATH | OFlag::O_CLOEXEC;
    let source = match below(what) {
        Some((original, rest)) => openat(&original.folder, &rest, flags, Mode::empty())?,
        None => nix::fcntl::open(what, flags, Mode::empty())?,
    };
    let Some((original, rest)) = below(place) else { return Ok(()) };
    let kind = fstatat(&source, c"", AtFlags::AT_EMPTY_PATH)?.st_mode & SFlag::S_IFMT.bits();
    let is_folder = kind == SFlag::S_IFDIR.bits();
    let tree = mounts::copy_of(source.as_fd())?;
    mounts::change_tree(tree.as_fd(), READ_ONLY | SAFE)?;
    mounts::change(&original.path, false, 0, READ_ONLY)?;
    let made = make_place(as_path(&original.path), &rest, is_folder);
    let _ = mounts::change(&original.path, false, READ_ONLY, 0);
    made?;
    mounts::attach(tree.as_fd(), place)
}

/// Makes a directory or an empty file, and the directories around it.
fn make_place(top: &Path, rest: &Path, is_folder: bool) -> io::Result<()> {
    let place = top.join(rest);
    let folder = if is_folder { Some(place.as_path()) } else { place.parent() };
    if let Some(folder) = folder {
        DirBuilder::new().recursive(true).mode(0o755).create(folder)?;
    }
    if !is_folder && !place.exists() {
        File::create(&place)?;
    }
    Ok(())
}

fn serve(
    request: &Request,
    fds: Vec<OwnedFd>,
    plan: &Plan,
    originals: &[Original],
    socket: &mut UnixStream,
) -> io::Result<()> {
    let text = |at: usize| request.texts.get(at).map_or(c"", CString::as_c_str);
    match request.kind {
        Kind::Run => {
            let created = create(request);
            match &created {
                Ok(None) => init::main(request, fds, plan),
                Ok(Some((pid, pidfd))) => wire::answer(socket, Ok(*pid), Some(pidfd.as_fd())),
                Err(error) => wire::refuse(socket, error, 0),
            }
        }
        Kind::Scratch => {
            let made = make_scratch(text(0), text(1));
            let folder = made.as_ref().ok().map(AsFd::as_fd);
            wire::answer(socket, made.as_ref().map(|_| 0), folder)
        }
        Kind::Show => finished(socket, &show(text(0), text(1), originals)),
        Kind::Remove => {
            let removed = mounts::detach(text(0)).and_then(|()| fs::remove_dir(as_path(text(0))));
            finished(socket, &removed)
        }
    }
}

fn finished(socket: &UnixStream, result: &io::Result<()>) -> io::Result<()> {
    wire::answer(socket, result.as_ref().map(|()| 0), None)
}

fn make_scratch(path: &CStr, options: &CStr) -> io::Result<OwnedFd> {
    DirBuilder::new().mode(0o700).create(as_path(path))?;
    mounts::cover(path, options)?;
    let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    Ok(nix::fcntl::open(path, flags, Mode::empty())?)
}

/// Creates the first process of a new process namespace, as a child of our own parent. Returns nothing in that process.
#[expect(unsafe_code, reason = "no crate we use creates a sibling in new namespaces")]
fn create(request: &Request) -> io::Result<Option<(i32, OwnedFd)>> {
    let mut flags = libc::CLONE_PARENT
        | libc::CLONE_PIDFD
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWUTS
        | libc::SIGCHLD;
    if !request.shares_memory {
        flags |= libc::CLONE_NEWIPC;
    }
    let mut pidfd: RawFd = -1;
    // SAFETY: without a stack of its own the child continues here in a copy of our memory, as after a fork. This process
    // has one thread. The third argument is where Linux writes the descriptor, on all architectures.
    unsafe {
        let flags = libc::c_long::from(flags);
        let none = std::ptr::null::<u8>();
        match libc::syscall(libc::SYS_clone, flags, none, &raw mut pidfd, none, none) {
            -1 => Err(io::Error::last_os_error()),
            0 => Ok(None),
            pid => Ok(Some((pid as i32, OwnedFd::from_raw_fd(pidfd)))),
        }
    }
}

pub(super) fn as_path(text: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(text.to_bytes()))
}

/// All of our processes there have this in common: they never come back.
pub(super) fn quit() -> ! {
    syscall::exit_now()
}
