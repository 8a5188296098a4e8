//! The names of agents' capabilities in both versions, for messages.

/// A capability of an agent: its path in version 1, and in version 2.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capability {
    version_1: &'static str,
    version_2: &'static str,
}

impl Capability {
    pub(crate) const ADDITIONAL_DIRECTORIES: Self = Self {
        version_1: "agentCapabilities.sessionCapabilities.additionalDirectories",
        version_2: "capabilities.session.additionalDirectories",
    };
    pub(crate) const MCP_HTTP: Self = Self {
        version_1: "agentCapabilities.mcpCapabilities.http",
        version_2: "capabilities.session.mcp.http",
    };
    pub(crate) const MCP_SSE: Self = Self {
        version_1: "agentCapabilities.mcpCapabilities.sse",
        version_2: "server-sent events, which version 2 does not have",
    };
    pub(crate) const MCP_ACP: Self = Self {
        version_1: "agentCapabilities.mcpCapabilities.acp",
        version_2: "capabilities.session.mcp.acp",
    };
    pub(crate) const IMAGE: Self = Self {
        version_1: "agentCapabilities.promptCapabilities.image",
        version_2: "capabilities.session.prompt.image",
    };
    pub(crate) const AUDIO: Self = Self {
        version_1: "agentCapabilities.promptCapabilities.audio",
        version_2: "capabilities.session.prompt.audio",
    };
    pub(crate) const EMBEDDED_CONTEXT: Self = Self {
        version_1: "agentCapabilities.promptCapabilities.embeddedContext",
        version_2: "capabilities.session.prompt.embeddedContext",
    };

    /// The path in the version of a connection.
    pub(crate) fn path(self, is_v2: bool) -> &'static str {
        if is_v2 { self.version_2 } else { self.version_1 }
    }
}
