//! A listener that writes a file. A hunt must not end because a report cannot be written, so errors are stored here, and
//! the caller reports them at the end.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lab::event::Listener;

pub(crate) trait Exporter: Listener {
    /// Why the file could not be written, if so.
    fn problem(&self) -> Option<String>;
}

/// The first error.
#[derive(Debug, Default)]
pub(crate) struct Problem(Mutex<Option<String>>);

impl Problem {
    pub(crate) fn note(&self, result: anyhow::Result<()>) {
        if let Err(error) = result {
            locked(&self.0).get_or_insert(format!("{error:#}"));
        }
    }

    pub(crate) fn get(&self) -> Option<String> {
        locked(&self.0).clone()
    }
}

/// Ignores poisoning: a panic in another thread does not invalidate the data of a report.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
