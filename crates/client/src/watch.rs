//! Watching a session, inside and outside of turns.

use crate::live::{Live, Seen};
use attache_session::{Changes, Position, Session};
use std::sync::Arc;
use tokio::sync::watch;

/// Watches a session from a position on. However slowly it is looked at, it misses no final state and costs no memory.
pub struct Watch {
    live: Arc<Live>,
    seen: watch::Receiver<Seen>,
    position: Position,
    generation: u64,
}

/// One look at a session.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Look {
    /// The session as it is.
    pub session: Session,
    /// What changed since the look before; everything, if the session was replaced.
    pub changes: Changes,
    /// A load put another history in place of what was known: show the session from its start.
    pub replaced: bool,
}

impl Watch {
    pub(crate) fn new(live: Arc<Live>) -> Self {
        let seen = live.seen();
        let (position, generation) = {
            let state = live.state();
            (state.session.position(), state.generation)
        };
        Self { live, seen, position, generation }
    }

    /// Waits until something changed since the look before, and looks. `None` once the connection is over and everything was told. Losing
    /// the future loses nothing.
    pub async fn next(&mut self) -> Option<Look> {
        loop {
            let over = self.seen.borrow_and_update().over;
            self.live.looking();
            let (session, generation) = {
                let state = self.live.state();
                (state.session.clone(), state.generation)
            };
            let replaced = generation != self.generation;
            let since = if replaced { Position::START } else { self.position };
            let changes = session.changes_since(&since);
            (self.position, self.generation) = (changes.position, generation);
            if replaced || !changes.parts.is_empty() {
                return Some(Look { session, changes, replaced });
            }
            if over || self.seen.changed().await.is_err() {
                return None;
            }
        }
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch")
            .field("session", &self.live.id)
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}
