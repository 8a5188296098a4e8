//! The fold of a session, event by event, and its properties.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod captures;
mod changes;
mod checkpoint;
mod config;
mod convert;
mod dependent;
mod entry_index;
mod follow;
mod followed_terminals;
mod gate;
mod hand_off;
mod info_and_usage;
mod join;
mod labels;
mod laws;
mod memory;
mod memory_store;
mod permission;
mod recovery;
mod replay;
mod replay_v2;
mod saved_checkpoint;
mod sequences;
mod summary;
mod transcript;
mod turn_and_permission;
mod usage;

use attache_protocol::v1::SessionUpdate;
use attache_session::{Block, EntryContent, EventBody, MessageAuthor, Session, Timestamp};

/// Applies bodies as the next events.
fn apply(session: &mut Session, bodies: impl IntoIterator<Item = EventBody>) {
    for body in bodies {
        let event = session.next(Timestamp(session.sequence() as i64), body);
        session.apply(&event);
    }
}

/// The session after these bodies.
fn fold(bodies: impl IntoIterator<Item = EventBody>) -> Session {
    let mut session = Session::new("s");
    apply(&mut session, bodies);
    session
}

/// The event of an update, given as JSON.
fn update(text: &str) -> EventBody {
    EventBody::from_update(attache_protocol::decode::<SessionUpdate>(text).unwrap())
}

fn chunk(author: MessageAuthor, id: Option<&str>, text: &str) -> EventBody {
    EventBody::Message { author, message_id: id.map(Into::into), content: text.into() }
}

fn say(text: &str) -> EventBody {
    chunk(MessageAuthor::Agent, None, text)
}

/// A short form of the transcript: one line per entry.
fn outline(session: &Session) -> Vec<String> {
    session
        .entries()
        .iter()
        .map(|entry| match &entry.content {
            EntryContent::Message { author, blocks, .. } => {
                let others = blocks.iter().filter(|block| matches!(block, Block::Other(_))).count();
                format!("{author:?}: {}{}", entry.text(), "+".repeat(others))
            }
            EntryContent::ToolCall(call) => {
                format!("tool {}: {} {}", call.tool_call_id, call.title, call.status())
            }
            EntryContent::Plan { content, .. } => {
                format!("plan {}", if content.is_some() { "" } else { "dropped" })
            }
            EntryContent::Compaction(compaction) => {
                let text: String = compaction
                    .summary
                    .iter()
                    .map(|block| match block {
                        Block::Text(text) => text.to_string(),
                        _ => "+".to_owned(),
                    })
                    .collect();
                format!("compaction {}: {text}", compaction.status)
            }
            EntryContent::Notice(notice) => format!("notice {}", notice.title),
            EntryContent::Subagent(subagent) => format!("subagent {}", subagent.session_id),
            EntryContent::BetweenSessions(message) => format!("between {}", message.id),
            EntryContent::Unknown { name, .. } => format!("unknown {name}"),
            EntryContent::Dropped => "dropped".to_owned(),
            _ => "other".to_owned(),
        })
        .collect()
}
