//! Locates a failure: by the options of its setting, then by the number of passes that run
//! (`-opt-bisect-limit`). Passes that a code generator cannot do without are not counted.

use std::sync::LazyLock;

use forge::Case;
use regex::Regex;

use super::LlcTarget;
use super::settings::{LEVEL, SELECTOR};
use crate::setting::Setting;
use crate::target::{Axis, Bench, PassControl, PassId};

/// `BISECT: running pass (12) Machine Instruction Scheduler on function (f)`, or with `(12)` behind the name in
/// newer versions.
static PASS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"BISECT: running pass (?:\(\d+\) )?(?<pass>.+?)(?: \(\d+\))? on ").ok()
});

impl PassControl for LlcTarget {
    fn axes(&self, case: &Case, setting: &Setting, bench: &Bench) -> Vec<Axis> {
        let Some(program) = case.programs.first() else { return vec![] };
        let levels = Axis::of_option(LEVEL, ["0", "1", "2", "3"], setting);
        let selectors = Axis::of_option(SELECTOR, ["dag", "global"], setting);
        let limited = |limit: usize| {
            let extra = setting.extra.iter().cloned();
            let extra = extra.chain([format!("-opt-bisect-limit={limit}")]).collect();
            Setting { extra, ..setting.clone() }
        };
        let printed = self.tools.printed(program, &limited(i32::MAX as usize), bench);
        let passes = printed.as_deref().zip(PASS.as_ref()).and_then(|(text, pass)| {
            let passes = pass.captures_iter(text).map(|found| PassId::new(&found["pass"]));
            Axis::of_passes(passes, limited)
        });
        selectors.into_iter().chain(passes).chain(levels).collect()
    }
}
