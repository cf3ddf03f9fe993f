//! Checks a target before the hunt: programs with known behaviour are compiled and run under every setting. A
//! compiler that rejects every program, or whose output cannot be run, is misconfigured rather than buggy: a shim
//! without its home, a missing library, a wrong flag. A hunt would report only that, or nothing at all. Targets whose
//! settings take turns have many settings: a few are tried before the hunt, the others before their first use
//! ([`Rehearsal`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use forge::{Behaviour, Case, Method, Outcome, Promise};

use crate::setting::Setting;
use crate::signature::normalise;
use crate::target::{Bench, Target, Unusable, batch};

/// The number of programs. If all of them fail in the same way, that is no bug of the compiler.
const PROGRAMS: usize = 5;

/// The time limit for trying settings that take turns, before the hunt.
const ENOUGH: Duration = Duration::from_secs(5);

/// The number of tickets that are searched for such programs.
const PATIENCE: u64 = 40;

/// Why a target cannot be tested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It cannot be used on this machine.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// Its description is wrong.
    #[error("{0}")]
    Misconfigured(String),
}

/// Whether a target can read what a method writes.
pub fn suits(method: &dyn Method, target: &dyn Target, bench: &Bench) -> Result<(), Unusable> {
    let case = (0..PATIENCE).find_map(|index| method.make(&method.ticket(1, index)));
    let programs = case.map(|case| case.programs).unwrap_or_default();
    let reads = |program| target.probe(Some(program), bench).map(|_| ());
    programs.iter().try_for_each(reads).map_err(|Unusable(why)| {
        Unusable(format!("method `{}` cannot be used: {why}", method.name()))
    })
}

/// Compiles and runs a few programs under every setting.
pub fn rehearse(
    method: &dyn Method,
    target: &dyn Target,
    seed: u64,
    bench: &Bench,
) -> Result<(), Problem> {
    suits(method, target, bench)
        .map_err(|Unusable(why)| Unusable(format!("{why}; another --method may work")))?;
    let cases = known(method, seed);
    if cases.is_empty() {
        return Ok(());
    }
    let spec = target.spec();
    let began = Instant::now();
    let mut problems: Vec<(&Setting, Complaint)> = vec![];
    for (tried, setting) in spec.settings.iter().enumerate() {
        // Settings that take turns are also tried before their first use, so the hunt need not wait here.
        if tried > 0 && spec.schedule.takes_turns() && began.elapsed() > ENOUGH {
            break;
        }
        problems.extend(complaint(target, &cases, setting, bench).map(|it| (setting, it)));
    }
    let Some((setting, first)) = problems.first() else { return Ok(()) };
    let all = problems.len() == spec.settings.len();
    let name = &spec.name;
    let under = match all {
        true => "every program".to_owned(),
        false => {
            let settings: Vec<&str> = problems.iter().map(|(it, _)| it.name.as_str()).collect();
            let settings: BTreeSet<&str> = settings.into_iter().take(8).collect();
            let settings: Vec<&str> = settings.into_iter().collect();
            format!("every program under {}", settings.join(", "))
        }
    };
    match first {
        Complaint::Rejects(line) if all => Err(Unusable(format!(
            "target `{name}` rejects {under} ({line}): it is probably not set up. Its environment holds \
             little more than PATH; what else it needs goes into `env` of its description"
        ))
        .into()),
        Complaint::Rejects(line) => Err(Problem::Misconfigured(format!(
            "target `{name}` rejects {under} ({line}): fix or remove the setting `{}`",
            setting.name
        ))),
        Complaint::Silent(why) => Err(Problem::Misconfigured(format!(
            "target `{name}` compiles {under}, but what it emits cannot be run ({why}): check `compile` \
             and `run` of its description"
        ))),
    }
}

/// Programs whose behaviour is known.
fn known(method: &dyn Method, seed: u64) -> Vec<Case> {
    let tickets = (0..PATIENCE).filter_map(|index| method.make(&method.ticket(seed, index)));
    tickets.filter(|case| is_known(&case.promise)).take(PROGRAMS).collect()
}

/// The settings of targets that take turns, each tried before it is used for the first time.
#[derive(Debug)]
pub struct Rehearsal {
    cases: Vec<Case>,
    /// The results so far, by target and setting: what is wrong, if anything.
    tried: Mutex<BTreeMap<(String, String), Option<String>>>,
}

impl Rehearsal {
    pub fn new(method: &dyn Method, seed: u64) -> Self {
        Self { cases: known(method, seed), tried: Mutex::default() }
    }

