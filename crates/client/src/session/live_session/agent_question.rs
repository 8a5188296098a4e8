//! An open permission request from the agent.

use attache_connection::Responder;
use attache_protocol::method::SessionRequestPermission;
use tokio::sync::oneshot;

/// A permission request that is open. The code that takes it out of the state answers it, so it is
/// answered once.
pub(super) struct AgentQuestion {
    pub(super) answer: Responder<SessionRequestPermission>,
    /// Dropping the question drops this sender, which withdraws the question from the person.
    pub(super) _withdrawn: oneshot::Sender<()>,
}
