//! `mistrust findings`: lists the findings, or shows one. It also works during a hunt.

use std::fmt::Write as _;
use std::io::IsTerminal as _;

use anstream::{AutoStream, ColorChoice};
use lab::finding::Finding;
use lab::store::{Findings as _, Leases as _, SqliteStore, now};
use lab::triage::known::KnownBugs;
use serde_json::json;

use crate::cli::{Common, Findings, FindingsAction, FindingsOptions, ListFormat};
use crate::display::palette::Palette;
use crate::display::printable::printable;
use crate::display::table;
use crate::exit::Exit;
use crate::laboratory::Laboratory;

pub(crate) fn run(common: &Common, arguments: &Findings) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    let known = laboratory.known_bugs()?;
    let open =
        |options: &FindingsOptions| SqliteStore::read(&laboratory.out(options.out.as_deref()));
    match &arguments.action {
        None => list(&open(&arguments.options)?, &known, arguments.options.format),
        Some(FindingsAction::List { options }) => list(&open(options)?, &known, options.format),
        Some(FindingsAction::Show { id, options }) => show(&open(options)?, id, options.format),
    }
}

fn list(store: &SqliteStore, known: &KnownBugs, format: ListFormat) -> anyhow::Result<Exit> {
    let mut findings = store.findings()?;
    findings.iter_mut().for_each(|finding| {
        known.apply(finding);
    });
    // New findings come first.
    findings.sort_by_key(|finding| finding.known.is_some());
    let text = match format {
        ListFormat::Json => {
            let findings: Vec<serde_json::Value> = findings.iter().map(brief).collect();
            serde_json::to_string_pretty(&findings)? + "\n"
        }
        ListFormat::Text if findings.is_empty() => {
            format!("no findings in {} after {} cases\n", store.out().display(), store.cases()?)
        }
        ListFormat::Text => {
            let stdout = std::io::stdout();
            let color = AutoStream::choice(&stdout) != ColorChoice::Never;
            let palette = Palette::new(color && stdout.is_terminal());
            let width = console::Term::stdout().size_checked().map(|(_, columns)| columns.into());
            let mut text = String::new();
            for line in table::lines(&findings, &palette, width, Some(now())) {
                let _ = writeln!(text, "{line}");
            }
            text
        }
    };
    super::print(&text)?;
    Ok(if findings.iter().any(|finding| finding.known.is_none()) {
        Exit::Findings
    } else {
        Exit::Clean
    })
}

/// A finding in the list.
fn brief(finding: &Finding) -> serde_json::Value {
    json!({
        "id": finding.id,
        "title": finding.title(),
        "kind": finding.signature.kind,
        "target": finding.target,
        "version": finding.version,
        "origin": finding.origin(),
        "sightings": finding.sightings,
        "progress": finding.progress,
        "known": finding.known,
        "culprits": finding.culprits,
        "first_seen": finding.first_seen,
        "folder": finding.folder(),
    })
}

fn show(store: &SqliteStore, id: &str, format: ListFormat) -> anyhow::Result<Exit> {
    let finding = store.finding(id)?;
    let sightings = store.sightings(&finding.id)?;
    let text = match format {
        ListFormat::Json => {
            let origins: Vec<serde_json::Value> = sightings
                .iter()
                .map(|(origin, target)| json!({ "origin": origin, "target": target }))
                .collect();
            let mut document = serde_json::to_value(&finding)?;
            document["title"] = json!(finding.title());
            document["sighted_by"] = json!(origins);
            serde_json::to_string_pretty(&document)? + "\n"
        }
        ListFormat::Text => {
            let folder = store.out().join(finding.folder());
            let report = std::fs::read_to_string(folder.join("report.md"))?;
            let others: Vec<String> =
                sightings.iter().take(20).map(|(origin, _)| origin.to_string()).collect();
            format!(
                "{}\nReproduced by {} cases: {}{}\nFolder: {}\n",
                printable(report.trim_end()),
                finding.sightings,
                others.join(", "),
                if sightings.len() > others.len() { ", …" } else { "" },
                folder.display()
            )
        }
    };
    super::print(&text)?;
    Ok(Exit::Clean)
}
