//! `session/update`: everything an agent reports about a session.

use super::{
    AgentMessage, AgentThought, AvailableCommandsUpdate, CompactionSummaryChunk, CompactionUpdate,
    ConfigOptionUpdate, ContentChunk, Notice, PlanRemoved, PlanUpdate, SessionId,
    SessionInfoUpdate, SessionMessage, SessionMessageChunk, StateUpdate, SubagentUpdate,
    TerminalOutputChunk, TerminalUpdate, ToolCallContentChunk, ToolCallUpdate, UsageUpdate,
    UserMessage,
};
use crate::wire::declare::{wire_struct, wire_union};

wire_struct! {
    /// An update of a session.
    pub struct UpdateSessionNotification {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The update.
        must update: SessionUpdate = "update",
    }
}

wire_union! {
    /// One update. Unknown updates are kept.
    pub enum SessionUpdate by "sessionUpdate" open {
        /// A part of a message of the user.
        UserMessageChunk(ContentChunk) = "user_message_chunk" shared,
        /// A message of the user begins or changes.
        UserMessage(UserMessage) = "user_message",
        /// A part of a message of the agent.
        AgentMessageChunk(ContentChunk) = "agent_message_chunk" shared,
        /// A message of the agent begins or changes.
        AgentMessage(AgentMessage) = "agent_message",
        /// A part of a thought of the agent.
        AgentThoughtChunk(ContentChunk) = "agent_thought_chunk" shared,
        /// A thought of the agent begins or changes.
        AgentThought(AgentThought) = "agent_thought",
        /// Foreground work begins, waits or ends.
        StateUpdate(StateUpdate) = "state_update",
        /// A tool call begins or changes.
        ToolCallUpdate(ToolCallUpdate) = "tool_call_update",
        /// Content is appended to a tool call.
        ToolCallContentChunk(ToolCallContentChunk) = "tool_call_content_chunk",
        /// A terminal is created or changes.
        TerminalUpdate(TerminalUpdate) = "terminal_update",
        /// Bytes are appended to a terminal's output.
        TerminalOutputChunk(TerminalOutputChunk) = "terminal_output_chunk",
        /// A plan is created or replaced.
        PlanUpdate(PlanUpdate) = "plan_update",
        /// A plan is dropped. Unstable.
        PlanRemoved(PlanRemoved) = "plan_removed",
        /// All slash commands.
        AvailableCommandsUpdate(AvailableCommandsUpdate) = "available_commands_update",
        /// All config options.
        ConfigOptionUpdate(ConfigOptionUpdate) = "config_option_update",
        /// Title, time or metadata of the session changed.
        SessionInfoUpdate(SessionInfoUpdate) = "session_info_update",
        /// How full the context is, and the cost so far.
        UsageUpdate(UsageUpdate) = "usage_update",
        /// A notice to the user.
        Notice(Notice) = "notice",
        /// A compaction begins, continues or ends.
        CompactionUpdate(CompactionUpdate) = "compaction_update",
        /// A chunk of a compaction's summary.
        CompactionSummaryChunk(CompactionSummaryChunk) = "compaction_summary_chunk",
        /// A child session is announced or changes. Unstable.
        SubagentUpdate(SubagentUpdate) = "subagent_update",
        /// A message between sessions. Unstable.
        SessionMessage(SessionMessage) = "session_message",
        /// A chunk of a message between sessions. Unstable.
        SessionMessageChunk(SessionMessageChunk) = "session_message_chunk",
    }
}
