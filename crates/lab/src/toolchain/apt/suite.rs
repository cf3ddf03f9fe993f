//! Other suites of the machine's archive, read through a private apt configuration: own sources, own lists, own
//! cache and an empty package database. Nothing of the machine's own configuration is changed, its keys verify
//! every list, and root is not needed. Lists are read again once a day. Which versions they have is left to
//! `offer`.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::super::manager::{Workshop, said};
use super::super::{Family, ToolchainError};
use super::sources::{self, Repository, SUITES};

/// Lists older than this are read again.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);

/// A suite that could not be read is tried again after this time.
const RETRY: Duration = Duration::from_secs(60 * 60);

/// What the machine's configuration sets and a private one must not have: commands that run after an update and
/// change the machine's caches.
const CLEARED: &str = "#clear APT::Update::Pre-Invoke;\n#clear APT::Update::Post-Invoke;\n\
                       #clear APT::Update::Post-Invoke-Success;\n";

/// The file with the reason why a suite could not be read.
const UNREADABLE: &str = "unreadable";

/// A suite with a folder of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Suite {
    pub(super) name: String,
    folder: PathBuf,
    lists: Lists,
}

/// Which lists of a suite are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lists {
    Packages,
    SourcePackages,
}

/// A suite whose lists could not be read, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub suite: String,
    pub said: String,
}

/// The suites that can be read, from old to new.
pub(super) fn readable(
    family: &'static Family,
    shop: &Workshop,
) -> Result<Vec<Suite>, ToolchainError> {
    let all = &shop.suites;
    fs::create_dir_all(all).map_err(ToolchainError::io("make", all))?;
    let _lock = lock(all)?;
    let codename = codename(&fs::read_to_string("/etc/os-release").unwrap_or_default());
    let archives = sources::archives(&repositories(family, shop)?, codename.as_deref());
    let Some(first) = archives.first() else {
        let said = "  no archive of this release is in the configuration of apt".to_owned();
        return Err(unreachable(family, said));
    };
    let mut readable = vec![];
    for name in SUITES {
        let suite = Suite::new(all, name)?;
        if suite.refresh(&archives, family, shop)? {
            readable.push(suite);
        }
    }
    if readable.is_empty() {
        // An archive with other names of suites: at least the machine's own can be read.
        for name in &first.suites {
            let suite = Suite::new(all, name)?;
            if suite.refresh(&archives, family, shop)? {
                readable.push(suite);
            }
        }
    }
    if readable.is_empty() {
        let said: Vec<String> = unreadable(all).into_iter().map(|it| it.said).collect();
        // Probably the network: the next call tries again.
        for name in SUITES {
            let _ = fs::remove_file(all.join(name).join(UNREADABLE));
        }
        return Err(unreachable(family, said.join("\n")));
    }
    Ok(readable)
}

/// The same suite with the lists of its source packages; `None` if they cannot be read.
pub(super) fn with_source_packages(
    suite: &Suite,
    family: &'static Family,
    shop: &Workshop,
) -> Result<Option<Suite>, ToolchainError> {
    let all = &shop.suites;
    let _lock = lock(all)?;
    let codename = codename(&fs::read_to_string("/etc/os-release").unwrap_or_default());
    let archives = sources::archives(&repositories(family, shop)?, codename.as_deref());
    let folder = all.join(format!("{}-sources", suite.name));
    let suite = Suite { folder, lists: Lists::SourcePackages, ..suite.clone() };
    suite.prepare(all)?;
    Ok(suite.refresh(&archives, family, shop)?.then_some(suite))
}

/// The suites that were read before, from old to new.
pub(super) fn remembered(all: &Path) -> Vec<Suite> {
    let suites = SUITES.iter().map(|name| Suite::named(all, name));
    suites.filter(|suite| suite.folder.join("read").exists()).collect()
}

/// The suites that could not be read the last time.
pub(in super::super) fn unreadable(folder: &Path) -> Vec<Unreadable> {
    let note = |name: &&str| {
        let said = fs::read_to_string(folder.join(name).join(UNREADABLE)).ok()?;
        Some(Unreadable { suite: (*name).to_owned(), said })
    };
    SUITES.iter().filter_map(note).collect()
}

fn unreachable(family: &'static Family, said: String) -> ToolchainError {
    let (family, manager) = (family.name, family.ecosystem.manager());
    ToolchainError::Unreachable { family, manager, said }
}

/// Only one process updates the lists at a time; apt would fail instead of waiting.
fn lock(folder: &Path) -> Result<fs::File, ToolchainError> {
    let path = folder.join("lock");
    let failed = || ToolchainError::io("lock", &path);
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(failed())?;
    file.lock().map_err(failed())?;
    Ok(file)
}

/// The name of the machine's release: `bookworm`.
fn codename(os_release: &str) -> Option<String> {
    let line = os_release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="))?;
    Some(line.trim_matches('"').to_owned())
}

