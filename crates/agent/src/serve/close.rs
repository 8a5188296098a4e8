//! `session/close`, `delete`, `archive` and `status`.

use crate::serve::context::Context;
use crate::serve::guard::catch_panic;
use crate::serve::open_sessions::{RunningClose, ServedSession};
use crate::session::outgoing_slot::StoredReply;
use crate::session::state::State;
use crate::{Result, trace};
use attache_connection::Cancelled;
use attache_protocol::Error as Refusal;
use attache_protocol::v1::{SessionId, SessionStatus, SessionStatusResponse};
use attache_session::EventBody;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::sync::oneshot;

impl Context {
    /// Removes an open session: later calls that name it fail, and its prompts are cancelled
    /// (SESS-23).
    pub(crate) fn remove(&self, session: &SessionId) -> Option<Arc<ServedSession>> {
        let served = self.sessions.remove(session)?;
        served.session.state().cancel_prompts();
        Some(served)
    }

    /// Closes a session that was removed, with `last` as its last event, after the replies to its
    /// prompts and all other replies (SESS-25).
    ///
    /// # Errors
    /// Returns an error if the session cannot be stored. The session is then open again, and the
    /// caller can retry.
    pub(crate) async fn close(
        &self,
        served: Arc<ServedSession>,
        last: Option<EventBody>,
    ) -> Result<()> {
        let running = RunningClose::new(&self.sessions, &served);
        let stored = self.end(&served, last, false).await;
        match &stored {
            Ok(()) => self.drop_memory(&served).await,
            Err(_) => running.fail(),
        }
        stored
    }

    /// Closes the session `id`. `removed` is the session if it was open. If another call is closing
    /// it, waits until that one has ended, and closes the session if that one failed (V2-36).
    /// Returns whether the session was open.
    ///
    /// # Errors
    /// Returns the errors of [`Context::close`], or an error if this call is cancelled while it
    /// waits.
    pub(crate) async fn close_or_wait(
        &self,
        id: &SessionId,
        mut removed: Option<Arc<ServedSession>>,
        cancelled: &Cancelled,
    ) -> std::result::Result<bool, Refusal> {
        loop {
            if let Some(served) = removed {
                let closed = self.close(served, None).await;
                return closed.map(|()| true).map_err(|error| error.to_reply());
            }
            let Some(mut closing) = self.sessions.closing(id) else { return Ok(false) };
            let mut changed = pin!(closing.changed());
            let mut cancelled = pin!(cancelled.clone().wait());
            let ended = std::future::poll_fn(|context| match changed.as_mut().poll(context) {
                Poll::Ready(ended) => Poll::Ready(Some(ended)),
                Poll::Pending => cancelled.as_mut().poll(context).map(|()| None),
            });
            match ended.await {
                Some(Ok(())) => {}
                Some(Err(_)) => return Ok(false),
                None => return Err(Refusal::request_cancelled()),
            }
            removed = self.remove(id);
        }
    }

    /// Releases the log once it is stored. If it cannot be stored, releases it only if
    /// `even_unstored` is set.
    async fn end(
        &self,
        served: &ServedSession,
        last: Option<EventBody>,
        even_unstored: bool,
    ) -> Result<()> {
        served.session.signals.wait_for_front(None).await;
        served.session.wait_for_options().await;
        let (sender, stored) = oneshot::channel();
        let reply = {
            let mut state = served.session.state();
            last.into_iter().for_each(|last| state.record(last));
            StoredReply::new(&served.session, &mut state)
        };
        let close = move |state: &mut State, stored: Result<()>| {
            if stored.is_ok() || even_unstored {
                // The author may have set a title while the session was stored. If the connection
                // is over, the client needs no update.
                let _ = state.send_info();
                state.close();
            }
            trace::session_closed(state.session.id(), &stored);
            // The receiver is awaited below.
            let _ = sender.send(stored);
        };
        reply.send_with(Box::new(close)).await;
        // If the sender was dropped, the session is already closed.
        stored.await.unwrap_or(Ok(()))
    }

    /// A panic in the destructor of the author's memory does not affect the call.
    async fn drop_memory(&self, served: &ServedSession) {
        let memory = served.memory.lock().await.take();
        let _ = catch_panic(|| {
            drop(memory);
            Ok(())
        });
    }

    /// Deletes a session, open or not. A session that does not exist counts as deleted (DEL-03).
    pub(crate) async fn delete(
        &self,
        session: SessionId,
        served: Option<Arc<ServedSession>>,
    ) -> Result<()> {
        if let Some(served) = served {
            let _running = RunningClose::new(&self.sessions, &served);
            // An error of the store no longer matters.
            let _ = self.end(&served, None, true).await;
            self.drop_memory(&served).await;
        }
        self.stored.delete(&session).await
    }

    /// Archives a session: lists then leave it out. An open session is closed first (ARCH-02).
    pub(crate) async fn archive(
        &self,
        session: SessionId,
        served: Option<Arc<ServedSession>>,
    ) -> Result<()> {
        let body = EventBody::Archived(true);
        match served {
            Some(served) => self.close(served, Some(body)).await,
            None => self.append_stored(&session, body).await,
        }
    }

    /// Returns whether a session is open or only stored (STAT-02).
    pub(crate) async fn status(&self, session: &SessionId) -> Result<SessionStatusResponse> {
        let open = self.sessions.get(session).is_ok() || self.stored.is_open(session).await?;
        Ok(SessionStatusResponse::new(if open {
            SessionStatus::Open
        } else {
            SessionStatus::Saved
        }))
    }
}
