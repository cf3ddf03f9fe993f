//! The arguments of `execve`: program, arguments and environment as C strings, all of them allocated before
//! the child exists. Calling it is left to `clone`.

use std::ffi::{CString, OsStr, OsString, c_char};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use nix::unistd::{AccessFlags, access};

#[derive(Debug)]
pub(super) struct Image {
    pub(super) program: CString,
    pub(super) cwd: CString,
    pub(super) argv: Vec<CString>,
    pub(super) env: Vec<CString>,
}

impl Image {
    /// If `env` has a variable twice, the last value is used.
    pub(super) fn new(
        argv: &[OsString],
        env: &[(OsString, OsString)],
        cwd: &Path,
    ) -> io::Result<Image> {
        let name = argv.first().map_or(OsStr::new(""), OsString::as_os_str);
        let last = |name: &OsStr| env.iter().rfind(|(other, _)| other == name);
        let path = last(OsStr::new("PATH")).map_or(OsStr::new(""), |(_, path)| path);
        let program = find(name, path)?;
        let entries = env.iter().filter(|entry| last(&entry.0).is_some_and(|it| it == *entry));
        let entries =
            entries.map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat());
        Ok(Image {
            program: CString::new(program.into_os_string().into_vec())?,
            cwd: CString::new(cwd.as_os_str().as_bytes())?,
            argv: argv
                .iter()
                .map(|word| CString::new(word.as_bytes()))
                .collect::<Result<_, _>>()?,
            env: entries.map(CString::new).collect::<Result<_, _>>()?,
        })
    }

    /// Null-terminated arrays of pointers to the arguments and to the environment.
    pub(super) fn pointers(&self) -> (Vec<*const c_char>, Vec<*const c_char>) {
        let pointers = |words: &[CString]| {
            words.iter().map(|word| word.as_ptr()).chain([std::ptr::null()]).collect()
        };
        (pointers(&self.argv), pointers(&self.env))
    }
}

/// The file that `name` refers to, looked up in `path` unless it contains a slash. Relative directories in
/// `path` are skipped: they would refer to the scratch directory, whose files are not trusted.
fn find(name: &OsStr, path: &OsStr) -> io::Result<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return Ok(name.into());
    }
    let mut reason = libc::ENOENT;
    for directory in std::env::split_paths(path).filter(|directory| directory.is_absolute()) {
        let candidate = directory.join(name);
        if !name.is_empty() && candidate.is_file() {
            match access(&candidate, AccessFlags::X_OK) {
                Ok(()) => return Ok(candidate),
                Err(error) => reason = error as i32,
            }
        }
    }
    Err(io::Error::from_raw_os_error(reason))
}
