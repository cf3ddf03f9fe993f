//! Installs and removes versions atomically: a version is built in a scratch directory and then renamed; to
//! remove it, it is renamed into a scratch directory first. A process that is killed in between leaves only the
//! scratch directory, which the next one removes. Calling package managers is left to `manager`.

use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use super::lock::{Comparison, FolderLock, Lockfile};
use super::manager::Workshop;
use super::{Family, Installed, Manifest, SUITES, ToolchainError, Toolchains, WORKSHOP, checksum};
use crate::exec::{Runner, SandboxPolicy, remove_leftovers};

/// The subfolder of the scratch directory that becomes the version's folder.
pub(super) const CONTENTS: &str = "contents";

/// How often a long installation says that it goes on.
const REMINDER: Duration = Duration::from_secs(10);

/// The progress of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Another process is installing something.
    Waiting,
    /// The installation of these packages begins.
    Installing {
        name: String,
        manager: &'static str,
        packages: Vec<String>,
    },
    /// It was installed before, with different versions of its dependencies.
    Moved {
        name: String,
        packages: Vec<String>,
    },
    /// It is under way: so many bytes are downloaded and unpacked.
    Underway {
        name: String,
        bytes: u64,
    },
    Done {
        name: String,
        bytes: u64,
    },
}

impl Toolchains {
    /// The toolchain, installed if necessary. `tell` is called before anything is installed. With `offline`
    /// set, nothing is installed.
    pub fn ensure(
        &self,
        family: &str,
        version: &str,
        offline: bool,
        tell: &dyn Fn(&Notice),
    ) -> Result<Installed, ToolchainError> {
        let family = Family::named(family)?;
        let version = family.version(version)?;
        if let Some(installed) = self.get(family.name, version) {
            return Ok(installed);
        }
        if offline {
            let (family, version) = (family.name, version.to_owned());
            return Err(ToolchainError::Offline { family, version });
        }
        let better = self.better_python(family, version, offline, tell);
        match self.install(family, version, better.as_ref(), tell) {
            Err(ToolchainError::OtherPython { family: name, version: of, range }) => {
                match self.python_of(&range, offline, tell) {
                    Some(python) => self.install(family, version, Some(&python), tell),
                    None => Err(ToolchainError::OtherPython { family: name, version: of, range }),
                }
            }
            // The packages of an older version may not exist for a newer Python.
            Err(ToolchainError::Failed { .. }) if better.is_some() => {
                self.install(family, version, None, tell)
            }
            result => result,
        }
    }

