//! Namespaces for each run: users, processes, mounts, System V memory and host name, and one without a network for all
//! runs. `keeper` is a process of ours that has entered them; `init` is the first process of each run; `view` decides
//! what is hidden; `mounts` has the system calls, `wire` and `report` what is said between the processes.
//!
//! A scratch directory is a file system of its own in memory, with a size. It is mounted only in the namespace of the
//! keeper. We use it through a descriptor: its name in the folder of scratch directories is a link to that.

mod init;
mod keeper;
mod mounts;
mod report;
mod view;
mod wire;

use std::ffi::{CString, OsStr};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::{Pid, getegid, geteuid, pipe2};

use super::ceilings::Ceilings;
use super::error::CONFINEMENT_FAILED;
use super::filter::Filter;
use super::image::Image;
use super::spawner::Spawner;
use keeper::{Plan, STEPS};
pub(super) use report::Reports;
pub use view::View;
use view::{Shown, Sight};
use wire::{Kind, Request};

/// What root becomes in the namespaces: a user without any rights, called nobody.
const NOBODY: u32 = 65534;

/// A scratch directory has at most so many files and directories.
const INODES: u32 = 1 << 18;

/// The size of a scratch directory before a run says how large it may be: what we write into it.
const FIRST_SIZE: u64 = 1 << 30;

/// Numbers of scratch directories, of all runners of this process.
static NUMBERS: AtomicU64 = AtomicU64::new(0);

#[derive(Debug)]
pub(super) struct Isolation {
    keeper: Pid,
    socket: Mutex<UnixStream>,
    /// Its end would end the keeper.
    _spawner: Spawner,
    sight: Sight,
    root: PathBuf,
    has_table: bool,
    /// Scratch directories that can be used again.
    idle: Mutex<Vec<Room>>,
}

/// A file system in memory for a scratch directory.
#[derive(Debug)]
pub(super) struct Room {
    /// Where programs see it.
    place: PathBuf,
    folder: OwnedFd,
    /// How many bytes it may contain.
    size: AtomicU64,
}

/// A program to start.
#[derive(Debug)]
pub(super) struct Start<'a> {
    pub(super) image: &'a Image,
    pub(super) streams: [&'a OwnedFd; 3],
    pub(super) rules: Option<&'a OwnedFd>,
    pub(super) ceilings: Ceilings,
    pub(super) room: Option<&'a Room>,
    /// The size of the scratch directory.
    pub(super) size: u64,
    pub(super) shares_memory: bool,
}

/// The first process of a started program's namespace.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) pid: i32,
    pub(super) pidfd: OwnedFd,
    pub(super) reports: Reports,
}

impl Isolation {
    /// Starts the keeper. `root` is the folder of scratch directories, in its canonical form.
    pub(super) fn new(
        root: &Path,
        view: &View,
        filter: Option<Arc<Filter>>,
        has_table: bool,
    ) -> io::Result<Isolation> {
        let sight = Sight::new(view, root);
        let own = sight.own.iter().filter(|own| !sight.hidden.contains(own));
        let text = |path: &PathBuf| CString::new(path.as_os_str().as_bytes());
        let shown = sight.at_first(view);
        let pairs = shown.iter().map(|(place, what)| Ok((text(place)?, text(what)?)));
        let (user, group) = (geteuid().as_raw(), getegid().as_raw());
        let inside = |id: u32| if user == 0 { NOBODY } else { id };
        let plan = Plan {
            parent: Pid::this(),
            root: CString::new(root.as_os_str().as_bytes())?,
            hidden: sight.hidden.iter().map(text).collect::<Result<_, _>>()?,
            own: own.map(text).collect::<Result<_, _>>()?,
            shown: pairs.collect::<io::Result<_>>()?,
            uid_map: format!("{} {user} 1\n", inside(user)),
            gid_map: format!("{} {group} 1\n", inside(group)),
            filter,
        };
        let (ours, theirs) = UnixStream::pair()?;
        let spawner = Spawner::new()?;
        // The keeper ends with the thread that forks it.
        let keeper = spawner.perform(move || keeper::start(&plan, &theirs))??;
        let isolation = Isolation {
            keeper,
            socket: Mutex::new(ours),
            _spawner: spawner,
            sight,
            root: root.to_owned(),
            has_table,
            idle: Mutex::default(),
        };
        let answer = wire::answered_with_step(&mut isolation.socket())?;
        match answer {
            Ok(_) => Ok(isolation),
            Err((error, step)) => {
                let step = usize::try_from(step).ok().and_then(|step| STEPS.get(step));
                Err(io::Error::other(format!("{}: {error}", step.unwrap_or(&"no namespaces"))))
            }
        }
    }

    /// Whether a run sees only its own processes in `/proc`.
    pub(super) fn has_table(&self) -> bool {
        self.has_table
    }

