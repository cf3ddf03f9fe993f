//! A temporary directory per run, removed afterwards even if the run changed its permissions. Directories are
//! named `<pid>-<n>` after the process that made them, so that those left by a killed process are distinguished
//! from those in use; [`remove_leftovers`] removes them and kills the processes that still use them.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nix::errno::Errno;
use nix::sys::signal::kill;
use nix::unistd::Pid;

use super::isolation::{Isolation, Room};
use super::mark::{self, Mark};
use super::{process, removal, sweep};

/// How often removal is tried: a process that is about to end may still create files.
const ATTEMPTS: u32 = 5;

/// A directory that is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// What it is, unless it is a directory on disk: the path is a link to it then.
    room: Option<(Arc<Isolation>, Room)>,
}

impl Scratch {
    pub(super) fn new(root: &Path, counter: &AtomicU64) -> io::Result<Scratch> {
        loop {
            let number = counter.fetch_add(1, Relaxed);
            let path = root.join(format!("{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Scratch { path, room: None }),
                // Made by another runner of this process, or by an earlier process with our id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// A file system of its own in memory.
    pub(super) fn in_memory(isolation: &Arc<Isolation>) -> io::Result<Scratch> {
        loop {
            let room = isolation.room()?;
            let path = room.place().to_owned();
            match symlink(room.link(), &path) {
                Ok(()) => {
                    return Ok(Scratch { path, room: Some((Arc::clone(isolation), room)) });
                }
                // Left by an earlier process with our id, or a directory on disk.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    let _ = fs::remove_file(&path);
                    isolation.give_back(room, path.symlink_metadata().is_err());
                }
                Err(error) => {
                    isolation.give_back(room, true);
                    return Err(error);
                }
            }
        }
    }

    pub(super) fn room(&self) -> Option<&Room> {
        self.room.as_ref().map(|(_, room)| room)
    }

    /// The directory, if it is a file system of its own.
    pub(super) fn folder(&self) -> Option<&OwnedFd> {
        self.room().map(Room::folder)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file and creates its parent directories. The name must not lead out of the scratch directory.
    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let name = name.as_ref();
        let inside = name.components().all(|part| matches!(part, Component::Normal(_)));
        if !inside || name.as_os_str().is_empty() {
            let message = format!("{} is not a name inside a scratch directory", name.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            // A program that ran here may have replaced a parent directory by a symbolic link.
            let mut parents = parent.ancestors().take_while(|folder| *folder != self.path);
            if parents.any(Path::is_symlink) {
                let message = format!("{} leads out of the scratch directory", name.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
            fs::create_dir_all(parent)?;
        }
        if path.is_symlink() {
            fs::remove_file(&path)?;
        }
        fs::write(&path, bytes)?;
        Ok(path)
    }

    /// Removes everything except one entry.
    pub fn clear_except(&self, kept: &str) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name() == kept {
                continue;
            }
            if entry.file_type()?.is_dir() {
                removal::remove(&entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it cannot be removed now, a later `remove_leftovers` finds it by its name.
        match self.room.take() {
            None => {
                let _ = remove(&self.path);
            }
            Some((isolation, room)) => {
                let _ = fs::remove_file(&self.path);
                let is_empty = removal::empty(room.folder()).is_ok();
                isolation.give_back(room, is_empty);
            }
        }
    }
}

/// Removes the scratch directories of processes that no longer exist, and returns how many there were. Kills
/// what still runs in them first: a runner that was killed takes the leaders of its runs along, but not their
/// descendants. All users of a root have to share a process id namespace (one machine, one container).
pub fn remove_leftovers(root: &Path) -> io::Result<usize> {
    // Runs were given the canonical paths of their directories, so these are compared.
    let root = match root.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        root => root?,
    };
    let entries = fs::read_dir(root)?;
    let mut removed = 0;
    for entry in entries {
        let entry = entry?;
        let owner = entry.file_name().to_str().and_then(owner);
        if let Some(pid) = owner
            && kill(pid, None) == Err(Errno::ESRCH)
        {
            kill_orphans(pid, &entry.path());
            // What cannot be removed is left behind: it must not stop every later hunt.
            removed += usize::from(remove(&entry.path()).is_ok());
        }
    }
    Ok(removed)
}

/// Kills the processes of a run whose runner no longer exists: those whose environment names the runner and
/// this directory, and those that carry the mark of one of these processes as a limit. They are not our
/// children, so another process reaps them.
fn kill_orphans(owner: Pid, directory: &Path) {
    let mut marks: Vec<Mark> = vec![];
    let mut kill = |pid| {
        if let Some(value) = run_of(pid, owner, directory)
            && let Some(mark) = Mark::parse(&value)
            && !marks.iter().any(|known| known.limit() == mark.limit())
        {
            marks.push(mark);
        }
        let is_orphan = || {
            let marked = marks.iter().any(|mark| mark.limits(pid));
            (marked || run_of(pid, owner, directory).is_some()) && process::is_alive(pid)
        };
        let found = is_orphan();
        if found {
            sweep::kill_if(pid, is_orphan);
        }
        found
    };
    // If a process does not die, the directory is removed nevertheless.
    let _ = sweep::sweep(&mut process::visit_all, &mut kill);
}

/// The value of `MISTRUST_RUN` in the environment of a process, if it names `owner` and the process has
/// `directory` as its home.
fn run_of(pid: i32, owner: Pid, directory: &Path) -> Option<Vec<u8>> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    let value = |name: &str| {
        let mut entries = environment.split(|&byte| byte == 0);
        entries.find_map(|entry| entry.strip_prefix(name.as_bytes())?.strip_prefix(b"="))
    };
    let run = value(mark::VARIABLE)?;
    let is_of_owner = run.starts_with(format!("{owner}-").as_bytes());
    let is_here = value("HOME")? == directory.as_os_str().as_bytes();
    (is_of_owner && is_here).then(|| run.to_vec())
}

/// The process whose scratch directories have names like this.
fn owner(name: &str) -> Option<Pid> {
    let (pid, number) = name.split_once('-')?;
    number.parse::<u64>().ok()?;
    let pid = pid.parse().ok()?;
    // `kill` takes zero and negative numbers for process groups.
    (pid > 0).then(|| Pid::from_raw(pid))
}

fn remove(path: &Path) -> io::Result<()> {
    let mut attempt = 1;
    loop {
        match removal::remove(path) {
            Err(_) if attempt < ATTEMPTS => attempt += 1,
            result => return result,
        }
    }
}
