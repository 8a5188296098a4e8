//! The conversation of one session: the session, its view, and how the person reads it.

use crate::transcript::Transcript;
use attache_client::HubSession;

/// The conversation of one session.
pub(crate) struct Conversation {
    pub(crate) session: HubSession,
    pub(crate) transcript: Transcript,
    /// The number of the last event that is shown.
    pub(crate) sequence: u64,
    entries: usize,
}

impl Conversation {
    pub(crate) fn new(session: HubSession) -> Self {
        Self { session, transcript: Transcript::default(), sequence: 0, entries: 0 }
    }

    /// Takes the current state of the session.
    pub(crate) fn update(&mut self) {
        let snapshot = self.session.snapshot();
        if snapshot.sequence() == self.sequence {
            return;
        }
        self.sequence = snapshot.sequence();
        self.entries = snapshot.entries().len();
        self.transcript.placeholder(&snapshot);
    }

    /// Whether nothing was said yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries == 0
    }
}
