//! Executing functions on a real machine, where the interpreter knows the answer: which calls are made
//! ([`Plan`]), the IR around the functions that makes them, and what each must return. Compiling, linking and
//! running are left to `lab`.

mod call;
mod fit;
mod globals;
mod leaf;
mod library;
mod machine;
mod plan;

pub use call::Call;
pub use fit::{prepare, unfit};
pub use library::{ARENA, MISSING, MISSING_FUNCTION};
pub use machine::{MACHINES, Machine};
pub use plan::{Plan, Tested};
