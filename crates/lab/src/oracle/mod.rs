//! Oracles: pure functions from a case and its observations to a verdict, one file per promise.
//!
//! The promises build on each other. A compiler crash breaks all of them, and a program with known behaviour
//! must also be accepted. A missing observation is never a breach: the case is skipped, with the reason.

mod agrees;
mod compiles;
mod consistent;
mod equivalent;
mod refines;
mod rejects;
mod survives;
mod yields;

use forge::{Behaviour, Case, Observation, Outcome, Promise};

use crate::verdict::{Breach, BreachKind, Skipped, Verdict};

pub fn judge(case: &Case, observations: &[Observation]) -> Verdict {
    let verdict = match &case.promise {
        Promise::Survives => survives::judge(observations),
        Promise::Compiles => compiles::judge(observations),
        Promise::Rejects => rejects::judge(&case.trail, observations),
        Promise::Yields(expected) => yields::judge(expected, observations),
        Promise::Agrees => agrees::judge(observations),
        Promise::Equivalent => equivalent::judge(observations),
        Promise::Refines => refines::judge(observations),
        Promise::Consistent => consistent::judge(observations),
    };
    match verdict {
        Verdict::Kept => unobserved(observations).map_or(Verdict::Kept, Verdict::Skipped),
        // The reason why nothing was observed is the cause, so it replaces the oracle's reason.
        Verdict::Skipped(why) => Verdict::Skipped(unobserved(observations).unwrap_or(why)),
        Verdict::Broken(breach) => Verdict::Broken(breach),
    }
}

/// The first reason why something was not observed.
fn unobserved(observations: &[Observation]) -> Option<Skipped> {
    if observations.is_empty() {
        return Some(undecided("nothing was observed"));
    }
    let reasons = observations.iter().filter_map(|observation| observation.outcome.reason());
    reasons.cloned().map(Skipped::Unobserved).next()
}

fn undecided(why: impl Into<String>) -> Skipped {
    Skipped::Undecided(why.into())
}

/// The breach of the first observation for which `read` returns a kind, with the settings of all observations
/// of that kind.
fn first_breach(
    observations: &[Observation],
    read: impl Fn(&Outcome) -> Option<(BreachKind, String, Vec<String>)>,
) -> Option<Breach> {
    let of_kind = |observation: &&Observation| read(&observation.outcome).is_some();
    let first = observations.iter().find(of_kind)?;
    let (kind, message, frames) = read(&first.outcome)?;
    let alike = |observation: &&Observation| {
        read(&observation.outcome).is_some_and(|(other, _, _)| other == kind)
    };
    Some(Breach {
        kind,
        setting: first.setting.clone(),
        settings: distinct(observations.iter().filter(alike)),
        message,
        frames,
        unstable: false,
        program: first.program,
        input: first.input,
        expected: None,
        actual: first.outcome.to_string(),
    })
}

/// The breach of wrong behaviour.
fn miscompilation(expected: &Behaviour, wrong: &[&Observation]) -> Option<Breach> {
    let first = wrong.first()?;
    let actual = first.outcome.behaviour()?;
    Some(Breach {
        kind: BreachKind::Miscompilation,
        setting: first.setting.clone(),
        settings: distinct(wrong.iter().copied()),
        message: difference(expected, actual),
        frames: vec![],
        unstable: false,
        program: first.program,
        input: first.input,
        expected: Some(expected.to_string()),
        actual: actual.to_string(),
    })
}

/// How two behaviours differ, without details of the program.
fn difference(expected: &Behaviour, actual: &Behaviour) -> String {
    match (expected, actual) {
        (Behaviour::Value(_), Behaviour::Value(_)) => "a wrong value".to_owned(),
        (Behaviour::Value(_), Behaviour::Trap { code, .. }) => format!("{code} instead of a value"),
        (Behaviour::Trap { code, .. }, Behaviour::Value(_)) => format!("a value instead of {code}"),
        (Behaviour::Trap { code, .. }, Behaviour::Trap { code: other, .. }) if code == other => {
            format!("a wrong output before {code}")
        }
        (Behaviour::Trap { code, .. }, Behaviour::Trap { code: other, .. }) => {
            format!("{other} instead of {code}")
        }
    }
}

fn distinct<'a>(observations: impl Iterator<Item = &'a Observation>) -> Vec<String> {
    let mut settings: Vec<String> = vec![];
    for observation in observations {
        if !settings.contains(&observation.setting) {
            settings.push(observation.setting.clone());
        }
    }
    settings
}

#[cfg(test)]
mod tests;
