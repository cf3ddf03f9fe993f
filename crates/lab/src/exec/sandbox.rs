//! Confines children. Which means the system provides is determined once, by probing them with a child, and
//! reported as [`Confinement`]. A run is either confined as reported or does not start. The means themselves
//! are in `landlock`, `namespace` and `filter`.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use nix::sys::prctl;
use serde::{Deserialize, Serialize};

use super::Scratch;
use super::error::CONFINEMENT_FAILED;
use super::filter::Filter;
use super::landlock::Landlock;
use super::namespace::Namespaces;

/// Whether to confine processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SandboxPolicy {
    /// Confine as far as the system permits.
    #[default]
    BestEffort,
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
}

impl Confinement {
    /// Each measure with what it is for.
    pub fn measures(&self) -> [(&'static str, &Confined); 3] {
        [
            ("no writes outside the scratch directory", &self.filesystem),
            ("no network", &self.network),
            ("no system calls on others", &self.system_calls),
        ]
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
    namespaces: Option<Arc<Namespaces>>,
    filter: Option<Arc<Filter>>,
    confinement: Confinement,
}

impl Sandbox {
    /// Determines in the given directory what the system permits.
    pub(super) fn probe(policy: SandboxPolicy, scratch: &Scratch) -> Sandbox {
        if policy == SandboxPolicy::Off {
            let off = || Confined::No("the sandbox is turned off".to_owned());
            let confinement =
                Confinement { filesystem: off(), network: off(), system_calls: off() };
            return Sandbox { landlock: None, namespaces: None, filter: None, confinement };
        }
        let (landlock, filesystem) = match try_landlock(scratch) {
            Ok(landlock) => {
                let by = format!("landlock ABI {}", landlock.version());
                (Some(landlock), Confined::Yes(by))
            }
            Err(error) => (None, Confined::No(format!("no landlock: {error}"))),
        };
        let (namespaces, network) = match try_namespaces() {
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
        let (filter, system_calls) = match try_filter() {
            Ok(filter) => (Some(Arc::new(filter)), Confined::Yes("seccomp".to_owned())),
            Err(error) => (None, Confined::No(format!("no seccomp: {error}"))),
        };
        let confinement = Confinement { filesystem, network, system_calls };
        Sandbox { landlock, namespaces, filter, confinement }
    }

    pub(super) fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// Prepares the confinement of a child with this scratch directory, before the child is created.
    pub(super) fn cell(&self, scratch: &Path) -> io::Result<Cell> {
        let rules = self.landlock.as_ref().map(|landlock| landlock.rules(scratch)).transpose()?;
        Ok(Cell { rules, namespaces: self.namespaces.clone(), filter: self.filter.clone() })
    }
}

/// The confinement of one child.
#[derive(Debug)]
pub(super) struct Cell {
    rules: Option<OwnedFd>,
    namespaces: Option<Arc<Namespaces>>,
    filter: Option<Arc<Filter>>,
}

impl Cell {
    /// Confines the calling process for good. Safe between fork and exec.
    pub(super) fn enter(&self) -> io::Result<()> {
        self.try_to_enter().map_err(|_| io::Error::from_raw_os_error(CONFINEMENT_FAILED))
    }

    fn try_to_enter(&self) -> io::Result<()> {
        // The namespaces come first, because landlock would forbid entering them.
        if let Some(namespaces) = &self.namespaces {
            namespaces.join()?;
        }
        if let Some(rules) = &self.rules {
            prctl::set_no_new_privs()?;
            super::syscall::restrict_self(rules.as_fd())?;
        }
        // The filter comes last, because it would forbid the rest.
        if let Some(filter) = &self.filter {
            filter.enter()?;
        }
        Ok(())
    }
}

fn try_landlock(scratch: &Scratch) -> io::Result<Landlock> {
    let landlock = Landlock::new()?;
    let (inside, outside) = (scratch.path().join("inside"), scratch.path().join("outside"));
    fs::create_dir_all(&inside)?;
    fs::create_dir_all(&outside)?;
    let rules = Some(landlock.rules(&inside)?);
    let cell = Cell { rules, namespaces: None, filter: None };
    // A failed redirection may end a shell, so it is done in a subshell.
    let script = ": >inside/file && { (: >outside/file) 2>/dev/null; test ! -e outside/file; }";
    match try_shell(cell, script, scratch.path())? {
        Some(_) => Ok(landlock),
        None => Err(io::Error::other("a probe could write outside its directory")),
    }
}

fn try_namespaces() -> io::Result<Namespaces> {
    let namespaces = Arc::new(Namespaces::new()?);
    let cell = Cell { rules: None, namespaces: Some(Arc::clone(&namespaces)), filter: None };
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
    let cell = Cell { rules: None, namespaces: None, filter: Some(Arc::clone(&filter)) };
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
