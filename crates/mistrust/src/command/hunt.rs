//! `mistrust hunt`: sets up a campaign from flags, environment and configuration file, and runs it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use forge::Interface;
use lab::campaign::{Campaign, Choice, Line, Options, Shard};
use lab::corpus::Named;
use lab::coverage::Coverage;
use lab::event::{Ended, Event, Listener, Summary};
use lab::finding::Finding;
use lab::folder::Folders;
use lab::rehearsal::{self, Problem};
use lab::stop::Stop;
use lab::store::{Findings as _, SqliteStore};
use lab::target::{Bench, Target};
use text::{MUTATE, Mix};

use crate::cli::{Common, Hunt};
use crate::corpus::{Corpora, Wanted};
use crate::display::quantity::thousands;
use crate::display::{Display, DisplayOptions};
use crate::exit::{Environment, Exit, Usage};
use crate::export::{Exporter, JUnit, JsonLines, Sarif, check};
use crate::laboratory::{Laboratory, SCRATCH, lines};
use crate::newer::newer_releases;
use crate::{command, corpus, interrupt, laboratory, programs};

const TIME: Duration = Duration::from_secs(120);

/// The bounds of the default time limit for reducing one finding.
const REDUCE_TIMES: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(600));

/// The bounds of the default grace period.
const GRACE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(600));

pub(crate) fn run(common: &Common, arguments: &Hunt) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    let options = options(&laboratory, arguments)?;
    let by_default = arguments.time.or(laboratory.config.hunt.time).is_none();
    let names = if arguments.targets.is_empty() {
        laboratory.config.hunt.targets.clone()
    } else {
        arguments.targets.clone()
    };
    let method = arguments.method.as_deref().or(laboratory.config.hunt.method.as_deref());
    let mut chosen = laboratory.select(&names, arguments.family.as_deref())?;
    laboratory.check_installed(&chosen)?;
    // The arguments are checked before the output folder is created.
    let wanted = Wanted::parse(arguments.corpus.as_deref())?;
    if laboratory.has_group(&names) && method.is_some() {
        // Of a group, those that the method is for.
        let fits = |target: &Arc<dyn Target>| match corpus::is_for(target.as_ref()) {
            true => corpus::is_used_by(method),
            false => lines(std::slice::from_ref(target), method).is_ok(),
        };
        chosen.retain(fits);
    }
    // What reads nothing but texts is given mutations of its language's corpus.
    let reads_texts = |it: &Arc<dyn Target>| {
        let language = programs::language(it.as_ref());
        let named = language.and_then(|language| Named::for_target(&language, it.name()));
        named.is_some() && it.spec().reads.iter().all(|it| it.interface == Interface::Text)
    };
    let all_texts = !chosen.is_empty() && chosen.iter().all(reads_texts);
    let method = method.or(all_texts.then_some(MUTATE));
    let is_of_corpus =
        |target: &Arc<dyn Target>| corpus::is_for(target.as_ref()) && corpus::is_used_by(method);
    let (of_corpus, others): (Vec<_>, Vec<_>) = chosen.iter().cloned().partition(is_of_corpus);
    let mut lines = match (of_corpus.as_slice(), mix(method, &wanted), &wanted) {
        ([_, ..], ..) if others.is_empty() => vec![],
        (_, Some(mix), Wanted::Path(_) | Wanted::Named { .. } | Wanted::Own) => {
            programs::lines(&laboratory, &wanted, mix, others)?
        }
        ([], _, Wanted::Version { .. }) => {
            let why = "--corpus with a version is for LLVM's tests: hunt llvm, opt@22 or a path of an opt";
            return Err(Usage(why.to_owned()).into());
        }
        ([], None, Wanted::Path(_) | Wanted::Named { .. }) => {
            let name = method.unwrap_or_default();
            return Err(Usage(format!("method `{name}` does not use --corpus")).into());
        }
        (_, None, _) | (_, Some(_), Wanted::Version { .. }) => lines(&others, method)?,
    };
    if !of_corpus.is_empty() {
        let folder = laboratory::temporary()?;
        let bench = laboratory.bench(folder.path())?;
        let corpora = Corpora { laboratory: &laboratory, bench: &bench, jobs: options.jobs };
        for target in of_corpus {
            let own = corpora.method(&wanted, method, &target)?;
            lines.push(Line::drawn(own, vec![target]));
        }
    }
    check_choice(&options.choice, &lines)?;
    let known = laboratory.known_bugs()?;
    let out = laboratory.out(arguments.out.as_deref());
    let store = SqliteStore::open(&out, &options.command)?;
    let bench = laboratory.bench(&scratch(&out))?;

    let display = Display::new(DisplayOptions::detect(common.quiet, common.verbose, options.jobs));
    if let Some(message) = laboratory.sandbox_notice(&bench) {
        display.hear(&Event::Warning { message });
    }
    for message in newer_releases(&laboratory, &names) {
        display.hear(&Event::Warning { message });
    }
    let exporters = exporters(&laboratory, arguments)?;
    let relatives = laboratory.relatives(&chosen);
    // Those that are hunted come first: they have looked at their machines, which a replay script needs.
    let folders = Folders::new(&out, chosen.iter().chain(&relatives).cloned().collect());
    folders.restore(&store.findings()?)?;
    // Folders come first, so that a finding's folder exists when the display prints the finding.
    let mut listeners: Vec<&dyn Listener> = vec![&folders, &display];
    listeners.extend(exporters.iter().map(|exporter| exporter.as_ref() as &dyn Listener));

    let stop = Stop::default();
    interrupt::listen(&stop)?;
    bench.runner.end_with(&stop);
    let (lines, versions) = rehearse(&lines, options.seed, &bench, &display)?;
    let bench = measured(bench, &lines, arguments.blind, &display);
    let campaign = Campaign {
        lines,
        relatives,
        versions,
        options,
        store: &store,
        out,
        bench,
        known,
        listeners,
        stop,
    };
    let summary = campaign.run()?;
    for problem in exporters.iter().filter_map(|exporter| exporter.problem()) {
        display.hear(&Event::Warning { message: problem });
    }
    write_report(&store, &display);
    if is_inconclusive(&summary) {
        let why = summary.skipped.iter().take(3).map(|(why, _)| why.as_str()).collect::<Vec<_>>();
        let message = format!(
            "fewer than half of the cases could be observed, so this hunt is inconclusive: {}",
            why.join("; ")
        );
        display.hear(&Event::Warning { message });
    }
    if has_tested_nothing(&summary) {
        let message =
            "no case was finished in this time, so nothing was tested: give it more --time";
        display.hear(&Event::Warning { message: message.to_owned() });
    }
    for note in outdated(&summary, &campaign.versions) {
        display.note(&note);
    }
    if by_default && summary.ended == Ended::Time {
        display.note("to hunt longer: --time 8h; the same command continues from here");
    }
    Ok(exit(&summary))
}

