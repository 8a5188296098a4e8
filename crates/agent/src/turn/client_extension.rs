//! Methods outside the protocol that the client serves.

use crate::{Result, Turn};
use attache_protocol::Raw;

impl Turn {
    /// Calls a method of the client that is outside the protocol. Its name starts with `_`. Call
    /// only methods that the client advertises, such as in the metadata of [`Turn::client`].
    ///
    /// # Errors
    /// Returns [`Error::Client`](crate::Error::Client) if the client does not serve the method or
    /// refuses, or the same errors as [`Turn::say`].
    // EXT-01.
    pub async fn call_client(&self, method: &str, params: &Raw) -> Result<Raw> {
        self.ready().await?;
        let session = self.open_session();
        let call = |_: &mut _| session.peer.call_extension(method, params);
        let reply = session.in_turn(&self.0.accepted, call)?;
        Ok(self.unless_cancelled(reply).await??)
    }
}
