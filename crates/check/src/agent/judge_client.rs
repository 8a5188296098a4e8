//! The client that the judge plays for an agent.

use crate::json::json;
use serde_json::Value;

/// The client that the judge played in a conversation: the capabilities that it announced to the
/// agent, and whether the observer judged the agent's messages.
#[derive(Debug, PartialEq)]
pub(crate) struct Client {
    pub(crate) capabilities: Value,
    pub(crate) is_watched: bool,
}

/// Returns the `initialize` params of a client with all capabilities.
pub(crate) fn everything() -> Value {
    initialize_params(capabilities())
}

/// Returns all client capabilities.
pub(crate) fn capabilities() -> Value {
    json!({
        "fs": {"readTextFile": true, "writeTextFile": true},
        "terminal": true,
        "elicitation": {"form": {}},
        "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
    })
}

/// Returns the `initialize` params of a client with these capabilities.
pub(crate) fn initialize_params(capabilities: Value) -> Value {
    let info = json!({"name": "attache-check", "version": env!("CARGO_PKG_VERSION")});
    json!({"protocolVersion": 1, "clientInfo": info, "clientCapabilities": capabilities})
}
