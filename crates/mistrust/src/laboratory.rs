//! What every subcommand that touches compilers needs: the configuration, the targets by name, a bench.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use lab::campaign::Line;
use lab::exec::{Runner, SandboxPolicy, remove_leftovers};
use lab::target::built_in::{BUILT_IN, BuiltIn};
use lab::target::rustc::{self, RustcTarget};
use lab::target::{Bench, Target, TargetName};
use lab::toolchain::{Installed, Notice, ToolchainError, Toolchains};
use lab::triage::known::KnownBugs;
use methods::NoMethod;

use crate::cli::Common;
use crate::config::Config;
use crate::display::printable::printable;
use crate::display::quantity::mebibytes;
use crate::exit::{Environment, Usage};

/// Where findings go unless somebody says otherwise.
const OUT: &str = "mistrust-out";

/// Where known bugs are unless somebody says otherwise.
const KNOWN_BUGS: &str = "known-bugs";

/// Where compilers are installed by whoever has no home.
const TOOLCHAINS: &str = "mistrust-toolchains";

/// The family of the built-in toolchains.
const RUSTC: &str = "rustc";

pub(crate) struct Laboratory {
    pub(crate) config: Config,
    /// What the configuration describes.
    pub(crate) described: Vec<Arc<dyn Target>>,
    /// What was installed, and what can be.
    pub(crate) installs: Toolchains,
    offline: bool,
    /// The rustc of this machine, once somebody asks for it: looking takes a while.
    toolchains: OnceCell<Vec<Arc<dyn Target>>>,
}

impl Laboratory {
    pub(crate) fn open(common: &Common) -> anyhow::Result<Self> {
        let config = Config::read(common.config.as_deref())?;
        let here = match common.config.as_deref().and_then(Path::parent) {
            Some(folder) if !folder.as_os_str().is_empty() => std::path::absolute(folder)?,
            _ => std::env::current_dir().context("cannot tell the current folder")?,
        };
        let build = |(name, description): (&String, &lab::target::described::Description)| {
            description.build(name, &here).map_err(|error| Usage(error.to_string()))
        };
        let described = config.target.iter().map(build).collect::<Result<_, _>>()?;
        let folder = common.toolchains.clone().or_else(|| config.toolchains.clone());
        let folder = folder.or_else(Toolchains::usual_folder);
        let folder = folder.unwrap_or_else(|| TOOLCHAINS.into());
        let installs = Toolchains::open(&folder)?;
        let offline = common.offline || config.offline;
        Ok(Self { config, described, installs, offline, toolchains: OnceCell::new() })
    }

    /// The toolchains of this machine, the one on `PATH` first. What the user describes under the same
    /// name takes the place of what is built in.
    pub(crate) fn toolchains(&self) -> &[Arc<dyn Target>] {
        self.toolchains.get_or_init(|| {
            let targets = rustc::find().into_iter().map(RustcTarget::new);
            targets
                .map(|target| Arc::new(target) as Arc<dyn Target>)
                .filter(|target| self.described.iter().all(|other| other.name() != target.name()))
                .collect()
        })
    }

    /// A compiler of an exact version, installed if need be, which is said before it is done.
    pub(crate) fn ensure(&self, family: &str, version: &str) -> anyhow::Result<Installed> {
        Ok(self.installs.ensure(family, version, self.offline, &tell)?)
    }

    /// The newest version that there is, unless nobody may be asked.
    pub(crate) fn newest(&self, family: &str) -> Result<String, ToolchainError> {
        self.installs.newest(family, self.offline)
    }

    /// Everything that belongs to a family, described or built in.
    pub(crate) fn family(&self, family: &str) -> Vec<Arc<dyn Target>> {
        let built_in = match BuiltIn::named(family) {
            _ if family == RUSTC => self.toolchains().to_vec(),
            Some(built_in) => self.installed(built_in),
            None => vec![],
        };
        let of_family = |target: &&Arc<dyn Target>| target.name().family == family;
        let described: Vec<_> = self.described.iter().filter(of_family).cloned().collect();
        let is_new =
            |target: &Arc<dyn Target>| described.iter().all(|other| other.name() != target.name());
        let others: Vec<_> = built_in.into_iter().filter(is_new).collect();
        described.into_iter().chain(others).collect()
    }

