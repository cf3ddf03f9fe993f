//! Runs an executable of many calls, again behind every call that ends it.

use forge::{Outcome, Reason};
use llvm::execute::{MISSING, Plan};

use super::compile::Failed;
use crate::exec::{Ending, ExecError, Order, Run, Scratch};
use crate::target::Bench;
use crate::target::failure::signal_name;

/// How often an executable is started for one batch.
const MAX_STARTS: usize = 200;

/// What came of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// So many calls gave the known answer.
    Right(usize),
    /// A call gave another one, or none.
    Wrong(String),
    /// Nothing can be said.
    Unknown(String),
}

/// The answer of each function of a plan. Words before the executable start it.
pub(super) fn answers(
    plan: &Plan,
    starter: &[String],
    bench: &Bench,
    scratch: &Scratch,
) -> Result<Vec<Answer>, Failed> {
    let mut answers: Vec<Answer> = plan
        .functions
        .iter()
        .map(|function| match &function.why {
            Some(why) => Answer::Unknown(why.clone()),
            None => Answer::Right(0),
        })
        .collect();
    let owner: Vec<usize> = plan
        .functions
        .iter()
        .enumerate()
        .flat_map(|(index, function)| function.calls.clone().map(move |_| index))
        .collect();
    let line: Vec<String> = starter.iter().cloned().chain(["./case".to_owned()]).collect();
    let mut next = 0;
    for _ in 0..MAX_STARTS {
        if next >= plan.calls.len() {
            return Ok(answers);
        }
        let order = Order::new(&line).stdin(plan.start(next)).limits(bench.run.clone());
        let run = bench.runner.run(&order, scratch)?;
        let reached = read(plan, &owner, next, &run, &mut answers);
        if reached >= plan.calls.len() {
            return Ok(answers);
        }
        let function = owner[reached];
        let call = &plan.calls[reached];
        let ended = |how: &str| {
            Answer::Wrong(format!("with {}\nsource: {}\ntarget: {how}", call.input, call.answer))
        };
        let answer = match run.ending {
            Ending::Exited(code) if code == MISSING => {
                Some(Answer::Unknown("it needs a library function".to_owned()))
            }
            // A record was not written completely.
            Ending::Exited(0) => None,
            // The program has no other exit code: it is that of an emulator that does not start.
            Ending::Exited(_) => {
                let said = run.stderr.text();
                let said = said.lines().next().unwrap_or("the emulator fails").to_owned();
                return Err(Outcome::unobserved(said).into());
            }
            Ending::Signalled(signal) => Some(ended(&format!("killed by {}", signal_name(signal)))),
            Ending::TimedOut => Some(ended("does not end")),
            Ending::Exceeded(resource) => Some(ended(&format!("needs too much: {resource:?}"))),
        };
        match answer {
            // The output was too long: it is continued.
            None if reached > next => next = reached,
            None => {
                let why = "the executable writes nothing".to_owned();
                return Err(Outcome::Unobserved(Reason::Environment(why)).into());
            }
            Some(answer) => {
                if !matches!(answers[function], Answer::Wrong(_)) {
                    let known = matches!(answers[function], Answer::Right(count) if count > 0);
                    if !(known && matches!(answer, Answer::Unknown(_))) {
                        answers[function] = answer;
                    }
                }
                next = plan.functions[function].calls.end;
            }
        }
    }
    let all_unknown = Answer::Unknown("too many calls end the program".to_owned());
    for index in owner.get(next).copied().unwrap_or(answers.len())..answers.len() {
        if answers[index] == Answer::Right(0) {
            answers[index] = all_unknown.clone();
        }
    }
    Ok(answers)
}

/// Compares the records of a run. Returns the first call without one.
fn read(plan: &Plan, owner: &[usize], first: usize, run: &Run, answers: &mut [Answer]) -> usize {
    // Of a long output, the middle is left out: it is continued behind the last whole record.
    let mut rest = run.stdout.start();
    for (index, call) in plan.calls.iter().enumerate().skip(first) {
        let Some((record, others)) = rest.split_at_checked(call.record()) else { return index };
        rest = others;
        let answer = &mut answers[owner[index]];
        match (call.difference(record), &answer) {
            (_, Answer::Wrong(_)) => {}
            (Some(difference), _) => {
                *answer = Answer::Wrong(format!(
                    "with {}\nsource: {}\n{difference}",
                    call.input, call.answer
                ));
            }
            (None, Answer::Right(count)) => *answer = Answer::Right(count + 1),
            (None, Answer::Unknown(_)) => {}
        }
    }
    plan.calls.len()
}

impl From<Failed> for Outcome {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Exec(error) => not_observed(&error),
            Failed::Outcome(outcome) => outcome,
        }
    }
}

fn not_observed(error: &ExecError) -> Outcome {
    crate::target::failure::not_observed(error)
}