    /// Installs a version, if no other process has done so in the meantime.
    fn install(
        &self,
        family: &'static Family,
        version: &str,
        python: Option<&Installed>,
        tell: &dyn Fn(&Notice),
    ) -> Result<Installed, ToolchainError> {
        let mut shop = self.workshop()?;
        shop.python = python.map(Installed::program);
        let _lock = FolderLock::acquire(&self.folder, || tell(&Notice::Waiting))?;
        // The previous holder of the lock may have installed it.
        if let Some(installed) = self.get(family.name, version) {
            return Ok(installed);
        }
        self.sweep()?;
        shop.check_needs(family)?;
        let name = format!("{}@{version}", family.name);
        tell(&Notice::Installing {
            name: name.clone(),
            manager: family.ecosystem.manager(),
            packages: family.packages(version),
        });
        let underway = |bytes| tell(&Notice::Underway { name: name.clone(), bytes });
        let contents = watched(shop.scratch.path(), &underway, || {
            family.ecosystem.install(family, version, &shop)
        })?;
        let made = shop.scratch.path().join(CONTENTS);
        let sum = checksum::of(&made)?;
        let manifest = Manifest {
            family: family.name.to_owned(),
            version: version.to_owned(),
            host: contents.host,
            packages: contents.packages,
            checksum: sum.checksum,
            bytes: sum.bytes,
            loader: contents.loader,
        };
        let mut lockfile = Lockfile::read(&self.folder)?;
        match lockfile.compare(&manifest) {
            Comparison::Fine => {}
            Comparison::Moved(packages) => tell(&Notice::Moved { name: name.clone(), packages }),
            Comparison::Altered(before) => {
                let (family, version, now) = (family.name, version.to_owned(), manifest.checksum);
                return Err(ToolchainError::Altered { family, version, before, now });
            }
        }
        Installed::write(&made, &manifest)?;
        let place = self.place(family, version);
        let failed = || ToolchainError::io("install into", &place);
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent).map_err(failed())?;
        }
        // A folder without a manifest is not an installed version, so it is replaced.
        put_away(&place, &shop)?;
        // The lock file first: if we are killed before the rename, the same version can be installed again.
        lockfile.record(&manifest);
        lockfile.write()?;
        std::fs::rename(&made, &place).map_err(failed())?;
        tell(&Notice::Done { name, bytes: manifest.bytes });
        Installed::at(&place).ok_or_else(|| failed()(std::io::ErrorKind::InvalidData.into()))
    }

    /// Removes a version, and with `forget` also its entry in the lock file. Returns whether there was anything to
    /// remove.
    pub fn remove(
        &self,
        family: &str,
        version: &str,
        forget: bool,
        tell: &dyn Fn(&Notice),
    ) -> Result<bool, ToolchainError> {
        let family = Family::named(family)?;
        let version = family.version(version)?;
        if !self.folder.is_dir() {
            return Ok(false);
        }
        let shop = self.workshop()?;
        let _lock = FolderLock::acquire(&self.folder, || tell(&Notice::Waiting))?;
        self.sweep()?;
        let place = self.place(family, version);
        let was_there = place.exists();
        put_away(&place, &shop)?;
        let mut lockfile = Lockfile::read(&self.folder)?;
        let was_known = forget && lockfile.forget(family.name, version);
        if was_known {
            lockfile.write()?;
        }
        Ok(was_there || was_known)
    }

    /// The newest release of a family, which is never a pre-release if there is a release. With `offline` set,
    /// this is an error, because the registry is not asked.
    pub fn newest(&self, family: &str, offline: bool) -> Result<String, ToolchainError> {
        if offline {
            let family = Family::named(family)?.name;
            return Err(ToolchainError::Offline { family, version: "VERSION".to_owned() });
        }
        let family = Family::named(family)?;
        let newest = family.ecosystem.newest(family, &self.workshop()?)?;
        // The list is never empty: an empty one is reported as an error.
        Ok(newest.unwrap_or_default())
    }

    /// A scratch directory in the toolchain folder, so that renaming does not cross file systems.
    pub(super) fn workshop(&self) -> Result<Workshop, ToolchainError> {
        let root = self.folder.join(WORKSHOP);
        std::fs::create_dir_all(&root).map_err(ToolchainError::io("make", &root))?;
        // Package managers need the network and their caches, which a sandbox would forbid.
        Workshop::new(Runner::new(root, SandboxPolicy::Off)?, self.folder.join(SUITES))
    }

    /// Removes the scratch directories of killed processes.
    fn sweep(&self) -> Result<(), ToolchainError> {
        let root = self.folder.join(WORKSHOP);
        remove_leftovers(&root).map_err(ToolchainError::io("clean", &root))?;
        Ok(())
    }
}

/// Does something that fills a folder, and says now and then how full it is.
fn watched<T: Send>(folder: &Path, tell: &dyn Fn(u64), work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let (done, is_done) = std::sync::mpsc::channel::<()>();
        let work = scope.spawn(move || {
            // It is dropped at the end, also by a panic.
            let _done = done;
            work()
        });
        while is_done.recv_timeout(REMINDER) == Err(RecvTimeoutError::Timeout) {
            tell(bytes_below(folder));
        }
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// The bytes of all files below a folder, as far as they can be read.
fn bytes_below(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.metadata() {
        Ok(it) if it.is_dir() => bytes_below(&entry.path()),
        Ok(it) => it.len(),
        Err(_) => 0,
    });
    bytes.sum()
}

/// Moves a folder into the scratch directory, with which it is removed.
fn put_away(place: &Path, shop: &Workshop) -> Result<(), ToolchainError> {
    match std::fs::rename(place, shop.scratch.path().join("put-away")) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(ToolchainError::io("remove", place)),
    }
}

/// The platform of packages with compiled parts.
pub(super) fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}
