//! What the list of sessions depends on.

use attache_client::{Hub, SessionFilter};
use attache_protocol::v1::SessionId;

/// What the list depends on. Listing thousands of sessions takes longer than a frame may.
#[derive(PartialEq)]
pub(super) struct ListedFor {
    filter: SessionFilter,
    /// The agent, id and title of each open session, and whether something was said in it.
    open: Vec<(String, SessionId, Option<String>, bool)>,
}

impl ListedFor {
    /// Returns what a list with this filter depends on now.
    pub(super) fn of(hub: &Hub, filter: SessionFilter) -> Self {
        let open = hub.sessions().into_iter().map(|session| {
            let snapshot = session.snapshot();
            let title = snapshot.info().title().map(str::to_owned);
            let is_empty = snapshot.entries().is_empty();
            (session.agent().name().to_owned(), session.id().clone(), title, is_empty)
        });
        Self { filter, open: open.collect() }
    }
}
