//! What programs see of the file system: all of it, read-only, but for the folders in which users keep what is theirs. Of
//! these they see what a command line names, and where the compiler in it is installed. Mounting it is left to `keeper`.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Which files programs see, besides what always holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Folders that are hidden, besides the home directories and `/run`.
    pub hidden: Vec<PathBuf>,
    /// Files and folders that are seen although a folder around them is hidden.
    pub visible: Vec<PathBuf>,
}

/// Folders in which users keep what is theirs, sockets included.
const PRIVATE: [&str; 3] = ["/home", "/root", "/run"];

/// Parts of systems that keep their programs below `/run`.
const PROGRAMS_BELOW_RUN: [&str; 3] = ["current-system", "booted-system", "opengl-driver"];

/// A folder around one of these is not hidden.
const SYSTEM: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/proc", "/sys", "/dev"];

/// What belongs to a program in `bin` of a folder that has other things as well.
const BESIDE: [&str; 3] = ["lib", "lib64", "libexec"];

/// How much of a script is read.
const LONGEST: u64 = 64 << 10;

/// How many scripts are followed from one to the next.
const DEEPEST: u32 = 4;

/// Where something is mounted, and what.
pub(super) type Shown = (PathBuf, PathBuf);

/// The view of one runner.
#[derive(Debug)]
pub(super) struct Sight {
    /// No folder is below another one.
    pub(super) hidden: Vec<PathBuf>,
    /// Folders that stay hidden when folders around them are shown.
    pub(super) own: Vec<PathBuf>,
    root: PathBuf,
    home: Option<PathBuf>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    words: HashSet<OsString>,
    shown: HashSet<PathBuf>,
}

impl Sight {
    /// The view of a runner whose scratch directories are in `root`.
    pub(super) fn new(view: &View, root: &Path) -> Sight {
        let home = std::env::var_os("HOME").and_then(|home| Path::new(&home).canonicalize().ok());
        let mut candidates: Vec<PathBuf> = home.iter().cloned().collect();
        for folder in PRIVATE {
            candidates.extend(private(Path::new(folder)));
        }
        let own: Vec<PathBuf> =
            view.hidden.iter().filter_map(|it| it.canonicalize().ok()).collect();
        candidates.extend(own.iter().cloned());
        candidates.retain(|folder| may_be_hidden(folder));
        candidates.sort();
        candidates.dedup();
        let hidden: Vec<PathBuf> = candidates
            .iter()
            .filter(|folder| !candidates.iter().any(|other| is_below(folder, other)))
            .cloned()
            .collect();
        let known = Mutex::default();
        Sight { hidden, own, root: root.to_owned(), home, known }
    }

    /// What is to be seen from the beginning: what was asked for, and the programs that a name finds.
    pub(super) fn at_first(&self, view: &View) -> Vec<Shown> {
        let mut shown = vec![];
        for path in &view.visible {
            // Our own folders in it are hidden afterwards.
            let Ok(path) = std::path::absolute(path) else { continue };
            if !self.hidden.iter().any(|hidden| hidden.starts_with(&path)) {
                self.show(&path, &mut shown);
            }
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        for folder in std::env::split_paths(&path).filter(|folder| folder.is_absolute()) {
            for folder in self.around(&folder) {
                self.take(&folder, &mut shown);
            }
        }
        shown
    }

    /// What has to be seen so that a program can be started with these words, and is not seen yet.
    pub(super) fn needed<'a>(
        &self,
        program: &OsStr,
        words: impl Iterator<Item = &'a OsStr>,
    ) -> Vec<Shown> {
        let mut shown = vec![];
        if self.is_new(program) {
            self.follow(Path::new(program), &mut shown, DEEPEST);
        }
        for word in words {
            // Most words are not paths.
            if word.as_bytes().contains(&b'/') && self.is_new(word) {
                for path in paths(word) {
                    self.follow(path, &mut shown, DEEPEST);
                }
            }
        }
        shown
    }

