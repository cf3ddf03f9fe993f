//! Families from Debian: packages are downloaded and unpacked into a folder, without root privileges and
//! without changing the packages of the system. They are from the machine's own release and use its C library.
//! Checksums and the lock file are left to `install`.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::install::{CONTENTS, platform};
use super::manager::{Contents, Need, Workshop, said};
use super::{Family, ToolchainError};

pub(super) const NEEDS: &[Need] = &[
    Need {
        name: "apt-get",
        check: &["apt-get", "--version"],
        get: "it is only available on Debian and its derivatives",
    },
    Need { name: "apt-cache", check: &["apt-cache", "--version"], get: "it comes with apt-get" },
    Need {
        name: "dpkg",
        check: &["dpkg", "--version"],
        get: "it is only available on Debian and its derivatives",
    },
];

/// Packages that are not downloaded: a program has only one C library, and its loader is that of the system.
const BASE: &[&str] = &["libc6", "libc6-dev", "libc-dev-bin", "linux-libc-dev"];

/// Where packages are downloaded to, in the scratch directory, and where they are unpacked.
const DOWNLOADS: &str = "downloads";
const ROOT: &str = "root";

/// The command that lists the versions. Each version is a package of its own: `gcc-12`.
pub(super) fn versions(family: &Family, options: &[OsString]) -> Vec<OsString> {
    let pattern = format!("^{}-[0-9]+$", family.package);
    let mut argv: Vec<OsString> = vec!["apt-cache".into()];
    argv.extend(options.iter().cloned());
    argv.extend(["search", "--names-only", &pattern].map(OsString::from));
    argv
}

pub(super) fn listed(family: &Family, text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    let versions = names.filter_map(|name| name.strip_prefix(family.package)?.strip_prefix('-'));
    versions.map(str::to_owned).collect()
}

pub(super) fn install(
    family: &'static Family,
    version: &str,
    shop: &Workshop,
) -> Result<Contents, ToolchainError> {
    let downloads = shop.scratch.path().join(DOWNLOADS);
    std::fs::create_dir_all(&downloads).map_err(ToolchainError::io("make", &downloads))?;
    // The package lists of the machine may be outdated or missing.
    if download(family, version, shop, &[]).is_err() {
        let own = own_lists(family, shop)?;
        download(family, version, shop, &own)?;
    }

    let contents = shop.scratch.path().join(CONTENTS);
    let root = contents.join(ROOT);
    std::fs::create_dir_all(&root).map_err(ToolchainError::io("make", &root))?;
    let mut packages = vec![];
    for archive in entries(&downloads)? {
        let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let argv = ["dpkg".into(), "-x".into(), archive.into(), root.clone().into()];
        shop.must(family, version, argv.into())?;
        packages.extend(package(&name));
    }
    packages.sort_unstable();
    write_wrapper(family, version, &contents)?;
    Ok(Contents { host: platform(), packages })
}

/// Downloads the packages of a version and their dependencies.
fn download(
    family: &'static Family,
    version: &str,
    shop: &Workshop,
    options: &[OsString],
) -> Result<(), ToolchainError> {
    let depends = "depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
                   --no-enhances";
    let mut argv: Vec<OsString> = vec!["apt-cache".into()];
    argv.extend(options.iter().cloned());
    argv.extend(depends.split_whitespace().map(OsString::from));
    argv.extend(family.packages(version).into_iter().map(OsString::from));
    let names = needed(&shop.must(family, version, argv)?.stdout.text());
    // apt-get downloads into its working directory, which is the scratch directory.
    let script = "cd \"$0\" && exec apt-get download --quiet \"$@\"";
    let mut argv: Vec<OsString> = ["sh", "-c", script, DOWNLOADS].map(OsString::from).into();
    argv.extend(options.iter().cloned());
    argv.extend(names.into_iter().map(OsString::from));
    shop.must(family, version, argv)?;
    Ok(())
}

