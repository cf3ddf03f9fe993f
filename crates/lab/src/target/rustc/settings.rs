//! The settings of rustc, as tables, and their schedule.

use crate::setting::Setting;
use crate::target::{Rotation, Schedule};

type Row = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Name, LLVM optimisation level, MIR optimisation level, and further options. The first is the reference: it does
/// not optimise.
const SETTINGS: &[Row] = &[
    ("O0", "0", "0", &[]),
    // All MIR passes without LLVM's, as cheap as no optimisation.
    ("O0-mir4", "0", "4", &[("debug-assertions", "off")]),
    ("O3-mir4", "3", "4", &[]),
    ("O2", "2", "2", &[]),
    ("O3-native", "3", "4", &[("target-cpu", "native")]),
    ("Os-units16", "s", "3", &[("codegen-units", "16")]),
    ("O0-mir4-checked", "0", "4", &[("debug-assertions", "on")]),
    ("O1", "1", "1", &[]),
    ("O0-mir2", "0", "2", &[("debug-assertions", "off")]),
    // Programs never violate a debug assertion, so these must not change the behaviour.
    ("O3-mir4-checked", "3", "4", &[("debug-assertions", "on")]),
    // Passes and LLVM must maintain debug information while they change the code.
    ("O2-debuginfo", "2", "4", &[("debuginfo", "2")]),
];

/// LLVM's passes on unoptimised MIR. Nearly all other settings optimise MIR first, so LLVM would get few unsimplified
/// programs.
const LLVM: &[Row] = &[
    ("O3-mir0", "3", "0", &[]),
    ("O2-mir0", "2", "0", &[]),
    ("Os-mir0", "s", "0", &[]),
    ("O3-mir0-native", "3", "0", &[("target-cpu", "native")]),
];

/// rustc validates MIR after every pass, and crashes with the name of the pass that broke it.
const LINT: Row = (
    "O0-mir4-lint",
    "0",
    "4",
    &[("debug-assertions", "off"), ("lint-mir", "yes"), ("validate-mir", "yes")],
);

/// The MIR passes that rewrite code, in their order. Each is also run alone, on the program as written. A version
/// ignores passes that it does not have.
pub(super) const PASSES: &[&str] = &[
    "LowerSliceLenCalls",
    "InstSimplify-before-inline",
    "Inline",
    "RemoveStorageMarkers",
    "RemoveZsts",
    "UnreachableEnumBranching",
    "UnreachablePropagation",
    "SimplifyCfg-after-unreachable-enum-branching",
    "MultipleReturnTerminators",
    "InstSimplify-after-simplifycfg",
    "SimplifyConstCondition-after-inst-simplify",
    "ReferencePropagation",
    "ScalarReplacementOfAggregates",
    "SimplifyLocals-before-const-prop",
    "DeadStoreElimination-initial",
    "GVN",
    "SimplifyLocals-after-value-numbering",
    "SsaRangePropagation",
    "MatchBranchSimplification",
    "DataflowConstProp",
    "SingleUseConsts",
    "SimplifyConstCondition-after-const-prop",
    "JumpThreading",
    "EarlyOtherwiseBranch",
    "SimplifyComparisonIntegral",
    "SimplifyConstCondition-final",
    "RemoveNoopLandingPads",
    "SimplifyCfg-final",
    "CopyProp",
    "DeadStoreElimination-final",
    "DestinationPropagation",
    "SimplifyLocals-final",
    "EnumSizeOpt",
];

/// The settings under which every failure is examined.
pub(super) fn all() -> Vec<Setting> {
    SETTINGS.iter().chain(LLVM).map(setting).collect()
}

/// The occasional settings: the one with the validator, then the single passes.
pub(super) fn occasional() -> Vec<Setting> {
    let alone = |pass: &&str| {
        let enabled = format!("+{pass}");
        let more = [("debug-assertions", "off"), ("mir-enable-passes", enabled.as_str())];
        setting(&(&format!("only-{pass}"), "0", "0", &more))
    };
    std::iter::once(setting(&LINT)).chain(PASSES.iter().map(alone)).collect()
}

/// The setting without the MIR validator, under the same name; `None` if it is not enabled.
pub(super) fn unchecked(setting: &Setting) -> Option<Setting> {
    let mut unchecked = setting.clone();
    unchecked.values.retain(|(option, _)| !["lint-mir", "validate-mir"].contains(&option.as_str()));
    (unchecked != *setting).then_some(unchecked)
}

