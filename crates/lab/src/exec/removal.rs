//! Removes what a hostile program has left in a directory: directories nested more deeply than a path can be long or a
//! process can open files, and such whose mode forbids it. Symbolic links are not followed.

use std::collections::VecDeque;
use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat};
use nix::sys::stat::{FchmodatFlags, Mode, fchmod, fchmodat};
use nix::unistd::{UnlinkatFlags, unlinkat};

/// Removes the directory and everything in it. It is no error if there is none.
pub(super) fn remove(directory: &Path) -> io::Result<()> {
    match open(directory, flags(), Mode::empty()) {
        Ok(opened) => {
            let emptied = empty(&opened);
            fs::remove_dir(directory).or(emptied.and(Err(io::ErrorKind::DirectoryNotEmpty.into())))
        }
        Err(Errno::ENOENT) => Ok(()),
        // A link, or a file.
        Err(Errno::ELOOP | Errno::ENOTDIR) => fs::remove_file(directory),
        Err(Errno::EACCES) => {
            fs::set_permissions(directory, std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
            empty(&open(directory, flags(), Mode::empty())?)?;
            fs::remove_dir(directory)
        }
        Err(error) => Err(error.into()),
    }
}

/// Removes everything in the directory. Goes on after an error, and returns the first.
pub(super) fn empty(directory: &OwnedFd) -> io::Result<()> {
    let mut current = directory.try_clone()?;
    let mut failed = None;
    // The directories on the way to the current one: the name of each, and those in it that are not visited yet.
    let mut way: Vec<(OsString, VecDeque<OsString>)> = vec![];
    let mut rest = files(current.as_fd(), &mut failed);
    loop {
        if let Some(name) = rest.pop_front() {
            match enter(current.as_fd(), &name) {
                Ok(inner) => {
                    way.push((name, rest));
                    rest = files(inner.as_fd(), &mut failed);
                    current = inner;
                }
                Err(error) => {
                    failed.get_or_insert(error);
                }
            }
            continue;
        }
        let Some((name, others)) = way.pop() else { break };
        current = openat(&current, c"..", flags(), Mode::empty())?;
        if let Err(error) = unlinkat(&current, name.as_os_str(), UnlinkatFlags::RemoveDir) {
            failed.get_or_insert(error);
        }
        rest = others;
    }
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// Removes all but directories that are not empty, and returns those.
fn files(directory: BorrowedFd<'_>, failed: &mut Option<Errno>) -> VecDeque<OsString> {
    let mut left = VecDeque::new();
    let list = format!("/proc/self/fd/{}", directory.as_raw_fd());
    for entry in fs::read_dir(list).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let flag = if is_directory { UnlinkatFlags::RemoveDir } else { UnlinkatFlags::NoRemoveDir };
        match unlinkat(directory, name.as_os_str(), flag) {
            Ok(()) | Err(Errno::ENOENT) => {}
            Err(_) if is_directory => left.push_back(name),
            Err(error) => {
                failed.get_or_insert(error);
            }
        }
    }
    left
}

/// Opens a directory in which we may remove files.
fn enter(directory: BorrowedFd<'_>, name: &OsStr) -> Result<OwnedFd, Errno> {
    let name = CString::new(name.as_bytes()).map_err(|_| Errno::EINVAL)?;
    let all = Mode::S_IRWXU;
    let opened = match openat(directory, name.as_c_str(), flags(), Mode::empty()) {
        Err(Errno::EACCES) => {
            // No program runs in it any more that could replace it by a link.
            fchmodat(directory, name.as_c_str(), all, FchmodatFlags::FollowSymlink)?;
            openat(directory, name.as_c_str(), flags(), Mode::empty())?
        }
        opened => opened?,
    };
    // If this fails, removing files in it may fail.
    let _ = fchmod(&opened, all);
    Ok(opened)
}

fn flags() -> OFlag {
    OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC
}

#[cfg(test)]
mod tests {
    use nix::sys::stat::mkdirat;

    use super::*;

    /// More than a process may open files, and than the longest path.
    #[test]
    fn thousands_of_nested_directories_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().join("top");
        fs::create_dir(&top).unwrap();
        let mut current = open(&top, flags(), Mode::empty()).unwrap();
        for _ in 0..6000 {
            mkdirat(&current, c"d", Mode::S_IRWXU).unwrap();
            mkdirat(&current, c"e", Mode::S_IRWXU).unwrap();
            current = openat(&current, c"d", flags(), Mode::empty()).unwrap();
        }
        remove(&top).unwrap();
        assert!(!top.exists());
        remove(&top).unwrap();
    }

    #[test]
    fn what_is_locked_is_removed_and_what_is_linked_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (top, outside) = (folder.path().join("top"), folder.path().join("outside"));
        fs::create_dir_all(top.join("a/b")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "").unwrap();
        fs::write(top.join("a/b/file"), "").unwrap();
        std::os::unix::fs::symlink(&outside, top.join("a/link")).unwrap();
        let none: fs::Permissions = std::os::unix::fs::PermissionsExt::from_mode(0o0);
        fs::set_permissions(top.join("a/b"), none.clone()).unwrap();
        fs::set_permissions(top.join("a"), none).unwrap();
        remove(&top).unwrap();
        assert!(!top.exists() && outside.join("kept").exists());
    }
}
