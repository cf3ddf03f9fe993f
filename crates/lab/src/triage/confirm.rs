//! A finding exists once its failure came back every time that it was asked for.

use super::diagnosis::Diagnosis;
use super::examiner::Examiner;
use crate::finding::Exhibit;
use crate::verdict::BreachKind;

/// How often a failure has to come back before it is a finding.
pub const TIMES: u32 = 3;

#[derive(Clone, Debug)]
pub enum Confirmation {
    /// It came back every time; the exhibit is from a look at all settings, unless they take turns.
    Confirmed(Exhibit),
    /// It crashed every time, each time with another message.
    Unstable(Exhibit),
    /// It came back in `seen` of `tries`.
    Flaky { seen: u32, tries: u32 },
}

/// Looks at the case alone, under all settings, and asks that the same failure comes back. Where settings
/// take turns, the one that showed it is enough.
pub fn confirm(examiner: &Examiner, diagnosis: &Diagnosis) -> Confirmation {
    let suspect = &diagnosis.exhibit;
    let case = &suspect.case;
    let turns = examiner.target.spec().schedule.takes_turns();
    let (mut seen, mut crashes) = (0, 0);
    let mut first: Option<Exhibit> = None;
    let mut crash: Option<Exhibit> = None;
    for _ in 0..TIMES {
        let settings = match &first {
            Some(exhibit) => examiner.relevant(exhibit),
            None if turns => examiner.relevant(suspect),
            None => examiner.settings(&suspect.breach),
        };
        let Some(exhibit) = examiner.exhibit(case, &settings) else { continue };
        if exhibit.breach.kind == BreachKind::Crash {
            crashes += 1;
            crash.get_or_insert_with(|| exhibit.clone());
        }
        if examiner.sign(case, &exhibit.breach) == diagnosis.first {
            seen += 1;
            first.get_or_insert(exhibit);
        }
    }
    match first {
        Some(exhibit) if seen == TIMES => return Confirmation::Confirmed(exhibit),
        Some(_) | None => {}
    }
    match crash {
        Some(exhibit) if crashes == TIMES && diagnosis.first.kind == BreachKind::Crash => {
            Confirmation::Unstable(exhibit)
        }
        Some(_) | None => Confirmation::Flaky { seen, tries: TIMES },
    }
}
