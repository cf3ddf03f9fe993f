//! Measures the method `crossover` on a packed corpus: how many steps of a draft succeed and why others do
//! not, how many cases are made in a second, and what share of them the oracles judge. `opt` is run by
//! whoever calls this, between `write` and `judge`.
//!
//! ```sh
//! cargo run --release -p llvm --example crossover -- steps CORPUS VERSION COUNT
//! cargo run --release -p llvm --example crossover -- speed CORPUS VERSION COUNT
//! cargo run --release -p llvm --example crossover -- write CORPUS VERSION BLOCKS FOLDER
//! for in in FOLDER/*.in.ll; do
//!   opt -passes="$(cat "${in%.in.ll}.passes")" -S "$in" -o "${in%.in.ll}.out.ll"
//! done
//! cargo run --release -p llvm --example crossover -- judge FOLDER
//! ```

#![expect(clippy::print_stdout, reason = "figures are what it is for")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use forge::{Entropy, Method};
use llvm::block::{Block, TICKETS};
use llvm::check::{Checked, Effort, check};
use llvm::corpus::Corpus;
use llvm::draft::Draft;
use llvm::ir::Module;
use llvm::method::Crossover;
use llvm::pipeline;

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["steps", path, version, count] => steps(corpus(path, version)?.as_ref(), count.parse()?),
        ["speed", path, version, count] => speed(corpus(path, version)?, count.parse()?),
        ["write", path, version, count, folder] => {
            write(&corpus(path, version)?, count.parse()?, Path::new(folder))
        }
        ["judge", folder] => judge(Path::new(folder)),
        _ => Err("see the beginning of the source".into()),
    }
}

fn corpus(path: &str, version: &str) -> Result<Arc<Corpus>, Box<dyn Error>> {
    let start = Instant::now();
    let corpus = Corpus::read(version.parse()?, &std::fs::read_to_string(path)?)?;
    let (seeds, judged) = (corpus.seeds.len(), corpus.all.judged.len());
    println!("{seeds} seeds, {judged} in reach, read in {:.1?}", start.elapsed());
    Ok(Arc::new(corpus))
}

/// How often each kind of step succeeds, and why not.
fn steps(corpus: &Corpus, count: u64) -> Done {
    let mut table: BTreeMap<&str, BTreeMap<String, u64>> = BTreeMap::new();
    let mut examples: BTreeMap<String, (u64, String)> = BTreeMap::new();
    for number in 0..count {
        let mut entropy = Entropy::keyed(number);
        let block = Block::draw(corpus, &mut entropy).ok_or("an empty corpus")?;
        let seed = block.seed(corpus, &mut entropy).ok_or("an empty block")?;
        type Step = fn(&mut Draft<'_>, &mut Entropy) -> Result<String, llvm::refusal::Refusal>;
        let kinds: [(&str, Step); 3] = [
            ("inline", |draft, entropy| draft.inline(entropy).map(|()| "done".to_owned())),
            ("sequence", |draft, entropy| draft.sequence(entropy).map(|()| "done".to_owned())),
            ("mutate", |draft, entropy| draft.mutate(entropy).map(|it| format!("done: {it}"))),
        ];
        for (kind, step) in kinds {
            let mut draft = Draft::new(corpus, &block, seed);
            let result = step(&mut draft, &mut entropy);
            if let Err(llvm::refusal::Refusal::Invalid(why)) = &result {
                let row = examples.entry(format!("{kind}: {:?}", why.problem)).or_default();
                row.0 += 1;
                row.1 = why.to_string();
            }
            let outcome = result.unwrap_or_else(|refusal| refusal.kind().to_owned());
            *table.entry(kind).or_default().entry(outcome).or_default() += 1;
        }
    }
    for (kind, outcomes) in table {
        println!("{kind}");
        let mut outcomes: Vec<_> = outcomes.into_iter().collect();
        outcomes.sort_by_key(|it| std::cmp::Reverse(it.1));
        for (outcome, times) in outcomes {
            println!("  {:6.2}% {times:8} {outcome}", times as f64 * 100.0 / count as f64);
        }
    }
    let mut examples: Vec<_> = examples.into_iter().collect();
    examples.sort_by_key(|it| std::cmp::Reverse(it.1.0));
    for (kind, (times, why)) in examples.into_iter().take(25) {
        println!("{times:6} {kind:.100} ({why:.160})");
    }
    Ok(())
}

fn speed(corpus: Arc<Corpus>, count: u64) -> Done {
    let method = Crossover::new(corpus);
    let start = cpu_seconds();
    let mut bytes = 0;
    for index in 0..count {
        let case = method.make(&method.ticket(1, index)).ok_or("no case")?;
        bytes += case.programs[0].source.len() as u64;
    }
    let seconds = cpu_seconds() - start;
    println!(
        "{count} cases in {seconds:.2} s of CPU time: {:.0} a second, {} bytes each",
        count as f64 / seconds,
        bytes / count
    );
    Ok(())
}

/// The time that this thread has computed, where the machine tells; it may be busy with other things.
fn cpu_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = told.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
    nanoseconds.map_or(START.elapsed().as_secs_f64(), |it| it as f64 / 1e9)
}

