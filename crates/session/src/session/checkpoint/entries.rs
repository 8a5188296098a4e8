//! The transcript of a checkpoint.

use super::parts::{list, read_list};
use crate::event::json::object::write_option;
use crate::event::json::object::{EventError, Object};
use crate::event::json::{author_name, author_named, name, read_body, write_body};
use crate::transcript::Transcript;
use crate::transcript::block::joined;
use crate::transcript::entry::dropped_entry;
use crate::transcript::keys::Key;
use crate::{
    Block, Compaction, Entry, EntryContent, Event, EventBody, MessageBetweenSessions, Session,
    Subagent, Timestamp,
};
use attache_protocol::v1::{CompactionUpdate, ContentBlock, SessionMessage, SubagentUpdate};
use attache_protocol::{ObjectWriter, Patch, Raw, Writer};
use std::sync::Arc;

/// Returns the transcript as a JSON object, or `None` if a part of a message was dropped.
pub(super) fn encode(transcript: &Transcript) -> Option<String> {
    // The keys, the order of changes and the weight follow from the entries.
    let Transcript {
        entries,
        keys: _,
        recent: _,
        open,
        closed,
        held: _,
        truncated_before,
        keeps_keys: _,
    } = transcript;
    let held =
        || entries.iter().enumerate().filter(|(_, entry)| entry.content != EntryContent::Dropped);
    if held().any(|(_, entry)| entry.blocks().iter().any(is_cut)) {
        return None;
    }
    let mut out = Vec::new();
    Writer::new(&mut out).object(|object| {
        object.member("count", &(entries.len() as u64));
        object.member("truncatedBefore", &(*truncated_before as u64));
        object.member("open", &open.map(|index| index.map(|index| index as u64)).to_vec());
        object.member("closed", closed);
        list(object.key("entries"), held(), |(index, entry), object| {
            write_entry(index, entry, object);
        });
    });
    // Writers append only whole UTF-8 strings.
    String::from_utf8(out).ok()
}

fn is_cut(block: &Block) -> bool {
    matches!(block, Block::Text(text) if text.dropped() > 0)
}

fn write_entry(index: usize, entry: &Entry, object: &mut ObjectWriter<'_>) {
    let Entry { content, began_at, changed_at, at, ended_at, reshaped_at, weight } = entry;
    object.member("index", &(index as u64));
    object.member("beganAt", began_at);
    object.member("changedAt", changed_at);
    object.member("at", &at.0);
    if let Some(ended_at) = ended_at {
        object.member("endedAt", &ended_at.0);
    }
    object.member("reshapedAt", reshaped_at);
    object.member("weight", &(*weight as u64));
    match content {
        EntryContent::Message { author, id, blocks } => object.key("message").object(|message| {
            message.key("author").string(author_name(*author));
            write_option(message, "messageId", id.as_ref());
            message.member("content", &contents(blocks));
        }),
        other => {
            if let Some(body) = body(other) {
                object.key("event").object(|event| write_body(&body, event.key(name(&body))));
            }
        }
    }
}

fn contents(blocks: &[Block]) -> Vec<ContentBlock> {
    blocks.iter().map(Block::to_content).collect()
}

/// Returns an event that creates this content.
fn body(content: &EntryContent) -> Option<EventBody> {
    Some(match content {
        EntryContent::ToolCall(call) => EventBody::ToolCall((**call).clone()),
        EntryContent::Plan { id, content: Some(content) } => {
            EventBody::Plan { id: id.clone(), content: content.clone() }
        }
        EntryContent::Plan { id, content: None } => EventBody::PlanRemoved(id.clone()?),
        EntryContent::Notice(notice) => EventBody::Notice((**notice).clone()),
        EntryContent::Compaction(compaction) => {
            let Compaction { id, status, summary, error, meta } = &**compaction;
            EventBody::Compaction(CompactionUpdate {
                summary: Patch::Set(contents(summary)),
                error: set(error),
                meta: set(meta),
                ..CompactionUpdate::new(id.clone(), status.clone())
            })
        }
        EntryContent::Subagent(subagent) => {
            EventBody::Subagent(Box::new(subagent_update(subagent)))
        }
        EntryContent::BetweenSessions(message) => {
            EventBody::SessionMessage(Box::new(session_message(message)))
        }
        EntryContent::Unknown { name, raw } => {
            EventBody::Unknown { name: name.clone(), raw: raw.clone() }
        }
        EntryContent::Message { .. } | EntryContent::Dropped => return None,
    })
}

fn set<T: Clone>(value: &Option<T>) -> Patch<T> {
    value.clone().map_or(Patch::Keep, Patch::Set)
}

fn subagent_update(subagent: &Subagent) -> SubagentUpdate {
    let Subagent {
        session_id,
        title,
        description,
        capabilities,
        state,
        cwd,
        additional_directories,
        meta,
    } = subagent;
    SubagentUpdate {
        title: set(title),
        description: set(description),
        capabilities: set(capabilities),
        state: set(state),
        cwd: set(cwd),
        additional_directories: set(additional_directories),
        meta: set(meta),
        ..SubagentUpdate::new(session_id.clone())
    }
}

