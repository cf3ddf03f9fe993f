//! A compiler that runs as a persistent process and answers in JSON lines, for compilers whose start-up costs
//! more than a compilation. A request contains many cases; the answer has a list of observations for each:
//!
//! ```text
//! → {"setting": {"opt": "2"}, "cases": [{"programs": [{"name": "base", "source": "…"}],
//!                                        "inputs": [{"arguments": ["1"]}]}]}
//! ← {"cases": [[{"program": 0, "input": 0, "outcome": {"ran": {"value": "42\n"}}}]]}
//! ```
//!
//! An outcome is `"accepted"`, `{"ran": {"value": TEXT}}`, `{"ran": {"trap": {"code": …, "output": …}}}`,
//! `{"rejected": {"message": …}}`, `{"crashed": {"message": …}}`,
//! `{"exhausted": {"stage": "compile", "resource": "stack"}}`, `{"analysed": {STATEMENT: true or false}}`,
//! `{"checked": "holds"}`, `{"checked": {"fails": {"counterexample": …}}}`, `{"checked": {"unknown": {"why": …}}}` or
//! `{"unobserved": {REASON: …}}`, where the reason is `limit`, `lacks` or `environment`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use forge::{Case, Input, Observation, Outcome, Program, Stage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::described::Identity;
use super::failure::{crashed, not_observed};
use super::{Attempt, Axis, Bench, ByHand, PassControl, Spec, Target, Unusable, command, native};
use crate::exec::{Ending, Host, HostFailure, HostOrder};
use crate::setting::Setting;

/// A host is restarted after this many requests, to bound memory leaks.
const REQUESTS_PER_LIFE: u32 = 1000;

/// A described compiler that runs as a persistent process.
#[derive(Debug)]
pub struct HostedTarget {
    identity: Identity,
    argv: Vec<String>,
    /// Hosts without a request in progress.
    idle: Mutex<Vec<Host>>,
    /// Whether any process has answered a request.
    has_answered: AtomicBool,
}

#[derive(Deserialize)]
struct Answer {
    cases: Vec<Vec<AnsweredObservation>>,
}

#[derive(Deserialize)]
struct AnsweredObservation {
    program: usize,
    #[serde(default)]
    input: Option<usize>,
    outcome: Outcome,
}

impl HostedTarget {
    pub(super) fn new(identity: Identity, argv: Vec<String>) -> Self {
        Self { identity, argv, idle: Mutex::new(vec![]), has_answered: AtomicBool::new(false) }
    }

