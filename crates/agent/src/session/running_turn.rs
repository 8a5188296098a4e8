//! The state of the running turn of a session.

use crate::session::deferring_mutex::DeferringMutex;
use attache_protocol::method::{Method as _, SessionUpdateNotification};
use attache_protocol::v1::{
    CompactionId, CompactionStatus, CompactionUpdate, MessageId, SessionId, TerminalId, ToolCallId,
    Usage,
};
use attache_protocol::{Patch, Writer};
use attache_session::{MessageAuthor, PermissionId};
use std::sync::Arc;
use tokio::sync::watch;

/// The running turn, and everything in it that has not ended. `S` is the state of a session.
pub(crate) struct RunningTurn<S> {
    /// The number of its prompt.
    pub(crate) prompt: u64,
    /// The message that the next chunk continues, if that chunk is of the same kind.
    pub(crate) message: Option<OpenMessage>,
    /// Tool calls without a final status.
    pub(crate) open_calls: Vec<OpenCall>,
    /// Permission requests without an answer.
    pub(crate) open_questions: Vec<PermissionId>,
    /// The number of questions that wait for the user: permission requests, forms and pages.
    pub(crate) waiting_questions: usize,
    /// Compactions without a final status.
    pub(crate) open_compactions: Vec<OpenCompaction>,
    /// Terminals that are not released.
    pub(crate) open_terminals: Vec<TerminalId>,
    /// The sessions of subagents that have not stopped.
    pub(crate) open_subagents: Vec<Arc<DeferringMutex<S>>>,
    /// The tokens used so far.
    pub(crate) usage: Option<Usage>,
}

impl<S> RunningTurn<S> {
    pub(crate) fn new(prompt: u64) -> Self {
        Self {
            prompt,
            message: None,
            open_calls: Vec::new(),
            open_questions: Vec::new(),
            waiting_questions: 0,
            open_compactions: Vec::new(),
            open_terminals: Vec::new(),
            open_subagents: Vec::new(),
            usage: None,
        }
    }
}

/// A tool call without a final status.
pub(crate) struct OpenCall {
    pub(crate) id: ToolCallId,
    /// Set to true when the client cancels this call alone; `None` if the client cannot.
    pub(crate) cancelled: Option<watch::Sender<bool>>,
}

impl OpenCall {
    /// Returns whether the client cancelled this call.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(|cancelled| *cancelled.borrow())
    }
}

/// The message that receives the next chunks. All its chunks carry one id (MSG-02).
pub(crate) struct OpenMessage {
    pub(crate) author: MessageAuthor,
    pub(crate) id: MessageId,
    /// The JSON of a text chunk up to its text, which is the same for every chunk of the message.
    pub(crate) head: Vec<u8>,
}

impl OpenMessage {
    pub(crate) fn new(session: &SessionId, author: MessageAuthor, id: MessageId) -> Self {
        let kind = match author {
            MessageAuthor::User => "user_message_chunk",
            MessageAuthor::Agent => "agent_message_chunk",
            MessageAuthor::Thought => "agent_thought_chunk",
        };
        let mut head = Vec::with_capacity(256);
        head.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":");
        Writer::new(&mut head).string(SessionUpdateNotification::ROW.name);
        head.extend_from_slice(b",\"params\":{\"sessionId\":");
        Writer::new(&mut head).string(session.as_str());
        head.extend_from_slice(b",\"update\":{\"sessionUpdate\":");
        Writer::new(&mut head).string(kind);
        head.extend_from_slice(b",\"messageId\":");
        Writer::new(&mut head).string(id.as_str());
        head.extend_from_slice(b",\"content\":{\"type\":\"text\",\"text\":");
        Self { author, id, head }
    }
}

/// A compaction without a final status.
#[derive(Debug)]
pub(crate) struct OpenCompaction {
    pub(crate) id: CompactionId,
    /// Whether a part of the summary was sent.
    pub(crate) summarized: bool,
}

impl OpenCompaction {
    /// Returns the update with the final status.
    pub(crate) fn end(self, status: CompactionStatus) -> CompactionUpdate {
        let mut update = CompactionUpdate::new(self.id, status);
        // Only a completed compaction has a summary (COMP-08).
        if self.summarized && update.status != CompactionStatus::Completed {
            update.summary = Patch::Clear;
        }
        update
    }

    /// Returns the final update of a compaction that its author left open.
    pub(crate) fn end_unfinished(self, cancelled: bool) -> CompactionUpdate {
        self.end(if cancelled { CompactionStatus::Cancelled } else { CompactionStatus::Failed })
    }
}
