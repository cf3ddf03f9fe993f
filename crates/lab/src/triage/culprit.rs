//! Finds out what is to blame: bisects every axis that the target offers. Whether it is the pass that is found
//! so or an earlier one is for `attribution.rs`, and versions of the compiler for `versions.rs`.

use forge::Case;

use super::attribution::attribute;
use super::bisect::{Health, bisect};
use super::examiner::Examiner;
use super::signature::Signature;
use crate::finding::{Culprit, Exhibit};
use crate::oracle;
use crate::setting::Setting;
use crate::target::Point;
use crate::verdict::{Breach, BreachKind, Verdict};

/// The axis whose culprit is a part of the signature.
pub const PASS: &str = "pass";
pub const VERSION: &str = "version";

/// Every culprit that can be named without other versions of the compiler.
pub fn locate(examiner: &Examiner, exhibit: &Exhibit) -> Vec<Culprit> {
    let case = examiner.pointwise(exhibit);
    let setting = examiner.setting(&exhibit.breach);
    let axes = examiner.target.axes(&case, &setting, &examiner.bench);
    let mut culprits: Vec<Culprit> = vec![];
    for axis in axes {
        // Passes may be counted in several ways; one that names the culprit is enough.
        if axis.name == PASS && pass(&culprits).is_some() {
            continue;
        }
        let turn = bisect(axis.points.len(), |point| {
            health(examiner, &case, &axis.points[point].setting, &exhibit.breach)
        });
        let Some(turn) = turn else { continue };
        let good = turn.good.map(|good| axis.points[good].label.clone());
        if axis.name != PASS {
            let bad = axis.points[turn.bad].label.clone();
            culprits.push(Culprit::new(&axis.name, good, bad));
        } else if good.is_some() {
            culprits.push(attribute(examiner, &case, &exhibit.breach, &axis, turn));
        }
        // That even the program without any pass fails says that it is none of these.
    }
    culprits
}

/// Whether a pass is to blame. Where it ran alone there is nobody else. That all is well without it shows that
/// it is; where something is wrong even then, because two passes share a bug, it is the one that comes first.
pub fn is_culprit(examiner: &Examiner, exhibit: &Exhibit, name: &str) -> bool {
    let setting = examiner.setting(&exhibit.breach);
    if examiner.target.alone(name) == Some(&setting) {
        return true;
    }
    let fine_without = examiner.target.without(&setting, name).is_some_and(|without| {
        let case = examiner.pointwise(exhibit);
        health(examiner, &case, &without, &exhibit.breach) == Health::Good
    });
    fine_without || is_turn(examiner, exhibit, name)
}

/// Whether a pass breaks the promise alone.
pub fn harms_alone(examiner: &Examiner, exhibit: &Exhibit, name: &str) -> bool {
    let case = examiner.pointwise(exhibit);
    let alone = examiner.target.alone(name);
    alone.is_some_and(|it| health(examiner, &case, it, &exhibit.breach) == Health::Bad)
}

/// Whether the failure begins with a pass: all is well up to the one before it, and no longer with it.
fn is_turn(examiner: &Examiner, exhibit: &Exhibit, name: &str) -> bool {
    let case = examiner.pointwise(exhibit);
    let setting = examiner.setting(&exhibit.breach);
    let axes = examiner.target.axes(&case, &setting, &examiner.bench);
    let look = |point: &Point| health(examiner, &case, &point.setting, &exhibit.breach);
    axes.iter().filter(|axis| axis.name == PASS).any(|axis| {
        // A pass that runs several times is its own predecessor, except for the first.
        axis.points.windows(2).any(|pair| {
            pair[1].label == name && look(&pair[0]) == Health::Good && look(&pair[1]) == Health::Bad
        })
    })
}

/// The first of some passes that is surely to blame: alone it breaks the same promise, and without it all is
/// well.
pub fn recognise<'a>(
    examiner: &Examiner,
    exhibit: &Exhibit,
    passes: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let case = examiner.pointwise(exhibit);
    let setting = examiner.setting(&exhibit.breach);
    passes.into_iter().find(|pass| {
        let Some(alone) = examiner.target.alone(pass) else { return false };
        let fine_without = || {
            let without = examiner.target.without(&setting, pass);
            without.is_some_and(|without| {
                health(examiner, &case, &without, &exhibit.breach) == Health::Good
            })
        };
        health(examiner, &case, alone, &exhibit.breach) == Health::Bad
            && (*alone == setting || fine_without())
    })
}

/// The pass to blame, if that is known.
pub fn pass(culprits: &[Culprit]) -> Option<&str> {
    let by_pass = |culprit: &&Culprit| culprit.axis == PASS && culprit.good.is_some();
    culprits.iter().find(by_pass).map(|culprit| culprit.bad.as_str())
}

/// The passes that a failure is known by: the one to blame, and those that may be to blame instead.
pub fn blamed(culprits: &[Culprit]) -> Option<String> {
    let by_pass = |culprit: &&Culprit| culprit.axis == PASS && culprit.good.is_some();
    culprits.iter().find(by_pass).map(Culprit::name)
}

/// The passes without which the one to blame does no harm.
pub fn needed(culprits: &[Culprit]) -> &[String] {
    let by_pass = |culprit: &&Culprit| culprit.axis == PASS && !culprit.with.is_empty();
    culprits.iter().find(by_pass).map_or(&[], |culprit| &culprit.with)
}

/// Whether the pass to blame does no harm alone.
pub fn is_shared(culprits: &[Culprit]) -> bool {
    !needed(culprits).is_empty()
}

pub(super) fn health(
    examiner: &Examiner,
    case: &Case,
    setting: &Setting,
    breach: &Breach,
) -> Health {
    let observations = examiner.observe(case, std::slice::from_ref(setting));
    match oracle::judge(case, &observations) {
        Verdict::Broken(other) if same_failure(&other, breach) => Health::Bad,
        Verdict::Kept => Health::Good,
        // Another failure than the one in question says nothing about that one.
        Verdict::Broken(_) | Verdict::Skipped(_) => Health::Unclear,
    }
}

fn same_failure(one: &Breach, other: &Breach) -> bool {
    let message = |breach: &Breach| Signature::message(breach);
    let speaks = matches!(one.kind, BreachKind::Crash | BreachKind::Rejection);
    // A program that was compiled wrongly may give another value, end early or not at all.
    let of_program = |breach: &Breach| breach.input.is_some() && !speaks;
    of_program(one) && of_program(other)
        || one.kind == other.kind && (!speaks || message(one) == message(other))
}
