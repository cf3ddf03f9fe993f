//! Turns events into lines of text. It prints nothing and reads no clock: it takes the time from the events.

use std::collections::BTreeMap;
use std::time::Duration;

use lab::event::{Event, Started, StartedLine, Tally, Work};
use lab::finding::{Finding, Progress};
use lab::growth::Growth;

use super::listener::DisplayOptions;
use super::palette::{Palette, paint};
use super::printable::line;
use super::quantity::{counted, duration, percent, rate, thousands};
use super::summary;

/// The interval of progress lines that cannot be redrawn.
const PACE: Duration = Duration::from_secs(10);
/// The maximal width of a message.
const WIDEST: usize = 200;

#[derive(Debug)]
pub(crate) struct Narration {
    options: DisplayOptions,
    palette: Palette,
    width: Option<usize>,
    /// When the next progress line is due.
    due: Duration,
    done_before: u64,
    goal: Option<u64>,
    out: String,
    /// Each warning, with its count.
    warnings: BTreeMap<String, u64>,
    /// The last printed work of each worker.
    working: BTreeMap<usize, String>,
    /// For each finding under reduction: its worker and its original size in bytes.
    reducing: BTreeMap<String, (usize, usize)>,
}

impl Narration {
    pub(crate) fn new(options: DisplayOptions, width: Option<usize>) -> Self {
        Self {
            options,
            palette: Palette::new(options.color),
            width,
            due: PACE,
            done_before: 0,
            goal: None,
            out: String::new(),
            warnings: BTreeMap::new(),
            working: BTreeMap::new(),
            reducing: BTreeMap::new(),
        }
    }

    pub(crate) fn tell(&mut self, event: &Event) -> Vec<String> {
        let DisplayOptions { quiet, verbose, interactive, .. } = self.options;
        let detailed = verbose > 0 && !quiet;
        let faint = |text: String| vec![paint(self.palette.faint, &text)];
        match event {
            Event::Started(started) => self.started(started),
            Event::Progress(tally) if !quiet && !interactive => self.progress(tally),
            Event::Working { worker, work } if detailed && !interactive => {
                let what = line(&self.work(work), WIDEST);
                let last = self.working.insert(*worker, what.clone());
                if last.as_ref() == Some(&what) {
                    vec![]
                } else {
                    faint(format!("worker {}: {what}", worker + 1))
                }
            }
            Event::Found { finding } => vec![self.found(finding)],
            Event::Again { id, origin, sightings } if detailed => faint(format!(
                "duplicate of {}: {} (seen {sightings} times)",
                line(id, 40),
                line(origin, 80)
            )),
            Event::Flaky { flaky } if detailed => {
                let what = line(&flaky.message, WIDEST);
                let (seen, tries) = (flaky.seen, flaky.tries);
                let place =
                    format!("{} {}", line(&flaky.target, 80), line(&flaky.origin.to_string(), 80));
                faint(format!(
                    "flaky {place}: {}: {what} (reproduced in {seen} of {tries} tries)",
                    line(&flaky.kind, 40)
                ))
            }
            Event::Reducing { id, step } if detailed => faint(format!(
                "reducing {}: {} after {} and {}",
                line(id, 40),
                counted(step.bytes as u64, "byte"),
                counted(step.step, "step"),
                if step.tries == 1 {
                    "1 try".to_owned()
                } else {
                    format!("{} tries", thousands(step.tries))
                },
            )),
            Event::Advanced { finding } if !quiet => vec![self.advanced(finding)],
            Event::Merged { id, into } if !quiet => {
                vec![format!("merged {} into {}: same bug", line(id, 40), line(into, 40))]
            }
            Event::Warning { message } => self.warning(message),
            Event::Finished(found) => {
                let mut lines = summary::lines(found, &self.palette, self.width);
                lines.extend(self.closing_lines(&found.findings));
                lines
            }
            Event::Progress(_)
            | Event::Working { .. }
            | Event::Again { .. }
            | Event::Flaky { .. }
            | Event::Reducing { .. }
            | Event::Advanced { .. }
            | Event::Merged { .. } => vec![],
        }
    }

