//! `rules export`: writes the library for other provers and checkers.

use std::path::Path;

use anyhow::Context as _;
use identity::kernel::{Goal, Relation, SEMANTICS, Scope};
use identity::prove::establish::certificate;
use identity::{Effort, Entry, Route, Standing, WIDTHS, export};

use super::filter::Filter;
use crate::cli::RulesFilter;
use crate::exit::Exit;

pub(super) fn run(
    options: &RulesFilter,
    lean: Option<&Path>,
    smt: Option<&Path>,
    lrat: Option<&Path>,
) -> anyhow::Result<Exit> {
    let filter = Filter::new(options)?;
    let library = super::library()?;
    let entries: Vec<&Entry> = library.entries.iter().filter(|entry| filter.has(entry)).collect();
    if let Some(folder) = lean {
        for file in export::lean_project(&entries) {
            write(&folder.join(&file.path), &file.text)?;
        }
        super::super::print(&format!(
            "{} rules as a Lean project in {}\n",
            entries.len(),
            folder.display()
        ))?;
    }
    if let Some(folder) = smt {
        let count = scripts(&entries, options, folder)?;
        super::super::print(&format!("{count} SMT-LIB scripts in {}\n", folder.display()))?;
    }
    if let Some(folder) = lrat {
        let count = proofs(&entries, options, folder)?;
        super::super::print(&format!("{count} refutations in {}\n", folder.display()))?;
    }
    Ok(Exit::Clean)
}

/// One script per proven rule, for the requested semantics and width (by default `words` and 64 bits).
fn scripts(entries: &[&Entry], options: &RulesFilter, folder: &Path) -> anyhow::Result<usize> {
    let mut count = 0;
    let wanted = options.semantics.as_deref().unwrap_or("words");
    for entry in entries {
        for semantics in SEMANTICS.iter().filter(|semantics| semantics.name == wanted) {
            let widths = WIDTHS.into_iter().filter(|&width| width == options.width.unwrap_or(64));
            for width in widths {
                let Some(relation) = entry.relation(semantics, width) else { continue };
                let scope = Scope::At(width);
                let Ok(goal) = Goal::new(&entry.rule.equation, semantics, relation, scope) else {
                    continue;
                };
                let relation = match relation {
                    Relation::Exact => "exact",
                    Relation::Forward => "left to right",
                    Relation::Backward => "right to left",
                };
                let title = format!(
                    "{}, {relation} under {} at {width} bits",
                    entry.rule.name, semantics.name
                );
                let Some(script) = export::smt_script(&title, &goal) else { continue };
                write(
                    &folder.join(format!("{}.{}.{width}.smt2", entry.rule.name, semantics.name)),
                    &script,
                )?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Derives each refutation that a proof uses again, as `NAME.cnf` and `NAME.lrat`; for all semantics and widths, unless
/// one is requested.
fn proofs(entries: &[&Entry], options: &RulesFilter, folder: &Path) -> anyhow::Result<usize> {
    let mut count = 0;
    let wanted = |name: &str| options.semantics.as_deref().is_none_or(|wanted| wanted == name);
    for entry in entries {
        for semantics in SEMANTICS.iter().filter(|semantics| wanted(semantics.name)) {
            let Standing::Proven { relation, where_to } = entry.standing(semantics) else {
                continue;
            };
            for proven in where_to {
                let Scope::At(width) = proven.scope else { continue };
                let may_refute = matches!(proven.route, Route::Refutation | Route::Cases);
                if !may_refute || options.width.is_some_and(|wanted| wanted != width) {
                    continue;
                }
                let equation = &entry.rule.equation;
                let Ok(goal) = Goal::new(equation, semantics, *relation, proven.scope) else {
                    continue;
                };
                let Some((_, certificate)) = certificate(&goal, &Effort::default()) else {
                    continue;
                };
                let found = export::refutations(&goal, &certificate)?;
                for (number, refutation) in found.iter().enumerate() {
                    let name = format!("{}.{}.{width}.{number}", entry.rule.name, semantics.name);
                    write(&folder.join(format!("{name}.cnf")), &refutation.clauses)?;
                    write(&folder.join(format!("{name}.lrat")), &refutation.proof)?;
                }
                count += found.len();
            }
        }
    }
    Ok(count)
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
