//! Families from Debian, in every version that a suite of the machine's archive has: packages are downloaded and
//! unpacked into a folder, without root privileges and without changing the packages or the configuration of the
//! system. They are complete with the C library of their suite, and started through its loader; what they compile
//! uses the C library of the machine. Checksums and the lock file are left to `install`.

mod offer;
mod recipe;
mod source_package;
mod sources;
mod suite;
mod unpack;

pub use suite::Unreadable;
pub(super) use suite::unreadable;

use std::ffi::OsString;

use super::install::{CONTENTS, platform};
use super::manager::{Contents, Need, Workshop, said, sorted};
use super::{Family, ToolchainError};
use offer::Offer;
use recipe::Recipe;
use source_package::Tests;
use unpack::{ROOT, Root, entries};

pub(super) const NEEDS: &[Need] = &[
    Need {
        name: "apt-get",
        check: &["apt-get", "--version"],
        get: "it is only available on Debian and its derivatives",
    },
    Need { name: "apt-cache", check: &["apt-cache", "--version"], get: "it comes with apt-get" },
    Need { name: "apt-config", check: &["apt-config", "--version"], get: "it comes with apt-get" },
    Need {
        name: "dpkg",
        check: &["dpkg", "--version"],
        get: "it is only available on Debian and its derivatives",
    },
];

/// Where packages are downloaded to, in the scratch directory.
const DOWNLOADS: &str = "downloads";

/// The packages of a version.
pub(super) fn packages(family: &Family, version: &str) -> Vec<String> {
    if let Some(tests) = Tests::of(family.name) {
        return vec![tests.package(family.package, version)];
    }
    let recipe = Recipe::of(family.name);
    recipe.map(|recipe| recipe.packages(family.package, version)).unwrap_or_default()
}

fn offers(family: &'static Family, shop: &Workshop) -> Result<Vec<Offer>, ToolchainError> {
    let listed = listed(family)?;
    match Recipe::of(listed.name) {
        Some(recipe) => offer::offers(listed, recipe, suite::readable(family, shop)?, shop),
        None => Ok(vec![]),
    }
}

/// The family whose packages tell the versions: a source package has those of the compiler that is built from it.
fn listed(family: &'static Family) -> Result<&'static Family, ToolchainError> {
    match Tests::of(family.name) {
        Some(tests) => Family::named(tests.compiler),
        None => Ok(family),
    }
}

/// The versions in the lists that are there, however old they are. Nothing is read from the network.
pub(super) fn remembered(
    family: &'static Family,
    shop: &Workshop,
) -> Result<Remembered, ToolchainError> {
    let listed = listed(family)?;
    let Some(recipe) = Recipe::of(listed.name) else { return Ok(Remembered::default()) };
    let offers = offer::offers(listed, recipe, suite::remembered(&shop.suites), shop)?;
    let releases = offers.iter().filter(|offer| !offer.is_snapshot());
    let releases = sorted(releases.map(|offer| offer.version.clone()).collect());
    let versions = sorted(offers.into_iter().map(|offer| offer.version).collect());
    Ok(Remembered { versions, releases })
}

/// What the lists have that were read before, from old to new.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    pub versions: Vec<String>,
    /// Those that are no snapshots.
    pub releases: Vec<String>,
}

/// The versions in all suites, in any order.
pub(super) fn versions(
    family: &'static Family,
    shop: &Workshop,
) -> Result<Vec<String>, ToolchainError> {
    Ok(offers(family, shop)?.into_iter().map(|offer| offer.version).collect())
}

/// The versions that are no snapshots.
pub(super) fn releases(
    family: &'static Family,
    shop: &Workshop,
) -> Result<Vec<String>, ToolchainError> {
    let releases = offers(family, shop)?.into_iter().filter(|offer| !offer.is_snapshot());
    Ok(releases.map(|offer| offer.version).collect())
}

