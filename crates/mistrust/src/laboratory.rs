//! The environment of subcommands that run compilers: the configuration, the targets by name, and a bench.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use forge::{Interface, Method};
use lab::alive2::AliveTv;
use lab::campaign::Line;
use lab::exec::{Runner, SandboxPolicy, View, remove_leftovers};
use lab::target::built_in::{BUILT_IN, BuiltIn, at_path};
use lab::target::{Bench, Target, TargetName};
use lab::toolchain::{Installed, Notice, ToolchainError, Toolchains};
use lab::triage::known::KnownBugs;
use methods::NoMethod;
use nix::unistd::geteuid;

use crate::cli::Common;
use crate::config::{Config, Sandbox};
use crate::display::printable::printable;
use crate::display::quantity::mebibytes;
use crate::exit::{Environment, Usage};

/// The default output folder.
const OUT: &str = "mistrust-out";

/// The default folder of known bugs.
const KNOWN_BUGS: &str = "known-bugs";

/// Known bugs that ship with Mistrust.
const SHIPPED: &[(&str, &str)] = &[
    ("known-bugs/rustc.toml", include_str!("../../../known-bugs/rustc.toml")),
    ("known-bugs/llvm.toml", include_str!("../../../known-bugs/llvm.toml")),
    ("known-bugs/solc.toml", include_str!("../../../known-bugs/solc.toml")),
    ("known-bugs/vyper.toml", include_str!("../../../known-bugs/vyper.toml")),
];

/// The folder of scratch directories, in the output folder.
pub(crate) const SCRATCH: &str = "scratch";

/// The folder of installed compilers for a user without a home directory.
const TOOLCHAINS: &str = "mistrust-toolchains";

/// Names of several targets that belong together, and the toolchain that they are made of. A member of the same name
/// is called `llvm@19` in findings, like the group when it is given by the user.
const GROUPS: &[Group] =
    &[Group { name: "llvm", toolchain: "clang", members: &["opt", "llc", "llvm"] }];

struct Group {
    name: &'static str,
    toolchain: &'static str,
    members: &'static [&'static str],
}

/// The default target.
const DEFAULT: &str = "rustc";

/// What the names of temporary folders begin with; the process that made one follows.
const TEMPORARY: &str = "mistrust-";

/// A temporary folder. Those that killed processes have left are removed.
pub(crate) fn temporary() -> anyhow::Result<tempfile::TempDir> {
    let all = std::env::temp_dir();
    for entry in std::fs::read_dir(&all).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(TEMPORARY)?.split_once('-'));
        let Some(Ok(pid)) = owner.map(|(pid, _)| pid.parse::<u32>()) else { continue };
        let is_ours =
            entry.metadata().is_ok_and(|it| it.is_dir() && it.uid() == geteuid().as_raw());
        if is_ours && pid > 0 && !Path::new("/proc").join(pid.to_string()).exists() {
            // What cannot be removed is left: it does no harm.
            let _ = remove_leftovers(&entry.path());
            let _ = remove_leftovers(&entry.path().join(SCRATCH));
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
    let prefix = format!("{TEMPORARY}{}-", std::process::id());
    let made = tempfile::Builder::new().prefix(&prefix).tempdir_in(all);
    made.context("cannot create a scratch directory")
}

/// The measures of the sandbox that do not work here.
fn unconfined(runner: &Runner) -> Option<String> {
    let measures = runner.confinement().measures();
    let missing: Vec<&str> =
        measures.iter().filter(|(_, confined)| !confined.is_yes()).map(|(name, _)| *name).collect();
    (!missing.is_empty()).then(|| missing.join(", "))
}

pub(crate) struct Laboratory {
    pub(crate) config: Config,
    /// The targets described in the configuration.
    pub(crate) described: Vec<Arc<dyn Target>>,
    /// Installed compilers, and those that can be installed.
    pub(crate) installs: Toolchains,
    pub(crate) offline: bool,
    /// Programs may read these, wherever they are.
    visible: Vec<PathBuf>,
    /// The compilers found on this machine, by family; a cache, because the search is slow.
    machine: RefCell<BTreeMap<&'static str, Vec<Arc<dyn Target>>>>,
}