/// The bench with coverage, if a corpus grows by it. Compilers that cannot be measured are hunted without.
fn measured(bench: Bench, lines: &[Line], blind: bool, display: &Display) -> Bench {
    if blind || !lines.iter().any(|line| line.grows) {
        return bench;
    }
    let bench = Bench { coverage: Some(Arc::new(Coverage::new())), ..bench };
    for target in lines.iter().filter(|line| line.grows).flat_map(|line| &line.targets) {
        let name = target.name();
        match target.coverage(&bench) {
            Ok(measure) => display.note(&format!(
                "{name}: coverage by {}, {} blocks",
                measure.means,
                thousands(measure.blocks)
            )),
            Err(why) => display.note(&format!("{name}: {why}; its mutants are blind")),
        }
    }
    bench
}

/// The mix of mutations: that of the method, or the usual one if there is only a folder.
fn mix(method: Option<&str>, wanted: &Wanted) -> Option<Mix> {
    match (method, wanted) {
        (Some(method), _) => programs::mix(method),
        (None, Wanted::Path(_) | Wanted::Named { .. }) => Mix::named(""),
        (None, Wanted::Own | Wanted::Version { .. }) => None,
    }
}

/// Precedence: flag, environment (both in `arguments`), file, default.
fn options(laboratory: &Laboratory, arguments: &Hunt) -> anyhow::Result<Options> {
    let file = &laboratory.config.hunt;
    let shard = match (arguments.shard, &file.shard) {
        (Some(shard), _) => shard,
        (None, Some(text)) => text.parse().map_err(|error: lab::campaign::ShardError| {
            Usage(format!("mistrust.toml, hunt.shard: {error}"))
        })?,
        (None, None) => Shard::whole(),
    };
    let cases = arguments.cases.or(file.cases);
    if cases == Some(0) {
        return Err(Usage("--cases 0 would test nothing".to_owned()).into());
    }
    let time = arguments.time.or(file.time).or(cases.is_none().then_some(TIME));
    let jobs = arguments.jobs.or(file.jobs).map(usize::from);
    Ok(Options {
        seed: arguments.seed.or(file.seed).unwrap_or(1),
        time,
        grace: arguments.grace.or(file.grace).unwrap_or_else(|| grace(time)),
        cases,
        jobs: jobs.unwrap_or_else(command::cores).max(1),
        shard,
        choice: Choice {
            names: if arguments.setting.is_empty() {
                file.setting.clone()
            } else {
                arguments.setting.clone()
            },
        },
        all_findings: arguments.all_findings || file.all_findings,
        reduce_time: file.reduce_time.unwrap_or_else(|| reduce_time(time)),
        alive_tv: laboratory.alive_tv()?,
        command: command::command_line(),
    })
}

