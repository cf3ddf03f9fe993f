//! A look at a target before the hunt. A compiler that rejects whatever it is given is not buggy but not
//! set up: a shim without its home, a missing library, a wrong flag. Hunting it would find nothing but that.

use forge::{Method, Outcome, Promise, Ticket};

use crate::batch;
use crate::target::{Bench, Target, Unusable};
use crate::triage::signature::normalise;

/// How many programs have to be rejected alike.
const PROGRAMS: usize = 5;

/// So many tickets are tried for them.
const PATIENCE: u64 = 20;

/// Whether a target can read what a method writes.
pub fn suits(method: &dyn Method, target: &dyn Target, bench: &Bench) -> Result<(), Unusable> {
    let case = (0..PATIENCE).find_map(|index| method.make(&Ticket::new(method.name(), 1, index)));
    let programs = case.map(|case| case.programs).unwrap_or_default();
    programs.iter().try_for_each(|program| target.understands(program, bench)).map_err(
        |Unusable(why)| Unusable(format!("method `{}` is of no use: {why}", method.name())),
    )
}

/// Shows a few valid programs to a target. Only if all are rejected, for one reason, it is unusable.
pub fn rehearse(
    method: &dyn Method,
    target: &dyn Target,
    seed: u64,
    bench: &Bench,
) -> Result<(), Unusable> {
    suits(method, target, bench)
        .map_err(|Unusable(why)| Unusable(format!("{why}; another --method may do")))?;
    let setting = target.settings().first().map(std::slice::from_ref).unwrap_or_default();
    let mut reason: Option<(String, String)> = None;
    let cases = (0..PATIENCE)
        .filter_map(|index| method.make(&Ticket::new(method.name(), seed, index)))
        .filter(|case| case.promise != Promise::Survives);
    for case in cases.take(PROGRAMS) {
        let sightings = batch::observe(target, &[&case], setting, bench);
        let outcome = sightings.observations.into_iter().flatten().next().map(|seen| seen.outcome);
        let Some(Outcome::Rejected { message }) = outcome else { return Ok(()) };
        let normal = normalise(&message);
        if reason.as_ref().is_some_and(|(first, _)| *first != normal) {
            return Ok(());
        }
        reason.get_or_insert((normal, message));
    }
    let Some((_, message)) = reason else { return Ok(()) };
    let line = message.lines().next().unwrap_or_default().to_owned();
    Err(Unusable(format!(
        "target `{}` rejects every program ({line}): it is probably not set up. Its environment holds \
         little more than PATH; what else it needs goes into `env` of its description",
        target.name()
    )))
}
