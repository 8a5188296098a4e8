//! What is new in a session of a hub, for whoever shows it as it happens.

use super::hub_session::HubSession;
use super::hub_watch::SessionWatch;
use crate::observe::change::{Change, Told};

/// What is new in one session of a hub, as [`Change`]s like those of a [`crate::Turn`], inside and
/// outside of turns.
#[derive(Debug)]
pub struct SessionChanges {
    session: HubSession,
    watch: SessionWatch,
    told: Told,
}

impl HubSession {
    /// Tells what is new from now on.
    pub fn changes(&self) -> SessionChanges {
        let told = Told::from(self.snapshot().position());
        SessionChanges { session: self.clone(), watch: self.watch(), told }
    }
}

impl SessionChanges {
    /// Waits until something changes, and tells what is new. That may be nothing: then something
    /// else changed, such as [`HubSession::state`] or the questions. After a load has put another
    /// history in place of what was known, what is new is counted from there. `None` once the
    /// session is closed and everything was told. Losing the future loses nothing.
    pub async fn next(&mut self) -> Option<Vec<Change>> {
        let look = self.watch.next().await?;
        if look.replaced {
            self.told = Told::from(look.session.position());
        }
        Some(self.told.tell(&self.session.snapshot()))
    }
}
