//! Selects the settings of a batch. If the expected behaviour is known, one setting suffices to detect a wrong
//! result, so settings rotate over batches.

use super::spec::Spec;
use crate::setting::Setting;

/// Which settings a batch is compiled under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Every batch is compiled under all settings.
    All,
    /// Every batch is compiled under one group of one rotation.
    Turns(Vec<Rotation>),
}

/// Groups of settings, used one after another. All settings of a group are used for the same batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The number of batches for this rotation per period. A period has as many batches as the sum of all weights.
    pub weight: usize,
    /// Names of settings.
    pub groups: Vec<Vec<String>>,
    /// Used besides the others, and only for batches with a case that promises no more than that the compiler
    /// survives. The weight has no meaning then.
    pub of_survival: bool,
}

impl Rotation {
    /// One setting at a time.
    pub fn singly<'a>(weight: usize, settings: impl IntoIterator<Item = &'a Setting>) -> Self {
        let groups = settings.into_iter().map(|setting| vec![setting.name.clone()]).collect();
        Self { weight, groups, of_survival: false }
    }

    /// For cases that promise only survival, one setting at a time.
    pub fn of_survival<'a>(settings: impl IntoIterator<Item = &'a Setting>) -> Self {
        Self { of_survival: true, ..Self::singly(1, settings) }
    }

    /// Two settings at a time: each of the first list with each of the second.
    pub fn pairs(weight: usize, first: &[Setting], second: &[Setting]) -> Self {
        let count = first.len() * second.len();
        let pair = |turn: usize| {
            let round = turn / first.len();
            let pair = [&first[turn % first.len()], &second[(turn + round) % second.len()]];
            pair.map(|setting| setting.name.clone()).to_vec()
        };
        Self { weight, groups: (0..count).map(pair).collect(), of_survival: false }
    }
}

impl Schedule {
    /// All settings except the reference, one at a time.
    pub fn all_but_reference(settings: &[Setting]) -> Self {
        let others = if settings.len() > 1 { &settings[1..] } else { settings };
        Self::Turns(vec![Rotation::singly(1, others)])
    }

    /// Whether a batch is compiled under some of the settings only.
    pub fn takes_turns(&self) -> bool {
        matches!(self, Self::Turns(_))
    }

    /// The same kind of schedule, restricted to some settings.
    pub fn restricted(&self, settings: &[Setting]) -> Self {
        match self {
            Self::All => Self::Turns(vec![Rotation {
                weight: 1,
                groups: vec![settings.iter().map(|setting| setting.name.clone()).collect()],
                of_survival: false,
            }]),
            Self::Turns(_) => Self::Turns(vec![Rotation::singly(1, settings)]),
        }
    }

    /// The settings of the batch number `turn`.
    pub fn turn(&self, spec: &Spec, turn: u64) -> Vec<Setting> {
        let rotations = match self {
            Self::All => return spec.settings.clone(),
            Self::Turns(rotations) => rotations,
        };
        let slots: Vec<usize> = rotations
            .iter()
            .enumerate()
            .filter(|(_, rotation)| !rotation.groups.is_empty() && !rotation.of_survival)
            .flat_map(|(at, rotation)| std::iter::repeat_n(at, rotation.weight))
            .collect();
        if slots.is_empty() {
            return vec![];
        }
        let length = slots.len() as u64;
        let (period, place) = (turn / length, turn % length);
        // Each period starts at a different position: a shard that gets every tenth batch must not always get the
        // same rotation.
        let start = hash(period) % length;
        let slot = |place: u64| slots[((start + place) % length) as usize];
        let chosen = slot(place);
        let weight = slots.iter().filter(|slot| **slot == chosen).count() as u64;
        let before = (0..place).filter(|place| slot(*place) == chosen).count() as u64;
        let groups = &rotations[chosen].groups;
        let names = &groups[shifted_index(period * weight + before, groups.len() as u64)];
        names.iter().filter_map(|name| spec.setting(name).cloned()).collect()
    }

    /// The additional settings of the batch number `turn`, if it has a case that promises only survival.
    pub fn of_survival(&self, spec: &Spec, turn: u64) -> Vec<Setting> {
        let rotations = match self {
            Self::All => return vec![],
            Self::Turns(rotations) => rotations.iter().filter(|it| it.of_survival),
        };
        let chosen =
            rotations.filter(|rotation| !rotation.groups.is_empty()).flat_map(|rotation| {
                let groups = &rotation.groups;
                &groups[shifted_index(turn, groups.len() as u64)]
            });
        chosen.filter_map(|name| spec.setting(name).cloned()).collect()
    }
}

