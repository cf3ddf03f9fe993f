//! Confines children. Which means the system provides is determined once, by probing them with a child, and
//! reported as [`Confinement`]. A run is either confined as reported or does not start. The means themselves
//! are in `isolation`, `landlock`, `namespace` and `filter`.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use nix::sys::prctl;
use nix::unistd::geteuid;
use serde::{Deserialize, Serialize};

use super::error::CONFINEMENT_FAILED;
use super::filter::Filter;
use super::isolation::Isolation;
use super::landlock::Landlock;
use super::namespace::Namespaces;
use super::{Scratch, View};

/// Whether to confine processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SandboxPolicy {
    /// Confine as far as the system permits.
    #[default]
    BestEffort,
    /// As on a system that refuses namespaces for each run.
    WithoutIsolation,
    Off,
}

/// What the sandbox confines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// No writes outside the scratch directory.
    pub filesystem: Confined,
    /// No network, not even the loopback device.
    pub network: Confined,
    /// No system calls that change other processes or the system, and none that leave something behind.
    pub system_calls: Confined,
    /// No process outlives its run, nor us.
    pub processes: Confined,
    /// Other processes are not seen.
    pub process_table: Confined,
    /// Home directories, `/run`, terminals and our own folders are not seen.
    pub private_files: Confined,
    /// No rights of root.
    pub rights: Confined,
    /// The scratch directory has a size, whatever is done in it, and is gone afterwards.
    pub space: Confined,
}

impl Confinement {
    /// Each measure with what it is for.
    pub fn measures(&self) -> [(&'static str, &Confined); 8] {
        [
            ("no writes outside the scratch directory", &self.filesystem),
            ("no network", &self.network),
            ("no system calls on others", &self.system_calls),
            ("no process outlives its run", &self.processes),
            ("no view of other processes", &self.process_table),
            ("no view of home directories, terminals and the output folder", &self.private_files),
            ("no rights of root", &self.rights),
            ("a scratch directory of limited size", &self.space),
        ]
    }

    /// The same for all of them.
    fn all(confined: &Confined) -> Confinement {
        Confinement {
            filesystem: confined.clone(),
            network: confined.clone(),
            system_calls: confined.clone(),
            processes: confined.clone(),
            process_table: confined.clone(),
            private_files: confined.clone(),
            rights: confined.clone(),
            space: confined.clone(),
        }
    }
}

/// Whether one measure of the sandbox works, and how or why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confined {
    /// By these means.
    Yes(String),
    /// For this reason.
    No(String),
}

impl Confined {
    pub fn is_yes(&self) -> bool {
        matches!(self, Confined::Yes(_))
    }
}

#[derive(Debug)]
pub(super) struct Sandbox {
    landlock: Option<Landlock>,
    /// Namespaces for each run, or else a network for all of them.
    isolation: Option<Arc<Isolation>>,
    namespaces: Option<Arc<Namespaces>>,
    filter: Option<Arc<Filter>>,
    confinement: Confinement,
}

impl Sandbox {
    /// Determines in the given directory, one in `root`, what the system permits.
    pub(super) fn probe(
        policy: SandboxPolicy,
        view: &View,
        scratch: &Scratch,
        root: &Path,
    ) -> Sandbox {
        if policy == SandboxPolicy::Off {
            let off = Confined::No("the sandbox is turned off".to_owned());
            let confinement = Confinement::all(&off);
            return Sandbox {
                landlock: None,
                isolation: None,
                namespaces: None,
                filter: None,
                confinement,
            };
        }
        let (landlock, filesystem) = match try_landlock(scratch) {
            Ok(landlock) => {
                let by = format!("landlock ABI {}", landlock.version());
                (Some(landlock), Confined::Yes(by))
            }
            Err(error) => (None, Confined::No(format!("no landlock: {error}"))),
        };
        let (filter, system_calls) = match try_filter() {
            Ok(filter) => (Some(Arc::new(filter)), Confined::Yes("seccomp".to_owned())),
            Err(error) => (None, Confined::No(format!("no seccomp: {error}"))),
        };
        let tried = match policy {
            SandboxPolicy::WithoutIsolation => Err(io::Error::other("it was not asked for")),
            _ => try_isolation(root, view, filter.as_ref()),
        };
        let isolated = match &tried {
            Ok(_) => Confined::Yes(String::new()),
            Err(error) => Confined::No(error.to_string()),
        };
        let by = |means: &str| match &isolated {
            Confined::Yes(_) => Confined::Yes(means.to_owned()),
            no => no.clone(),
        };
        let isolation = tried.ok().map(Arc::new);
        let mut confinement = Confinement {
            filesystem,
            network: by("network namespace"),
            system_calls,
            processes: by("process namespace"),
            process_table: by("its own /proc"),
            private_files: by("mount namespace"),
            rights: by("user namespace"),
            space: by("file system in memory"),
        };
        let mut namespaces = None;
        if let Some(isolation) = &isolation {
            confinement.filesystem = match confinement.filesystem {
                Confined::Yes(by) => Confined::Yes(format!("read-only mounts, {by}")),
                Confined::No(_) => Confined::Yes("read-only mounts".to_owned()),
            };
            if !isolation.has_table() {
                let why = "parts of /proc are hidden from us, as in a container";
                confinement.process_table = Confined::No(why.to_owned());
            }
        } else {
            (namespaces, confinement.network) = match try_namespaces() {
                Ok(namespaces) => {
                    let by = namespaces.describe().to_owned();
                    (Some(Arc::new(namespaces)), Confined::Yes(by))
                }
                Err(error) => {
                    let tcp = landlock.as_ref().is_some_and(Landlock::refuses_tcp);
                    let rest = if tcp { "; landlock still refuses TCP" } else { "" };
                    (None, Confined::No(format!("no network namespace: {error}{rest}")))
                }
            };
            if !geteuid().is_root() {
                confinement.rights = Confined::Yes("we are not root".to_owned());
            }
        }
        Sandbox { landlock, isolation, namespaces, filter, confinement }
    }

