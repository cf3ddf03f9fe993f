//! Which settings of the targets a hunt uses: all, or those that the user named. Findings are still examined
//! under all settings, because that tells more about them.

use forge::Case;

use crate::setting::Setting;
use crate::target::{Spec, Target};

/// Patterns of setting names, in which `*` matches anything. An empty list selects every setting.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    pub names: Vec<String>,
}

impl Choice {
    /// The selected settings of a target, including occasional ones.
    pub fn of<'a>(&self, target: &'a dyn Target) -> Vec<&'a Setting> {
        let all = target.spec().settings.iter().chain(&target.spec().occasional);
        all.filter(|setting| self.names.iter().any(|name| matches(name, &setting.name))).collect()
    }

    /// The settings under which a batch is compiled. If the target's schedule rotates settings, the selected
    /// ones rotate, too.
    pub(super) fn settings_for(&self, target: &dyn Target, cases: &[Case]) -> Vec<Setting> {
        let spec = target.spec();
        if self.names.is_empty() {
            return spec.settings_for(cases);
        }
        let chosen: Vec<Setting> = self.of(target).into_iter().cloned().collect();
        let schedule = spec.schedule.restricted(&chosen);
        Spec { schedule, ..spec.clone() }.settings_for(cases)
    }
}

/// Whether a name matches a pattern with stars.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(end) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_matches_any_text() {
        for (pattern, name) in [
            ("O0-mir0", "O0-mir0"),
            ("legacy-*", "legacy-none"),
            ("*-gas", "venom-gas"),
            ("only-*Prop", "only-DataflowConstProp"),
            ("*", "anything"),
            ("a*b*c", "a-b-b-c"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("O0", "O0-mir0"),
            ("legacy-*", "venom-none"),
            ("*-gas", "gas"),
            ("a*a", "a"),
            ("a*b*c", "acb"),
            ("", "O0"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
