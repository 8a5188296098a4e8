//! The log of a session that is not stored.

use attache_session::{Commit, Event, Log};

/// A log that discards every event.
#[derive(Debug)]
pub(crate) struct NullLog;

impl Log for NullLog {
    fn append(&mut self, _: &Event) {}

    fn commit(&self) -> Commit {
        Box::pin(std::future::ready(Ok(())))
    }

    fn backlog(&self) -> usize {
        0
    }
}