/// Modules of the cases of whole blocks, each with its pipeline and the names of its functions.
fn write(corpus: &Arc<Corpus>, blocks: u64, folder: &Path) -> Done {
    std::fs::create_dir_all(folder)?;
    let method = Crossover::new(Arc::clone(corpus));
    for number in 0..blocks {
        let cases: Vec<_> = (number * TICKETS..(number + 1) * TICKETS)
            .filter_map(|index| method.make(&method.ticket(1, index)))
            .collect();
        let modules: Vec<Module> = cases
            .iter()
            .map(|case| Module::parse(&case.programs[0].source))
            .collect::<Result<_, _>>()?;
        let merged = Module::merge(&modules.iter().collect::<Vec<_>>());
        let mut names = String::new();
        for part in &merged.parts {
            let family = cases[part.index].trail[0].rsplit(" of ").next().unwrap_or_default();
            let family = family.split('/').next().unwrap_or_default();
            for function in &modules[part.index].functions {
                let name = part.names.get(&function.header.name).ok_or("a name is lost")?;
                names += &format!("{family} {name}\n");
            }
        }
        let passes = pipeline::of(&cases[0].programs[0].source).unwrap_or("default<O2>");
        let file = |ending: &str| folder.join(format!("{number:04}.{ending}"));
        std::fs::write(file("in.ll"), merged.module.text())?;
        std::fs::write(file("passes"), passes)?;
        std::fs::write(file("names"), names)?;
        for (at, case) in cases.iter().enumerate() {
            let single = folder.join("single");
            std::fs::create_dir_all(&single)?;
            let text = format!("; {}\n{}", case.trail.join("; "), case.programs[0].source);
            std::fs::write(single.join(format!("{number:04}-{at:03}.ll")), text)?;
        }
    }
    Ok(())
}

/// What the oracles say of each function, by family.
fn judge(folder: &Path) -> Done {
    let mut table: BTreeMap<String, BTreeMap<&str, u64>> = BTreeMap::new();
    let mut reasons: BTreeMap<String, u64> = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    files.sort_by_key(|it| it.path());
    let start = Instant::now();
    for file in files {
        let path = file.path();
        let Some(stem) = path.to_str().and_then(|it| it.strip_suffix(".out.ll")) else { continue };
        let source = Module::parse(&std::fs::read_to_string(format!("{stem}.in.ll"))?)?;
        let target = Module::parse(&std::fs::read_to_string(&path)?)?;
        for line in std::fs::read_to_string(format!("{stem}.names"))?.lines() {
            let (family, name) = line.split_once(' ').ok_or("a broken line")?;
            let checked = check(&source, &target, name, Effort::default());
            let kind = match &checked {
                Checked::Unchanged => "unchanged",
                Checked::Proven => "proven",
                Checked::Tested { .. } => "tested",
                Checked::LeftToCallers => "left to callers",
                Checked::Fails(..) => "fails",
                Checked::Unknown(why) => {
                    *reasons.entry(why.to_string()).or_default() += 1;
                    "unknown"
                }
            };
            if let Checked::Fails(_, why) = &checked {
                println!("{stem} {name} fails: {why}");
            }
            for family in [family, "all"] {
                *table.entry(family.to_owned()).or_default().entry(kind).or_default() += 1;
            }
        }
    }
    let kinds = ["unchanged", "proven", "tested", "fails", "suspected", "unknown"];
    println!("{:26} {:>8} {}", "family", "cases", kinds.map(|it| format!("{it:>10}")).join(""));
    for (family, row) in table {
        let all: u64 = row.values().sum();
        let share = |kind: &&str| {
            let count = row.get(kind).copied().unwrap_or(0);
            format!("{:9.1}%", count as f64 * 100.0 / all as f64)
        };
        let shares: String = kinds.iter().map(share).collect();
        println!("{family:26} {all:8} {shares}");
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|it| std::cmp::Reverse(it.1));
    for (reason, count) in reasons.into_iter().take(25) {
        println!("{count:8} {reason}");
    }
    println!("judged in {:.1?}", start.elapsed());
    Ok(())
}
