//! Combines many functions into one source, so that they share a run of the compiler, and lists the calls to make:
//! every program of every case on every input.

use expression::{Dialect, Entry, STEM};
use forge::{Case, Input, Interface, Observation, Outcome, Program};
use num_bigint::BigInt;

use super::{Attempt, Batch, ByHand, Reads, Seen, TargetName, text};
use crate::setting::Setting;

/// Many functions in one source, and the calls of them.
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
    /// Index into the entries.
    pub entry: usize,
    /// One number per parameter.
    pub arguments: Vec<BigInt>,
    case: usize,
    program: usize,
    input: usize,
}

impl Joint {
    /// What a target reads that compiles functions of a dialect.
    pub fn reads(dialect: &Dialect, batch: usize) -> Vec<Reads> {
        vec![Reads::new(dialect.language, Interface::Function, Batch::of(batch))]
    }

    /// `None` if one of the programs is not a function of the dialect.
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

    /// The observations of each case, from the outcomes of the calls in order.
    pub fn observed(&self, cases: usize, setting: &Setting, outcomes: Vec<Outcome>) -> Attempt {
        let mut each = vec![Seen::default(); cases];
        for (call, outcome) in self.calls.iter().zip(outcomes) {
            each[call.case].observations.push(Observation {
                program: call.program,
                setting: setting.name.clone(),
                input: Some(call.input),
                outcome,
            });
        }
        Attempt::Each(each)
    }

    /// The case that a byte offset of the source belongs to: that of the last program name before the end of
    /// the line.
    pub fn case_at(&self, place: usize) -> Option<usize> {
        let line = self.source.get(place..)?.find('\n').map_or(self.source.len(), |it| place + it);
        let digits = |at: usize| {
            let rest = self.source[at + STEM.len()..].chars();
            rest.take_while(char::is_ascii_digit).collect::<String>()
        };
        let mut named = self.source[..line].rmatch_indices(STEM).map(|(at, _)| digits(at));
        let number = named.find(|digits| !digits.is_empty())?;
        let name = format!("{STEM}{number}");
        let entry = self.entries.iter().position(|entry| entry.name == name)?;
        self.calls.iter().find(|call| call.entry == entry).map(|call| call.case)
    }

    /// The `mistrust run` command for a target without a command-line compiler.
    pub fn by_hand(
        target: &TargetName,
        program: &Program,
        input: &Input,
        setting: &Setting,
    ) -> ByHand {
        let mut words = ["mistrust", "run"].map(str::to_owned).to_vec();
        if text::is_text(program) {
            words.push("--text".to_owned());
        }
        for (option, value) in &setting.values {
            words.extend(["--with".to_owned(), format!("{option}={value}")]);
        }
        for extra in &setting.extra {
            words.push(format!("--extra={extra}"));
        }
        words.extend([target.to_string(), program.file_name()]);
        words.extend(input.arguments.iter().cloned());
        ByHand::Answer(words)
    }

    /// The outcome of programs that cannot be combined.
    pub fn foreign() -> Attempt {
        let why = "the program is not a function whose first line is its signature";
        Attempt::Together(Outcome::unobserved(why))
    }
}
