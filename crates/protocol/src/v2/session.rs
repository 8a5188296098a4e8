//! Creating, resuming, forking and listing sessions. Paths are strings here. The receiver checks
//! that they are absolute.

use super::{
    AvailableCommand, McpServer, SessionConfigOption, SessionId, SessionStatus, StateUpdate,
    SystemPrompt,
};
use crate::wire::declare::{wire_struct, wire_union};

wire_struct! {
    /// Params of `session/new`.
    pub struct NewSessionRequest {
        /// The working directory, absolute.
        must cwd: String = "cwd",
        /// More roots, absolute. Only with `session.additionalDirectories`.
        null additional_directories: Vec<String> = "additionalDirectories",
        /// MCP servers to connect to.
        null mcp_servers: Vec<McpServer> = "mcpServers",
        /// Instructions to the model; unstable.
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// A new session.
    pub struct NewSessionResponse {
        /// Its id.
        must session_id: SessionId = "sessionId",
        /// Its config options with their values.
        items config_options: Vec<SessionConfigOption> = "configOptions",
        /// Its slash commands.
        items available_commands: Vec<AvailableCommand> = "availableCommands",
    }
}

wire_struct! {
    /// Params of `session/resume`.
    pub struct ResumeSessionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The working directory, absolute.
        must cwd: String = "cwd",
        /// More roots, absolute. Only with `session.additionalDirectories`.
        null additional_directories: Vec<String> = "additionalDirectories",
        /// MCP servers to connect to.
        null mcp_servers: Vec<McpServer> = "mcpServers",
        /// From where to send the history again. Absent means no history.
        strict replay_from: Option<ReplayFrom> = "replayFrom",
        /// Instructions to the model; unstable.
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_union! {
    /// From where an agent sends the history of a session again. An agent refuses a place that it
    /// does not know.
    pub enum ReplayFrom by "type" open {
        /// From the beginning.
        Start(ReplayFromStart) = "start",
    }
}

wire_struct! {
    /// The beginning of the history.
    pub struct ReplayFromStart {}
}

wire_struct! {
    /// The session is open again.
    pub struct ResumeSessionResponse {
        /// Its config options with their values.
        items config_options: Vec<SessionConfigOption> = "configOptions",
        /// Its slash commands.
        items available_commands: Vec<AvailableCommand> = "availableCommands",
    }
}

wire_struct! {
    /// Params of `session/fork`; unstable.
    pub struct ForkSessionRequest {
        /// The session to copy.
        must session_id: SessionId = "sessionId",
        /// The working directory of the copy, absolute.
        must cwd: String = "cwd",
        /// More roots, absolute. Only with `session.additionalDirectories`.
        null additional_directories: Vec<String> = "additionalDirectories",
        /// MCP servers to connect to.
        null mcp_servers: Vec<McpServer> = "mcpServers",
        /// Instructions to the model.
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// The copy of a session; unstable.
    pub struct ForkSessionResponse {
        /// Its id.
        must session_id: SessionId = "sessionId",
        /// Its config options with their values.
        items config_options: Vec<SessionConfigOption> = "configOptions",
        /// Its slash commands.
        items available_commands: Vec<AvailableCommand> = "availableCommands",
    }
}

wire_struct! {
    /// One page of the list of sessions.
    pub struct ListSessionsResponse {
        /// The sessions. Malformed ones are skipped.
        must_items sessions: Vec<SessionInfo> = "sessions",
        /// The cursor of the next page; absent on the last one.
        strict next_cursor: Option<String> = "nextCursor",
    }
}

wire_struct! {
    /// One session in a list.
    pub struct SessionInfo {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The working directory, absolute.
        must cwd: String = "cwd",
        /// More roots, absolute.
        null additional_directories: Vec<String> = "additionalDirectories",
        /// The title.
        lenient title: Option<String> = "title",
        /// When it last changed, as RFC 3339.
        lenient updated_at: Option<String> = "updatedAt",
        /// Whether it is archived; unstable.
        lenient archived: Option<bool> = "archived",
    }
}

wire_struct! {
    /// Result of `session/status`; unstable.
    pub struct SessionStatusResponse {
        /// Whether the session is open.
        must status: SessionStatus = "status",
        /// What the agent is doing. Absent means that the agent does not say.
        lenient state: Option<StateUpdate> = "state",
    }
}

wire_struct! {
    /// The `data` of the error [`crate::ErrorCode::RESOURCE_NOT_FOUND`] for a session.
    pub struct SessionNotFoundErrorData {
        /// The session that does not exist.
        must session_id: SessionId = "sessionId",
    }
}
