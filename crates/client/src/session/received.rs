//! Compares received updates with the history that an agent replays.

use attache_protocol::v1::{ContentBlock, Notice, NoticeSeverity};
use attache_session::{Block, Entry, EntryContent, Event, EventBody, MessageAuthor, Session};
use std::sync::Arc;

/// The title of the notice about missing entries.
const TITLE: &str = "Received before the agent ended, and missing from its history";

/// The number of bytes that a search for missing entries may compare. The agent chooses both
/// histories, and the search takes quadratic time.
const EFFORT: usize = 256 << 20;

/// The effort of each comparison in addition to the compared text, in bytes.
const STEP: usize = 64;

/// Returns the messages and tool calls from the last turn of `before` that are missing from
/// `after`, the replayed history: an agent that dies in a turn often stores nothing of it. They are
/// returned as events to add to `after`, and follow a notice. Returns no events if nothing is
/// missing.
///
/// Entries that `before` has dropped from memory count as replayed. If the search takes too long,
/// the remaining entries count as missing.
pub(crate) fn missing(before: &Session, after: &Session) -> Vec<EventBody> {
    let entries = before.entries();
    let is_prompt = |entry: &&Arc<Entry>| author(entry) == Some(MessageAuthor::User);
    let turn = entries.iter().rev().take_while(|entry| !is_prompt(entry)).count();
    let first = entries.len().saturating_sub(turn + 1).max(before.truncated_before());
    let replayed: Vec<&Arc<Entry>> =
        after.entries().iter().filter(|entry| is_compared(entry)).collect();
    let mut rest = replayed.as_slice();
    let mut effort = EFFORT;
    let mut bodies = Vec::new();
    for entry in entries.iter().skip(first).filter(|entry| is_compared(entry)) {
        let text = entry.text();
        let received = (entry.as_ref(), text.trim_end());
        let mut covered = |replayed: &&Arc<Entry>| covers(replayed, received, &mut effort);
        match rest.iter().position(&mut covered) {
            Some(index) => rest = rest.get(index + 1..).unwrap_or_default(),
            None => bodies.extend(said(entry)),
        }
    }
    if !bodies.is_empty() {
        bodies.insert(0, EventBody::Notice(Notice::new(NoticeSeverity::Info, TITLE)));
    }
    bodies
}

/// Whether a replayed history adds nothing: all its messages and tool calls are known, in the same
/// order. `known` has all its entries in memory. Takes linear time.
pub(crate) fn is_known(known: &Session, replayed: &[Event]) -> bool {
    let mut fresh = Session::new(known.id().clone());
    for event in replayed {
        fresh.apply(event);
    }
    let mut theirs = fresh.entries().iter().filter(|entry| is_compared(entry));
    let mut ours = known.entries().iter().filter(|entry| is_compared(entry));
    theirs.all(|replayed| {
        let text = replayed.text();
        ours.any(|entry| is_same((replayed, text.trim_end()), entry))
    })
}

/// Whether the entry is compared: messages and tool calls are.
fn is_compared(entry: &Entry) -> bool {
    matches!(entry.content, EntryContent::Message { .. } | EntryContent::ToolCall(_))
}

/// Whether a replayed message or tool call adds nothing to a known one. `text` is the replayed text
/// without white space at its end.
fn is_same((replayed, text): (&Entry, &str), entry: &Entry) -> bool {
    match (&replayed.content, &entry.content) {
        (EntryContent::ToolCall(call), EntryContent::ToolCall(own)) => {
            own.tool_call_id == call.tool_call_id && own.status == call.status
        }
        (EntryContent::Message { .. }, EntryContent::Message { .. }) => {
            author(entry) == author(replayed) && starts_with(entry, text, &mut 0)
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

/// Whether the text of a message starts with `start`. Subtracts the number of compared bytes from
/// `effort`, down to 0.
fn starts_with(entry: &Entry, start: &str, effort: &mut usize) -> bool {
    let mut rest = start.as_bytes();
    let texts = entry.blocks().iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.pieces()),
        Block::Other(_) => None,
    });
    for piece in texts.flatten() {
        let (own, compared) = (piece.as_bytes(), piece.len().min(rest.len()));
        *effort = effort.saturating_sub(compared);
        if own.get(..compared) != rest.get(..compared) {
            return false;
        }
        rest = rest.get(compared..).unwrap_or_default();
        if rest.is_empty() {
            return true;
        }
    }
    rest.is_empty()
}

/// Whether `replayed` holds all of `received`, whose text without white space at its end is `text`.
/// Subtracts its effort from `effort`; no entry is compared once `effort` is 0.
fn covers(replayed: &Entry, (received, text): (&Entry, &str), effort: &mut usize) -> bool {
    *effort = effort.saturating_sub(STEP);
    if *effort == 0 {
        return false;
    }
    match (&replayed.content, &received.content) {
        (EntryContent::Message { author, .. }, EntryContent::Message { author: own, .. }) => {
            author == own && starts_with(replayed, text, effort)
        }
        (EntryContent::ToolCall(call), EntryContent::ToolCall(own)) => {
            call.tool_call_id == own.tool_call_id
        }
        _ => false,
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
            // The log already has the prompts. The agent may have reported other messages of the
            // person, which must not become prompts.
            let body = |content| EventBody::Message { author: *author, message_id: None, content };
            content.map(body).collect()
        }
        EntryContent::ToolCall(call) => vec![EventBody::ToolCall((**call).clone())],
        _ => Vec::new(),
    }
}
