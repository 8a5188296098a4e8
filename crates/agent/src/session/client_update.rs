//! An update in the version that the client speaks.

use crate::Result;
use attache_connection::Peer;
use attache_protocol::method::{self, v2 as methods};
use attache_protocol::v1::{self, ProtocolVersion, SessionId};
use attache_protocol::v2;
use attache_session::EventBody;

/// An update for the client of a session.
#[derive(Debug)]
pub(crate) enum ClientUpdate {
    V1(v1::SessionUpdate),
    V2(v2::SessionUpdate),
}

impl ClientUpdate {
    /// Returns the update that tells the client about an event, if there is one that the client
    /// supports.
    pub(crate) fn of(body: &EventBody, peer: &Peer) -> Option<Self> {
        match (peer.version(), body) {
            // The ids of tool calls are unique in a session (TOOL-02).
            (ProtocolVersion::V2, EventBody::ToolCall(call)) => {
                Some(Self::V2(call.to_v2_creation().into()))
            }
            (ProtocolVersion::V2, body) => body.to_v2_update(None).map(Self::V2),
            (_, body) => body.to_update_for(&*peer.client_capabilities()?).map(Self::V1),
        }
    }

    /// Returns whether this is a notice.
    pub(crate) fn is_notice(&self) -> bool {
        matches!(
            self,
            Self::V1(v1::SessionUpdate::Notice(_)) | Self::V2(v2::SessionUpdate::Notice(_))
        )
    }

    /// Sends the update.
    pub(crate) fn send(self, session: &SessionId, peer: &Peer) -> Result<()> {
        let session = session.clone();
        match self {
            Self::V1(update) => peer.notify::<method::SessionUpdateNotification>(
                &v1::SessionNotification::new(session, update),
            )?,
            Self::V2(update) => peer.notify::<methods::SessionUpdateNotification>(
                &v2::UpdateSessionNotification::new(session, update),
            )?,
        }
        Ok(())
    }
}