    fn known(&self) -> std::sync::MutexGuard<'_, Known> {
        // A panic while the lock is held cannot leave the sets in an invalid state.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_new(&self, word: &OsStr) -> bool {
        let mut known = self.known();
        !known.words.contains(word) && known.words.insert(word.to_owned())
    }

    /// Shows a file or folder that a command line names, and what it leads to.
    fn follow(&self, path: &Path, shown: &mut Vec<Shown>, depth: u32) {
        if path.starts_with(&self.root) || !path.exists() || depth == 0 {
            return;
        }
        // Each link of a chain has to be seen, as well as its end.
        let mut link = path.to_owned();
        for _ in 0..DEEPEST {
            self.installation(&link, shown);
            let Ok(target) = fs::read_link(&link) else { break };
            link = link.parent().unwrap_or(Path::new("/")).join(target);
        }
        let Ok(real) = path.canonicalize() else { return };
        self.installation(&real, shown);
        for (number, named) in named_in(&real).into_iter().enumerate() {
            // Of the rest of a script, only what is hidden is of interest.
            if number == 0 || self.hider(&named).is_some() {
                self.follow(&named, shown, depth - 1);
            }
        }
    }

    /// Shows the folder where a program is installed, or a folder itself.
    fn installation(&self, path: &Path, shown: &mut Vec<Shown>) {
        if self.hider(path).is_none() {
            return;
        }
        if path.is_dir() {
            return self.take(path, shown);
        }
        let folder = path.parent().unwrap_or(path);
        let before = shown.len();
        for folder in self.around(folder) {
            self.take(&folder, shown);
        }
        if shown.len() == before {
            self.take(path, shown);
        }
    }

    /// A folder of programs with what belongs to it.
    fn around(&self, folder: &Path) -> Vec<PathBuf> {
        let name = folder.file_name().unwrap_or_default();
        let Some(parent) = folder.parent() else { return vec![folder.to_owned()] };
        let is_shared = self.home.as_deref().is_some_and(|home| {
            let is_dotted =
                parent.file_name().is_some_and(|name| name.as_bytes().starts_with(b"."));
            parent == home || (parent.parent() == Some(home) && is_dotted)
        });
        // The scripts of a manager of versions start what is beside them.
        if name == "shims" || (name == "bin" && !is_shared && self.may_be_shown(parent)) {
            return vec![parent.to_owned()];
        }
        let mut all = vec![folder.to_owned()];
        if name == "bin" {
            all.extend(BESIDE.iter().map(|beside| parent.join(beside)).filter(|it| it.is_dir()));
        }
        all
    }

    /// Shows what is hidden and may be seen.
    fn take(&self, path: &Path, shown: &mut Vec<Shown>) {
        if path.canonicalize().is_ok_and(|real| self.may_be_shown(&real)) && self.may_be_shown(path)
        {
            self.show(path, shown);
        }
    }

    fn show(&self, path: &Path, shown: &mut Vec<Shown>) {
        let Ok(real) = path.canonicalize() else { return };
        if self.hider(path).is_none() {
            return;
        }
        let mut known = self.known();
        if known.shown.iter().any(|seen| path.starts_with(seen)) {
            return;
        }
        known.shown.insert(path.to_owned());
        shown.push((path.to_owned(), real));
    }

    /// The hidden folder that a path is below.
    fn hider(&self, path: &Path) -> Option<&PathBuf> {
        self.hidden.iter().find(|hidden| below(path, hidden).is_some())
    }

    /// Whether showing it shows nothing that is to be hidden.
    fn may_be_shown(&self, path: &Path) -> bool {
        let mut secret = self.hidden.iter().chain(&self.own).chain([&self.root]);
        !secret.any(|secret| secret.starts_with(path))
    }
}

/// What is hidden of a private folder.
fn private(folder: &Path) -> Vec<PathBuf> {
    let has_programs = PROGRAMS_BELOW_RUN.iter().any(|name| folder.join(name).exists());
    if !has_programs {
        return folder.canonicalize().into_iter().collect();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let others = entries.filter(|entry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder && !PROGRAMS_BELOW_RUN.iter().any(|name| entry.file_name() == *name)
    });
    others.map(|entry| entry.path()).collect()
}

fn may_be_hidden(folder: &Path) -> bool {
    folder.is_dir() && !SYSTEM.iter().any(|system| Path::new(system).starts_with(folder))
}

fn is_below(path: &Path, folder: &Path) -> bool {
    path != folder && path.starts_with(folder)
}

/// The part of a path below a folder, if it is below it.
pub(super) fn below<'a>(path: &'a Path, folder: &Path) -> Option<&'a Path> {
    path.strip_prefix(folder).ok().filter(|rest| !rest.as_os_str().is_empty())
}

/// The absolute paths in a word such as `-I/home/me/include`, `--sysroot=/opt/x` or `/a:/b`.
fn paths(word: &OsStr) -> impl Iterator<Item = &Path> {
    let parts = word.as_bytes().split(|byte| matches!(byte, b':' | b'=' | b','));
    parts.filter_map(|part| {
        let start = part.iter().position(|byte| *byte == b'/')?;
        // `a/b` is a path in the scratch directory.
        let is_absolute = start == 0 || part[0] == b'-' || part[0] == b'@';
        is_absolute.then(|| Path::new(OsStr::from_bytes(&part[start..])))
    })
}

