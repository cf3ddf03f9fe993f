//! The package managers of the machine, and how any of them is called: with the user's own environment,
//! since that is where they are configured, without a sandbox, since they need the network and their
//! caches, and with limits. What each is asked is in the file of its name.

use std::ffi::OsString;
use std::time::Duration;

use serde::Serialize;

use super::{Family, ToolchainError, apt, npm, pip};
use crate::exec::{ExecError, Limits, Order, Run, Runner, Scratch};
use crate::target::version_order;

/// How long one call may take. Slow networks are no reason to give up, hanging ones are.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// How many versions to name when the one that was asked for is not there.
const NEAREST: usize = 6;

/// Of what a failed call said, the last lines.
const LINES: usize = 12;

/// Variables of ours that are not for package managers: a home for temporary files is in the scratch
/// directory, and Python's own would lead out of a virtual environment.
const KEPT_BACK: &[&str] = &["TMPDIR", "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP"];

/// Where a family's packages come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ecosystem {
    Npm,
    Pip,
    Apt,
}

/// Something that has to be on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    pub name: &'static str,
    /// A command that succeeds if it is there, and prints its version.
    pub check: &'static [&'static str],
    /// How to get it.
    pub get: &'static str,
}

impl Ecosystem {
    /// What installing, and later running, needs.
    pub fn needs(self) -> &'static [Need] {
        match self {
            Self::Npm => npm::NEEDS,
            Self::Pip => pip::NEEDS,
            Self::Apt => apt::NEEDS,
        }
    }

    /// The package manager, by the name of its program.
    pub fn manager(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pip => "pip",
            Self::Apt => "apt-get",
        }
    }

    /// The versions that the registry has, from old to new.
    pub(super) fn available(
        self,
        family: &'static Family,
        shop: &Workshop,
    ) -> Result<Vec<String>, ToolchainError> {
        let argv = match self {
            Self::Npm => npm::versions(family),
            Self::Pip => pip::versions(family),
            Self::Apt => apt::versions(family, &[]),
        };
        let mut run = shop.call(family, argv)?;
        if self == Self::Apt && run.stdout.text().trim().is_empty() {
            // Nobody has asked the registry yet on this machine.
            let own = apt::own_lists(family, shop)?;
            run = shop.call(family, apt::versions(family, &own))?;
        }
        let text = run.stdout.text();
        let versions = match self {
            Self::Npm => npm::listed(&text),
            Self::Pip => pip::listed(&text),
            Self::Apt => apt::listed(family, &text),
        };
        if !run.ending.success() || versions.is_empty() {
            let (family, manager, said) = (family.name, self.manager(), said(&run));
            return Err(ToolchainError::Unreachable { family, manager, said });
        }
        // A republished version goes by the name of the one that it stands for.
        let meant = versions.iter().filter_map(|version| family.version(version).ok());
        let mut versions: Vec<String> = meant.map(str::to_owned).collect();
        versions.sort_by_key(|version| version_order(Some(version)));
        versions.dedup();
        Ok(versions)
    }

    /// Makes a folder with all packages of a version, in the scratch directory of the workshop.
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
}

/// A scratch directory, and calls of package managers in it.
#[derive(Debug)]
pub(super) struct Workshop {
    runner: Runner,
    pub(super) scratch: Scratch,
}

impl Workshop {
    pub(super) fn new(runner: Runner) -> Result<Self, ToolchainError> {
        let scratch = runner.scratch()?;
        Ok(Self { runner, scratch })
    }

    /// Calls a program, whatever comes of it.
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
        order.env.extend(own.filter(|(name, _)| KEPT_BACK.iter().all(|kept| name != *kept)));
        let order = order
            .env("LC_ALL", "C.UTF-8")
            .env("NO_COLOR", "1")
            .env("npm_config_update_notifier", "false")
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .env("PIP_NO_INPUT", "1")
            // A machine may be configured to install for the user, which is not into our folder.
            .env("PIP_USER", "0");
        self.runner.run(&order, &self.scratch).map_err(|error| match error {
            ExecError::NotFound { .. } => missing(family, &program.to_string_lossy(), error),
            error => error.into(),
        })
    }

    /// Calls a program that has to succeed. If it does not, the registry is asked why.
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
        let nearest = nearest(&versions, version).join(", ");
        Err(ToolchainError::NoVersion { family: name, version: version.to_owned(), nearest })
    }

    /// That all that a family needs is there, before anything is begun.
    pub(super) fn look_for_needs(&self, family: &'static Family) -> Result<(), ToolchainError> {
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

pub(super) fn said(run: &Run) -> String {
    let (out, err) = (run.stdout.text(), run.stderr.text());
    let text = if err.trim().is_empty() { out } else { err };
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(LINES)..];
    let indented: Vec<String> = last.iter().map(|line| format!("  {line}")).collect();
    if indented.is_empty() { format!("  ({:?})", run.ending) } else { indented.join("\n") }
}

/// The versions around one that is not there.
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
    fn the_nearest_versions_are_named() {
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