/// Checks that every target has at least one of the selected settings.
fn check_choice(choice: &Choice, lines: &[Line]) -> anyhow::Result<()> {
    if choice.names.is_empty() {
        return Ok(());
    }
    let mut targets = lines.iter().flat_map(|line| &line.targets);
    let Some(target) = targets.find(|target| choice.of(target.as_ref()).is_empty()) else {
        return Ok(());
    };
    let settings = target.spec().settings.iter().chain(&target.spec().occasional);
    let names: Vec<&str> = settings.map(|setting| setting.name.as_str()).collect();
    Err(Usage(format!(
        "target `{}` has no setting `{}`: it has {}",
        target.name(),
        choice.names.join("` or `"),
        names.join(", ")
    ))
    .into())
}

/// The default time limit of a reduction is the time of the hunt, so that a two-minute hunt does not take ten minutes
/// more. `mistrust reduce` continues an unfinished reduction.
fn reduce_time(hunt: Option<Duration>) -> Duration {
    let (least, most) = REDUCE_TIMES;
    hunt.unwrap_or(most).clamp(least, most)
}

/// A quarter of the time, within bounds.
fn grace(hunt: Option<Duration>) -> Duration {
    let (least, most) = GRACE;
    hunt.map_or(most, |time| (time / 4).clamp(least, most))
}

fn exporters(laboratory: &Laboratory, arguments: &Hunt) -> anyhow::Result<Vec<Box<dyn Exporter>>> {
    let file = &laboratory.config.hunt;
    let chosen = |flag: &Option<PathBuf>, file: &Option<PathBuf>| flag.clone().or(file.clone());
    let mut exporters: Vec<Box<dyn Exporter>> = vec![];
    if let Some(path) = chosen(&arguments.events, &file.events) {
        exporters.push(Box::new(JsonLines::open(&path)?));
    }
    let writable = |path: &Path| check(path).map_err(|error| Environment(format!("{error:#}")));
    if let Some(path) = chosen(&arguments.junit, &file.junit) {
        writable(&path)?;
        exporters.push(Box::new(JUnit::new(path)));
    }
    if let Some(path) = chosen(&arguments.sarif, &file.sarif) {
        writable(&path)?;
        exporters.push(Box::new(Sarif::new(path)));
    }
    Ok(exporters)
}

/// The usable targets, with their version texts. Unusable targets are reported and skipped; a wrongly described one is
/// an error.
fn rehearse(
    lines: &[Line],
    seed: u64,
    bench: &Bench,
    display: &Display,
) -> anyhow::Result<(Vec<Line>, BTreeMap<String, String>)> {
    let mut usable = vec![];
    let mut versions = BTreeMap::new();
    let mut problems = vec![];
    for line in lines {
        let mut targets = vec![];
        for target in &line.targets {
            let rehearsed = target.probe(None, bench).map_err(Problem::from).and_then(|version| {
                rehearsal::rehearse(line.method.as_ref(), target.as_ref(), seed, bench)?;
                Ok(version)
            });
            match rehearsed {
                Ok(version) => {
                    versions.insert(target.name().to_string(), version);
                    targets.push(Arc::clone(target));
                }
                Err(Problem::Misconfigured(why)) => return Err(Usage(why).into()),
                // A target with several methods has the same problem with each of them.
                Err(Problem::Unusable(unusable)) if problems.contains(&unusable.to_string()) => {}
                Err(Problem::Unusable(unusable)) => problems.push(unusable.to_string()),
            }
        }
        if !targets.is_empty() {
            usable.push(Line { targets, ..line.clone() });
        }
    }
    if usable.is_empty() {
        return Err(Environment(problems.join("\n       ")).into());
    }
    for message in problems {
        display.hear(&Event::Warning { message: format!("not tested: {message}") });
    }
    Ok((usable, versions))
}

