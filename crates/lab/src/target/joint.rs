//! Many programs of the method `expression` as one source, so that they share a run of the compiler, and
//! the calls that have to be made of what comes of it: every program of every case on every input.

use forge::expression::{Dialect, Entry, STEM};
use forge::{Case, Observation, Outcome};
use num_bigint::BigInt;

use super::Attempt;
use crate::setting::Setting;

#[derive(Clone, Debug)]
pub struct Joint {
    pub source: String,
    /// The programs, in the order of the cases.
    pub entries: Vec<Entry>,
    pub calls: Vec<Call>,
}

/// One call of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Which of the entries.
    pub entry: usize,
    /// As numbers of the kinds of the parameters.
    pub arguments: Vec<BigInt>,
    case: usize,
    program: usize,
    input: usize,
}

/// Whether the programs of a method are functions that can share a source.
pub(super) fn is_of_it(method: &str) -> bool {
    method.starts_with("expression")
}

impl Joint {
    /// Nothing if one of the programs was not written by the method.
    pub fn of(dialect: &Dialect, cases: &[&Case]) -> Option<Self> {
        let programs = cases.iter().flat_map(|case| &case.programs);
        let sources: Vec<&str> = programs.map(|program| program.source.as_str()).collect();
        let (source, entries) = dialect.combine(&sources)?;
        let (mut calls, mut entry) = (vec![], 0);
        for (at, case) in cases.iter().enumerate() {
            for program in 0..case.programs.len() {
                for (input, given) in case.inputs.iter().enumerate() {
                    let words = given.arguments.iter().map(|argument| argument.parse().ok());
                    let arguments = words.collect::<Option<Vec<BigInt>>>()?;
                    if arguments.len() != entries[entry].signature.parameters.len() {
                        return None;
                    }
                    calls.push(Call { entry, arguments, case: at, program, input });
                }
                entry += 1;
            }
        }
        Some(Self { source, entries, calls })
    }

    /// What was observed of each case, from what came of each call, in order.
    pub fn observed(&self, cases: usize, setting: &Setting, outcomes: Vec<Outcome>) -> Attempt {
        let mut each = vec![vec![]; cases];
        for (call, outcome) in self.calls.iter().zip(outcomes) {
            each[call.case].push(Observation {
                program: call.program,
                setting: setting.name.clone(),
                input: Some(call.input),
                outcome,
            });
        }
        Attempt::Each(each)
    }

    /// The case whose program a place of the source belongs to, where its items are named before.
    pub fn case_at(&self, place: usize) -> Option<usize> {
        let before = self.source.get(..place)?;
        let (at, _) = before.rmatch_indices(&format!("function {STEM}")).next()?;
        let name: String = before[at..]
            .chars()
            .skip_while(|it| !it.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        let entry = self.entries.iter().position(|entry| entry.name == format!("{STEM}{name}"))?;
        self.calls.iter().find(|call| call.entry == entry).map(|call| call.case)
    }

    /// What is said of programs that cannot be shown to the compiler together.
    pub fn foreign() -> Attempt {
        let why = "the program was not written by the method `expression`".to_owned();
        Attempt::Together(Outcome::Unobserved { why })
    }
}
