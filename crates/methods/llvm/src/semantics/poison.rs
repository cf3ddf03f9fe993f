//! What poison in an operand does, for every instruction. The interpreter and the prover implement it;
//! this is where it is written down, and their tests compare themselves with it.

use crate::ir::{BinaryOp, CastOp, Op};

/// What a poison operand does to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoisonOperand {
    /// The result is poison, lane by lane for vectors.
    Propagates,
    /// The behaviour is undefined.
    Undefined,
    /// The result is poison, and a divisor of -1 makes the behaviour undefined.
    Dividend,
    /// The result is poison if this operand is the one that is chosen (arms of `select`, `phi`).
    IfChosen,
    /// It becomes a part of the result and poisons nothing else (elements of vectors and aggregates).
    Part,
    /// It is passed on as it is: stored, returned, handed to a callee. Attributes such as `noundef` may
    /// make it undefined there.
    PassedOn,
    /// The result is some value that is not poison.
    Stopped,
}

/// What poison in the operand with this index does. An index of a vector that is poison makes the whole
/// result poison. Calls of intrinsics are described by the table of intrinsics: all of its entries
/// propagate poison.
pub fn poison_in(op: &Op, operand: usize) -> PoisonOperand {
    match op {
        Op::Binary(op) => match op {
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem if operand == 1 => {
                PoisonOperand::Undefined
            }
            BinaryOp::SDiv | BinaryOp::SRem => PoisonOperand::Dividend,
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::UDiv
            | BinaryOp::URem
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor => PoisonOperand::Propagates,
        },
        Op::FloatBinary(_) | Op::FNeg | Op::ICmp(_) | Op::FCmp(_) | Op::GetElementPtr { .. } => {
            PoisonOperand::Propagates
        }
        // A bitcast moves bits between lanes: each lane of the result that a poison bit reaches is poison.
        Op::Cast(CastOp::BitCast, _) => PoisonOperand::Part,
        Op::Cast(..) => PoisonOperand::Propagates,
        Op::Select if operand == 0 => PoisonOperand::Propagates,
        Op::Select | Op::Phi(_) => PoisonOperand::IfChosen,
        Op::Freeze => PoisonOperand::Stopped,
        Op::ExtractElement if operand == 0 => PoisonOperand::Part,
        Op::ExtractElement => PoisonOperand::Propagates,
        Op::InsertElement if operand == 2 => PoisonOperand::Propagates,
        Op::InsertElement
        | Op::ShuffleVector(..)
        | Op::ExtractValue(_)
        | Op::InsertValue(_)
        | Op::LandingPad { .. } => PoisonOperand::Part,
        Op::Load(..)
        | Op::Alloca { .. }
        | Op::CmpXchg { .. }
        | Op::AtomicRmw { .. }
        | Op::VaArg(_)
        | Op::CondBranch(..)
        | Op::Switch { .. }
        | Op::IndirectBranch(_) => PoisonOperand::Undefined,
        Op::Store(_) if operand == 1 => PoisonOperand::Undefined,
        Op::Store(_) | Op::Call(_) | Op::Invoke { .. } | Op::Return | Op::Resume => {
            PoisonOperand::PassedOn
        }
        Op::Fence(_) | Op::Branch(_) | Op::Unreachable => PoisonOperand::PassedOn,
    }
}
