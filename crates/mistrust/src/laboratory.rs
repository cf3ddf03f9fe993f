//! What every subcommand that touches compilers needs: the configuration, the targets by name, a bench.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use lab::campaign::Line;
use lab::exec::{Runner, SandboxPolicy, remove_leftovers};
use lab::target::{Bench, Target, TargetName};

use crate::cli::Common;
use crate::config::Config;
use crate::exit::{Environment, Usage};

/// Where findings go unless somebody says otherwise.
const OUT: &str = "mistrust-out";

pub(crate) struct Laboratory {
    pub(crate) config: Config,
    pub(crate) targets: Vec<Arc<dyn Target>>,
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
        let targets = config.target.iter().map(build).collect::<Result<_, _>>()?;
        Ok(Self { config, targets })
    }

    pub(crate) fn out(&self, flag: Option<&Path>) -> PathBuf {
        let chosen = flag.or(self.config.hunt.out.as_deref());
        chosen.unwrap_or(Path::new(OUT)).to_owned()
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

    pub(crate) fn target(&self, name: &str) -> anyhow::Result<&Arc<dyn Target>> {
        let found = self.targets.iter().find(|target| target.name().to_string() == name);
        found.ok_or_else(|| self.unknown(name).into())
    }

    /// The targets that were named: by their whole name, or by a family that stands for all of it.
    pub(crate) fn select(&self, names: &[String]) -> anyhow::Result<Vec<Arc<dyn Target>>> {
        if names.is_empty() {
            return Ok(self.targets.clone());
        }
        let mut chosen: Vec<Arc<dyn Target>> = vec![];
        for name in names {
            let wanted = TargetName::from(name.clone());
            let fits = |target: &&Arc<dyn Target>| {
                let own = target.name();
                *own == wanted || (wanted.version.is_none() && own.family == wanted.family)
            };
            let before = chosen.len();
            for target in self.targets.iter().filter(fits) {
                if chosen.iter().all(|other| other.name() != target.name()) {
                    chosen.push(Arc::clone(target));
                }
            }
            if chosen.len() == before && !self.targets.iter().any(|target| fits(&target)) {
                return Err(self.unknown(name).into());
            }
        }
        Ok(chosen)
    }

    fn unknown(&self, name: &str) -> Usage {
        let names: Vec<String> =
            self.targets.iter().map(|target| target.name().to_string()).collect();
        let known = if names.is_empty() { "none yet".to_owned() } else { names.join(", ") };
        Usage(format!(
            "there is no target `{name}` (described are: {known}): describe it in mistrust.toml \
             under [target.{name}]"
        ))
    }
}

/// Joins targets to the method for their language, a line for each language.
pub(crate) fn lines(
    targets: &[Arc<dyn Target>],
    method: Option<&str>,
) -> anyhow::Result<Vec<Line>> {
    let mut lines: Vec<Line> = vec![];
    for target in targets {
        let language = target.language();
        if let Some(line) = lines.iter_mut().find(|line| line.method.language() == *language) {
            line.targets.push(Arc::clone(target));
            continue;
        }
        let Some(fitting) = forge::methods::fitting(language, method) else {
            let methods = forge::methods::all();
            let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
            let wanted = method.map_or(String::new(), |method| format!(" called `{method}`"));
            return Err(Usage(format!(
                "there is no method{wanted} for {language}, the language of target `{}`: there are {}",
                target.name(),
                names.join(", ")
            ))
            .into());
        };
        lines.push(Line { method: fitting.into(), targets: vec![Arc::clone(target)] });
    }
    if lines.is_empty() {
        return Err(Environment(
            "there is no compiler to hunt: describe one in mistrust.toml, for example\n  \
             [target.cc]\n  language = \"c\"\n  compile = [\"cc\", \"-O{opt}\", \"-o\", \"{out}\", \
             \"{in}\"]\n  run = [\"{out}\"]\n  settings = { opt = [\"0\", \"1\", \"2\"] }"
                .to_owned(),
        )
        .into());
    }
    Ok(lines)
}
