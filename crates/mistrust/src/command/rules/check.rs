//! `rules check FILE`: proves a user's rules, or finds counterexamples.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;
use identity::kernel::{Relation, SEMANTICS};
use identity::{Entry, Rule, Standing, export, parse};

use super::list::describe;
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
    let (rules, syntax_errors) = parse::rules(&text);
    let place = path.display().to_string();
    let mut errors: Vec<(usize, usize, String)> = syntax_errors
        .iter()
        .map(|misread| (misread.line, misread.column, misread.reason.clone()))
        .collect();
    // Proofs take long, so syntax errors are printed first.
    if format == ListFormat::Text {
        super::super::print(&error_lines(&place, &errors))?;
        errors.clear();
    }
    let all: Vec<&Rule> = rules.iter().collect();
    let standings = super::prove::search(common, &all, jobs);
    for (rule, standings) in rules.iter().zip(&standings) {
        errors.extend(unmet(rule, standings));
    }
    errors.sort();
    let output = match format {
        ListFormat::Json => {
            let entries = rules.iter().zip(&standings).map(|(rule, standings)| Entry {
                rule: rule.clone(),
                source: place.clone(),
                standings: standings.clone(),
            });
            let entries: Vec<serde_json::Value> =
                entries.map(|entry| export::json_entry(&entry)).collect();
            let errors: Vec<serde_json::Value> = errors
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
                        describe(standing, rule),
                        names.join(", ")
                    );
                }
            }
            text.push_str(&error_lines(&place, &errors));
            text
        }
    };
    super::super::print(&output)?;
    Ok(if errors.is_empty() && syntax_errors.is_empty() { Exit::Clean } else { Exit::Findings })
}

fn error_lines(place: &str, errors: &[(usize, usize, String)]) -> String {
    let line = |(line, column, reason): &(usize, usize, String)| {
        format!("{place}:{line}:{column}: {reason}\n")
    };
    errors.iter().map(line).collect()
}

/// Claims that were not proven. A rule without claims must be proven under some semantics.
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
                describe(standing, rule)
            );
            unmet.push((claim.line, 5, reason));
        }
    }
    if rule.claims.is_empty() && !standings.iter().any(Standing::is_proven) {
        // A rule that fails under one semantics may still hold under another.
        let refuted =
            standings.iter().all(|s| matches!(s, Standing::Unsound(_) | Standing::Absent));
        let why = standings.iter().find(|s| refuted && matches!(s, Standing::Unsound(_)));
        let why = why.map_or_else(
            || "not proven under any semantics".to_owned(),
            |standing| describe(standing, rule),
        );
        unmet.push((rule.line, 1, format!("`{}` is {why}", rule.name)));
    }
    unmet
}

/// Groups the semantics by the text of their standing.
fn grouped<'a>(rule: &Rule, standings: &'a [Standing]) -> Vec<(&'a Standing, Vec<&'static str>)> {
    let mut groups: Vec<(String, &'a Standing, Vec<&'static str>)> = Vec::new();
    for (semantics, standing) in SEMANTICS.iter().zip(standings) {
        if matches!(standing, Standing::Absent) {
            continue;
        }
        let text = describe(standing, rule);
        match groups.iter_mut().find(|(other, _, _)| *other == text) {
            Some((_, _, names)) => names.push(semantics.name),
            None => groups.push((text, standing, vec![semantics.name])),
        }
    }
    groups.into_iter().map(|(_, standing, names)| (standing, names)).collect()
}
