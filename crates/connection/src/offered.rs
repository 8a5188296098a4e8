//! The capabilities that the other end advertised, and the calls that they allow.

use attache_protocol::method::Gate;
use attache_protocol::v1::{AgentCapabilities, ClientCapabilities, ProtocolVersion};
use attache_protocol::v2;
use std::sync::Arc;

/// The capabilities that the other side advertised. Everything is allowed until they are known.
#[derive(Default)]
pub(crate) struct Offered {
    pub(crate) by_agent: Option<Arc<AgentCapabilities>>,
    pub(crate) by_client: Option<Arc<ClientCapabilities>>,
    pub(crate) v2_by_agent: Option<Arc<v2::AgentCapabilities>>,
    pub(crate) v2_by_client: Option<Arc<v2::ClientCapabilities>>,
}

impl Offered {
    /// Returns the path of the capability that keeps `gate` closed. Capabilities of one version say
    /// nothing about the gates of the other.
    pub(crate) fn closes(&self, version: ProtocolVersion, gate: &Gate) -> Option<&'static str> {
        fn allows<C>(known: Option<&Arc<C>>, opened: impl Fn(&C) -> bool) -> bool {
            known.is_none_or(|capabilities| opened(capabilities))
        }
        let open = match version {
            ProtocolVersion::V2 => {
                allows(self.v2_by_agent.as_ref(), |agent| gate.opened_by_v2_agent(agent))
                    && allows(self.v2_by_client.as_ref(), |client| gate.opened_by_v2_client(client))
            }
            _ => {
                allows(self.by_agent.as_ref(), |agent| gate.opened_by_agent(agent))
                    && allows(self.by_client.as_ref(), |client| gate.opened_by_client(client))
            }
        };
        gate.path().filter(|_| !open)
    }
}
