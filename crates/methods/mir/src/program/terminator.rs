//! Terminators: how a basic block ends, what it calls, and what happens when the call panics.

use serde::{Deserialize, Serialize};

use super::encoding::arms;
use super::place::{Operand, Place};
use crate::intrinsic::Intrinsic;
use crate::types::TypeId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Terminator {
    Goto(usize),
    /// On an integer, `bool` or `char`. The values of the arms are distinct.
    Switch {
        on: Operand,
        #[serde(with = "arms")]
        arms: Vec<(u128, usize)>,
        otherwise: usize,
    },
    Call {
        callee: Callee,
        arguments: Vec<Operand>,
        destination: Place,
        target: usize,
        unwind: Unwind,
    },
    Drop {
        place: Place,
        target: usize,
        unwind: Unwind,
    },
    /// Of a function with the caller's signature, direct or through a function pointer.
    TailCall {
        callee: Callee,
        arguments: Vec<Operand>,
    },
    /// Outputs the values of one to [`RECORDED`] places. Each is a scalar, or an enum, of which the discriminant is
    /// output. A `u128` or `i128` counts twice.
    Record {
        values: Vec<Place>,
        target: usize,
    },
    Return,
    Unreachable,
    /// Continues to unwind. In cleanup blocks only.
    Resume,
    /// Aborts. In cleanup blocks only. Generated programs never reach it.
    Terminate(Reason),
}

/// Why a panic must not unwind further. It changes only the message of the abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reason {
    /// The ABI of the function does not allow unwinding.
    Abi,
    /// The panic started in a cleanup block, during another panic.
    InCleanup,
}

/// The most 64-bit words that one `Record` can output.
pub(crate) const RECORDED: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Callee {
    /// A function and its generic arguments: types, then [`Kind::Value`] or [`Kind::Constant`] for its const
    /// parameters.
    Function(usize, Vec<TypeId>),
    /// The function that the function pointer in a place points to.
    Pointer(Place),
    /// Dynamic dispatch: a trait and a method of it. The first argument is a reference to the trait object.
    Method(usize, usize),
    /// Calls a function through `catch_unwind`. Returns as a `bool` whether it panicked.
    Catch(usize),
    Intrinsic(Intrinsic),
    /// `Box::new`, `Box::into_raw`, `Box::from_raw`.
    NewBox,
    BoxToPointer,
    BoxFromPointer,
    /// `ManuallyDrop::new`, `ManuallyDrop::into_inner`.
    NewManual,
    ManualToInner,
    /// `std::hint::black_box`.
    BlackBox,
    /// Panics without a message. Takes no arguments, and never writes the destination, which is of type `()`.
    Raise,
}

/// What happens when a call panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unwind {
    /// Unwinding continues in the caller.
    Continue,
    /// A panic is undefined behaviour.
    Unreachable,
    /// Unwinding continues at this cleanup block.
    Cleanup(usize),
    /// The program aborts. In generated programs such calls never panic.
    Terminate(Reason),
}

impl Reason {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Abi => "ReasonAbi",
            Self::InCleanup => "ReasonInCleanup",
        }
    }
}

impl Unwind {
    pub(crate) fn target(self) -> Option<usize> {
        match self {
            Self::Cleanup(block) => Some(block),
            _ => None,
        }
    }
}

impl Terminator {
    /// All successor blocks.
    pub(crate) fn targets(&self) -> Vec<usize> {
        match self {
            Self::Goto(target) | Self::Record { target, .. } => vec![*target],
            Self::Call { target, unwind, .. } | Self::Drop { target, unwind, .. } => {
                std::iter::once(*target).chain(unwind.target()).collect()
            }
            Self::Switch { arms, otherwise, .. } => {
                arms.iter().map(|(_, target)| *target).chain([*otherwise]).collect()
            }
            Self::Return
            | Self::Unreachable
            | Self::Resume
            | Self::Terminate(_)
            | Self::TailCall { .. } => vec![],
        }
    }

    pub(crate) fn targets_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Goto(target) | Self::Record { target, .. } => vec![target],
            Self::Call { target, unwind, .. } | Self::Drop { target, unwind, .. } => {
                let mut targets = vec![target];
                if let Unwind::Cleanup(block) = unwind {
                    targets.push(block);
                }
                targets
            }
            Self::Switch { arms, otherwise, .. } => {
                arms.iter_mut().map(|(_, target)| target).chain([otherwise]).collect()
            }
            Self::Return
            | Self::Unreachable
            | Self::Resume
            | Self::Terminate(_)
            | Self::TailCall { .. } => vec![],
        }
    }

    pub(crate) fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Switch { on, .. } => vec![on],
            Self::Call { arguments, .. } | Self::TailCall { arguments, .. } => {
                arguments.iter().collect()
            }
            _ => vec![],
        }
    }

    /// The function that it calls directly.
    pub(crate) fn function(&self) -> Option<usize> {
        match self {
            Self::Call {
                callee: Callee::Function(function, _) | Callee::Catch(function), ..
            }
            | Self::TailCall { callee: Callee::Function(function, _), .. } => Some(*function),
            _ => None,
        }
    }
}
