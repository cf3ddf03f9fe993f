//! Whether a value that was computed from undef is the same at every use, by trying choices. That takes more time than
//! most runs, and the runs of a function for one input, and for the next, ask about the same value again: what was found
//! out about a value of integers, which depends on nothing else, is remembered.

use std::cell::RefCell;

use foldhash::{HashMap, HashMapExt};

use super::choices::Choices;
use super::lane::{Kind, LaneOp, Scope, TOO_LONG};
use super::stop::Stop;
use super::value::Lane;

/// How many operations on undef are computed to find out whether a value depends on it.
const SETTLING: u32 = 4096;

/// Why a run says less than it could: a decision may depend on undef.
const UNSETTLED: &str = "a value that may depend on undef";

/// The drawn choices that are compared before all are tried in order.
const SAMPLES: [u64; 3] = [1, 2, 3];

/// The most operations of a value that is remembered: a chain of them can double at each step.
const REMEMBERED: u32 = 64;

/// After so many values, all are forgotten.
const MOST: usize = 1024;

/// What the choices that were tried say of a value.
#[derive(Clone, Debug)]
enum Settled {
    Same(Lane),
    Differs,
    Open,
}

/// A value, what it is, and how many operations may be computed.
type Question = (Lane, Kind, u32);

thread_local! {
    /// The answers, and how many operations they took: a run may compute so many in all, remembered or not.
    static ANSWERS: RefCell<HashMap<Question, (Settled, u32)>> = RefCell::new(HashMap::new());
}

impl Lane {
    /// Whether every use sees the same value: that value, or none if uses may differ. Where neither can be
    /// decided, one value, and the run is marked.
    pub(crate) fn settle(&self, kind: Kind, scope: &mut Scope) -> Result<Option<Self>, Stop> {
        match self {
            Self::Poison | Self::Bits(_) | Self::Pointer(_) => return Ok(Some(self.clone())),
            Self::Undef => return Ok(None),
            Self::Varying(_) if self.is_spread(kind) => return Ok(None),
            Self::Varying(_) => {}
        }
        // A run that left one decision open says nothing by the others either: in a loop there are many of them, which
        // took three quarters of the time of all runs.
        let most = if *scope.narrowed == Some(UNSETTLED) { 0 } else { SETTLING };
        match self.settled(kind, most, scope)? {
            Settled::Same(value) => Ok(Some(value)),
            Settled::Differs => Ok(None),
            Settled::Open => {
                *scope.narrowed = Some(UNSETTLED);
                self.force(kind, scope).map(Some)
            }
        }
    }

    /// What choices say, tried now or before.
    fn settled(&self, kind: Kind, most: u32, scope: &mut Scope) -> Result<Settled, Stop> {
        if !is_of_integers(self, &mut { REMEMBERED }) {
            return self.tried(kind, most, scope).map(|(settled, _)| settled);
        }
        let question = (self.clone(), kind, most);
        let known = ANSWERS.with_borrow(|answers| answers.get(&question).cloned());
        if let Some((settled, burnt)) = known {
            if !scope.choices.spend(burnt) {
                return Stop::unsupported(TOO_LONG);
            }
            return Ok(settled);
        }
        let answer = self.tried(kind, most, scope)?;
        ANSWERS.with_borrow_mut(|answers| {
            if answers.len() >= MOST {
                answers.clear();
            }
            answers.insert(question, answer.clone());
        });
        Ok(answer.0)
    }

    /// What choices say, and how many operations it took to try them.
    fn tried(&self, kind: Kind, most: u32, scope: &mut Scope) -> Result<(Settled, u32), Stop> {
        let mut first = None;
        let mut sampled = 0;
        // Drawn choices show most differences at once, those in order decide the rest.
        for sample in SAMPLES {
            let mut choices = Choices::sampled(sample);
            let value = self.force_with(kind, &mut choices, scope)?;
            sampled += choices.burnt();
            if *first.get_or_insert_with(|| value.clone()) != value {
                return Ok((Settled::Differs, sampled));
            }
        }
        let mut burnt = 0;
        let mut choices = Choices::all();
        while burnt < most {
            let value = self.force_with(kind, &mut choices, scope)?;
            burnt += choices.burnt();
            if *first.get_or_insert_with(|| value.clone()) != value {
                return Ok((Settled::Differs, sampled + burnt));
            }
            if !choices.advance() {
                if choices.is_complete()
                    && let Some(value) = first
                {
                    return Ok((Settled::Same(value), sampled + burnt));
                }
                break;
            }
        }
        Ok((Settled::Open, sampled + burnt))
    }

