//! A setting: one way to call a compiler, that is, one combination of option values.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One way to call a compiler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The name in observations and reports, for example `opt=2`.
    pub name: String,
    /// Settings of one class are expected to share bugs. Part of a finding's signature while the culprit is
    /// unknown.
    pub class: String,
    /// The value of each option, in the order in which the target declares them.
    pub values: Vec<(String, String)>,
    /// Further arguments, such as a bisection limit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extra: Vec<String>,
}

impl Setting {
    /// The setting of a target without options.
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
