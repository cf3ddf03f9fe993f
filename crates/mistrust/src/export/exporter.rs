//! A listener that writes a file. A hunt must not end because a report could not be written, so
//! trouble is kept here and told by the caller at the end.

use std::sync::{Mutex, MutexGuard, PoisonError};

use lab::event::Listener;

pub(crate) trait Exporter: Listener {
    /// Why the file is not what it should be, if so.
    fn problem(&self) -> Option<String>;
}

/// The first thing that went wrong.
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

/// A thread that panicked left nothing half-done that would matter to a report.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
