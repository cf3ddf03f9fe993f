//! Mounts, as system calls. What is mounted where is left to `keeper` and `init`.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use libc::{c_char, c_int, c_long, c_uint, c_ulong, c_void, mount_attr};

/// Our processes execute nothing with the rights of another user.
pub(super) const SAFE: u64 = libc::MOUNT_ATTR_NOSUID;
pub(super) const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY;

fn check(result: c_long) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[expect(unsafe_code, reason = "nix has it behind a feature that we do not use otherwise")]
fn mount(
    what: &CStr,
    path: &CStr,
    kind: Option<&CStr>,
    flags: c_ulong,
    options: Option<&CStr>,
) -> io::Result<()> {
    let kind = kind.map_or(std::ptr::null::<c_char>(), CStr::as_ptr);
    let options = options.map_or(std::ptr::null::<c_char>(), CStr::as_ptr);
    // SAFETY: all strings are null-terminated and live; null pointers are permitted for the last two.
    let result =
        unsafe { libc::mount(what.as_ptr(), path.as_ptr(), kind, flags, options.cast::<c_void>()) };
    check(result.into())
}

/// No mount reaches another namespace any more.
pub(super) fn make_private() -> io::Result<()> {
    mount(c"none", c"/", None, libc::MS_REC | libc::MS_PRIVATE, None)
}

/// Mounts an empty file system in memory over a directory.
pub(super) fn cover(path: &CStr, options: &CStr) -> io::Result<()> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV;
    mount(c"tmpfs", path, Some(c"tmpfs"), flags, Some(options))
}

/// Changes the options, such as the size, of a file system that [`cover`] has mounted.
pub(super) fn resize(path: &CStr, options: &CStr) -> io::Result<()> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_REMOUNT;
    mount(c"tmpfs", path, Some(c"tmpfs"), flags, Some(options))
}

/// Mounts the process table of our process namespace.
pub(super) fn process_table() -> io::Result<()> {
    let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    mount(c"proc", c"/proc", Some(c"proc"), flags, None)
}

/// Takes a mount away as soon as nobody uses it.
#[expect(unsafe_code, reason = "nix has it behind a feature that we do not use otherwise")]
pub(super) fn detach(path: &CStr) -> io::Result<()> {
    // SAFETY: the string is null-terminated and live.
    check(unsafe { libc::umount2(path.as_ptr(), libc::MNT_DETACH) }.into())
}

/// Sets and clears attributes of the mount at a path, and of all below it if that is asked for.
pub(super) fn change(path: &CStr, all_below: bool, set: u64, clear: u64) -> io::Result<()> {
    let flags = if all_below { libc::AT_RECURSIVE as c_uint } else { 0 };
    change_at(libc::AT_FDCWD, path, flags, set, clear)
}

/// Sets attributes of a tree that is not mounted yet.
pub(super) fn change_tree(tree: BorrowedFd<'_>, set: u64) -> io::Result<()> {
    let flags = (libc::AT_RECURSIVE | libc::AT_EMPTY_PATH) as c_uint;
    change_at(tree.as_raw_fd(), c"", flags, set, 0)
}

#[expect(unsafe_code, reason = "no crate we use has mount_setattr")]
fn change_at(from: RawFd, path: &CStr, flags: c_uint, set: u64, clear: u64) -> io::Result<()> {
    let attributes = mount_attr { attr_set: set, attr_clr: clear, propagation: 0, userns_fd: 0 };
    // SAFETY: the string and the attributes are live, and the size is that of the attributes.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            from,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<mount_attr>(),
        )
    })
}

/// A copy of the tree of mounts that begins at a file or directory, not mounted anywhere.
#[expect(unsafe_code, reason = "no crate we use has open_tree")]
pub(super) fn copy_of(path: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = libc::OPEN_TREE_CLONE
        | libc::O_CLOEXEC as c_uint
        | (libc::AT_RECURSIVE | libc::AT_EMPTY_PATH) as c_uint;
    // SAFETY: the descriptor is open and the string is null-terminated. The result is a new descriptor without an
    // owner; a descriptor is an `int`, so the cast does not truncate.
    unsafe {
        let fd = libc::syscall(libc::SYS_open_tree, path.as_raw_fd(), c"".as_ptr(), flags);
        check(fd)?;
        Ok(OwnedFd::from_raw_fd(fd as c_int))
    }
}

/// Mounts a tree that [`copy_of`] made.
#[expect(unsafe_code, reason = "no crate we use has move_mount")]
pub(super) fn attach(tree: BorrowedFd<'_>, path: &CStr) -> io::Result<()> {
    // SAFETY: the descriptor is open and the strings are null-terminated.
    check(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::MOVE_MOUNT_F_EMPTY_PATH,
        )
    })
}
