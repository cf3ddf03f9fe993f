//! The findings that wait to be completed. A finding is taken up once its representative is settled, so
//! that the same seed ends with the same reduced programs whatever the number of workers.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Campaign;
use super::claims::Claims;
use crate::finding::{Finding, Progress};
use crate::store::StoreError;

#[derive(Default)]
pub(super) struct Docket {
    state: Mutex<State>,
    changed: Condvar,
    jobs: usize,
    /// Held while it is looked up whether a finding is new and while it is written.
    writing: Mutex<()>,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<String, Entry>,
    /// How many workers are at it.
    active: usize,
    /// How many workers have nothing to do.
    idle: usize,
}

#[derive(Clone, Copy)]
struct Entry {
    line: usize,
    index: u64,
}

impl Docket {
    /// With what an earlier run left, as far as its compiler and method are here today.
    pub(super) fn new(campaign: &Campaign<'_>) -> Result<Self, StoreError> {
        let docket = Self { jobs: campaign.options.jobs, ..Self::default() };
        for finding in campaign.store.findings()? {
            let wanted = campaign.options.only.as_ref().is_none_or(|only| *only == finding.id);
            if wanted
                && finding.progress != Progress::Complete
                && let Some(line) = campaign.line_of(&finding)
            {
                docket.add(&finding, line);
            }
        }
        Ok(docket)
    }

    /// A finding to be completed, or the same with another representative.
    pub(super) fn add(&self, finding: &Finding, line: usize) {
        let entry = Entry { line, index: finding.ticket().index };
        self.state().waiting.insert(finding.id.clone(), entry);
        self.wake();
    }

    /// Takes up a finding, if one is settled. It has to be given back with [`Docket::close`].
    pub(super) fn next(&self, claims: &Claims) -> Option<String> {
        let mut state = self.state();
        let over = claims.are_over() && claims.none_in_flight();
        // Half of the workers go on hunting: what they find may be another bug.
        if !over && state.active >= self.jobs.div_ceil(2) {
            return None;
        }
        let settled = |entry: &Entry| over || claims.is_settled(entry.line, entry.index);
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

    /// Waits until there may be something to do; false when there is no more.
    pub(super) fn wait(&self, claims: &Claims) -> bool {
        let mut state = self.state();
        if state.waiting.is_empty() && claims.none_in_flight() {
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

    /// How many workers somebody who completes a finding may use: its own and those that are idle.
    pub(super) fn hands(&self, jobs: usize, claims: &Claims) -> usize {
        let state = self.state();
        if claims.are_over() && claims.none_in_flight() {
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

    pub(super) fn writing(&self) -> MutexGuard<'_, ()> {
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