    /// The text of a worker's line.
    pub(crate) fn worker(&mut self, event: &Event) -> Option<(usize, String)> {
        match event {
            Event::Working { worker, work } => {
                if let Work::Reducing { id, from } = work {
                    self.reducing.insert(id.clone(), (*worker, *from));
                }
                Some((*worker, self.work(work)))
            }
            Event::Reducing { id, step } => {
                let (worker, from) = *self.reducing.get(id)?;
                let (from, to) = (thousands(from as u64), thousands(step.bytes as u64));
                let steps = counted(step.step, "step");
                Some((worker, format!("reducing {id} {from} → {to} B, {steps}")))
            }
            Event::Started(_)
            | Event::Progress(_)
            | Event::Found { .. }
            | Event::Again { .. }
            | Event::Flaky { .. }
            | Event::Advanced { .. }
            | Event::Merged { .. }
            | Event::Warning { .. }
            | Event::Finished(_) => None,
        }
    }

    fn work(&self, work: &Work) -> String {
        match work {
            Work::Hunting { method, number } => format!("hunting {method} from {number}"),
            Work::Diagnosing { origin } => format!("diagnosing {origin}"),
            Work::Reducing { id, from } => {
                format!("reducing {id} from {} B", thousands(*from as u64))
            }
            Work::Locating { id } => format!("locating the culprit of {id}"),
            Work::Restating { id } => format!("restating {id}"),
            Work::Idle => "idle".to_owned(),
        }
    }

    /// The progress of the hunt on one line.
    pub(crate) fn total(&self, tally: &Tally) -> String {
        let cases = match self.goal {
            Some(goal) => {
                format!(
                    "{} of {}",
                    thousands(self.done_before + tally.cases),
                    counted(goal, "case")
                )
            }
            None => counted(tally.cases, "case"),
        };
        let findings = counted(tally.findings, "finding");
        let style = if tally.findings > 0 { self.palette.bad } else { self.palette.faint };
        let mut parts = vec![
            paint(self.palette.strong, &cases),
            format!("{}/s", rate(tally.cases_per_second())),
            format!("{} in compilers", percent(tally.compiler_share())),
            paint(style, &findings),
        ];
        if let Some(growth) = &tally.growth {
            parts.extend(pool(growth));
        }
        if tally.known > 0 {
            parts.push(format!("{} known", thousands(tally.known)));
        }
        if tally.duplicates > 0 {
            parts.push(counted(tally.duplicates, "duplicate"));
        }
        if tally.skipped > 0 {
            parts.push(format!("{} skipped", thousands(tally.skipped)));
        }
        if let Some(since) = tally.since_found {
            let since = duration(Duration::from_secs(since.as_secs()));
            parts.push(format!("last new finding {since} ago"));
        }
        if tally.unfinished > 0 {
            parts.push(format!("{} to reduce", thousands(tally.unfinished)));
        }
        match tally.left {
            Some(left) if left.is_zero() => parts.push(match tally.at_most {
                Some(most) => {
                    let most = duration(Duration::from_secs(most.as_secs()));
                    format!("time is up, follow-up for at most {most}")
                }
                None => "time is up, follow-up".to_owned(),
            }),
            Some(left) => {
                parts.push(format!("{} left", duration(Duration::from_secs(left.as_secs()))));
            }
            None => {}
        }
        parts.join(", ")
    }

