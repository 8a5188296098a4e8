//! Changes that a client makes to a session, open or not: its title, and its archived state.

use crate::Result;
use crate::serve::context::Context;
use crate::session::outgoing_slot::StoredReply;
use attache_connection::{Responder, Work};
use attache_protocol::method::Call;
use attache_protocol::v1::SessionId;
use attache_session::{EventBody, Summary};
use std::sync::Arc;

impl Context {
    /// Appends `body` to the log of a session and replies when it is stored, in the order of the
    /// calls.
    pub(crate) fn note<M: Call>(
        self: &Arc<Self>,
        session: SessionId,
        body: EventBody,
        responder: Responder<M>,
        reply: M::Result,
    ) -> Work
    where
        M::Result: Send,
    {
        if let Ok(served) = self.sessions.get(&session) {
            let stored = {
                let mut state = served.session.state();
                if !matches!(
                    body,
                    EventBody::Archived(archived) if archived == state.session.is_archived()
                ) {
                    state.record(body);
                }
                StoredReply::new(&served.session, &mut state)
            };
            return responder.later_with(|responder| {
                stored.send_with(Box::new(|_, stored| {
                    let _ =
                        responder.send(stored.map(|()| reply).map_err(|error| error.to_reply()));
                }))
            });
        }
        let context = Arc::clone(self);
        responder.later_with(|responder| async move {
            let stored = context.append_stored(&session, body).await;
            let _ = responder.send(stored.map(|()| reply).map_err(|error| error.to_reply()));
        })
    }

    /// Does the same for a session that is not open on this connection.
    pub(crate) async fn append_stored(&self, session: &SessionId, body: EventBody) -> Result<()> {
        match self.store_methods {
            Some(methods) => methods.append(self, session, body).await,
            // Every session of an agent without a store is open.
            None => Err(self.stored.not_found(session)),
        }
    }

    /// Appends `body` to the log of a session that is not open on this connection.
    pub(crate) async fn append_to_log(&self, session: &SessionId, body: EventBody) -> Result<()> {
        let archived = match &body {
            EventBody::Archived(archived) => Some(*archived),
            _ => None,
        };
        // Archiving an archived session changes nothing (ARCH-03).
        let done = |summary: &Summary| archived == Some(summary.archived);
        self.stored.append(session, self.environment.now(), body, done).await
    }
}
