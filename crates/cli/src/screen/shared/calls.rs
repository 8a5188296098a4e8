//! Calls of the methods `_attache/*` of the shared hub.

use attache_client::{AgentConnection, HubSession};
use attache_protocol::Raw;
use attache_serve::extension::messages::OfSession;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

/// How long the hub may take. A restore can take long in a large folder.
const PATIENCE: Duration = Duration::from_secs(300);

/// Calls a method and reads its result.
///
/// # Errors
/// Returns a message for the person.
pub(super) async fn call<R: DeserializeOwned>(
    connection: &AgentConnection,
    method: &str,
    params: &impl Serialize,
) -> Result<R, String> {
    let unreadable = |error: serde_json::Error| format!("{method}: {error}");
    let params = Raw::of(params).map_err(|error| format!("{method}: {error}"))?;
    let reply = connection.peer().call_extension(method, &params).within(PATIENCE).await;
    let reply = reply.map_err(|error| error.to_string())?;
    serde_json::from_str(reply.get()).map_err(unreadable)
}

/// Calls a method about a session, over the connection of its agent.
///
/// # Errors
/// Returns a message for the person.
pub(super) async fn call_of<R: DeserializeOwned>(
    session: &HubSession,
    method: &str,
    params: &impl Serialize,
) -> Result<R, String> {
    let connection = session.agent().connection();
    let connection = connection.ok_or("the shared hub is not connected: try again")?;
    call(&connection, method, params).await
}

/// Names a session.
pub(super) fn of(session: &HubSession) -> OfSession {
    OfSession {
        agent: session.agent().name().to_owned(),
        session_id: session.id().as_str().to_owned(),
    }
}
