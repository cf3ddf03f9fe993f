//! Confirmation: a failure becomes a finding only if it reproduces every time.

use super::diagnosis::Diagnosis;
use super::examiner::Examiner;
use crate::finding::Exhibit;
use crate::verdict::BreachKind;

/// How often a failure must reproduce before it is a finding.
pub const TIMES: u32 = 3;

/// Whether a failure reproduces.
#[derive(Clone, Debug)]
pub enum Confirmation {
    /// It reproduced every time. The exhibit covers all settings, unless they take turns.
    Confirmed(Exhibit),
    /// It crashed every time, with different messages.
    Unstable(Exhibit),
    /// It reproduced in `seen` of `tries` tries.
    Flaky { seen: u32, tries: u32 },
}

/// Runs the case alone, under all settings, and requires the same failure. If settings take turns, only the one
/// that showed it is used.
pub fn confirm(examiner: &Examiner, diagnosis: &Diagnosis) -> Confirmation {
    let suspect = &diagnosis.exhibit;
    let case = &suspect.case;
    let turns = examiner.target.spec().schedule.takes_turns();
    let (mut seen, mut crashes) = (0, 0);
    let mut first: Option<Exhibit> = None;
    let mut crash: Option<Exhibit> = None;
    let patient = examiner.patient();
    for time in 0..TIMES {
        // On a slow machine a compiler runs out of wall-clock time without using much of its CPU time.
        let is_hang = suspect.breach.kind == BreachKind::Hang;
        let examiner = if time == 0 && is_hang { &patient } else { examiner };
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