    fn started(&mut self, started: &Started) -> Vec<String> {
        self.done_before = started.lines.iter().map(|line| line.done_before).sum();
        self.goal = started.lines.iter().map(|line| line.goal).sum();
        self.out = line(&started.out.display().to_string(), WIDEST);
        if self.options.quiet {
            return vec![];
        }
        let name = |started: &StartedLine| {
            let targets: Vec<String> = started.targets.iter().map(|name| line(name, 80)).collect();
            format!("{} with {}", targets.join(", "), line(&started.method, 80))
        };
        let hunts: Vec<String> = started.lines.iter().map(name).collect();
        let mut lines = match hunts.as_slice() {
            [] => vec!["hunting nothing: no method fits any target".to_owned()],
            [one] => vec![format!("hunting {one}")],
            [one, two] => vec![format!("hunting {one}"), format!("    and {two}")],
            many => vec![format!("hunting {}", many.join("; "))],
        };
        let mut terms = vec![
            format!("seed {}", started.seed),
            format!("shard {}", line(&started.shard, 40)),
            counted(started.jobs as u64, "job"),
        ];
        terms.extend(started.time.map(|time| format!("for {}", duration(time))));
        terms.extend(started.cases.map(|cases| counted(cases, "case")));
        if started.time.is_none() && self.goal.is_none() && started.cases.is_none() {
            terms.push("until interrupted".to_owned());
        }
        if self.done_before > 0 {
            terms.push(format!("resuming after {}", counted(self.done_before, "case")));
        }
        terms.push(format!("output in {}", self.out));
        lines.push(paint(self.palette.faint, &terms.join(", ")));
        lines
    }

    fn progress(&mut self, tally: &Tally) -> Vec<String> {
        if tally.elapsed < self.due {
            return vec![];
        }
        // Counted from now, even if several lines were missed.
        self.due = tally.elapsed + PACE;
        let elapsed = duration(Duration::from_secs(tally.elapsed.as_secs()));
        vec![format!("{elapsed}: {}", self.total(tally))]
    }

    fn found(&self, finding: &Finding) -> String {
        let (style, word) = match finding.known {
            Some(_) => (self.palette.caution, "known"),
            None => (self.palette.bad, "found"),
        };
        let title = line(&finding.title(), WIDEST);
        let origin =
            paint(self.palette.faint, &format!("({})", line(&finding.origin().to_string(), 80)));
        let word = paint(style, &format!("{word} {}", line(&finding.id, 40)));
        match &finding.known {
            Some(known) => format!("{word}: {title} [{}] {origin}", line(&known.name, 80)),
            None => format!("{word}: {title} {origin}"),
        }
    }

    fn advanced(&self, finding: &Finding) -> String {
        let before = finding.original.case.size().0 as u64;
        let mut parts = vec![];
        if let Some(reduced) = &finding.reduced {
            let after = reduced.case.size().0 as u64;
            parts.push(format!("reduced from {} to {}", thousands(before), counted(after, "byte")));
        }
        parts.extend(finding.culprits.iter().map(|culprit| line(&culprit.to_string(), WIDEST)));
        if let Some(other) = finding.restated.first() {
            let form = other.case.trail.last().map_or("in another form", String::as_str);
            parts.push(format!("reproduced {}", line(form, 80)));
        }
        match finding.progress {
            Progress::Confirmed => {}
            Progress::Unfinished(why) => parts.push(format!("unfinished: {why}")),
            Progress::Complete => parts.push("complete".to_owned()),
        }
        let word = paint(self.palette.strong, &format!("advanced {}", line(&finding.id, 40)));
        format!("{word}: {}", parts.join("; "))
    }

    /// A repeated warning is printed once. With `--quiet`, warnings are printed at the end.
    fn warning(&mut self, message: &str) -> Vec<String> {
        let message = line(message, WIDEST);
        let count = self.warnings.entry(message.clone()).or_default();
        *count += 1;
        if *count == 1 && !self.options.quiet {
            vec![format!("{} {message}", paint(self.palette.caution, "warning:"))]
        } else {
            vec![]
        }
    }

    /// Repeated warnings, unfinished findings and the output folder, after the summary.
    fn closing_lines(&self, findings: &[Finding]) -> Vec<String> {
        let repeated = |(message, count): (&String, &u64)| {
            let is_due = self.options.quiet || *count > 1;
            let times =
                if *count > 1 { format!(" ({} times)", thousands(*count)) } else { String::new() };
            let word = paint(self.palette.caution, "warning:");
            is_due.then(|| format!("{word} {message}{times}"))
        };
        let mut lines: Vec<String> = self.warnings.iter().filter_map(repeated).take(5).collect();
        let pending: Vec<&Finding> = findings.iter().filter(|it| it.is_pending()).collect();
        for finding in pending.iter().take(3) {
            let why = match finding.progress {
                Progress::Unfinished(why) => why.to_string(),
                Progress::Confirmed | Progress::Complete => "not reduced yet".to_owned(),
            };
            let id = line(&finding.id, 40);
            lines.push(format!("unfinished {id} ({why}): mistrust reduce {id} continues it"));
        }
        if !pending.is_empty() {
            let count = counted(pending.len() as u64, "unfinished finding");
            lines.push(format!("{count}: the same hunt command continues with them"));
        }
        if !self.out.is_empty() {
            lines.push(paint(self.palette.faint, &format!("output folder: {}", self.out)));
        }
        lines
    }
}

