//! The name of a target: `mycc` or `mycc@1.2`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A compiler family and, optionally, a version.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct TargetName {
    pub family: String,
    pub version: Option<String>,
}

impl TargetName {
    pub fn new(family: &str, version: Option<&str>) -> Self {
        Self { family: family.to_owned(), version: version.map(str::to_owned) }
    }
}

impl From<String> for TargetName {
    fn from(text: String) -> Self {
        match text.split_once('@') {
            Some((family, version)) => Self::new(family, Some(version)),
            None => Self { family: text, version: None },
        }
    }
}

impl From<TargetName> for String {
    fn from(name: TargetName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(out, "{}@{version}", self.family),
            None => out.write_str(&self.family),
        }
    }
}
