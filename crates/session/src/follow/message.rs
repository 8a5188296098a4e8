//! The entries of a transcript as updates.

use super::{Follower, patches, shown};
use crate::{
    Block, Entry, EntryContent, EventBody, MessageAuthor, PlanContent, Session, ToolCall,
    ToolCallContent, ToolCallPatch,
};
use attache_protocol::Patch;
use attache_protocol::v1::{ContentBlock, MessageId, PlanId};
use std::sync::Arc;

/// The maximum size of a text in one update, in bytes. A longer text becomes several updates.
const CHUNK: usize = 1 << 20;

impl Follower {
    /// Adds the updates that take the client from `old` to `new`, the entry with this index.
    pub(super) fn entry(
        &mut self,
        now: &Session,
        index: usize,
        old: Option<&Arc<Entry>>,
        new: &Entry,
        bodies: &mut Vec<EventBody>,
    ) {
        let old = old.map(|old| &old.content);
        match &new.content {
            EntryContent::Message { author, blocks, .. } => {
                let old = match old {
                    Some(EntryContent::Message { blocks, .. }) => Some(blocks.as_slice()),
                    _ => None,
                };
                self.message(index, *author, (old, blocks), new, bodies);
            }
            EntryContent::ToolCall(call) => {
                let old = match old {
                    Some(EntryContent::ToolCall(call)) => Some(&**call),
                    _ => None,
                };
                self.tool_call(now, old, call, bodies);
            }
            EntryContent::Plan { id, content } => {
                self.plan(old.is_some(), id.as_ref(), content.as_ref(), bodies);
            }
            // A notice is not part of the history.
            EntryContent::Notice(notice) if self.seen.sequence() > 0 => {
                bodies.push(EventBody::Notice((**notice).clone()));
            }
            EntryContent::Compaction(compaction) => {
                bodies.push(EventBody::Compaction(patches::compaction(compaction)));
            }
            EntryContent::Subagent(subagent) => {
                bodies.push(EventBody::Subagent(Box::new(patches::subagent(subagent))));
            }
            EntryContent::BetweenSessions(message) => {
                let message = patches::between_sessions(message);
                bodies.push(EventBody::SessionMessage(Box::new(message)));
            }
            EntryContent::Unknown { name, raw } if old.is_none() => {
                bodies.push(EventBody::Unknown { name: name.clone(), raw: raw.clone() });
            }
            _ => {}
        }
    }

    fn message(
        &mut self,
        index: usize,
        author: MessageAuthor,
        (old, new): (Option<&[Block]>, &[Block]),
        entry: &Entry,
        bodies: &mut Vec<EventBody>,
    ) {
        let id = self.id(index, author, entry);
        match appended(old.unwrap_or_default(), new) {
            // Only a chunk can begin a message, even one without content.
            Some(new) if new.is_empty() && old.is_none() => {
                say(author, &id, &ContentBlock::text(""), bodies);
            }
            Some(new) => new.iter().for_each(|block| say(author, &id, block, bodies)),
            None if self.client.is_none() => bodies.push(EventBody::WholeMessage {
                author,
                message_id: id,
                content: Patch::Set(new.iter().map(Block::to_content).collect()),
                meta: Patch::Keep,
            }),
            // Version 1 can only append, so the new content becomes a message of its own.
            None => {
                let id = MessageId::from(format!("{}-{}", id.as_str(), entry.changed_at));
                new.iter().for_each(|block| say(author, &id, &block.to_content(), bodies));
                self.ids.insert(index, id);
            }
        }
    }

    /// Adds the updates of a tool call, as the client can show it.
    pub(super) fn tool_call(
        &self,
        now: &Session,
        old: Option<&ToolCall>,
        new: &ToolCall,
        bodies: &mut Vec<EventBody>,
    ) {
        if self.client.is_none() {
            match old {
                Some(old) => patches::version_2(old, new, bodies),
                None => bodies.push(EventBody::ToolCallUpdate(new.to_v2_creation().into())),
            }
            return;
        }
        match old {
            Some(old) => bodies.extend(patches::version_1(old, new)),
            None => bodies.push(EventBody::ToolCall(new.clone())),
        }
        let is_shown_as_text =
            |part: &ToolCallContent| matches!(shown(now, part), std::borrow::Cow::Owned(_));
        if new.content.iter().any(is_shown_as_text) {
            let content = new.content.iter().map(|part| shown(now, part).into_owned()).collect();
            bodies.push(EventBody::ToolCallUpdate(ToolCallPatch {
                content: Patch::Set(content),
                ..ToolCallPatch::new(new.tool_call_id.clone())
            }));
        }
    }

    fn plan(
        &self,
        is_known: bool,
        id: Option<&PlanId>,
        content: Option<&PlanContent>,
        bodies: &mut Vec<EventBody>,
    ) {
        match (content, id) {
            (Some(content), id) => {
                bodies.push(EventBody::Plan { id: id.cloned(), content: content.clone() });
            }
            (None, Some(id)) => {
                if !is_known {
                    // The plan keeps its place, in case it comes back.
                    let content = PlanContent::Items(Vec::new());
                    bodies.push(EventBody::Plan { id: Some(id.clone()), content });
                }
                bodies.push(EventBody::PlanRemoved(id.clone()));
            }
            (None, None) => {}
        }
    }
}

/// Adds the chunks of one block of a message.
pub(super) fn say(
    author: MessageAuthor,
    id: &MessageId,
    block: &ContentBlock,
    bodies: &mut Vec<EventBody>,
) {
    let mut chunk = |content: ContentBlock| {
        let message_id = Some(id.clone());
        bodies.push(EventBody::Message { author, message_id, content });
    };
    let Some(mut text) = crate::transcript::block::plain_text(block) else {
        return chunk(block.clone());
    };
    loop {
        let (head, rest) = text.split_at(text.floor_char_boundary(CHUNK));
        chunk(ContentBlock::text(head));
        if rest.is_empty() {
            return;
        }
        text = rest;
    }
}

/// Returns the blocks that make `new` of `old` when they are appended; `None` if appending cannot
/// do that.
fn appended(old: &[Block], new: &[Block]) -> Option<Vec<ContentBlock>> {
    let Some((last, same)) = old.split_last() else {
        return Some(new.iter().map(Block::to_content).collect());
    };
    let rest = new.get(old.len()..)?.iter().map(Block::to_content);
    if !same.iter().zip(new).all(|(old, new)| old == new) {
        return None;
    }
    let grown = match (last, new.get(same.len())?) {
        (Block::Text(old), Block::Text(new)) => {
            let is_longer = old.dropped() == new.dropped() && new.len() >= old.len();
            let is_grown = is_longer && new.to_string().starts_with(&old.to_string());
            is_grown.then(|| new.suffix(old.len()))?
        }
        (old, new) => (old == new).then(String::new)?,
    };
    let grown = Some(ContentBlock::text(grown.as_str())).filter(|_| !grown.is_empty());
    Some(grown.into_iter().chain(rest).collect())
}
