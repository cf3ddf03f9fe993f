//! Makes a case smaller: edits of its module and pipeline, the boldest first. `propose.rs` and `passes.rs` say
//! which are worth a try, `edit.rs` applies one, `clean.rs` removes what it left without a use. Every
//! candidate is verified; whether it still fails, and is not undefined on its inputs, is judged like any
//! other case.

mod clean;
mod edit;
mod passes;
mod propose;
#[cfg(test)]
mod tests;

use forge::{Candidates, Case};

use crate::ir::Module;
use crate::pipeline;

use edit::Edit;
use propose::edits;

/// Smaller cases. Nothing where the text cannot be read.
pub(crate) fn candidates(case: &Case) -> Candidates<'_> {
    let Some(source) = case.programs.first().map(|program| program.source.as_str()) else {
        return Box::new(std::iter::empty());
    };
    let Ok(module) = Module::parse(source) else { return Box::new(std::iter::empty()) };
    let passes = pipeline::of(source).unwrap_or_default().to_owned();
    let edits = edits(&module, &passes);
    Box::new(edits.into_iter().map(move |edit| smaller(case, &module, &passes, &edit)))
}

fn smaller(case: &Case, before: &Module, passes: &str, edit: &Edit) -> Option<Case> {
    let (mut module, mut passes) = (before.clone(), passes.to_owned());
    edit.apply(&mut module, &mut passes)?;
    let module = clean::clean(module)?;
    module.verify().ok()?;
    let source =
        if passes.is_empty() { module.text() } else { pipeline::line(&passes) + &module.text() };
    let old = &case.programs.first()?.source;
    // More text must be fewer instructions, or a reduction would have no end.
    let is_worth = source.len() <= old.len() || instructions(&module) < instructions(before);
    if source == *old || source.len() > old.len() + 40 || !is_worth {
        return None;
    }
    let mut smaller = case.clone();
    smaller.programs.first_mut()?.source = source;
    Some(smaller)
}

fn instructions(module: &Module) -> usize {
    let code = module.functions.iter().filter_map(|function| function.code());
    code.map(|code| code.instructions().count()).sum()
}
