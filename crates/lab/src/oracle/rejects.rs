//! Judges `Rejects`: the program is invalid by construction, so the compiler must report an error under every setting.
//! A crash breaks the promise as it breaks every other.

use forge::{Observation, Outcome};

use super::{first_breach, survives};
use crate::verdict::{Breach, BreachKind, Verdict};

/// The last step of the trail says why the program is invalid. It tells apart programs that are wrongly accepted.
pub(super) fn judge(trail: &[String], observations: &[Observation]) -> Verdict {
    if let Some(breach) = survives::breach(observations) {
        return Verdict::Broken(breach);
    }
    let why = trail.last().map_or("the program is invalid", String::as_str);
    let accepted = |outcome: &Outcome| {
        let kind = (BreachKind::Acceptance, format!("accepted although {why}"), vec![]);
        outcome.is_accepted().then_some(kind)
    };
    match first_breach(observations, accepted) {
        Some(breach) => Verdict::Broken(Breach {
            expected: Some(format!("rejected, because {why}")),
            actual: "[accepted]".to_owned(),
            // What the emitted program does is irrelevant.
            input: None,
            ..breach
        }),
        None => Verdict::Kept,
    }
}
