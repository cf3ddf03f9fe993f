//! Coverage of the compilers: which basic blocks of the compiler a program reaches. `known.rs` has what a hunt knows
//! already; a [`Maker`] measures one compiler. Guiding a hunt by it is left to the campaign.
//!
//! There is a maker per kind of compiler: `wasm/` inserts flags into WebAssembly modules.

mod known;
mod wasm;

use std::fmt;

use crate::exec::ExecError;
use crate::target::Bench;

pub use known::{Coverage, feature};


/// How the coverage of a compiler is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// In a few words: `flags in its WebAssembly module`.
    pub means: &'static str,
    /// The number of blocks, of which no program reaches all.
    pub blocks: u64,
    /// Whether the blocks of a program do not depend on what was compiled before. Otherwise a block is reported once per
    /// hunt, and only the record of a hunt says which program reached it first.
    pub is_repeatable: bool,
    /// The upper half of all features of this compiler.
    pub(crate) tag: u32,
}

/// Why the coverage of a compiler is not measured. It can be tested without.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no coverage: {0}")]
pub struct Unmeasured(pub String);

impl Unmeasured {
    pub(crate) fn because(why: impl fmt::Display) -> Self {
        Self(why.to_string())
    }
}

impl From<ExecError> for Unmeasured {
    fn from(error: ExecError) -> Self {
        Self::because(error)
    }
}

/// Measures the coverage of one compiler. A program is reported to have reached those of its blocks that are not known to
/// the [`Coverage`] of the bench. Features are stable numbers for one version of a compiler.
pub(crate) trait Maker: Send + Sync + fmt::Debug {
    /// Instruments the compiler, if that is not done yet.
    fn prepare(&self, bench: &Bench) -> Result<Measure, Unmeasured>;

    /// Changes how the compiler is started, so that it is measured. It is prepared.
    fn equip(&self, start: &mut Start);
}

/// How a process is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) argv: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
}
