//! The session that owns a checkpoint.

use attache_protocol::v1::SessionId;

/// Returns the owner of the checkpoints of a session: its agent's name in the hub and its id.
pub fn checkpoint_owner(agent: &str, session: &SessionId) -> String {
    serde_json::json!([agent, session.as_str()]).to_string()
}

/// Returns the agent and the session of an owner; `None` if a hub did not make the owner.
pub fn checkpoint_session(owner: &str) -> Option<(String, SessionId)> {
    let (agent, id): (String, String) = serde_json::from_str(owner).ok()?;
    Some((agent, id.into()))
}
