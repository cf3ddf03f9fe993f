//! Calls the package managers of the machine: with the user's environment, which contains their configuration;
//! without a sandbox, because they need the network and their caches; and with limits. The commands for each
//! package manager are left to `npm`, `pip` and `apt`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use super::{Family, Loader, ToolchainError, apt, npm, pip};
use crate::exec::{ExecError, Limits, Order, Run, Runner, Scratch};
use crate::version::version_order;

/// How long one call may take: long enough for a slow network.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// How many versions to list if the requested one does not exist.
const NEAREST: usize = 6;

/// How many lines of the output of a failed call are reported.
const LINES: usize = 12;

/// Environment variables that are not passed to package managers: temporary files belong into the scratch
/// directory, and Python's variables would refer to modules outside the virtual environment.
const WITHHELD: &[&str] = &["TMPDIR", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"];

/// The package registry of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    Npm,
    Pip,
    Apt,
}

/// A program or module that has to be installed on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    pub name: &'static str,
    /// A command that succeeds if it is installed, and prints its version.
    pub check: &'static [&'static str],
    /// How to install it.
    pub get: &'static str,
}

impl Ecosystem {
    /// What is required to install and to run a compiler.
    pub fn needs(self) -> &'static [Need] {
        match self {
            Self::Npm => npm::NEEDS,
            Self::Pip => pip::NEEDS,
            Self::Apt => apt::NEEDS,
        }
    }

    /// The name of the package manager's program.
    pub fn manager(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pip => "pip",
            Self::Apt => "apt-get",
        }
    }

    /// The versions in the registry, from old to new.
    pub(super) fn available(
        self,
        family: &'static Family,
        shop: &Workshop,
    ) -> Result<Vec<String>, ToolchainError> {
        let versions = match self {
            Self::Npm => self.listed(family, shop, npm::versions(family), npm::listed)?,
            Self::Pip => self.listed(family, shop, pip::versions(family), pip::listed)?,
            Self::Apt => apt::versions(family, shop)?,
        };
        // A republished version is listed under its original number.
        let meant = versions.iter().filter_map(|version| family.version(version).ok());
        Ok(sorted(meant.map(str::to_owned).collect()))
    }

    /// Asks the package manager for the versions.
    fn listed(
        self,
        family: &'static Family,
        shop: &Workshop,
        argv: Vec<OsString>,
        parse: fn(&str) -> Vec<String>,
    ) -> Result<Vec<String>, ToolchainError> {
        let run = shop.call(family, argv)?;
        let versions = parse(&run.stdout.text());
        if !run.ending.success() || versions.is_empty() {
            let (family, manager, said) = (family.name, self.manager(), said(&run));
            return Err(ToolchainError::Unreachable { family, manager, said });
        }
        Ok(versions)
    }

    /// The newest version that is a release, or else the newest one.
    pub(super) fn newest(
        self,
        family: &'static Family,
        shop: &Workshop,
    ) -> Result<Option<String>, ToolchainError> {
        let versions = self.available(family, shop)?;
        let releases = match self {
            Self::Npm | Self::Pip => versions.clone(),
            Self::Apt => apt::releases(family, shop)?,
        };
        let is_release = |version: &&String| {
            let numbers = version.split('.').all(|part| part.chars().all(|c| c.is_ascii_digit()));
            numbers && releases.contains(version)
        };
        Ok(versions.iter().rfind(is_release).or(versions.last()).cloned())
    }

    /// Installs all packages of a version into the scratch directory of the workshop.
    pub(super) fn install(
        self,
        family: &'static Family,
        version: &str,
        shop: &Workshop,
    ) -> Result<Contents, ToolchainError> {
        match self {
            Self::Npm => npm::install(family, version, shop),
            Self::Pip => pip::install(family, version, shop),
            Self::Apt => apt::install(family, version, shop),
        }
    }
}

/// What was installed.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) host: String,
    pub(super) packages: Vec<String>,
    /// How tools are started that do not use the C library of the machine.
    pub(super) loader: Option<Loader>,
}

/// A scratch directory, and calls of package managers in it.
#[derive(Debug)]
pub(super) struct Workshop {
    runner: Runner,
    pub(super) scratch: Scratch,
    /// The program of the Python that packages are installed for, if it is not the machine's.
    pub(super) python: Option<PathBuf>,
    /// The folder of package lists of other suites, which are kept.
    pub(super) suites: PathBuf,
}

impl Workshop {
    pub(super) fn new(runner: Runner, suites: PathBuf) -> Result<Self, ToolchainError> {
        let scratch = runner.scratch()?;
        Ok(Self { runner, scratch, python: None, suites })
    }

