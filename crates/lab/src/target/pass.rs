//! Names of passes, and the trait of targets that can control them.

use std::fmt;

use forge::Case;
use serde::{Deserialize, Serialize};

use super::Bench;
use crate::setting::Setting;

/// One pass of a compiler.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PassId {
    /// The optimiser that it belongs to, if the compiler has several: `MIR`, `LLVM`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    pub name: String,
    /// Which of its runs, if these have names: `initial`, `final`. All runs of a pass share its code and so its
    /// bugs, so this is not part of a signature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
}

impl PassId {
    pub fn new(name: impl Into<String>) -> Self {
        Self { layer: None, name: name.into(), turn: None }
    }

    #[must_use]
    pub fn in_layer(self, layer: &str) -> Self {
        Self { layer: Some(layer.to_owned()), ..self }
    }

    #[must_use]
    pub fn at_turn(self, turn: Option<&str>) -> Self {
        Self { turn: turn.map(str::to_owned), ..self }
    }

    #[must_use]
    pub fn without_turn(&self) -> Self {
        self.clone().at_turn(None)
    }

    /// Whether both are runs of one pass.
    pub fn is_same_pass(&self, other: &Self) -> bool {
        self.layer == other.layer && self.name == other.name
    }

    pub fn is_in(&self, layer: &str) -> bool {
        self.layer.as_deref() == Some(layer)
    }

    /// The compiler's name for this run: `DeadStoreElimination-final`.
    pub fn run_name(&self) -> String {
        match &self.turn {
            Some(turn) => format!("{}-{turn}", self.name),
            None => self.name.clone(),
        }
    }
}

impl fmt::Display for PassId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.run_name())?;
        match &self.layer {
            Some(layer) => write!(out, " ({layer})"),
            None => Ok(()),
        }
    }
}

/// Controls the passes of a compiler, and lists the axes along which failures are bisected. Versions are separate
/// targets.
pub trait PassControl: Send + Sync {
    /// The axes along which a failure of this case under this setting can be bisected.
    fn axes(&self, case: &Case, setting: &Setting, bench: &Bench) -> Vec<Axis>;

    /// The setting with all runs of one pass disabled, if the compiler can do that: such a check needs one run,
    /// where a bisection needs a dozen.
    fn without(&self, setting: &Setting, pass: &PassId) -> Option<Setting> {
        let _ = (setting, pass);
        None
    }

    /// The settings under which a pass is the only one: one for each of its turns, or for the given turn.
    fn alone(&self, pass: &PassId) -> Vec<&Setting> {
        let _ = pass;
        vec![]
    }

    /// Whether the output of every pass has fully defined behaviour. Then the first pass after which the result is
    /// wrong is the culprit, regardless of earlier passes.
    fn passes_are_exact(&self) -> bool {
        false
    }

    /// The setting with the compiler's own IR verifier after each pass. A rejection is a crash, from whose message
    /// [`PassControl::rejected_after`] gets the pass.
    fn verified(&self, setting: &Setting) -> Option<Setting> {
        let _ = setting;
        None
    }

    /// The pass whose result the verifier rejected, from the message.
    fn rejected_after(&self, message: &str) -> Option<PassId> {
        let _ = message;
        None
    }
}

/// An ordered list of settings to bisect, the least optimising first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The first `n` passes, for each `n`.
    Passes(Vec<PassPoint>),
    /// The values of an option, from the least to the most optimising.
    Option { name: String, points: Vec<OptionPoint> },
}

/// A point on an axis of passes: a setting, and the last pass that runs under it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassPoint {
    /// The last pass that runs; `None` if none does.
    pub pass: Option<PassId>,
    pub setting: Setting,
}

/// A point on the axis of an option: a value, and the setting with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionPoint {
    pub value: String,
    pub setting: Setting,
}

impl Axis {
    /// From no pass to all passes; `None` if there is no pass. `limited(n)` is the setting in which the first `n`
    /// passes run.
    pub fn of_passes(
        passes: impl IntoIterator<Item = PassId>,
        limited: impl Fn(usize) -> Setting,
    ) -> Option<Self> {
        let labels = std::iter::once(None).chain(passes.into_iter().map(Some));
        let point = |(count, pass)| PassPoint { pass, setting: limited(count) };
        let points: Vec<PassPoint> = labels.enumerate().map(point).collect();
        (points.len() > 1).then_some(Self::Passes(points))
    }

    /// The values of one option up to that of `setting`, all other options unchanged; `None` if that is the
    /// first.
    pub fn of_option<'a>(
        name: &str,
        values: impl IntoIterator<Item = &'a str>,
        setting: &Setting,
    ) -> Option<Self> {
        let mut points: Vec<OptionPoint> = vec![];
        for value in values {
            if points.iter().all(|point| point.value != value) {
                let setting = setting.with(name, value);
                points.push(OptionPoint { value: value.to_owned(), setting });
            }
        }
        let end =
            points.iter().position(|point| Some(point.value.as_str()) == setting.value(name))?;
        points.truncate(end + 1);
        (points.len() > 1).then(|| Self::Option { name: name.to_owned(), points })
    }

    /// An axis for each option of a setting.
    pub fn of_options(settings: &[Setting], setting: &Setting) -> Vec<Self> {
        let axis = |(name, _): &(String, String)| {
            let values = settings.iter().filter_map(|setting| setting.value(name));
            Self::of_option(name, values, setting)
        };
        setting.values.iter().filter_map(axis).collect()
    }

    /// The setting of each point.
    pub fn settings(&self) -> Vec<&Setting> {
        match self {
            Self::Passes(points) => points.iter().map(|point| &point.setting).collect(),
            Self::Option { points, .. } => points.iter().map(|point| &point.setting).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turn_does_not_distinguish_passes() {
        let pass = |turn| PassId::new("DeadStoreElimination").in_layer("MIR").at_turn(turn);
        assert_eq!(pass(Some("final")).to_string(), "DeadStoreElimination-final (MIR)");
        assert!(pass(Some("final")).is_same_pass(&pass(Some("initial"))));
        assert_eq!(pass(Some("final")).without_turn(), pass(None));
        assert!(!pass(None).is_same_pass(&PassId::new("DeadStoreElimination").in_layer("LLVM")));
    }

    #[test]
    fn an_axis_ends_at_the_value_that_fails() {
        let setting = |value: &str| Setting::of(vec![("O".to_owned(), value.to_owned())]);
        let all = ["0", "1", "2"].map(setting);
        let axes = Axis::of_options(&all, &all[1]);
        assert_eq!(axes.len(), 1);
        assert_eq!(axes[0].settings().len(), 2);
        assert!(Axis::of_options(&all, &all[0]).is_empty());
    }
}
