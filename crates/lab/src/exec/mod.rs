//! The one runner for everything that we start: compilers, the programs they emit, solvers, hosts.
//!
//! A [`Runner`] takes an [`Order`] and a [`Scratch`] directory and gives back a [`Run`]: how it
//! ended, what it printed, what it cost. Whatever was started is hostile until proven otherwise, so
//! it runs in its own process group, under [`Limits`], in a sandbox where the system permits one
//! (see [`Confinement`]), and all that it started dies with it. A [`Host`] is the same thing kept
//! alive to answer many requests. What an ending *means* for a compiler is left to the targets.
//!
//! The road through the files: `launch` starts a `leader`, `pipes` carry its input and output,
//! `gauge` compares its `family` with the limits, `ending` names how it went.

mod capture;
mod clone;
mod ending;
mod error;
mod family;
mod gauge;
mod host;
mod image;
mod kernel;
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
