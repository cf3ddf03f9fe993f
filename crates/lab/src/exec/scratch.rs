//! A directory per run, gone afterwards whatever was done to it. Names are `<pid>-<n>`, so that
//! what a killed process left behind is told apart from what is in use.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{mark, process};

/// How often removal is tried: a process in its last moments may still create files.
const ATTEMPTS: u32 = 5;

/// A directory that is removed when this is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(super) fn new(root: &Path, counter: &AtomicU64) -> io::Result<Scratch> {
        loop {
            let number = counter.fetch_add(1, Relaxed);
            let path = root.join(format!("{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Scratch { path }),
                // Another runner of this process, or an earlier process with our id.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, making the directories on its way. The name must not lead out of here.
    pub fn write(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        let name = name.as_ref();
        let inside = name.components().all(|part| matches!(part, Component::Normal(_)));
        if !inside || name.as_os_str().is_empty() {
            let message = format!("{} is not a name inside a scratch directory", name.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let path = self.path.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
            // A program that ran here may have left a symbolic link on the way.
            if !parent.canonicalize()?.starts_with(self.path.canonicalize()?) {
                let message = format!("{} leads out of the scratch directory", name.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
        }
        if path.is_symlink() {
            fs::remove_file(&path)?;
        }
        fs::write(&path, bytes)?;
        Ok(path)
    }

    /// Removes everything but one entry.
    pub fn clear_except(&self, kept: &str) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name() == kept {
                continue;
            }
            if entry.file_type()?.is_dir() {
                remove(&entry.path())?;
            } else {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it can't be removed now, a later `remove_leftovers` finds it by its name.
        let _ = remove(&self.path);
    }
}

/// Removes the scratch directories of processes that are no more, after what still runs in them, and
/// says how many there were. We may have been killed while a compiler's own children were at work.
/// A root is for one machine (and one container): process ids of another mean nothing here.
pub fn remove_leftovers(root: &Path) -> io::Result<usize> {
    // Runs know their directories by the names without links that these get here, too.
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
            end_orphans(pid, &entry.path());
            remove(&entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Ends the processes of a run whose owner is no more: those whose environment, as we made it, names
/// the owner's run and this directory.
fn end_orphans(owner: Pid, directory: &Path) {
    let run = format!("{}={owner}-", mark::VARIABLE).into_bytes();
    let mut home = b"HOME=".to_vec();
    home.extend_from_slice(directory.as_os_str().as_bytes());
    for pid in process::all() {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut entries = environment.split(|&byte| byte == 0);
        let is_of_run = entries.clone().any(|entry| entry.starts_with(&run));
        if is_of_run && entries.any(|entry| entry == home) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
    }
}

/// The process whose scratch directory has this name.
fn owner(name: &str) -> Option<Pid> {
    let (pid, number) = name.split_once('-')?;
    number.parse::<u64>().ok()?;
    let pid = pid.parse().ok()?;
    // Zero and below would ask about process groups.
    (pid > 0).then(|| Pid::from_raw(pid))
}

fn remove(path: &Path) -> io::Result<()> {
    let mut attempt = 1;
    loop {
        match fs::remove_dir_all(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(_) if attempt < ATTEMPTS => open_up(path),
            result => return result,
        }
        attempt += 1;
    }
}

/// Makes every directory writable again. Symbolic links are not followed.
fn open_up(directory: &Path) {
    let _ = fs::set_permissions(directory, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_up(&entry.path());
        }
    }
}
