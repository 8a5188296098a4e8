//! What an agent is doing: foreground work, which begins and ends turns, and background work.

use super::{
    IdleStopReason, SessionId, SubagentSessionCapabilities, TerminalId, ToolCallId, Usage,
};
use crate::wire::declare::{wire_struct, wire_union};
use crate::{Meta, Patch};

wire_union! {
    /// The foreground work of a session.
    pub enum StateUpdate by "state" open {
        /// The agent works.
        Running(RunningStateUpdate) = "running",
        /// The agent does not work.
        Idle(IdleStateUpdate) = "idle",
        /// The agent waits for the user.
        RequiresAction(RequiresActionStateUpdate) = "requires_action",
        /// The agent does not know. Unstable.
        Unconfirmed(UnknownStateUpdate) = "unknown",
    }
}

wire_struct! {
    /// The agent works.
    pub struct RunningStateUpdate {
        /// All background work. Absent means that the agent does not report it.
        lenient background: Option<Vec<BackgroundWork>> = "background",
    }
}

wire_struct! {
    /// The agent does not work.
    pub struct IdleStateUpdate {
        /// Why the work ended; absent if the agent does not say.
        flat_lenient stop_reason: Option<IdleStopReason> = "stopReason",
        /// The tokens of the turn. Unstable.
        lenient usage: Option<Usage> = "usage",
        /// All background work. Absent means that the agent does not report it.
        lenient background: Option<Vec<BackgroundWork>> = "background",
    }
}

wire_struct! {
    /// The agent waits for the user.
    pub struct RequiresActionStateUpdate {
        /// All background work. Absent means that the agent does not report it.
        lenient background: Option<Vec<BackgroundWork>> = "background",
    }
}

wire_struct! {
    /// The agent does not know what the session is doing. Unstable.
    pub struct UnknownStateUpdate {
        /// All background work. Absent means that the agent does not report it.
        lenient background: Option<Vec<BackgroundWork>> = "background",
    }
}

wire_union! {
    /// Work that goes on while the session may be idle.
    pub enum BackgroundWork by "type" open {
        /// A command.
        Terminal(BackgroundTerminal) = "terminal",
        /// A tool call.
        ToolCall(BackgroundToolCall) = "tool_call",
        /// A subagent. Unstable.
        Subagent(BackgroundSubagent) = "subagent",
    }
}

wire_struct! {
    /// A command in the background.
    pub struct BackgroundTerminal {
        /// Its terminal.
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// A tool call in the background.
    pub struct BackgroundToolCall {
        /// The tool call.
        must tool_call_id: ToolCallId = "toolCallId",
    }
}

wire_struct! {
    /// A subagent in the background. Unstable.
    pub struct BackgroundSubagent {
        /// Its session.
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// A child session is announced or changes. Unstable.
    pub plain struct SubagentUpdate {
        /// The child session.
        must session_id: SessionId = "sessionId",
        /// Its title.
        patch title: Patch<String> = "title",
        /// What it is for.
        patch description: Patch<String> = "description",
        /// What a client may do with it.
        patch capabilities: Patch<SubagentSessionCapabilities> = "capabilities",
        /// What it is doing.
        patch state: Patch<StateUpdate> = "state",
        /// Its working directory, absolute. While unset, it is that of its parent.
        patch_strict cwd: Patch<String> = "cwd",
        /// Its further roots, absolute. While unset, they are those of its parent.
        patch_strict additional_directories: Patch<Vec<String>> = "additionalDirectories",
        /// Its metadata, changed by top-level key.
        patch meta: Patch<Meta> = "_meta",
    }
}
