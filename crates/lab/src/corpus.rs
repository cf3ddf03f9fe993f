//! Corpora of LLVM's unit tests, from a folder of `.ll` files: each file goes through the target's own
//! `opt -passes=verify` once, and the result is kept as one file, which `llvm::corpus` reads. Tests that this
//! version does not read, and files that are no text, are left out and counted.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use forge::{Input, Interface, Language, Program};
use llvm::corpus::Test;
use thiserror::Error;

use crate::exec::Order;
use crate::setting::Setting;
use crate::target::{Bench, ByHand, Target};

#[derive(Debug, Error)]
pub enum CorpusError {
    #[error("cannot {doing} {path}: {source}")]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
    #[error("{path} has no .ll file with a RUN line for opt that {target} reads")]
    Empty { path: PathBuf, target: String },
}

/// What became of a folder of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// In the stored form.
    pub text: String,
    pub tests: usize,
    /// Files that are no text, name no passes of `opt`, or that `opt` rejects.
    pub left_out: usize,
}

/// Options of `opt` in RUN lines of old tests that are names of passes today.
const LEGACY: &[&str] = &[
    "adce",
    "aggressive-instcombine",
    "bdce",
    "constraint-elimination",
    "correlated-propagation",
    "dce",
    "div-rem-pairs",
    "dse",
    "early-cse",
    "float2int",
    "globalopt",
    "gvn",
    "indvars",
    "inline",
    "instcombine",
    "instsimplify",
    "ipsccp",
    "jump-threading",
    "lcssa",
    "licm",
    "loop-deletion",
    "loop-idiom",
    "loop-rotate",
    "loop-unroll",
    "loop-vectorize",
    "mem2reg",
    "memcpyopt",
    "nary-reassociate",
    "newgvn",
    "reassociate",
    "sccp",
    "simplifycfg",
    "sink",
    "slp-vectorizer",
    "slsr",
    "sroa",
    "tailcallelim",
    "vector-combine",
];

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
        return Ok(Packed { text, tests, left_out: 0 });
    }
    let mut files = vec![];
    find(folder, &mut files).map_err(io("read", folder))?;
    files.sort();
    let next = AtomicUsize::new(0);
    let tests: Mutex<Vec<(usize, Test)>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(file) = files.get(at) else { break };
                    progress(at, files.len());
                    let test = test(folder, file, target, bench);
                    if let Some(test) = test {
                        let mut tests = tests.lock().unwrap_or_else(|it| it.into_inner());
                        tests.push((at, test));
                    }
                }
            });
        }
    });
    let mut tests = tests.into_inner().unwrap_or_else(|it| it.into_inner());
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
    Ok(Packed { text, tests: tests.len(), left_out: files.len() - tests.len() })
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
fn test(folder: &Path, file: &Path, target: &dyn Target, bench: &Bench) -> Option<Test> {
    let source = std::fs::read_to_string(file).ok()?;
    let passes = passes(&source);
    if passes.is_empty() {
        return None;
    }
    let program = Program {
        name: "base".to_owned(),
        language: Language::new("llvm"),
        interface: Interface::Module,
        source,
    };
    let verify = Setting::of(vec![("passes".to_owned(), "verify".to_owned())]);
    let ByHand::Steps { compile, run: Some(run) } =
        target.by_hand(&program, &Input::default(), &verify)
    else {
        return None;
    };
    let scratch = bench.runner.scratch().ok()?;
    scratch.write(program.file_name(), &program.source).ok()?;
    let order = Order::new(compile).limits(bench.compile.clone());
    let ended = bench.runner.run(&order, &scratch).ok()?.ending;
    let output = run.last().filter(|_| ended.success())?;
    let text = std::fs::read_to_string(scratch.path().join(output)).ok()?;
    let path = file.strip_prefix(folder).ok()?.to_str()?.to_owned();
    Some(Test { path, passes, text, failing: vec![] })
}

/// The pipelines of the RUN lines that call `opt` with a single input.
fn passes(source: &str) -> Vec<String> {
    let mut all: Vec<String> = vec![];
    let runs = source.lines().filter(|line| line.contains("RUN:") && line.contains("opt "));
    for line in runs {
        let named = ["-passes=", "-p "].iter().find_map(|option| {
            let rest = line.split_once(option)?.1.trim_start();
            match rest.chars().next()? {
                quote @ ('"' | '\'') => rest[1..].split(quote).next(),
                _ => rest.split_whitespace().next(),
            }
        });
        let pipeline = named.map(str::to_owned).unwrap_or_else(|| {
            let words = line.split_whitespace().filter_map(|word| word.strip_prefix('-'));
            words.filter(|word| LEGACY.contains(word)).collect::<Vec<_>>().join(",")
        });
        // Printers change nothing.
        if !pipeline.is_empty() && !pipeline.contains("print") && !all.contains(&pipeline) {
            all.push(pipeline);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_are_read_from_run_lines_of_all_times() {
        let source = "; RUN: opt -passes=instcombine -S < %s | FileCheck %s\n\
                      ; RUN: opt < %s -passes='function(sroa<modify-cfg>),gvn' -S\n\
                      ; RUN: opt -S -early-cse -instcombine %s\n\
                      ; RUN: opt -passes='print<domtree>' %s\n; RUN: llc %s\n";
        assert_eq!(
            passes(source),
            ["instcombine", "function(sroa<modify-cfg>),gvn", "early-cse,instcombine"]
        );
    }
}
