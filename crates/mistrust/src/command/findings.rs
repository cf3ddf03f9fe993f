//! `mistrust findings`: lists what was found, or shows one of it. It can be asked during a hunt.

use std::fmt::Write as _;

use lab::finding::Finding;
use lab::store::Store;
use serde_json::json;

use crate::cli::{Common, Findings, FindingsAction, FindingsOptions, ListFormat};
use crate::display::printable::printable;
use crate::exit::Exit;
use crate::laboratory::Laboratory;

pub(crate) fn run(common: &Common, arguments: &Findings) -> anyhow::Result<Exit> {
    let laboratory = Laboratory::open(common)?;
    let open = |options: &FindingsOptions| Store::read(&laboratory.out(options.out.as_deref()));
    match &arguments.action {
        None => list(&open(&arguments.options)?, arguments.options.format),
        Some(FindingsAction::List { options }) => list(&open(options)?, options.format),
        Some(FindingsAction::Show { id, options }) => show(&open(options)?, id, options.format),
    }
}

fn list(store: &Store, format: ListFormat) -> anyhow::Result<Exit> {
    let findings = store.findings()?;
    let text = match format {
        ListFormat::Json => {
            let findings: Vec<serde_json::Value> = findings.iter().map(brief).collect();
            serde_json::to_string_pretty(&findings)? + "\n"
        }
        ListFormat::Text if findings.is_empty() => {
            format!("no findings in {} after {} cases\n", store.out().display(), store.cases()?)
        }
        ListFormat::Text => {
            let mut text = String::new();
            for finding in &findings {
                let known = finding.known.as_ref().map(|known| format!(" [known: {}]", known.name));
                let title = format!("{}{}", finding.title(), known.unwrap_or_default());
                let (id, seen, progress) = (&finding.id, finding.sightings, finding.progress);
                let progress = progress.to_string();
                let _ = writeln!(text, "{id}  {seen:>6}×  {progress:<9}  {}", printable(&title));
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

/// What a list says of a finding.
fn brief(finding: &Finding) -> serde_json::Value {
    json!({
        "id": finding.id,
        "title": finding.title(),
        "kind": finding.signature.kind,
        "target": finding.target,
        "version": finding.version,
        "ticket": finding.ticket(),
        "sightings": finding.sightings,
        "progress": finding.progress,
        "known": finding.known,
        "culprits": finding.culprits,
        "first_seen": finding.first_seen,
        "folder": finding.folder(),
    })
}

fn show(store: &Store, id: &str, format: ListFormat) -> anyhow::Result<Exit> {
    let finding = store.finding(id)?;
    let sightings = store.sightings(&finding.id)?;
    let text = match format {
        ListFormat::Json => {
            let tickets: Vec<serde_json::Value> = sightings
                .iter()
                .map(|(ticket, target)| json!({ "ticket": ticket, "target": target }))
                .collect();
            let mut document = serde_json::to_value(&finding)?;
            document["title"] = json!(finding.title());
            document["sighted_by"] = json!(tickets);
            serde_json::to_string_pretty(&document)? + "\n"
        }
        ListFormat::Text => {
            let folder = store.folder(&finding);
            let report = std::fs::read_to_string(folder.join("report.md"))?;
            let others: Vec<String> =
                sightings.iter().take(20).map(|(ticket, _)| ticket.to_string()).collect();
            format!(
                "{}\nSeen {} times: {}{}\nFolder: {}\n",
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
