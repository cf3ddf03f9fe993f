//! The corpus of a hunt: LLVM's tests of the version under test, which are installed if they are missing, or a
//! folder. They are packed once for a target, functions that fail as they are are marked, and both results are kept
//! beside the toolchains.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::UNIX_EPOCH;

use forge::{Fingerprint, Interface, Method};
use lab::corpus::{Baseline, NAMED, Named, Packed, baseline, pack};
use lab::target::{Bench, Target};
use lab::toolchain::{Installed, ToolchainError};
use llvm::corpus::Corpus;
use llvm::method::{CROSSOVER, Crossover, SEEDS};

use crate::display::printable::printable;
use crate::exit::{Environment, Usage};
use crate::laboratory::{Laboratory, tell};

/// The folder of packed corpora, below that of the toolchains.
const CORPORA: &str = "corpora";

/// The tests that are used without `--corpus`.
const TESTS: &str = "llvm-tests";

/// The families of tests.
const FAMILIES: &[&str] = &[TESTS, "llvm-analysis-tests", "llvm-codegen-tests"];

/// It increases when tests are packed in another way.
const FORM: u32 = 2;

/// Which tests are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Those of the version under test, or else of an older one: newer ones contain the regression tests of its
    /// bugs.
    Own,
    Version {
        family: &'static str,
        version: String,
    },
    /// Programs for mutations.
    Named {
        named: &'static Named,
        version: Option<String>,
    },
    Path(PathBuf),
}

impl Wanted {
    /// `22`, `llvm-codegen-tests@22`, `vyper-tests`, `rust-ui@1.95.0`, or a path.
    pub(crate) fn parse(text: Option<&str>) -> anyhow::Result<Self> {
        let Some(text) = text else { return Ok(Self::Own) };
        if Path::new(text).exists() {
            return Ok(Self::Path(text.into()));
        }
        let (name, of) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version.to_owned())),
            None => (text, None),
        };
        match (Named::of(name), of) {
            (Some(named), None) if named.family == TESTS => return Ok(Self::Own),
            (Some(named), Some(version)) if named.family == TESTS => {
                return Ok(Self::Version { family: TESTS, version });
            }
            (Some(named), version) => return Ok(Self::Named { named, version }),
            (None, _) => {}
        }
        let (family, version) = text.split_once('@').unwrap_or((TESTS, text));
        let family = FAMILIES.iter().find(|it| **it == family);
        match family {
            Some(family) if version.parse::<u32>().is_ok() => {
                Ok(Self::Version { family, version: version.to_owned() })
            }
            _ => Err(Usage(format!(
                "--corpus {text}: there is no such folder or file, and no corpus of this name: there are {}; for LLVM \
                 also 22, or {}",
                NAMED.iter().map(|it| it.name).collect::<Vec<_>>().join(", "),
                FAMILIES.iter().map(|it| format!("{it}@22")).collect::<Vec<_>>().join(", ")
            ))
            .into()),
        }
    }
}

/// Whether the target reads what a corpus is for.
pub(crate) fn is_for(target: &dyn Target) -> bool {
    let mut reads = target.spec().reads.iter();
    reads.any(|it| it.language.name() == "llvm" && it.interface == Interface::Module)
}

/// Whether a method of this name, or beginning of a name, uses a corpus.
pub(crate) fn is_used_by(method: Option<&str>) -> bool {
    method.is_none_or(|method| {
        let is_of = |name: &str| name.starts_with(method) || method.starts_with(name);
        is_of(SEEDS) || is_of(CROSSOVER)
    })
}

/// Tests in a folder, or a packed corpus in a file.
struct Tests {
    /// As the user knows them.
    name: String,
    place: PathBuf,
    /// Different for different tests.
    key: String,
}

/// What makes methods of corpora.
pub(crate) struct Corpora<'a> {
    pub(crate) laboratory: &'a Laboratory,
    pub(crate) bench: &'a Bench,
    pub(crate) jobs: usize,
}

