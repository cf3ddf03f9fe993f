//! Landlock rules that forbid writes outside the scratch directory. Reading and executing stay allowed
//! everywhere, and so does writing to a few devices. Landlock does not cover changes to a file's mode, owner
//! or times, so these remain possible. Applying the rules is left to `sandbox`.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use ::landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};

use super::syscall;

/// The ABI version that was tested; on an older Linux, rules that it lacks are omitted.
const TRIED: ABI = ABI::V7;
/// The first ABI version that can forbid TCP connections.
const WITH_NETWORK: u32 = 4;
/// Devices that may be written to, because they do not store anything.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

#[derive(Debug)]
pub(super) struct Landlock {
    version: u32,
    devices: Vec<PathFd>,
}

impl Landlock {
    pub(super) fn new() -> io::Result<Landlock> {
        let version = syscall::landlock_abi()?;
        let devices = DEVICES.iter().filter_map(|device| PathFd::new(device).ok()).collect();
        Ok(Landlock { version, devices })
    }

    pub(super) fn version(&self) -> u32 {
        self.version
    }

    pub(super) fn refuses_tcp(&self) -> bool {
        self.version >= WITH_NETWORK
    }

    /// The ruleset for a child that may only write beneath `scratch`. It is built before the child is created,
    /// because building it allocates. Where the ABI version permits, signals to other processes, abstract
    /// sockets and TCP are forbidden as well.
    pub(super) fn rules(&self, scratch: &Path) -> io::Result<OwnedFd> {
        let writes = AccessFs::from_write(TRIED);
        let file_writes = writes & AccessFs::from_file(TRIED);
        let scratch = PathFd::new(scratch).map_err(io::Error::other)?;
        let make = || -> Result<Option<OwnedFd>, RulesetError> {
            let mut rules = Ruleset::default()
                .handle_access(writes)?
                .handle_access(AccessNet::from_all(TRIED))?
                .scope(Scope::from_all(TRIED))?
                .create()?
                .add_rule(PathBeneath::new(&scratch, writes))?;
            for device in &self.devices {
                rules = rules.add_rule(PathBeneath::new(device, file_writes))?;
            }
            Ok(rules.into())
        };
        make().map_err(io::Error::other)?.ok_or_else(|| io::ErrorKind::Unsupported.into())
    }
}
