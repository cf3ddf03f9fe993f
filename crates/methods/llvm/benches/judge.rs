//! Where the CPU time of judging goes, without processes in sandboxes and verdicts, which are the laboratory's: makes
//! crossovers of a packed corpus, gives them to an `opt` in large modules, and checks what it makes of them.
//!
//! `cargo bench -p llvm --bench judge -- OPT PACKED [PASSES] [CASES]`. OPT is a command, PACKED a file
//! `*.packed.jsonl` below `corpora` in the folder of toolchains. It prints the time of each part, and the verdicts with
//! the time that they took. `MISTRUST_LLVM_GATES`, `_CLAUSES` and `_INPUTS` change the effort.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use forge::Method;
use llvm::check::{Checked, Effort, check};
use llvm::corpus::Corpus;
use llvm::ir::{Function, Module};
use llvm::method::Crossover;
use llvm::pipeline;
use llvm::prove::{Proof, Side, prove};
use mimalloc::MiMalloc;
use nix::sys::resource::{UsageWho, getrusage};

/// As in the binary.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn cpu(who: UsageWho) -> Duration {
    let usage = getrusage(who).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

/// So many cases surely apply an identity.
const READING: u64 = 100;

/// CPU time by what it was spent on.
#[derive(Default)]
struct Times(BTreeMap<String, (u32, Duration)>);

impl Times {
    fn add(&mut self, what: &str, took: Duration) {
        let entry = self.0.entry(what.to_owned()).or_default();
        entry.0 += 1;
        entry.1 += took;
    }

    fn of<T>(&mut self, what: &str, work: impl FnOnce() -> T) -> T {
        let start = cpu(UsageWho::RUSAGE_SELF);
        let result = work();
        self.add(what, cpu(UsageWho::RUSAGE_SELF) - start);
        result
    }

