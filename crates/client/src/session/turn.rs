//! A handle to a turn.

use crate::observe::change::Change;
use crate::observe::watch::Watch;
use crate::session::outcome::{Outcome, TurnError};
use crate::session::turn_tracker::TurnPhase;
use std::collections::VecDeque;
use tokio::sync::watch;

/// A turn: its changes, its phase and its outcome. Returned by [`crate::SessionHandle::prompt`] or
/// [`crate::HubSession::prompt`]. Dropping it cancels the turn.
pub struct Turn {
    phases: watch::Receiver<TurnPhase>,
    watch: Watch,
    ready: VecDeque<Change>,
    cancel: Box<dyn Fn() + Send + Sync>,
}

impl Turn {
    /// Makes a handle to a turn with these phases. `watch` observes its session from the prompt on.
    pub(crate) fn new(
        phases: watch::Receiver<TurnPhase>,
        watch: Watch,
        cancel: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        Self { phases, watch, ready: VecDeque::new(), cancel: Box::new(cancel) }
    }

    /// Returns the changes since the prompt, one after the other; `None` after the turn has ended
    /// and every change was returned.
    ///
    /// Changes are merged until this is called, so a slow program costs no memory and misses no
    /// final state. Text changes contain only the appended part. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Change> {
        loop {
            if let Some(change) = self.ready.pop_front() {
                return Some(change);
            }
            // The order matters. If the turn ends after `arm`, that wakes the wait below; if it
            // ended earlier, `ended` is true. Once a turn has ended, all its changes are folded.
            self.watch.arm();
            let ended = matches!(*self.phases.borrow(), TurnPhase::Ended(_));
            self.ready.extend(self.watch.take().changes);
            if self.ready.is_empty() && (ended || !self.watch.changed().await) {
                return None;
            }
        }
    }

    /// The phase of the turn.
    pub fn phase(&self) -> TurnPhase {
        self.phases.borrow().clone()
    }

    /// Waits for the turn's end.
    ///
    /// # Errors
    /// Returns an error if there is no stop reason: see [`TurnError`].
    pub async fn outcome(&mut self) -> Result<Outcome, TurnError> {
        let ended = self.phases.wait_for(|phase| matches!(phase, TurnPhase::Ended(_))).await;
        match ended.as_deref() {
            Ok(TurnPhase::Ended(outcome)) => outcome.clone(),
            // The session keeps the turn until it has ended, so the phases do not end before it.
            _ => Err(TurnError::Disconnected(attache_connection::ConnectionEnd::Closed)),
        }
    }

    /// Cancels the turn: the agent receives a cancel, and every open permission request of the
    /// session is answered `cancelled`. Later changes of the turn are still returned. If the agent
    /// does not end the turn within ten seconds (see `Options::cancel`), the client ends it. A
    /// second cancel, or one after the end, has no effect.
    pub fn cancel(&self) {
        (self.cancel)();
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn").field("phase", &*self.phases.borrow()).finish_non_exhaustive()
    }
}
