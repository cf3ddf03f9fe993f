//! The summary at the end of a hunt: why it ended, the counts, and a table of findings. It is never empty: a hunt
//! without findings prints that, with the number of cases.

use lab::event::{Ended, Summary, Tally};

use super::narration::pool;
use super::palette::{Palette, paint};
use super::printable::line;
use super::quantity::{counted, duration, percent, rate, thousands};
use super::table;

/// The maximal number of listed reasons for skipping.
const REASONS: usize = 3;
/// The maximal width of a message.
const WIDEST: usize = 120;

/// The maximal number of listed flaky failures; the report has all.
const FLAKY: usize = 3;

pub(crate) fn lines(summary: &Summary, palette: &Palette, width: Option<usize>) -> Vec<String> {
    let tally = &summary.tally;
    let mut lines = vec![String::new(), ended(summary, palette), cases(tally)];
    if let Some(growth) = &tally.growth {
        let parts = pool(growth);
        if !parts.is_empty() {
            lines.push(format!("  {}", parts.join(", ")));
        }
    }
    if tally.skipped > 0 {
        lines.push(skipped(summary));
    }
    if tally.broken > 0 {
        lines.push(format!(
            "  {}: {}, {} flaky",
            counted(tally.broken, "broken promise"),
            counted(tally.duplicates, "duplicate"),
            thousands(tally.flaky),
        ));
    }
    lines.extend(summary.flaky.iter().take(FLAKY).map(|flaky| {
        format!(
            "  flaky, reproduced in {} of {} tries: {} on {}: {}: {}",
            flaky.seen,
            flaky.tries,
            line(&flaky.origin.to_string(), 80),
            line(&flaky.target, 80),
            line(&flaky.kind, 40),
            line(&flaky.message, WIDEST),
        )
    }));
    if summary.flaky.len() > FLAKY {
        lines.push(format!("  and {} more flaky failures", summary.flaky.len() - FLAKY));
    }
    lines.extend(findings(summary, palette, width));
    lines
}

fn ended(summary: &Summary, palette: &Palette) -> String {
    let after = format!("after {}", duration(summary.tally.elapsed));
    match &summary.ended {
        Ended::Cases => format!("all cases are done, {after}"),
        Ended::Time => format!("the time is up, {after}"),
        Ended::Space => format!("there are no further cases, {after}"),
        Ended::Interrupted => format!("interrupted {after}"),
        Ended::Underway => format!("running, {after}"),
        Ended::Failed(why) => {
            format!("{} {after}: {}", paint(palette.bad, "the hunt failed"), line(why, 400))
        }
    }
}

fn cases(tally: &Tally) -> String {
    format!(
        "  {}, {} per second, {} of the time in {}",
        counted(tally.cases, "case"),
        rate(tally.cases_per_second()),
        percent(tally.compiler_share()),
        counted(tally.runs, "compiler run"),
    )
}

fn skipped(summary: &Summary) -> String {
    let mut reasons: Vec<String> = summary
        .skipped
        .iter()
        .take(REASONS)
        .map(|(why, count)| format!("{} × {}", thousands(*count), line(why, 80)))
        .collect();
    let more = summary.skipped.len().saturating_sub(REASONS);
    if more > 0 {
        reasons.push(counted(more as u64, "further reason"));
    }
    let count = thousands(summary.tally.skipped);
    if reasons.is_empty() {
        format!("  {count} skipped")
    } else {
        format!("  {count} skipped: {}", reasons.join("; "))
    }
}

fn findings(summary: &Summary, palette: &Palette, width: Option<usize>) -> Vec<String> {
    if summary.findings.is_empty() {
        let tried = summary.tally.cases;
        return vec![if tried == 0 {
            paint(palette.caution, "no findings: no case was tried")
        } else {
            paint(palette.good, &format!("no findings in {}", counted(tried, "case")))
        }];
    }
    let known = summary.findings.iter().filter(|finding| finding.known.is_some()).count();
    let mut heading = paint(palette.bad, &counted(summary.findings.len() as u64, "finding"));
    if known > 0 {
        heading.push_str(&format!(", {} of them known", thousands(known as u64)));
    }
    let mut lines = vec![heading];
    lines.extend(table::lines(&summary.findings, palette, width, None));
    lines
}
