//! The place of a reply in the outgoing order of its session.

use crate::session::open_session::OpenSession;
use crate::session::outgoing_order::OutgoingItem;
use crate::session::state::{Reply, State};
use crate::{Error, Result};
use attache_session::Commit;
use std::sync::Arc;

/// The reserved place of one reply. If it is dropped, the items after it no longer wait for it.
pub(crate) struct OutgoingSlot {
    session: Arc<OpenSession>,
    number: Option<u64>,
}

impl OutgoingSlot {
    /// Reserves the next place. Call it under the session's lock, in the same step as the change
    /// that the reply reports.
    pub(crate) fn new(session: &Arc<OpenSession>, state: &mut State) -> Self {
        Self { session: Arc::clone(session), number: Some(state.outgoing.reserve()) }
    }

    /// Makes the reply ready. It is sent now, with everything after it that is ready, unless a
    /// reply before it still waits.
    pub(crate) fn leave(mut self, send: Reply) {
        self.fill(OutgoingItem::Ready(send));
    }

    fn fill(&mut self, item: OutgoingItem<Reply>) {
        if let Some(number) = self.number.take() {
            self.session.defer(move |state| {
                state.outgoing.fill(number, item);
                state.send_outgoing();
            });
        }
    }
}

impl Drop for OutgoingSlot {
    fn drop(&mut self) {
        self.fill(OutgoingItem::Nothing);
    }
}

/// Queues a reply that depends on whether the session could be stored.
pub(crate) type SendStored = Box<dyn FnOnce(&mut State, Result<()>) + Send>;

/// A reply that waits until the session is stored, and keeps its place meanwhile.
pub(crate) struct StoredReply {
    slot: OutgoingSlot,
    commit: Commit,
}

impl StoredReply {
    /// Reserves the place of a reply that confirms everything that happened in the session so far.
    /// Call it under the session's lock.
    pub(crate) fn new(session: &Arc<OpenSession>, state: &mut State) -> Self {
        Self { slot: OutgoingSlot::new(session, state), commit: state.commit() }
    }

    /// Waits until the session is stored, then makes the reply ready. `send` receives the result of
    /// storing.
    pub(crate) async fn send_with(self, send: SendStored) {
        let stored = self.commit.await.map_err(Error::Store);
        self.slot.leave(Box::new(|state| send(state, stored)));
    }
}
