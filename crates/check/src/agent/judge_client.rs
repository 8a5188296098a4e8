//! The client that the judge plays for an agent.

use crate::json::json;
use serde_json::Value;

/// The client that was announced to an agent.
#[derive(Debug, PartialEq)]
pub(crate) struct Client {
    pub(crate) capabilities: Value,
    pub(crate) is_watched: bool,
}

/// The `initialize` params of a client with all capabilities.
pub(crate) fn everything() -> Value {
    initialize_params(capabilities())
}

/// All capabilities of a client.
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