impl Laboratory {
    pub(crate) fn open(common: &Common) -> anyhow::Result<Self> {
        let config = Config::read(common.config.as_deref())?;
        let here = match common.config.as_deref().and_then(Path::parent) {
            Some(folder) if !folder.as_os_str().is_empty() => std::path::absolute(folder)?,
            _ => std::env::current_dir().context("cannot determine the current folder")?,
        };
        let build = |(name, description): (&String, &lab::target::described::Description)| {
            description.build(name, &here).map_err(|error| Usage(error.to_string()))
        };
        let described = config.target.iter().map(build).collect::<Result<_, _>>()?;
        let folder = common.toolchains.clone().or_else(|| config.toolchains.clone());
        let folder = folder.or_else(Toolchains::usual_folder);
        let folder = folder.unwrap_or_else(|| TOOLCHAINS.into());
        let installs = Toolchains::open(&folder)?;
        let mut visible = vec![folder, here];
        visible.extend(config.limits.visible.iter().cloned());
        let offline = common.offline || config.offline;
        Ok(Self { config, described, installs, offline, visible, machine: RefCell::default() })
    }

    /// The compilers of a family found on this machine, the preferred one first.
    pub(crate) fn of_machine(&self, built_in: &'static BuiltIn) -> Vec<Arc<dyn Target>> {
        let mut machine = self.machine.borrow_mut();
        machine.entry(built_in.family).or_insert_with(|| built_in.of_machine()).clone()
    }

    /// All compilers found on this machine that are not described in the configuration.
    pub(crate) fn machine(&self) -> Vec<Arc<dyn Target>> {
        let all = BUILT_IN.iter().flat_map(|built_in| self.of_machine(built_in));
        all.filter(|target| self.described.iter().all(|it| it.name() != target.name())).collect()
    }

    /// A compiler of an exact version. If it is missing, it is installed, after a notice.
    pub(crate) fn ensure(&self, family: &str, version: &str) -> anyhow::Result<Installed> {
        Ok(self.installs.ensure(family, version, self.offline, &tell)?)
    }

    /// The newest available version. Offline, this is an error.
    pub(crate) fn newest(&self, family: &str) -> Result<String, ToolchainError> {
        self.installs.newest(family, self.offline)
    }

    /// All targets of a family, described or built in.
    pub(crate) fn family(&self, family: &str) -> Vec<Arc<dyn Target>> {
        let built_in = BuiltIn::named(family).map(|built_in| self.installed(built_in));
        let of_family = |target: &&Arc<dyn Target>| target.name().family == family;
        let described: Vec<_> = self.described.iter().filter(of_family).cloned().collect();
        let is_new =
            |target: &Arc<dyn Target>| described.iter().all(|other| other.name() != target.name());
        let others: Vec<_> = built_in.into_iter().flatten().filter(is_new).collect();
        described.into_iter().chain(others).collect()
    }

    /// The compilers of a family that need no installation: those found on the machine, then those installed by
    /// Mistrust, from old to new.
    fn installed(&self, built_in: &'static BuiltIn) -> Vec<Arc<dyn Target>> {
        let toolchain = built_in.toolchain();
        let installed = toolchain.into_iter().flat_map(|toolchain| {
            let versions = self.installs.installed(toolchain).into_iter();
            versions.filter_map(move |version| self.installs.get(toolchain, &version))
        });
        let targets = installed.filter_map(|it| built_in.target(&it));
        self.of_machine(built_in).into_iter().chain(targets).collect()
    }

