//! The culprit of a failure: a pass, an option or a range of versions, found by bisecting an ordered list.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::target::PassId;

/// The cause of a failure, as far as bisection can tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", from = "Stored")]
pub enum Culprit {
    /// A pass of the compiler.
    Pass(PassCulprit),
    /// The value of an option.
    Option(OptionCulprit),
    /// The versions that have the bug.
    Versions(VersionRange),
}

/// The pass that causes a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassCulprit {
    /// The last good pass; `None` if already the first pass is bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good: Option<PassId>,
    /// The first bad pass.
    pub bad: PassId,
    /// Earlier passes that the failure also requires, if the bad pass alone does not cause it. Either they
    /// are wrong and the bad pass exposes it, or the bad pass mishandles their valid output.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<PassId>,
    /// The later pass after which the wrong result of the bad pass shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exposed_by: Option<PassId>,
}

/// The value of an option that causes a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptionCulprit {
    pub option: String,
    /// The last good value, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good: Option<String>,
    pub bad: String,
}

/// The versions that have a failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionRange {
    /// The last good version before it, if an installed one is good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub good: Option<String>,
    /// The first bad version.
    pub bad: String,
    /// The results of newer versions, if any are installed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<After>,
}

/// How far the failure extends into versions newer than the one where it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct After {
    /// The last bad version.
    pub bad: String,
    /// The first version that is good again, if any.
    pub good: Option<String>,
}

impl PassCulprit {
    /// The passes that identify the failure: the bad one, after those that it requires.
    pub fn blamed(&self) -> Vec<PassId> {
        self.with.iter().chain([&self.bad]).cloned().collect()
    }
}

impl Culprit {
    /// What was bisected: `pass`, `version`, or the name of an option.
    pub fn axis(&self) -> &str {
        match self {
            Self::Pass(_) => "pass",
            Self::Option(option) => &option.option,
            Self::Versions(_) => "version",
        }
    }

    /// The last good point, as text.
    pub fn good(&self) -> Option<String> {
        match self {
            Self::Pass(pass) => {
                Some(pass.good.as_ref().map_or("no pass".to_owned(), ToString::to_string))
            }
            Self::Option(option) => option.good.clone(),
            Self::Versions(versions) => versions.good.clone(),
        }
    }

    /// The first bad point, as text.
    pub fn bad(&self) -> String {
        match self {
            Self::Pass(pass) => pass.bad.to_string(),
            Self::Option(option) => option.bad.clone(),
            Self::Versions(versions) => versions.bad.clone(),
        }
    }

    /// Remarks besides the last good and first bad point.
    pub fn remarks(&self) -> Vec<String> {
        match self {
            Self::Pass(pass) => {
                let exposed = pass.exposed_by.as_ref().map(|by| format!("exposed by {by}"));
                let with: Vec<String> = pass.with.iter().map(ToString::to_string).collect();
                let with = (!with.is_empty()).then(|| format!("also requires {}", with.join(", ")));
                exposed.into_iter().chain(with).collect()
            }
            Self::Option(_) => vec![],
            Self::Versions(versions) => {
                let remark = |after: &After| match &after.good {
                    Some(good) => format!("last bad {}, good again in {good}", after.bad),
                    None => format!("still bad in {}", after.bad),
                };
                versions.after.as_ref().map(remark).into_iter().collect()
            }
        }
    }
}

/// The culprit pass, if known.
pub fn pass(culprits: &[Culprit]) -> Option<&PassCulprit> {
    culprits.iter().find_map(|culprit| match culprit {
        Culprit::Pass(pass) => Some(pass),
        Culprit::Option(_) | Culprit::Versions(_) => None,
    })
}

/// The passes that identify a failure; empty if unknown.
pub fn blamed(culprits: &[Culprit]) -> Vec<PassId> {
    pass(culprits).map(PassCulprit::blamed).unwrap_or_default()
}

impl fmt::Display for Culprit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.good() {
            Some(good) => write!(out, "{}: {} (good until {good}", self.axis(), self.bad())?,
            None => write!(out, "{}: {} (nothing earlier is good", self.axis(), self.bad())?,
        }
        self.remarks().iter().try_for_each(|remark| write!(out, "; {remark}"))?;
        out.write_str(")")
    }
}

/// The stored form: the current one, or that of the first version, in which everything was text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Current(Current),
    First {
        axis: String,
        good: Option<String>,
        bad: String,
        #[serde(default)]
        with: Vec<String>,
        #[serde(default)]
        shown_by: Option<String>,
        #[serde(default)]
        after: Option<After>,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Current {
    Pass(PassCulprit),
    Option(OptionCulprit),
    Versions(VersionRange),
}

impl From<Stored> for Culprit {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Current(Current::Pass(pass)) => Self::Pass(pass),
            Stored::Current(Current::Option(option)) => Self::Option(option),
            Stored::Current(Current::Versions(versions)) => Self::Versions(versions),
            Stored::First { axis, good, bad, with, shown_by, after } => match axis.as_str() {
                "pass" => Self::Pass(PassCulprit {
                    good: good.filter(|good| !good.starts_with("no pass")).map(|it| read_pass(&it)),
                    bad: read_pass(&bad),
                    with: with.iter().map(|it| read_pass(it)).collect(),
                    exposed_by: shown_by.map(|it| read_pass(&it)),
                }),
                "version" => Self::Versions(VersionRange { good, bad, after }),
                _ => Self::Option(OptionCulprit { option: axis, good, bad }),
            },
        }
    }
}

/// Parses a pass such as `DeadStoreElimination-final (MIR)`.
pub fn read_pass(text: &str) -> PassId {
    match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
        Some((run, layer @ "MIR")) => {
            let (name, turn) =
                run.split_once('-').map_or((run, None), |(it, turn)| (it, Some(turn)));
            PassId::new(name).in_layer(layer).at_turn(turn)
        }
        Some((name, layer)) => PassId::new(name).in_layer(layer),
        None => PassId::new(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn current_and_first_stored_forms_are_read() {
        let pass = Culprit::Pass(PassCulprit {
            good: None,
            bad: PassId::new("GVN").in_layer("MIR"),
            with: vec![PassId::new("SimplifyCfg").in_layer("MIR").at_turn(Some("final"))],
            exposed_by: None,
        });
        let text = serde_json::to_string(&pass).unwrap();
        assert_eq!(serde_json::from_str::<Culprit>(&text).unwrap(), pass);
        let first = r#"{"axis":"pass","good":"no pass (MIR)","bad":"GVN (MIR)","with":["SimplifyCfg-final (MIR)"]}"#;
        assert_eq!(serde_json::from_str::<Culprit>(first).unwrap(), pass);
        let first = r#"{"axis":"opt","good":"1","bad":"2"}"#;
        let option =
            OptionCulprit { option: "opt".into(), good: Some("1".into()), bad: "2".into() };
        assert_eq!(serde_json::from_str::<Culprit>(first).unwrap(), Culprit::Option(option));
    }
}
