//! Ctrl-C. The first one finishes the running cases, unless a compiler takes long, and stores everything. The second one exits at once; running
//! children are killed by their parent-death signal.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use lab::stop::Stop;

/// The exit code that shells use for SIGINT.
const INTERRUPTED: i32 = 130;

pub(crate) fn listen(stop: &Stop) -> anyhow::Result<()> {
    let stop = stop.clone();
    let interrupted = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if interrupted.swap(true, Ordering::SeqCst) {
            std::process::exit(INTERRUPTED);
        }
        stop.set();
        anstream::eprintln!("finishing the running cases; press Ctrl-C again to exit at once");
    })
    .context("cannot handle Ctrl-C")
}
