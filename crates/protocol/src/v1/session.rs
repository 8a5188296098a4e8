//! Sessions: made, loaded, listed, closed (requirements §4.4 to §4.6; fork, archive, status and
//! title are unstable, §4.18).
//!
//! Paths are strings here; that they are absolute is for whoever answers to check (SESS-02,
//! DIR-03).

use super::{ContentBlock, McpServer, SessionConfigOption, SessionModeState, SessionModelState};
use crate::wire::declare::{wire_id, wire_string, wire_struct};

wire_id! {
    /// Names one session of an agent.
    pub struct SessionId;
}

wire_struct! {
    /// Params of `session/new`.
    pub struct NewSessionRequest {
        /// The working directory, absolute; it never changes (SESS-02 to SESS-04).
        must cwd: String = "cwd",
        /// More roots, absolute; only if advertised (DIR-01).
        null additional_directories: Vec<String> = "additionalDirectories",
        /// MCP servers to connect to; the key is required, one bad server fails the call (SESS-10,
        /// SESS-11).
        must_null mcp_servers: Vec<McpServer> = "mcpServers",
        /// Instructions for the agent; only if advertised; unstable (SYSP-01).
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// Result of `session/new`.
    pub struct NewSessionResponse {
        /// The new session, unique (SESS-01).
        must session_id: SessionId = "sessionId",
        /// Its modes, if it has any.
        lenient modes: Option<SessionModeState> = "modes",
        /// Its config options, all of them; `None` if the agent says nothing about them (CONF-01).
        items config_options: Option<Vec<SessionConfigOption>> = "configOptions",
        /// Its models, as agents said until June 2026; retired (requirements §1.4).
        lenient models: Option<SessionModelState> = "models",
    }
}

wire_struct! {
    /// Params of `session/load`: the history is replayed before the answer (SESS-13, SESS-14).
    pub struct LoadSessionRequest {
        /// MCP servers to connect to; the key is required (SESS-11).
        must_null mcp_servers: Vec<McpServer> = "mcpServers",
        /// The working directory, absolute.
        must cwd: String = "cwd",
        /// More roots, the complete list; nothing is restored by itself (DIR-05, DIR-06).
        null additional_directories: Vec<String> = "additionalDirectories",
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The same instructions as before; unstable (SYSP-05).
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// Result of `session/load`.
    pub struct LoadSessionResponse {
        /// The session's modes, if it has any.
        lenient modes: Option<SessionModeState> = "modes",
        /// Its config options, all of them; `None` if the agent says nothing about them (SESS-17).
        items config_options: Option<Vec<SessionConfigOption>> = "configOptions",
        /// Its models; retired (requirements §1.4).
        lenient models: Option<SessionModelState> = "models",
    }
}

wire_struct! {
    /// Params of `session/resume`: as a load, but nothing is replayed (SESS-19).
    pub struct ResumeSessionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The working directory, absolute.
        must cwd: String = "cwd",
        /// More roots, the complete list (DIR-05, DIR-06).
        null additional_directories: Vec<String> = "additionalDirectories",
        /// MCP servers to connect to.
        null mcp_servers: Vec<McpServer> = "mcpServers",
        /// The same instructions as before; unstable (SYSP-05).
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// Result of `session/resume`.
    pub struct ResumeSessionResponse {
        /// The session's modes, if it has any.
        lenient modes: Option<SessionModeState> = "modes",
        /// Its config options, all of them; `None` if the agent says nothing about them (SESS-17).
        items config_options: Option<Vec<SessionConfigOption>> = "configOptions",
        /// Its models; retired (requirements §1.4).
        lenient models: Option<SessionModelState> = "models",
    }
}

wire_struct! {
    /// Params of `session/fork`: a new session with the same past (FORK-02); unstable.
    pub struct ForkSessionRequest {
        /// The session to copy; it stays as it is.
        must session_id: SessionId = "sessionId",
        /// The copy's working directory, absolute.
        must cwd: String = "cwd",
        /// The copy's further roots; none are inherited (FORK-04).
        null additional_directories: Vec<String> = "additionalDirectories",
        /// MCP servers the copy connects to.
        null mcp_servers: Vec<McpServer> = "mcpServers",
        /// Instructions for the copy (SYSP-05).
        strict system_prompt: Option<SystemPrompt> = "systemPrompt",
    }
}

wire_struct! {
    /// Result of `session/fork`; unstable. The copy takes prompts at once.
    pub struct ForkSessionResponse {
        /// The copy.
        must session_id: SessionId = "sessionId",
        /// Its modes, if it has any.
        lenient modes: Option<SessionModeState> = "modes",
        /// Its config options, all of them; `None` if the agent says nothing about them.
        items config_options: Option<Vec<SessionConfigOption>> = "configOptions",
        /// Its models; retired (requirements §1.4).
        lenient models: Option<SessionModelState> = "models",
    }
}

wire_struct! {
    /// Params of `session/close`: ends what runs and frees the session (SESS-23).
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
        /// The session; one that is gone already counts as deleted (DEL-03).
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// Result of `session/delete`: the session is listed no more (DEL-02).
    pub struct DeleteSessionResponse {}
}

wire_struct! {
    /// Params of `session/list`; without fields, the first page of all (LIST-04).
    pub struct ListSessionsRequest {
        /// Only sessions with this working directory (LIST-03).
        strict cwd: Option<String> = "cwd",
        /// The `next_cursor` of the page before, unchanged (LIST-07).
        strict cursor: Option<String> = "cursor",
        /// Which archived sessions to list, none if absent; unstable (ARCH-04).
        strict archived: Option<SessionArchiveFilter> = "archived",
    }
}

wire_struct! {
    /// Result of `session/list`.
    pub struct ListSessionsResponse {
        /// The sessions of this page; the key is never left out (LIST-02).
        must_items sessions: Vec<SessionInfo> = "sessions",
        /// Where the next page starts; `None` ends the list (LIST-05, LIST-06).
        lenient next_cursor: Option<String> = "nextCursor",
    }
}

wire_struct! {
    /// One listed session (requirements §3.8).
    pub struct SessionInfo {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// Its working directory, absolute.
        must cwd: String = "cwd",
        /// Its further roots, in order and complete (DIR-09, DIR-10).
        items additional_directories: Vec<String> = "additionalDirectories",
        /// Its title.
        lenient title: Option<String> = "title",
        /// When it last changed (ISO 8601, LIST-11).
        lenient updated_at: Option<String> = "updatedAt",
        /// Whether it is archived; unstable (ARCH-05).
        lenient archived: Option<bool> = "archived",
    }
}

wire_string! {
    /// Which archived sessions a list holds; unstable. Other values are to be refused with -32602
    /// (ARCH-04).
    pub enum SessionArchiveFilter open {
        /// None of them: the default.
        Exclude = "exclude",
        /// They among the others.
        Include = "include",
        /// Nothing but them.
        Only = "only",
    }
}

wire_struct! {
    /// Params of `session/archive`: closes the session and hides it from lists (ARCH-02); unstable.
    pub struct ArchiveSessionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// Result of `session/archive`; unstable. The same if it was archived already (ARCH-03).
    pub struct ArchiveSessionResponse {}
}

wire_struct! {
    /// Params of `session/unarchive`: shows the session in lists again without loading it
    /// (ARCH-06); unstable.
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
    /// Params of `session/status`, which changes nothing (STAT-01); unstable.
    pub struct SessionStatusRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// Result of `session/status`; unstable.
    pub struct SessionStatusResponse {
        /// Where the session is.
        must status: SessionStatus = "status",
    }
}

wire_string! {
    /// Where a session is; unstable. Values this version does not know mean the same as `saved`
    /// (STAT-03).
    pub enum SessionStatus open {
        /// In the agent's memory, for whichever connection (STAT-02).
        Open = "open",
        /// Stored; it must be loaded or resumed before a prompt.
        Saved = "saved",
    }
}

wire_struct! {
    /// Params of `session/set_title`; unstable.
    pub struct SetSessionTitleRequest {
        /// The session; any that is listed (TITLE-01).
        must session_id: SessionId = "sessionId",
        /// Its new title (TITLE-02).
        must title: String = "title",
    }
}

wire_struct! {
    /// Result of `session/set_title`; unstable.
    pub struct SetSessionTitleResponse {
        /// The title as it was stored, which is the one to show (TITLE-01, TITLE-03).
        must title: String = "title",
    }
}

wire_struct! {
    /// Instructions for the agent itself, as opposed to a prompt; unstable.
    pub struct SystemPrompt {
        /// How they meet the agent's own.
        must mode: SystemPromptMode = "mode",
        /// The instructions: text blocks only, at least one (SYSP-01).
        must content: Vec<ContentBlock> = "content",
    }
}

wire_string! {
    /// How a system prompt meets the agent's own instructions; unstable. Other values are to be
    /// refused, never read as one of these (SYSP-02, SYSP-03).
    pub enum SystemPromptMode open {
        /// Added behind them.
        Append = "append",
        /// In their place; only if advertised (SYSP-04).
        Override = "override",
    }
}
