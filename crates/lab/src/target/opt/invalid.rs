//! Which pass left invalid IR. The verifier looks at the end of a pipeline, so that what it says names no pass. From 18
//! on, `-verify-each` does; before, the pass is found by limiting how many run.

use forge::Outcome;

use super::command::{Call, Failure, Opt, Ran};
use super::passes;
use crate::exec::Limits;
use crate::setting::Setting;
use crate::target::Bench;

/// What the message of such a failure begins with, before and after a pass is named.
const INVALID: &str = "invalid IR";
const NAMED: &str = "invalid IR, left by ";

/// The outcome with the pass in its message, as far as one is found.
pub(super) fn named(
    opt: &Opt,
    text: &str,
    call: Call<'_>,
    (limits, bench): (&Limits, &Bench),
    outcome: Outcome,
) -> Outcome {
    let is_unnamed = |message: &str| message.starts_with(INVALID) && !message.starts_with(NAMED);
    let Outcome::Crashed { signal, message, frames } = outcome else { return outcome };
    let unchanged = |message| Outcome::Crashed { signal, message, frames: frames.clone() };
    if !is_unnamed(&message) {
        return unchanged(message);
    }
    let with = |option: String| {
        let extra = call.setting.extra.iter().cloned().chain([option]).collect();
        let setting = Setting { extra, ..call.setting.clone() };
        let ran = opt.run(text, Call { setting: &setting, ..call }, limits, bench).ok()?;
        match ran {
            Ran::Failed(Failure { outcome: Outcome::Crashed { message, .. }, stderr }) => {
                Some((message, stderr))
            }
            Ran::Failed(_) | Ran::Done(_) => None,
        }
    };
    if let Some((each, _)) = with("-verify-each".to_owned())
        && each.starts_with(NAMED)
    {
        return unchanged(each);
    }
    let limited = |limit: usize| with(format!("-opt-bisect-limit={limit}"));
    let Some((_, stderr)) = limited(passes::ALL) else { return unchanged(message) };
    let names = passes::names(&stderr);
    // The last number with which the result is valid, and the first with which it is not.
    let (mut good, mut bad) = (0, names.len());
    while good + 1 < bad {
        let middle = good.midpoint(bad);
        match limited(middle) {
            Some((message, _)) if message.starts_with(INVALID) => bad = middle,
            _ => good = middle,
        }
    }
    match bad.checked_sub(1).and_then(|at| names.get(at)) {
        Some(name) => {
            let name = name.strip_suffix("Pass").unwrap_or(name);
            unchanged(message.replacen(INVALID, &format!("{NAMED}{name}"), 1))
        }
        None => unchanged(message),
    }
}
