//! Runs all external programs: compilers, the programs that they emit, solvers, hosts.
//!
//! A [`Runner`] takes an [`Order`] and a [`Scratch`] directory and returns a [`Run`]: how the program ended,
//! what it printed, what it used. Programs are not trusted: each runs in its own namespaces or process group, under
//! [`Limits`], in a sandbox where the system permits one (see [`Confinement`]), and all its descendants are
//! killed when it ends. A [`Host`] is a process that answers many requests. What an ending *means* for a
//! compiler is left to the targets.
//!
//! The files in the order of a run: `launch` starts a `leader` (through `image` and `clone`, in a `sandbox`, with
//! `isolation` where the system permits namespaces), `pipes` carries its input and output, `gauge` compares its
//! `processes` and what they have `held` with the limits, `sweep` kills what is left, `ending` classifies the result.

mod capture;
mod ceilings;
mod clone;
mod ending;
mod error;
mod filter;
mod gauge;
mod held;
mod host;
mod image;
mod isolation;
mod landlock;
mod launch;
mod leader;
mod life;
mod limits;
mod mark;
mod meter;
mod namespace;
mod pipes;
mod process;
mod processes;
mod removal;
mod run;
mod runner;
mod sandbox;
mod scratch;
mod spawner;
mod starved;
mod sweep;
mod syscall;
mod tree;

pub use capture::Capture;
pub use error::ExecError;
pub use forge::Resource;
pub use host::{Host, HostFailure, HostOrder};
pub use isolation::View;
pub use limits::Limits;
pub use meter::Meter;
pub use run::{Ending, Order, Run};
pub use runner::Runner;
pub use sandbox::{Confined, Confinement, SandboxPolicy};
pub use scratch::{Scratch, remove_leftovers};
