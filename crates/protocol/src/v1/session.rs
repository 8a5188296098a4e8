//! Creating, loading, listing and closing sessions (requirements §4.4 to §4.6; fork, archive,
//! status and title are unstable, §4.18). Paths are strings here. The receiver checks that they are
//! absolute.

use super::{
    McpServer, SessionConfigOption, SessionId, SessionModeState, SessionModelState, SessionStatus,
    SystemPrompt,
};
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Params of `session/new`.
    pub struct NewSessionRequest {
        /// The working directory, absolute; it never changes.
        must cwd: String = "cwd",
        /// Additional directories, absolute; only if advertised.
        null additional_directories: Vec<String> = "additionalDirectories",
        /// MCP servers to connect to. The key is required, and a malformed server makes the call
        /// fail.
        must_null mcp_servers: Vec<McpServer> = "mcpServers",
        /// Instructions for the agent; only if advertised; unstable.
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// Result of `session/new`.
    pub struct NewSessionResponse {
        /// The new session, unique.
        must session_id: SessionId = "sessionId",
        /// Its modes, if it has any.
        lenient modes: Option<SessionModeState> = "modes",
        /// Its config options, all of them; `None` if the agent sent none.
        items config_options: Option<Vec<SessionConfigOption>> = "configOptions",
        /// Its models, in the form that agents sent until June 2026; retired.
        lenient models: Option<SessionModelState> = "models",
    }
}

wire_struct! {
    /// Params of `session/load`: the history is replayed before the answer.
    pub struct LoadSessionRequest {
        /// MCP servers to connect to; the key is required.
        must_null mcp_servers: Vec<McpServer> = "mcpServers",
        /// The working directory, absolute.
        must cwd: String = "cwd",
        /// The complete list of additional directories. None are restored from the stored session.
        null additional_directories: Vec<String> = "additionalDirectories",
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The same instructions as before; unstable.
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// Result of `session/load`.
    pub struct LoadSessionResponse {
        /// The session's modes, if it has any.
        lenient modes: Option<SessionModeState> = "modes",
        /// Its config options, all of them; `None` if the agent sent none.
        items config_options: Option<Vec<SessionConfigOption>> = "configOptions",
        /// Its models; retired.
        lenient models: Option<SessionModelState> = "models",
    }
}

wire_struct! {
    /// Params of `session/resume`: like a load, but without a replay.
    pub struct ResumeSessionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The working directory, absolute.
        must cwd: String = "cwd",
        /// Additional directories, the complete list.
        null additional_directories: Vec<String> = "additionalDirectories",
        /// MCP servers to connect to.
        null mcp_servers: Vec<McpServer> = "mcpServers",
        /// The same instructions as before; unstable.
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// Result of `session/resume`.
    pub struct ResumeSessionResponse {
        /// The session's modes, if it has any.
        lenient modes: Option<SessionModeState> = "modes",
        /// Its config options, all of them; `None` if the agent sent none.
        items config_options: Option<Vec<SessionConfigOption>> = "configOptions",
        /// Its models; retired.
        lenient models: Option<SessionModelState> = "models",
    }
}

wire_struct! {
    /// Params of `session/fork`: a new session with the same history; unstable.
    pub struct ForkSessionRequest {
        /// The session to copy; it does not change.
        must session_id: SessionId = "sessionId",
        /// The copy's working directory, absolute.
        must cwd: String = "cwd",
        /// The copy's additional directories; none are inherited.
        null additional_directories: Vec<String> = "additionalDirectories",
        /// MCP servers the copy connects to.
        null mcp_servers: Vec<McpServer> = "mcpServers",
        /// Instructions for the copy.
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// Result of `session/fork`; unstable. The copy accepts prompts at once.
    pub struct ForkSessionResponse {
        /// The copy.
        must session_id: SessionId = "sessionId",
        /// Its modes, if it has any.
        lenient modes: Option<SessionModeState> = "modes",
        /// Its config options, all of them; `None` if the agent sent none.
        items config_options: Option<Vec<SessionConfigOption>> = "configOptions",
        /// Its models; retired.
        lenient models: Option<SessionModelState> = "models",
    }
}

wire_struct! {
    /// Result of `session/list`.
    pub struct ListSessionsResponse {
        /// The sessions of this page; the key is never left out.
        must_items sessions: Vec<SessionInfo> = "sessions",
        /// The cursor of the next page; `None` ends the list.
        lenient next_cursor: Option<String> = "nextCursor",
    }
}

wire_struct! {
    /// One listed session.
    pub struct SessionInfo {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// Its working directory, absolute.
        must cwd: String = "cwd",
        /// Its additional directories, in order and complete.
        items additional_directories: Vec<String> = "additionalDirectories",
        /// Its title.
        lenient title: Option<String> = "title",
        /// When it last changed (ISO 8601).
        lenient updated_at: Option<String> = "updatedAt",
        /// Whether it is archived; unstable.
        lenient archived: Option<bool> = "archived",
    }
}

wire_struct! {
    /// Result of `session/status`; unstable.
    pub struct SessionStatusResponse {
        /// The status of the session.
        must status: SessionStatus = "status",
    }
}