    /// Calls a program, which may fail.
    pub(super) fn call(
        &self,
        family: &'static Family,
        argv: Vec<OsString>,
    ) -> Result<Run, ToolchainError> {
        let program = argv.first().cloned().unwrap_or_default();
        let mut order = Order::new(argv).limits(Limits {
            wall: PATIENCE,
            cpu: PATIENCE,
            file_size: 4 << 30,
            ..Limits::default()
        });
        let own = std::env::vars_os();
        order.env.extend(own.filter(|(name, _)| WITHHELD.iter().all(|withheld| name != *withheld)));
        let order = order
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1")
            .env("npm_config_update_notifier", "false")
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .env("PIP_NO_INPUT", "1")
            // pip may be configured to install into the user's home instead of the given environment.
            .env("PIP_USER", "0");
        self.runner.run(&order, &self.scratch).map_err(|error| match error {
            ExecError::NotFound { .. } => missing(family, &program.to_string_lossy(), error),
            error => error.into(),
        })
    }

    /// Calls a program that has to succeed. If it fails, the registry is asked whether the version exists.
    pub(super) fn must(
        &self,
        family: &'static Family,
        version: &str,
        argv: Vec<OsString>,
    ) -> Result<Run, ToolchainError> {
        let run = self.call(family, argv)?;
        if run.ending.success() {
            return Ok(run);
        }
        let versions = family.ecosystem.available(family, self)?;
        let (name, manager) = (family.name, family.ecosystem.manager());
        if versions.iter().any(|other| other == version) {
            let (version, said) = (version.to_owned(), said(&run));
            return Err(ToolchainError::Failed { family: name, version, manager, said });
        }
        Err(match pip::needed(version, &run.stderr.text()) {
            Some(range) => {
                ToolchainError::OtherPython { family: name, version: version.to_owned(), range }
            }
            None => family.no_version(version, versions),
        })
    }

    /// Checks that everything that a family needs is installed.
    pub(super) fn check_needs(&self, family: &'static Family) -> Result<(), ToolchainError> {
        for need in family.ecosystem.needs() {
            let check = need.check.iter().map(OsString::from).collect();
            if !self.call(family, check)?.ending.success() {
                let (family, get) = (family.name, need.get);
                return Err(ToolchainError::Missing { family, need: need.name, get });
            }
        }
        Ok(())
    }
}

fn missing(family: &'static Family, program: &str, error: ExecError) -> ToolchainError {
    let mut needs = family.ecosystem.needs().iter();
    match needs.find(|need| need.check.first() == Some(&program)) {
        Some(Need { name, get, .. }) => {
            ToolchainError::Missing { family: family.name, need: name, get }
        }
        None => error.into(),
    }
}

/// The last lines that a failed call printed, for an error message.
pub(super) fn said(run: &Run) -> String {
    let (out, err) = (run.stdout.text(), run.stderr.text());
    let text = if err.trim().is_empty() { out } else { err };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    let indented: Vec<String> = last.iter().map(|line| format!("  {line}")).collect();
    if indented.is_empty() { format!("  ({:?})", run.ending) } else { indented.join("\n") }
}

impl Family {
    /// The error for a version that the registry does not have.
    pub(super) fn no_version(&self, version: &str, versions: Vec<String>) -> ToolchainError {
        let nearest = nearest(&sorted(versions), version).join(", ");
        ToolchainError::NoVersion { family: self.name, version: version.to_owned(), nearest }
    }
}

/// From old to new, each once.
pub(super) fn sorted(mut versions: Vec<String>) -> Vec<String> {
    versions.sort_by_key(|version| version_order(Some(version)));
    versions.dedup();
    versions
}

/// The versions closest to one that does not exist.
fn nearest<'a>(versions: &'a [String], wanted: &str) -> Vec<&'a str> {
    let wanted = version_order(Some(wanted));
    let at = versions.partition_point(|version| version_order(Some(version)) < wanted);
    let end = (at + NEAREST / 2).min(versions.len());
    let begin = end.saturating_sub(NEAREST);
    versions[begin..(begin + NEAREST).min(versions.len())].iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_versions_are_those_around_the_wanted_one() {
        let versions: Vec<String> = (1..=20).map(|patch| format!("0.8.{patch}")).collect();
        let around = ["0.8.7", "0.8.8", "0.8.9", "0.8.10", "0.8.11", "0.8.12"];
        assert_eq!(nearest(&versions, "0.8.9-x")[..2], ["0.8.6", "0.8.7"]);
        assert_eq!(nearest(&versions, "0.8.9.5"), around);
        assert_eq!(nearest(&versions, "0.9.0").last(), Some(&"0.8.20"));
        assert_eq!(nearest(&versions, "0.1.0").first(), Some(&"0.8.1"));
        assert_eq!(nearest(&versions[..2], "0.8.9"), ["0.8.1", "0.8.2"]);
        assert!(nearest(&[], "1").is_empty());
    }
}
