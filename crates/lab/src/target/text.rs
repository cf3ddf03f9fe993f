//! Texts, valid or not, which are compiled and not entered. Each has a run of the compiler of its own, because most are
//! rejected; a batch only shares what is done per batch.

use forge::{Case, Feedback, Interface, Language, Observation, Outcome, Program};

use super::failure::not_observed;
use super::{Attempt, Batch, Reads, Seen};
use crate::exec::{ExecError, Scratch};
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

/// What became of a text, and which blocks of the compiler it reached, if that was measured.
#[derive(Debug)]
pub(super) struct Surveyed {
    pub(super) outcome: Outcome,
    pub(super) feedback: Option<Feedback>,
}

impl From<Outcome> for Surveyed {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, feedback: None }
    }
}

/// The directory in which a text was compiled, and what became of it.
pub(super) type Made = Result<(Scratch, Surveyed), ExecError>;

pub(super) fn surveyed(made: Made) -> Surveyed {
    made.map_or_else(|error| not_observed(&error).into(), |(_, surveyed)| surveyed)
}

/// The file that was emitted, or the outcome of a failed compilation, and the coverage if that was measured.
pub(super) fn code(made: Made, file: &str) -> (Result<Vec<u8>, Outcome>, Option<Feedback>) {
    match made {
        Ok((scratch, Surveyed { outcome: Outcome::Accepted, feedback })) => {
            let code = std::fs::read(scratch.path().join(file));
            (code.map_err(|_| Outcome::NoArtifact), feedback)
        }
        Ok((_, Surveyed { outcome, feedback })) => (Err(outcome), feedback),
        Err(error) => (Err(not_observed(&error)), None),
    }
}

/// Compiles the programs of some cases one by one; `None` if they are no texts.
pub(super) fn attempt(
    cases: &[&Case],
    setting: &Setting,
    compile: impl Fn(&Program) -> Surveyed,
) -> Option<Attempt> {
    let mut programs = cases.iter().flat_map(|case| &case.programs);
    if !programs.any(is_text) {
        return None;
    }
    let see = |case: &&Case| {
        let mut seen = Seen::default();
        for (program, source) in case.programs.iter().enumerate() {
            let Surveyed { outcome, feedback } = compile(source);
            let setting = setting.name.clone();
            seen.observations.push(Observation { program, setting, input: None, outcome });
            if let Some(feedback) = feedback {
                seen.feedback.get_or_insert_default().features.extend(feedback.features);
            }
        }
        seen
    };
    Some(Attempt::Each(cases.iter().map(see).collect()))
}
