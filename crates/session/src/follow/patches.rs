//! Patches that take a client from one state of an entry to another.

use crate::info::meta::patched_meta;
use crate::transcript::block::Block;
use crate::{Compaction, EventBody, MessageBetweenSessions, Subagent, ToolCall, ToolCallPatch};
use attache_protocol::v1::{CompactionUpdate, SessionMessage, SubagentUpdate};
use attache_protocol::v2::ToolCallStatus;
use attache_protocol::{Meta, Patch};

/// The patch that sets a field, if it changed.
fn changed<T: PartialEq + Clone>(old: &T, new: &T) -> Patch<T> {
    if old == new { Patch::Keep } else { Patch::Set(new.clone()) }
}

/// Like [`changed`], for a field that may be absent.
fn changed_option<T: PartialEq + Clone>(old: Option<&T>, new: Option<&T>) -> Patch<T> {
    match (old, new) {
        (old, new) if old == new => Patch::Keep,
        (_, Some(new)) => Patch::Set(new.clone()),
        (_, None) => Patch::Clear,
    }
}

/// The fields that differ, without the metadata.
fn difference(old: &ToolCall, new: &ToolCall) -> ToolCallPatch {
    let content = match old.content == new.content {
        true => Patch::Keep,
        false => Patch::Set(new.content.to_vec()),
    };
    ToolCallPatch {
        title: changed(&old.title, &new.title),
        name: changed_option(old.name.as_ref(), new.name.as_ref()),
        kind: changed(&old.kind, &new.kind),
        status: changed(&old.status, &new.status),
        content,
        locations: changed(&old.locations, &new.locations),
        raw_input: changed_option(old.raw_input.as_ref(), new.raw_input.as_ref()),
        raw_output: changed_option(old.raw_output.as_ref(), new.raw_output.as_ref()),
        capabilities: changed_option(old.capabilities.as_ref(), new.capabilities.as_ref()),
        ..ToolCallPatch::new(new.tool_call_id.clone())
    }
}

/// The update of a tool call for version 1: a patch, or the whole call if a patch cannot express
/// the change. `None` if nothing changed.
pub(super) fn version_1(old: &ToolCall, new: &ToolCall) -> Option<EventBody> {
    let meta = changed_option(old.meta.as_ref(), new.meta.as_ref());
    let patch = ToolCallPatch { meta, ..difference(old, new) };
    let patch = ToolCallPatch { upserts: new.upserted, capabilities: Patch::Keep, ..patch };
    let clears = patch.name == Patch::Clear
        || patch.raw_input == Patch::Clear
        || patch.raw_output == Patch::Clear
        || patch.meta == Patch::Clear
        || matches!(patch.status, Patch::Set(ToolCallStatus::Unknown(_)));
    match patch == (ToolCallPatch { upserts: patch.upserts, ..empty(new) }) {
        true => None,
        false if clears => Some(EventBody::ToolCall(new.clone())),
        false => Some(EventBody::ToolCallUpdate(patch)),
    }
}

/// Adds the updates of a tool call for version 2: content that was only appended is sent alone.
pub(super) fn version_2(old: &ToolCall, new: &ToolCall, bodies: &mut Vec<EventBody>) {
    let mut patch = ToolCallPatch { upserts: true, ..difference(old, new) };
    let is_grown = new.content.len() >= old.content.len()
        && old.content.iter().zip(&new.content).all(|(old, new)| old == new);
    if is_grown {
        patch.content = Patch::Keep;
    }
    patch.meta = match key_patches(old.meta.as_ref(), new.meta.as_ref()) {
        [Patch::Keep, last] => last,
        [first, last] => {
            let clear = ToolCallPatch { upserts: true, meta: first, ..empty(new) };
            bodies.push(EventBody::ToolCallUpdate(clear));
            last
        }
    };
    if patch != (ToolCallPatch { upserts: true, ..empty(new) }) {
        bodies.push(EventBody::ToolCallUpdate(patch));
    }
    if is_grown {
        let appended = new.content.iter().skip(old.content.len());
        bodies.extend(appended.map(|content| EventBody::ToolCallContent {
            tool_call_id: new.tool_call_id.clone(),
            content: content.clone(),
        }));
    }
}

fn empty(call: &ToolCall) -> ToolCallPatch {
    ToolCallPatch::new(call.tool_call_id.clone())
}

/// The two patches that take metadata from one value to another, where a patch replaces the
/// top-level keys that it has: the first clears the metadata if a key is gone.
pub(super) fn key_patches(old: Option<&Meta>, new: Option<&Meta>) -> [Patch<Meta>; 2] {
    match (old, new) {
        (old, new) if old == new => [Patch::Keep, Patch::Keep],
        (_, None) => [Patch::Keep, Patch::Clear],
        (old, Some(new)) if patched_meta(old, new) == patched_meta(None, new) => {
            [Patch::Keep, Patch::Set(new.clone())]
        }
        (_, Some(new)) => [Patch::Clear, Patch::Set(new.clone())],
    }
}

fn or_clear<T>(value: Option<T>) -> Patch<T> {
    value.map_or(Patch::Clear, Patch::Set)
}

fn contents(blocks: &[Block]) -> Patch<Vec<attache_protocol::v1::ContentBlock>> {
    Patch::Set(blocks.iter().map(Block::to_content).collect())
}

/// The whole compaction.
pub(super) fn compaction(compaction: &Compaction) -> CompactionUpdate {
    CompactionUpdate {
        summary: contents(&compaction.summary),
        error: or_clear(compaction.error.clone()),
        meta: or_clear(compaction.meta.clone()),
        ..CompactionUpdate::new(compaction.id.clone(), compaction.status.clone())
    }
}

/// The whole announcement of a child session.
pub(super) fn subagent(subagent: &Subagent) -> SubagentUpdate {
    SubagentUpdate {
        title: or_clear(subagent.title.clone()),
        description: or_clear(subagent.description.clone()),
        capabilities: or_clear(subagent.capabilities.clone()),
        state: or_clear(subagent.state.clone()),
        cwd: or_clear(subagent.cwd.clone()),
        additional_directories: or_clear(subagent.additional_directories.clone()),
        meta: or_clear(subagent.meta.clone()),
        ..SubagentUpdate::new(subagent.session_id.clone())
    }
}

/// The whole message between sessions.
pub(super) fn between_sessions(message: &MessageBetweenSessions) -> SessionMessage {
    SessionMessage {
        sender_session_id: or_clear(message.sender_session_id.clone()),
        recipient_session_id: or_clear(message.recipient_session_id.clone()),
        sender_message_id: or_clear(message.sender_message_id.clone()),
        recipient_message_id: or_clear(message.recipient_message_id.clone()),
        content: contents(&message.blocks),
        meta: or_clear(message.meta.clone()),
        ..SessionMessage::new(message.id.clone())
    }
}
