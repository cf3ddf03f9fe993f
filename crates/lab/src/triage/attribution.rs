//! Decides whether the first bad pass of a bisection is the culprit, or only exposes a bug of an earlier pass.
//!
//! A pass that breaks the program alone is the culprit. So is the first bad pass if the output of a pass cannot
//! have undefined behaviour ([`PassControl::passes_are_exact`]). Otherwise the compiler may be able to verify
//! the output of each pass ([`PassControl::verified`]): the first pass whose output it rejects is the culprit,
//! if the failure disappears without that pass. If none of this decides, an earlier pass may be wrong, or the
//! last pass may mishandle the valid output of an earlier one. This cannot be determined from outside, so the
//! culprit lists all required passes in order, and the failure is recognised by them.
//!
//! [`PassControl::passes_are_exact`]: crate::target::PassControl::passes_are_exact
//! [`PassControl::verified`]: crate::target::PassControl::verified

use forge::{Case, Outcome};

use super::bisect::{Health, Turn};
use super::examiner::Examiner;
use super::locate::health;
use crate::culprit::{Culprit, PassCulprit};
use crate::setting::Setting;
use crate::target::{PassId, PassPoint};
use crate::verdict::{Breach, Fault};

/// The culprit where an axis of passes turns from good to bad.
pub(super) fn attribute(
    examiner: &Examiner,
    case: &Case,
    breach: &Breach,
    points: &[PassPoint],
    turn: Turn,
) -> Option<Culprit> {
    let PassPoint { pass, setting } = &points[turn.bad];
    let pass = pass.as_ref()?;
    let good = turn.good.and_then(|good| points[good].pass.clone());
    let plain = PassCulprit { good, bad: pass.clone(), with: vec![], exposed_by: None };
    let is_bad = |setting: &Setting| health(examiner, case, setting, breach) == Health::Bad;
    // A failing compiler names the pass itself. Without control over single passes, nothing more can be found.
    if breach.fault() == Fault::Compiler || examiner.without(setting, pass).is_none() {
        return Some(Culprit::Pass(plain));
    }
    let exact = examiner.target.passes().is_some_and(|passes| passes.passes_are_exact());
    let alone = examiner.alone(pass);
    if exact || alone.is_empty() || alone.iter().any(is_bad) {
        return Some(Culprit::Pass(plain));
    }
    let earlier = &points[1..turn.bad];
    let is_needed = |pass: &PassId| {
        let without = examiner.without(setting, pass);
        without.is_some_and(|it| health(examiner, case, &it, breach) == Health::Good)
    };
    let is = |point: &PassPoint, wanted: &PassId| {
        point.pass.as_ref().is_some_and(|pass| pass.is_same_pass(wanted))
    };
    if let Some(broken) = rejected(examiner, case, setting)
        && let Some(at) = earlier.iter().position(|point| is(point, &broken))
        && let Some(broken) = earlier[at].pass.clone()
        && is_needed(&broken)
    {
        let (good, exposed_by) = (points[at].pass.clone(), Some(pass.clone()));
        return Some(Culprit::Pass(PassCulprit { good, bad: broken, with: vec![], exposed_by }));
    }
    let mut with: Vec<PassId> = vec![];
    for other in earlier.iter().filter_map(|point| point.pass.as_ref()) {
        if other != pass && !with.contains(other) && is_needed(other) {
            with.push(other.clone());
        }
    }
    Some(Culprit::Pass(PassCulprit { with, ..plain }))
}

/// The first pass whose result the compiler's own verifier rejects.
fn rejected(examiner: &Examiner, case: &Case, setting: &Setting) -> Option<PassId> {
    let passes = examiner.target.passes()?;
    let observations = examiner.observe(case, &[passes.verified(setting)?]);
    observations.iter().find_map(|observation| match &observation.outcome {
        Outcome::Crashed { message, .. } => passes.rejected_after(message),
        Outcome::Accepted
        | Outcome::Ran(_)
        | Outcome::Rejected { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::NoArtifact
        | Outcome::Unrunnable { .. }
        | Outcome::Checked(_)
        | Outcome::Analysed(_)
        | Outcome::Unobserved(_) => None,
    })
}
