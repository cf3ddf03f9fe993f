//! Which of the available versions have a failure: the last good one, the first bad one, and the first newer one
//! that is good again. Maintainers ask for both.

use std::sync::{Arc, LazyLock};

use forge::Case;
use regex::Regex;

use super::bisect::{Health, bisect};
use super::examiner::Examiner;
use super::locate::health_elsewhere;
use crate::culprit::{After, Culprit, VersionRange};
use crate::finding::Exhibit;
use crate::target::{Target, TargetName};
use crate::version::version_order;

/// The range of bad versions among the available ones; `None` if only one is available.
pub fn locate_version(
    examiner: &Examiner,
    exhibit: &Exhibit,
    relatives: &[Arc<dyn Target>],
) -> Option<Culprit> {
    let (versions, own) = versions(examiner, &exhibit.case, relatives);
    if versions.len() < 2 {
        return None;
    }
    let case = examiner.pointwise(exhibit);
    let setting = examiner.setting(&exhibit.breach);
    let look = |point: usize| {
        // The exhibit shows that this version is bad.
        if point == own {
            return Health::Bad;
        }
        let target = Arc::clone(&versions[point]);
        let other = Examiner { target, ..examiner.clone() };
        health_elsewhere(&other, &case, &setting, &exhibit.breach)
    };
    let label = |point: usize| {
        let target = versions[point].as_ref();
        let number = || number(&target.probe(None, &examiner.bench).ok()?);
        label(target.name(), number)
    };
    let turn = bisect(own + 1, look)?;
    let after = after(own, versions.len(), look)
        .map(|(bad, good)| After { bad: label(bad), good: good.map(label) });
    let (good, bad) = (turn.good.map(label), label(turn.bad));
    Some(Culprit::Versions(VersionRange { good, bad, after }))
}

/// All versions of the compiler that can read the case, from old to new, and the index of the tested one.
fn versions(
    examiner: &Examiner,
    case: &Case,
    relatives: &[Arc<dyn Target>],
) -> (Vec<Arc<dyn Target>>, usize) {
    // The machine's own compiler stands where its number says.
    let order = |target: &Arc<dyn Target>| {
        let probed = || number(&target.probe(None, &examiner.bench).ok()?);
        let version = target.name().version.clone().or_else(probed);
        version_order(version.as_deref())
    };
    let reads = |target: &dyn Target| {
        let reads = |program| target.probe(Some(program), &examiner.bench).is_ok();
        case.programs.iter().all(reads)
    };
    let mut versions: Vec<Arc<dyn Target>> = relatives
        .iter()
        .filter(|relative| relative.name().family == examiner.target.name().family)
        .filter(|relative| relative.name() != examiner.target.name())
        .filter(|relative| reads(relative.as_ref()))
        .cloned()
        .collect();
    versions.push(Arc::clone(&examiner.target));
    versions.sort_by_cached_key(order);
    let is_own = |target: &Arc<dyn Target>| target.name() == examiner.target.name();
    let own = versions.iter().position(is_own).unwrap_or_default();
    (versions, own)
}

/// What a version is called: a compiler of the machine has no number in its name.
fn label(name: &TargetName, number: impl Fn() -> Option<String>) -> String {
    match (&name.version, number) {
        (Some(_), _) => name.to_string(),
        (None, number) => number().map_or(name.to_string(), |number| format!("{name} ({number})")),
    }
}

/// The first number with points in what a compiler says of itself.
fn number(text: &str) -> Option<String> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\d+(?:\.\d+)+").ok());
    Some(NUMBER.as_ref()?.find(text)?.as_str().to_owned())
}

/// The last bad point and the first good one after `own`, which is bad; `None` if this cannot be decided.
fn after(
    own: usize,
    count: usize,
    look: impl Fn(usize) -> Health,
) -> Option<(usize, Option<usize>)> {
    let (last, health) = (own + 1..count)
        .rev()
        .map(|point| (point, look(point)))
        .find(|(_, health)| *health != Health::Unclear)?;
    if health == Health::Bad {
        return Some((last, None));
    }
    // The same search, with good and bad swapped.
    let fixed = bisect(last - own + 1, |point| match look(own + point) {
        Health::Good => Health::Bad,
        Health::Bad => Health::Good,
        Health::Unclear => Health::Unclear,
    })?;
    Some((own + fixed.good?, Some(own + fixed.bad)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(points: &str) -> Option<(usize, Option<usize>)> {
        let look = |point: usize| match points.as_bytes()[point] {
            b'g' => Health::Good,
            b'b' => Health::Bad,
            _ => Health::Unclear,
        };
        after(1, points.len(), look)
    }

    #[test]
    fn the_compiler_of_the_machine_is_called_by_its_number() {
        let said = "Debian LLVM version 14.0.6\n  Optimized build.\n";
        let of = |name: &str| label(&TargetName::from(name.to_owned()), || number(said));
        assert_eq!(of("opt"), "opt (14.0.6)");
        assert_eq!(of("opt@19"), "opt@19");
        assert_eq!(label(&TargetName::new("mycc", None), || number("mycc, unversioned")), "mycc");
    }

    #[test]
    fn newer_versions_still_have_the_bug_or_are_fixed() {
        assert_eq!(seen("gb"), None);
        assert_eq!(seen("gbb"), Some((2, None)));
        assert_eq!(seen("gbbbgg"), Some((3, Some(4))));
        assert_eq!(seen("gbg"), Some((1, Some(2))));
        assert_eq!(seen("gb?b?"), Some((3, None)));
        assert_eq!(seen("gb?g?"), Some((1, Some(3))));
        assert_eq!(seen("gb??"), None);
    }
}
