//! A finding exists once its failure came back every time that it was asked for.

use super::examiner::Examiner;
use super::signature::Signature;
use crate::finding::Exhibit;

/// How often a failure has to come back before it is a finding.
pub const TIMES: u32 = 3;

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is only ever one of it")]
pub enum Confirmation {
    /// It came back every time; the exhibit is from a look at all settings, unless they take turns.
    Confirmed(Exhibit),
    /// It came back in `seen` of `tries`.
    Flaky { seen: u32, tries: u32 },
}

/// Looks at the case alone, under all settings, and asks that the same failure comes back. Where settings
/// take turns, the one that showed it is enough.
pub fn confirm(examiner: &Examiner, suspect: &Exhibit, signature: &Signature) -> Confirmation {
    let case = &suspect.case;
    let mut seen = 0;
    let mut first: Option<Exhibit> = None;
    for _ in 0..TIMES {
        let settings = match &first {
            Some(exhibit) => examiner.relevant(exhibit),
            None if examiner.takes_turns(case) => examiner.relevant(suspect),
            None => examiner.settings(&suspect.breach),
        };
        let Some(exhibit) = examiner.exhibit(case, &settings) else { continue };
        if examiner.sign(case, &exhibit.breach) == *signature {
            seen += 1;
            first.get_or_insert(exhibit);
        }
    }
    match first {
        Some(exhibit) if seen == TIMES => Confirmation::Confirmed(exhibit),
        _ => Confirmation::Flaky { seen, tries: TIMES },
    }
}
