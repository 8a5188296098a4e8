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
