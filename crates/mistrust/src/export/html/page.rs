//! The data of a report, and its rendering as a page.

use anyhow::Context;
use lab::event::{Ended, Summary};
use lab::finding::Flaky;
use lab::growth::Growth;
use minijinja::Environment;
use minijinja::value::Serde;
use serde::Serialize;

use super::exhibit::FindingView;
use super::growth::{GrowthView, growth};
use super::plot::{Plot, plot};
use crate::display::printable::line;
use crate::display::quantity::{counted, duration, percent, rate, thousands};

const TEMPLATE: &str = include_str!("report.html.j2");
const STYLE: &str = include_str!("report.css");
const TITLE: usize = 300;
const NAME: usize = 120;
/// The maximal number of findings on the page; the rest is in the output folder.
const FINDINGS: usize = 500;
const ROWS: usize = 200;

#[derive(Clone, Debug)]
pub(crate) struct ReportData {
    pub(crate) summary: Summary,
    /// Seconds since the start, and the number of cases until then.
    pub(crate) samples: Vec<(f64, u64)>,
    /// Seconds since the start, and what the pools came to until then.
    pub(crate) growth: Vec<(f64, Growth)>,
    /// Seconds since the start, and the finding.
    pub(crate) found_at: Vec<(f64, String)>,
    /// When the report was generated, as text.
    pub(crate) generated: String,
    /// The command line of the hunt.
    pub(crate) command: String,
    /// The output folder.
    pub(crate) out: String,
}

#[derive(Debug, Serialize)]
struct Page {
    headline: String,
    clean: bool,
    /// The text if there are no findings.
    verdict: &'static str,
    ended: String,
    failed: bool,
    tiles: Vec<Tile>,
    plot: Option<Plot>,
    growth: Option<GrowthView>,
    findings: Vec<FindingView>,
    more_findings: usize,
    flaky: Vec<FlakyView>,
    skipped: Vec<(String, String)>,
    generated: String,
    command: String,
    out: String,
    version: &'static str,
}

#[derive(Debug, Serialize)]
struct Tile {
    label: &'static str,
    value: String,
    note: String,
    /// `bad`, `good` or nothing.
    tone: &'static str,
}

#[derive(Debug, Serialize)]
struct FlakyView {
    origin: String,
    target: String,
    kind: String,
    message: String,
    seen: String,
}

pub(crate) fn render(data: &ReportData) -> anyhow::Result<String> {
    let mut environment = Environment::new();
    // Values are quoted in templates whose names end in `.html`, so not in the style sheet.
    environment.add_template("report.css", STYLE).context("cannot parse the style sheet")?;
    environment.add_template("report.html", TEMPLATE).context("cannot parse the template")?;
    let template = environment.get_template("report.html")?;
    let text = template.render(Serde(page(data))).context("cannot render the report")?;
    // minijinja drops the last line break of a template.
    Ok(text + "\n")
}

fn page(data: &ReportData) -> Page {
    let summary = &data.summary;
    // New findings first, otherwise in the order of the hunt.
    let mut findings: Vec<FindingView> =
        summary.findings.iter().take(FINDINGS).map(FindingView::of).collect();
    findings.sort_by_key(|finding| finding.known.is_some());
    Page {
        headline: headline(summary),
        clean: summary.findings.is_empty(),
        verdict: verdict(summary),
        ended: ended(&summary.ended),
        failed: matches!(summary.ended, Ended::Failed(_)),
        tiles: tiles(summary),
        plot: plot(&data.samples, &data.found_at),
        growth: growth(&data.growth, summary.tally.growth.as_ref()),
        findings,
        more_findings: summary.findings.len().saturating_sub(FINDINGS),
        flaky: summary.flaky.iter().take(ROWS).map(flaky).collect(),
        skipped: summary
            .skipped
            .iter()
            .take(ROWS)
            .map(|(why, count)| (line(why, TITLE), thousands(*count)))
            .collect(),
        generated: line(&data.generated, NAME),
        command: line(&data.command, 2_000),
        out: line(&data.out, 2_000),
        version: env!("CARGO_PKG_VERSION"),
    }
}

fn headline(summary: &Summary) -> String {
    let cases = counted(summary.tally.cases, "case");
    let known = summary.findings.iter().filter(|finding| finding.known.is_some()).count();
    let count = summary.findings.len();
    match (count, known) {
        (0, _) => format!("No findings in {cases}"),
        (_, 0) => format!("{} in {cases}", counted(count as u64, "finding")),
        (1, 1) => format!("1 known finding in {cases}"),
        _ => format!(
            "{} ({} known) in {cases}",
            counted(count as u64, "finding"),
            thousands(known as u64)
        ),
    }
}

fn verdict(summary: &Summary) -> &'static str {
    match (summary.tally.cases, summary.flaky.len()) {
        (0, _) => "None: no case was tried.",
        (_, 0) => "None. Every observed case kept its promise.",
        _ => "None. Every observed case kept its promise, except for flaky failures.",
    }
}

