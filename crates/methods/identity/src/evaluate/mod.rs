//! Evaluates terms under a semantics, fast, on many valuations at once. It is the second opinion on
//! what terms mean: it shares no code with the kernel's lowering, and tests hold the two against each
//! other. Core terms have their value here as well, under the total semantics `WORDS`.
//!
//! `Tape` fits terms to a width and lists instructions; `Instruction` computes the column of a node
//! from the columns of its operands, one row for each valuation; `Sheet` has the columns of a tape.

mod arithmetic;
mod column;
mod instruction;
mod sheet;
mod tape;
#[cfg(test)]
mod tests;

pub use column::{Column, Stop};
pub use instruction::Instruction;
pub use sheet::Sheet;
pub(crate) use tape::outcome;
pub use tape::{Outcome, Tape, Unfit};

/// No node is wider. Rules have at most 512 bits; lowering a product to core terms doubles that.
pub const WIDEST: u16 = 1024;

/// Calls a function with the number of limbs that are enough, outside of all loops.
#[macro_export]
macro_rules! with_limbs {
    ($limbs:expr, $call:ident :: <_> ( $($argument:expr),* )) => {
        match $limbs {
            1 => $call::<1>($($argument),*),
            2 => $call::<2>($($argument),*),
            3 | 4 => $call::<4>($($argument),*),
            5 => $call::<5>($($argument),*),
            6..=9 => $call::<9>($($argument),*),
            _ => $call::<16>($($argument),*),
        }
    };
}
pub use with_limbs;
