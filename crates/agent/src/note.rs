//! What a client notes about a session, whether it is open or not: its title, and whether it is
//! archived.

use crate::kit::Parts;
use crate::line_up::Promise;
use crate::{Author, Result};
use attache_connection::{Responder, Work};
use attache_protocol::method::Call;
use attache_protocol::v1::SessionId;
use attache_session::{EventBody, Summary};
use std::sync::Arc;

impl<A: Author> Parts<A> {
    /// Puts `body` into the session's log and answers when it is stored, in the order of the calls.
    pub(crate) fn note<M: Call>(
        self: &Arc<Self>,
        session: SessionId,
        body: EventBody,
        answer: Responder<M>,
        reply: M::Result,
    ) -> Work
    where
        M::Result: Send,
    {
        if let Ok(held) = self.sessions.get(&session) {
            let promise = {
                let mut state = held.session.state();
                if !matches!(body, EventBody::Archived(archived) if archived == state.session.is_archived())
                {
                    state.record(body);
                }
                Promise::new(&held.session, &mut state)
            };
            return answer
                .later_with(|answer| promise.answer(answer, |stored| stored.map(|()| reply)));
        }
        let parts = Arc::clone(self);
        answer.later_with(|answer| async move {
            let stored = parts.note_stored(&session, body).await;
            let _ = answer.send(stored.map(|()| reply).map_err(|error| error.to_reply()));
        })
    }

    /// The same for a session that is not open here.
    pub(crate) async fn note_stored(&self, session: &SessionId, body: EventBody) -> Result<()> {
        let archived = match &body {
            EventBody::Archived(archived) => Some(*archived),
            _ => None,
        };
        // Archiving twice is archiving once (ARCH-03).
        let done = |summary: &Summary| archived == Some(summary.archived);
        self.kept.append(session, self.world.now(), body, done).await
    }
}