    /// The compilers of a family that are there: that of the machine first, then what was installed, from
    /// old to new.
    fn installed(&self, built_in: &BuiltIn) -> Vec<Arc<dyn Target>> {
        let installed = self.installs.installed(built_in.toolchain).into_iter();
        let installed =
            installed.filter_map(|version| self.installs.get(built_in.toolchain, &version));
        let targets = installed.map(|it| built_in.target(&it));
        built_in.of_machine().into_iter().chain(targets).collect()
    }

    /// The compiler that a name means, installed if need be: of an exact version, or else that of the machine,
    /// the newest that is there, the newest that there is.
    fn built_in(&self, wanted: &TargetName) -> anyhow::Result<Option<Arc<dyn Target>>> {
        let Some(built_in) = BuiltIn::named(&wanted.family) else { return Ok(None) };
        let version = match &wanted.version {
            Some(version) => version.clone(),
            None => {
                if let Some(own) = built_in.of_machine().or_else(|| self.installed(built_in).pop())
                {
                    return Ok(Some(own));
                }
                self.newest(built_in.toolchain)?
            }
        };
        Ok(Some(built_in.target(&self.ensure(built_in.toolchain, &version)?)))
    }

    /// Other versions of some targets, for bisection.
    pub(crate) fn relatives(&self, targets: &[Arc<dyn Target>]) -> Vec<Arc<dyn Target>> {
        let mut families: Vec<&str> =
            targets.iter().map(|target| target.name().family.as_str()).collect();
        families.sort_unstable();
        families.dedup();
        families.into_iter().flat_map(|family| self.family(family)).collect()
    }

    pub(crate) fn out(&self, flag: Option<&Path>) -> PathBuf {
        let chosen = flag.or(self.config.hunt.out.as_deref());
        chosen.unwrap_or(Path::new(OUT)).to_owned()
    }

    /// The bugs that need not be reported any more.
    pub(crate) fn known_bugs(&self) -> anyhow::Result<KnownBugs> {
        let folder = self.config.hunt.known_bugs.as_deref();
        Ok(KnownBugs::read(folder.unwrap_or(Path::new(KNOWN_BUGS)))?)
    }

    /// A bench whose scratch directories are below `root`. What a killed process left there is removed.
    pub(crate) fn bench(&self, root: &Path) -> anyhow::Result<Bench> {
        let limits = &self.config.limits;
        let policy = match limits.sandbox {
            Some(false) => SandboxPolicy::Off,
            _ => SandboxPolicy::BestEffort,
        };
        remove_leftovers(root)?;
        let runner = Runner::new(root.to_owned(), policy)?;
        Ok(Bench { runner, compile: limits.compile(), run: limits.run() })
    }

    /// The target of this very name.
    pub(crate) fn target(&self, name: &str) -> anyhow::Result<Arc<dyn Target>> {
        let wanted = TargetName::from(name.to_owned());
        let mut family = self.family(&wanted.family).into_iter();
        match family.find(|target| *target.name() == wanted) {
            Some(target) => Ok(target),
            None => self.built_in(&wanted)?.ok_or_else(|| self.unknown(name).into()),
        }
    }