pub(super) fn install(
    family: &'static Family,
    version: &str,
    shop: &Workshop,
) -> Result<Contents, ToolchainError> {
    let offers = offers(family, shop)?;
    if !offers.iter().any(|it| it.version == version) {
        let versions = offers.into_iter().map(|offer| offer.version).collect();
        return Err(family.no_version(version, versions));
    }
    if let Some(tests) = Tests::of(family.name) {
        return tests.install(family, version, &offers, shop);
    }
    let Some(recipe) = Recipe::of(family.name) else {
        return Err(family.no_version(version, vec![]));
    };
    download(family, version, &offers, shop)?;

    let contents = shop.scratch.path().join(CONTENTS);
    let root = contents.join(ROOT);
    std::fs::create_dir_all(&root).map_err(ToolchainError::io("make", &root))?;
    let mut packages = vec![];
    for archive in entries(&shop.scratch.path().join(DOWNLOADS))? {
        let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(package) = package(recipe, &name) else { continue };
        let argv = ["dpkg".into(), "-x".into(), archive.into(), root.clone().into()];
        shop.must(family, version, argv.into())?;
        packages.push(package);
    }
    packages.sort_unstable();
    let root = Root::open(&contents)?;
    let tools = (recipe.finish)(&root, version)?;
    if !recipe.warm_up.is_empty() {
        let mut argv: Vec<OsString> = vec![contents.join("bin").join(family.name).into()];
        argv.extend(recipe.warm_up.iter().map(OsString::from));
        shop.must(family, version, argv)?;
    }
    Ok(Contents { host: platform(), packages, loader: Some(root.loader(&tools)) })
}

/// Downloads the packages of a version and their dependencies from the first suite that still has all of them: a
/// list can be newer than the packages of a mirror.
fn download(
    family: &'static Family,
    version: &str,
    offers: &[Offer],
    shop: &Workshop,
) -> Result<(), ToolchainError> {
    let downloads = shop.scratch.path().join(DOWNLOADS);
    let mut complaints: Vec<String> = vec![];
    for offer in offers.iter().filter(|offer| offer.version == version) {
        // Nothing is left of an attempt from another suite.
        let _ = std::fs::remove_dir_all(&downloads);
        let partial = downloads.join("partial");
        std::fs::create_dir_all(&partial).map_err(ToolchainError::io("make", &partial))?;
        let suite = &offer.suite;
        let mut argv: Vec<OsString> = vec!["apt-get".into()];
        argv.extend(suite.options());
        let mut archives = OsString::from("Dir::Cache::archives=");
        archives.push(&downloads);
        argv.extend(["-o".into(), archives, "-t".into(), suite.name.clone().into()]);
        let options = "install --quiet --yes --no-install-recommends --download-only";
        argv.extend(options.split(' ').map(OsString::from));
        argv.extend(family.packages(version).into_iter().map(OsString::from));
        let run = shop.call(family, argv)?;
        if run.ending.success() {
            return Ok(());
        }
        complaints.push(format!("  from {}:\n{}", suite.name, said(&run)));
    }
    Err(family.failed(version, &complaints))
}

impl Family {
    /// The error for a version that no suite could deliver.
    fn failed(&self, version: &str, complaints: &[String]) -> ToolchainError {
        let (manager, said) = (self.ecosystem.manager(), complaints.join("\n"));
        ToolchainError::Failed { family: self.name, version: version.to_owned(), manager, said }
    }
}

/// `clang-19@1:19.1.7-3` from `clang-19_1%3a19.1.7-3_amd64.deb`, for packages that are used.
fn package(recipe: &Recipe, archive: &str) -> Option<String> {
    let mut parts = archive.strip_suffix(".deb")?.split('_');
    let (name, version) = (parts.next()?, parts.next()?);
    recipe.uses(name).then(|| format!("{name}@{}", version.replace("%3a", ":")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_an_archive_contains_its_version() {
        let clang = Recipe::of("clang").unwrap();
        let package = |archive| package(clang, archive);
        let archive = "clang-19_1%3a19.1.7-3~deb12u1_amd64.deb";
        assert_eq!(package(archive).unwrap(), "clang-19@1:19.1.7-3~deb12u1");
        assert_eq!(package("libc6-dev_2.43-7_amd64.deb"), None);
        assert_eq!(package("libc6_2.43-7_amd64.deb").unwrap(), "libc6@2.43-7");
        assert_eq!(package("lock"), None);
    }
}
