//! Runs all external programs: compilers, the programs that they emit, solvers, hosts.
//!
//! A [`Runner`] takes an [`Order`] and a [`Scratch`] directory and returns a [`Run`]: how the program ended,
//! what it printed, what it used. Programs are not trusted: each runs in its own process group, under
//! [`Limits`], in a sandbox where the system permits one (see [`Confinement`]), and all its descendants are
//! killed when it ends. A [`Host`] is a process that answers many requests. What an ending *means* for a
//! compiler is left to the targets.
//!
//! The files in the order of a run: `launch` starts a `leader` (through `image` and `clone`, in a `sandbox`),
//! `pipes` carries its input and output, `gauge` compares its process `tree` with the limits, `sweep` kills
//! what is left, `ending` classifies the result.

mod capture;
mod clone;
mod ending;
mod error;
mod filter;
mod gauge;
mod host;
mod image;
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
pub use limits::Limits;
pub use meter::Meter;
pub use run::{Ending, Order, Run};
pub use runner::Runner;
pub use sandbox::{Confined, Confinement, SandboxPolicy};
pub use scratch::{Scratch, remove_leftovers};
