//! `mistrust report`: writes a report of all findings, for people (HTML) or for other programs (JUnit, SARIF).

use std::collections::BTreeMap;
use std::path::Path;

use lab::event::{Ended, StartedLine, Summary, Tally};
use lab::growth::Growth;
use lab::store::{Findings as _, Leases as _, RunRecord, Runs as _, Sample, SqliteStore};

use crate::cli::{Common, Report, ReportFormat};
use crate::exit::Exit;
use crate::export::html::{self, ReportData};
use crate::export::{junit, sarif, write_atomically};
use crate::laboratory::Laboratory;

pub(crate) fn run(common: &Common, arguments: &Report) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    let store = SqliteStore::read(&laboratory.out(arguments.out.as_deref()))?;
    let (text, name) = match arguments.format {
        ReportFormat::Html => (html(&store)?, "report.html"),
        ReportFormat::Junit => {
            (junit::render(&store_lines(&store)?, &summary(&store)?)?, "report.xml")
        }
        ReportFormat::Sarif => (sarif::render(&summary(&store)?, store.out())?, "report.sarif"),
    };
    let path = arguments.output.clone().unwrap_or_else(|| store.out().join(name));
    if path == Path::new("-") {
        super::print(&text)?;
    } else {
        write_atomically(&path, text.as_bytes())?;
        super::print(&format!("{}\n", path.display()))?;
    }
    Ok(Exit::Clean)
}

pub(crate) fn html(store: &SqliteStore) -> anyhow::Result<String> {
    let samples = store.samples()?;
    let summary = summary(store)?;
    let found_at = summary
        .findings
        .iter()
        .map(|finding| (hunting_time(&samples, finding.first_seen), finding.id.clone()))
        .collect();
    html::render(&ReportData {
        found_at,
        samples: joined(&samples),
        growth: growth(&samples),
        generated: humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string(),
        command: store.runs()?.pop().map(|run| run.command).unwrap_or_default(),
        out: store.out().display().to_string(),
        summary,
    })
}

/// The summary over all runs of a folder.
fn summary(store: &SqliteStore) -> anyhow::Result<Summary> {
    let findings = store.findings()?;
    let mut tally = Tally { findings: findings.len() as u64, ..Tally::default() };
    let runs = store.runs()?;
    for RunRecord { tally: run, .. } in &runs {
        tally.elapsed += run.elapsed;
        tally.kept += run.kept;
        tally.skipped += run.skipped;
        tally.broken += run.broken;
        tally.duplicates += run.duplicates;
        tally.flaky += run.flaky;
        tally.runs += run.runs;
        tally.in_compilers += run.in_compilers;
        tally.in_workers += run.in_workers;
        // It covers all runs before.
        tally.growth = run.growth.clone().or(tally.growth);
    }
    tally.cases = store.cases()?;
    tally.known = findings.iter().filter(|finding| finding.known.is_some()).count() as u64;
    let unfinished =
        |finding: &&lab::finding::Finding| finding.progress != lab::finding::Progress::Complete;
    tally.unfinished = findings.iter().filter(unfinished).count() as u64;
    Ok(Summary {
        tally,
        ended: runs.last().map_or(Ended::Underway, |run| run.ended.clone()),
        skipped: store.skipped()?,
        flaky: store.flaky()?,
        findings,
    })
}

fn store_lines(store: &SqliteStore) -> anyhow::Result<Vec<StartedLine>> {
    let mut by_method: BTreeMap<String, StartedLine> = BTreeMap::new();
    for (key, done) in store.lines()? {
        let line = by_method.entry(key.method.clone()).or_insert_with(|| StartedLine {
            method: key.method,
            targets: vec![],
            done_before: 0,
            goal: None,
        });
        line.done_before += done;
        for target in key.targets {
            if !line.targets.contains(&target) {
                line.targets.push(target);
            }
        }
    }
    Ok(by_method.into_values().collect())
}

/// The samples of all runs, concatenated as if they were one run.
fn joined(samples: &[Sample]) -> Vec<(f64, u64)> {
    let mut points = vec![];
    let (mut before, mut last, mut run) = ((0.0, 0), (0.0, 0), None);
    for sample in samples {
        if run != Some(sample.run) {
            before = last;
            run = Some(sample.run);
            points.push(before);
        }
        last = (before.0 + sample.elapsed, before.1 + sample.cases);
        points.push(last);
    }
    points
}

/// What the pools came to over time, over all runs.
fn growth(samples: &[Sample]) -> Vec<(f64, Growth)> {
    let times = samples.iter().zip(times(samples));
    times.filter_map(|(sample, at)| Some((at, sample.growth.clone()?))).collect()
}

/// The hunting time of each sample, over all runs.
fn times(samples: &[Sample]) -> Vec<f64> {
    let (mut before, mut last, mut run) = (0.0, 0.0, None);
    let mut times = vec![];
    for sample in samples {
        if run != Some(sample.run) {
            before = last;
            run = Some(sample.run);
        }
        last = before + sample.elapsed;
        times.push(last);
    }
    times
}

/// The hunting time over all runs until a point in time.
fn hunting_time(samples: &[Sample], at: u64) -> f64 {
    let mut before = 0.0;
    let mut runs: Vec<&[Sample]> = samples.chunk_by(|one, other| one.run == other.run).collect();
    runs.retain(|run| run.first().is_some_and(|sample| sample.started <= at));
    let Some((current, earlier)) = runs.split_last() else { return 0.0 };
    for run in earlier {
        before += run.last().map_or(0.0, |sample| sample.elapsed);
    }
    let began = current.first().map_or(at, |sample| sample.started);
    let length = current.last().map_or(0.0, |sample| sample.elapsed);
    before + ((at - began) as f64).min(length)
}
