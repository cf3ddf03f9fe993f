//! A stop request, shared by all long-running work: made by the user, or by a deadline.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// How long what runs may still take after the user's request. Compilers are faster, unless they hang.
const PATIENCE: Duration = Duration::from_secs(2);

/// A stop request that all workers share.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    /// When the user asked.
    asked: Arc<OnceLock<Instant>>,
    deadline: Arc<OnceLock<Instant>>,
    /// Whether it only stops a little after the user's request.
    ignores_user: bool,
}

impl Stop {
    /// For work that continues for a moment after the user's request.
    #[must_use]
    pub fn clock(&self) -> Self {
        Self { ignores_user: true, ..self.clone() }
    }

    pub fn set(&self) {
        let _ = self.asked.set(Instant::now());
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
        !self.ignores_user && self.asked.get().is_some()
    }

    /// Whether the deadline has passed, or what the user has waited for since the request. What runs then is ended, and says
    /// nothing.
    pub fn is_late(&self) -> bool {
        let now = Instant::now();
        let asked = self.asked.get().map(|asked| *asked + PATIENCE);
        self.deadline.get().copied().into_iter().chain(asked).any(|end| now >= end)
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
