//! `mistrust.toml`: defaults for the command line, limits, and descriptions of the user's compilers.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use lab::exec::Limits;
use lab::target::described::Description;
use serde::Deserialize;

use crate::exit::Usage;

const FILE: &str = "mistrust.toml";

/// The largest limit on memory, files and output, in MiB: an exbibyte.
const MOST_MIB: u64 = 1 << 40;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    #[serde(default)]
    pub(crate) hunt: HuntConfig,
    #[serde(default)]
    pub(crate) limits: LimitsConfig,
    /// The folder of installed compilers.
    pub(crate) toolchains: Option<PathBuf>,
    /// Never install anything.
    #[serde(default)]
    pub(crate) offline: bool,
    #[serde(default)]
    pub(crate) target: BTreeMap<String, Description>,
}

/// Defaults for the flags of `mistrust hunt`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct HuntConfig {
    #[serde(default)]
    pub(crate) targets: Vec<String>,
    pub(crate) method: Option<String>,
    #[serde(default)]
    pub(crate) setting: Vec<String>,
    pub(crate) seed: Option<u64>,
    #[serde(default, deserialize_with = "duration")]
    pub(crate) time: Option<Duration>,
    #[serde(default, deserialize_with = "duration")]
    pub(crate) grace: Option<Duration>,
    pub(crate) cases: Option<u64>,
    pub(crate) jobs: Option<u16>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) events: Option<PathBuf>,
    pub(crate) junit: Option<PathBuf>,
    pub(crate) sarif: Option<PathBuf>,
    pub(crate) shard: Option<String>,
    #[serde(default)]
    pub(crate) all_findings: bool,
    /// The time limit for reducing one finding. Default: the time of the hunt, but between one and ten minutes.
    #[serde(default, deserialize_with = "duration")]
    pub(crate) reduce_time: Option<Duration>,
    /// An executable `alive-tv` that is asked about refinement failures.
    pub(crate) alive_tv: Option<PathBuf>,
    /// The folder of known bugs.
    pub(crate) known_bugs: Option<PathBuf>,
}

/// The limits of one run of a compiler or of a compiled program.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct LimitsConfig {
    #[serde(default, deserialize_with = "duration")]
    pub(crate) compile_time: Option<Duration>,
    #[serde(default, deserialize_with = "duration")]
    pub(crate) run_time: Option<Duration>,
    pub(crate) memory_mib: Option<u64>,
    pub(crate) file_mib: Option<u64>,
    pub(crate) output_mib: Option<u64>,
    pub(crate) processes: Option<u32>,
    #[serde(default)]
    pub(crate) sandbox: Sandbox,
    /// Files and folders that compilers may read although they are in a home directory.
    #[serde(default)]
    pub(crate) visible: Vec<PathBuf>,
}

/// Whether runs are confined: `true`, as far as the system permits; `false`; or `"require"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub(crate) enum Sandbox {
    #[default]
    BestEffort,
    Off,
    /// A hunt without a complete sandbox does not start.
    Required,
}

impl TryFrom<toml::Value> for Sandbox {
    type Error = String;

    fn try_from(value: toml::Value) -> Result<Self, String> {
        match value {
            toml::Value::Boolean(true) => Ok(Self::BestEffort),
            toml::Value::Boolean(false) => Ok(Self::Off),
            toml::Value::String(text) if text == "require" => Ok(Self::Required),
            other => Err(format!("sandbox is {other}: write true, false or \"require\"")),
        }
    }
}

impl Config {
    /// Reads the named file, or the one in the current folder if it exists.
    pub(crate) fn read(named: Option<&Path>) -> anyhow::Result<Self> {
        let path = named.unwrap_or(Path::new(FILE));
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if named.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self::default());
            }
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
        };
        let config: Self = toml::from_str(&text).map_err(|error| {
            Usage(format!("{}: {}", path.display(), error.to_string().trim_end()))
        })?;
        config.limits.check().map_err(|why| Usage(format!("{}: {why}", path.display())))?;
        Ok(config)
    }
}

impl LimitsConfig {
    /// A limit that nothing can keep, or that does not fit into a number of bytes, would count against the compiler.
    fn check(&self) -> Result<(), String> {
        let zero = |name: &str| format!("limits.{name} is 0, and no program could keep that limit");
        for (name, time) in [("compile-time", self.compile_time), ("run-time", self.run_time)] {
            if time.is_some_and(|time| time.is_zero()) {
                return Err(zero(name));
            }
        }
        if self.processes == Some(0) {
            return Err(zero("processes"));
        }
        let sizes = [
            ("memory-mib", self.memory_mib),
            ("file-mib", self.file_mib),
            ("output-mib", self.output_mib),
        ];
        for (name, size) in sizes {
            match size {
                Some(0) => return Err(zero(name)),
                Some(size) if size > MOST_MIB => {
                    return Err(format!(
                        "limits.{name} is {size}: the largest value is {MOST_MIB}"
                    ));
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }

    pub(crate) fn compile(&self) -> Limits {
        self.limits(self.compile_time.unwrap_or(Duration::from_secs(30)))
    }

    pub(crate) fn run(&self) -> Limits {
        self.limits(self.run_time.unwrap_or(Duration::from_secs(10)))
    }

    fn limits(&self, time: Duration) -> Limits {
        let default = Limits::default();
        let mib = |chosen: Option<u64>, default| chosen.map_or(default, |mib| mib << 20);
        Limits {
            wall: time,
            cpu: time,
            memory: mib(self.memory_mib, default.memory),
            file_size: mib(self.file_mib, default.file_size),
            output: mib(self.output_mib, default.output),
            processes: self.processes.unwrap_or(default.processes),
        }
    }
}

fn duration<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(reader)?;
    crate::cli::duration(&text).map(Some).map_err(serde::de::Error::custom)
}
