//! Compilers that can stop after their n-th optimisation and say which ones they run: the list to
//! bisect when one of them is to blame.

use regex::Regex;

use super::template::Template;
use super::{Axis, PassId};
use crate::setting::Setting;

/// Asks for more steps than any compiler takes, so that all are taken and listed.
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

    /// The axis from no pass at all to every pass in what the compiler printed.
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