    fn host(&self, bench: &Bench) -> Host {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| {
            let env = self.identity.env.iter();
            let order = HostOrder {
                argv: self.argv.iter().map(Into::into).collect(),
                env: env.map(|(name, value)| (name.into(), value.into())).collect(),
                limits: bench.compile.clone(),
                requests_per_life: REQUESTS_PER_LIFE,
            };
            Host::new(&bench.runner, order)
        })
    }

    fn request<'a>(
        cases: impl Iterator<Item = (&'a [Program], &'a [Input])>,
        setting: &Setting,
    ) -> Value {
        let case = |(programs, inputs): (&[Program], &[Input])| {
            let program =
                |program: &Program| json!({ "name": program.name, "source": program.source });
            let programs: Vec<Value> = programs.iter().map(program).collect();
            json!({ "programs": programs, "inputs": inputs })
        };
        let options: serde_json::Map<String, Value> =
            setting.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({ "setting": options, "cases": cases.map(case).collect::<Vec<_>>() })
    }

    fn read(&self, answer: Value, cases: &[&Case], setting: &Setting) -> Attempt {
        let garbled = |why: String| Attempt::Together(Outcome::unobserved(why));
        let answer: Answer = match serde_json::from_value(answer) {
            Ok(answer) => answer,
            Err(error) => return garbled(format!("the host's answer is not valid: {error}")),
        };
        if answer.cases.len() != cases.len() {
            let (answers, requested) = (answer.cases.len(), cases.len());
            return garbled(format!("the host gave {answers} answers for {requested} cases"));
        }
        let is_foreign = |(case, answered): (&&Case, &Vec<AnsweredObservation>)| {
            let (programs, inputs) = (case.programs.len(), case.inputs.len());
            answered
                .iter()
                .any(|it| it.program >= programs || it.input.is_some_and(|input| input >= inputs))
        };
        if cases.iter().zip(&answer.cases).any(is_foreign) {
            return garbled(
                "the host's answer is about a program or an input that the case does not have"
                    .to_owned(),
            );
        }
        self.has_answered.store(true, Ordering::Relaxed);
        let outcome = |outcome: Outcome| match outcome {
            Outcome::Crashed { signal: None, message, frames } => crashed(message, frames),
            other => other,
        };
        let observation = |answered: AnsweredObservation| Observation {
            program: answered.program,
            setting: setting.name.clone(),
            input: answered.input,
            outcome: outcome(answered.outcome),
        };
        let each = |answered: Vec<AnsweredObservation>| {
            answered.into_iter().map(observation).collect::<Vec<_>>().into()
        };
        Attempt::Each(answer.cases.into_iter().map(each).collect())
    }

    fn failure(&self, failure: HostFailure, wall: Duration) -> Outcome {
        let stage = Stage::Compile;
        match failure {
            HostFailure::TimedOut => Outcome::Hung { stage, seconds: wall.as_secs() },
            HostFailure::Exceeded(resource) => Outcome::Exhausted { stage, resource },
            // As a mistyped script does.
            HostFailure::Died { ending, stderr } if !self.has_answered.load(Ordering::Relaxed) => {
                let last = stderr.lines().map(str::trim).rfind(|line| !line.is_empty());
                let said = last.map_or_else(|| format!("{ending:?}"), str::to_owned);
                Outcome::unobserved(format!("the host died before its first answer: {said}"))
            }
            HostFailure::Died { ending, stderr } => {
                let signal = match ending {
                    Ending::Signalled(signal) => Some(signal),
                    _ => None,
                };
                self.identity.classifier.failed(&stderr, signal)
            }
            HostFailure::Garbled { line } => {
                let start: String = line.chars().take(80).collect();
                Outcome::unobserved(format!("the host's answer is not JSON: {start}"))
            }
            HostFailure::Exec(error) => not_observed(&error),
        }
    }
}

impl Target for HostedTarget {
    fn spec(&self) -> &Spec {
        &self.identity.spec
    }

    fn executables(&self) -> Vec<PathBuf> {
        native::executables(&self.argv)
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let mut host = self.host(bench);
        // Each further case of a batch adds a tenth of the time limit for one case.
        let wall = bench.compile.wall + bench.compile.wall / 10 * (cases.len() as u32 - 1).min(100);
        let parts = cases.iter().map(|case| (case.programs.as_slice(), case.inputs.as_slice()));
        let answer = host.ask(&Self::request(parts, setting), wall);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(host);
        match answer {
            Ok(answer) => self.read(answer, cases, setting),
            Err(failure) => Attempt::Together(self.failure(failure, wall)),
        }
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        let case = (std::slice::from_ref(program), std::slice::from_ref(input));
        let request = Self::request(std::iter::once(case), setting);
        let script = "request=$1; shift; printf '%s\\n' \"$request\" | \"$@\"";
        let words = ["sh", "-c", script, "sh"].map(str::to_owned);
        let command = words.into_iter().chain([request.to_string()]).chain(self.argv.clone());
        ByHand::Answer(command.collect())
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        let line = self.identity.version.clone();
        let program = self.argv.first().cloned().unwrap_or_default();
        let line = line.unwrap_or_else(|| vec![program, "--version".to_owned()]);
        command::probe(&self.identity, line, bench)
    }
}

impl PassControl for HostedTarget {
    fn axes(&self, _case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        Axis::of_options(&self.identity.spec.settings, setting)
    }
}
