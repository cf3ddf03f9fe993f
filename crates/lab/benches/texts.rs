//! Measures mutations of a folder of programs with a compiler, for each mix of operators: how many mutants are accepted,
//! rejected or crash the compiler, how many run per second of CPU time of all processes, and what share is Mistrust's own.
//!
//! `cargo bench -p lab --bench texts -- FAMILY@VERSION FOLDER [MUTANTS]`. Without arguments it measures how fast mutants
//! are made from a few programs of its own. It prints figures and never fails because of them: machines differ.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints, and may fail")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use forge::{Case, Interface, Language, Method, Outcome};
use lab::corpus::programs;
use lab::exec::{Limits, Runner, SandboxPolicy};
use lab::target::built_in::BuiltIn;
use lab::target::{Attempt, Bench, Target};
use lab::toolchain::Toolchains;
use nix::sys::resource::{UsageWho, getrusage};
use text::corpus::{Corpus, Entry};
use text::{MIXES, Mix, Mutate};

const SEED: u64 = 1;

const OWN: &[&str] = &[
    "int f(int a, int b) {\n    int c = a * b;\n    for (int i = 0; i < 10; i++) { if (c > i) { c -= g(i, \"x\"); } else { c++; } }\n    return c;\n}\n",
    "struct s { int x; char y[8]; };\nint g(int n, const char *t) {\n    struct s v = { n, \"abc\" };\n    while (v.x > 0 && t[0]) { v.x--; v.y[v.x & 7] ^= t[0]; }\n    return v.y[0];\n}\n",
];

fn cpu(who: UsageWho) -> Duration {
    let usage = getrusage(who).unwrap();
    let time = |value: nix::sys::time::TimeVal| {
        Duration::new(value.tv_sec() as u64, value.tv_usec() as u32 * 1000)
    };
    time(usage.user_time()) + time(usage.system_time())
}

/// The mutants of the first tickets after those of the programs themselves.
fn mutants(corpus: &Arc<Corpus>, mix: Mix, count: u64) -> Vec<Case> {
    let method = Mutate::new(Arc::clone(corpus), mix);
    let first = corpus.entries.len() as u64;
    (first..first + count).filter_map(|at| method.make(&method.ticket(SEED, at))).collect()
}

fn name(mix: Mix) -> &'static str {
    if mix.name.is_empty() { "usual" } else { mix.name }
}

fn making() {
    let entry =
        |(at, text): (usize, &&str)| Entry { name: at.to_string(), text: (*text).to_owned() };
    let entries = OWN.iter().enumerate().map(entry).collect();
    let corpus = Arc::new(Corpus::new(Language::new("c"), entries).unwrap());
    for mix in MIXES {
        let before = cpu(UsageWho::RUSAGE_SELF);
        let made = mutants(&corpus, *mix, 20_000).len();
        let spent = cpu(UsageWho::RUSAGE_SELF) - before;
        println!(
            "{:8} {:9.0} mutants made per CPU second",
            name(*mix),
            made as f64 / spent.as_secs_f64()
        );
    }
}

/// What became of a mutant, in a word.
fn word(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Accepted => "accepted",
        Outcome::Rejected { message } if message.to_lowercase().contains("pars") => {
            "rejected by the parser"
        }
        Outcome::Rejected { .. } => "rejected",
        Outcome::Unobserved(_) => "skipped",
        _ => "failures",
    }
}

fn row(target: &dyn Target, corpus: &Arc<Corpus>, mix: Mix, count: u64) {
    let folder = tempfile::tempdir().unwrap();
    let runner = Runner::new(folder.path(), SandboxPolicy::BestEffort).unwrap();
    let bench =
        Bench { runner, compile: Limits::default(), run: Limits::default(), coverage: None };
    let own = cpu(UsageWho::RUSAGE_SELF);
    let cases = mutants(corpus, mix, count);
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    let setting = &target.spec().settings[0];
    for portion in cases.chunks(8) {
        let batch: Vec<&Case> = portion.iter().collect();
        let Attempt::Each(seen) = target.attempt(&batch, setting, &bench) else { continue };
        for observation in seen.iter().flat_map(|it| &it.observations) {
            *words.entry(word(&observation.outcome)).or_default() += 1;
        }
    }
    let own = cpu(UsageWho::RUSAGE_SELF) - own;
    println!(
        "{:8} {} mutants, own CPU time {:.2} s: {words:?}",
        name(mix),
        cases.len(),
        own.as_secs_f64()
    );
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| it != "--bench").collect();
    let [target, folder, rest @ ..] = words.as_slice() else { return making() };
    let count = rest.first().and_then(|it| it.parse().ok()).unwrap_or(400);
    let (family, version) = target.split_once('@').unwrap();
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/toolchains");
    let toolchains = std::env::var_os("MISTRUST_TOOLCHAINS").map_or(shared, Into::into);
    let built_in = BuiltIn::named(family).unwrap();
    let installs = Toolchains::open(&toolchains).unwrap();
    let installed =
        installs.ensure(built_in.toolchain().unwrap(), version, false, &|_| {}).unwrap();
    for mix in MIXES {
        let before = cpu(UsageWho::RUSAGE_SELF) + cpu(UsageWho::RUSAGE_CHILDREN);
        {
            // Its hosts end with it, so that their time is counted.
            let target = built_in.target(&installed).unwrap();
            let texts = target.spec().reads.iter().find(|it| it.interface == Interface::Text);
            let corpus = programs(Path::new(folder), &texts.unwrap().language).unwrap().corpus;
            row(target.as_ref(), &Arc::new(corpus), *mix, count);
        }
        let spent = cpu(UsageWho::RUSAGE_SELF) + cpu(UsageWho::RUSAGE_CHILDREN) - before;
        println!(
            "         {:.0} mutants per CPU second of all processes",
            count as f64 / spent.as_secs_f64()
        );
    }
}
