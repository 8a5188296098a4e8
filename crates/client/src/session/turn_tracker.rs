//! The phases of a turn.

use crate::observe::watch_position::WatchPosition;
use crate::session::outcome::{Outcome, TurnError};
use std::sync::OnceLock;
use tokio::sync::watch;

/// The phase of a turn. It only moves forward: a turn that is queued may be cancelled before it
/// begins, and a turn that ended stays ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum TurnPhase {
    /// The prompt is not sent yet.
    Queued,
    /// The agent works on the prompt.
    Running,
    /// The person cancelled the turn, and the agent has not ended it.
    Cancelling,
    /// The turn is over.
    Ended(Result<Outcome, TurnError>),
}

/// Moves a turn from phase to phase.
#[derive(Debug)]
pub(crate) struct TurnTracker {
    phase: watch::Sender<TurnPhase>,
    /// The position of the session after the prompt.
    began_at: OnceLock<WatchPosition>,
}

impl Default for TurnTracker {
    fn default() -> Self {
        Self { phase: watch::Sender::new(TurnPhase::Queued), began_at: OnceLock::new() }
    }
}

impl TurnTracker {
    /// The phases from now on.
    pub(crate) fn phases(&self) -> watch::Receiver<TurnPhase> {
        self.phase.subscribe()
    }

    /// Whether the person cancelled the turn and it has not ended.
    pub(crate) fn is_cancelling(&self) -> bool {
        matches!(*self.phase.borrow(), TurnPhase::Cancelling)
    }

    /// Whether the prompt is in the session.
    pub(crate) fn has_begun(&self) -> bool {
        self.began_at.get().is_some()
    }

    /// The position of the session after the prompt. If the turn has not begun, this is the start
    /// of the session.
    pub(crate) fn began_at(&self) -> WatchPosition {
        self.began_at.get().cloned().unwrap_or_default()
    }

    /// Notes that the prompt is in the session, and that this is the session's position after the
    /// prompt. A turn that has already been cancelled begins too. In that case this returns `true`,
    /// so that the caller sends the cancel after the prompt.
    pub(crate) fn begin(&self, position: WatchPosition) -> bool {
        let _ = self.began_at.set(position);
        matches!(self.phase.send_replace(TurnPhase::Running), TurnPhase::Cancelling)
    }

    /// Cancels the turn. Returns whether this is the first cancel of a turn that has not ended.
    pub(crate) fn cancel(&self) -> bool {
        self.phase.send_if_modified(|phase| {
            let first = matches!(phase, TurnPhase::Queued | TurnPhase::Running);
            if first {
                *phase = TurnPhase::Cancelling;
            }
            first
        })
    }

    /// Ends the turn.
    pub(crate) fn end(&self, end: Result<Outcome, TurnError>) {
        self.phase.send_replace(TurnPhase::Ended(end));
    }

    /// Notes that the prompt was not sent and waits again.
    pub(crate) fn requeue(&self) {
        self.phase.send_replace(TurnPhase::Queued);
    }
}