fn ended(ended: &Ended) -> String {
    match ended {
        Ended::Cases => "All requested cases are done.".to_owned(),
        Ended::Time => "The time was up.".to_owned(),
        Ended::Space => "There were no further cases.".to_owned(),
        Ended::Interrupted => "The hunt was interrupted.".to_owned(),
        Ended::Underway => "The hunt is running, or was killed.".to_owned(),
        Ended::Failed(why) => format!("The hunt failed: {}", line(why, TITLE)),
    }
}

fn tiles(summary: &Summary) -> Vec<Tile> {
    let tally = &summary.tally;
    let known = summary.findings.iter().filter(|finding| finding.known.is_some()).count();
    let new = summary.findings.len() - known;
    let tile = |label, value, note, tone| Tile { label, value, note, tone };
    let share = |count: u64| percent(count as f64 / tally.cases.max(1) as f64);
    vec![
        tile(
            "New findings",
            thousands(new as u64),
            match (new, tally.unfinished) {
                (0, _) => "nothing to report".to_owned(),
                (_, 0) => "all reduced".to_owned(),
                (_, waiting) => format!("{} to be reduced", thousands(waiting)),
            },
            if new > 0 { "bad" } else { "good" },
        ),
        tile("Known", thousands(known as u64), "reported upstream".to_owned(), ""),
        tile(
            "Cases",
            thousands(tally.cases),
            format!("{} per second", rate(tally.cases_per_second())),
            "",
        ),
        tile(
            "Time",
            duration(tally.elapsed),
            format!("{} in compilers", percent(tally.compiler_share())),
            "",
        ),
        tile(
            "Compiler runs",
            thousands(tally.runs),
            format!("{} in all", duration(tally.in_compilers)),
            "",
        ),
        tile(
            "Skipped",
            thousands(tally.skipped),
            format!("{} of the cases", share(tally.skipped)),
            "",
        ),
        tile(
            "Flaky",
            thousands(summary.flaky.len() as u64),
            "not counted as findings".to_owned(),
            "",
        ),
        tile(
            "Duplicates",
            thousands(tally.duplicates),
            format!("of {}", counted(tally.broken, "broken promise")),
            "",
        ),
    ]
}

fn flaky(flaky: &Flaky) -> FlakyView {
    FlakyView {
        origin: line(&flaky.origin.to_string(), NAME),
        target: line(&flaky.target, NAME),
        kind: line(&flaky.kind, NAME),
        message: line(&flaky.message, TITLE),
        seen: format!("{} of {}", flaky.seen, flaky.tries),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::specimens;

    fn data(summary: Summary) -> ReportData {
        // A hunt with a slow start and a pause.
        let rate = |second: u64| match second {
            0..8 => 20 * second,
            40..46 => 10,
            _ => 125 + 20 * (second % 3),
        };
        let mut cases = 0;
        let samples = (0..=80).map(|second| {
            cases += rate(second);
            (second as f64, cases)
        });
        ReportData {
            summary,
            samples: samples.collect(),
            growth: vec![],
            found_at: vec![
                (4.5, "a07c55e1".into()),
                (12.0, "3f2a91bc".into()),
                (61.0, "0be4d2f8".into()),
            ],
            generated: "2026-01-01 01:01 UTC".to_owned(),
            command: "mistrust hunt --target mycc --target othercc --cases 3000 --time 1h"
                .to_owned(),
            out: "/home/me/mistrust out".to_owned(),
        }
    }

    #[test]
    fn a_report_contains_every_finding() {
        let text = render(&data(specimens::summary())).unwrap();
        specimens::compare("report.html", &text);
    }

    #[test]
    fn a_report_without_findings_states_that() {
        let mut data = data(specimens::nothing());
        data.found_at.clear();
        let text = render(&data).unwrap();
        specimens::compare("report-nothing.html", &text);
        assert!(text.contains("No findings in 10,000 cases"));
    }

    #[test]
    fn a_report_is_self_contained() {
        let text = render(&data(specimens::summary())).unwrap();
        for word in ["<script", "<link", "<img", "src=", "url(", "@import", "<iframe"] {
            assert!(!text.contains(word), "{word}");
        }
    }

    #[test]
    fn hostile_text_is_quoted() {
        let mut data = data(specimens::hostile());
        let poison = data.summary.findings[0].version.clone();
        data.found_at = vec![(1.0, poison.clone())];
        data.command = poison;
        let text = render(&data).unwrap();
        assert!(!text.contains("<script") && !text.contains("javascript:"));
        assert!(text.contains("&lt;script&gt;") && text.contains("{{ x }}"));
        assert!(!text.chars().any(|character| character.is_control() && character != '\n'));
        assert!(text.len() < 1_000_000, "{} bytes", text.len());
        // Every element that is opened is closed.
        for tag in ["pre", "table", "section", "article", "details", "div", "svg", "span", "dl"] {
            let opened = text.matches(&format!("<{tag}>")).count()
                + text.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, text.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}
