//! A fast evaluator of terms under a semantics, on many valuations at once. It is independent of
//! the kernel's lowering, and tests compare the two. Core terms are evaluated under the total
//! semantics `WORDS`.
//!
//! `Tape` fixes the widths of terms and lists instructions. `Instruction` computes the column of a
//! node from the columns of its operands, one row per valuation. `Sheet` holds the columns of a
//! tape.

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
pub use tape::{IllFormed, Outcome, Tape};

/// The widest node. Rules have at most 512 bits, and lowering a product to core terms doubles that.
pub const WIDEST: u16 = 1024;

/// Calls a function with a sufficient number of limbs as its const parameter, so that the dispatch
/// is outside all loops.
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
