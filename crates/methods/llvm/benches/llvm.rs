//! The cost in CPU time of reading and printing functions, of making crossovers, and of both oracles.
//!
//! `cargo bench -p llvm --bench llvm -- [FOLDER] [parse|make|interpret|prove]`. The folder (or
//! `MISTRUST_LLVM_CORPUS`) has `before/`, files as `opt -passes=verify -S` prints them, and `after/`, the same
//! files after the passes of their tests; a function that is missing there is proven against itself. Without a
//! folder a few functions of our own are used. It prints figures without thresholds, since machines differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forge::{Entropy, Method};
use llvm::corpus::{Corpus, Test};
use llvm::interpret::Program;
use llvm::ir::Module;
use llvm::method::Crossover;
use llvm::prove::{Limits, Proof, Side, prove};
use llvm::refine::{Pair, inputs};
use mimalloc::MiMalloc;
use nix::sys::resource::{UsageWho, getrusage};

/// Functions before and after an optimisation, for a run without a corpus.
const OWN: (&str, &str) = (include_str!("own/before.ll"), include_str!("own/after.ll"));

/// How many inputs a function is interpreted on.
const INPUTS: usize = 8;

/// As in the binary.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// How many crossovers are made.
const CROSSOVERS: u64 = 20_000;

struct File {
    path: String,
    before: String,
    after: Option<String>,
}

fn cpu() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

fn told(what: &str, count: usize, took: Duration) {
    let seconds = took.as_secs_f64();
    println!("{what}: {count} in {seconds:.2} s, {:.0} per CPU s", count as f64 / seconds);
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with('-')).collect();
    let kinds = ["parse", "make", "interpret", "prove"];
    let is_kind = |word: &&String| kinds.contains(&word.as_str());
    let wants =
        |kind: &str| !words.iter().any(|it| is_kind(&it)) || words.iter().any(|it| it == kind);
    let folder = words.iter().find(|it| !is_kind(it)).map(PathBuf::from);
    let folder = folder.or_else(|| std::env::var_os("MISTRUST_LLVM_CORPUS").map(PathBuf::from));
    let files = match &folder {
        Some(folder) => read(folder),
        None => {
            vec![File { path: "own.ll".into(), before: OWN.0.into(), after: Some(OWN.1.into()) }]
        }
    };
    let parsed: Vec<(Module, Option<Module>)> = files.iter().filter_map(pair).collect();
    let functions: usize = parsed.iter().map(|(module, _)| module.functions.len()).sum();
    println!("{} files, {functions} functions", parsed.len());
    if wants("parse") {
        parse_and_print(&files, functions);
    }
    if wants("make") {
        make(&files);
    }
    if wants("interpret") {
        interpret(&parsed);
    }
    if wants("prove") {
        proofs(&parsed, &files);
    }
}

/// The files below `before`, with those of the same name below `after`.
fn read(folder: &Path) -> Vec<File> {
    let before = folder.join("before");
    let mut files = vec![];
    let mut folders = vec![before.clone()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let name = path.strip_prefix(&before).unwrap();
                let after = std::fs::read_to_string(folder.join("after").join(name)).ok();
                files.push(File { path: name.display().to_string(), before: text, after });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

fn pair(file: &File) -> Option<(Module, Option<Module>)> {
    let before = Module::parse(&file.before).ok()?;
    let after = file.after.as_ref().and_then(|text| Module::parse(text).ok());
    Some((before, after))
}

fn parse_and_print(files: &[File], functions: usize) {
    let start = cpu();
    let mut rounds = 0;
    while rounds == 0 || cpu() - start < Duration::from_secs(1) {
        for file in files {
            black_box(Module::parse(&file.before).map(|module| module.text()).ok());
        }
        rounds += 1;
    }
    told("parse and print", functions * rounds, cpu() - start);
}

fn make(files: &[File]) {
    let line = |file: &File| {
        let (path, text) = (file.path.clone(), file.before.clone());
        let test = Test { path, passes: vec![], text, failing: vec![] };
        serde_json::to_string(&test).unwrap() + "\n"
    };
    let text: String = files.iter().map(line).collect();
    let method = Crossover::new(Arc::new(Corpus::read(22, &text).unwrap()));
    let start = cpu();
    let cases = (0..CROSSOVERS).filter_map(|index| method.make(&method.ticket(1, index)));
    let made = cases.count();
    told("make crossovers", made, cpu() - start);
}

fn interpret(parsed: &[(Module, Option<Module>)]) {
    let start = cpu();
    let mut count = 0;
    let mut entropy = Entropy::keyed(0);
    'rounds: while cpu() - start < Duration::from_secs(1) {
        for (module, _) in parsed {
            for function in &module.functions {
                let program = Program::new(module, function);
                let all = inputs(&program, function, INPUTS, &mut entropy);
                let pair = Pair::new(program, Program::new(module, function));
                black_box(pair.check(&all));
                count += 1;
                if cpu() - start > Duration::from_secs(20) {
                    break 'rounds;
                }
            }
        }
    }
    told("interpret source and target on 8 inputs", count, cpu() - start);
}

fn proofs(parsed: &[(Module, Option<Module>)], files: &[File]) {
    let mut times = vec![];
    let mut slowest = (Duration::ZERO, String::new());
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    let (mut decided, mut all) = (0_usize, 0_usize);
    let start = cpu();
    for ((before, after), file) in parsed.iter().zip(files) {
        for function in &before.functions {
            all += 1;
            let after = after.as_ref().unwrap_or(before);
            let same = |other: &&llvm::ir::Function| {
                other.header.parameters.len() == function.header.parameters.len()
            };
            let own = (before, function);
            let (module, target) = match after.function(function.name()).filter(same) {
                Some(target) => (after, target),
                None => own,
            };
            let source = Side { module: before, function };
            let target = Side { module, function: target };
            let begin = cpu();
            let proof = prove(source, target, Limits::default());
            let took = cpu() - begin;
            if took > slowest.0 {
                slowest = (took, format!("{} @{}", file.path, function.name()));
            }
            let key = match proof {
                Proof::Holds => "proven".to_owned(),
                Proof::Fails(example) if example.is_exact => "refuted".to_owned(),
                Proof::Fails(_) => "refuted, with unknown functions".to_owned(),
                Proof::Unknown(why) => format!("unknown: {why}"),
            };
            if std::env::var_os("MISTRUST_LLVM_NAMES").is_some()
                && (key != "proven" || took.as_millis() > 200)
            {
                println!("{key}\t{}\t@{}\t{took:?}", file.path, function.name());
            }
            decided += usize::from(!key.starts_with("unknown"));
            *tally.entry(key).or_default() += 1;
            times.push(took);
        }
    }
    told("prove", all, cpu() - start);
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    println!("  median {median:?}, slowest {:?} ({})", slowest.0, slowest.1);
    println!("  decided {decided} of {all} ({:.1}%)", 100.0 * decided as f64 / all.max(1) as f64);
    let mut tally: Vec<(String, usize)> = tally.into_iter().collect();
    tally.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (key, count) in tally {
        println!("  {count:>7}  {key}");
    }
}
