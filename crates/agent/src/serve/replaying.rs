//! The replay of a stored session in the version that the client speaks.

use crate::Result;
use crate::session::client_update::ClientUpdate;
use attache_connection::Peer;
use attache_protocol::v1::{ProtocolVersion, SessionId};
use attache_protocol::{v1, v2};
use attache_session::{Event, Replay, ReplayV2, Session};

/// A replay, with the updates that are not sent yet.
pub(crate) enum Replaying {
    V1(Replay, Vec<v1::SessionUpdate>),
    V2(ReplayV2, Vec<v2::SessionUpdate>),
}

impl Replaying {
    pub(crate) fn new(id: &SessionId, peer: &Peer) -> Self {
        match peer.version() {
            ProtocolVersion::V2 => Self::V2(ReplayV2::new(id.clone()), Vec::new()),
            _ => {
                let client = peer.client_capabilities().unwrap_or_default();
                Self::V1(Replay::new(id.clone(), client), Vec::new())
            }
        }
    }

    /// Applies the next event of the log.
    pub(crate) fn apply(&mut self, event: &Event) {
        match self {
            Self::V1(replay, updates) => replay.apply(event, updates),
            Self::V2(replay, updates) => replay.apply(event, updates),
        }
    }

    /// The session folded so far.
    pub(crate) fn session(&self) -> &Session {
        match self {
            Self::V1(replay, _) => replay.session(),
            Self::V2(replay, _) => replay.session(),
        }
    }

    /// Sends the updates so far, at the pace of the client.
    pub(crate) async fn send(&mut self, peer: &Peer) -> Result<()> {
        let id = self.session().id().clone();
        match self {
            Self::V1(_, updates) => send(peer, &id, updates.drain(..).map(ClientUpdate::V1)).await,
            Self::V2(_, updates) => send(peer, &id, updates.drain(..).map(ClientUpdate::V2)).await,
        }
    }

    /// Sends the rest of the replay.
    pub(crate) async fn end(self, peer: &Peer) -> Result<()> {
        let id = self.session().id().clone();
        match self {
            Self::V1(replay, mut updates) => {
                replay.end(&mut updates);
                send(peer, &id, updates.drain(..).map(ClientUpdate::V1)).await
            }
            Self::V2(replay, mut updates) => {
                replay.end(&mut updates);
                send(peer, &id, updates.drain(..).map(ClientUpdate::V2)).await
            }
        }
    }
}

async fn send(
    peer: &Peer,
    id: &SessionId,
    updates: impl Iterator<Item = ClientUpdate>,
) -> Result<()> {
    for update in updates {
        peer.wait_for_room().await?;
        update.send(id, peer)?;
    }
    // Pages without visible updates must not delay other sessions.
    tokio::task::yield_now().await;
    Ok(())
}
