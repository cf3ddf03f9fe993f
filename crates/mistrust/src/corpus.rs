//! The corpus of a hunt: packed once for a folder and a target, and kept beside the toolchains.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use forge::{Fingerprint, Interface, Method};
use lab::corpus::pack;
use lab::target::{Bench, Target};
use llvm::corpus::Corpus;
use llvm::method::{Crossover, SEEDS};

use crate::exit::{Environment, Usage};

/// The folder of packed corpora, below that of the toolchains.
const CORPORA: &str = "corpora";

/// Whether the target reads what a corpus is for.
pub(crate) fn is_for(target: &dyn Target) -> bool {
    let mut reads = target.spec().reads.iter();
    reads.any(|it| it.language.name() == "llvm" && it.interface == Interface::Module)
}

/// The method that crosses the tests at a path over, for a target.
pub(crate) fn method(
    path: &Path,
    wanted: Option<&str>,
    target: &dyn Target,
    toolchains: &Path,
    bench: &Bench,
    jobs: usize,
) -> anyhow::Result<Arc<dyn Method>> {
    let version = target.probe(None, bench).map_err(|error| Environment(error.to_string()))?;
    let Some(major) = major(&version) else {
        return Err(Environment(format!("the version of {} is not known", target.name())).into());
    };
    let cache = cache(path, target, toolchains)?;
    let text = match std::fs::read_to_string(&cache) {
        Ok(text) => text,
        Err(_) => {
            let shown = path.display();
            anstream::eprintln!("reading the tests of {shown} with {}", target.name());
            let progress = |at: usize, of: usize| {
                if at > 0 && at.is_multiple_of(1000) {
                    anstream::eprintln!("  {at} of {of}");
                }
            };
            let packed = pack(path, target, bench, jobs, &progress)
                .map_err(|error| Usage(format!("--corpus: {error}")))?;
            let (tests, left_out) = (packed.tests, packed.left_out);
            anstream::eprintln!("  {tests} files, {left_out} left out");
            keep(&cache, &packed.text)?;
            packed.text
        }
    };
    let corpus = Corpus::read(major, &text)
        .map_err(|error| Usage(format!("--corpus {}: {error}", path.display())))?;
    let corpus = Arc::new(corpus);
    Ok(match wanted {
        Some(name) if SEEDS.starts_with(name) => Arc::new(Crossover::plain(corpus)),
        _ => Arc::new(Crossover::new(corpus)),
    })
}

/// The major version in what `opt --version` prints.
fn major(version: &str) -> Option<u32> {
    let (_, rest) = version.split_once("LLVM version ")?;
    rest.split('.').next()?.trim().parse().ok()
}

/// Where the packed form of a path is kept. Another time of change of the folder is another corpus.
fn cache(path: &Path, target: &dyn Target, toolchains: &Path) -> anyhow::Result<PathBuf> {
    let missing = |error: std::io::Error| Usage(format!("--corpus {}: {error}", path.display()));
    let full = path.canonicalize().map_err(missing)?;
    let changed = full.metadata().and_then(|it| it.modified()).map_err(missing)?;
    let changed = changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string();
    let name = target.name().to_string();
    let fields = [full.as_os_str().as_encoded_bytes(), changed.as_bytes(), name.as_bytes()];
    let key = Fingerprint::of(fields);
    Ok(toolchains.join(CORPORA).join(format!("{key}.jsonl")))
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
