//! Tries a finding in the other forms that its method can give it: plain Rust says more to the reader of
//! a report than MIR does.

use forge::Method;

use super::confirm::TIMES;
use super::examiner::Examiner;
use crate::finding::Exhibit;

/// The restatements that fail like the exhibit, under its setting, every time.
pub fn restate(method: &dyn Method, examiner: &Examiner, exhibit: &Exhibit) -> Vec<Exhibit> {
    let fails = |case: forge::Case| {
        let restated = Exhibit { case, ..exhibit.clone() };
        let settings = examiner.relevant(&restated);
        // Another failure is not this bug, and most likely one of the restatement.
        let look = || {
            let seen = examiner.exhibit(&restated.case, &settings);
            seen.filter(|seen| seen.breach.kind == exhibit.breach.kind)
        };
        let first = look()?;
        (1..TIMES).all(|_| look().is_some()).then_some(first)
    };
    method.restatements(&exhibit.case).into_iter().filter_map(fails).collect()
}
