//! The ways in which rustc is called, as tables, and whose turn it is.

use crate::setting::Setting;

type Row = (&'static str, &'static str, &'static str, &'static [(&'static str, &'static str)]);

/// Name, level of LLVM's optimisation, level of MIR's, and further options. The first is the reference:
/// it leaves the program as it is.
const SETTINGS: &[Row] = &[
    ("O0", "0", "0", &[]),
    // All MIR passes, without LLVM to blur what they did, and as cheap as no optimisation.
    ("O0-mir4", "0", "4", &[("debug-assertions", "off")]),
    ("O3-mir4", "3", "4", &[]),
    ("O2", "2", "2", &[]),
    ("O3-native", "3", "4", &[("target-cpu", "native")]),
    ("Os-units16", "s", "3", &[("codegen-units", "16")]),
    ("O0-mir4-checked", "0", "4", &[("debug-assertions", "on")]),
    ("O1", "1", "1", &[]),
    ("O3-mir0", "3", "0", &[]),
    ("O0-mir2", "0", "2", &[("debug-assertions", "off")]),
    // Programs do nothing that they check, so they must not matter.
    ("O3-mir4-checked", "3", "4", &[("debug-assertions", "on")]),
    // Passes and LLVM have to keep it right while they change what it is about.
    ("O2-debuginfo", "2", "4", &[("debuginfo", "2")]),
];

/// rustc checks its own MIR after every pass, and dies with the name of the one that broke it.
const LINT: Row = (
    "O0-mir4-lint",
    "0",
    "4",
    &[("debug-assertions", "off"), ("lint-mir", "yes"), ("validate-mir", "yes")],
);

/// The optimisations of MIR that rewrite code, in their order, each of which is also run alone: a
/// program then reaches it as it was written. What a version does not know it ignores.
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

/// One batch in so many is for a single pass.
const RARELY: u64 = 8;

/// Those under which every failure is looked at.
pub(super) fn all() -> Vec<Setting> {
    SETTINGS.iter().map(setting).collect()
}

/// Those that only take turns: the one that checks, then the single passes.
pub(super) fn occasional() -> Vec<Setting> {
    let alone = |pass: &&str| {
        let enabled = format!("+{pass}");
        let more = [("debug-assertions", "off"), ("mir-enable-passes", enabled.as_str())];
        setting(&(&format!("only-{pass}"), "0", "0", &more))
    };
    std::iter::once(setting(&LINT)).chain(PASSES.iter().map(alone)).collect()
}

/// The setting without the check of MIR, under the same name; none where there is no check.
pub(super) fn unchecked(setting: &Setting) -> Option<Setting> {
    let mut unchecked = setting.clone();
    unchecked.values.retain(|(option, _)| !["lint-mir", "validate-mir"].contains(&option.as_str()));
    (unchecked != *setting).then_some(unchecked)
}

/// The setting with the check of MIR; none where it has it already.
pub(super) fn checked(setting: &Setting) -> Option<Setting> {
    let mut checked = setting.clone();
    for check in ["lint-mir", "validate-mir"] {
        if setting.value(check).is_none() {
            checked.values.push((check.to_owned(), "yes".to_owned()));
        }
    }
    (checked != *setting).then_some(checked)
}

/// The setting whose turn it is, of all but the reference.
pub(super) fn turn<'a>(
    turn: u64,
    all: &'a [Setting],
    occasional: &'a [Setting],
) -> Option<&'a Setting> {
    let (lint, alone) = occasional.split_at(1.min(occasional.len()));
    let round = turn / RARELY;
    if turn % RARELY == anywhere(round) % RARELY && !alone.is_empty() {
        return alone.get(in_turn(round, alone.len()));
    }
    let others: Vec<&Setting> = all.iter().skip(1).chain(lint).collect();
    others.get(in_turn(turn, others.len())).copied()
}

/// Counts around a circle of `of`, beginning elsewhere each time: a shard that gets each tenth batch must
/// not get the same setting for ever.
fn in_turn(number: u64, of: usize) -> usize {
    let of = of.max(1) as u64;
    ((number % of + anywhere(number / of) % of) % of) as usize
}

/// A number without any order in it, the same for ever (the last step of SplitMix64).
fn anywhere(number: u64) -> u64 {
    let mut word = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A row, which need not be one of the table.
type AnyRow<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);

fn setting((name, opt, mir, more): &AnyRow<'_>) -> Setting {
    let pair = |(option, value): &(&str, &str)| ((*option).to_owned(), (*value).to_owned());
    let mut values = vec![pair(&("opt-level", opt)), pair(&("mir-opt-level", mir))];
    values.extend(more.iter().map(pair));
    // LLVM's passes can only be counted where there is one unit.
    if values.iter().all(|(option, _)| option != "codegen-units") {
        values.push(pair(&("codegen-units", "1")));
    }
    let name = (*name).to_owned();
    Setting { class: name.clone(), name, ..Setting::of(values) }
}

/// An option as rustc reads it.
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

    #[test]
    fn every_option_of_the_table_is_one_that_rustc_is_given() {
        let settings = [all(), occasional()].concat();
        assert_eq!(settings.len(), SETTINGS.len() + 1 + PASSES.len());
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
    fn a_single_pass_is_all_that_its_setting_runs() {
        let settings = occasional();
        let gvn = settings.iter().find(|setting| setting.name == "only-GVN").expect("it is there");
        assert_eq!(gvn.value("mir-opt-level"), Some("0"));
        assert_eq!(gvn.value("mir-enable-passes"), Some("+GVN"));
    }

    #[test]
    fn every_setting_has_its_turn_in_every_shard_and_single_passes_have_few() {
        let (all, occasional) = (all(), occasional());
        for shards in [1, 2, 3, 5, 8, 10, 33] {
            for shard in 0..shards {
                let mut turns: BTreeMap<&str, u64> = BTreeMap::new();
                for number in (0..6_000).map(|number| number * shards + shard) {
                    let setting = turn(number, &all, &occasional).expect("someone has a turn");
                    *turns.entry(&setting.name).or_default() += 1;
                }
                assert_eq!(turns.len(), all.len() - 1 + occasional.len(), "{shard}/{shards}");
                let single: u64 = turns
                    .iter()
                    .filter_map(|(name, count)| name.starts_with("only-").then_some(*count))
                    .sum();
                let share = single as f64 / turns.values().sum::<u64>() as f64;
                assert!((0.1..0.15).contains(&share), "{share} in {shard}/{shards}");
            }
        }
    }
}
