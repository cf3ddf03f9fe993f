//! Corpora. `programs.rs` reads programs of any language, for mutations; `named.rs` is the table of those that are known by
//! name, `minimal.rs` finds a part that reaches as much of a compiler. The rest is about LLVM's unit tests, from a
//! folder of `.ll` files: each file goes through the target's own
//! `opt -passes=verify` once, and the result is kept as one file, which `llvm::corpus` reads. Tests that this
//! version does not read, and files that are no text, are left out and counted. `run_line.rs` reads what a test
//! says about passes, `baseline.rs` finds the functions that fail as they are.

mod baseline;
mod minimal;
mod named;
mod programs;
mod run_line;
mod strings;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use forge::{Input, Interface, Language, Program};
use llvm::corpus::Test;
use thiserror::Error;

pub use baseline::{Baseline, Fails, baseline};
pub use minimal::{Minimal, NotMeasured, minimal};
pub use named::{NAMED, Named, left_out};
pub use programs::{Programs, Unused, programs};

use crate::exec::{Ending, Order};
use crate::setting::Setting;
use crate::target::{Bench, ByHand, Target};

/// Why a folder of tests cannot be used.
#[derive(Debug, Error)]
pub enum CorpusError {
    #[error("cannot {doing} {path}: {source}")]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
    #[error("{path} has no .ll file with a RUN line for opt that {target} reads")]
    Empty { path: PathBuf, target: String },
    #[error(
        "{path} has no .{extension} file that could be used as a program of the language {language}"
    )]
    NoPrograms { path: PathBuf, extension: String, language: String },
    #[error("{path} has more than {most} files: give a folder of programs")]
    TooMany { path: PathBuf, most: usize },
}

/// What became of a folder of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// In the stored form.
    pub text: String,
    pub tests: usize,
    /// How many files are left out, by reason.
    pub left_out: BTreeMap<LeftOut, usize>,
}

/// Why a file is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftOut {
    NotText,
    NoPipeline,
    Rejected,
    Failed,
    Environment,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NotText => "not text",
            Self::NoPipeline => "no RUN line with passes of opt",
            Self::Rejected => "rejected by this opt",
            Self::Failed => "this opt crashes or hangs while it reads them",
            Self::Environment => "could not be written or read",
        })
    }
}

/// Packs the tests below a folder, or reads a file that was packed before.
pub fn pack(
    folder: &Path,
    target: &dyn Target,
    bench: &Bench,
    jobs: usize,
    progress: &(dyn Fn(usize, usize) + Sync),
) -> Result<Packed, CorpusError> {
    let io = |doing, path: &Path| {
        let path = path.to_owned();
        move |source| CorpusError::Io { doing, path, source }
    };
    if folder.is_file() {
        let text = std::fs::read_to_string(folder).map_err(io("read", folder))?;
        let tests = text.lines().count();
        return Ok(Packed { text, tests, left_out: BTreeMap::new() });
    }
    let mut files = vec![];
    find(folder, &mut files).map_err(io("read", folder))?;
    files.sort();
    let next = AtomicUsize::new(0);
    type Packs = (Vec<(usize, Test)>, BTreeMap<LeftOut, usize>);
    let packs: Mutex<Packs> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    progress(at, files.len());
                    let test = test(folder, file, target, bench);
                    let mut packs = packs.lock().unwrap_or_else(|it| it.into_inner());
                    match test {
                        Ok(test) => packs.0.push((at, test)),
                        Err(why) => *packs.1.entry(why).or_default() += 1,
                    }
                }
            });
        }
    });
    let (mut tests, left_out) = packs.into_inner().unwrap_or_else(|it| it.into_inner());
    tests.sort_by_key(|(at, _)| *at);
    if tests.is_empty() {
        let (path, target) = (folder.to_owned(), target.name().to_string());
        return Err(CorpusError::Empty { path, target });
    }
    let mut text = String::new();
    for (_, test) in &tests {
        // A test has nothing that JSON cannot hold.
        text.push_str(&serde_json::to_string(test).unwrap_or_default());
        text.push('\n');
    }
    Ok(Packed { text, tests: tests.len(), left_out })
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            find(&entry.path(), files)?;
        } else if entry.path().extension().is_some_and(|it| it == "ll") {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// One file, as `opt` prints it.
fn test(folder: &Path, file: &Path, target: &dyn Target, bench: &Bench) -> Result<Test, LeftOut> {
    let bytes = std::fs::read(file).map_err(|_| LeftOut::Environment)?;
    let source = String::from_utf8(bytes).map_err(|_| LeftOut::NotText)?;
    let passes = run_line::passes(&source);
    let path = file.strip_prefix(folder).ok().and_then(Path::to_str).ok_or(LeftOut::NotText)?;
    let path = path.to_owned();
    if passes.is_empty() {
        return Err(LeftOut::NoPipeline);
    }
    let extra = run_line::machine(&source);
    let program = Program {
        name: "base".to_owned(),
        language: Language::new("llvm"),
        interface: Interface::Module,
        source,
    };
    let verify = Setting::of(vec![("passes".to_owned(), "verify".to_owned())]);
    let verify = Setting { extra, ..verify };
    let ByHand::Steps { compile, run: Some(run) } =
        target.by_hand(&program, &Input::default(), &verify)
    else {
        return Err(LeftOut::Environment);
    };
    let scratch = bench.runner.scratch().map_err(|_| LeftOut::Environment)?;
    scratch.write(program.file_name(), &program.source).map_err(|_| LeftOut::Environment)?;
    let order = Order::new(compile).limits(bench.compile.clone());
    match bench.runner.run(&order, &scratch).map_err(|_| LeftOut::Environment)?.ending {
        Ending::Exited(0) => {}
        Ending::Exited(_) => return Err(LeftOut::Rejected),
        Ending::Signalled(_) | Ending::TimedOut | Ending::Exceeded(_) => {
            return Err(LeftOut::Failed);
        }
    }
    let output = run.last().ok_or(LeftOut::Environment)?;
    let text = std::fs::read(scratch.path().join(output)).map_err(|_| LeftOut::Environment)?;
    let text = String::from_utf8(text).map_err(|_| LeftOut::NotText)?;
    Ok(Test { path, passes, text, failing: vec![] })
}
