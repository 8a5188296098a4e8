//! What the sessions of a hub do now.

use attache_client::{Hub, SessionState};

/// How many sessions of a hub are open, and what they do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Activity {
    /// The open sessions.
    pub sessions: usize,
    /// Those with a turn that runs, or with a prompt that is about to be sent.
    pub running: usize,
    /// Those whose turn waits for an answer of a person.
    pub waiting: usize,
}

impl Activity {
    /// Returns what the sessions of a hub do now.
    pub fn of(hub: &Hub) -> Self {
        let mut activity = Self::default();
        for session in hub.sessions() {
            activity.sessions += 1;
            match session.state() {
                SessionState::WaitingForPerson { .. } => activity.waiting += 1,
                SessionState::Running { .. } | SessionState::Cancelling { .. } => {
                    activity.running += 1;
                }
                SessionState::Closed
                | SessionState::ReadOnly { .. }
                | SessionState::Gone { restarting: false, .. } => {}
                // The hub sends the next prompt unless the queue is held.
                _ if !session.queue().is_empty() && session.held().is_none() => {
                    activity.running += 1;
                }
                _ => {}
            }
        }
        activity
    }

    /// The sessions with an unfinished turn.
    pub fn turns(&self) -> usize {
        self.running + self.waiting
    }
}
