//! `rules list` and `rules show`.

use std::fmt::Write as _;

use identity::kernel::{Relation, SEMANTICS};
use identity::{Entry, Library, Proven, Rule, Standing, export, print};

use super::filter::Filter;
use crate::cli::{ListFormat, RulesFilter};
use crate::exit::{Exit, Usage};

pub(super) fn list(options: &RulesFilter, format: ListFormat) -> anyhow::Result<Exit> {
    let filter = Filter::new(options)?;
    let library = super::library()?;
    let entries: Vec<&Entry> = library.entries.iter().filter(|entry| filter.has(entry)).collect();
    match format {
        ListFormat::Json => {
            let rules: Vec<serde_json::Value> =
                entries.iter().map(|entry| export::json_entry(entry)).collect();
            super::super::print(&(serde_json::to_string_pretty(&rules)? + "\n"))?;
        }
        ListFormat::Text => {
            let mut text = String::new();
            for entry in &entries {
                let rule = &entry.rule;
                let side = |side| print::term(rule.terms(), &rule.variables, side);
                let proven = entry.standings.iter().filter(|standing| standing.is_proven()).count();
                let category = rule.category.name();
                let equation = format!("{} = {}", side(rule.left()), side(rule.right()));
                let _ = writeln!(
                    text,
                    "{:<32} {category:<14} {proven:>2}/{}  {equation}",
                    rule.name,
                    SEMANTICS.len()
                );
            }
            let _ = writeln!(text, "{} rules of {}", entries.len(), library.entries.len());
            super::super::print(&text)?;
        }
    }
    Ok(Exit::Clean)
}

pub(super) fn show(name: &str, format: ListFormat) -> anyhow::Result<Exit> {
    let library = super::library()?;
    let entry = library.named(name).ok_or_else(|| unknown(name, &library))?;
    let text = match format {
        ListFormat::Json => serde_json::to_string_pretty(&export::json_entry(entry))? + "\n",
        ListFormat::Text => described(entry),
    };
    super::super::print(&text)?;
    Ok(Exit::Clean)
}

fn unknown(name: &str, library: &Library) -> Usage {
    let like = library.entries.iter().filter(|entry| entry.rule.name.contains(name)).take(8);
    let like: Vec<&str> = like.map(|entry| entry.rule.name.as_str()).collect();
    let hint = if like.is_empty() {
        "`mistrust rules list` prints all names".into()
    } else {
        like.join(", ")
    };
    Usage(format!("there is no rule `{name}`: {hint}"))
}

/// The text of a rule, its standing under every semantics, and how it treats operands.
fn described(entry: &Entry) -> String {
    let rule = &entry.rule;
    let mut text = print::rule(rule);
    let _ = writeln!(text, "\ncategory {}, in rules/{}.rules", rule.category.name(), entry.source);
    for (title, from, to) in
        [("left to right", rule.left(), rule.right()), ("right to left", rule.right(), rule.left())]
    {
        let handling = rule.handling(from, to);
        let mut marks = Vec::new();
        for (what, variables) in [
            ("drops", &handling.drops),
            ("invents", &handling.invents),
            ("duplicates", &handling.duplicates),
        ] {
            let names: Vec<&str> =
                variables.iter().map(|&v| rule.variables[usize::from(v)].name.as_str()).collect();
            if !names.is_empty() {
                marks.push(format!("{what} {}", names.join(", ")));
            }
        }
        if handling.reorders {
            marks.push("reorders operands".into());
        }
        if !marks.is_empty() {
            let _ = writeln!(text, "{title}: {}", marks.join("; "));
        }
    }
    text.push('\n');
    for (semantics, standing) in SEMANTICS.iter().zip(&entry.standings) {
        let _ = writeln!(text, "  {:<20} {}", semantics.name, describe(standing, rule));
    }
    text
}

/// The text of a standing.
pub(super) fn describe(standing: &Standing, rule: &Rule) -> String {
    match standing {
        Standing::Proven { relation, where_to } => {
            let relation = match relation {
                Relation::Exact => "exact",
                Relation::Forward => "left to right only",
                Relation::Backward => "right to left only",
            };
            let proofs: Vec<String> = where_to.iter().map(Proven::to_string).collect();
            format!("{relation}, {}", proofs.join(", "))
        }
        Standing::Unsound(counterexample) => {
            let names: Vec<String> =
                rule.variables.iter().map(|variable| variable.name.clone()).collect();
            format!("not sound: {}", counterexample.told(&names))
        }
        Standing::Tested => "not proven".into(),
        Standing::Absent => "–".into(),
    }
}