/// Counts modulo `count`, with a different start in each round, for the same reason.
fn shifted_index(number: u64, count: u64) -> usize {
    ((number % count + hash(number / count) % count) % count) as usize
}

/// A fixed hash (the finaliser of SplitMix64).
fn hash(number: u64) -> u64 {
    let mut word = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use forge::Interface;

    use super::super::name::TargetName;
    use super::super::spec::{Batch, Reads};
    use super::*;

    fn spec(schedule: impl Fn(&[Setting]) -> Schedule) -> Spec {
        let setting = |at: usize| Setting::of(vec![("O".to_owned(), at.to_string())]);
        let settings: Vec<Setting> = (0..6).map(setting).collect();
        Spec {
            name: TargetName::new("t", None),
            reads: vec![Reads::new("c", Interface::Program, Batch::ALONE)],
            schedule: schedule(&settings),
            settings,
            occasional: (6..9).map(setting).collect(),
        }
    }

    fn names(spec: &Spec, turn: u64) -> Vec<String> {
        spec.schedule.turn(spec, turn).into_iter().map(|setting| setting.name).collect()
    }

    #[test]
    fn the_schedule_all_selects_every_setting() {
        let spec = spec(|_| Schedule::All);
        assert_eq!(names(&spec, 7).len(), 6);
    }

    #[test]
    fn each_round_has_every_setting_except_the_reference_once() {
        let spec = spec(Schedule::all_but_reference);
        for round in 0..20 {
            let seen: BTreeSet<_> =
                (0..5).flat_map(|turn| names(&spec, round * 5 + turn)).collect();
            assert_eq!(seen.len(), 5, "{seen:?}");
            assert!(!seen.contains("O=0"));
        }
        let starts: BTreeSet<_> = (0..20).map(|round| names(&spec, round * 5)).collect();
        assert!(starts.len() > 3, "every fifth batch has the same settings: {starts:?}");
    }

    #[test]
    fn all_pairs_occur() {
        let spec = spec(|all| Schedule::Turns(vec![Rotation::pairs(1, &all[..3], &all[3..])]));
        let pairs: BTreeSet<_> = (0..9).map(|turn| names(&spec, turn)).collect();
        assert_eq!(pairs.len(), 9);
        assert!(pairs.iter().all(|pair| pair.len() == 2));
    }

    #[test]
    fn rotations_are_used_in_proportion_to_their_weights() {
        let weighted = |all: &[Setting]| {
            let occasional: Vec<Setting> =
                (6..9).map(|at| Setting::of(vec![("O".to_owned(), at.to_string())])).collect();
            Schedule::Turns(vec![Rotation::singly(3, all), Rotation::singly(1, &occasional)])
        };
        let spec = spec(weighted);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for turn in 0..240 {
            for name in names(&spec, turn) {
                *seen.entry(name).or_default() += 1;
            }
        }
        assert_eq!(seen.len(), 9);
        assert!(
            seen.iter().all(|(name, times)| *times == if name.as_str() < "O=6" { 30 } else { 20 }),
            "{seen:?}"
        );
    }

    #[test]
    fn settings_of_survival_are_added_only_for_cases_that_promise_no_more() {
        let spec = spec(|all| {
            Schedule::Turns(vec![Rotation::singly(1, &all[..2]), Rotation::of_survival(&all[4..])])
        });
        let ordinary: BTreeSet<_> = (0..20).flat_map(|turn| names(&spec, turn)).collect();
        assert_eq!(ordinary.into_iter().collect::<Vec<_>>(), ["O=0", "O=1"]);
        let added = (0..20).flat_map(|turn| spec.schedule.of_survival(&spec, turn));
        let added: BTreeSet<_> = added.map(|setting| setting.name).collect();
        assert_eq!(added.into_iter().collect::<Vec<_>>(), ["O=4", "O=5"]);
    }

    #[test]
    fn a_restriction_keeps_the_kind_of_schedule() {
        let turns = spec(Schedule::all_but_reference);
        let two = turns.settings[..2].to_vec();
        let restricted = turns.schedule.restricted(&two);
        assert_eq!(restricted.turn(&turns, 3).len(), 1);
        assert_eq!(Schedule::All.restricted(&two).turn(&turns, 3).len(), 2);
    }
}
