//! Sends pending titles and metadata when they are due.

use crate::session::open_session::OpenSession;
use crate::{Error, Result};
use std::convert::Infallible;

impl OpenSession {
    /// Sends pending changes when they are due. Never ends: it is polled together with the running
    /// turn.
    pub(crate) async fn send_due_info(&self) -> Infallible {
        loop {
            let next = {
                let state = self.state();
                state.info.is_pending().then(|| state.info.next())
            };
            match next {
                Some(next) => {
                    tokio::time::sleep_until(next).await;
                    // If the connection is over, the client needs no update.
                    let _ = self.state().send_info_when_due();
                }
                None => self.signals.info_pending.notified().await,
            }
        }
    }

    /// Waits until no change is pending. In a turn it does not wait, because the turn sends the
    /// changes.
    pub(crate) async fn info_is_sent(&self) -> Result<()> {
        loop {
            let next = {
                let mut state = self.state();
                if state.is_closed() {
                    return Err(Error::Closed);
                }
                if state.turn().is_some() {
                    return Ok(());
                }
                state.send_info_when_due()?;
                if !state.info.is_pending() {
                    return Ok(());
                }
                state.info.next()
            };
            tokio::time::sleep_until(next).await;
        }
    }
}
