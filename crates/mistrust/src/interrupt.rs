//! Ctrl-C: the first time, what runs is finished and everything is written; the second time, it ends at
//! once. What was running then is killed by the kernel, because it asked to die with us.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use lab::stop::Stop;

/// As shells count an end by SIGINT.
const INTERRUPTED: i32 = 130;

pub(crate) fn listen(stop: &Stop) -> anyhow::Result<()> {
    let stop = stop.clone();
    let asked = AtomicBool::new(false);
    ctrlc::set_handler(move || {
        if asked.swap(true, Ordering::SeqCst) {
            std::process::exit(INTERRUPTED);
        }
        stop.set();
        anstream::eprintln!("finishing what runs; Ctrl-C again to end at once");
    })
    .context("cannot listen for Ctrl-C")
}
