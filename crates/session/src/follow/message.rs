//! The entries of a transcript as updates.

use super::client_terminals::Shown;
use super::{Follower, patches, shown};
use crate::{
    Block, Entry, EntryContent, EventBody, MessageAuthor, PlanContent, Session, ToolCall,
    ToolCallContent, ToolCallPatch,
};
use attache_protocol::Patch;
use attache_protocol::v1::{ContentBlock, MessageId, PlanId, Terminal, TerminalId};
use std::borrow::Cow;
use std::sync::Arc;

/// The maximum size of a text in one update, in bytes. A longer text becomes several updates.
const CHUNK: usize = 1 << 20;

/// The content of a tool call as a client can show it.
struct ShownContent {
    content: Vec<ToolCallContent>,
    /// Whether the client got more of a terminal before.
    is_less: bool,
}

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
                self.tool_call(now, index, old, call, bodies);
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

    /// Adds the updates of a tool call, the entry with this index, as the client can show it.
    pub(super) fn tool_call(
        &mut self,
        now: &Session,
        index: usize,
        old: Option<&ToolCall>,
        new: &ToolCall,
        bodies: &mut Vec<EventBody>,
    ) {
        if self.client.is_none() {
            match old {
                Some(old) => patches::version_2(old, new, bodies),
                None => bodies.push(EventBody::ToolCallUpdate(new.to_v2_creation().into())),
            }
            for id in new.content.iter().filter_map(terminal_of) {
                self.terminals.show(id, index);
            }
            return;
        }
        let patch = match old {
            Some(old) => patches::version_1(old, new),
            None => Some(EventBody::ToolCall(new.clone())),
        };
        let Some(shown) = self.shown_content(now, index, new) else {
            return bodies.extend(patch);
        };
        let ShownContent { content, is_less } = shown;
        match patch {
            Some(EventBody::ToolCall(mut call)) => {
                call.content = content.into();
                bodies.push(EventBody::ToolCall(call));
            }
            Some(EventBody::ToolCallUpdate(patch)) if !(is_less && patch.content.is_keep()) => {
                let content = Patch::Set(content);
                bodies.push(EventBody::ToolCallUpdate(ToolCallPatch { content, ..patch }));
            }
            None if !is_less => {
                let content = Patch::Set(content);
                let patch = ToolCallPatch::new(new.tool_call_id.clone());
                bodies.push(EventBody::ToolCallUpdate(ToolCallPatch { content, ..patch }));
            }
            patch => bodies.extend(patch),
        }
    }

    /// Returns the content of a tool call as a client of version 1 can show it; `None` if it can
    /// show the content as it is.
    fn shown_content(
        &mut self,
        now: &Session,
        index: usize,
        call: &ToolCall,
    ) -> Option<ShownContent> {
        if !call.content.iter().any(|part| terminal_of(part).is_some()) {
            return None;
        }
        let (mut is_changed, mut is_less) = (false, false);
        let mut content = Vec::new();
        for part in call.content.iter() {
            let shown = match (shown(now, part), terminal_of(part)) {
                (Cow::Owned(shown), _) => Some(shown),
                (Cow::Borrowed(_), Some(id)) => match self.terminals.shown(id, index) {
                    Some(Shown::Own(own)) => Some(ToolCallContent::Terminal(Terminal::new(own))),
                    Some(Shown::Text(text)) => Some(text.into()),
                    Some(Shown::Before(text)) => {
                        is_less = true;
                        Some(text.into())
                    }
                    None => None,
                },
                (Cow::Borrowed(_), None) => None,
            };
            is_changed |= shown.is_some();
            content.push(shown.unwrap_or_else(|| part.clone()));
        }
        is_changed.then_some(ShownContent { content, is_less })
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

/// The terminal that a part of a tool call shows.
fn terminal_of(part: &ToolCallContent) -> Option<&TerminalId> {
    match part {
        ToolCallContent::Terminal(terminal) => Some(&terminal.terminal_id),
        _ => None,
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
