//! Helpers for probes of version 2.

use super::super::driven::{play_in, unjudged};
use crate::agent::run::Run;
use crate::json::json;
use crate::judging::conversation::{Conversation, Reply, Session};
use crate::judging::verdict::Probed;
use crate::model::acts::say;
use attache_protocol::method::SessionClose;
use serde_json::Value;

/// The capability of agents that have sessions.
pub(super) const SESSION: &str = "/session";
/// The capability of agents that start MCP servers.
pub(in super::super) const STDIO: &str = "/session/mcp/stdio";
/// The capability of agents that connect to MCP servers over HTTP.
pub(super) const HTTP: &str = "/session/mcp/http";

/// A type that no version of the protocol defines.
pub(super) const UNKNOWN_TYPE: &str = "attache-unknown";
/// The id of a session, message or other thing that does not exist.
pub(super) const NOTHING: &str = "attache-no-such-id";

/// Returns the entry of an MCP server with the type that version 2 requires.
pub(in super::super) fn with_type(mut server: Value) -> Value {
    if let Value::Object(members) = &mut server {
        members.entry("type").or_insert_with(|| json!("stdio"));
    }
    server
}

/// Returns the kind of an update.
pub(super) fn kind(update: &Value) -> &str {
    text(update, "sessionUpdate")
}

/// Returns the text under this key, or an empty text.
pub(super) fn text<'v>(holder: &'v Value, key: &str) -> &'v str {
    holder.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Runs a turn in a new session, and closes the session.
pub(super) async fn closed<'r>(
    run: &'r mut Run,
    said: &str,
) -> Probed<(&'r mut Conversation, Session)> {
    run.follows_prompts().await?;
    let (talk, session) = run.session().await?;
    play_in(talk, &session, say(said)).await?;
    close(talk, &session).await?.result().map_err(|outcome| unjudged(&outcome))?;
    Ok((talk, session))
}

/// Calls `session/close`.
pub(super) async fn close(talk: &mut Conversation, session: &Session) -> Probed<Reply> {
    talk.call::<SessionClose>(json!({"sessionId": session.id})).await
}
