//! The last words of a hunt: why it ended, the counts, and the findings as a table. It never says
//! nothing: a hunt without findings says so, and after how many cases.

use lab::event::{Ended, Summary, Tally};
use lab::finding::Finding;

use super::palette::{Palette, paint};
use super::printable::line;
use super::quantity::{counted, duration, percent, rate, thousands};

/// So many reasons for skipping are named.
const REASONS: usize = 3;
/// How wide a title may be where no terminal sets a limit, and how wide it may always be.
const TITLE: (usize, usize) = (120, 24);

/// So many flaky failures are listed; the report has all.
const FLAKY: usize = 3;

pub(crate) fn lines(summary: &Summary, palette: &Palette, width: Option<usize>) -> Vec<String> {
    let tally = &summary.tally;
    let mut lines = vec![String::new(), ended(summary, palette), cases(tally)];
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
            "  flaky, seen again in {} of {} tries: {} on {}: {}: {}",
            flaky.seen,
            flaky.tries,
            line(&flaky.ticket.to_string(), 80),
            line(&flaky.target, 80),
            line(&flaky.kind, 40),
            line(&flaky.message, TITLE.0),
        )
    }));
    if summary.flaky.len() > FLAKY {
        lines.push(format!("  and {} more flaky ones", summary.flaky.len() - FLAKY));
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
        Ended::Underway => format!("under way, {after}"),
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
            paint(palette.caution, "no findings, as no case was tried")
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
    lines.extend(table(&summary.findings, palette, width));
    lines
}

const COLUMNS: [&str; 6] = ["id", "kind", "seen", "culprit", "known", "title"];
const SEEN: usize = 2;
const TITLE_COLUMN: usize = COLUMNS.len() - 1;

fn table(findings: &[Finding], palette: &Palette, width: Option<usize>) -> Vec<String> {
    let rows: Vec<[String; COLUMNS.len()]> = findings.iter().map(row).collect();
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| console::measure_text_width(&row[column]));
        let most = cells.max().unwrap_or(0);
        // A column in which nothing stands is left out.
        (most > 0).then(|| most.max(COLUMNS[column].len()))
    };
    let widths: Vec<Option<usize>> = (0..TITLE_COLUMN).map(widest).collect();
    let before: usize = widths.iter().flatten().map(|width| width + 2).sum();
    let title = width.map_or(TITLE.0, |width| width.saturating_sub(before + 2).max(TITLE.1));
    let print = |cells: &[String; COLUMNS.len()]| {
        let mut out = "  ".to_owned();
        for (column, width) in widths.iter().enumerate() {
            let Some(width) = width else { continue };
            let gap = " ".repeat(width.saturating_sub(console::measure_text_width(&cells[column])));
            match column {
                SEEN => out.push_str(&format!("{gap}{}  ", cells[column])),
                _ => out.push_str(&format!("{}{gap}  ", cells[column])),
            }
        }
        out.push_str(&line(&cells[TITLE_COLUMN], title));
        out
    };
    let head = paint(palette.faint, &print(&COLUMNS.map(str::to_owned)));
    std::iter::once(head).chain(rows.iter().map(print)).collect()
}

fn row(finding: &Finding) -> [String; COLUMNS.len()] {
    let culprit = finding.main_culprit().map(|culprit| format!("{} {}", culprit.axis, culprit.bad));
    [
        line(&finding.id, 16),
        finding.signature.kind.name().to_owned(),
        thousands(finding.sightings),
        line(&culprit.unwrap_or_default(), 32),
        finding.known.as_ref().map(|known| line(&known.name, 24)).unwrap_or_default(),
        line(&short_title(finding), 1000),
    ]
}

/// The title without the kind, which has a column of its own.
fn short_title(finding: &Finding) -> String {
    let title = finding.title();
    let target = &finding.signature.target;
    let rest = title.strip_prefix(&format!("{target}: {}", finding.signature.kind));
    match rest.map(|rest| rest.trim_start_matches([':', ' '])) {
        Some("") => target.clone(),
        Some(rest) => format!("{target}: {rest}"),
        None => title,
    }
}
