//! Whether the pass with which a program goes wrong is to blame, or one before it whose doing it only brings
//! to light.
//!
//! A pass that breaks the program alone is to blame, and so is the one with which it goes wrong where nothing
//! that a pass can make is undefined (`Target::each_pass_answers`). Otherwise the compiler may be able to check what each pass
//! makes (`Target::checked`): the first whose result it rejects is to blame, if all is well without it. Where
//! that says nothing, an earlier pass may have made the mistake, or only the shape of program on which the last
//! one makes it. Nobody can tell from outside, so all that are needed are named, in their order, and they are
//! what the failure is known by.

use forge::{Case, Outcome};

use super::bisect::{Health, Turn};
use super::culprit::health;
use super::examiner::Examiner;
use crate::finding::Culprit;
use crate::setting::Setting;
use crate::target::{Axis, Point};
use crate::verdict::Breach;

/// The culprit at a turn of an axis of passes.
pub(super) fn attribute(
    examiner: &Examiner,
    case: &Case,
    breach: &Breach,
    axis: &Axis,
    turn: Turn,
) -> Culprit {
    let Point { label, setting } = &axis.points[turn.bad];
    let good = turn.good.map(|good| axis.points[good].label.clone());
    let plain = Culprit::new(&axis.name, good, label.clone());
    let is_bad = |setting: &Setting| health(examiner, case, setting, breach) == Health::Bad;
    // A compiler that fails says itself what it failed at; one that cannot leave passes out says no more.
    if breach.input.is_none() || examiner.target.without(setting, label).is_none() {
        return plain;
    }
    if examiner.target.each_pass_answers() || examiner.target.alone(label).is_none_or(is_bad) {
        return plain;
    }
    let earlier = &axis.points[1..turn.bad];
    let is_needed = |pass: &str| {
        let without = examiner.target.without(setting, pass);
        without.is_some_and(|it| health(examiner, case, &it, breach) == Health::Good)
    };
    if let Some(broken) = rejected(examiner, case, setting)
        && let Some(at) =
            earlier.iter().position(|point| examiner.target.is_one_pass(&point.label, &broken))
        && is_needed(&earlier[at].label)
    {
        let (good, broken) = (axis.points[at].label.clone(), earlier[at].label.clone());
        let culprit = Culprit::new(&axis.name, Some(good), broken);
        return Culprit { shown_by: Some(label.clone()), ..culprit };
    }
    let mut with: Vec<String> = vec![];
    for Point { label: pass, .. } in earlier {
        if pass != label && !with.contains(pass) && is_needed(pass) {
            with.push(pass.clone());
        }
    }
    Culprit { with, ..plain }
}

/// The first pass whose result the compiler's own check rejects.
fn rejected(examiner: &Examiner, case: &Case, setting: &Setting) -> Option<String> {
    let checked = examiner.target.checked(setting)?;
    let observations = examiner.observe(case, &[checked]);
    observations.iter().find_map(|observation| match &observation.outcome {
        Outcome::Crashed { message, .. } => examiner.target.breaker(message),
        _ => None,
    })
}
