//! Capabilities and the exchange of `initialize`.

use crate::{v1, v2};

/// The parts of version 1 that every client of version 2 supports count as advertised.
impl From<v2::ClientCapabilities> for v1::ClientCapabilities {
    fn from(client: v2::ClientCapabilities) -> Self {
        let auth = client.auth.map_or_else(v1::AuthCapabilities::default, |auth| {
            v1::AuthCapabilities { terminal: auth.terminal.is_some(), meta: auth.meta }
        });
        let session = v1::ClientSessionCapabilities {
            compaction: Some(v1::CompactionCapabilities::default()),
            config_options: Some(v1::SessionConfigOptionsCapabilities {
                boolean: Some(v1::BooleanConfigOptionCapabilities::default()),
                ..v1::SessionConfigOptionsCapabilities::default()
            }),
            notices: Some(v1::NoticeCapabilities::default()),
            ..v1::ClientSessionCapabilities::default()
        };
        Self {
            auth,
            elicitation: client.elicitation,
            session: Some(session),
            subagents: Some(v1::SubagentCapabilities::default()),
            plan: Some(v1::PlanCapabilities::default()),
            meta: client.meta,
            ..Self::default()
        }
    }
}

/// Modes and servers over SSE are left out, because version 2 has neither.
impl From<v1::AgentCapabilities> for v2::AgentCapabilities {
    fn from(agent: v1::AgentCapabilities) -> Self {
        let offered = agent.session_capabilities;
        let session = v2::SessionCapabilities {
            prompt: Some(agent.prompt_capabilities.into()),
            mcp: Some(agent.mcp_capabilities.into()),
            delete: offered.delete,
            additional_directories: offered.additional_directories,
            system_prompt: offered.system_prompt,
            fork: offered.fork,
            archive: offered.archive,
            status: offered.status,
            title: offered.title,
            meta: offered.meta,
        };
        let auth = agent.auth.status.map(|status| v2::AgentAuthCapabilities {
            status: Some(status),
            meta: agent.auth.meta,
        });
        Self { session: Some(session), auth, providers: agent.providers, meta: agent.meta }
    }
}

impl From<v1::PromptCapabilities> for v2::PromptCapabilities {
    fn from(prompt: v1::PromptCapabilities) -> Self {
        Self {
            image: prompt.image.then(v2::PromptImageCapabilities::default),
            audio: prompt.audio.then(v2::PromptAudioCapabilities::default),
            embedded_context: prompt
                .embedded_context
                .then(v2::PromptEmbeddedContextCapabilities::default),
            meta: prompt.meta,
        }
    }
}

/// Every agent of version 1 supports servers over stdio.
impl From<v1::McpCapabilities> for v2::McpCapabilities {
    fn from(mcp: v1::McpCapabilities) -> Self {
        Self {
            stdio: Some(v2::McpStdioCapabilities::default()),
            http: mcp.http.then(v2::McpHttpCapabilities::default),
            acp: mcp.acp.then(v2::McpAcpCapabilities::default),
            meta: mcp.meta,
        }
    }
}

/// An agent without a name is called `unknown`.
impl From<v1::InitializeResponse> for v2::InitializeResponse {
    fn from(response: v1::InitializeResponse) -> Self {
        let unnamed = || v2::Implementation::new("unknown", "unknown");
        let info = response.agent_info.unwrap_or_else(unnamed);
        Self {
            capabilities: response.agent_capabilities.into(),
            auth_methods: response.auth_methods.into_iter().map(Into::into).collect(),
            meta: response.meta,
            ..Self::new(v2::ProtocolVersion::V2, info)
        }
    }
}

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
