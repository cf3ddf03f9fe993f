//! The settings of Binaryen, as tables: the levels, single passes, and the order of the default passes, which is
//! bisected.

use super::super::{Axis, PassId};
use crate::setting::Setting;

/// The passes that `optimize` chooses by the levels.
pub(super) const DEFAULT: &str = "default";

/// Name, optimisation level, shrink level, passes, input format. The first changes nothing.
const SETTINGS: &[(&str, &str, &str, &str, &str)] = &[
    ("none", "0", "0", "", "binary"),
    ("O1", "1", "0", DEFAULT, "binary"),
    ("O2", "2", "0", DEFAULT, "binary"),
    ("O3", "3", "0", DEFAULT, "binary"),
    ("O4", "4", "0", DEFAULT, "binary"),
    ("Os", "2", "1", DEFAULT, "binary"),
    ("Oz", "2", "2", DEFAULT, "binary"),
];

/// The text reader alone.
const TEXT: (&str, &str, &str, &str, &str) = ("text", "0", "0", "", "text");

/// The default passes at the highest level, in order. A pass that runs several times is listed several times.
const PIPELINE: &[&str] = &[
    "duplicate-function-elimination",
    "ssa-nomerge",
    "flatten",
    "simplify-locals-notee-nostructure",
    "vacuum",
    "dce",
    "remove-unused-names",
    "remove-unused-brs",
    "remove-unused-names",
    "optimize-instructions",
    "pick-load-signs",
    "precompute-propagate",
    "code-pushing",
    "simplify-locals-nostructure",
    "vacuum",
    "reorder-locals",
    "remove-unused-brs",
    "merge-locals",
    "coalesce-locals",
    "simplify-locals",
    "vacuum",
    "reorder-locals",
    "coalesce-locals",
    "reorder-locals",
    "vacuum",
    "code-folding",
    "merge-blocks",
    "remove-unused-brs",
    "remove-unused-names",
    "merge-blocks",
    "precompute-propagate",
    "optimize-instructions",
    "rse",
    "vacuum",
    "dae-optimizing",
    "inlining-optimizing",
    "duplicate-function-elimination",
    "simplify-globals-optimizing",
    "remove-unused-module-elements",
    "directize",
];

/// Passes that also run the function passes on changed functions, and the same passes without that.
const OPTIMIZING: &[(&str, &str)] = &[
    ("dae-optimizing", "dae"),
    ("inlining-optimizing", "inlining"),
    ("simplify-globals-optimizing", "simplify-globals"),
];

/// Single passes, with the passes that must run before them.
const ALONE: &[(&str, &[&str])] = &[
    ("optimize-instructions", &[]),
    ("precompute", &[]),
    ("precompute-propagate", &[]),
    ("simplify-locals", &[]),
    ("simplify-locals-nostructure", &[]),
    ("simplify-locals-nonesting", &[]),
    ("simplify-locals-notee-nostructure", &[]),
    ("coalesce-locals", &[]),
    ("coalesce-locals-learning", &[]),
    ("vacuum", &[]),
    ("dce", &[]),
    ("merge-blocks", &[]),
    ("merge-locals", &[]),
    ("code-folding", &[]),
    ("code-pushing", &[]),
    ("remove-unused-brs", &[]),
    ("remove-unused-names", &[]),
    ("rse", &[]),
    ("ssa", &[]),
    ("ssa-nomerge", &[]),
    ("untee", &[]),
    ("flatten", &[]),
    ("local-cse", &["flatten"]),
    ("rereloop", &["flatten"]),
    ("licm", &[]),
    ("inlining", &[]),
    ("inlining-optimizing", &[]),
    ("dae", &[]),
    ("dae-optimizing", &[]),
    ("const-hoisting", &[]),
    ("simplify-globals", &[]),
    ("simplify-globals-optimizing", &[]),
    ("duplicate-function-elimination", &[]),
    ("reorder-locals", &[]),
];

pub(super) fn settings() -> Vec<Setting> {
    SETTINGS.iter().map(|row| setting(*row)).collect()
}

pub(super) fn occasional() -> Vec<Setting> {
    let alone = ALONE.iter().map(|(pass, before)| {
        let list: Vec<&str> = before.iter().copied().chain([*pass]).collect();
        setting((&alone(pass), "2", "0", &list.join(","), "binary"))
    });
    std::iter::once(setting(TEXT)).chain(alone).collect()
}

/// The name of the setting that runs a single pass.
pub(super) fn alone(pass: &str) -> String {
    format!("only-{pass}")
}