fn session_message(message: &MessageBetweenSessions) -> SessionMessage {
    let MessageBetweenSessions {
        id,
        sender_session_id,
        recipient_session_id,
        sender_message_id,
        recipient_message_id,
        blocks,
        meta,
    } = message;
    SessionMessage {
        sender_session_id: set(sender_session_id),
        recipient_session_id: set(recipient_session_id),
        sender_message_id: set(sender_message_id),
        recipient_message_id: set(recipient_message_id),
        content: Patch::Set(contents(blocks)),
        meta: set(meta),
        ..SessionMessage::new(id.clone())
    }
}

/// Reads what [`encode`] writes.
pub(super) fn read(object: &Object<'_>, sequence: u64) -> Result<Transcript, EventError> {
    let raw: Raw = object.must("transcript")?;
    let object = Object::of(raw.get(), "transcript")?;
    let count: u64 = object.must("count")?;
    let entries = read_list(&object, "entries", read_entry)?;
    let in_order = entries.windows(2).all(|pair| match pair {
        [(one, _), (other, _)] => one < other,
        _ => true,
    });
    // Each event begins at most one entry.
    if count > sequence
        || !in_order
        || entries.last().is_some_and(|(index, _)| *index as u64 >= count)
    {
        return Err(EventError::Missing("entries in order"));
    }
    let mut transcript = Transcript::default();
    let dropped = dropped_entry();
    let mut changed: Vec<(u64, usize)> = Vec::new();
    let mut entries = entries.into_iter().peekable();
    for index in 0..count as usize {
        let Some((_, entry)) = entries.next_if(|(next, _)| *next == index) else {
            transcript.entries.push(Arc::clone(&dropped));
            continue;
        };
        if let Some(key) = key(&entry.content) {
            transcript.keys.insert(key, index);
        }
        transcript.held = transcript.held.saturating_add(entry.weight);
        changed.push((entry.changed_at, index));
        transcript.entries.push(Arc::new(entry));
    }
    changed.sort_unstable();
    transcript.recent = Arc::new(changed.into_iter().map(|(_, index)| index).collect());
    let open: Vec<Option<u64>> = object.must("open")?;
    let known =
        |index: Option<u64>| index.filter(|index| *index < count).map(|index| index as usize);
    let open: Vec<_> = open.into_iter().map(known).collect();
    transcript.open = open.try_into().map_err(|_| EventError::Missing("open of every author"))?;
    transcript.closed = object.must("closed")?;
    transcript.truncated_before = object.must::<u64>("truncatedBefore")? as usize;
    Ok(transcript)
}

fn read_entry(object: &Object<'_>) -> Result<(usize, Entry), EventError> {
    let content = match (object.may::<Raw>("message")?, object.may::<Raw>("event")?) {
        (Some(message), _) => read_message(&Object::of(message.get(), "message")?)?,
        (None, Some(event)) => read_content(&Object::of(event.get(), "event")?)?,
        (None, None) => return Err(EventError::Missing("event of an entry")),
    };
    let entry = Entry {
        content,
        began_at: object.must("beganAt")?,
        changed_at: object.must("changedAt")?,
        at: Timestamp(object.must("at")?),
        // Checkpoints of earlier versions do not have it.
        ended_at: object.may("endedAt")?.map(Timestamp),
        reshaped_at: object.must("reshapedAt")?,
        weight: object.must::<u64>("weight")? as usize,
    };
    Ok((object.must::<u64>("index")? as usize, entry))
}

fn read_message(object: &Object<'_>) -> Result<EntryContent, EventError> {
    let author = author_named(&object.must::<String>("author")?);
    Ok(EntryContent::Message {
        author: author.ok_or(EventError::Missing("author"))?,
        id: object.may("messageId")?,
        blocks: joined(&object.must::<Vec<ContentBlock>>("content")?),
    })
}

/// Returns the content that an event creates.
fn read_content(object: &Object<'_>) -> Result<EntryContent, EventError> {
    let (name, value) = object.members.0.last().ok_or(EventError::Missing("event"))?;
    let body = read_body(name, value)?;
    if let EventBody::PlanRemoved(id) = body {
        return Ok(EntryContent::Plan { id: Some(id), content: None });
    }
    let mut session = Session::new("");
    session.apply(&Event { sequence: 1, at: Timestamp(0), body });
    let created = session.entries().first().map(|entry| entry.content.clone());
    created.ok_or(EventError::Missing("content of an entry"))
}

fn key(content: &EntryContent) -> Option<Key> {
    Some(match content {
        EntryContent::Message { author, id, .. } => Key::Message(*author, id.clone()?),
        EntryContent::ToolCall(call) => Key::ToolCall(call.tool_call_id.clone()),
        EntryContent::Plan { id, .. } => Key::Plan(id.clone()),
        EntryContent::Compaction(compaction) => Key::Compaction(compaction.id.clone()),
        EntryContent::Subagent(subagent) => Key::Subagent(subagent.session_id.clone()),
        EntryContent::BetweenSessions(message) => Key::BetweenSessions(message.id.clone()),
        EntryContent::Notice(_) | EntryContent::Unknown { .. } | EntryContent::Dropped => {
            return None;
        }
    })
}