    fn print(&self, title: &str) {
        println!("{title}");
        let mut rows: Vec<_> = self.0.iter().collect();
        rows.sort_by_key(|(_, (_, took))| std::cmp::Reverse(*took));
        for (what, (count, took)) in rows.into_iter().take(24) {
            println!("{count:>8} {:>8.1} ms  {what}", took.as_secs_f64() * 1000.0);
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let [opt, packed, rest @ ..] = &words[..] else {
        println!("usage: cargo bench -p llvm --bench judge -- OPT PACKED [PASSES] [CASES]");
        return;
    };
    let passes = rest.first().map_or("default<O2>", |it| it.as_str());
    // As in a hunt: from 18 on, it is an error that InstCombine has not come to an end after one iteration.
    let tolerant = |it: &str| (it == "instcombine").then(|| format!("{it}<no-verify-fixpoint>"));
    let passes = pipeline::replaced(passes, &tolerant);
    let cases: u64 = rest.get(1).map_or(1600, |it| it.parse().unwrap());
    let corpus = Corpus::read(22, &std::fs::read_to_string(packed).unwrap()).unwrap();
    let method = Crossover::new(Arc::new(corpus));
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.ll"), folder.path().join("out.ll"));
    let (mut times, mut verdicts) = (Times::default(), Times::default());
    // Identities are read when the first is applied, once in a hunt.
    times.of("read rules", || {
        (0..READING).for_each(|index| drop(method.make(&method.ticket(0, index))));
    });
    times.print("before the clock starts:");
    times = Times::default();
    let (mut proofs, mut misfits) = (Times::default(), Times::default());
    let mut functions = 0;
    let mut slowest: Vec<(Duration, String)> = vec![];
    let mut effort = Effort::quick();
    let limit = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
    effort.limits.gates = limit("MISTRUST_LLVM_GATES").unwrap_or(effort.limits.gates);
    effort.limits.clauses = limit("MISTRUST_LLVM_CLAUSES").unwrap_or(effort.limits.clauses);
    effort.inputs = limit("MISTRUST_LLVM_INPUTS").unwrap_or(effort.inputs);
    for block in (0..cases).step_by(800) {
        let tickets = (block..cases.min(block + 800)).map(|index| method.ticket(1, index));
        let made: Vec<_> =
            times.of("make", || tickets.filter_map(|ticket| method.make(&ticket)).collect());
        let modules: Vec<Module> = times.of("parse cases", || {
            made.iter().filter_map(|case| Module::parse(&case.programs[0].source).ok()).collect()
        });
        let mut groups: BTreeMap<_, Vec<&Module>> = BTreeMap::new();
        for module in &modules {
            let key = (module.triple.clone(), module.data_layout.clone());
            groups.entry(key).or_default().push(module);
        }
        let mut pending: Vec<Vec<&Module>> = groups.into_values().collect();
        while let Some(parts) = pending.pop() {
            let merged = times.of("merge", || Module::merge(&parts));
            for (_, misfit) in &merged.left_out {
                misfits.add(&misfit.to_string(), Duration::ZERO);
            }
            let left: Vec<&Module> = merged.left_out.iter().map(|(at, _)| parts[*at]).collect();
            if !left.is_empty() && left.len() < parts.len() {
                pending.push(left);
            }
            let mut source = merged.module;
            let text = times.of("print", || source.text());
            std::fs::write(&input, text).unwrap();
            let before = cpu(UsageWho::RUSAGE_CHILDREN);
            let mut command = opt.split_whitespace();
            let ran = Command::new(command.next().unwrap())
                .args(command)
                .arg(format!("-passes={passes}"))
                .args(["-S", "-o"])
                .env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
                .args([&output, &input])
                .output()
                .unwrap();
            times.add("opt", cpu(UsageWho::RUSAGE_CHILDREN) - before);
            if !ran.status.success() {
                let said = String::from_utf8_lossy(&ran.stderr).into_owned();
                println!("opt fails: {}", said.lines().next().unwrap_or_default());
                continue;
            }
            let result = std::fs::read_to_string(&output).unwrap();
            let target = times.of("parse result", || Module::parse(&result).unwrap());
            if source.data_layout.is_none() {
                source.data_layout.clone_from(&target.data_layout);
            }
            functions += source.functions.len();
            for function in &source.functions {
                let start = cpu(UsageWho::RUSAGE_SELF);
                let checked = check(&source, &target, function.name(), effort);
                let took = cpu(UsageWho::RUSAGE_SELF) - start;
                times.add("check", took);
                slowest.push((took, function.name().to_owned()));
                let verdict = match checked {
                    Checked::Tested { .. } => "tested".to_owned(),
                    Checked::Unknown(why) => format!("unknown: {why}"),
                    Checked::Fails(..) => "fails".to_owned(),
                    other => format!("{other:?}"),
                };
                verdicts.add(&verdict, took);
                if verdict != "Unchanged" && has_same_parameters(&source, &target, function) {
                    let start = cpu(UsageWho::RUSAGE_SELF);
                    let proof = proof(&source, &target, function, effort);
                    proofs.add(&proof, cpu(UsageWho::RUSAGE_SELF) - start);
                }
            }
            times.of("drop", || drop((source, target)));
        }
    }
    let total: Duration = times.0.values().map(|(_, took)| *took).sum();
    println!("{:.0} functions per CPU s", f64::from(functions as u32) / total.as_secs_f64());
    times.print("by part:");
    verdicts.print("by verdict:");
    proofs.print("proofs alone, which are a part of the checks:");
    misfits.print("modules that need a run of their own:");
    slowest.sort_by_key(|(took, _)| std::cmp::Reverse(*took));
    let (all, sum) = (slowest.len(), |rows: &[(Duration, String)]| -> Duration {
        rows.iter().map(|(took, _)| *took).sum()
    });
    for percent in [1, 5, 10, 25, 50] {
        let share = sum(&slowest[..all * percent / 100]).as_secs_f64() * 100.0;
        println!(
            "{share:>7.1}% of checks is spent on the slowest {percent}%",
            share = share / sum(&slowest).as_secs_f64()
        );
    }
    slowest.truncate(12);
    for (took, name) in slowest {
        println!("{:>8.2} ms @{name}", took.as_secs_f64() * 1000.0);
    }
}

fn has_same_parameters(source: &Module, target: &Module, function: &Function) -> bool {
    let types = |module: &Module| {
        let header = &module.function(function.name())?.header;
        let types: Vec<_> = header.parameters.iter().map(|it| it.ty.clone()).collect();
        Some((types, header.returns.clone()))
    };
    types(source).is_some_and(|it| types(target) == Some(it))
}

/// What the prover says, without the interpreter.
fn proof(source: &Module, target: &Module, function: &Function, effort: Effort) -> String {
    let Some(after) = target.function(function.name()) else { return "gone".to_owned() };
    let sides = (Side { module: source, function }, Side { module: target, function: after });
    match prove(sides.0, sides.1, effort.limits) {
        Proof::Holds => "holds".to_owned(),
        Proof::Fails(_) => "fails".to_owned(),
        Proof::Unknown(why) => format!("unknown: {why}"),
    }
}
