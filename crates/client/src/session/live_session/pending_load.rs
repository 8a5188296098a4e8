//! A load that the agent has not answered yet, with the history that it has replayed.

use crate::session::session_fold::keep;
use attache_session::{Event, EventBody, MEMORY_LIMIT, Timestamp};

/// A load that the agent has not answered yet.
pub(super) struct PendingLoad {
    pub(super) number: u64,
    /// The history replayed until now, to take the session's place when it is complete. `None` once
    /// nobody waits for it: what the agent still replays is no news of the session.
    pub(super) replayed: Option<Replayed>,
}

/// A history that is being replayed: its events, joined, and about how many bytes they have.
#[derive(Default)]
pub(super) struct Replayed {
    pub(super) events: Vec<Event>,
    bytes: usize,
}

impl Replayed {
    /// Keeps what the agent replays; of a history that is larger than what a session holds in
    /// memory the end.
    pub(super) fn keep(&mut self, body: EventBody) {
        let sequence = self.events.last().map_or(0, |last| last.sequence) + 1;
        keep(&mut self.events, &mut self.bytes, Event { sequence, at: Timestamp::default(), body });
        if self.bytes > MEMORY_LIMIT {
            self.events.drain(..self.events.len() / 2);
            self.bytes /= 2;
        }
    }
}