    pub(super) fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    pub(super) fn isolation(&self) -> Option<&Arc<Isolation>> {
        self.isolation.as_ref()
    }

    /// Prepares the confinement of a child with this scratch directory, before the child is created.
    pub(super) fn cell(&self, scratch: &Path) -> io::Result<Cell> {
        let rules = self.landlock.as_ref().map(|landlock| landlock.rules(scratch)).transpose()?;
        Ok(Cell {
            rules,
            isolation: self.isolation.clone(),
            namespaces: self.namespaces.clone(),
            filter: self.filter.clone(),
        })
    }
}

/// The confinement of one child.
#[derive(Debug, Default)]
pub(super) struct Cell {
    rules: Option<OwnedFd>,
    /// Its first process makes a cell of its own, for its child.
    isolation: Option<Arc<Isolation>>,
    namespaces: Option<Arc<Namespaces>>,
    filter: Option<Arc<Filter>>,
}

impl Cell {
    /// What is left to do for a child in namespaces of its own.
    pub(super) fn inner(rules: Option<OwnedFd>, filter: Option<Arc<Filter>>) -> Cell {
        Cell { rules, filter, ..Cell::default() }
    }

    pub(super) fn isolation(&self) -> Option<&Isolation> {
        self.isolation.as_deref()
    }

    pub(super) fn rules(&self) -> Option<&OwnedFd> {
        self.rules.as_ref()
    }

    /// Confines the calling process for good. Safe between fork and exec.
    pub(super) fn enter(&self) -> io::Result<()> {
        self.try_to_enter().map_err(|_| io::Error::from_raw_os_error(CONFINEMENT_FAILED))
    }

    fn try_to_enter(&self) -> io::Result<()> {
        // The namespaces come first, because landlock would forbid entering them.
        if let Some(namespaces) = &self.namespaces {
            namespaces.join()?;
        }
        prctl::set_no_new_privs()?;
        if let Some(rules) = &self.rules {
            super::syscall::restrict_self(rules.as_fd())?;
        }
        // The filter comes last, because it would forbid the rest.
        if let Some(filter) = &self.filter {
            filter.enter()?;
        }
        Ok(())
    }
}

/// Starts the process that keeps the namespaces, and a program in them.
fn try_isolation(root: &Path, view: &View, filter: Option<&Arc<Filter>>) -> io::Result<Isolation> {
    let attempt = |has_table| -> io::Result<Isolation> {
        let isolation = Isolation::new(root, view, filter.cloned(), has_table)?;
        isolation.try_out()?;
        Ok(isolation)
    };
    // In a container, an own process table is often refused.
    attempt(true).or_else(|error| attempt(false).map_err(|_| error))
}

fn try_landlock(scratch: &Scratch) -> io::Result<Landlock> {
    let landlock = Landlock::new()?;
    let (inside, outside) = (scratch.path().join("inside"), scratch.path().join("outside"));
    fs::create_dir_all(&inside)?;
    fs::create_dir_all(&outside)?;
    let rules = Some(landlock.rules(&inside)?);
    let cell = Cell { rules, ..Cell::default() };
    // A failed redirection may end a shell, so it is done in a subshell.
    let script = ": >inside/file && { (: >outside/file) 2>/dev/null; test ! -e outside/file; }";
    match try_shell(cell, script, scratch.path())? {
        Some(_) => Ok(landlock),
        None => Err(io::Error::other("a probe could write outside its directory")),
    }
}

fn try_namespaces() -> io::Result<Namespaces> {
    let namespaces = Arc::new(Namespaces::new()?);
    let cell = Cell { namespaces: Some(Arc::clone(&namespaces)), ..Cell::default() };
    let theirs = try_shell(cell, "readlink /proc/self/ns/net", Path::new("/"))?;
    let ours = fs::read_link("/proc/self/ns/net")?;
    let apart = theirs.is_some_and(|theirs| !theirs.is_empty() && Path::new(&theirs) != ours);
    match Arc::into_inner(namespaces) {
        Some(namespaces) if apart => Ok(namespaces),
        _ => Err(io::Error::other("a probe was still in our own namespace")),
    }
}

fn try_filter() -> io::Result<Filter> {
    let filter = Arc::new(Filter::new()?);
    let cell = Cell { filter: Some(Arc::clone(&filter)), ..Cell::default() };
    let script = "while read -r name mode; do \
                  test \"$name\" = Seccomp: && echo \"$mode\"; done </proc/self/status; true";
    let mode = try_shell(cell, script, Path::new("/"))?;
    match Arc::into_inner(filter) {
        Some(filter) if mode.as_deref() == Some("2") => Ok(filter),
        _ => Err(io::Error::other("a probe was not filtered")),
    }
}

/// The output of a shell script that is run in the cell, if it succeeds.
#[expect(unsafe_code, reason = "a cell is entered between fork and exec")]
fn try_shell(cell: Cell, script: &str, cwd: &Path) -> io::Result<Option<String>> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).current_dir(cwd).env_clear();
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdin(Stdio::null()).stderr(Stdio::null());
    // SAFETY: `enter` makes system calls only.
    unsafe {
        command.pre_exec(move || cell.enter());
    }
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout).trim_end().to_owned();
    Ok(output.status.success().then_some(text))
}
