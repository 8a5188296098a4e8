//! Opens a session to find out whether an agent is logged in.

use attache_client::{AgentConnection, OpenError};
use attache_view::sanitize;
use std::time::{Duration, Instant};

/// The result of opening a session in an empty folder.
pub(crate) enum Probe {
    /// The time that it took to open the session. The session was then deleted or archived if the
    /// agent supports that.
    Opened(Duration),
    /// The agent needs a login first, and this is its message.
    LoginNeeded(String),
    /// Opening the session failed for another reason.
    Failed(String),
}

/// Opens a session in a temporary folder, without a prompt.
pub(crate) async fn probe(agent: &AgentConnection) -> Probe {
    let folder = match tempfile::Builder::new().prefix("attache-probe-").tempdir() {
        Ok(folder) => folder,
        Err(error) => {
            return Probe::Failed(format!(
                "a temporary folder cannot be created: {error}; set TMPDIR to a writable folder"
            ));
        }
    };
    let began = Instant::now();
    let session = match agent.open(folder.path()).await {
        Ok(session) => session,
        Err(OpenError::AuthRequired { message, .. }) => {
            return Probe::LoginNeeded(sanitize::line(&message));
        }
        Err(error) => return Probe::Failed(error.to_string()),
    };
    let took = began.elapsed();
    let offered = &agent.capabilities().session_capabilities;
    let (closes, deletes) = (offered.close.is_some(), offered.delete.is_some());
    let id = session.id().clone();
    // A session that remains in the agent's list does no harm.
    if closes {
        let _ = session.close().await;
    }
    if deletes {
        let _ = agent.delete(id).await;
    }
    Probe::Opened(took)
}
