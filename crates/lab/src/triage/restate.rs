//! Tries to reproduce a finding in other forms, if its method has any: plain Rust is easier to read than MIR.

use forge::Method;

use super::confirm::TIMES;
use super::examiner::Examiner;
use crate::finding::Exhibit;

/// The restatements that fail in the same way as the exhibit, under its setting, every time.
pub fn restate(method: &dyn Method, examiner: &Examiner, exhibit: &Exhibit) -> Vec<Exhibit> {
    let fails = |case: forge::Case| {
        let restated = Exhibit { case, ..exhibit.clone() };
        let settings = examiner.relevant(&restated);
        // A different failure is not this bug. Most likely the restatement is wrong.
        let look = || {
            let seen = examiner.exhibit(&restated.case, &settings);
            seen.filter(|seen| seen.breach.kind == exhibit.breach.kind)
        };
        let first = look()?;
        (1..TIMES).all(|_| look().is_some()).then_some(first)
    };
    method.restatements(&exhibit.case).into_iter().filter_map(fails).collect()
}
