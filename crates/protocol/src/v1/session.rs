//! Creating, loading, listing and closing sessions (requirements §4.4 to §4.6; fork, archive,
//! status and title are unstable, §4.18). Paths are strings here. The receiver checks that they are
//! absolute.

use super::{ContentBlock, McpServer, SessionConfigOption, SessionModeState, SessionModelState};
use crate::wire::declare::{wire_id, wire_string, wire_struct};

wire_id! {
    /// The id of one session of an agent.
    pub struct SessionId;
}

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
    /// Params of `session/close`: ends the session's running work and frees the session.
    pub struct CloseSessionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// Result of `session/close`.
    pub struct CloseSessionResponse {}
}

wire_struct! {
    /// Params of `session/delete`.
    pub struct DeleteSessionRequest {
        /// The session; an unknown session counts as deleted.
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// Result of `session/delete`: the session is no longer listed.
    pub struct DeleteSessionResponse {}
}

wire_struct! {
    /// Params of `session/list`; without fields, the first page of all sessions.
    pub struct ListSessionsRequest {
        /// Only sessions with this working directory.
        strict cwd: Option<String> = "cwd",
        /// The `next_cursor` of the previous page, unchanged.
        strict cursor: Option<String> = "cursor",
        /// Whether to list archived sessions. If absent, they are not listed; unstable.
        strict archived: Option<SessionArchiveFilter> = "archived",
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

wire_string! {
    /// The archived state of listed sessions; unstable. Refuse other values with -32602.
    pub enum SessionArchiveFilter open {
        /// No archived sessions: the default.
        Exclude = "exclude",
        /// Archived and other sessions.
        Include = "include",
        /// Only archived sessions.
        Only = "only",
    }
}

wire_struct! {
    /// Params of `session/archive`: closes the session and hides it from lists; unstable.
    pub struct ArchiveSessionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// Result of `session/archive`, also for a session that is already archived; unstable.
    pub struct ArchiveSessionResponse {}
}

wire_struct! {
    /// Params of `session/unarchive`: shows the session in lists again without loading it;
    /// unstable.
    pub struct UnarchiveSessionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// Result of `session/unarchive`; unstable.
    pub struct UnarchiveSessionResponse {}
}

wire_struct! {
    /// Params of `session/status`, which changes nothing; unstable.
    pub struct SessionStatusRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// Result of `session/status`; unstable.
    pub struct SessionStatusResponse {
        /// The status of the session.
        must status: SessionStatus = "status",
    }
}

wire_string! {
    /// The status of a session; unstable. Values this version does not know mean the same as
    /// `saved`.
    pub enum SessionStatus open {
        /// In the agent's memory, usable by any connection.
        Open = "open",
        /// Stored; it must be loaded or resumed before a prompt.
        Saved = "saved",
    }
}

wire_struct! {
    /// Params of `session/set_title`; unstable.
    pub struct SetSessionTitleRequest {
        /// The session, which can be any listed one.
        must session_id: SessionId = "sessionId",
        /// Its new title.
        must title: String = "title",
    }
}

wire_struct! {
    /// Result of `session/set_title`; unstable.
    pub struct SetSessionTitleResponse {
        /// The title as it was stored, which is the one to show.
        must title: String = "title",
    }
}

wire_struct! {
    /// Instructions for the agent itself, as opposed to a prompt; unstable.
    pub struct SystemPrompt {
        /// How they combine with the agent's own instructions.
        must mode: SystemPromptMode = "mode",
        /// The instructions: text blocks only, at least one.
        must content: Vec<ContentBlock> = "content",
    }
}

wire_string! {
    /// How a system prompt combines with the agent's own instructions; unstable. Refuse other
    /// values, and never treat them as one of these.
    pub enum SystemPromptMode open {
        /// They are added after the agent's own.
        Append = "append",
        /// They replace the agent's own; only if advertised.
        Override = "override",
    }
}
