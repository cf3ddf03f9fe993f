//! The table of compilers that Debian has: how their packages are named, and how they are started. A driver that
//! starts other programs gets a script, because those have to be started through the same loader.

use super::super::ToolchainError;
use super::unpack::Root;
use crate::version::version_order;

/// How the versions of a compiler are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// A package for each version: `gcc-12`.
    Numbered,
    /// The same without a dash: `python3.13`.
    Joined,
    /// One package, in one version per suite.
    Plain,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Recipe {
    family: &'static str,
    pub(super) naming: Naming,
    /// Further packages, named in the same way.
    pub(super) beside: &'static [&'static str],
    /// Packages that only one version needs: the version and the package.
    of_version: &'static [(&'static str, &'static str)],
    /// The beginnings of development packages that belong to it. All others are those of the machine, because
    /// programs are compiled for its C library.
    development: &'static [&'static str],
    /// The beginnings of packages that it depends on but does not use.
    unused: &'static [&'static str],
    /// The first version that works.
    oldest: &'static str,
    /// Writes what starts it, and returns the folder of the tools that can be started without a script.
    pub(super) finish: fn(&Root, version: &str) -> Result<Vec<String>, ToolchainError>,
    /// What the finished compiler is called with once, so that later calls are fast.
    pub(super) warm_up: &'static [&'static str],
}

const RECIPES: &[Recipe] = &[
    Recipe {
        family: "gcc",
        naming: Naming::Numbered,
        beside: &[],
        of_version: &[],
        development: &["libgcc-"],
        unused: &[],
        oldest: "9",
        finish: gcc,
        warm_up: &[],
    },
    Recipe {
        family: "clang",
        naming: Naming::Numbered,
        beside: &["llvm", "lld"],
        of_version: &[],
        development: &["libclang-"],
        unused: &["binutils", "libobjc"],
        // Before 13, it is only in a suite whose loader has no `--argv0`.
        oldest: "13",
        finish: clang,
        warm_up: &[],
    },
    Recipe {
        family: "rustc",
        naming: Naming::Plain,
        beside: &[],
        of_version: &[],
        development: &["libstd-rust-"],
        // Its linker driver is that of the machine.
        unused: &["binutils", "cpp", "gcc", "libcc1"],
        oldest: "1.85",
        finish: rustc,
        warm_up: &[],
    },
    Recipe {
        family: "tcc",
        naming: Naming::Plain,
        beside: &[],
        of_version: &[],
        development: &[],
        unused: &[],
        oldest: "0.9.27",
        finish: tcc,
        warm_up: &[],
    },
    Recipe {
        family: "qemu",
        naming: Naming::Plain,
        // It needs no library, but a version always has a loader. In newer suites it is a part of `qemu-user`.
        beside: &["libc6"],
        of_version: &[],
        development: &[],
        unused: &["libgcc", "gcc-", "libidn", "libcrypt"],
        oldest: "5",
        finish: |_, _| Ok(vec!["usr/bin".to_owned()]),
        warm_up: &[],
    },
    Recipe {
        family: "python",
        naming: Naming::Joined,
        beside: &[],
        // pip needs it for versions before 3.10.
        of_version: &[("3.9", "python3-distutils")],
        development: &[],
        unused: &[
            "debconf",
            "dpkg",
            "gcc-",
            "media-types",
            "perl",
            "readline-common",
            "tar",
            "tzdata",
        ],
        oldest: "3.9",
        finish: python,
        // Debian's packages have no compiled modules.
        warm_up: &[
            "-c",
            "import compileall, sys; compileall.compile_dir(sys.prefix + '/lib', quiet=2)",
        ],
    },
];

impl Recipe {
    pub(super) fn of(family: &str) -> Option<&'static Self> {
        RECIPES.iter().find(|recipe| recipe.family == family)
    }

    pub(super) fn has(&self, version: &str) -> bool {
        version_order(Some(version)) >= version_order(Some(self.oldest))
    }

    /// Whether a package is unpacked.
    pub(super) fn uses(&self, package: &str) -> bool {
        let begins = |beginnings: &[&str]| beginnings.iter().any(|it| package.starts_with(it));
        let is_development = package.ends_with("-dev") || package == "libc-dev-bin";
        !begins(self.unused) && (!is_development || begins(self.development))
    }

    /// The packages of a version.
    pub(super) fn packages(&self, package: &str, version: &str) -> Vec<String> {
        let name = |package: &str| match self.naming {
            Naming::Numbered => format!("{package}-{version}"),
            Naming::Joined => format!("{package}{version}"),
            Naming::Plain => package.to_owned(),
        };
        let all = [package].into_iter().chain(self.beside.iter().copied()).map(name);
        let of_version = self.of_version.iter().filter(|(of, _)| *of == version);
        all.chain(of_version.map(|(_, package)| (*package).to_owned())).collect()
    }

    /// The number in the name of a package of a version.
    pub(super) fn number<'a>(&self, package: &str, name: &'a str) -> Option<&'a str> {
        let rest = name.strip_prefix(package)?;
        let (number, is_part) = match self.naming {
            Naming::Numbered => (rest.strip_prefix('-')?, false),
            Naming::Joined => (rest, true),
            Naming::Plain => return None,
        };
        let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        let parts: Vec<&str> = number.split('.').collect();
        (parts.iter().all(|part| is_number(part)) && (parts.len() > 1) == is_part).then_some(number)
    }
}

