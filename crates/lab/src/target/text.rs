//! Texts, valid or not, which are compiled and not entered. Each has a run of the compiler of its own, because most are
//! rejected; a batch only shares what is done per batch.

use forge::{Case, Interface, Language, Observation, Outcome, Program};

use super::{Attempt, Batch, Reads, Seen};
use crate::setting::Setting;

/// How many texts are handed out together.
const BATCH: usize = 8;

/// The row of a target that compiles texts of this language.
pub(super) fn reads(language: &str) -> Reads {
    Reads { language: Language::new(language), interface: Interface::Text, batch: Batch::of(BATCH) }
}

pub(super) fn is_text(program: &Program) -> bool {
    program.interface == Interface::Text
}

/// Compiles the programs of some cases one by one; `None` if they are no texts.
pub(super) fn attempt(
    cases: &[&Case],
    setting: &Setting,
    compile: impl Fn(&Program) -> Outcome,
) -> Option<Attempt> {
    let mut programs = cases.iter().flat_map(|case| &case.programs);
    if !programs.any(is_text) {
        return None;
    }
    let observe = |(program, source): (usize, &Program)| Observation {
        program,
        setting: setting.name.clone(),
        input: None,
        outcome: compile(source),
    };
    let see = |case: &&Case| {
        Seen::from(case.programs.iter().enumerate().map(observe).collect::<Vec<_>>())
    };
    Some(Attempt::Each(cases.iter().map(see).collect()))
}
