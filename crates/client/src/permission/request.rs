//! A permission request.

use super::file_action::FileAction;
use crate::terminals::terminal_command::TerminalCommand;
use attache_policy::Guard;
use attache_protocol::Raw;
use attache_protocol::v1::{ContentBlock, PermissionOption, SessionId, ToolKind};
use attache_session::{AgentTerminal, PermissionId, ToolCall, ToolCallContent, ToolCallPatch};
use std::sync::{Arc, OnceLock};

/// How many characters of the name of who answered are kept.
const NAME: usize = 100;

/// A permission request: the agent asks whether a tool call may run, or requests an action that
/// this client performs only with permission: to write a file, to read a file with secrets, or to
/// run a command.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PermissionRequest {
    /// The id of the question in the session.
    pub id: PermissionId,
    /// The session.
    pub session_id: SessionId,
    /// The agent's description of the call in this request: a patch of the call (PERM-10).
    pub asked: ToolCallPatch,
    /// The call with that patch applied; `None` if no update created the call (TOOL-04).
    pub tool_call: Option<ToolCall>,
    /// The question as the agent puts it to the person; only in version 2 of the protocol.
    pub question: Option<String>,
    /// More text to show with the question; only in version 2.
    pub description: Option<String>,
    /// What the question is about, if this version of the program does not know such a subject.
    /// Show it as it is. Only a person may allow such a request: no rule and no flag covers it.
    pub unknown_subject: Option<Raw>,
    /// The agent's terminals that the content of the call names; only in version 2.
    pub terminals: Vec<Arc<AgentTerminal>>,
    /// The options, in the agent's order. May be empty (PERM-13).
    pub options: Vec<PermissionOption>,
    /// The command, if this client asks whether it may run a command in a terminal for the agent
    /// (see [`crate::Options::terminals`]). Such a question has the kind `execute` and is not part
    /// of the session's transcript.
    pub command: Option<TerminalCommand>,
    /// The file, if this client asks whether it may write a file for the agent, or read a file that
    /// holds secrets or that a rule denies. `asked` contains the diff. Such a question has the kind
    /// `edit` or `read` and is not part of the session's transcript.
    pub file: Option<FileAction>,
    /// Why only a person, or a rule that names exactly this file or command line, may allow the
    /// request. Such a request changes a file that affects how programs or agents run, touches a
    /// file that holds secrets, or runs a command whose line names such a file.
    /// [`attache_policy::guard`] decides about files, and [`attache_policy::line_guard`] about
    /// commands.
    pub protected: Option<Guard>,
    /// Whether an earlier answer covers the request: the person chose an option that allows always,
    /// and this request does only what that question showed. Only questions of this client can be
    /// covered. A rule that denies overrides it.
    pub covered: bool,
    /// Who answered, once that is known.
    pub answered_by: AnsweredBy,
}

/// Who answered a question, shared by the copies of its request. Empty before the answer, and after
/// an answer without a name.
#[derive(Debug, Clone, Default)]
pub struct AnsweredBy(Arc<OnceLock<String>>);

impl AnsweredBy {
    /// The name, such as that of a device. It comes from outside; control characters are removed.
    pub fn name(&self) -> Option<&str> {
        self.0.get().map(String::as_str)
    }

    /// Notes who answered. Only the first name is kept, and only its first 100 characters.
    pub(crate) fn set(&self, name: &str) {
        let visible = name.chars().filter(|c| !c.is_control() && !attache_policy::is_invisible(*c));
        let _ = self.0.set(visible.take(NAME).collect());
    }
}

impl PermissionRequest {
    /// Returns a question about a call with these options and no other details.
    pub fn new(
        id: PermissionId,
        session_id: SessionId,
        asked: ToolCallPatch,
        options: Vec<PermissionOption>,
    ) -> Self {
        Self {
            id,
            session_id,
            asked,
            tool_call: None,
            question: None,
            description: None,
            unknown_subject: None,
            terminals: Vec::new(),
            options,
            command: None,
            file: None,
            protected: None,
            covered: false,
            answered_by: AnsweredBy::default(),
        }
    }

    /// The kind of the call, if the agent sent one.
    pub fn kind(&self) -> Option<&ToolKind> {
        self.asked.kind().or_else(|| self.tool_call.as_ref().map(ToolCall::kind))
    }

    /// Whether only a person may allow the request: it is [protected](Self::protected), has an
    /// [unknown subject](Self::unknown_subject), or shows content of an unknown kind.
    pub fn needs_person(&self) -> bool {
        self.protected.is_some() || self.unknown_subject.is_some() || self.shows_unknown_content()
    }

    /// Whether the request shows content of a kind that this version of the program does not know.
    pub(crate) fn shows_unknown_content(&self) -> bool {
        self.shown_content().any(|content| match content {
            ToolCallContent::Content(content) => {
                matches!(content.content, ContentBlock::Unknown(_))
            }
            ToolCallContent::Unknown(_) => true,
            _ => false,
        })
    }

    /// Keeps those of the session's terminals that the content of the call names.
    pub(crate) fn with_terminals(mut self, terminals: &[Arc<AgentTerminal>]) -> Self {
        let is_shown = |terminal: &AgentTerminal| {
            self.shown_content().any(|content| match content {
                ToolCallContent::Terminal(shown) => {
                    shown.terminal_id.as_str() == terminal.terminal_id.as_str()
                }
                _ => false,
            })
        };
        let shown = terminals.iter().filter(|terminal| is_shown(terminal)).cloned().collect();
        self.terminals = shown;
        self
    }

    /// The question for people, or else the title of the call; its id if the agent sent neither.
    pub fn title(&self) -> &str {
        if let Some(question) = self.question.as_deref().filter(|question| !question.is_empty()) {
            return question;
        }
        let known = self.tool_call.as_ref().map(|call| call.title.as_str());
        let asked = self.asked.title.set().map(String::as_str);
        let mut titles = [known, asked].into_iter().flatten();
        titles.find(|title| !title.is_empty()).unwrap_or(self.asked.tool_call_id.as_str())
    }
}