/// The paths that a script names: its interpreter first, then what it may start.
fn named_in(script: &Path) -> Vec<PathBuf> {
    let mut text = vec![];
    let read = File::open(script).and_then(|file| file.take(LONGEST).read_to_end(&mut text));
    if read.is_err() || !text.starts_with(b"#!") {
        return vec![];
    }
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"!'\"`;()<>|&=:".contains(byte);
    let words = text.split(is_end).filter(|word| word.starts_with(b"/"));
    words.map(|word| PathBuf::from(OsStr::from_bytes(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(home: &Path, own: &[&Path]) -> Sight {
        Sight {
            hidden: vec![home.to_owned()],
            own: own.iter().map(|it| (*it).to_owned()).collect(),
            root: home.join("out/scratch"),
            home: Some(home.to_owned()),
            known: Mutex::default(),
        }
    }

    fn places(shown: Vec<Shown>) -> Vec<String> {
        shown.into_iter().map(|(place, _)| place.display().to_string()).collect()
    }

    #[test]
    fn words_contain_absolute_paths() {
        let of = |word: &str| -> Vec<String> {
            paths(OsStr::new(word)).map(|path| path.display().to_string()).collect()
        };
        assert_eq!(of("-I/a/b"), ["/a/b"]);
        assert_eq!(of("--sysroot=/a:/b"), ["/a", "/b"]);
        assert_eq!(of("@/a/list"), ["/a/list"]);
        assert!(of("a/b").is_empty() && of("-O2").is_empty());
    }

    #[test]
    fn a_compiler_is_seen_with_what_is_installed_beside_it_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        for file in
            ["gcc/bin/gcc", "gcc/lib/x", ".tool/bin/run", ".tool/lib/y", ".tool/token", "cc"]
        {
            fs::create_dir_all(home.join(file).parent().unwrap()).unwrap();
            fs::write(home.join(file), "").unwrap();
        }
        let sight = sight(&home, &[]);
        let needed = |program: &str, word: &str| {
            let (program, word) = (home.join(program), OsString::from(word));
            let shown = sight.needed(program.as_os_str(), [word.as_os_str()].into_iter());
            let top = format!("{}/", home.display());
            places(shown).into_iter().map(|it| it.replace(&top, "")).collect::<Vec<_>>()
        };
        assert_eq!(needed("gcc/bin/gcc", "-O2"), ["gcc"]);
        assert!(needed("gcc/bin/gcc", "-O2").is_empty());
        assert_eq!(needed(".tool/bin/run", "x"), [".tool/bin", ".tool/lib"]);
        // A wrapper starts what its text names.
        let text = format!("#!/bin/sh\nexec \"{}\" \"$@\"\n", home.join("lld/bin/ld").display());
        fs::create_dir_all(home.join("wrappers")).unwrap();
        fs::create_dir_all(home.join("lld/bin")).unwrap();
        fs::write(home.join("lld/bin/ld"), "").unwrap();
        fs::write(home.join("wrappers/ld"), text).unwrap();
        assert_eq!(needed("wrappers/ld", "x"), ["wrappers", "lld"]);
        // In the home directory itself: that file only.
        assert_eq!(needed("cc", &home.display().to_string()), ["cc"]);
    }

    #[test]
    fn our_own_folder_is_not_shown_with_a_project() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let project = home.join("project");
        fs::create_dir_all(project.join("out")).unwrap();
        fs::write(project.join("cc"), "").unwrap();
        let program = project.join("cc");
        let own = project.join("out");
        let shown = sight(&home, &[&own]).needed(program.as_os_str(), std::iter::empty());
        assert_eq!(places(shown), [program.display().to_string()]);
    }

    #[test]
    fn a_link_is_followed_into_a_hidden_folder() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        let outside = folder.path().canonicalize().unwrap().join("cc");
        fs::create_dir_all(home.join("gcc/bin")).unwrap();
        fs::write(home.join("gcc/bin/gcc"), "#!/bin/sh\n").unwrap();
        std::os::unix::fs::symlink(home.join("gcc/bin/gcc"), &outside).unwrap();
        let shown = sight(&home, &[]).needed(outside.as_os_str(), std::iter::empty());
        assert_eq!(places(shown), [home.join("gcc").display().to_string()]);
    }

    #[test]
    fn folders_around_the_system_are_not_hidden() {
        assert!(!may_be_hidden(Path::new("/")));
        assert!(!may_be_hidden(Path::new("/usr")));
        assert!(may_be_hidden(&std::env::temp_dir()));
    }
}
