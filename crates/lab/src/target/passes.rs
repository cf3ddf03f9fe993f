//! Bisection over the passes of a described compiler that can stop after its n-th pass and prints the passes
//! that it runs.

use regex::Regex;

use super::template::Template;
use super::{Axis, PassId};
use crate::setting::Setting;

/// A limit that no compiler reaches, so that all passes run and are listed.
const ALL: &str = "2147483647";

#[derive(Clone, Debug)]
pub(super) struct Passes {
    pub(super) limit: Template,
    /// Its group `pass` is the name.
    pub(super) pattern: Regex,
}

impl Passes {
    /// The setting under which the compiler lists its passes.
    pub(super) fn listing(&self, setting: &Setting) -> Setting {
        self.limited(setting, ALL)
    }

    /// The axis over the passes in the compiler's output.
    pub(super) fn axis(&self, setting: &Setting, printed: &str) -> Option<Axis> {
        let names = self.pattern.captures_iter(printed);
        let passes = names
            .filter_map(|groups| groups.name("pass").map(|name| PassId::new(name.as_str().trim())));
        Axis::of_passes(passes, |count| self.limited(setting, &count.to_string()))
    }

    fn limited(&self, setting: &Setting, n: &str) -> Setting {
        let mut limited = setting.clone();
        limited.extra = self.limit.fill(|_| n.to_owned());
        limited
    }
}
