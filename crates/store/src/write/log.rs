//! The writing end of a session's log.

use crate::write::live_log::{Beginning, LiveLog, State};
use crate::write::promise::promise;
use crate::write::writer::Writer;
use attache_session::{Commit, Event, Log};
use std::sync::{Arc, MutexGuard};

/// The writer is woken once this many bytes were appended, without waiting for its interval.
const ENOUGH: usize = 256 * 1024;

/// The writing end of a session's log.
pub(crate) struct SqliteLog {
    live: Arc<LiveLog>,
    writer: Arc<Writer>,
}

impl SqliteLog {
    pub(crate) fn new(writer: Arc<Writer>, beginning: Beginning) -> Self {
        Self { live: Arc::new(LiveLog::new(beginning)), writer }
    }

    /// Tells the writer that there is something to write. The writer writes it soon, or at once if
    /// `urgent` is set.
    fn announce(&self, mut state: MutexGuard<'_, State>, urgent: bool) {
        let known = std::mem::replace(&mut state.queued, true);
        if !self.writer.queue.add((!known).then_some(&self.live), urgent) {
            drop(state);
            self.live.give_up();
        }
    }
}

impl Log for SqliteLog {
    fn append(&mut self, event: &Event) {
        let mut state = self.live.state();
        if event.sequence <= state.summary.sequence {
            return;
        }
        state.summary.apply(event);
        let before = state.bytes;
        state.push(event);
        let added = state.bytes.saturating_sub(before);
        state.fresh += added;
        state.since += added;
        let enough = state.fresh >= ENOUGH;
        if enough {
            state.fresh = 0;
        }
        if state.begun && (enough || !state.queued) {
            self.announce(state, enough);
        }
    }

    fn commit(&self) -> Commit {
        let mut state = self.live.state();
        if state.bytes == 0 && state.origin.is_none() {
            return Box::pin(std::future::ready(Ok(())));
        }
        if state.waiting.len() == state.waiting.capacity() {
            state.waiting.retain(|promise| !promise.is_forgotten());
        }
        let (promise, outcome) = promise();
        state.waiting.push(promise);
        state.begun = true;
        self.announce(state, true);
        let place = Arc::clone(&self.writer.place);
        Box::pin(async move { outcome.await.unwrap_or_else(|| Err(place.ended())) })
    }

    fn backlog(&self) -> usize {
        self.live.state().bytes
    }

    fn is_checkpoint_due(&self) -> bool {
        self.live.state().is_checkpoint_due()
    }

    fn keep_checkpoint(&mut self, body: Option<String>) {
        let mut state = self.live.state();
        state.keep_checkpoint(body);
        if state.begun && !state.queued {
            self.announce(state, false);
        }
    }
}

impl Drop for SqliteLog {
    fn drop(&mut self) {
        let mut state = self.live.state();
        (state.closed, state.begun) = (true, true);
        self.announce(state, true);
    }
}