/// The axes: the prefixes of the list of passes, first with passes that run others expanded, then unchanged.
pub(super) fn axes(setting: &Setting) -> Vec<Axis> {
    let plain = listed(setting);
    let full = written_out(&plain);
    let lists = if full == plain { vec![plain] } else { vec![full, plain] };
    lists.into_iter().filter_map(|passes| axis(setting, &passes)).collect()
}

fn axis(setting: &Setting, passes: &[&str]) -> Option<Axis> {
    let limited = |count: usize| {
        let list = passes[..count].join(",");
        let label = if count == 0 { "none" } else { passes[count - 1] };
        let name = format!("{} up to {count} {label}", setting.name);
        Setting { name, class: setting.class.clone(), ..setting.with("passes", &list) }
    };
    Axis::of_passes(passes.iter().map(|pass| PassId::new(*pass)), limited)
}

fn listed(setting: &Setting) -> Vec<&str> {
    match setting.value("passes") {
        None | Some(DEFAULT) => PIPELINE.to_vec(),
        Some(list) => list.split(',').filter(|pass| !pass.is_empty()).collect(),
    }
}

/// The same list, with passes that run others expanded.
fn written_out<'a>(passes: &[&'a str]) -> Vec<&'a str> {
    let functions = PIPELINE.iter().copied().skip(1);
    let functions = functions.take_while(|pass| *pass != "dae-optimizing");
    let nested: Vec<&str> = std::iter::once("precompute-propagate").chain(functions).collect();
    let part = |pass: &&'a str| match OPTIMIZING.iter().find(|(name, _)| name == pass) {
        Some((_, plain)) => std::iter::once(*plain).chain(nested.iter().copied()).collect(),
        None => vec![*pass],
    };
    passes.iter().flat_map(part).collect()
}

/// The setting without a pass, also inside passes that run it.
pub(super) fn without(setting: &Setting, pass: &str) -> Option<Setting> {
    let plain = listed(setting);
    let list = if plain.contains(&pass) && OPTIMIZING.iter().any(|(name, _)| *name == pass) {
        plain
    } else {
        written_out(&plain)
    };
    let left: Vec<&str> = list.iter().copied().filter(|it| *it != pass).collect();
    (left.len() < list.len()).then(|| {
        let name = format!("{} without {pass}", setting.name);
        let class = setting.class.clone();
        Setting { name, class, ..setting.with("passes", &left.join(",")) }
    })
}

fn setting((name, level, shrink, passes, read): (&str, &str, &str, &str, &str)) -> Setting {
    let values = [("level", level), ("shrink", shrink), ("passes", passes), ("read", read)];
    let values = values.map(|(option, value)| (option.to_owned(), value.to_owned()));
    Setting {
        class: name.to_owned(),
        name: name.to_owned(),
        values: values.to_vec(),
        extra: vec![],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn setting_names_are_unique() {
        let all: Vec<Setting> = settings().into_iter().chain(occasional()).collect();
        let names: BTreeSet<&str> = all.iter().map(|setting| setting.name.as_str()).collect();
        assert_eq!(names.len(), all.len());
    }

    #[test]
    fn the_axis_starts_with_no_pass_and_ends_with_all_passes() {
        let settings = settings();
        let axes = axes(&settings[2]);
        let [Axis::Passes(full), Axis::Passes(points)] = &axes[..] else { panic!("{axes:?}") };
        assert_eq!(points.len(), PIPELINE.len() + 1);
        assert!(full.len() > points.len());
        assert_eq!(points[0].setting.value("passes"), Some(""));
        assert_eq!(points[1].pass, Some(PassId::new(PIPELINE[0])));
        let last = &points[PIPELINE.len()].setting;
        assert_eq!(last.value("level"), Some("2"));
        let without = without(last, "vacuum").expect("it has the pass");
        assert!(!without.value("passes").unwrap_or_default().contains("vacuum"));
    }

    #[test]
    fn a_pass_that_runs_others_is_expanded() {
        let alone = occasional().into_iter().find(|it| it.name == "only-inlining-optimizing");
        let alone = alone.expect("there is such a setting");
        let axes = axes(&alone);
        let [Axis::Passes(full), Axis::Passes(plain)] = &axes[..] else { panic!("{axes:?}") };
        let names: Vec<&str> =
            full.iter().filter_map(|point| Some(point.pass.as_ref()?.name.as_str())).collect();
        assert_eq!(names[..3], ["inlining", "precompute-propagate", "ssa-nomerge"]);
        assert_eq!(names.last(), Some(&"vacuum"));
        assert_eq!(plain.len(), 2);
        let without = without(&alone, "precompute-propagate").expect("it runs that");
        let left = without.value("passes").unwrap_or_default();
        assert!(left.starts_with("inlining,ssa-nomerge,"), "{left}");
        assert!(!left.contains("precompute-propagate"), "{left}");
    }
}