impl Corpora<'_> {
    /// The method for a target.
    pub(crate) fn method(
        &self,
        wanted: &Wanted,
        method: Option<&str>,
        target: &Arc<dyn Target>,
    ) -> anyhow::Result<Arc<dyn Method>> {
        let says = |target: &dyn Target| {
            let version = target.probe(None, self.bench);
            version.map_err(|error| Environment(error.to_string()))
        };
        let version = says(target.as_ref())?;
        let Some(major) = major(&version) else {
            let name = target.name();
            return Err(Environment(format!("cannot determine the LLVM version of {name}")).into());
        };
        let opt = match target.name().family.as_str() {
            "opt" | "triton" => Arc::clone(target),
            // Only opt prints a module without compiling it.
            _ => self.laboratory.target(&format!("opt@{major}"))?,
        };
        let tests = self.tests(wanted, major)?;
        // What a target says of itself is part of the name of what was made with it: what opt printed is for all
        // targets, what fails as it is for one.
        let stem = |target: &dyn Target, version: &str| {
            let mark = Fingerprint::of([version.as_bytes(), &FORM.to_le_bytes()]).to_string();
            format!("{}-{}-{}", tests.key, target.name().family, &mark[..8])
        };
        let printed = stem(opt.as_ref(), &says(opt.as_ref())?);
        let packed = self.packed(&tests, opt.as_ref(), &printed)?;
        let read = |text: &str| match Corpus::read(major, text) {
            Ok(corpus) => Ok(Arc::new(corpus)),
            Err(error) => Err(Usage(format!("--corpus {}: {error}", tests.name))),
        };
        let corpus = read(&packed)?;
        if method.is_some_and(|name| SEEDS.starts_with(name) || name.starts_with(SEEDS)) {
            return Ok(Arc::new(Crossover::plain(corpus)));
        }
        let stem = stem(target.as_ref(), &version);
        let filtered = self.filtered(&packed, &corpus, target.as_ref(), &stem)?;
        Ok(Arc::new(Crossover::new(read(&filtered)?)))
    }

    fn tests(&self, wanted: &Wanted, major: u32) -> anyhow::Result<Tests> {
        let installed = match wanted {
            Wanted::Path(path) => return of_path(path),
            Wanted::Version { family, version } => self.laboratory.ensure(family, version)?,
            Wanted::Named { named, .. } => {
                let why = format!("--corpus {}: it has no LLVM IR", named.name);
                return Err(Usage(why).into());
            }
            Wanted::Own => self.own(major)?,
        };
        let manifest = installed.manifest();
        let name = format!("{}@{}", manifest.family, manifest.version);
        let checksum = manifest.checksum.rsplit(':').next().unwrap_or_default();
        let key = format!("{name}-{}", checksum.get(..8).unwrap_or(checksum));
        // The paths in the corpus begin with the folder of a pass.
        let test = installed.folder().join("llvm/test");
        let folders = std::fs::read_dir(&test).into_iter().flatten().flatten();
        let place = folders.map(|it| it.path()).find(|it| it.is_dir()).unwrap_or(test);
        Ok(Tests { name, place, key })
    }

    /// LLVM's tests for a version of LLVM: its own, or the newest of an older one. A list of packages can be ahead of
    /// what the registry holds, so one that cannot be installed is no reason to stop.
    fn own(&self, major: u32) -> anyhow::Result<Installed> {
        let installs = &self.laboratory.installs;
        let mut numbers = numbers_up_to(major, &installs.installed(TESTS));
        if self.laboratory.offline && numbers.is_empty() {
            let version = major.to_string();
            return Err(ToolchainError::Offline { family: TESTS, version }.into());
        }
        if !self.laboratory.offline && !numbers.contains(&major) {
            numbers.append(&mut numbers_up_to(major, &installs.available(TESTS)?));
        }
        let mut failure = None;
        for number in numbers.iter().rev() {
            match installs.ensure(TESTS, &number.to_string(), self.laboratory.offline, &tell) {
                Ok(installed) => return Ok(installed),
                Err(error @ ToolchainError::Failed { .. }) => {
                    say(&format!("{error}\n  continuing with an older version"));
                    failure.get_or_insert(error);
                }
                Err(error) => return Err(error.into()),
            }
        }
        let none = || ToolchainError::NoVersion {
            family: TESTS,
            version: major.to_string(),
            nearest: "all newer".to_owned(),
        };
        Err(failure.unwrap_or_else(none).into())
    }

    /// The tests as the target prints them.
    fn packed(&self, tests: &Tests, opt: &dyn Target, stem: &str) -> anyhow::Result<String> {
        let cache = self.cache(&format!("{stem}.packed.jsonl"));
        if let Ok(text) = std::fs::read_to_string(&cache) {
            return Ok(text);
        }
        say(&format!("reading {} with {}, once", tests.name, opt.name()));
        let progress = Progress::new("files");
        let packed = pack(&tests.place, opt, self.bench, self.jobs, &|at, of| progress.at(at, of));
        let Packed { text, tests, left_out } =
            packed.map_err(|error| Usage(format!("--corpus: {error}")))?;
        let mut line = format!("  {tests} files");
        for (why, count) in left_out {
            let _ = write!(line, "; left out: {count} ({why})");
        }
        say(&line);
        keep(&cache, &text)?;
        Ok(text)
    }

    /// The corpus without the functions that fail as they are.
    fn filtered(
        &self,
        packed: &str,
        corpus: &Arc<Corpus>,
        target: &dyn Target,
        stem: &str,
    ) -> anyhow::Result<String> {
        let cache = self.cache(&format!("{stem}.filtered.jsonl"));
        let list = cache.with_extension("txt");
        if let Ok(text) = std::fs::read_to_string(&cache) {
            return Ok(text);
        }
        say(&format!("compiling the functions as they are with {}, once", target.name()));
        let progress = Progress::new("functions");
        let Baseline { text, fails } =
            baseline(packed, corpus, target, self.bench, self.jobs, &|at, of| progress.at(at, of));
        let mut lines = String::new();
        for fail in &fails {
            let _ = writeln!(lines, "{} @{}: {:?}", fail.path, fail.function, fail.kind);
        }
        keep(&list, &lines)?;
        keep(&cache, &text)?;
        say(&format!(
            "  {} functions fail and are not crossed ({}); --method {SEEDS} hunts them",
            fails.len(),
            list.display()
        ));
        Ok(text)
    }

    fn cache(&self, name: &str) -> PathBuf {
        self.laboratory.installs.folder().join(CORPORA).join(name)
    }
}

