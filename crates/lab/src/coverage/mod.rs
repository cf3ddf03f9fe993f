//! Coverage of the compilers: which basic blocks of the compiler a program reaches. `known.rs` has what a hunt knows
//! already; a maker measures one compiler. Guiding a hunt by it is left to the campaign.
//!
//! There is a maker per kind of compiler: `wasm/` inserts flags into WebAssembly modules, `python/` asks the interpreter for
//! the lines that run, `native/` puts breakpoints into machine code, `afl/`
//! reads the map of a compiler that a user instrumented. `start.rs` runs a process that is measured.

mod afl;
mod known;
mod native;
mod python;
mod start;
mod wasm;

use std::fmt;
use std::path::Path;

use crate::exec::ExecError;
use crate::target::Bench;

pub(crate) use afl::AflMaker;
pub use known::{Coverage, feature};
pub(crate) use native::NativeMaker;
pub use native::Parts;
pub(crate) use python::PythonMaker;
pub(crate) use start::{Start, Watch};
pub(crate) use wasm::{Package, WasmMaker};

/// How the coverage of a compiler is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// In a few words: `flags in its WebAssembly module`.
    pub means: &'static str,
    /// The number of blocks, of which no program reaches all.
    pub blocks: u64,
    /// Whether a program is reported with all that it reaches and is not known, whoever reached it first. Of these blocks,
    /// up to three in a thousand still depend on what the process compiled before: those of its allocator, of trees that
    /// are ordered by address, and of caches. Otherwise a block is reported once per [`Coverage`], and only the record of a
    /// hunt says which program reached it first.
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

    /// Changes how a process of the compiler is started, so that it is measured.
    fn equip(&self, start: &mut Start, bench: &Bench) -> Result<(), Unmeasured>;

    /// The blocks that a process reached which has ended, from what it left in its scratch directory. Hosts answer with
    /// theirs instead.
    fn reached(&self, scratch: &Path, bench: &Bench) -> Vec<u32> {
        let _ = (scratch, bench);
        vec![]
    }

    /// The run in this scratch directory is over.
    fn release(&self, scratch: &Path) {
        let _ = scratch;
    }
}