    /// One value of it, with other choices than those of the run.
    fn force_with(
        &self,
        kind: Kind,
        choices: &mut Choices,
        scope: &mut Scope,
    ) -> Result<Self, Stop> {
        let (narrowed, made_nan) = (&mut *scope.narrowed, &mut *scope.made_nan);
        let value = self.force(
            kind,
            &mut Scope { choices: &mut *choices, memory: scope.memory, narrowed, made_nan },
        );
        if !scope.choices.spend(choices.burnt()) {
            return Stop::unsupported(TOO_LONG);
        }
        value
    }
}

/// Whether a value is computed from integers alone: not from memory or floats, with what those say about the run.
fn is_of_integers(lane: &Lane, operations: &mut u32) -> bool {
    let recipe = match lane {
        Lane::Poison | Lane::Undef | Lane::Bits(_) => return true,
        Lane::Pointer(_) => return false,
        Lane::Varying(recipe) => recipe,
    };
    let Some(left) = operations.checked_sub(1) else { return false };
    *operations = left;
    let is_plain = match recipe.op {
        LaneOp::Binary(..)
        | LaneOp::Compare(..)
        | LaneOp::Cast(..)
        | LaneOp::Intrinsic(..)
        | LaneOp::Overflow(..)
        | LaneOp::Select(Kind::Bits(_))
        | LaneOp::Slice { .. } => true,
        LaneOp::ComparePointers(..)
        | LaneOp::Select(Kind::Pointer)
        | LaneOp::Float(..)
        | LaneOp::FloatCompare(..)
        | LaneOp::FloatToInt { .. }
        | LaneOp::IntToFloat { .. }
        | LaneOp::FloatCast { .. }
        | LaneOp::IsClass(_)
        | LaneOp::LdExp(..)
        | LaneOp::PointerToInt(_)
        | LaneOp::IntToPointer(_)
        | LaneOp::PointerMask(_) => false,
    };
    is_plain && recipe.operands.iter().all(|operand| is_of_integers(operand, operations))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::interpret::{Memory, Recipe};
    use crate::ir::{BinaryOp, Flags};

    fn varying(op: LaneOp, operands: Vec<Lane>) -> Lane {
        Lane::Varying(Arc::new(Recipe { op, operands }))
    }

    /// What settling says, and how much of what a run may compute is left.
    fn settle(lane: &Lane) -> (Option<Lane>, Option<&'static str>, bool) {
        let (mut choices, memory) = (Choices::all(), Memory::default());
        let (mut narrowed, mut made_nan) = (None, false);
        let mut scope = Scope {
            choices: &mut choices,
            memory: &memory,
            narrowed: &mut narrowed,
            made_nan: &mut made_nan,
        };
        let value = lane.settle(Kind::Bits(8), &mut scope).unwrap();
        // More than is left if the value was tried, and less if it was free.
        let has_left = choices.spend(16_000 - 256);
        (value, narrowed, has_left)
    }

    #[test]
    fn a_value_that_is_remembered_says_and_costs_the_same() {
        let and = LaneOp::Binary(BinaryOp::And, Flags::NONE, 8);
        let same = varying(and, vec![Lane::Undef, Lane::Bits(0)]);
        let first = settle(&same);
        assert_eq!(first, (Some(Lane::Bits(0)), None, false));
        assert_eq!(settle(&same), first);
        let mul = LaneOp::Binary(BinaryOp::Mul, Flags::NONE, 8);
        let open = varying(and, vec![varying(mul, vec![Lane::Undef, Lane::Undef]), Lane::Bits(0)]);
        let first = settle(&open);
        assert_eq!(first.1, Some(UNSETTLED));
        assert_eq!(settle(&open), first);
    }
}
