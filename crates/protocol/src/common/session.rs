//! Session ids, and the session methods whose types both versions share. Paths are strings here.
//! The receiver checks that they are absolute.

use super::ContentBlock;
use crate::wire::declare::{wire_id, wire_string, wire_struct};

wire_id! {
    /// The id of one session of an agent.
    pub struct SessionId;
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

wire_string! {
    /// The status of a session; unstable. Values this version does not know mean the same as
    /// `saved`.
    pub enum SessionStatus open {
        /// In the agent's memory, usable by any connection.
        Open = "open",
        /// Stored; it must be opened again before a prompt.
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
