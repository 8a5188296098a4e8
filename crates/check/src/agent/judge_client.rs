//! The client that the judge plays for an agent.

use crate::json::json;
use attache_protocol::v1::ProtocolVersion;
use serde_json::Value;

/// The client that the judge played in a conversation: the capabilities that it announced to the
/// agent, and whether the observer judged the agent's messages.
#[derive(Debug, PartialEq)]
pub(crate) struct Client {
    pub(crate) capabilities: Value,
    pub(crate) is_watched: bool,
}

/// Returns the `initialize` params of a client of version 1 with all capabilities.
pub(crate) fn everything() -> Value {
    initialize_params(capabilities())
}

/// Returns all client capabilities of version 1.
pub(crate) fn capabilities() -> Value {
    json!({
        "fs": {"readTextFile": true, "writeTextFile": true},
        "terminal": true,
        "elicitation": {"form": {}},
        "session": {"notices": {}, "compaction": {}, "configOptions": {"boolean": {}}},
    })
}

/// Returns the client capabilities of this version that the judge can serve. Clients of version 2
/// have no file or terminal methods.
pub(crate) fn capabilities_of(version: ProtocolVersion) -> Value {
    match version {
        ProtocolVersion::V1 => capabilities(),
        _ => json!({"elicitation": {"form": {}}}),
    }
}

/// Returns the `initialize` params of a client of version 1 with these capabilities.
pub(crate) fn initialize_params(capabilities: Value) -> Value {
    initialize_params_of(ProtocolVersion::V1, capabilities)
}

/// Returns the `initialize` params of a client of this version with these capabilities.
pub(crate) fn initialize_params_of(version: ProtocolVersion, capabilities: Value) -> Value {
    let info = json!({"name": "attache-check", "version": env!("CARGO_PKG_VERSION")});
    match version {
        ProtocolVersion::V1 => {
            json!({"protocolVersion": 1, "clientInfo": info, "clientCapabilities": capabilities})
        }
        _ => json!({"protocolVersion": version.0, "info": info, "capabilities": capabilities}),
    }
}
