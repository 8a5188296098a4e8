//! The log of a session that is not stored.

use attache_session::{Commit, Event, Log};

/// Keeps nothing.
#[derive(Debug)]
pub(crate) struct LogNowhere;

impl Log for LogNowhere {
    fn append(&mut self, _: &Event) {}

    fn commit(&self) -> Commit {
        Box::pin(std::future::ready(Ok(())))
    }

    fn backlog(&self) -> usize {
        0
    }
}