/// All repositories in the machine's configuration.
fn repositories(
    family: &'static Family,
    shop: &Workshop,
) -> Result<Vec<Repository>, ToolchainError> {
    let words =
        ["apt-config", "shell", "F", "Dir::Etc::sourcelist/f", "D", "Dir::Etc::sourceparts/d"];
    let run = shop.call(family, words.map(OsString::from).into())?;
    let text = run.stdout.text();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
        Some(PathBuf::from(line.trim_matches('\'')))
    };
    let mut files: Vec<PathBuf> = value("F").into_iter().collect();
    let parts = value("D").and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten();
    let mut parts: Vec<PathBuf> = parts.flatten().map(|entry| entry.path()).collect();
    parts.sort_unstable();
    let is_source = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "list" || extension == "sources")
    };
    files.extend(parts.into_iter().filter(is_source));
    let parse = |path: &PathBuf| {
        let text = fs::read_to_string(path).unwrap_or_default();
        sources::parse(&path.to_string_lossy(), &text)
    };
    Ok(files.iter().flat_map(parse).collect())
}

impl Suite {
    pub(super) fn named(all: &Path, name: &str) -> Self {
        Self { name: name.to_owned(), folder: all.join(name), lists: Lists::Packages }
    }

    /// The suite with an empty private configuration.
    fn new(all: &Path, name: &str) -> Result<Self, ToolchainError> {
        let suite = Self::named(all, name);
        suite.prepare(all)?;
        Ok(suite)
    }

    fn prepare(&self, all: &Path) -> Result<(), ToolchainError> {
        for folder in ["state", "cache/archives/partial"] {
            let path = self.folder.join(folder);
            fs::create_dir_all(&path).map_err(ToolchainError::io("make", &path))?;
        }
        // The lists of all suites are together, because experimental needs those of unstable.
        let lists = all.join("lists/partial");
        fs::create_dir_all(&lists).map_err(ToolchainError::io("make", &lists))?;
        self.write("apt.conf", CLEARED)?;
        self.write("status", "")
    }

    fn write(&self, name: &str, text: &str) -> Result<(), ToolchainError> {
        let path = self.folder.join(name);
        fs::write(&path, text).map_err(ToolchainError::io("write", &path))
    }

    /// The options that make apt use this suite instead of the machine's.
    pub(super) fn options(&self) -> Vec<OsString> {
        let mut options: Vec<OsString> = vec!["-c".into(), self.folder.join("apt.conf").into()];
        let lists = self.folder.with_file_name("lists");
        let paths = [
            ("Dir::Etc::sourcelist", self.folder.join("suite.sources")),
            ("Dir::Etc::sourceparts", "/dev/null".into()),
            ("Dir::Etc::preferences", "/dev/null".into()),
            ("Dir::Etc::preferencesparts", "/dev/null".into()),
            ("Dir::State", self.folder.join("state")),
            ("Dir::State::lists", lists),
            ("Dir::State::status", self.folder.join("status")),
            ("Dir::Cache", self.folder.join("cache")),
            // A configuration can disable these; building them takes a second.
            ("Dir::Cache::pkgcache", "pkgcache.bin".into()),
            ("Dir::Cache::srcpkgcache", "srcpkgcache.bin".into()),
        ];
        for (option, path) in paths {
            let mut value = OsString::from(format!("{option}="));
            value.push(path);
            options.extend(["-o".into(), value]);
        }
        let values = [
            // As root, apt-get would switch to a user who has no access to the folder.
            "APT::Sandbox::User=root",
            // Lists of the other suites are not garbage.
            "APT::Get::List-Cleanup=false",
            // A failed download is an error, also if there are old lists.
            "APT::Update::Error-Mode=any",
            // A suite gets another name when a version is released.
            "Acquire::AllowReleaseInfoChange=true",
            "Acquire::AllowInsecureRepositories=false",
            "Acquire::AllowWeakRepositories=false",
            "Acquire::AllowDowngradeToInsecureRepositories=false",
            "APT::Get::AllowUnauthenticated=false",
            "Acquire::PDiffs=false",
            "Acquire::Languages=none",
            "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false",
            "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled=false",
        ];
        options.extend(values.iter().flat_map(|value| ["-o".into(), OsString::from(value)]));
        options
    }

    /// The suites that packages may come from.
    fn sources(&self) -> Vec<&str> {
        // Experimental is no complete suite.
        if self.name == "experimental" && self.lists == Lists::Packages {
            vec!["experimental", "unstable"]
        } else {
            vec![&self.name]
        }
    }