/// The setting with the MIR validator; `None` if it is already enabled.
pub(super) fn checked(setting: &Setting) -> Option<Setting> {
    let mut checked = setting.clone();
    for check in ["lint-mir", "validate-mir"] {
        if setting.value(check).is_none() {
            checked.values.push((check.to_owned(), "yes".to_owned()));
        }
    }
    (checked != *setting).then_some(checked)
}

/// Of eight batches, five use the main settings and the one with the validator, two LLVM's passes on unoptimised MIR,
/// and one a single MIR pass.
pub(super) fn schedule(all: &[Setting], occasional: &[Setting]) -> Schedule {
    let is_single = |setting: &&Setting| setting.name.starts_with("only-");
    let is_of_llvm = |setting: &&Setting| LLVM.iter().any(|row| row.0 == setting.name);
    let main = all.iter().skip(1).chain(occasional);
    let main = main.filter(|setting| !is_single(setting) && !is_of_llvm(setting));
    let llvm = all.iter().chain(occasional).filter(is_of_llvm);
    let single = occasional.iter().filter(is_single);
    Schedule::Turns(vec![
        Rotation::singly(5, main),
        Rotation::singly(2, llvm),
        Rotation::singly(1, single),
    ])
}

/// A row with any lifetime.
type AnyRow<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);

fn setting((name, opt, mir, more): &AnyRow<'_>) -> Setting {
    let pair = |(option, value): &(&str, &str)| ((*option).to_owned(), (*value).to_owned());
    let mut values = vec![pair(&("opt-level", opt)), pair(&("mir-opt-level", mir))];
    values.extend(more.iter().map(pair));
    // LLVM's passes can only be counted with one codegen unit.
    if values.iter().all(|(option, _)| option != "codegen-units") {
        values.push(pair(&("codegen-units", "1")));
    }
    let name = (*name).to_owned();
    Setting { class: name.clone(), name, ..Setting::of(values) }
}

/// The rustc flag for an option.
pub(super) fn flag(option: &str, value: &str) -> Option<String> {
    match option {
        "opt-level" | "codegen-units" | "target-cpu" | "debug-assertions" | "debuginfo" => {
            Some(format!("-C{option}={value}"))
        }
        "mir-opt-level" | "mir-enable-passes" | "lint-mir" | "validate-mir" => {
            Some(format!("-Z{option}={value}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::target::{Spec, TargetName};

    #[test]
    fn every_option_of_the_table_has_a_flag() {
        let settings = [all(), occasional()].concat();
        assert_eq!(settings.len(), SETTINGS.len() + LLVM.len() + 1 + PASSES.len());
        for setting in &settings {
            for (option, value) in &setting.values {
                assert!(flag(option, value).is_some(), "{option}");
            }
        }
        let mut names: Vec<&str> = settings.iter().map(|setting| setting.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), settings.len());
    }

    #[test]
    fn a_single_pass_setting_enables_only_that_pass() {
        let settings = occasional();
        let gvn =
            settings.iter().find(|setting| setting.name == "only-GVN").expect("the setting exists");
        assert_eq!(gvn.value("mir-opt-level"), Some("0"));
        assert_eq!(gvn.value("mir-enable-passes"), Some("+GVN"));
    }

    #[test]
    fn every_setting_is_used_in_every_shard() {
        let (settings, occasional) = (all(), occasional());
        let spec = Spec {
            name: TargetName::new("rustc", None),
            reads: vec![],
            schedule: schedule(&settings, &occasional),
            settings,
            occasional,
        };
        for shards in [1, 2, 3, 5, 8, 10, 33] {
            for shard in 0..shards {
                let mut turns: BTreeMap<String, u64> = BTreeMap::new();
                for number in (0..6_000).map(|number| number * shards + shard) {
                    let chosen = spec.schedule.turn(&spec, number);
                    let [setting] = chosen.try_into().expect("a batch has one setting");
                    *turns.entry(setting.name).or_default() += 1;
                }
                let settings = spec.settings.len() - 1 + spec.occasional.len();
                assert_eq!(turns.len(), settings, "{shard}/{shards}");
                let share = |counted: &dyn Fn(&str) -> bool| {
                    let counts = turns.iter().filter(|(name, _)| counted(name));
                    let count: u64 = counts.map(|(_, count)| *count).sum();
                    count as f64 / turns.values().sum::<u64>() as f64
                };
                let single = share(&|name| name.starts_with("only-"));
                assert!((0.1..0.15).contains(&single), "{single} in {shard}/{shards}");
                let llvm = share(&|name| LLVM.iter().any(|row| row.0 == name));
                assert!((0.2..0.3).contains(&llvm), "{llvm} in {shard}/{shards}");
            }
        }
    }
}
