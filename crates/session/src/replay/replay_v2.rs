//! Turns a log into the updates of version 2 that rebuild the session.

use super::message_id;
use crate::{Entry, EntryContent, Event, EventBody, MessageAuthor, Session, ToolCallPatch};
use attache_protocol::Patch;
use attache_protocol::v1::SessionId;
use attache_protocol::v2::{SessionUpdate, UserMessage};

/// Turns a log into the updates of `session/resume` with a replay from the start, in version 2.
///
/// Like [`Replay`](crate::Replay), but everything that version 2 knows is sent: terminals,
/// appended content, whole messages. Left out are notices, modes, background work, the beginnings
/// and ends of turns, and permission requests, of which only the tool call is sent.
#[derive(Debug)]
pub struct ReplayV2 {
    session: Session,
}

impl ReplayV2 {
    /// Starts the replay of the session `id`.
    pub fn new(id: impl Into<SessionId>) -> Self {
        Self { session: Session::new(id) }
    }

    /// Applies the next event of the log and appends the resulting updates to `updates`.
    pub fn apply(&mut self, event: &Event, updates: &mut Vec<SessionUpdate>) {
        let change = self.session.apply(event);
        let entry = change.entry.and_then(|index| self.session.entries().get(index));
        let update = match (&event.body, entry) {
            (EventBody::Terminal(_) | EventBody::TerminalOutput { .. }, _) => {
                event.body.to_v2_update(None)
            }
            (
                EventBody::Notice(_)
                | EventBody::TurnBegan
                | EventBody::TurnEnded { .. }
                | EventBody::State(_),
                _,
            )
            | (_, None) => None,
            (EventBody::Prompt { content }, Some(entry)) => {
                let id = message_id(MessageAuthor::User, entry);
                let content = Patch::Set(content.clone());
                Some(UserMessage { content, ..UserMessage::new(id) }.into())
            }
            (body @ EventBody::Message { author, .. }, Some(entry)) => {
                body.to_v2_update(Some(&message_id(*author, entry)))
            }
            (EventBody::ToolCallUpdate(patch), Some(entry)) => Some(tool_call(event, entry, patch)),
            (EventBody::PermissionAsked { question, .. }, Some(entry)) => {
                question.tool_call().map(|patch| tool_call(event, entry, patch))
            }
            (body, Some(_)) => body.to_v2_update(None),
        };
        updates.extend(update);
    }

    /// The session folded so far.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Ends the replay: appends everything outside the transcript to `updates`, and returns the
    /// session.
    pub fn end(self, updates: &mut Vec<SessionUpdate>) -> Session {
        updates.extend(self.session.state().iter().filter_map(|body| body.to_v2_update(None)));
        self.session
    }
}

/// Converts a patch of a tool call: the whole call if the patch created it, or else the patch.
fn tool_call(event: &Event, entry: &Entry, patch: &ToolCallPatch) -> SessionUpdate {
    match &entry.content {
        EntryContent::ToolCall(call) if entry.began_at == event.sequence => {
            call.to_v2_creation().into()
        }
        _ => patch.to_v2().into(),
    }
}
