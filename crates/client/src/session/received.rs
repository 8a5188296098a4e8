//! Compares received updates with the history that an agent replays.

use attache_protocol::v1::{ContentBlock, Notice, NoticeSeverity};
use attache_session::{Block, Entry, EntryContent, Event, EventBody, MessageAuthor, Session};
use std::sync::Arc;

/// The title of the notice about missing entries.
const TITLE: &str = "Received before the agent ended, and missing from its history";

/// Returns the entries from the last turn of `before` that are missing from `after`, the replayed
/// history: an agent that dies in a turn often stores nothing of it. The entries are returned as
/// events to add to `after`, and follow a notice. Returns no events if nothing is missing.
pub(crate) fn missing(before: &Session, after: &Session) -> Vec<EventBody> {
    let entries = before.entries();
    let is_prompt = |entry: &&Arc<Entry>| author(entry) == Some(MessageAuthor::User);
    let turn = entries.iter().rev().take_while(|entry| !is_prompt(entry)).count();
    let first = entries.len().saturating_sub(turn + 1);
    let mut from = 0;
    let mut bodies = Vec::new();
    for entry in entries.iter().skip(first) {
        let found = after.entries().iter().skip(from).position(|replayed| covers(replayed, entry));
        match found {
            Some(index) => from += index + 1,
            None => bodies.extend(said(entry)),
        }
    }
    if !bodies.is_empty() {
        bodies.insert(0, EventBody::Notice(Notice::new(NoticeSeverity::Info, TITLE)));
    }
    bodies
}

/// Whether a replayed history adds nothing: all its messages and tool calls are known, in the same
/// order.
///
/// If the old entries of a session are no longer in memory, only the others are compared: the
/// replayed history must have the first message of these, and add nothing after it. Its beginning
/// counts as known.
pub(crate) fn is_known(known: &Session, replayed: &[Event]) -> bool {
    let mut fresh = Session::new(known.id().clone());
    for event in replayed {
        fresh.apply(event);
    }
    let theirs: Vec<&Arc<Entry>> =
        fresh.entries().iter().filter(|entry| is_compared(entry)).collect();
    let dropped = known.truncated_before();
    let ours: Vec<&Arc<Entry>> =
        known.entries().iter().skip(dropped).filter(|entry| is_compared(entry)).collect();
    if dropped == 0 {
        return is_part(&theirs, &ours);
    }
    let Some(first) = ours.iter().find(|entry| is_said(entry)) else { return false };
    (0..theirs.len()).rev().any(|start| {
        theirs.get(start..).is_some_and(|end| {
            end.first().is_some_and(|entry| is_same(entry, first)) && is_part(end, &ours)
        })
    })
}

/// Whether each of `theirs` is one of `ours`, in this order.
fn is_part(theirs: &[&Arc<Entry>], ours: &[&Arc<Entry>]) -> bool {
    let mut ours = ours.iter();
    theirs.iter().all(|replayed| ours.any(|entry| is_same(replayed, entry)))
}

/// Whether the entry is compared: messages and tool calls are.
fn is_compared(entry: &Entry) -> bool {
    matches!(entry.content, EntryContent::Message { .. } | EntryContent::ToolCall(_))
}

/// Whether the entry is a message that every agent replays.
fn is_said(entry: &Entry) -> bool {
    matches!(author(entry), Some(MessageAuthor::User | MessageAuthor::Agent))
}

/// Whether a replayed message or tool call adds nothing to a known one.
fn is_same(replayed: &Entry, entry: &Entry) -> bool {
    match (&replayed.content, &entry.content) {
        (EntryContent::ToolCall(call), EntryContent::ToolCall(own)) => {
            own.tool_call_id == call.tool_call_id && own.status == call.status
        }
        (EntryContent::Message { .. }, EntryContent::Message { .. }) => {
            author(entry) == author(replayed)
                && entry.text().starts_with(replayed.text().trim_end())
        }
        _ => false,
    }
}

/// Whether the event is state and not an entry of the transcript.
pub(crate) fn is_state(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::Commands(_)
            | EventBody::CommandsOfKinds(_)
            | EventBody::ConfigOptions(_)
            | EventBody::CurrentMode(_)
            | EventBody::Info { .. }
            | EventBody::InfoByKey { .. }
            | EventBody::State(_)
            | EventBody::Usage { .. }
    )
}

fn author(entry: &Entry) -> Option<MessageAuthor> {
    match &entry.content {
        EntryContent::Message { author, .. } => Some(*author),
        _ => None,
    }
}

/// Whether `replayed` holds all of `received`.
fn covers(replayed: &Entry, received: &Entry) -> bool {
    match (&replayed.content, &received.content) {
        (EntryContent::Message { author, .. }, EntryContent::Message { author: own, .. }) => {
            author == own && replayed.text().starts_with(received.text().trim_end())
        }
        (EntryContent::ToolCall(call), EntryContent::ToolCall(own)) => {
            call.tool_call_id == own.tool_call_id
        }
        // Other entries are state, or not part of the history.
        (_, EntryContent::Message { .. } | EntryContent::ToolCall(_)) => false,
        _ => true,
    }
}

/// The entry as events.
fn said(entry: &Entry) -> Vec<EventBody> {
    match &entry.content {
        EntryContent::Message { author, blocks, .. } => {
            let content = blocks.iter().map(|block| match block {
                Block::Text(text) => ContentBlock::text(text.pieces().collect::<String>()),
                Block::Other(other) => (**other).clone(),
            });
            match author {
                MessageAuthor::User => vec![EventBody::Prompt { content: content.collect() }],
                author => {
                    let body =
                        |content| EventBody::Message { author: *author, message_id: None, content };
                    content.map(body).collect()
                }
            }
        }
        EntryContent::ToolCall(call) => vec![EventBody::ToolCall((**call).clone())],
        _ => Vec::new(),
    }
}