/// What the pools came to: of the cases, how many reached new blocks and how many compile.
pub(super) fn pool(growth: &Growth) -> Vec<String> {
    let all = growth.all();
    let mut parts = vec![];
    if growth.covered > 0 {
        let new = percent(growth.pool as f64 / all.cases.max(1) as f64);
        parts.push(format!("{} in the pool ({new} of cases)", thousands(growth.pool)));
        parts.push(format!("{} blocks", thousands(growth.covered)));
        parts.push(format!("{}% guided", growth.share));
    }
    if all.cases > 0 {
        parts.push(format!("{} compile", percent(all.accepted_share())));
        parts.push(counted(growth.signatures, "signature"));
    }
    parts
}

#[cfg(test)]
mod tests {
    use lab::finding::Step;
    use lab::growth::Yield;

    use super::*;

    fn narration() -> Narration {
        let options =
            DisplayOptions { quiet: false, verbose: 0, interactive: true, color: false, jobs: 2 };
        Narration::new(options, None)
    }

    #[test]
    fn the_line_of_a_worker_has_the_progress_of_its_reduction() {
        let mut narration = narration();
        let id = "318a".to_owned();
        let work = Work::Reducing { id: id.clone(), from: 19_988 };
        let begun = narration.worker(&Event::Working { worker: 1, work });
        assert_eq!(begun, Some((1, "reducing 318a from 19,988 B".to_owned())));
        let step = Step { step: 90, tries: 700, bytes: 6_276, seconds: 9.5, cursor: 3 };
        let line = narration.worker(&Event::Reducing { id, step });
        assert_eq!(line, Some((1, "reducing 318a 19,988 → 6,276 B, 90 steps".to_owned())));
    }

    #[test]
    fn the_total_has_known_duplicate_and_skipped_counts_and_the_last_finding() {
        let tally = Tally {
            cases: 1_000,
            findings: 3,
            known: 2,
            duplicates: 40,
            skipped: 5,
            since_found: Some(Duration::from_secs(90)),
            left: Some(Duration::from_secs(20)),
            ..Tally::default()
        };
        let total = narration().total(&tally);
        let parts =
            "3 findings, 2 known, 40 duplicates, 5 skipped, last new finding 1m 30s ago, 20s left";
        assert!(total.ends_with(parts), "{total}");
    }

    #[test]
    fn the_total_has_the_pool_of_a_corpus() {
        let guided = Yield { cases: 200, accepted: 50, ..Yield::default() };
        let growth = Growth {
            pool: 20,
            covered: 12_345,
            signatures: 3,
            share: 60,
            arms: [("guided".to_owned(), guided)].into(),
            ..Growth::default()
        };
        let total =
            |growth: Growth| narration().total(&Tally { growth: Some(growth), ..Tally::default() });
        let measured = total(growth.clone());
        let parts =
            "20 in the pool (10% of cases), 12,345 blocks, 60% guided, 25% compile, 3 signatures";
        assert!(measured.contains(parts), "{measured}");
        let blind = total(Growth { covered: 0, ..growth });
        assert!(!blind.contains("blocks") && blind.contains("25% compile"), "{blind}");
    }

    #[test]
    fn after_the_time_the_total_says_how_long_the_follow_up_takes_at_most() {
        let tally = Tally {
            left: Some(Duration::ZERO),
            at_most: Some(Duration::from_secs(25)),
            ..Tally::default()
        };
        let total = narration().total(&tally);
        assert!(total.ends_with("time is up, follow-up for at most 25s"), "{total}");
    }
}
