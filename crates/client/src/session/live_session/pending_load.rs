//! A load that the agent has not answered yet, with the history that it has replayed.

use crate::session::session_fold::keep;
use attache_session::{Event, EventBody, MEMORY_LIMIT, Timestamp};

/// A load that the agent has not answered yet.
pub(super) struct PendingLoad {
    pub(super) number: u64,
    /// The history replayed so far. `None` for an abandoned load, whose replay is dropped.
    pub(super) replayed: Option<Replayed>,
}

/// A history that is being replayed: its events, joined, and their approximate size in bytes.
#[derive(Default)]
pub(super) struct Replayed {
    pub(super) events: Vec<Event>,
    bytes: usize,
}

impl Replayed {
    /// Keeps a replayed event. If the history exceeds the memory limit of a session, only its end
    /// is kept.
    pub(super) fn keep(&mut self, body: EventBody) {
        let sequence = self.events.last().map_or(0, |last| last.sequence) + 1;
        keep(&mut self.events, &mut self.bytes, Event { sequence, at: Timestamp::default(), body });
        if self.bytes > MEMORY_LIMIT {
            self.events.drain(..self.events.len() / 2);
            self.bytes /= 2;
        }
    }
}
