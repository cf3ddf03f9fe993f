//! Judges `Consistent`, for analysers: nothing crashes or hangs, and no two answers contradict each other.
//! An undecided statement contradicts nothing.

use forge::{Observation, Outcome};

use super::{distinct, survives, undecided};
use crate::verdict::{Breach, BreachKind, Verdict};

pub(super) fn judge(observations: &[Observation]) -> Verdict {
    if let Some(breach) = survives::breach(observations) {
        return Verdict::Broken(breach);
    }
    let answers: Vec<Answer<'_>> = observations.iter().flat_map(answers).collect();
    for first in &answers {
        let others = answers
            .iter()
            .filter(|other| other.statement == first.statement && other.holds != first.holds);
        let others: Vec<&Observation> = others.map(|other| other.of).collect();
        let Some(wrong) = others.first() else { continue };
        let said =
            |holds: bool| format!("{}: {}", first.statement, if holds { "yes" } else { "no" });
        return Verdict::Broken(Breach {
            kind: BreachKind::Contradiction,
            setting: wrong.setting.clone(),
            settings: distinct(others.iter().copied()),
            message: format!("contradicts itself about {}", first.statement),
            frames: vec![],
            unstable: false,
            program: wrong.program,
            input: wrong.input,
            expected: Some(format!("{} (under {})", said(first.holds), first.of.setting)),
            actual: said(!first.holds),
        });
    }
    if answers.is_empty() {
        return Verdict::Skipped(undecided("the analyser decided nothing"));
    }
    Verdict::Kept
}

struct Answer<'a> {
    of: &'a Observation,
    statement: &'a str,
    holds: bool,
}

fn answers(of: &Observation) -> Vec<Answer<'_>> {
    match &of.outcome {
        Outcome::Analysed(facts) => {
            facts.iter().map(|(statement, holds)| Answer { of, statement, holds: *holds }).collect()
        }
        Outcome::Accepted
        | Outcome::Ran(_)
        | Outcome::Rejected { .. }
        | Outcome::Crashed { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::NoArtifact
        | Outcome::Unrunnable { .. }
        | Outcome::Checked(_)
        | Outcome::Unobserved(_) => vec![],
    }
}