/// Writes the HTML report. A failure is only a warning.
fn write_report(store: &SqliteStore, display: &Display) {
    let path = store.out().join("report.html");
    let result = command::report::html(store)
        .and_then(|html| crate::export::write_atomically(&path, html.as_bytes()));
    match result {
        Ok(()) => display.note(&format!("report: {}", path.display())),
        Err(error) => display.hear(&Event::Warning { message: format!("no report: {error:#}") }),
    }
}

fn exit(summary: &Summary) -> Exit {
    let new = summary.findings.iter().any(|finding| finding.known.is_none());
    match &summary.ended {
        Ended::Failed(_) => Exit::Environment,
        Ended::Cases | Ended::Time | Ended::Space | Ended::Interrupted | Ended::Underway => {
            if new {
                Exit::Findings
            } else if is_inconclusive(summary) || has_tested_nothing(summary) {
                Exit::Environment
            } else {
                Exit::Clean
            }
        }
    }
}

/// Whether so little was observed that "no findings" would mean nothing.
fn is_inconclusive(summary: &Summary) -> bool {
    summary.tally.observed_share() < 0.5
}

/// Whether "no findings" would mean nothing because there was no time for a single case.
fn has_tested_nothing(summary: &Summary) -> bool {
    match summary.ended {
        Ended::Time | Ended::Interrupted => summary.tally.cases == 0,
        // Earlier runs have tested what this one would have.
        Ended::Cases | Ended::Space | Ended::Underway | Ended::Failed(_) => false,
    }
}

/// What to say about findings of builds that are no longer there: the compiler may have been fixed since.
fn outdated(summary: &Summary, versions: &BTreeMap<String, String>) -> Vec<String> {
    let is_outdated = |finding: &&Finding| {
        let now = versions.get(&finding.target);
        !finding.version.is_empty() && now.is_some_and(|now| *now != finding.version)
    };
    let mut ids: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for finding in summary.findings.iter().filter(is_outdated) {
        ids.entry(&finding.target).or_default().push(&finding.id);
    }
    let note = |(target, ids): (&str, Vec<&str>)| {
        let all = ids.iter().take(5).copied().collect::<Vec<_>>().join(", ");
        let more = if ids.len() > 5 { ", …" } else { "" };
        format!(
            "{target} is another build than the one in which {count} of the findings were seen ({all}{more}); to see \
             whether they still show: mistrust replay {first}",
            count = ids.len(),
            first = ids.first().unwrap_or(&"ID"),
        )
    };
    ids.into_iter().map(note).collect()
}

/// The root of the scratch directories of an output folder.
pub(crate) fn scratch(out: &Path) -> PathBuf {
    out.join(SCRATCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_reduction_time_is_the_time_of_the_hunt_within_bounds() {
        let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
        assert_eq!(reduce_time(Some(TIME)), TIME);
        assert_eq!(reduce_time(Some(Duration::from_secs(5))), minutes(1));
        assert_eq!(reduce_time(Some(minutes(480))), minutes(10));
        assert_eq!(reduce_time(None), minutes(10));
    }

    #[test]
    fn the_default_grace_period_is_a_quarter_of_the_time_within_bounds() {
        let seconds = Duration::from_secs;
        assert_eq!(grace(Some(seconds(8))), seconds(30));
        assert_eq!(grace(Some(seconds(240))), seconds(60));
        assert_eq!(grace(Some(seconds(8 * 3600))), seconds(600));
        assert_eq!(grace(None), seconds(600));
    }
}
