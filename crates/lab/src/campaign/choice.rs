//! Which settings of the targets a hunt uses: all of them, or those that somebody named. What is found is
//! still looked at under all settings, since that says more about it.

use forge::Case;

use crate::setting::Setting;
use crate::target::{Spec, Target};

/// Names of settings, in which `*` stands for anything. Without any, every setting is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    pub names: Vec<String>,
}

impl Choice {
    /// The settings of a target that are chosen, also of those that only take turns.
    pub fn of<'a>(&self, target: &'a dyn Target) -> Vec<&'a Setting> {
        let all = target.spec().settings.iter().chain(&target.spec().occasional);
        all.filter(|setting| self.names.iter().any(|name| fits(name, &setting.name))).collect()
    }

    /// The settings under which cases are shown to a target: where its settings take turns, so do the
    /// chosen ones.
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

/// Whether a name is what a pattern says: the parts between its stars, in order.
fn fits(pattern: &str, name: &str) -> bool {
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
    use super::fits;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name) in [
            ("O0-mir0", "O0-mir0"),
            ("legacy-*", "legacy-none"),
            ("*-gas", "venom-gas"),
            ("only-*Prop", "only-DataflowConstProp"),
            ("*", "anything"),
            ("a*b*c", "a-b-b-c"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("O0", "O0-mir0"),
            ("legacy-*", "venom-none"),
            ("*-gas", "gas"),
            ("a*a", "a"),
            ("a*b*c", "acb"),
            ("", "O0"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }
}
