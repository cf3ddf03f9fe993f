//! The queue of findings to complete. A finding is taken only when its representative is final, so that a
//! seed ends with the same reduced programs for any number of workers.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Campaign;
use super::sources::Sources;
use crate::finding::Finding;
use crate::store::StoreError;

#[derive(Default)]
pub(super) struct Pending {
    state: Mutex<State>,
    changed: Condvar,
    jobs: usize,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<String, Entry>,
    /// How many workers complete a finding.
    active: usize,
    /// How many workers are idle.
    idle: usize,
}

#[derive(Clone, Copy)]
struct Entry {
    line: usize,
    number: u64,
}

impl Pending {
    /// Starts with the incomplete findings of earlier runs whose target and method are part of this campaign.
    pub(super) fn new(campaign: &Campaign<'_>) -> Result<Self, StoreError> {
        let pending = Self { jobs: campaign.options.jobs, ..Self::default() };
        for finding in campaign.store.findings()? {
            if finding.is_pending()
                && let Some(line) = campaign.line_of(&finding)
            {
                pending.add(&finding, line);
            }
        }
        Ok(pending)
    }

    /// Adds a finding, or replaces it after its representative has changed.
    pub(super) fn add(&self, finding: &Finding, line: usize) {
        let entry = Entry { line, number: finding.origin().number() };
        self.state().waiting.insert(finding.id.clone(), entry);
        self.wake();
    }

    /// Removes a finding that turned out to be known.
    pub(super) fn remove(&self, id: &str) {
        self.state().waiting.remove(id);
    }

    /// Takes a finding whose representative is final. [`Pending::close`] must be called afterwards.
    pub(super) fn next(&self, sources: &Sources<'_>) -> Option<String> {
        let mut state = self.state();
        let over = sources.are_over() && sources.none_in_flight();
        // Half of the workers continue hunting: they may find another bug.
        if !over && state.active >= self.jobs.div_ceil(2) {
            return None;
        }
        let settled = |entry: &Entry| over || sources.of(entry.line).settled(entry.number);
        let id =
            state.waiting.iter().find(|(_, entry)| settled(entry)).map(|(id, _)| id.clone())?;
        state.waiting.remove(&id);
        state.active += 1;
        Some(id)
    }

    pub(super) fn close(&self) {
        self.state().active -= 1;
        self.wake();
    }

    /// Waits until there may be work; false if there will be none.
    pub(super) fn wait(&self, sources: &Sources<'_>) -> bool {
        let mut state = self.state();
        // A source may have no work now and more later.
        if state.waiting.is_empty() && sources.are_over() && sources.none_in_flight() {
            return false;
        }
        state.idle += 1;
        let (mut state, _) = self
            .changed
            .wait_timeout(state, Duration::from_millis(200))
            .unwrap_or_else(PoisonError::into_inner);
        state.idle -= 1;
        true
    }

    /// How many workers the completion of one finding may use: its own and the idle ones.
    pub(super) fn available_workers(&self, jobs: usize, sources: &Sources<'_>) -> usize {
        let state = self.state();
        if sources.are_over() && sources.none_in_flight() {
            (jobs / state.active.max(1)).max(1)
        } else {
            1 + state.idle
        }
    }

    pub(super) fn len(&self) -> usize {
        let state = self.state();
        state.waiting.len() + state.active
    }

    pub(super) fn wake(&self) {
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
