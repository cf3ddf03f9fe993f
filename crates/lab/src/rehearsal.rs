//! A look at a target before the hunt: programs whose behaviour is known are compiled and run under every
//! setting. A compiler that rejects whatever it is given, or whose output cannot be run, is not buggy but
//! not set up: a shim without its home, a missing library, a wrong flag. Hunting it would find nothing but
//! that, or nothing at all. Where settings take turns there are many: a few are tried before the hunt, and each
//! before the first batch that is shown under it ([`Rehearsal`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use forge::{Case, Method, Outcome, Promise};

use crate::setting::Setting;
use crate::signature::normalise;
use crate::target::{Bench, Target, Unusable, batch};

/// How many programs are tried. That all fail alike is no bug of the compiler.
const PROGRAMS: usize = 5;

/// Before the hunt, the settings of a built-in target are tried for so long.
const ENOUGH: Duration = Duration::from_secs(5);

/// So many tickets are tried for them.
const PATIENCE: u64 = 40;

/// Why a target is not hunted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// It cannot be used on this machine.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// It is described wrongly.
    #[error("{0}")]
    Misconfigured(String),
}

/// Whether a target can read what a method writes.
pub fn suits(method: &dyn Method, target: &dyn Target, bench: &Bench) -> Result<(), Unusable> {
    let case = (0..PATIENCE).find_map(|index| method.make(&method.ticket(1, index)));
    let programs = case.map(|case| case.programs).unwrap_or_default();
    let reads = |program| target.probe(Some(program), bench).map(|_| ());
    programs.iter().try_for_each(reads).map_err(|Unusable(why)| {
        Unusable(format!("method `{}` is of no use: {why}", method.name()))
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
        .map_err(|Unusable(why)| Unusable(format!("{why}; another --method may do")))?;
    let cases = known(method, seed);
    if cases.is_empty() {
        return Ok(());
    }
    let spec = target.spec();
    let began = Instant::now();
    let mut problems: Vec<(&Setting, Complaint)> = vec![];
    for (tried, setting) in spec.settings.iter().enumerate() {
        // Settings that take turns are tried again before they are used. Nobody has to wait for that here.
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
            "target `{name}` rejects {under} ({line}): mend or remove the setting `{}`",
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
    /// What is wrong, by target and setting, with those that were tried.
    tried: Mutex<BTreeMap<(String, String), Option<String>>>,
}

impl Rehearsal {
    pub fn new(method: &dyn Method, seed: u64) -> Self {
        Self { cases: known(method, seed), tried: Mutex::default() }
    }

    /// Why nothing can be learnt under a setting, if that is so, and whether that is news.
    pub fn objection(
        &self,
        target: &dyn Target,
        setting: &Setting,
        bench: &Bench,
    ) -> Option<(String, bool)> {
        // Where every batch is shown under all settings, all were tried before the hunt.
        if !target.spec().schedule.takes_turns() || self.cases.is_empty() {
            return None;
        }
        let tried = || self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (target.name().to_string(), setting.name.clone());
        if let Some(known) = tried().get(&key) {
            return known.clone().map(|why| (why, false));
        }
        // Two workers may try the same at the same time: none may use it untried.
        let why = complaint(target, &self.cases, setting, bench).map(|complaint| match complaint {
            Complaint::Rejects(line) => format!("every program is rejected ({line})"),
            Complaint::Silent(why) => format!("nothing that is compiled can be run ({why})"),
        });
        let news = tried().insert(key, why.clone()).is_none();
        why.map(|why| (why, news))
    }
}

/// Promises of which a compiler that works breaks none on a simple program.
fn is_known(promise: &Promise) -> bool {
    match promise {
        Promise::Yields(_) => true,
        Promise::Survives
        | Promise::Compiles
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

/// What is wrong with a setting, if all programs fail alike under it.
fn complaint(
    target: &dyn Target,
    cases: &[Case],
    setting: &Setting,
    bench: &Bench,
) -> Option<Complaint> {
    let mut reason: Option<(String, Complaint)> = None;
    let shown: Vec<&Case> = cases.iter().collect();
    let together = shown.chunks(target.spec().batch_of(shown.first()?).cases.max(1));
    for case in together.flat_map(|shown| {
        batch::observe(target, shown, std::slice::from_ref(setting), bench).observations
    }) {
        let outcomes = case.into_iter().map(|seen| seen.outcome);
        let (text, complaint) = read(&outcomes.collect::<Vec<_>>())?;
        let normal = normalise(&text);
        if reason.as_ref().is_some_and(|(first, _)| *first != normal) {
            return None;
        }
        reason.get_or_insert((normal, complaint));
    }
    reason.map(|(_, complaint)| complaint)
}

/// What is wrong with one program; none if it could be observed, or if it is beyond what the compiler
/// takes.
fn read(outcomes: &[Outcome]) -> Option<(String, Complaint)> {
    match outcomes.first()? {
        Outcome::Rejected { message } => {
            let line = message.lines().next().unwrap_or_default().to_owned();
            Some((message.clone(), Complaint::Rejects(line)))
        }
        Outcome::Unobserved(forge::Reason::Environment(why)) => {
            Some((why.clone(), Complaint::Silent(why.clone())))
        }
        Outcome::Ran(_)
        | Outcome::Accepted
        // A success that is none is a finding.
        | Outcome::NoArtifact
        | Outcome::Crashed { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::Checked(_)
        | Outcome::Analysed(_)
        | Outcome::Unobserved(_) => None,
    }
}
