//! A prompt that was sent to a session of a hub, until the end of its turn.

use super::hub_error::HubError;
use super::hub_session::HubSession;
use crate::observe::queued_prompt::{HoldReason, QueuedPromptId};
use crate::observe::session_state::SessionState;
use crate::race::race;
use crate::session::outcome::{Outcome, TurnError};
use crate::session::turn_tracker::{TurnPhase, TurnTracker};
use std::sync::Arc;
use tokio::sync::watch;

/// A prompt that was sent to a session of a hub. A handle: dropping it changes nothing.
#[derive(Debug, Clone)]
pub struct SentPrompt {
    session: HubSession,
    id: QueuedPromptId,
    phases: watch::Receiver<TurnPhase>,
    tracker: Arc<TurnTracker>,
}

impl SentPrompt {
    pub(crate) fn new(session: HubSession, id: QueuedPromptId, tracker: Arc<TurnTracker>) -> Self {
        Self { session, id, phases: tracker.phases(), tracker }
    }

    /// The id of the prompt in the queue.
    pub fn id(&self) -> QueuedPromptId {
        self.id
    }

    /// The number of the session's last event when the turn began; `None` if it has not begun.
    pub fn began_at(&self) -> Option<u64> {
        self.tracker.has_begun().then(|| self.tracker.began_at().sequence)
    }

    /// Waits until the prompt is in the session. Returns `false` if it was taken out of the queue.
    /// A queue that was held because another turn was cancelled or failed continues, because its
    /// sender waits.
    ///
    /// # Errors
    /// Returns an error if the prompt will not be sent. It is then not in the queue.
    pub async fn begun(&mut self) -> Result<bool, HubError> {
        loop {
            let mut watch = self.session.watch();
            watch.arm();
            self.phases.borrow_and_update();
            if self.tracker.has_begun() {
                return Ok(true);
            }
            if let Some(error) = self.session.send_failure(self.id) {
                let is_removed = matches!(error, HubError::Closed)
                    && self.session.state() != SessionState::Closed;
                self.session.remove(self.id);
                return if is_removed { Ok(self.tracker.has_begun()) } else { Err(error) };
            }
            if let Some(HoldReason::Cancelled | HoldReason::TurnFailed) = self.session.held() {
                self.session.release();
            }
            race(self.phases.changed(), watch.changed()).await;
        }
    }

    /// Waits for the end of the turn. `None` if the prompt was taken out of the queue.
    ///
    /// # Errors
    /// Returns an error if the prompt will not be sent. The inner error says why a turn has no stop
    /// reason.
    pub async fn ended(&mut self) -> Result<Option<Result<Outcome, TurnError>>, HubError> {
        if !self.begun().await? {
            return Ok(None);
        }
        loop {
            let mut watch = self.session.watch();
            watch.arm();
            let is_closed = self.session.state() == SessionState::Closed;
            if let TurnPhase::Ended(outcome) = &*self.phases.borrow_and_update() {
                return Ok(Some(outcome.clone()));
            }
            if is_closed {
                return Err(HubError::Closed);
            }
            race(self.phases.changed(), watch.changed()).await;
        }
    }

    /// Takes the prompt out of the queue, or cancels its turn.
    pub fn cancel(&self) {
        if self.session.remove(self.id).is_none() {
            self.session.entry.cancel_this(&self.tracker);
        }
    }
}
