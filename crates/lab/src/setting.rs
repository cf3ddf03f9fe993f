//! A setting is one way to call a compiler: a point in the product of its options.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// What observations and reports call it, for example `opt=2`.
    pub name: String,
    /// Settings of one class are expected to share their bugs: a part of the signature of a finding
    /// while the culprit is unknown.
    pub class: String,
    /// The value of each option, in the order in which the target declares them.
    pub values: Vec<(String, String)>,
    /// Arguments beyond the options, such as the limit of a bisection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<String>,
}

impl Setting {
    /// The setting of a target that has no options.
    pub fn plain() -> Self {
        Self::of(vec![])
    }

    pub fn of(values: Vec<(String, String)>) -> Self {
        let words: Vec<String> =
            values.iter().map(|(option, value)| format!("{option}={value}")).collect();
        let name = if words.is_empty() { "default".to_owned() } else { words.join(",") };
        Self { class: name.clone(), name, values, extra: vec![] }
    }

    pub fn value(&self, option: &str) -> Option<&str> {
        self.values.iter().find(|(name, _)| name == option).map(|(_, value)| value.as_str())
    }

    /// The same setting with one option changed.
    pub fn with(&self, option: &str, value: &str) -> Self {
        let mut values = self.values.clone();
        for (name, old) in &mut values {
            if name == option {
                value.clone_into(old);
            }
        }
        Self { extra: self.extra.clone(), ..Self::of(values) }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.name)
    }
}

/// Two settings at a time, one of each half of a list: in the square of its turns, each of the one meets each of the other.
pub fn pair(settings: &[Setting], turn: usize) -> Vec<Setting> {
    let (first, second) = settings.split_at(settings.len() / 2);
    let at = |list: &[Setting], turn: usize| list.get(turn % list.len().max(1)).cloned();
    let met = turn / first.len().max(1);
    [at(first, turn), at(second, turn + met)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Setting, pair};

    #[test]
    fn in_their_turns_all_meet() {
        let all: Vec<Setting> =
            (0..6).map(|at| Setting::of(vec![("O".to_owned(), format!("{at}"))])).collect();
        let names = |turn| pair(&all, turn).into_iter().map(|it| it.name).collect::<Vec<_>>();
        assert_eq!(names(0), ["O=0", "O=3"]);
        assert_eq!((0..9).map(names).collect::<BTreeSet<_>>().len(), 9);
        assert_eq!((0..3).flat_map(names).collect::<BTreeSet<_>>().len(), 6);
        assert!(pair(&[], 7).is_empty());
        assert_eq!(pair(&all[..1], 7).len(), 1);
    }
}
