//! Locates a failure by the number of passes that run: `-opt-bisect-limit`.

use std::sync::LazyLock;

use forge::Case;
use regex::Regex;

use super::OptTarget;
use crate::setting::Setting;
use crate::target::{Axis, Bench, PassControl, PassId};

/// `BISECT: running pass (12) InstCombinePass on f`, or with `(12)` behind the name in newer versions.
static PASS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"BISECT: running pass \(\d+\) (?<pass>\S+)").ok());

/// A limit that leaves no pass out. Up to 17 the greatest number means that there is none, and nothing is printed.
pub(super) const ALL: usize = i32::MAX as usize - 1;

/// The passes that ran, as a run with a limit prints them.
pub(super) fn names(printed: &str) -> Vec<String> {
    let Some(pass) = PASS.as_ref() else { return vec![] };
    pass.captures_iter(printed).map(|found| found["pass"].to_owned()).collect()
}

impl PassControl for OptTarget {
    fn axes(&self, case: &Case, setting: &Setting, bench: &Bench) -> Vec<Axis> {
        let Some(program) = case.programs.first() else { return vec![] };
        let limited = |limit: usize| {
            let extra = setting.extra.iter().cloned();
            let extra = extra.chain([format!("-opt-bisect-limit={limit}")]).collect();
            Setting { extra, ..setting.clone() }
        };
        let printed = self.opt.printed(program, &limited(ALL), bench);
        let Some(text) = printed else { return vec![] };
        let passes = names(&text);
        Axis::of_passes(passes.iter().map(PassId::new), limited).into_iter().collect()
    }
}
