//! How a version gets into the folder and out of it: made in a scratch directory beside it, then renamed;
//! renamed away, then removed. Whoever is killed in between leaves only the scratch directory, which the
//! next one sweeps.

use std::path::Path;

use super::lock::{Comparison, Hold, Lockfile};
use super::manager::Workshop;
use super::{Family, Installed, Manifest, ToolchainError, Toolchains, WORKSHOP, checksum};
use crate::exec::{Runner, SandboxPolicy, remove_leftovers};

/// What becomes the version's folder, in the scratch directory where it is made.
pub(super) const CONTENTS: &str = "contents";

/// What happens while a toolchain is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// Another process is installing something.
    Waiting,
    /// These packages are installed now.
    Installing {
        name: String,
        manager: &'static str,
        packages: Vec<String>,
    },
    /// It was installed before, with other versions of what it needs.
    Moved {
        name: String,
        packages: Vec<String>,
    },
    Done {
        name: String,
        bytes: u64,
    },
}

impl Toolchains {
    /// The toolchain, installed if need be. `tell` hears of it before anything is done; with `offline` set,
    /// nothing is.
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
        let shop = self.workshop()?;
        let _hold = Hold::take(&self.folder, || tell(&Notice::Waiting))?;
        // Whoever held it may have done it.
        if let Some(installed) = self.get(family.name, version) {
            return Ok(installed);
        }
        self.sweep()?;
        shop.look_for_needs(family)?;
        let name = format!("{}@{version}", family.name);
        tell(&Notice::Installing {
            name: name.clone(),
            manager: family.ecosystem.manager(),
            packages: family.packages(version),
        });
        let contents = family.ecosystem.install(family, version, &shop)?;
        let made = shop.scratch.path().join(CONTENTS);
        let sum = checksum::of(&made)?;
        let manifest = Manifest {
            family: family.name.to_owned(),
            version: version.to_owned(),
            host: contents.host,
            packages: contents.packages,
            checksum: sum.checksum,
            bytes: sum.bytes,
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
        // What has no manifest is not ours to use, and in the way.
        put_away(&place, &shop)?;
        // In this order: if nobody comes to rename it, the record is of something that can be had again.
        lockfile.record(&manifest);
        lockfile.write()?;
        std::fs::rename(&made, &place).map_err(failed())?;
        tell(&Notice::Done { name, bytes: manifest.bytes });
        Installed::at(&place).ok_or_else(|| failed()(std::io::ErrorKind::InvalidData.into()))
    }

    /// Removes a version, and with `forget` also what is recorded of it; says whether there was anything.
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
        let _hold = Hold::take(&self.folder, || tell(&Notice::Waiting))?;
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

    /// The newest release of a family; pre-releases are asked for by name. Where nothing may be installed
    /// nobody is asked either.
    pub fn newest(&self, family: &str, offline: bool) -> Result<String, ToolchainError> {
        if offline {
            let family = Family::named(family)?.name;
            return Err(ToolchainError::Offline { family, version: "VERSION".to_owned() });
        }
        let versions = self.available(family)?;
        let is_release = |version: &&String| {
            version.split('.').all(|part| part.chars().all(|c| c.is_ascii_digit()))
        };
        let newest = versions.iter().rfind(is_release).or(versions.last());
        // A registry without any version is reported as one that is not in reach.
        Ok(newest.cloned().unwrap_or_default())
    }

    /// A scratch directory in the folder, on the same file system as what is made in it.
    pub(super) fn workshop(&self) -> Result<Workshop, ToolchainError> {
        let root = self.folder.join(WORKSHOP);
        std::fs::create_dir_all(&root).map_err(ToolchainError::io("make", &root))?;
        // A sandbox would keep package managers from the network and from their caches.
        Workshop::new(Runner::new(root, SandboxPolicy::Off)?)
    }

    /// Removes what killed processes left.
    fn sweep(&self) -> Result<(), ToolchainError> {
        let root = self.folder.join(WORKSHOP);
        remove_leftovers(&root).map_err(ToolchainError::io("clean", &root))?;
        Ok(())
    }
}

/// Moves a folder into the scratch directory, with which it vanishes.
fn put_away(place: &Path, shop: &Workshop) -> Result<(), ToolchainError> {
    match std::fs::rename(place, shop.scratch.path().join("put-away")) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(ToolchainError::io("remove", place)),
    }
}

/// The kind of machine that packages with compiled parts are for.
pub(super) fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}
