//! The capabilities of each end. A capability is a flag, which only `true` sets, or a marker, which
//! only an object sets. An absent or malformed capability is not offered.

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
        /// The `fs/*` methods.
        lenient fs: FileSystemCapabilities = "fs",
        /// All `terminal/*` methods.
        lenient terminal: bool = "terminal",
        /// Supported session updates.
        lenient session: Option<ClientSessionCapabilities> = "session",
        /// Updates about subagents, which are sessions that an agent starts by itself; unstable.
        lenient subagents: Option<SubagentCapabilities> = "subagents",
        /// Several plans for one session, each with an id; unstable.
        lenient plan: Option<PlanCapabilities> = "plan",
        /// Kinds of login.
        lenient auth: AuthCapabilities = "auth",
        /// Modes of `elicitation/create`.
        lenient elicitation: Option<ElicitationCapabilities> = "elicitation",
    }
}

wire_struct! {
    /// Which `fs/*` methods a client serves.
    pub struct FileSystemCapabilities {
        /// `fs/read_text_file`.
        lenient read_text_file: bool = "readTextFile",
        /// `fs/write_text_file`.
        lenient write_text_file: bool = "writeTextFile",
    }
}

wire_struct! {
    /// The updates and kinds of config options that a client accepts.
    pub struct ClientSessionCapabilities {
        /// The updates `compaction_update` and `compaction_summary_chunk`.
        lenient compaction: Option<CompactionCapabilities> = "compaction",
        /// Kinds of config options.
        lenient config_options: Option<SessionConfigOptionsCapabilities> = "configOptions",
        /// The update `notice`.
        lenient notices: Option<NoticeCapabilities> = "notices",
    }
}

wire_struct! {
    /// Which types of config options a client accepts besides `select`.
    pub struct SessionConfigOptionsCapabilities {
        /// Options of the type `boolean`.
        lenient boolean: Option<BooleanConfigOptionCapabilities> = "boolean",
    }
}

wire_struct! {
    /// Kinds of login that a client can perform besides `authenticate`.
    pub struct AuthCapabilities {
        /// Starting the agent's own program again in a terminal.
        lenient terminal: bool = "terminal",
    }
}

wire_struct! {
    /// The capabilities of an agent.
    pub struct AgentCapabilities {
        /// `session/load`.
        lenient load_session: bool = "loadSession",
        /// Kinds of content a prompt may hold besides text and resource links.
        lenient prompt_capabilities: PromptCapabilities = "promptCapabilities",
        /// Ways to reach MCP servers besides stdio.
        lenient mcp_capabilities: McpCapabilities = "mcpCapabilities",
        /// The session methods beyond the baseline.
        lenient session_capabilities: SessionCapabilities = "sessionCapabilities",
        /// `logout` and `auth/status`.
        lenient auth: AgentAuthCapabilities = "auth",
        /// The `providers/*` methods; unstable.
        lenient providers: Option<ProvidersCapabilities> = "providers",
    }
}

wire_struct! {
    /// Kinds of content that an agent accepts in prompts.
    pub struct PromptCapabilities {
        /// `image` blocks.
        lenient image: bool = "image",
        /// `audio` blocks.
        lenient audio: bool = "audio",
        /// `resource` blocks.
        lenient embedded_context: bool = "embeddedContext",
    }
}

wire_struct! {
    /// Ways in which an agent reaches MCP servers; stdio always works.
    pub struct McpCapabilities {
        /// Streamable HTTP.
        lenient http: bool = "http",
        /// HTTP with server-sent events.
        lenient sse: bool = "sse",
        /// Through this connection, by `mcp/message`; unstable.
        lenient acp: bool = "acp",
    }
}

wire_struct! {
    /// The session methods and fields an agent serves beyond the baseline.
    pub struct SessionCapabilities {
        /// `session/list`.
        lenient list: Option<SessionListCapabilities> = "list",
        /// `session/delete`.
        lenient delete: Option<SessionDeleteCapabilities> = "delete",
        /// The field `additionalDirectories`.
        lenient additional_directories: Option<SessionAdditionalDirectoriesCapabilities> = "additionalDirectories",
        /// The field `systemPrompt`; unstable.
        lenient system_prompt: Option<SessionSystemPromptCapabilities> = "systemPrompt",
        /// `session/fork`; unstable.
        lenient fork: Option<SessionForkCapabilities> = "fork",
        /// `session/archive`, `session/unarchive` and the list's filter; needs `list`; unstable.
        lenient archive: Option<SessionArchiveCapabilities> = "archive",
        /// `session/status`; unstable.
        lenient status: Option<SessionStatusCapabilities> = "status",
        /// `session/set_title`; unstable.
        lenient title: Option<SessionTitleCapabilities> = "title",
        /// `session/resume`.
        lenient resume: Option<SessionResumeCapabilities> = "resume",
        /// `session/close`.
        lenient close: Option<SessionCloseCapabilities> = "close",
    }
}

wire_struct! {
    /// The methods an agent serves about its login besides `authenticate`.
    pub struct AgentAuthCapabilities {
        /// `auth/status` and `auth/status_update`; unstable.
        lenient status: Option<AuthStatusCapabilities> = "status",
        /// `logout`.
        lenient logout: Option<LogoutCapabilities> = "logout",
    }
}

offer_nothing! {
    ClientCapabilities FileSystemCapabilities ClientSessionCapabilities
    SessionConfigOptionsCapabilities AuthCapabilities AgentCapabilities PromptCapabilities
    McpCapabilities SessionCapabilities AgentAuthCapabilities
}

markers! {
    /// Marks that compaction updates are accepted.
    CompactionCapabilities;
    /// Marks that notices are accepted.
    NoticeCapabilities;
    /// Marks that boolean config options are accepted.
    BooleanConfigOptionCapabilities;
    /// Marks that updates about subagents are accepted; unstable.
    SubagentCapabilities;
    /// Marks that several plans, each with an id, are accepted; unstable.
    PlanCapabilities;
    /// Marks that `session/list` is served.
    SessionListCapabilities;
    /// Marks that `session/resume` is served.
    SessionResumeCapabilities;
    /// Marks that `session/close` is served.
    SessionCloseCapabilities;
    /// Marks that `logout` is served.
    LogoutCapabilities;
}
