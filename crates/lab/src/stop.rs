//! A request to stop, shared by everything that works for long: made by somebody, or by the clock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
}

impl Stop {
    /// The clock alone: for work that is finished although somebody asked to stop.
    #[must_use]
    pub fn clock(&self) -> Self {
        Self { asked: Arc::default(), deadline: Arc::clone(&self.deadline) }
    }

    pub fn set(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// Sets the moment at which the clock makes the request. It can be set once.
    pub fn set_deadline(&self, deadline: Instant) {
        let _ = self.deadline.set(deadline);
    }

    /// Whether everything has to stop now.
    pub fn is_set(&self) -> bool {
        self.is_asked() || self.is_late()
    }

    /// Whether somebody asked.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Whether the clock did.
    pub fn is_late(&self) -> bool {
        self.deadline.get().is_some_and(|deadline| Instant::now() >= *deadline)
    }

    /// The time until the deadline, where there is one.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.get().map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_or_the_clock_stops_it() {
        let stop = Stop::default();
        assert!(!stop.is_set());
        let other = stop.clone();
        other.set_deadline(Instant::now());
        assert!(stop.is_set() && stop.is_late() && !stop.is_asked());
        assert!(stop.clock().is_set());
        let asked = Stop::default();
        asked.set();
        assert!(asked.is_set() && !asked.is_late() && !asked.clock().is_set());
    }
}
