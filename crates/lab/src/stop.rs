//! A stop request, shared by all long-running work: made by the user, or by a deadline.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A stop request that all workers share.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: Arc<AtomicBool>,
    deadline: Arc<OnceLock<Instant>>,
}

impl Stop {
    /// The deadline alone, for work that continues after the user's request.
    #[must_use]
    pub fn clock(&self) -> Self {
        Self { asked: Arc::default(), deadline: Arc::clone(&self.deadline) }
    }

    pub fn set(&self) {
        self.asked.store(true, Ordering::SeqCst);
    }

    /// Sets the deadline. It can be set once.
    pub fn set_deadline(&self, deadline: Instant) {
        let _ = self.deadline.set(deadline);
    }

    /// Whether work has to stop.
    pub fn is_set(&self) -> bool {
        self.is_asked() || self.is_late()
    }

    /// Whether the user requested it.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// Whether the deadline has passed.
    pub fn is_late(&self) -> bool {
        self.deadline.get().is_some_and(|deadline| Instant::now() >= *deadline)
    }

    /// The time until the deadline, if there is one.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.get().map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_or_the_deadline_stops_work() {
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
