//! No writes outside the scratch directory, by landlock. Reading and executing stay allowed
//! everywhere; so do the few devices that swallow or yield anything. Landlock does not know of
//! changes to a file's mode, owner or times: those remain possible, as for any process.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use ::landlock::{
    ABI, Access, AccessFs, AccessNet, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};

use super::kernel;

/// The version that this was tried with; older kernels give as much of it as they can.
const TRIED: ABI = ABI::V7;
/// Since this version, connecting by TCP can be refused.
const WITH_NETWORK: u32 = 4;
/// Devices that may be written to: there is nothing behind them.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

#[derive(Debug)]
pub(super) struct Landlock {
    version: u32,
    devices: Vec<PathFd>,
}

impl Landlock {
    pub(super) fn new() -> io::Result<Landlock> {
        let version = kernel::landlock_abi()?;
        let devices = DEVICES.iter().filter_map(|device| PathFd::new(device).ok()).collect();
        Ok(Landlock { version, devices })
    }

    pub(super) fn version(&self) -> u32 {
        self.version
    }

    pub(super) fn refuses_tcp(&self) -> bool {
        self.version >= WITH_NETWORK
    }

    /// The rules for a child that may only write beneath `scratch`. Made before the fork, because
    /// making them needs memory. Where versions allow it, the child can't reach other processes
    /// by signals, abstract sockets or TCP either.
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