    /// The built-in compiler with this name, which is installed if it is missing. Without a version: the preferred one
    /// of the machine, else the newest installed one, else the newest available one.
    fn built_in(&self, wanted: &TargetName) -> anyhow::Result<Option<Arc<dyn Target>>> {
        let Some(built_in) = BuiltIn::named(&wanted.family) else { return Ok(None) };
        if wanted.version.is_none() {
            let own = self.of_machine(built_in).into_iter().next();
            if let Some(own) = own.or_else(|| self.installed(built_in).pop()) {
                return Ok(Some(own));
            }
        }
        let Some(toolchain) = built_in.toolchain() else { return Ok(None) };
        let version = match &wanted.version {
            Some(version) => version.clone(),
            None => self.newest(toolchain)?,
        };
        Ok(built_in.target(&self.ensure(toolchain, &version)?))
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

    /// The known bugs: those that ship with Mistrust, and those of the user's folder.
    pub(crate) fn known_bugs(&self) -> anyhow::Result<KnownBugs> {
        let folder = self.config.hunt.known_bugs.as_deref();
        let mut known = KnownBugs::read(folder.unwrap_or(Path::new(KNOWN_BUGS)))?;
        for (name, text) in SHIPPED {
            known.add(text).map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
        }
        Ok(known)
    }

    /// The `alive-tv` that the configuration names. A path must be a file; a name is looked up like that of a compiler.
    pub(crate) fn alive_tv(&self) -> anyhow::Result<Option<AliveTv>> {
        let Some(named) = self.config.hunt.alive_tv.as_deref() else { return Ok(None) };
        if named.components().count() == 1 {
            return Ok(Some(AliveTv::new(named)));
        }
        if !named.is_file() {
            return Err(Environment(format!("`alive-tv`: {} is no file", named.display())).into());
        }
        // It runs in another folder.
        Ok(Some(AliveTv::new(&std::path::absolute(named)?)))
    }

    /// A bench whose scratch directories are below `root`. Leftovers of killed processes are removed.
    pub(crate) fn bench(&self, root: &Path) -> anyhow::Result<Bench> {
        let limits = &self.config.limits;
        let policy = match limits.sandbox {
            Sandbox::Off => SandboxPolicy::Off,
            Sandbox::BestEffort | Sandbox::Required => SandboxPolicy::BestEffort,
        };
        remove_leftovers(root)?;
        // The folder around scratch directories is ours: its database, for example.
        let own = root.parent().filter(|_| root.ends_with(SCRATCH)).map(Path::to_owned);
        let view = View { hidden: own.into_iter().collect(), visible: self.visible.clone() };
        let runner = Runner::with_view(root.to_owned(), policy, &view)?;
        if limits.sandbox == Sandbox::Required
            && let Some(missing) = unconfined(&runner)
        {
            let why = format!(
                "the sandbox is required, but lacks: {missing}; `mistrust doctor` says why"
            );
            return Err(Environment(why).into());
        }
        Ok(Bench { runner, compile: limits.compile(), run: limits.run(), coverage: None })
    }

    /// Checks that compilers which Mistrust has installed still have the files that were installed.
    pub(crate) fn check_installed(&self, targets: &[Arc<dyn Target>]) -> anyhow::Result<()> {
        for target in targets {
            let name = target.name();
            let family = BuiltIn::named(&name.family).and_then(BuiltIn::toolchain);
            let Some((family, version)) = family.zip(name.version.as_deref()) else { continue };
            let Some(installed) = self.installs.get(family, version) else { continue };
            // A described compiler, or one of the machine, can have the same name.
            let is_its = |file: &PathBuf| file.starts_with(installed.folder());
            let files = target.executables();
            if !files.is_empty() && !files.iter().any(is_its) {
                continue;
            }
            if !installed.is_surely_intact()? {
                return Err(Environment(format!(
                    "the files of {family}@{version} have changed since it was installed ({}): `mistrust toolchain \
                     remove {family}@{version}`, and it is installed again by the next hunt",
                    installed.folder().display()
                ))
                .into());
            }
        }
        Ok(())
    }

    /// What the user should know about the sandbox before programs are run; nothing if it is complete.
    pub(crate) fn sandbox_notice(&self, bench: &Bench) -> Option<String> {
        if self.config.limits.sandbox == Sandbox::Off {
            return Some(
                "the sandbox is off (limits.sandbox = false): programs can write to your files and use the network"
                    .to_owned(),
            );
        }
        let missing = unconfined(&bench.runner)?;
        Some(format!("the sandbox lacks: {missing}; `mistrust doctor` says why"))
    }

    /// The target with this exact name.
    pub(crate) fn target(&self, name: &str) -> anyhow::Result<Arc<dyn Target>> {
        let wanted = TargetName::from(name.to_owned());
        let mut family = self.family(&wanted.family).into_iter();
        match family.find(|target| *target.name() == wanted) {
            Some(target) => Ok(target),
            None => self.built_in(&wanted)?.ok_or_else(|| self.unknown(name).into()),
        }
    }

    /// The named targets: by full name, by family, or by the path of a compiler, which belongs to the family `of` if
    /// that is given. Without names: all described targets, or else the machine's rustc.
    pub(crate) fn select(
        &self,
        names: &[String],
        of: Option<&str>,
    ) -> anyhow::Result<Vec<Arc<dyn Target>>> {
        if names.is_empty() {
            let own = || {
                let rustc = BuiltIn::named(DEFAULT).map(|rustc| self.of_machine(rustc));
                rustc.into_iter().flatten().take(1).collect()
            };
            return Ok(if self.described.is_empty() { own() } else { self.described.clone() });
        }
        let mut chosen: Vec<Arc<dyn Target>> = vec![];
        for name in names {
            let found = match (name.contains('/'), self.group(name)) {
                (true, _) => vec![self.at(Path::new(name), of)?],
                (false, Some(group)) => self.members(group, name)?,
                (false, None) => self.named(name)?,
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

    /// Whether one of the names stands for several targets.
    pub(crate) fn has_group(&self, names: &[String]) -> bool {
        names.iter().any(|name| self.group(name).is_some())
    }

    /// The group of this name, unless the configuration has a target of the name.
    fn group(&self, name: &str) -> Option<&'static Group> {
        let wanted = TargetName::from(name.to_owned());
        let is_described = self.described.iter().any(|it| it.name().family == wanted.family);
        GROUPS.iter().find(|group| group.name == wanted.family && !is_described)
    }

    /// The targets of a group, of one version: without a number, of the newest release.
    fn members(&self, group: &Group, name: &str) -> anyhow::Result<Vec<Arc<dyn Target>>> {
        let version = match TargetName::from(name.to_owned()).version {
            Some(version) => Some(version),
            None => match self.newest(group.toolchain) {
                Ok(version) => Some(version),
                // What is installed, or else what the machine has.
                Err(error) if error.is_lack() => self.installs.installed(group.toolchain).pop(),
                Err(error) => return Err(error.into()),
            },
        };
        let mut members = vec![];
        for family in group.members.iter().filter(|it| BuiltIn::named(it).is_some()) {
            let wanted = TargetName::new(family, version.as_deref());
            members.extend(self.named(&wanted.to_string())?);
        }
        Ok(members)
    }

    /// The compiler at a path.
    fn at(&self, path: &Path, of: Option<&str>) -> anyhow::Result<Arc<dyn Target>> {
        let Some(family) = of else { return Ok(at_path(path)?) };
        let built_in = BuiltIn::named(family).ok_or_else(|| {
            let families: Vec<&str> = BUILT_IN.iter().map(|it| it.family).collect();
            Usage(format!("--as {family}: the families are {}", families.join(", ")))
        })?;
        Ok(built_in.at(path)?)
    }

    /// All described targets of a family; of a built-in family, only the preferred compiler.
    fn named(&self, name: &str) -> anyhow::Result<Vec<Arc<dyn Target>>> {
        let wanted = TargetName::from(name.to_owned());
        let mut described: Vec<Arc<dyn Target>> = self.described.clone();
        described.retain(|target| {
            *target.name() == wanted
                || wanted.version.is_none() && target.name().family == wanted.family
        });
        if !described.is_empty() {
            return Ok(described);
        }
        self.accompany(&wanted);
        let mut family = self.family(&wanted.family);
        family.retain(|target| *target.name() == wanted);
        if wanted.version.is_some() && !family.is_empty() {
            return Ok(family);
        }
        Ok(self.built_in(&wanted)?.into_iter().collect())
    }

    /// Installs what a target needs besides its compiler. Without it, the target does less.
    fn accompany(&self, wanted: &TargetName) {
        let Some(companion) = BuiltIn::named(&wanted.family).and_then(BuiltIn::companion) else {
            return;
        };
        if self.offline || !self.installs.installed(companion).is_empty() {
            return;
        }
        let ensured = self
            .newest(companion)
            .and_then(|version| self.installs.ensure(companion, &version, self.offline, &tell));
        if let Err(error) = ensured {
            let line = format!("warning: {companion} is not installed: {error}");
            anstream::eprintln!("{}", printable(&line));
        }
    }

    fn unknown(&self, name: &str) -> Usage {
        let all = self.described.iter().cloned().chain(self.machine());
        let names: Vec<String> = all.map(|target| target.name().to_string()).collect();
        let known = if names.is_empty() { "none yet".to_owned() } else { names.join(", ") };
        let families: Vec<&str> = BUILT_IN.iter().map(|it| it.family).collect();
        Usage(format!(
            "there is no target `{name}` (found: {known}; installable in any version: {}): describe it in \
             mistrust.toml under [target.{name}]",
            families.join(", ")
        ))
    }
}

/// Prints installation notices to standard error.
pub(crate) fn tell(notice: &Notice) {
    let line = match notice {
        Notice::Waiting => "waiting for another process to finish an installation".to_owned(),
        Notice::Installing { name, manager, packages } => {
            format!("installing {name} with {manager}: {}", packages.join(", "))
        }
        Notice::Moved { name, packages } => format!(
            "{name} was installed before with other versions of its dependencies: {}",
            packages.join(", ")
        ),
        Notice::Underway { name, bytes } => format!("  {name}: {}", mebibytes(*bytes)),
        Notice::Done { name, bytes } => format!("installed {name}: {}", mebibytes(*bytes)),
    };
    anstream::eprintln!("{}", printable(&line));
}

/// Assigns methods to each target, and makes one line per method. A target that reads contracts gets several by default.
pub(crate) fn lines(
    targets: &[Arc<dyn Target>],
    method: Option<&str>,
) -> anyhow::Result<Vec<Line>> {
    let mut lines: Vec<Line> = vec![];
    for target in targets {
        let mut fitting = vec![fitting(target.as_ref(), method)?];
        if method.is_none() {
            let contracts =
                target.spec().reads.iter().filter(|it| it.interface == Interface::Contract);
            let usual = contracts.flat_map(|it| methods::usual(&it.language, it.interface));
            let first = fitting[0].name().to_owned();
            fitting.extend(usual.filter(|it| it.name() != first));
        }
        for fitting in fitting {
            match lines.iter_mut().find(|line| line.method.name() == fitting.name()) {
                Some(line) => line.targets.push(Arc::clone(target)),
                None => lines.push(Line::drawn(fitting.into(), vec![Arc::clone(target)])),
            }
        }
    }
    if lines.is_empty() {
        return Err(Environment(
            "there is no rustc, and no other compiler to test: describe one in mistrust.toml, for example\n  \
             [target.cc]\n  language = \"c\"\n  compile = [\"cc\", \"-O{opt}\", \"-o\", \"{out}\", \
             \"{in}\"]\n  run = [\"{out}\"]\n  settings = { opt = [\"0\", \"1\", \"2\"] }"
                .to_owned(),
        )
        .into());
    }
    Ok(lines)
}

/// The method for the first kind of program that the target reads and a method generates.
fn fitting(target: &dyn Target, method: Option<&str>) -> anyhow::Result<Box<dyn Method>> {
    let mut rejection = None;
    for reads in &target.spec().reads {
        match methods::fitting(&reads.language, reads.interface, method) {
            Ok(fitting) => return Ok(fitting),
            Err(NoMethod::Unknown(_)) => {}
            Err(other) => rejection = Some(other),
        }
    }
    if let Some(rejection) = rejection {
        return Err(Usage(rejection.to_string()).into());
    }
    let methods = methods::all();
    let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
    let wanted = method.map_or(String::new(), |method| format!(" called `{method}`"));
    let language = target.spec().language();
    Err(Usage(format!(
        "there is no method{wanted} for {language}, the language of target `{}`: the methods are {}",
        target.name(),
        names.join(", ")
    ))
    .into())
}

#[cfg(test)]
mod tests {
    use lab::signature::Signature;
    use lab::target::PassId;
    use lab::verdict::BreachKind;

    use super::*;

    #[test]
    fn a_shipped_known_bug_is_recognised_and_linked() {
        let mut known = KnownBugs::default();
        for (name, text) in SHIPPED {
            known.add(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let signature = |pass: &str| Signature {
            target: "rustc".to_owned(),
            kind: BreachKind::Miscompilation,
            detail: String::new(),
            frames: vec![],
            circumstances: None,
            passes: vec![PassId::new(pass).in_layer("MIR")],
            shape: None,
            only: None,
        };
        let found = known.matching(&signature("DataflowConstProp")).expect("a known bug");
        assert!(found.name.starts_with("rust-lang/rust#161898"), "{}", found.name);
        let link = "https://github.com/rust-lang/rust/issues/161898";
        assert_eq!(found.link.as_deref(), Some(link));
        assert_eq!(known.matching(&signature("NoSuchPass")), None);
    }
}