/// GCC's driver finds `cc1`, `as` and `collect2` in the folder that `-B` names. The machine's `ld` links, because
/// the C library is that of the machine; an older `ld` may not read it. It cannot load this GCC's plug-in.
fn gcc(root: &Root, version: &str) -> Result<Vec<String>, ToolchainError> {
    let sub =
        |name: &str| root.find(&["usr/libexec/gcc", "usr/lib/gcc"], &format!("{version}/{name}"));
    for (name, path) in
        [("cc1", sub("cc1")?), ("collect2", sub("collect2")?), ("as", "usr/bin/as".to_owned())]
    {
        root.script(&format!("tools/{name}"), "", "", &path)?;
    }
    let options = "set -- -fno-use-linker-plugin \"-B$top/tools/\" \"$@\"\n";
    root.script("bin/gcc", options, "", &format!("usr/bin/gcc-{version}"))?;
    Ok(vec!["usr/bin".to_owned()])
}

/// Clang starts itself again as `argv[0] -cc1`, so that has to be the script. It would look for its own headers
/// beside the loader, which is what `/proc/self/exe` says.
fn clang(root: &Root, version: &str) -> Result<Vec<String>, ToolchainError> {
    let folder = format!("usr/lib/llvm-{version}");
    let headers = root.find(&[&format!("{folder}/lib/clang")], "include/stddef.h")?;
    let resources = headers.trim_end_matches("/include/stddef.h");
    let options = format!(
        "case $1 in -cc1*) ;; *) set -- -no-canonical-prefixes -resource-dir \"$root/{resources}\" \"$@\" ;; esac\n"
    );
    root.script("bin/clang", &options, "--argv0 \"$0\" ", &format!("{folder}/bin/clang"))?;
    Ok(vec![format!("{folder}/bin")])
}

/// tcc looks for its own headers where its package would be.
fn tcc(root: &Root, _: &str) -> Result<Vec<String>, ToolchainError> {
    let headers = root.find(&["usr/lib"], "tcc/include/stddef.h")?;
    let own = headers.trim_end_matches("/include/stddef.h");
    root.script("bin/tcc", &format!("set -- \"-B$root/{own}\" \"$@\"\n"), "", "usr/bin/tcc")?;
    Ok(vec!["usr/bin".to_owned()])
}

/// Python looks for its modules beside the loader, unless it is told where they are.
fn python(root: &Root, version: &str) -> Result<Vec<String>, ToolchainError> {
    let home = "export PYTHONHOME=\"$root/usr\" PYTHONNOUSERSITE=1\n";
    root.script("bin/python", home, "", &format!("usr/bin/python{version}"))?;
    Ok(vec!["usr/bin".to_owned()])
}

/// rustc finds its sysroot beside its libraries.
fn rustc(root: &Root, _: &str) -> Result<Vec<String>, ToolchainError> {
    root.script("bin/rustc", "", "", "usr/bin/rustc")?;
    Ok(vec!["usr/bin".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::super::super::{Ecosystem, FAMILIES};
    use super::super::source_package::Tests;
    use super::*;

    #[test]
    fn every_family_of_debian_has_a_recipe() {
        for family in FAMILIES {
            let is_apt = family.ecosystem == Ecosystem::Apt;
            let has_one = Recipe::of(family.name).is_some() || Tests::of(family.name).is_some();
            assert_eq!(has_one, is_apt, "{}", family.name);
        }
        let clang = Recipe::of("clang").unwrap();
        assert_eq!(clang.packages("clang", "22"), ["clang-22", "llvm-22", "lld-22"]);
        assert!(clang.has("13") && clang.has("24") && !clang.has("11") && !clang.has("9"));
        let rustc = Recipe::of("rustc").unwrap();
        assert_eq!(rustc.packages("rustc", "1.97.1"), ["rustc"]);
        assert!(rustc.has("1.85.1") && rustc.has("1.100.0") && !rustc.has("1.63.0"));
        let python = Recipe::of("python").unwrap();
        assert_eq!(python.packages("python", "3.9"), ["python3.9", "python3-distutils"]);
        assert_eq!(python.packages("python", "3.13"), ["python3.13"]);
    }

    #[test]
    fn the_number_of_a_version_is_read_from_the_name_of_its_package() {
        let number =
            |family: &str, name: &'static str| Recipe::of(family).unwrap().number(family, name);
        assert_eq!(number("gcc", "gcc-12"), Some("12"));
        assert_eq!(number("python", "python3.13"), Some("3.13"));
        for (family, name) in [
            ("gcc", "gcc-12-base"),
            ("gcc", "gcc-"),
            ("gcc", "gcc-avr"),
            ("gcc", "gcc12"),
            ("python", "python3"),
            ("python", "python3.13-minimal"),
            ("python", "python-3.9"),
            ("rustc", "rustc-1.85"),
        ] {
            assert_eq!(number(family, name), None, "{name}");
        }
    }

    #[test]
    fn only_the_compilers_own_development_packages_are_unpacked() {
        let uses = |family: &str| {
            let recipe = Recipe::of(family).unwrap();
            let packages = [
                "libc6",
                "libc6-dev",
                "libgcc-s1",
                "libgcc-16-dev",
                "libclang-common-22-dev",
                "libstd-rust-dev",
                "gcc-16",
            ];
            packages.into_iter().filter(|package| recipe.uses(package)).collect::<Vec<_>>()
        };
        assert_eq!(uses("gcc"), ["libc6", "libgcc-s1", "libgcc-16-dev", "gcc-16"]);
        assert_eq!(uses("clang"), ["libc6", "libgcc-s1", "libclang-common-22-dev", "gcc-16"]);
        assert_eq!(uses("rustc"), ["libc6", "libgcc-s1", "libstd-rust-dev"]);
    }
}
