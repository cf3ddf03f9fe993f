//! Locates the culprit: bisects every axis that the target offers. Whether the first bad pass is the culprit is
//! left to `attribution.rs`, versions of the compiler to `versions.rs`.

use forge::Case;

use super::attribution::attribute;
use super::bisect::{Health, bisect};
use super::examiner::Examiner;
use crate::culprit::{Culprit, OptionCulprit, pass};
use crate::finding::Exhibit;
use crate::oracle;
use crate::setting::Setting;
use crate::signature::Signature;
use crate::target::{Axis, PassId};
use crate::verdict::{Breach, BreachKind, Fault, Verdict};

/// Every culprit that can be named without other versions of the compiler.
pub fn locate(examiner: &Examiner, exhibit: &Exhibit) -> Vec<Culprit> {
    let Some(passes) = examiner.target.passes() else { return vec![] };
    let case = examiner.pointwise(exhibit);
    let setting = examiner.setting(&exhibit.breach);
    let mut culprits: Vec<Culprit> = vec![];
    for axis in passes.axes(&case, &setting, &examiner.bench) {
        let settings = axis.settings();
        let turn = || {
            let look = |point: usize| health(examiner, &case, settings[point], &exhibit.breach);
            bisect(settings.len(), look)
        };
        match &axis {
            // There may be several axes of passes. The first that finds the culprit suffices.
            Axis::Passes(_) if pass(&culprits).is_some() => {}
            Axis::Passes(points) => {
                // If the program fails even without passes, none of them is the culprit.
                if let Some(turn) = turn().filter(|turn| turn.good.is_some()) {
                    culprits.extend(attribute(examiner, &case, &exhibit.breach, points, turn));
                }
            }
            Axis::Option { name, points } => {
                let value = |point: usize| points[point].value.clone();
                culprits.extend(turn().map(|turn| {
                    let (good, bad) = (turn.good.map(value), value(turn.bad));
                    Culprit::Option(OptionCulprit { option: name.clone(), good, bad })
                }));
            }
        }
    }
    culprits
}

/// Whether a pass is the culprit: it ran alone, or the failure disappears without it. If two passes share a bug,
/// the failure remains; then the first of them is the culprit.
pub fn is_culprit(examiner: &Examiner, exhibit: &Exhibit, name: &PassId) -> bool {
    let setting = examiner.setting(&exhibit.breach);
    if examiner.alone(name).contains(&setting) {
        return true;
    }
    let fine_without = examiner.without(&setting, name).is_some_and(|without| {
        let case = examiner.pointwise(exhibit);
        health(examiner, &case, &without, &exhibit.breach) == Health::Good
    });
    fine_without || is_turn(examiner, exhibit, name)
}

/// Whether a pass breaks the promise alone.
pub fn fails_alone(examiner: &Examiner, exhibit: &Exhibit, name: &PassId) -> bool {
    let case = examiner.pointwise(exhibit);
    let fails = |it: &Setting| health(examiner, &case, it, &exhibit.breach) == Health::Bad;
    examiner.alone(name).iter().any(fails)
}

/// Whether the failure starts with a pass: the result is right up to the previous pass, and wrong with this one.
fn is_turn(examiner: &Examiner, exhibit: &Exhibit, name: &PassId) -> bool {
    let Some(passes) = examiner.target.passes() else { return false };
    let case = examiner.pointwise(exhibit);
    let setting = examiner.setting(&exhibit.breach);
    let look = |setting: &Setting| health(examiner, &case, setting, &exhibit.breach);
    passes.axes(&case, &setting, &examiner.bench).iter().any(|axis| match axis {
        Axis::Option { .. } => false,
        // A pass that runs several times in a row is its own predecessor, except for the first time.
        Axis::Passes(points) => points.windows(2).any(|pair| {
            pair[1].pass.as_ref().is_some_and(|pass| pass.is_same_pass(name))
                && look(&pair[0].setting) == Health::Good
                && look(&pair[1].setting) == Health::Bad
        }),
    })
}

/// The first of some passes that is certainly the culprit: it breaks the same promise alone, and the failure
/// disappears without it. A small stack can overflow in many passes, so for a stack overflow the former suffices.
pub fn recognise<'a>(
    examiner: &Examiner,
    exhibit: &Exhibit,
    passes: impl IntoIterator<Item = &'a PassId>,
) -> Option<&'a PassId> {
    let case = examiner.pointwise(exhibit);
    let setting = examiner.setting(&exhibit.breach);
    let is = |at: &Setting, wanted: Health| health(examiner, &case, at, &exhibit.breach) == wanted;
    passes.into_iter().find(|pass| {
        let fine_without = || {
            let without = examiner.without(&setting, pass);
            without.is_some_and(|without| is(&without, Health::Good))
        };
        let overflow = exhibit.breach.is_stack_overflow();
        let mut alone = examiner.alone(pass).into_iter();
        alone.any(|alone| {
            is(&alone, Health::Bad) && (overflow || alone == setting || fine_without())
        })
    })
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
        // A different failure neither confirms nor refutes the one in question.
        Verdict::Broken(_) | Verdict::Skipped(_) => Health::Unclear,
    }
}

/// Health under another version, which words its messages in its own way: a crash of the same program is the same.
pub(super) fn health_elsewhere(
    examiner: &Examiner,
    case: &Case,
    setting: &Setting,
    breach: &Breach,
) -> Health {
    let observations = examiner.observe(case, std::slice::from_ref(setting));
    let crash = |breach: &Breach| breach.kind == BreachKind::Crash;
    match oracle::judge(case, &observations) {
        Verdict::Broken(other)
            if same_failure(&other, breach) || crash(&other) && crash(breach) =>
        {
            Health::Bad
        }
        Verdict::Kept => Health::Good,
        Verdict::Broken(_) | Verdict::Skipped(_) => Health::Unclear,
    }
}

fn same_failure(one: &Breach, other: &Breach) -> bool {
    // A miscompiled program may return another value, end early or hang.
    if one.fault() == Fault::Emitted && other.fault() == Fault::Emitted {
        return true;
    }
    let message = |breach: &Breach| Signature::message(breach);
    one.kind == other.kind
        && (!one.has_message() || !other.has_message() || message(one) == message(other))
}
