//! The first exchange, about versions, capabilities and names.

use super::{AgentCapabilities, AuthMethod, ClientCapabilities, Implementation, ProtocolVersion};
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Params of `initialize`, the client's first call.
    pub struct InitializeRequest {
        /// The latest version the client speaks.
        must protocol_version: ProtocolVersion = "protocolVersion",
        /// The client's name and version.
        must info: Implementation = "info",
        /// The capabilities of the client. An absent capability is not offered.
        lenient capabilities: ClientCapabilities = "capabilities",
    }
}

wire_struct! {
    /// Result of `initialize`.
    pub struct InitializeResponse {
        /// The version spoken from now on: the highest that both sides speak.
        must protocol_version: ProtocolVersion = "protocolVersion",
        /// The agent's name and version.
        must info: Implementation = "info",
        /// The capabilities of the agent. An absent capability is not offered.
        lenient capabilities: AgentCapabilities = "capabilities",
        /// How a user can log in, best first.
        items auth_methods: Vec<AuthMethod> = "authMethods",
    }
}

wire_struct! {
    /// The `data` of the error [`crate::ErrorCode::UNSUPPORTED_PROTOCOL_VERSION`].
    pub struct UnsupportedProtocolVersionErrorData {
        /// The version that was asked for.
        must requested: ProtocolVersion = "requested",
        /// The versions that the agent speaks.
        must supported: Vec<ProtocolVersion> = "supported",
    }
}

/// Params of `proxy/initialize`: like those of `initialize`, but sent to a component that has a
/// successor. Unstable.
pub type InitializeProxyRequest = InitializeRequest;

/// Result of `proxy/initialize`: like that of `initialize`. Unstable.
pub type InitializeProxyResponse = InitializeResponse;
