//! Oracle 1: whether a target function refines a source function on given inputs, by running both. Every
//! behaviour of the target must be one that the source allows. A difference counts only where the source
//! is known completely: where runs are left out or [narrowed](crate::interpret), the answer is unknown.

mod compare;
mod inputs;
pub(crate) mod text;

#[cfg(test)]
mod tests;

pub use inputs::{Inputs, inputs, roomy_inputs};

use forge::Excess;

use crate::interpret::{Choices, Input, Interpreter, Limits, Outcome, Program, Reason, Run};
use crate::ir::{Function, Module};
use compare::Comparison;

/// Runs of the source that are enumerated for one input.
const SOURCE_RUNS: usize = 512;
/// Runs of the target that are tried for one input if it chooses anything.
const TARGET_RUNS: u64 = 4;
/// How many times the steps of one run all enumerated runs for one input may take together.
const SOURCE_STEPS: u32 = 20;
/// Runs that are enumerated where choices are left out anyway.
const INCOMPLETE_RUNS: usize = 64;
/// Inputs on which a function may run too long before no others are tried.
const LONG_RUNS: u32 = 2;

/// Reasons that count towards [`LONG_RUNS`]: they take longer to find out than any other.
const SOURCE_TOO_LONG: &str = "the source runs too long";
const TOO_MANY_VALUES: &str = "the source may choose among too many values";

/// Whether the target refines the source on the inputs that were run.
#[derive(Clone, Debug, PartialEq)]
pub enum Check {
    /// No input refutes it, and at least one says something.
    Holds(Tally),
    Fails(Box<Failure>),
    /// No input says anything: why the first does not.
    Unknown(Reason),
}

/// How many inputs said what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub agreed: u32,
    /// The source is undefined: the target may do anything.
    pub undefined: u32,
    pub unknown: u32,
}

/// A counterexample, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub input: String,
    pub source: String,
    pub target: String,
    pub excess: Excess,
    pub difference: String,
    /// An argument or byte of the input is undef. Many transformations are wrong only then.
    pub has_undef: bool,
    /// An operation returned a NaN: the difference may be in its arbitrary bits.
    pub has_nan: bool,
}

/// What one input says.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    Agrees,
    SourceUndefined,
    Fails(Box<Failure>),
    Unknown(Reason),
}

/// Checks a pair of functions on inputs. The functions have the same parameters.
pub fn refines(
    source: (&Module, &Function),
    target: (&Module, &Function),
    inputs: &[Input],
) -> Check {
    let pair = Pair::new(Program::new(source.0, source.1), Program::new(target.0, target.1));
    pair.check(inputs)
}

/// Both functions, prepared.
#[derive(Debug)]
pub struct Pair {
    source: Program,
    target: Program,
    limits: Limits,
}

impl Pair {
    pub fn new(mut source: Program, mut target: Program) -> Self {
        source.hide_as(&mut target);
        let limits = Limits { steps: 5000, ..Limits::default() };
        Self { source, target, limits }
    }

    /// With another limit of steps.
    #[must_use]
    pub fn with_steps(mut self, steps: u32) -> Self {
        self.limits.steps = steps;
        self
    }

    pub fn source(&self) -> &Program {
        &self.source
    }

    pub fn check(&self, inputs: &[Input]) -> Check {
        if !self.source.has_callees_of(&self.target) {
            return Check::Unknown("a callee has a body on one side only".into());
        }
        if !self.source.starts_as(&self.target) {
            return Check::Unknown("a global has another initial value".into());
        }
        let mut tally = Tally::default();
        let mut first_reason = None;
        let mut long_runs = 0;
        for input in inputs {
            let (verdict, has_asked) = self.judge(input);
            let is_only = !has_asked && input.arguments.is_empty() && input.blocks.is_empty();
            match verdict {
                Verdict::Unknown(reason)
                    if [SOURCE_TOO_LONG, TOO_MANY_VALUES].contains(&&*reason) =>
                {
                    tally.unknown += 1;
                    first_reason.get_or_insert(reason);
                    long_runs += 1;
                    if long_runs == LONG_RUNS {
                        break;
                    }
                }
                Verdict::Agrees => tally.agreed += 1,
                Verdict::SourceUndefined => tally.undefined += 1,
                Verdict::Unknown(reason) => {
                    tally.unknown += 1;
                    first_reason.get_or_insert(reason);
                }
                Verdict::Fails(failure) => return Check::Fails(failure),
            }
            if is_only {
                break;
            }
        }
        match first_reason {
            Some(reason) if tally.agreed + tally.undefined == 0 => Check::Unknown(reason),
            _ => Check::Holds(tally),
        }
    }

    pub fn check_input(&self, input: &Input) -> Verdict {
        self.judge(input).0
    }

    /// What an input says, and whether that depends on what unknown callees answer. If it does not, inputs for a
    /// function without parameters are all the same.
    fn judge(&self, input: &Input) -> (Verdict, bool) {
        let mut choices = Choices::all();
        let first = Interpreter::run(&self.source, input, &mut choices, self.limits);
        let mut has_asked = first.has_asked;
        let verdict = self.compared(input, &first, &choices, &mut has_asked);
        (verdict, has_asked)
    }

