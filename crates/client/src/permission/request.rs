//! What an agent asks permission for.

use super::file_action::FileAction;
use crate::terminals::terminal_command::TerminalCommand;
use attache_policy::Guard;
use attache_protocol::v1::{PermissionOption, SessionId, ToolCall, ToolCallUpdate, ToolKind};
use attache_session::PermissionId;

/// The agent asks whether a tool call may run, or for something that this client does for it only
/// with permission: to write a file, to read a file that holds secrets, or to run a command.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// Names the question in the folded session.
    pub id: PermissionId,
    /// The session.
    pub session_id: SessionId,
    /// What the agent said about the call in this request: a patch of the call (PERM-10).
    pub asked: ToolCallUpdate,
    /// The call with that patch applied; `None` if the agent never gave it a title (TOOL-04).
    pub tool_call: Option<ToolCall>,
    /// What can be chosen, in the agent's order. May be empty (PERM-13).
    pub options: Vec<PermissionOption>,
    /// The command, if the question is not the agent's own but this client's: whether a command may
    /// run that the agent wants run in a terminal (see [`crate::Options::terminals`]). Such a
    /// question is of the kind `execute` and is no part of the folded session.
    pub command: Option<TerminalCommand>,
    /// The file, if the question is this client's own: whether it may write a file for the agent,
    /// or read one that holds secrets or that a rule rejects. The diff is part of `asked`. Such a
    /// question is of the kind `edit` or `read` and is no part of the folded session.
    pub file: Option<FileAction>,
    /// Why only a person, or a rule that names this very file or command line, may allow it: it
    /// changes a file that affects how programs or agents run, or touches one that holds secrets,
    /// or it is a command whose line names such a file. The list is that of
    /// [`attache_policy::guard`], and [`attache_policy::line_guard`] says what is seen of a
    /// command.
    pub protected: Option<Guard>,
    /// Whether an earlier answer covers it: the person chose an option that allows always, and what
    /// is asked now is within what that question showed. Only questions of this client's own are
    /// covered. A rule that rejects goes before.
    pub covered: bool,
}

impl PermissionRequest {
    /// A question about a call with these options, of which nothing else is known.
    pub(crate) fn new(
        id: PermissionId,
        session_id: SessionId,
        asked: ToolCallUpdate,
        options: Vec<PermissionOption>,
    ) -> Self {
        Self {
            id,
            session_id,
            asked,
            tool_call: None,
            options,
            command: None,
            file: None,
            protected: None,
            covered: false,
        }
    }

    /// The kind of the call, if the agent told it.
    pub fn kind(&self) -> Option<&ToolKind> {
        self.asked.kind().or_else(|| self.tool_call.as_ref().map(ToolCall::kind))
    }

    /// What the call does, for people; its id if the agent never gave a title.
    pub fn title(&self) -> &str {
        let known = self.tool_call.as_ref().map(|call| call.title.as_str());
        known.or(self.asked.title.as_deref()).unwrap_or(self.asked.tool_call_id.as_str())
    }
}
