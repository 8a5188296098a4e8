//! Watching a session, inside and outside of turns.

use crate::session::live_session::LiveSession;
use crate::session::session_fold::SessionFold;
use attache_session::{Changes, Position, Session};
use std::sync::Arc;
use tokio::sync::watch;

/// Watches a session from a position on. However slowly it is looked at, it misses no final state
/// and costs no memory.
pub struct Watch {
    live: Arc<LiveSession>,
    looks: Looks,
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
    pub(crate) fn new(live: Arc<LiveSession>) -> Self {
        let looks = Looks::from_now(&live.fold);
        Self { live, looks }
    }

    /// Waits until something changed since the look before, and looks. `None` once the connection
    /// is over and everything was told. Losing the future loses nothing.
    pub async fn next(&mut self) -> Option<Look> {
        loop {
            let over = self.live.is_over();
            let look = self.looks.look(&self.live.fold);
            if look.replaced || !look.changes.parts.is_empty() {
                return Some(look);
            }
            if over || !self.looks.changed().await {
                return None;
            }
        }
    }
}

/// How far a fold was looked at.
pub(crate) struct Looks {
    seen: watch::Receiver<u64>,
    position: Position,
    generation: u64,
}

impl Looks {
    /// Everything until now counts as seen.
    pub(crate) fn from_now(fold: &SessionFold) -> Self {
        let seen = fold.seen();
        let (position, generation) =
            fold.with(|session| (session.position(), session.generation()));
        Self { seen, position, generation }
    }

    /// Looks at what changed since the look before, which may be nothing. What changes from here on
    /// wakes [`Looks::changed`].
    pub(crate) fn look(&mut self, fold: &SessionFold) -> Look {
        self.seen.borrow_and_update();
        fold.looking();
        let session = fold.session();
        let replaced = session.generation() != self.generation;
        let since = if replaced { Position::START } else { self.position };
        let changes = session.changes_since(&since);
        (self.position, self.generation) = (changes.position, session.generation());
        Look { session, changes, replaced }
    }

    /// Waits until something changed since the last look; `false` if nothing will. Losing the
    /// future loses nothing.
    pub(crate) async fn changed(&mut self) -> bool {
        self.seen.changed().await.is_ok()
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watch")
            .field("session", &self.live.id)
            .field("position", &self.looks.position)
            .finish_non_exhaustive()
    }
}
