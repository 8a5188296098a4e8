//! The client that the judge is to an agent.

use crate::json::json;
use serde_json::Value;

/// The client that an agent was told of.
#[derive(Debug, PartialEq)]
pub(crate) struct Client {
    pub(crate) capabilities: Value,
    pub(crate) is_watched: bool,
}

/// What the judge says of itself: a client that can do everything.
pub(crate) fn everything() -> Value {
    initialize_params(capabilities())
}

/// What the judge can do as a client.
pub(crate) fn capabilities() -> Value {
    json!({
        "fs": {"readTextFile": true, "writeTextFile": true},
        "terminal": true,
        "elicitation": {"form": {}},
        "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
    })
}

/// The params of `initialize` of a client with these capabilities.
pub(crate) fn initialize_params(capabilities: Value) -> Value {
    let info = json!({"name": "attache-check", "version": env!("CARGO_PKG_VERSION")});
    json!({"protocolVersion": 1, "clientInfo": info, "clientCapabilities": capabilities})
}
