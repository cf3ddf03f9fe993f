//! `rules check FILE`: a user's own rules, each proven with the route named, or with a counterexample.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use identity::kernel::{Relation, SEMANTICS};
use identity::{Entry, Rule, Standing, export, parse};

use super::list::told;
use crate::cli::{Common, ListFormat};
use crate::exit::Exit;

pub(super) fn run(
    common: &Common,
    path: &Path,
    format: ListFormat,
    jobs: Option<u16>,
) -> anyhow::Result<Exit> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let (rules, wrong) = parse::rules(&text);
    let place = path.display().to_string();
    let mut complaints: Vec<(usize, usize, String)> = wrong
        .iter()
        .map(|misread| (misread.line, misread.column, misread.reason.clone()))
        .collect();
    // Proofs take their time, and a slip of the pen should not wait for them.
    if format == ListFormat::Text {
        super::super::print(&told_all(&place, &complaints))?;
        complaints.clear();
    }
    let all: Vec<&Rule> = rules.iter().collect();
    let standings = super::prove::search(common, &all, jobs);
    for (rule, standings) in rules.iter().zip(&standings) {
        complaints.extend(unmet(rule, standings));
    }
    complaints.sort();
    let output = match format {
        ListFormat::Json => {
            let entries = rules.iter().zip(&standings).map(|(rule, standings)| Entry {
                rule: rule.clone(),
                source: place.clone(),
                standings: standings.clone(),
            });
            let entries: Vec<serde_json::Value> =
                entries.map(|entry| export::json_entry(&entry)).collect();
            let errors: Vec<serde_json::Value> = complaints
                .iter()
                .map(|(line, column, reason)| serde_json::json!({ "line": line, "column": column, "reason": reason }))
                .collect();
            serde_json::to_string_pretty(
                &serde_json::json!({ "rules": entries, "errors": errors }),
            )? + "\n"
        }
        ListFormat::Text => {
            let mut text = String::new();
            for (rule, standings) in rules.iter().zip(&standings) {
                let _ = writeln!(text, "{}", rule.name);
                for (standing, names) in grouped(rule, standings) {
                    let _ = writeln!(
                        text,
                        "    {}\n        {}",
                        told(standing, rule),
                        names.join(", ")
                    );
                }
            }
            text.push_str(&told_all(&place, &complaints));
            text
        }
    };
    super::super::print(&output)?;
    Ok(if complaints.is_empty() && wrong.is_empty() { Exit::Clean } else { Exit::Findings })
}

fn told_all(place: &str, complaints: &[(usize, usize, String)]) -> String {
    let line = |(line, column, reason): &(usize, usize, String)| {
        format!("{place}:{line}:{column}: {reason}\n")
    };
    complaints.iter().map(line).collect()
}

/// Claims that were not proven; without claims, a rule has to be proven somewhere.
fn unmet(rule: &Rule, standings: &[Standing]) -> Vec<(usize, usize, String)> {
    let mut unmet = Vec::new();
    for claim in &rule.claims {
        let index = SEMANTICS.iter().position(|semantics| semantics.name == claim.semantics);
        let Some(standing) = index.and_then(|index| standings.get(index)) else { continue };
        let met = matches!(standing, Standing::Proven { relation, .. }
            if *relation == claim.relation || *relation == Relation::Exact);
        if !met {
            let reason = format!(
                "`{}` is claimed under {}, but it is {}",
                rule.name,
                claim.semantics,
                told(standing, rule)
            );
            unmet.push((claim.line, 5, reason));
        }
    }
    if rule.claims.is_empty() && !standings.iter().any(Standing::is_proven) {
        // What fails under one semantics only may still be true of words.
        let refuted =
            standings.iter().all(|s| matches!(s, Standing::Unsound(_) | Standing::Absent));
        let why = standings.iter().find(|s| refuted && matches!(s, Standing::Unsound(_)));
        let why = why.map_or_else(
            || "not proven under any semantics".to_owned(),
            |standing| told(standing, rule),
        );
        unmet.push((rule.line, 1, format!("`{}` is {why}", rule.name)));
    }
    unmet
}

/// Standings that read alike, each with the semantics that have it.
fn grouped<'a>(rule: &Rule, standings: &'a [Standing]) -> Vec<(&'a Standing, Vec<&'static str>)> {
    let mut groups: Vec<(String, &'a Standing, Vec<&'static str>)> = Vec::new();
    for (semantics, standing) in SEMANTICS.iter().zip(standings) {
        if matches!(standing, Standing::Absent) {
            continue;
        }
        let text = told(standing, rule);
        match groups.iter_mut().find(|(other, _, _)| *other == text) {
            Some((_, _, names)) => names.push(semantics.name),
            None => groups.push((text, standing, vec![semantics.name])),
        }
    }
    groups.into_iter().map(|(_, standing, names)| (standing, names)).collect()
}
