//! Cancels foreground work, one tool call or one terminal.

use super::{SessionId, TerminalId, ToolCallId};
use crate::wire::declare::wire_struct;

wire_struct! {
    /// Params of `session/cancel`: foreground work and prompts that are not inserted yet end. The
    /// agent confirms with the state `idle` and the stop reason `cancelled`.
    pub struct CancelSessionNotification {
        /// The session.
        must session_id: SessionId = "sessionId",
    }
}

wire_struct! {
    /// Params of `tool_call/cancel`. Allowed only if the tool call has `capabilities.cancel`.
    pub struct CancelToolCallRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The tool call.
        must tool_call_id: ToolCallId = "toolCallId",
    }
}

wire_struct! {
    /// The agent cancels the tool call. Its end is reported by an update.
    pub struct CancelToolCallResponse {}
}

wire_struct! {
    /// Params of `terminal/cancel`. Allowed only if the terminal has `capabilities.cancel`.
    pub struct CancelTerminalRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The terminal.
        must terminal_id: TerminalId = "terminalId",
    }
}

wire_struct! {
    /// The agent cancels the command. Its end is reported by an update.
    pub struct CancelTerminalResponse {}
}
