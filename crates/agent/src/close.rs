//! `session/close`, `delete` and `archive`, which take a session out, and `status`, which says
//! whether it is in.

use crate::guard::calmly;
use crate::kit::Parts;
use crate::line_up::Promise;
use crate::sessions::Held;
use crate::{Author, Result};
use attache_protocol::v1::{SessionId, SessionStatus, SessionStatusResponse};
use attache_session::EventBody;
use std::sync::Arc;
use tokio::sync::oneshot;

impl<A: Author> Parts<A> {
    /// Takes an open session out: calls that name it from now on find nothing open, and what runs
    /// in it is cancelled (SESS-23).
    pub(crate) fn take_out(&self, session: &SessionId) -> Option<Arc<Held<A::Memory>>> {
        let held = self.sessions.remove(session)?;
        held.session.cancel();
        Some(held)
    }

    /// Ends a session that was taken out: behind the replies of its prompts and all others
    /// (SESS-25), with `last` in its log.
    ///
    /// # Errors
    /// What was said cannot be stored. Then the session is open again, and this can be tried again.
    pub(crate) async fn close(
        &self,
        held: Arc<Held<A::Memory>>,
        last: Option<EventBody>,
    ) -> Result<()> {
        let stored = self.end(&held, last, false).await;
        match &stored {
            Ok(()) => self.free(&held).await,
            Err(_) => self.sessions.put_back(held),
        }
        stored
    }

    /// Gives the log back, if it is stored or `anyway`.
    async fn end(
        &self,
        held: &Held<A::Memory>,
        last: Option<EventBody>,
        anyway: bool,
    ) -> Result<()> {
        held.session.front_is(None).await;
        held.session.options_are_set().await;
        let (sender, stored) = oneshot::channel();
        let promise = {
            let mut state = held.session.state();
            last.into_iter().for_each(|last| state.record(last));
            // If the connection is over, nobody needs to know.
            let _ = held.session.send_info(&mut state);
            Promise::new(&held.session, &mut state)
        };
        promise
            .keep(move |_, state, stored| {
                if stored.is_ok() || anyway {
                    state.close();
                }
                // It waits for this.
                let _ = sender.send(stored);
            })
            .await;
        // Without an answer it was never in the line: the session is closed already.
        stored.await.unwrap_or(Ok(()))
    }

    /// What an author's destructor does is the author's, and not this client's concern.
    async fn free(&self, held: &Held<A::Memory>) {
        let memory = held.memory.lock().await.take();
        let _ = calmly(|| {
            drop(memory);
            Ok(())
        });
    }

    /// Deletes a session, open or not; one that is gone already counts as deleted (DEL-03).
    pub(crate) async fn delete(
        &self,
        session: SessionId,
        held: Option<Arc<Held<A::Memory>>>,
    ) -> Result<()> {
        if let Some(held) = held {
            // What could not be stored need not be any more.
            let _ = self.end(&held, None, true).await;
            self.free(&held).await;
        }
        self.kept.delete(&session).await
    }

    /// Hides a session from lists; one that is open is closed first (ARCH-02).
    pub(crate) async fn archive(
        &self,
        session: SessionId,
        held: Option<Arc<Held<A::Memory>>>,
    ) -> Result<()> {
        let body = EventBody::Archived(true);
        match held {
            Some(held) => self.close(held, Some(body)).await,
            None => self.note_stored(&session, body).await,
        }
    }

    /// Where a session is (STAT-02).
    pub(crate) async fn status(&self, session: &SessionId) -> Result<SessionStatusResponse> {
        let open = self.sessions.get(session).is_ok() || self.kept.is_open(session).await?;
        Ok(SessionStatusResponse::new(if open {
            SessionStatus::Open
        } else {
            SessionStatus::Saved
        }))
    }
}
