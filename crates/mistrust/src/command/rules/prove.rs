//! `rules prove`: derives every certificate that the ledger records again, on all cores, and checks it. With `--write`,
//! and for rules that are not in the ledger, it searches for all proofs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use identity::kernel::SEMANTICS;
use identity::{Effort, Entry, Ledger, Library, Rule, Standing, confirm, establish, parse};
use indicatif::{ProgressBar, ProgressStyle};

use super::filter::Filter;
use crate::cli::{Common, RulesFilter};
use crate::exit::{Environment, Exit};

pub(super) fn run(
    common: &Common,
    options: &RulesFilter,
    folder: Option<&Path>,
    write: bool,
    jobs: Option<u16>,
) -> anyhow::Result<Exit> {
    let filter = Filter::new(options)?;
    let mut library = match folder {
        Some(folder) => read(folder)?,
        None => super::library()?,
    };
    // A written ledger covers the whole library, so entries that are not selected are kept.
    let chosen: Vec<usize> =
        (0..library.entries.len()).filter(|&i| filter.names(&library.entries[i])).collect();
    let entries: Vec<&Entry> = chosen.iter().map(|&index| &library.entries[index]).collect();
    let rules: Vec<&Rule> = entries.iter().map(|entry| &entry.rule).collect();
    let effort = Effort::default();
    let found = all(common, &rules, jobs, &|index| {
        let entry = entries[index];
        if write || !entry.standings.iter().any(Standing::is_proven) {
            return (establish(&entry.rule, &effort), Vec::new());
        }
        (entry.standings.clone(), confirm(&entry.rule, &entry.standings, &effort))
    });
    let mut unconfirmed = Vec::new();
    for (&index, (standings, missing)) in chosen.iter().zip(found) {
        let name = &library.entries[index].rule.name;
        unconfirmed.extend(missing.into_iter().map(|(semantics, proven)| {
            format!("  not derived again: {name} under {} {proven}\n", SEMANTICS[semantics].name)
        }));
        library.entries[index].standings = standings;
    }
    let proven: Vec<&Entry> = chosen.iter().map(|&index| &library.entries[index]).collect();
    super::super::print(&(summary(&proven) + &unconfirmed.concat()))?;
    if let Some(folder) = folder.filter(|_| write) {
        let path = folder.join("ledger");
        let mut ledger = Ledger::default();
        for entry in &library.entries {
            ledger.enter(&entry.rule, &entry.standings);
        }
        std::fs::write(&path, ledger.write())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let unproven =
        proven.iter().filter(|entry| !entry.standings.iter().any(Standing::is_proven)).count();
    Ok(if unproven > 0 || !unconfirmed.is_empty() { Exit::Findings } else { Exit::Clean })
}

/// The rules of a folder, with their standings in its ledger.
fn read(folder: &Path) -> anyhow::Result<Library> {
    let unreadable = || format!("cannot read {}", folder.display());
    let mut paths = Vec::new();
    for file in std::fs::read_dir(folder).with_context(unreadable)? {
        paths.push(file.with_context(unreadable)?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "rules"));
    paths.sort();
    let ledger = std::fs::read_to_string(folder.join("ledger")).unwrap_or_default();
    let ledger = Ledger::read(&ledger).unwrap_or_default();
    let mut library = Library::default();
    let mut errors = String::new();
    for path in paths {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let (rules, misread) = parse::rules(&text);
        for misread in misread {
            let _ = writeln!(errors, "{}:{misread}", path.display());
        }
        let source = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for rule in rules {
            let standings =
                ledger.standings(&rule).unwrap_or_else(|| vec![Standing::Tested; SEMANTICS.len()]);
            library.entries.push(Entry { rule, source: source.clone(), standings });
        }
    }
    if !errors.is_empty() {
        return Err(Environment(format!("some rules cannot be parsed:\n{errors}")).into());
    }
    Ok(library)
}

/// The standings of each rule, in order, computed on several cores.
pub(super) fn search(common: &Common, rules: &[&Rule], jobs: Option<u16>) -> Vec<Vec<Standing>> {
    all(common, rules, jobs, &|index| establish(rules[index], &Effort::default()))
}

/// Applies `doing` to each rule on several cores, with a progress bar. The results are in order.
fn all<T: Default + Clone + Send>(
    common: &Common,
    rules: &[&Rule],
    jobs: Option<u16>,
    doing: &(dyn Fn(usize) -> T + Sync),
) -> Vec<T> {
    let jobs = jobs.map_or_else(super::super::cores, usize::from).min(rules.len().max(1));
    let bar = bar(common, rules.len() as u64);
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut found = vec![T::default(); rules.len()];
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= rules.len() {
                        break;
                    }
                    let begun = Instant::now();
                    let done = doing(index);
                    if sender.send((index, done, begun.elapsed())).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (index, done, took) in receiver {
            if common.verbose > 0 {
                let line = format!("{:>9.1} ms  {}", took.as_secs_f64() * 1e3, rules[index].name);
                bar.suspend(|| anstream::eprintln!("{line}"));
            }
            bar.set_message(rules[index].name.clone());
            bar.inc(1);
            found[index] = done;
        }
    });
    bar.finish_and_clear();
    found
}

fn bar(common: &Common, length: u64) -> ProgressBar {
    if common.quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) =
        ProgressStyle::with_template("{bar:30} {pos}/{len} rules, {elapsed}, {eta} left  {msg}")
    {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Counts of proven rules by semantics and by prover, and the names of unproven rules.
fn summary(entries: &[&Entry]) -> String {
    let mut text = format!(
        "{:<20} {:>7} {:>8} {:>9} {:>8} {:>10}\n",
        "", "exact", "forward", "backward", "unsound", "not proven"
    );
    let mut routes: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, semantics) in SEMANTICS.iter().enumerate() {
        let mut counts = [0; 5];
        for entry in entries {
            match &entry.standings[index] {
                Standing::Proven { relation, where_to } => {
                    counts[*relation as usize] += 1;
                    for proven in where_to {
                        *routes.entry(proven.route.name()).or_default() += 1;
                    }
                }
                Standing::Unsound(_) => counts[3] += 1,
                Standing::Tested => counts[4] += 1,
                Standing::Absent => {}
            }
        }
        let [exact, forward, backward, unsound, tested] = counts;
        let _ = writeln!(
            text,
            "{:<20} {exact:>7} {forward:>8} {backward:>9} {unsound:>8} {tested:>10}",
            semantics.name
        );
    }
    let routes: Vec<String> =
        routes.iter().map(|(route, count)| format!("{route} {count}")).collect();
    let _ = writeln!(text, "\ncertificates checked: {}", routes.join(", "));
    let unproven: Vec<&str> = entries
        .iter()
        .filter(|entry| !entry.standings.iter().any(Standing::is_proven))
        .map(|entry| entry.rule.name.as_str())
        .collect();
    let _ = writeln!(
        text,
        "{} of {} rules are proven under some semantics",
        entries.len() - unproven.len(),
        entries.len()
    );
    for name in unproven {
        let _ = writeln!(text, "  not proven: {name}");
    }
    text
}
