//! The view of a finding for the report: escaped text of limited length. Quoting for HTML is left to the template.

use chrono::{DateTime, Utc};
use forge::{Case, Input, Observation, Program};
use lab::finding::{Exhibit, Finding};
use serde::Serialize;

use super::contrast::{Contrast, contrast};
use crate::display::printable::{block, line};
use crate::display::quantity::{counted, thousands};

const PROGRAM: usize = 64 * 1024;
const MESSAGE: usize = 16 * 1024;
const OUTCOME: usize = 2 * 1024;
const TITLE: usize = 300;
const NAME: usize = 120;
/// The maximal number of observations, steps or arguments.
const ROWS: usize = 200;

#[derive(Debug, Serialize)]
pub(crate) struct FindingView {
    id: String,
    title: String,
    kind: &'static str,
    pub(crate) known: Option<KnownView>,
    target: String,
    version: String,
    origin: String,
    promise: &'static str,
    sightings: String,
    first_seen: String,
    unfinished: bool,
    settings: Vec<String>,
    culprits: Vec<CulpritView>,
    /// Size before and after the reduction.
    reduction: Option<String>,
    programs: Vec<ProgramView>,
    input: Option<InputView>,
    contrast: Option<Contrast>,
    actual: String,
    frames: Vec<String>,
    observations: Vec<ObservationView>,
    more_observations: usize,
    restated: Vec<RestatedView>,
    trail: Vec<String>,
    original: Vec<ProgramView>,
    replay: String,
    script: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct KnownView {
    name: String,
    /// Only `http` and `https` links.
    link: Option<String>,
}

#[derive(Debug, Serialize)]
struct CulpritView {
    axis: String,
    good: Option<String>,
    bad: String,
    remarks: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ProgramView {
    file: String,
    lines: Vec<String>,
    size: String,
}

/// The finding in another form.
#[derive(Debug, Serialize)]
struct RestatedView {
    what: Option<String>,
    programs: Vec<ProgramView>,
    script: String,
}

#[derive(Debug, Serialize)]
struct InputView {
    entry: Option<String>,
    arguments: Vec<String>,
    stdin: String,
}

#[derive(Debug, Serialize)]
struct ObservationView {
    setting: String,
    program: String,
    input: String,
    outcome: String,
    broken: bool,
}

impl FindingView {
    pub(crate) fn of(finding: &Finding) -> Self {
        let best = finding.best();
        let id = line(&finding.id, NAME);
        Self {
            title: line(&finding.title(), TITLE),
            kind: finding.signature.kind.name(),
            known: finding.known.as_ref().map(|known| KnownView {
                name: line(&known.name, NAME),
                link: known.link.clone().filter(|link| {
                    link.len() < 2_000
                        && (link.starts_with("https://") || link.starts_with("http://"))
                }),
            }),
            target: line(&finding.target, NAME),
            version: line(&finding.version, TITLE),
            origin: line(&finding.origin().to_string(), NAME),
            promise: best.case.promise.name(),
            sightings: thousands(finding.sightings),
            first_seen: i64::try_from(finding.first_seen)
                .ok()
                .and_then(|seconds| DateTime::<Utc>::from_timestamp(seconds, 0))
                .map_or("unknown".to_owned(), |at| at.format("%Y-%m-%d %H:%M UTC").to_string()),
            unfinished: finding.progress < lab::finding::Progress::Complete,
            settings: best.breach.settings.iter().take(ROWS).map(|name| line(name, NAME)).collect(),
            culprits: finding
                .culprits
                .iter()
                .map(|culprit| CulpritView {
                    axis: line(culprit.axis(), NAME),
                    good: culprit.good().map(|good| line(&good, NAME)),
                    bad: line(&culprit.bad(), NAME),
                    remarks: culprit.remarks().iter().map(|it| line(it, TITLE)).collect(),
                })
                .collect(),
            reduction: finding.reduced.as_ref().map(|reduced| {
                let (before, after) = (finding.original.case.size().0, reduced.case.size().0);
                format!("{} bytes, from {}", thousands(after as u64), thousands(before as u64))
            }),
            programs: programs(&best.case),
            input: best.breach.input.and_then(|input| best.case.inputs.get(input)).and_then(input),
            contrast: best
                .breach
                .expected
                .as_ref()
                .map(|expected| contrast(expected, &best.breach.actual)),
            actual: block(best.breach.actual.trim_end(), MESSAGE),
            frames: best.breach.frames.iter().take(20).map(|frame| line(frame, TITLE)).collect(),
            observations: best
                .observations
                .iter()
                .take(ROWS)
                .map(|seen| observation(best, seen))
                .collect(),
            more_observations: best.observations.len().saturating_sub(ROWS),
            restated: (1..)
                .zip(&finding.restated)
                .map(|(number, exhibit)| RestatedView {
                    what: exhibit.case.trail.last().map(|step| line(step, TITLE)),
                    programs: programs(&exhibit.case),
                    script: format!("sh findings/{id}/restated-{number}/replay.sh"),
                })
                .collect(),
            trail: finding
                .original
                .case
                .trail
                .iter()
                .take(ROWS)
                .map(|step| line(step, TITLE))
                .collect(),
            original: if finding.reduced.is_some() {
                programs(&finding.original.case)
            } else {
                vec![]
            },
            replay: format!("mistrust replay {id}"),
            script: format!("sh findings/{id}/replay.sh"),
            id,
        }
    }
}

fn programs(case: &Case) -> Vec<ProgramView> {
    let view = |program: &Program| ProgramView {
        file: line(&program.file_name(), NAME),
        lines: block(&program.source, PROGRAM).lines().map(str::to_owned).collect(),
        size: counted(program.source.len() as u64, "byte"),
    };
    case.programs.iter().map(view).collect()
}

/// `None` for an empty input.
fn input(input: &Input) -> Option<InputView> {
    (*input != Input::default()).then(|| InputView {
        entry: input.entry.as_ref().map(|entry| line(entry, NAME)),
        arguments: input
            .arguments
            .iter()
            .take(ROWS)
            .map(|argument| line(argument, TITLE))
            .collect(),
        stdin: block(&input.stdin, MESSAGE),
    })
}

fn observation(exhibit: &Exhibit, seen: &Observation) -> ObservationView {
    let breach = &exhibit.breach;
    let program = exhibit.case.programs.get(seen.program);
    let outcome = seen.outcome.to_string();
    ObservationView {
        setting: line(&seen.setting, NAME),
        program: program
            .map_or_else(|| seen.program.to_string(), |program| line(&program.name, NAME)),
        input: seen.input.map(|input| (input + 1).to_string()).unwrap_or_default(),
        outcome: if outcome.is_empty() {
            "(no output)".to_owned()
        } else {
            block(outcome.trim_end(), OUTCOME)
        },
        broken: breach.settings.contains(&seen.setting)
            && breach.program == seen.program
            && (breach.input.is_none() || seen.input.is_none() || breach.input == seen.input),
    }
}