    /// The targets that were named: by their whole name, by a family that stands for all of it, or by the
    /// path of a rustc. Where none was named: all that are described, or else the machine's own rustc.
    pub(crate) fn select(&self, names: &[String]) -> anyhow::Result<Vec<Arc<dyn Target>>> {
        if names.is_empty() {
            let own = || self.toolchains().first().cloned().into_iter().collect();
            return Ok(if self.described.is_empty() { own() } else { self.described.clone() });
        }
        let mut chosen: Vec<Arc<dyn Target>> = vec![];
        for name in names {
            let found = if name.contains('/') {
                let toolchain = rustc::from_path(Path::new(name))?;
                vec![Arc::new(RustcTarget::new(toolchain)) as Arc<dyn Target>]
            } else {
                let wanted = TargetName::from(name.clone());
                let is_described = |target: &Arc<dyn Target>| {
                    self.described.iter().any(|other| other.name() == target.name())
                };
                let mut family = self.family(&wanted.family);
                family.retain(|target| wanted.version.is_none() || *target.name() == wanted);
                // All that users describe of a family; of the many toolchains of a machine, the one in use.
                let some_described = family.iter().any(is_described);
                if wanted.version.is_none() && wanted.family == RUSTC && self.described.is_empty() {
                    family.truncate(1);
                }
                let chooses = wanted.version.is_none() && !some_described;
                if family.is_empty() || chooses && wanted.family != RUSTC {
                    family = self.built_in(&wanted)?.into_iter().collect();
                }
                family
            };
            if found.is_empty() {
                return Err(self.unknown(name).into());
            }
            for target in found {
                if chosen.iter().all(|other| other.name() != target.name()) {
                    chosen.push(target);
                }
            }
        }
        Ok(chosen)
    }

    fn unknown(&self, name: &str) -> Usage {
        let all = self.described.iter().chain(self.toolchains());
        let names: Vec<String> = all.map(|target| target.name().to_string()).collect();
        let known = if names.is_empty() { "none yet".to_owned() } else { names.join(", ") };
        let families: Vec<&str> = BUILT_IN.iter().map(|it| it.family).collect();
        Usage(format!(
            "there is no target `{name}` (there are: {known}; and in any version: {}): describe it in \
             mistrust.toml under [target.{name}]",
            families.join(", ")
        ))
    }
}

/// Says on standard error what is being installed.
pub(crate) fn tell(notice: &Notice) {
    let line = match notice {
        Notice::Waiting => "waiting for another process that installs something".to_owned(),
        Notice::Installing { name, manager, packages } => {
            format!("installing {name} with {manager}: {}", packages.join(", "))
        }
        Notice::Moved { name, packages } => format!(
            "{name} was installed before with other versions of what it needs: {}",
            packages.join(", ")
        ),
        Notice::Done { name, bytes } => format!("installed {name}: {}", mebibytes(*bytes)),
    };
    anstream::eprintln!("{}", printable(&line));
}

/// Joins targets to the method for their language, a line for each method.
pub(crate) fn lines(
    targets: &[Arc<dyn Target>],
    method: Option<&str>,
) -> anyhow::Result<Vec<Line>> {
    let mut lines: Vec<Line> = vec![];
    for target in targets {
        let language = target.language();
        let taken = |name: &str| target.takes(name);
        let fitting = methods::fitting(language, method, taken).map_err(|error| match error {
            NoMethod::Unknown(_) => {
                let methods = methods::all();
                let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
                let wanted = method.map_or(String::new(), |method| format!(" called `{method}`"));
                Usage(format!(
                    "there is no method{wanted} for {language}, the language of target `{}`: there are {}",
                    target.name(),
                    names.join(", ")
                ))
            }
            other => Usage(other.to_string()),
        })?;
        match lines.iter_mut().find(|line| line.method.name() == fitting.name()) {
            Some(line) => line.targets.push(Arc::clone(target)),
            None => lines.push(Line { method: fitting.into(), targets: vec![Arc::clone(target)] }),
        }
    }
    if lines.is_empty() {
        return Err(Environment(
            "there is no rustc, and no other compiler to hunt: describe one in mistrust.toml, for example\n  \
             [target.cc]\n  language = \"c\"\n  compile = [\"cc\", \"-O{opt}\", \"-o\", \"{out}\", \
             \"{in}\"]\n  run = [\"{out}\"]\n  settings = { opt = [\"0\", \"1\", \"2\"] }"
                .to_owned(),
        )
        .into());
    }
    Ok(lines)
}
