//! A request to stop, shared by everything that works for long. It asks; nobody is forced.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
}

impl Stop {
    pub fn set(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    pub fn is_set(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }
}
