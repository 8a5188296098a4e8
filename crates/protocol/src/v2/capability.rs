//! The capabilities of each end. Each is an object, which offers something by its presence. An
//! absent or malformed capability is not offered.

use super::{
    AuthStatusCapabilities, ElicitationCapabilities, ProvidersCapabilities,
    SessionAdditionalDirectoriesCapabilities, SessionArchiveCapabilities,
    SessionDeleteCapabilities, SessionForkCapabilities, SessionStatusCapabilities,
    SessionSystemPromptCapabilities, SessionTitleCapabilities,
};
use crate::common::capability::{markers, offer_nothing};
use crate::wire::declare::wire_struct;

wire_struct! {
    /// The capabilities of a client.
    pub struct ClientCapabilities {
        /// Kinds of login.
        lenient auth: Option<ClientAuthCapabilities> = "auth",
        /// Modes of `elicitation/create`.
        lenient elicitation: Option<ElicitationCapabilities> = "elicitation",
    }
}

wire_struct! {
    /// Kinds of login that a client can perform besides `auth/login`.
    pub struct ClientAuthCapabilities {
        /// Starting the agent's program in a terminal.
        lenient terminal: Option<TerminalAuthCapabilities> = "terminal",
    }
}

wire_struct! {
    /// The capabilities of an agent.
    pub struct AgentCapabilities {
        /// Sessions. An agent that offers them serves `session/new`, `session/list`,
        /// `session/resume`, `session/close`, `session/prompt` and `session/cancel`.
        lenient session: Option<SessionCapabilities> = "session",
        /// Methods about the login besides `auth/login` and `auth/logout`.
        lenient auth: Option<AgentAuthCapabilities> = "auth",
        /// The `providers/*` methods; unstable.
        lenient providers: Option<ProvidersCapabilities> = "providers",
    }
}

wire_struct! {
    /// The methods an agent serves about its login.
    pub struct AgentAuthCapabilities {
        /// `auth/status` and `auth/status_update`; unstable.
        lenient status: Option<AuthStatusCapabilities> = "status",
    }
}

wire_struct! {
    /// What an agent supports in sessions beyond the baseline.
    pub struct SessionCapabilities {
        /// Kinds of content that a prompt may hold besides text and resource links.
        lenient prompt: Option<PromptCapabilities> = "prompt",
        /// Ways to reach MCP servers.
        lenient mcp: Option<McpCapabilities> = "mcp",
        /// `session/delete`.
        lenient delete: Option<SessionDeleteCapabilities> = "delete",
        /// The field `additionalDirectories`.
        lenient additional_directories: Option<SessionAdditionalDirectoriesCapabilities> = "additionalDirectories",
        /// The field `systemPrompt`; unstable.
        lenient system_prompt: Option<SessionSystemPromptCapabilities> = "systemPrompt",
        /// `session/fork`; unstable.
        lenient fork: Option<SessionForkCapabilities> = "fork",
        /// `session/archive`, `session/unarchive` and the list's filter; unstable.
        lenient archive: Option<SessionArchiveCapabilities> = "archive",
        /// `session/status`; unstable.
        lenient status: Option<SessionStatusCapabilities> = "status",
        /// `session/set_title`; unstable.
        lenient title: Option<SessionTitleCapabilities> = "title",
    }
}

wire_struct! {
    /// Kinds of content that an agent accepts in prompts.
    pub struct PromptCapabilities {
        /// `image` blocks.
        lenient image: Option<PromptImageCapabilities> = "image",
        /// `audio` blocks.
        lenient audio: Option<PromptAudioCapabilities> = "audio",
        /// `resource` blocks.
        lenient embedded_context: Option<PromptEmbeddedContextCapabilities> = "embeddedContext",
    }
}

wire_struct! {
    /// Ways in which an agent reaches MCP servers.
    pub struct McpCapabilities {
        /// Programs that the agent starts.
        lenient stdio: Option<McpStdioCapabilities> = "stdio",
        /// Streamable HTTP.
        lenient http: Option<McpHttpCapabilities> = "http",
        /// Through this connection, by `mcp/message`; unstable.
        lenient acp: Option<McpAcpCapabilities> = "acp",
    }
}

wire_struct! {
    /// What a client may do with one tool call.
    pub struct ToolCallCapabilities {
        /// `tool_call/cancel`.
        lenient cancel: Option<ToolCallCancelCapabilities> = "cancel",
    }
}

wire_struct! {
    /// What a client may do with one terminal.
    pub struct TerminalCapabilities {
        /// `terminal/cancel`.
        lenient cancel: Option<TerminalCancelCapabilities> = "cancel",
    }
}

offer_nothing! {
    ClientCapabilities ClientAuthCapabilities AgentCapabilities AgentAuthCapabilities
    SessionCapabilities PromptCapabilities McpCapabilities ToolCallCapabilities TerminalCapabilities
}

markers! {
    /// Marks that a login in a terminal is possible.
    TerminalAuthCapabilities;
    /// Marks that prompts may hold images.
    PromptImageCapabilities;
    /// Marks that prompts may hold audio.
    PromptAudioCapabilities;
    /// Marks that prompts may hold embedded resources.
    PromptEmbeddedContextCapabilities;
    /// Marks that MCP servers are started as programs.
    McpStdioCapabilities;
    /// Marks that MCP servers are reached over HTTP.
    McpHttpCapabilities;
    /// Marks that MCP servers are reached through this connection; unstable.
    McpAcpCapabilities;
    /// Marks that the tool call can be cancelled.
    ToolCallCancelCapabilities;
    /// Marks that the terminal's command can be cancelled.
    TerminalCancelCapabilities;
}
