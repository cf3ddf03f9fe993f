//! The model: a function as a list of steps and a result. Its terms are those of `identity`, so that proven rules apply to
//! them and the evaluator computes them.

use std::ops::Range;

use identity::kernel::{Extent, TermId, Terms};

/// The variables of a function are numbered: its parameters first, then the result of each step. Bodies of loops and
/// helpers have others. This is the accumulator of a loop.
pub(super) const ACCUMULATOR: u16 = 500;
/// The number of iterations so far; as wide as the accumulator.
pub(super) const COUNTER: u16 = 501;
/// The first parameter of a helper.
pub(super) const HELPER: u16 = 600;

/// One statement of a function.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A local variable.
    Let { term: TermId },
    /// A loop that computes its accumulator anew in each iteration. Its body can use the accumulator, the counter, the
    /// parameters of the function and the steps before.
    Loop { times: u8, start: TermId, body: TermId },
    /// A call of a helper function, whose body can use only its own parameters.
    Call { arguments: Vec<TermId>, body: TermId, inline: Inline },
}

/// The inlining attribute of a helper, where a language has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inline {
    Free,
    Always,
    Never,
}

/// A function: its steps and its result.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Body {
    pub steps: Vec<Step>,
    pub result: TermId,
}

impl Step {
    /// The terms in it, in the order in which they are evaluated first.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            Self::Let { term } => vec![*term],
            Self::Loop { start, body, .. } => vec![*start, *body],
            Self::Call { arguments, body, .. } => {
                arguments.iter().copied().chain([*body]).collect()
            }
        }
    }

    fn terms_mut(&mut self) -> Vec<&mut TermId> {
        match self {
            Self::Let { term } => vec![term],
            Self::Loop { start, body, .. } => vec![start, body],
            Self::Call { arguments, body, .. } => arguments.iter_mut().chain([body]).collect(),
        }
    }

    /// The term whose width the result of the step has.
    pub fn value(&self) -> TermId {
        match self {
            Self::Let { term } => *term,
            Self::Loop { body, .. } | Self::Call { body, .. } => *body,
        }
    }
}

impl Body {
    /// All terms, step by step, the result last: the sites at which rules fire.
    pub fn sites(&self) -> Vec<TermId> {
        self.steps.iter().flat_map(Step::terms).chain([self.result]).collect()
    }

    pub fn sites_mut(&mut self) -> Vec<&mut TermId> {
        self.steps.iter_mut().flat_map(Step::terms_mut).chain([&mut self.result]).collect()
    }

    /// The sites of a step.
    pub fn sites_of(&self, step: usize) -> Range<usize> {
        let before = |steps: &[Step]| steps.iter().map(|step| step.terms().len()).sum::<usize>();
        before(&self.steps[..step])..before(&self.steps[..=step])
    }

    /// The variable that is the result of a step.
    pub fn variable(parameters: usize, step: usize) -> u16 {
        (parameters + step) as u16
    }
}

/// The width of a term of a program; all are fixed.
pub(super) fn width(terms: &Terms, term: TermId) -> u16 {
    terms.width(term).as_fixed().unwrap_or(0)
}

pub(super) fn fixed(width: u16) -> Extent {
    Extent::fixed(width)
}
