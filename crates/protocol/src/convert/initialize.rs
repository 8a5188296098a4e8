//! Capabilities and the exchange of `initialize`.

use crate::{v1, v2};

/// Methods about files and terminals, and the updates that a client accepts, are left out: version
/// 2 has no such methods, and its clients accept every update.
impl From<v1::ClientCapabilities> for v2::ClientCapabilities {
    fn from(client: v1::ClientCapabilities) -> Self {
        let auth = client.auth.terminal.then(|| v2::ClientAuthCapabilities {
            terminal: Some(v2::TerminalAuthCapabilities::default()),
            meta: client.auth.meta,
        });
        Self { auth, elicitation: client.elicitation, meta: client.meta }
    }
}

/// An agent that offers sessions offers everything that version 2 obliges it to serve.
/// `session/load` of version 1 is `session/resume` with a replay.
impl From<v2::AgentCapabilities> for v1::AgentCapabilities {
    fn from(agent: v2::AgentCapabilities) -> Self {
        let (status, meta) = agent.auth.map(|auth| (auth.status, auth.meta)).unwrap_or_default();
        let mut converted = Self {
            auth: v1::AgentAuthCapabilities { status, meta, ..Default::default() },
            providers: agent.providers,
            meta: agent.meta,
            ..Self::default()
        };
        if let Some(session) = agent.session {
            converted.load_session = true;
            converted.prompt_capabilities = session.prompt.map(Into::into).unwrap_or_default();
            converted.mcp_capabilities = session.mcp.map(Into::into).unwrap_or_default();
            converted.session_capabilities = v1::SessionCapabilities {
                list: Some(v1::SessionListCapabilities::default()),
                delete: session.delete,
                additional_directories: session.additional_directories,
                system_prompt: session.system_prompt,
                fork: session.fork,
                archive: session.archive,
                status: session.status,
                title: session.title,
                resume: Some(v1::SessionResumeCapabilities::default()),
                close: Some(v1::SessionCloseCapabilities::default()),
                meta: session.meta,
            };
        }
        converted
    }
}

impl From<v2::PromptCapabilities> for v1::PromptCapabilities {
    fn from(prompt: v2::PromptCapabilities) -> Self {
        Self {
            image: prompt.image.is_some(),
            audio: prompt.audio.is_some(),
            embedded_context: prompt.embedded_context.is_some(),
            meta: prompt.meta,
        }
    }
}

/// Whether the agent starts MCP servers over stdio is left out, because every agent of version 1
/// does.
impl From<v2::McpCapabilities> for v1::McpCapabilities {
    fn from(mcp: v2::McpCapabilities) -> Self {
        Self { http: mcp.http.is_some(), acp: mcp.acp.is_some(), meta: mcp.meta, ..Self::default() }
    }
}

/// Login methods of unknown types are left out. An agent with login methods offers `logout`. The
/// version stays that of the response.
impl From<v2::InitializeResponse> for v1::InitializeResponse {
    fn from(response: v2::InitializeResponse) -> Self {
        let mut capabilities = v1::AgentCapabilities::from(response.capabilities);
        if !response.auth_methods.is_empty() {
            capabilities.auth.logout = Some(v1::LogoutCapabilities::default());
        }
        let methods = response.auth_methods.into_iter();
        Self {
            agent_capabilities: capabilities,
            auth_methods: methods.filter_map(|method| method.try_into().ok()).collect(),
            agent_info: Some(response.info),
            meta: response.meta,
            ..Self::new(response.protocol_version)
        }
    }
}
