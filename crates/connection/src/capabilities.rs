//! The capabilities of the other end, as its owner sets and reads them.

use crate::Peer;
use crate::offered::Offered;
use attache_protocol::method::Row;
use attache_protocol::v1::{AgentCapabilities, ClientCapabilities, ProtocolVersion};
use attache_protocol::v2;
use std::sync::{Arc, PoisonError, RwLockReadGuard};

impl Peer {
    /// Sets the capabilities that the agent advertised. From now on, calls of version 1 that these
    /// capabilities do not allow fail without being sent.
    pub fn set_agent_capabilities(&self, capabilities: AgentCapabilities) {
        self.offer(|offered| offered.by_agent = Some(Arc::new(capabilities)));
    }

    /// Sets the capabilities that the client advertised. From now on, calls of version 1 that these
    /// capabilities do not allow fail without being sent.
    pub fn set_client_capabilities(&self, capabilities: ClientCapabilities) {
        self.offer(|offered| offered.by_client = Some(Arc::new(capabilities)));
    }

    /// Like [`Peer::set_agent_capabilities`], for calls of version 2.
    pub fn set_v2_agent_capabilities(&self, capabilities: v2::AgentCapabilities) {
        self.offer(|offered| offered.v2_by_agent = Some(Arc::new(capabilities)));
    }

    /// Like [`Peer::set_client_capabilities`], for calls of version 2.
    pub fn set_v2_client_capabilities(&self, capabilities: v2::ClientCapabilities) {
        self.offer(|offered| offered.v2_by_client = Some(Arc::new(capabilities)));
    }

    /// The version that the connection speaks: 2 once capabilities of version 2 are set.
    pub fn version(&self) -> ProtocolVersion {
        let offered = self.offered();
        match offered.v2_by_agent.is_some() || offered.v2_by_client.is_some() {
            true => ProtocolVersion::V2,
            false => ProtocolVersion::V1,
        }
    }

    /// The capabilities that the client at the other end advertised, once they are known.
    pub fn client_capabilities(&self) -> Option<Arc<ClientCapabilities>> {
        self.offered().by_client.clone()
    }

    /// The capabilities that the agent at the other end advertised, once they are known.
    pub fn agent_capabilities(&self) -> Option<Arc<AgentCapabilities>> {
        self.offered().by_agent.clone()
    }

    /// The capabilities of version 2 of the agent at the other end, once they are known.
    pub fn v2_agent_capabilities(&self) -> Option<Arc<v2::AgentCapabilities>> {
        self.offered().v2_by_agent.clone()
    }

    pub(crate) fn closed_gate(&self, row: &Row) -> Option<&'static str> {
        self.offered().closes(row.version, &row.gate)
    }

    fn offered(&self) -> RwLockReadGuard<'_, Offered> {
        self.0.offered.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn offer(&self, change: impl FnOnce(&mut Offered)) {
        change(&mut self.0.offered.write().unwrap_or_else(PoisonError::into_inner));
    }
}
