//! `session/request_permission`: the agent asks before it acts.

use super::{
    PermissionOption, PermissionOptionId, SelectedPermissionOutcome, SessionId, TerminalId,
    ToolCallId, ToolCallUpdate,
};
use crate::wire::declare::{wire_struct, wire_union};

wire_struct! {
    /// Params of `session/request_permission`.
    pub struct RequestPermissionRequest {
        /// The session.
        must session_id: SessionId = "sessionId",
        /// The question.
        must title: String = "title",
        /// More text to show.
        lenient description: Option<String> = "description",
        /// What the agent wants to do.
        strict subject: Option<RequestPermissionSubject> = "subject",
        /// The possible answers, at least one.
        must options: Vec<PermissionOption> = "options",
    }
}

wire_union! {
    /// What an agent asks permission for.
    pub enum RequestPermissionSubject by "type" open {
        /// A tool call.
        ToolCall(ToolCallPermissionSubject) = "tool_call",
        /// A command.
        Command(CommandPermissionSubject) = "command",
    }
}

wire_struct! {
    /// A tool call that needs permission.
    pub struct ToolCallPermissionSubject {
        /// The tool call, created or changed by this update.
        must tool_call: ToolCallUpdate = "toolCall",
    }
}

wire_struct! {
    /// A command that needs permission.
    pub struct CommandPermissionSubject {
        /// The command line.
        must command: String = "command",
        /// The folder in which it will run, absolute.
        must cwd: String = "cwd",
        /// The tool call that runs it.
        lenient tool_call_id: Option<ToolCallId> = "toolCallId",
        /// The terminal that shows it.
        lenient terminal_id: Option<TerminalId> = "terminalId",
    }
}

wire_struct! {
    /// The answer to a permission request.
    pub struct RequestPermissionResponse {
        /// The answer.
        must outcome: RequestPermissionOutcome = "outcome",
    }
}

wire_union! {
    /// The answer to a permission request. An unknown one is not an approval.
    pub enum RequestPermissionOutcome by "outcome" open {
        /// No option was selected, so there is no approval.
        Cancelled(CancelledPermissionOutcome) = "cancelled",
        /// The user chose an option.
        Selected(SelectedPermissionOutcome) = "selected",
    }
}

impl RequestPermissionOutcome {
    /// Returns the chosen option.
    pub fn selected(&self) -> Option<&PermissionOptionId> {
        match self {
            Self::Selected(selected) => Some(&selected.option_id),
            Self::Cancelled(_) | Self::Unknown(_) => None,
        }
    }
}

wire_struct! {
    /// No option was selected, so there is no approval.
    pub struct CancelledPermissionOutcome {}
}