    /// Why a setting is unusable, if it is, and whether this is the first time that it is reported.
    pub fn objection(
        &self,
        target: &dyn Target,
        setting: &Setting,
        bench: &Bench,
    ) -> Option<(String, bool)> {
        // If every batch is compiled under all settings, all were tried before the hunt.
        if !target.spec().schedule.takes_turns() || self.cases.is_empty() {
            return None;
        }
        let tried = || self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (target.name().to_string(), setting.name.clone());
        if let Some(known) = tried().get(&key) {
            return known.clone().map(|why| (why, false));
        }
        // Two workers may try the same setting at once. Neither may use it untried.
        let why = complaint(target, &self.cases, setting, bench).map(|complaint| match complaint {
            Complaint::Rejects(line) => format!("every program is rejected ({line})"),
            Complaint::Silent(why) => format!("nothing that is compiled can be run ({why})"),
        });
        let news = tried().insert(key, why.clone()).is_none();
        why.map(|why| (why, news))
    }
}

/// Whether the promise states the expected behaviour.
fn is_known(promise: &Promise) -> bool {
    match promise {
        Promise::Yields(_) => true,
        Promise::Survives
        | Promise::Compiles
        | Promise::Rejects
        | Promise::Agrees
        | Promise::Equivalent
        | Promise::Refines
        | Promise::Consistent => false,
    }
}

enum Complaint {
    /// All programs are rejected, for this reason.
    Rejects(String),
    /// Nothing that was compiled could be run, for this reason.
    Silent(String),
}

/// What is wrong with a setting, if all programs fail in the same way under it.
fn complaint(
    target: &dyn Target,
    cases: &[Case],
    setting: &Setting,
    bench: &Bench,
) -> Option<Complaint> {
    let together = target.spec().batch_of(cases.first()?).cases.max(1);
    let complaint = shared(target, cases, together, setting, bench)?;
    // A program that kills a host hides the others of its batch.
    match together {
        1 => Some(complaint),
        _ => shared(target, cases, 1, setting, bench),
    }
}

/// What is wrong with all programs alike, if so many are compiled together.
fn shared(
    target: &dyn Target,
    cases: &[Case],
    together: usize,
    setting: &Setting,
    bench: &Bench,
) -> Option<Complaint> {
    let mut reason: Option<(String, Complaint)> = None;
    let shown: Vec<&Case> = cases.iter().collect();
    let observed = shown.chunks(together).flat_map(|shown| {
        batch::observe(target, shown, std::slice::from_ref(setting), bench).observations
    });
    for (case, seen) in cases.iter().zip(observed) {
        let outcomes: Vec<Outcome> = seen.into_iter().map(|seen| seen.outcome).collect();
        let (text, complaint) = unexpected_end(case, &outcomes).or_else(|| read(&outcomes))?;
        let normal = normalise(&text);
        if reason.as_ref().is_some_and(|(first, _)| *first != normal) {
            return None;
        }
        reason.get_or_insert((normal, complaint));
    }
    reason.map(|(_, complaint)| complaint)
}

/// How a program ended on every input, if it should have returned a value for each of them.
fn unexpected_end(case: &Case, outcomes: &[Outcome]) -> Option<(String, Complaint)> {
    let expected = case.promise.expected()?;
    let is_value = |behaviour: &Behaviour| matches!(behaviour, Behaviour::Value(_));
    let mut ends = outcomes.iter().map(|outcome| match outcome {
        Outcome::Ran(Behaviour::Trap { code, output }) => Some(format!("{code} {output}")),
        Outcome::Ran(Behaviour::Value(_))
        | Outcome::Accepted
        | Outcome::Rejected { .. }
        | Outcome::NoArtifact
        | Outcome::Unrunnable { .. }
        | Outcome::Crashed { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::Checked(_)
        | Outcome::Analysed(_)
        | Outcome::Unobserved(_) => None,
    });
    let first = ends.next()??;
    let alike = ends.all(|end| end.as_ref() == Some(&first));
    let why = first.trim().to_owned();
    (alike && expected.iter().all(is_value)).then_some((first, Complaint::Silent(why)))
}

/// What went wrong with one program; `None` if it was observed, or if it exceeds a limit of the compiler.
fn read(outcomes: &[Outcome]) -> Option<(String, Complaint)> {
    match outcomes.first()? {
        Outcome::Rejected { message } => {
            let line = message.lines().next().unwrap_or_default().to_owned();
            Some((message.clone(), Complaint::Rejects(line)))
        }
        Outcome::Unobserved(forge::Reason::Environment(why)) => {
            Some((why.clone(), Complaint::Silent(why.clone())))
        }
        // All of them: an option for another machine, say.
        Outcome::Unrunnable { why } => Some((why.clone(), Complaint::Silent(why.clone()))),
        Outcome::Ran(_)
        | Outcome::Accepted
        // A missing output file is a finding.
        | Outcome::NoArtifact
        | Outcome::Crashed { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::Checked(_)
        | Outcome::Analysed(_)
        | Outcome::Unobserved(_) => None,
    }
}
