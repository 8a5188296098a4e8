//! The first exchange, about versions, capabilities and names.

use super::{AgentCapabilities, AuthMethod, ClientCapabilities, Implementation, ProtocolVersion};
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Params of `initialize`, the client's first call.
    pub struct InitializeRequest {
        /// The latest version the client speaks.
        must protocol_version: ProtocolVersion = "protocolVersion",
        /// The capabilities of the client. An absent capability is not offered.
        lenient client_capabilities: ClientCapabilities = "clientCapabilities",
        /// The client's name and version; absent if malformed.
        lenient client_info: Option<Implementation> = "clientInfo",
    }
}

wire_struct! {
    /// Result of `initialize`.
    pub struct InitializeResponse {
        /// The version spoken from now on: the client's if the agent knows it, else the agent's
        /// latest.
        must protocol_version: ProtocolVersion = "protocolVersion",
        /// The capabilities of the agent. An absent capability is not offered.
        lenient agent_capabilities: AgentCapabilities = "agentCapabilities",
        /// How a user can log in, best first.
        items auth_methods: Vec<AuthMethod> = "authMethods",
        /// The agent's name and version; absent if malformed.
        lenient agent_info: Option<Implementation> = "agentInfo",
    }
}