    fn compared(
        &self,
        input: &Input,
        first: &Run,
        choices: &Choices,
        has_asked: &mut bool,
    ) -> Verdict {
        match &first.outcome {
            Outcome::Undefined(_) => return Verdict::SourceUndefined,
            Outcome::Unsupported(reason) => return Verdict::Unknown(reason.clone()),
            Outcome::OutOfSteps => return Verdict::Unknown(SOURCE_TOO_LONG.into()),
            Outcome::Returned { .. } | Outcome::Ends { .. } => {}
        }
        let settling = Limits { settles_undef: true, ..self.limits };
        for sample in 0..TARGET_RUNS {
            let mut drawn = Choices::of_machine(sample);
            let target = Interpreter::run(&self.target, input, &mut drawn, settling);
            *has_asked |= target.has_asked;
            match &target.outcome {
                Outcome::Unsupported(reason) => return Verdict::Unknown(reason.clone()),
                Outcome::OutOfSteps => return Verdict::Unknown("the target runs too long".into()),
                Outcome::Undefined(_) | Outcome::Returned { .. } | Outcome::Ends { .. } => {}
            }
            if self.compare(first, &target, choices.is_used()) != Comparison::Allowed {
                match self.search(input, (first, choices), (&target, &drawn), sample) {
                    Verdict::Agrees => {}
                    other => return other,
                }
            }
            if !drawn.is_used() {
                break;
            }
        }
        Verdict::Agrees
    }

    /// Looks for another run of the source that allows what the target did.
    fn search(
        &self,
        input: &Input,
        (first, used): (&Run, &Choices),
        (target, drawn): (&Run, &Choices),
        sample: u64,
    ) -> Verdict {
        let mut narrowed = first.narrowed;
        let mut opaque = first.opaque.as_ref().or(target.opaque.as_ref()).cloned();
        let mut is_complete = used.is_complete();
        if used.is_used() {
            // The same choices as in the target are the most promising ones.
            let mut same = Choices::of_machine(sample);
            let run = Interpreter::run(&self.source, input, &mut same, self.limits);
            if self.compare(&run, target, true) == Comparison::Allowed {
                return Verdict::Agrees;
            }
            let mut choices = Choices::all().with_hints(drawn.chosen().to_vec());
            let (mut runs, mut steps) = (0, 0);
            loop {
                let run = Interpreter::run(&self.source, input, &mut choices, self.limits);
                match &run.outcome {
                    Outcome::Undefined(_) => return Verdict::SourceUndefined,
                    Outcome::Unsupported(reason) => return Verdict::Unknown(reason.clone()),
                    Outcome::OutOfSteps => {
                        return Verdict::Unknown(SOURCE_TOO_LONG.into());
                    }
                    Outcome::Returned { .. } | Outcome::Ends { .. } => {}
                }
                narrowed = narrowed.or(run.narrowed);
                opaque = opaque.or_else(|| run.opaque.clone());
                if self.compare(&run, target, true) == Comparison::Allowed {
                    return Verdict::Agrees;
                }
                runs += 1;
                steps += run.steps;
                if !choices.advance() {
                    is_complete = choices.is_complete();
                    break;
                }
                let bound = if choices.is_complete() { SOURCE_RUNS } else { INCOMPLETE_RUNS };
                if runs >= bound || steps > SOURCE_STEPS * self.limits.steps {
                    is_complete = false;
                    break;
                }
            }
        }
        let sides = ((&self.source, first), (&self.target, target));
        let comparison = compare::runs(sides.0, sides.1, used.is_used(), true);
        let (excess, difference) = match comparison {
            Comparison::Allowed => return Verdict::Agrees,
            Comparison::Unsure(reason) => return Verdict::Unknown(reason.into()),
            Comparison::Differs(excess, difference) => (excess, difference),
        };
        if let Some(reason) = opaque {
            return Verdict::Unknown(reason.to_string().into());
        }
        // Copies of memory become loads and stores of integers, although those do not keep poison apart.
        if target.mixed_poison {
            return Verdict::Unknown("an integer of which some bytes are poison".into());
        }
        // GVN forwards stores of vectors through one integer: llvm/llvm-project#63059, known since 2023.
        if target.cast_mixed_poison && first.has_loaded {
            return Verdict::Unknown("poison of one lane in a load of others".into());
        }
        if let Some(reason) = narrowed {
            return Verdict::Unknown(reason.into());
        }
        if !is_complete {
            return Verdict::Unknown(TOO_MANY_VALUES.into());
        }
        Verdict::Fails(Box::new(Failure {
            input: text::input(input),
            source: text::run(first),
            target: text::run(target),
            excess,
            difference,
            has_undef: input.has_undef(),
            has_nan: first.made_nan || target.made_nan,
        }))
    }

    fn compare(&self, source: &Run, target: &Run, chooses: bool) -> Comparison {
        compare::runs((&self.source, source), (&self.target, target), chooses, false)
    }
}
