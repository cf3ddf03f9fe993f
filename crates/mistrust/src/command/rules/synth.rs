//! `rules synth`: searches for rules and proves them, on all cores. A seed gives the same rules in the same order for
//! any number of cores, unless a time limit ends the search earlier.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use identity::kernel::WORDS;
use identity::{Effort, Entry, Grader, Rule, Standing, Synthesis, establish_in, print};
use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::{Common, Synth};
use crate::exit::Exit;

/// The number of candidates proven in parallel before the search continues. The result of a seed depends on it.
const BATCH: usize = 256;

pub(super) fn run(common: &Common, arguments: &Synth) -> anyhow::Result<Exit> {
    let begun = Instant::now();
    let library = if arguments.from_nothing { None } else { Some(super::library()?) };
    let entries: Vec<Entry> = library.map(|library| library.entries).unwrap_or_default();
    let basis: Vec<&Rule> =
        entries.iter().filter(|entry| !entry.is_synthesised()).map(|entry| &entry.rule).collect();
    let grader = Grader::new(&entries);
    let mut synthesis = Synthesis::new(arguments.seed, &basis);
    let bar = bar(common, arguments.count as u64);
    let mut text = head(arguments);
    let (mut proven, mut tried, mut refuted) = (0, 0, 0);
    let jobs = arguments.jobs.map_or_else(super::super::cores, usize::from);
    while proven < arguments.count && arguments.time.is_none_or(|time| begun.elapsed() < time) {
        let candidates = synthesis.candidates(BATCH);
        if candidates.is_empty() {
            break;
        }
        let standings = standings(&candidates, jobs);
        for (mut rule, standing) in candidates.into_iter().zip(standings) {
            tried += 1;
            refuted += usize::from(matches!(standing, Standing::Unsound(_)));
            synthesis.learn(&rule, &standing);
            if standing.is_proven() && proven < arguments.count {
                proven += 1;
                rule.grade = Some(grader.grade(&rule));
                text.push_str(&format!(
                    "\ncategory {}\n{}",
                    rule.category.name(),
                    print::rule(&rule)
                ));
                bar.inc(1);
            }
        }
        bar.set_message(format!("{tried} candidates, {refuted} of them false"));
    }
    bar.finish_and_clear();
    write(&arguments.output, &text)?;
    if !common.quiet {
        let took = begun.elapsed().as_secs_f64();
        anstream::eprintln!(
            "{proven} rules of {tried} candidates, {refuted} of them false, in {took:.1} s"
        );
    }
    Ok(Exit::Clean)
}

fn head(arguments: &Synth) -> String {
    let nothing = if arguments.from_nothing { " --from-nothing" } else { "" };
    format!(
        "# Found by `mistrust rules synth --seed {} --count {}{nothing}`.\n",
        arguments.seed, arguments.count
    )
}

/// The standing of each candidate under the total semantics.
fn standings(candidates: &[Rule], jobs: usize) -> Vec<Standing> {
    let effort = Effort { conflicts: 500, ..Effort::default() };
    let found = Mutex::new(vec![Standing::Tested; candidates.len()]);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(rule) = candidates.get(index) else { break };
                    let standing = establish_in(rule, &WORDS, &effort);
                    if let Ok(mut found) = found.lock() {
                        found[index] = standing;
                    }
                }
            });
        }
    });
    found.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn bar(common: &Common, length: u64) -> ProgressBar {
    if common.quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} rules, {elapsed}  {msg}")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return super::super::print(text);
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