/// The major versions up to one.
fn numbers_up_to(major: u32, versions: &[String]) -> BTreeSet<u32> {
    let numbers = versions.iter().filter_map(|it| it.parse::<u32>().ok());
    numbers.filter(|it| *it <= major).collect()
}

/// Removes what was made of tests.
pub(crate) fn forget(toolchains: &Path, name: &str) {
    let entries = std::fs::read_dir(toolchains.join(CORPORA)).into_iter().flatten().flatten();
    let start = format!("{name}-");
    for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&start)) {
        // It is a cache: what stays is not used.
        let _ = std::fs::remove_file(entry.path());
    }
}

/// Another time of change of a folder makes another corpus.
fn of_path(path: &Path) -> anyhow::Result<Tests> {
    let missing = |error: std::io::Error| Usage(format!("--corpus {}: {error}", path.display()));
    let full = path.canonicalize().map_err(missing)?;
    let changed = full.metadata().and_then(|it| it.modified()).map_err(missing)?;
    let changed = changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string();
    let key = Fingerprint::of([full.as_os_str().as_encoded_bytes(), changed.as_bytes()]);
    Ok(Tests { name: path.display().to_string(), place: full, key: key.to_string() })
}

/// The major version in what a tool of LLVM prints.
fn major(version: &str) -> Option<u32> {
    let (_, rest) = version.split_once("LLVM version ")?;
    rest.split('.').next()?.trim().parse().ok()
}

/// A line for every tenth.
struct Progress {
    what: &'static str,
    tenths: AtomicUsize,
}

impl Progress {
    fn new(what: &'static str) -> Self {
        Self { what, tenths: AtomicUsize::new(0) }
    }

    fn at(&self, at: usize, of: usize) {
        let tenth = at * 10 / of.max(1);
        if self.tenths.fetch_max(tenth, Ordering::Relaxed) < tenth {
            say(&format!("  {at} of {of} {}", self.what));
        }
    }
}

fn say(line: &str) {
    anstream::eprintln!("{}", printable(line));
}

/// Written beside and renamed, so that nobody reads half of it.
fn keep(cache: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = cache.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let partial = cache.with_extension(format!("{}.partial", std::process::id()));
    std::fs::write(&partial, text)?;
    Ok(std::fs::rename(&partial, cache)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_is_named_by_its_version_or_its_path() {
        let parse = |text| Wanted::parse(Some(text)).map_err(|error| error.to_string());
        let version =
            |family, version: &str| Wanted::Version { family, version: version.to_owned() };
        assert_eq!(Wanted::parse(None).unwrap(), Wanted::Own);
        assert_eq!(parse("22").unwrap(), version(TESTS, "22"));
        assert_eq!(parse("llvm-codegen-tests@19").unwrap(), version("llvm-codegen-tests", "19"));
        assert_eq!(parse("/").unwrap(), Wanted::Path("/".into()));
        let named = |name, version: Option<&str>| Wanted::Named {
            named: Named::of(name).unwrap(),
            version: version.map(str::to_owned),
        };
        assert_eq!(parse("vyper-tests").unwrap(), named("vyper-tests", None));
        assert_eq!(parse("rust-ui@1.95.0").unwrap(), named("rust-ui", Some("1.95.0")));
        assert_eq!(parse("llvm-transforms").unwrap(), Wanted::Own);
        assert_eq!(parse("llvm-transforms@22").unwrap(), version(TESTS, "22"));
        for wrong in ["no/such/folder", "gcc@12", "llvm-tests@x"] {
            assert!(parse(wrong).unwrap_err().contains("llvm-tests@22"), "{wrong}");
        }
    }

    #[test]
    fn tests_are_no_newer_than_the_version_under_test() {
        let versions = ["24", "22", "9", "19", "snapshot"].map(str::to_owned);
        assert_eq!(numbers_up_to(23, &versions).into_iter().rev().collect::<Vec<_>>(), [22, 19, 9]);
        assert!(numbers_up_to(8, &versions).is_empty());
    }

    #[test]
    fn methods_of_a_corpus_are_known_by_the_beginning_of_their_names() {
        assert!(
            is_used_by(None) && is_used_by(Some("crossover")) && is_used_by(Some("llvm-tests"))
        );
        assert!(is_used_by(Some("crossover-19-12345678")) && !is_used_by(Some("expression")));
    }
}