    /// Reads the lists again if they are old. Returns whether there are any.
    fn refresh(
        &self,
        archives: &[Repository],
        family: &'static Family,
        shop: &Workshop,
    ) -> Result<bool, ToolchainError> {
        let (read, failed) = (self.folder.join("read"), self.folder.join(UNREADABLE));
        if is_younger(&read, FRESH) {
            return Ok(true);
        }
        if is_younger(&failed, RETRY) {
            return Ok(read.exists());
        }
        let mut complaints = String::new();
        for archive in archives {
            self.write("suite.sources", &archive.with_suites(self.lists, &self.sources()))?;
            let mut argv: Vec<OsString> = vec!["apt-get".into()];
            argv.extend(self.options());
            argv.extend(["update", "--quiet"].map(OsString::from));
            let run = shop.call(family, argv)?;
            if run.ending.success() {
                self.write("read", "")?;
                let _ = fs::remove_file(&failed);
                return Ok(true);
            }
            complaints += &said(&run);
            complaints.push('\n');
        }
        self.write(UNREADABLE, complaints.trim_end())?;
        Ok(read.exists())
    }
}

fn is_younger(path: &Path, limit: Duration) -> bool {
    let written = path.metadata().and_then(|metadata| metadata.modified()).ok();
    let age = written.and_then(|written| SystemTime::now().duration_since(written).ok());
    age.is_some_and(|age| age < limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::{Runner, SandboxPolicy};

    /// A repository in a folder. `testing` has a signature that is none, `stable` has no signature.
    fn forged(folder: &Path) -> Vec<Repository> {
        let release = |suite: &str| {
            format!(
                "Origin: Debian\nSuite: {suite}\nComponents: main\nArchitectures: amd64\nSHA256:\n"
            )
        };
        for suite in ["testing", "stable"] {
            let place = folder.join("dists").join(suite);
            fs::create_dir_all(&place).unwrap();
            fs::write(place.join("Release"), release(suite)).unwrap();
        }
        let signed = format!(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{}-----BEGIN PGP SIGNATURE-----\n\n\
             iHUEARYIAB0WIQ\n-----END PGP SIGNATURE-----\n",
            release("testing")
        );
        fs::write(folder.join("dists/testing/InRelease"), signed).unwrap();
        let list = format!("deb file:{} testing main\n", folder.display());
        sources::parse("sources.list", &list)
    }

    #[test]
    fn a_suite_that_is_missing_or_not_signed_properly_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let runner = Runner::new(folder.path().join("work"), SandboxPolicy::Off).unwrap();
        let all = folder.path().join("suites");
        let shop = Workshop::new(runner, all.clone()).unwrap();
        let gcc = Family::named("gcc").unwrap();
        let archives = forged(&folder.path().join("archive"));
        let read = |name: &str| Suite::new(&all, name).unwrap().refresh(&archives, gcc, &shop);
        // Without apt there is nothing to test.
        let Ok(forged) = read("testing") else { return };
        assert!(!forged);
        assert!(!read("stable").unwrap() && !read("unstable").unwrap());
        let notes = unreadable(&all);
        let said = |suite: &str| {
            let note = notes.iter().find(|note| note.suite == suite);
            note.map(|note| note.said.clone()).unwrap()
        };
        assert!(said("testing").contains("testing InRelease"), "{notes:?}");
        assert!(said("stable").contains("not signed"), "{notes:?}");
        assert!(said("unstable").contains("Release file"), "{notes:?}");
        // It is not tried again at once: the archive may even be gone.
        fs::remove_dir_all(folder.path().join("archive")).unwrap();
        assert!(!read("testing").unwrap());
        assert_eq!(unreadable(&all), notes);
    }

    #[test]
    fn lists_that_were_read_before_are_used_if_they_cannot_be_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let runner = Runner::new(folder.path().join("work"), SandboxPolicy::Off).unwrap();
        let all = folder.path().join("suites");
        let shop = Workshop::new(runner, all.clone()).unwrap();
        let gcc = Family::named("gcc").unwrap();
        let suite = Suite::new(&all, "testing").unwrap();
        suite.write("read", "").unwrap();
        // Fresh: nothing is called.
        assert!(suite.refresh(&[], gcc, &shop).unwrap());
        assert!(unreadable(&all).is_empty());
        let old = SystemTime::now() - 2 * FRESH;
        let file = fs::File::options().write(true).open(suite.folder.join("read")).unwrap();
        file.set_modified(old).unwrap();
        assert!(suite.refresh(&[], gcc, &shop).unwrap());
        assert_eq!(unreadable(&all).len(), 1);
    }

    #[test]
    fn the_release_of_the_machine_is_known_by_its_codename() {
        assert_eq!(codename("ID=debian\nVERSION_CODENAME=bookworm\n").as_deref(), Some("bookworm"));
        assert_eq!(codename("VERSION_CODENAME=\"noble\"\n").as_deref(), Some("noble"));
        assert_eq!(codename("ID=arch\n"), None);
    }
}
