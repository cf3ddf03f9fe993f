//! The table of findings, which fits the terminal. New findings come first.

use lab::finding::{Finding, Progress};

use super::palette::{Palette, paint};
use super::printable::line;
use super::quantity::thousands;

/// The columns before the last one, which gets the remaining width.
const COLUMNS: [&str; 8] = ["id", "status", "target", "kind", "culprit", "bytes", "seen", "age"];
const LAST: &str = "what";
/// Numbers are aligned to the right.
const NUMBERS: [&str; 3] = ["bytes", "seen", "age"];
/// The columns that are omitted if the terminal is too narrow, in this order.
const DROPPED: [&str; 4] = ["age", "seen", "target", "bytes"];
/// The maximal width of the last column without a terminal, and its minimal width.
const WIDEST: usize = 120;
const NARROWEST: usize = 20;

/// A line of headings, then one line per finding. Ages are relative to `now`, in seconds since 1970; without it, they
/// are omitted.
pub(crate) fn lines(
    findings: &[Finding],
    palette: &Palette,
    width: Option<usize>,
    now: Option<u64>,
) -> Vec<String> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by_key(|finding| finding.known.is_some());
    let rows: Vec<Row> = sorted.into_iter().map(|finding| Row::of(finding, now)).collect();
    let widest = |column: usize| {
        let cells = rows.iter().map(|row| console::measure_text_width(&row.cells[column]));
        let most = cells.max().unwrap_or(0);
        // An empty column is omitted.
        (most > 0).then(|| most.max(COLUMNS[column].len()))
    };
    let mut widths: Vec<Option<usize>> = (0..COLUMNS.len()).map(widest).collect();
    let taken =
        |widths: &[Option<usize>]| widths.iter().flatten().map(|width| width + 2).sum::<usize>();
    for name in DROPPED {
        if width.is_some_and(|width| taken(&widths) + 2 + NARROWEST > width) {
            let column = COLUMNS.iter().position(|column| *column == name);
            column.iter().for_each(|column| widths[*column] = None);
        }
    }
    let before = taken(&widths);
    let room = width.map_or(WIDEST, |width| width.saturating_sub(before + 2).max(NARROWEST));
    let print = |cells: &[String], last: &str| {
        let mut out = "  ".to_owned();
        for (column, width) in widths.iter().enumerate() {
            let Some(width) = width else { continue };
            let gap = width.saturating_sub(console::measure_text_width(&cells[column]));
            let gap = " ".repeat(gap);
            match NUMBERS.contains(&COLUMNS[column]) {
                true => out.push_str(&format!("{gap}{}  ", cells[column])),
                false => out.push_str(&format!("{}{gap}  ", cells[column])),
            }
        }
        out.push_str(&line(last, room));
        out.trim_end().to_owned()
    };
    let head = paint(palette.faint, &print(&COLUMNS.map(str::to_owned), LAST));
    let body = rows.iter().map(|row| {
        let style = match row.status {
            Status::New => palette.bad,
            Status::Unfinished => palette.caution,
            Status::Known => palette.faint,
        };
        let text = print(&row.cells, &row.last);
        match row.status {
            Status::Known => paint(style, &text),
            Status::New | Status::Unfinished => {
                text.replacen(row.status.name(), &paint(style, row.status.name()), 1)
            }
        }
    });
    std::iter::once(head).chain(body).collect()
}

#[derive(Clone, Copy)]
enum Status {
    New,
    Unfinished,
    Known,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Unfinished => "unfinished",
            Self::Known => "known",
        }
    }
}

struct Row {
    status: Status,
    cells: Vec<String>,
    last: String,
}

impl Row {
    fn of(finding: &Finding, now: Option<u64>) -> Self {
        let status = match (&finding.known, finding.progress) {
            (Some(_), _) => Status::Known,
            (None, Progress::Confirmed | Progress::Unfinished(_)) => Status::Unfinished,
            (None, Progress::Complete) => Status::New,
        };
        let culprit = finding.main_culprit().map(|culprit| match culprit.axis() {
            "pass" => culprit.bad(),
            axis => format!("{axis} {}", culprit.bad()),
        });
        let cells = [
            line(&finding.id, 16),
            status.name().to_owned(),
            line(&finding.target, 24),
            finding.signature.kind.name().to_owned(),
            line(&culprit.unwrap_or_default(), 32),
            thousands(finding.best().case.size().0 as u64),
            thousands(finding.sightings),
            now.map(|now| age(now.saturating_sub(finding.first_seen))).unwrap_or_default(),
        ];
        Self { status, cells: cells.to_vec(), last: what(finding) }
    }
}

/// The text of the last column: the name of the known bug, or the detail.
fn what(finding: &Finding) -> String {
    if let Some(known) = &finding.known {
        return line(&known.name, 1000);
    }
    let detail = finding.signature.detail.lines().next().unwrap_or_default();
    let detail = if detail.is_empty() { &finding.best().breach.message } else { detail };
    line(detail, 1000)
}

/// An age in its largest unit: `40s`, `3m`, `2h`, `5d`.
fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::specimens;

    #[test]
    fn new_findings_come_first_and_every_line_fits() {
        let findings = specimens::summary().findings;
        assert!(findings.iter().any(|it| it.known.is_some()));
        for width in [90, 120, 200] {
            let now = Some(findings[0].first_seen + 7200);
            let lines = lines(&findings, &Palette::new(false), Some(width), now);
            assert_eq!(lines.len(), findings.len() + 1);
            let known = lines.iter().position(|line| line.contains(" known ")).unwrap();
            assert!(lines[known..].iter().all(|line| line.contains(" known ")), "{lines:#?}");
            for line in lines {
                assert!(console::measure_text_width(&line) <= width, "{line}");
            }
        }
    }

    #[test]
    fn ages_have_one_unit() {
        assert_eq!([5, 65, 7300, 200_000].map(age), ["5s", "1m", "2h", "2d"]);
    }
}
