//! The first exchange, about versions, capabilities and names.

use super::{AgentCapabilities, AuthMethod, ClientCapabilities};
use crate::wire::declare::wire_struct;
use crate::{Fault, Reader, Wire, Writer};

/// A version of ACP: a whole number from 0 to 65535; anything else is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion(pub u16);

impl ProtocolVersion {
    /// The version these types describe.
    pub const V1: Self = Self(1);
}

impl From<u16> for ProtocolVersion {
    fn from(version: u16) -> Self {
        Self(version)
    }
}

impl std::fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Wire for ProtocolVersion {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Fault> {
        u16::read(reader).map(Self)
    }

    fn write(&self, writer: &mut Writer<'_>) {
        self.0.write(writer);
    }

    #[cfg(feature = "schema")]
    fn shape() -> crate::Shape {
        u16::shape()
    }
}

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

wire_struct! {
    /// The program at one end of a connection.
    pub struct Implementation {
        /// A name for programs.
        must name: String = "name",
        /// A human-readable name; `name` is used if it is absent.
        lenient title: Option<String> = "title",
        /// The program's version, in its own scheme.
        must version: String = "version",
    }
}