/// Downloads current package lists into the scratch directory, because only root can update those of the
/// machine. Returns the options that make apt use them.
pub(super) fn own_lists(
    family: &'static Family,
    shop: &Workshop,
) -> Result<Vec<OsString>, ToolchainError> {
    let mut options: Vec<OsString> = vec![];
    for (option, folder) in [("Dir::State::Lists", "lists"), ("Dir::Cache", "cache")] {
        let path = shop.scratch.path().join(folder);
        let partial = path.join("partial");
        std::fs::create_dir_all(&partial).map_err(ToolchainError::io("make", &partial))?;
        let mut value = OsString::from(format!("{option}="));
        value.push(path);
        options.extend(["-o".into(), value]);
    }
    // As root, apt-get would switch to a user who has no access to the scratch directory.
    options.extend(["-o", "APT::Sandbox::User=root"].map(OsString::from));
    let mut argv: Vec<OsString> = vec!["apt-get".into()];
    argv.extend(options.iter().cloned());
    argv.extend(["update", "--quiet"].map(OsString::from));
    let run = shop.call(family, argv)?;
    if !run.ending.success() {
        let (family, manager, said) = (family.name, family.ecosystem.manager(), said(&run));
        return Err(ToolchainError::Unreachable { family, manager, said });
    }
    Ok(options)
}

/// The real packages of a recursive dependency list. Each is on an unindented line, before its dependencies.
fn needed(list: &str) -> Vec<String> {
    let is_real = |line: &&str| line.starts_with(|c: char| c.is_ascii_alphanumeric());
    // Alternatives from other architectures are left out.
    let packages = list.lines().filter(is_real).filter(|name| !name.contains(':'));
    packages.filter(|name| !BASE.contains(name)).map(|name| name.trim().to_owned()).collect()
}

/// `clang-19@1:19.1.7-3` from `clang-19_1%3a19.1.7-3_amd64.deb`.
fn package(archive: &str) -> Option<String> {
    let mut parts = archive.split('_');
    let (name, version) = (parts.next()?, parts.next()?);
    Some(format!("{name}@{}", version.replace("%3a", ":")))
}

/// Writes `bin/FAMILY`, which calls the compiler with its own libraries and tools, wherever the folder is.
fn write_wrapper(family: &Family, version: &str, contents: &Path) -> Result<(), ToolchainError> {
    let root = contents.join(ROOT);
    let mut libraries = String::new();
    for place in ["usr/lib", "lib"] {
        let folders = if root.join(place).is_dir() { entries(&root.join(place))? } else { vec![] };
        for folder in folders.iter().filter_map(|folder| folder.file_name()?.to_str()) {
            if folder.contains("-linux-gnu") {
                libraries += &format!("$root/{place}/{folder}:");
            }
        }
    }
    let script = format!(
        "#!/bin/sh\nroot=${{0%/*}}/../{ROOT}\nexport LD_LIBRARY_PATH=\"{}\"\n\
         export PATH=\"$root/usr/bin:$PATH\"\nexec \"$root/usr/bin/{}-{version}\" \"$@\"\n",
        libraries.trim_end_matches(':'),
        family.package
    );
    let path = contents.join("bin").join(family.name);
    let failed = || ToolchainError::io("write", &path);
    std::fs::create_dir_all(contents.join("bin")).map_err(failed())?;
    std::fs::write(&path, script).map_err(failed())?;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).map_err(failed())
}

/// The paths in a folder, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, ToolchainError> {
    let failed = || ToolchainError::io("read", folder);
    let entries = std::fs::read_dir(folder).map_err(failed())?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(failed())?;
    paths.sort_unstable();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_of_apt_is_parsed() {
        let gcc = Family::named("gcc").unwrap();
        assert_eq!(
            listed(gcc, "gcc-11 - GNU C\ngcc-12 - GNU C compiler\ng++-9 - x\n"),
            ["11", "12"]
        );
        let list = "gcc-12\n  Depends: cpp-12\n  Depends: libc6\n |Depends: <libc-dev>\ncpp-12\nlibc6\n\
                    <libc-dev>\n  libc6-dev\nlibgcc-s1:i386\nlibstdc++6\n";
        assert_eq!(needed(list), ["gcc-12", "cpp-12", "libstdc++6"]);
        let archive = "clang-19_1%3a19.1.7-3~deb12u1_amd64.deb";
        assert_eq!(package(archive).unwrap(), "clang-19@1:19.1.7-3~deb12u1");
        assert_eq!(package("README"), None);
    }
}