    /// Runs a script that finds out whether the namespaces work.
    pub(super) fn try_out(&self) -> io::Result<()> {
        let room = self.room()?;
        // A failed redirection may end a shell, so it is done in a subshell.
        let script = ": >inside && ! (: >../outside) 2>/dev/null && echo $$";
        let argv = ["/bin/sh", "-c", script].map(Into::into);
        let image = Image::new(&argv, &[], room.place())?;
        let null = File::options().read(true).write(true).open("/dev/null")?.into();
        let (ours, theirs) = pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
        let ceilings = Ceilings {
            cpu: Some(60),
            file_size: FIRST_SIZE,
            data: libc::RLIM_INFINITY,
            is_steady: false,
        };
        let started = self.start(&Start {
            image: &image,
            streams: [&null, &theirs, &null],
            rules: None,
            ceilings,
            room: Some(&room),
            size: FIRST_SIZE,
            shares_memory: false,
        });
        drop(theirs);
        let mut started = started.map_err(|error| match error.raw_os_error() {
            Some(CONFINEMENT_FAILED) => io::Error::other("its mounts are refused"),
            _ => error,
        })?;
        let mut said = String::new();
        File::from(ours).read_to_string(&mut said)?;
        waitpid(Pid::from_raw(started.pid), Some(WaitPidFlag::__WALL))?;
        let has_succeeded = started.reports.ended() == Some(0) && said.trim() == "2";
        let is_empty = super::removal::empty(room.folder()).is_ok();
        self.give_back(room, is_empty);
        match has_succeeded {
            true => Ok(()),
            false => Err(io::Error::other("a probe was not confined")),
        }
    }

    /// A scratch directory that programs see at the returned place.
    pub(super) fn room(&self) -> io::Result<Room> {
        if let Some(room) = self.idle().pop() {
            return Ok(room);
        }
        let number = NUMBERS.fetch_add(1, Relaxed);
        let place = self.root.join(format!("{}-{number}", std::process::id()));
        let options = format!("mode=0700,size={FIRST_SIZE},nr_inodes={INODES}");
        let texts = vec![text(&place)?, CString::new(options)?];
        let (_, folder) = self.ask(&Request::new(Kind::Scratch, texts), &[])?;
        let folder = folder.ok_or(io::ErrorKind::UnexpectedEof)?;
        Ok(Room { place, folder, size: AtomicU64::new(FIRST_SIZE) })
    }

    /// Gives a scratch directory back, which is empty unless it could not be cleared.
    pub(super) fn give_back(&self, room: Room, is_empty: bool) {
        if is_empty {
            self.idle().push(room);
        } else if let Ok(place) = text(&room.place) {
            drop(room);
            // It is gone at the latest when the keeper ends.
            let _ = self.ask(&Request::new(Kind::Remove, vec![place]), &[]);
        }
    }

    /// Starts a program in namespaces of its own. The size of its scratch directory is set first.
    pub(super) fn start(&self, start: &Start<'_>) -> io::Result<Started> {
        let image = start.image;
        let words = image.argv.iter().chain(&image.env).map(|word| value(word.as_bytes()));
        for shown in self.sight.needed(OsStr::from_bytes(image.program.as_bytes()), words) {
            self.show(&shown)?;
        }
        let mut texts = vec![image.program.clone(), image.cwd.clone()];
        texts.extend(image.argv.iter().chain(&image.env).cloned());
        let size = start.room.map(|room| room.size.swap(start.size, Relaxed));
        let request = Request {
            arguments: image.argv.len(),
            ceilings: start.ceilings,
            size: size.filter(|size| *size != start.size).map(|_| start.size),
            has_table: self.has_table,
            shares_memory: start.shares_memory,
            ..Request::new(Kind::Run, texts)
        };
        let (reports, theirs) = pipe2(nix::fcntl::OFlag::O_CLOEXEC)?;
        let mut fds: Vec<_> = start.streams.iter().map(|stream| stream.as_fd()).collect();
        fds.push(theirs.as_fd());
        fds.extend(start.rules.map(AsFd::as_fd));
        let (pid, pidfd) = self.ask(&request, &fds)?;
        drop(theirs);
        let pidfd = pidfd.ok_or(io::ErrorKind::UnexpectedEof)?;
        let mut reports = Reports::new(reports);
        if let Err(error) = reports.started() {
            // It has reported, so that it ends by itself.
            super::syscall::kill(pidfd.as_fd());
            let _ = waitpid(Pid::from_raw(pid), Some(WaitPidFlag::__WALL));
            return Err(error);
        }
        Ok(Started { pid, pidfd, reports })
    }

    fn show(&self, (place, what): &Shown) -> io::Result<()> {
        let request = Request::new(Kind::Show, vec![text(place)?, text(what)?]);
        match self.ask(&request, &[]) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(error),
            // What cannot be shown stays hidden; the program that needs it says so.
            _ => Ok(()),
        }
    }

    fn ask(
        &self,
        request: &Request,
        fds: &[std::os::fd::BorrowedFd<'_>],
    ) -> io::Result<(i32, Option<OwnedFd>)> {
        let mut socket = self.socket();
        request.send(&mut socket, fds)?;
        wire::answered(&mut socket)
    }

    fn socket(&self) -> std::sync::MutexGuard<'_, UnixStream> {
        self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Room>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Isolation {
    fn drop(&mut self) {
        // The keeper ends when its socket is closed.
        let socket = self.socket.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = socket.shutdown(std::net::Shutdown::Both);
        let _ = waitpid(self.keeper, Some(WaitPidFlag::__WALL));
    }
}

/// Asks the first process of a namespace to kill all others and to end.
pub(super) fn end(pidfd: &OwnedFd) {
    super::syscall::signal(pidfd.as_fd(), init::END as i32);
}

impl Room {
    /// Where programs see it. We see it there through a link.
    pub(super) fn place(&self) -> &Path {
        &self.place
    }

    /// Where we see it.
    pub(super) fn link(&self) -> PathBuf {
        format!("/proc/{}/fd/{}", std::process::id(), self.folder.as_raw_fd()).into()
    }

    pub(super) fn folder(&self) -> &OwnedFd {
        &self.folder
    }
}

fn text(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// An argument, or the value of a variable.
fn value(word: &[u8]) -> &OsStr {
    OsStr::from_bytes(word)
}
