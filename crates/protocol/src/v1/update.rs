//! `session/update`: everything an agent reports about a session.

use super::{
    AvailableCommandsUpdate, CompactionSummaryChunk, CompactionUpdate, ContentBlock, MessageId,
    Notice, Plan, PlanRemoved, PlanUpdate, SessionConfigOption, SessionId, SessionInfoUpdate,
    SessionMessage, SessionMessageChunk, SessionModeId, SubagentUpdate, ToolCall, ToolCallUpdate,
    UsageUpdate,
};
use crate::wire::declare::{wire_struct, wire_union};

wire_struct! {
    /// An update of a session. An update that is no variant of [`SessionUpdate`] is dropped, and
    /// the session and the connection continue.
    pub struct SessionNotification {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The update.
        must update: SessionUpdate = "update",
    }
}

wire_union! {
    /// One update of a session. Each type describes how it changes the known state.
    pub enum SessionUpdate by "sessionUpdate" closed {
        /// A chunk of a user message, as in a replayed history.
        UserMessageChunk(ContentChunk) = "user_message_chunk" shared,
        /// A chunk of the agent's answer.
        AgentMessageChunk(ContentChunk) = "agent_message_chunk" shared,
        /// A chunk of the agent's reasoning.
        AgentThoughtChunk(ContentChunk) = "agent_thought_chunk" shared,
        /// A tool call is created.
        ToolCall(ToolCall) = "tool_call",
        /// A tool call changes.
        ToolCallUpdate(ToolCallUpdate) = "tool_call_update",
        /// The whole plan.
        Plan(Plan) = "plan",
        /// One of several plans. Unstable; only with `clientCapabilities.plan`.
        PlanUpdate(PlanUpdate) = "plan_update",
        /// One of several plans is dropped. Unstable; only with `clientCapabilities.plan`.
        PlanRemoved(PlanRemoved) = "plan_removed",
        /// All slash commands.
        AvailableCommandsUpdate(AvailableCommandsUpdate) = "available_commands_update",
        /// The mode changed.
        CurrentModeUpdate(CurrentModeUpdate) = "current_mode_update",
        /// All config options. In early 2026, a page of the documentation spelled the tag in the
        /// plural.
        ConfigOptionUpdate(ConfigOptionUpdate) = "config_option_update" formerly "config_options_update",
        /// Title, time or metadata of the session changed.
        SessionInfoUpdate(SessionInfoUpdate) = "session_info_update",
        /// How full the context is, and the cost so far.
        UsageUpdate(UsageUpdate) = "usage_update",
        /// A notice to the user. Only with `session.notices`.
        Notice(Notice) = "notice",
        /// A compaction begins, continues or ends. Only with `session.compaction`.
        CompactionUpdate(CompactionUpdate) = "compaction_update",
        /// A chunk of a compaction's summary. Only with `session.compaction`.
        CompactionSummaryChunk(CompactionSummaryChunk) = "compaction_summary_chunk",
        /// A child session is announced or changes. Unstable; only with
        /// `clientCapabilities.subagents`.
        SubagentUpdate(SubagentUpdate) = "subagent_update",
        /// A message between sessions. Unstable; only with `clientCapabilities.subagents`.
        SessionMessage(SessionMessage) = "session_message",
        /// A chunk of a message between sessions. Unstable; only with
        /// `clientCapabilities.subagents`.
        SessionMessageChunk(SessionMessageChunk) = "session_message_chunk",
    }
}

wire_struct! {
    /// One block of a message. Blocks with the same id belong to the same message. Without ids, a
    /// message ends when another kind of chunk begins.
    pub struct ContentChunk {
        /// The block.
        must content: ContentBlock = "content",
        /// The message it belongs to.
        lenient message_id: Option<MessageId> = "messageId",
    }
}

impl ContentChunk {
    /// A chunk of text without a message id.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(ContentBlock::text(text))
    }
}

wire_struct! {
    /// All config options with their values. They replace the known ones.
    pub struct ConfigOptionUpdate {
        /// The options. Malformed ones are skipped. Null counts as an empty list, so never send it.
        must_items config_options: Vec<SessionConfigOption> = "configOptions",
    }
}

wire_struct! {
    /// The session's mode changed.
    pub struct CurrentModeUpdate {
        /// The mode from now on. A page of the documentation showed the key `modeId`.
        must current_mode_id: SessionModeId = "currentModeId" formerly "modeId",
    }
}
