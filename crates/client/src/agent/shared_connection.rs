//! The state that a connection shares with the handles to its sessions.

use crate::agent::options::Options;
use crate::agent::stray_output::StrayOutput;
use crate::session::session_table::SessionTable;
use crate::tasks::Tasks;
use attache_connection::Peer;
use attache_protocol::v1::InitializeResponse;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The state that a connection shares with the handles to its sessions.
pub(crate) struct SharedConnection {
    pub(crate) peer: Peer,
    pub(crate) sessions: Arc<SessionTable>,
    pub(crate) tasks: Tasks,
    pub(crate) options: Options,
    pub(crate) agent: InitializeResponse,
    /// The name of the agent if it counts tokens in its own way; `None` for the built-in agent
    /// (USE-10).
    pub(crate) counted_by: Option<String>,
    pub(crate) stray_output: Arc<StrayOutput>,
    /// Whether the agent is unresponsive: it did not end a cancelled turn in time, and has not
    /// ended any turn since.
    pub(crate) unresponsive: AtomicBool,
}

impl std::fmt::Debug for SharedConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedConnection")
            .field("peer", &self.peer)
            .field("agent", &self.agent.agent_info)
            .finish_non_exhaustive()
    }
}
