//! The updates that make a session again.

use crate::transcript::Key;
use crate::{Block, EntryContent, EventBody, Session};
use attache_protocol::Patch;
use attache_protocol::v1::{
    ClientCapabilities, CompactionUpdate, MessageId, SessionMessage, SessionUpdate, SubagentUpdate,
};

impl Session {
    /// The updates from which a client with these capabilities folds this session (SESS-13): the transcript in order, then options,
    /// commands, info and usage.
    ///
    /// Law: folding them gives the same session, less notices, tokens of turns, permissions, turns, what replies carry (roots, modes, models),
    /// dropped entries and what the client cannot take. A message without an id that would run into the one before it gets an id (MSG-06).
    pub fn replay(&self, client: &ClientCapabilities) -> Vec<SessionUpdate> {
        let mut updates = Vec::new();
        let mut last_plan = None;
        for (index, entry) in self.entries().iter().enumerate() {
            if let EntryContent::Plan { content: Some(_), .. } = &entry.content {
                last_plan = last_plan.max(Some((entry.changed_at, index)));
            }
        }
        let mut before = None;
        for (index, entry) in self.entries().iter().enumerate() {
            let is_plan = matches!(entry.content, EntryContent::Plan { .. });
            if is_plan && client.plan.is_none() && last_plan.map(|(_, index)| index) != Some(index) {
                continue;
            }
            let start = updates.len();
            let bodies = bodies(&entry.content, self.message_id(&entry.content, index, before));
            updates.extend(bodies.iter().filter_map(|body| body.to_update_for(client)));
            if updates.len() > start {
                before = Some(&entry.content);
            }
        }
        updates.extend(self.sections().iter().filter_map(|body| body.to_update_for(client)));
        updates
    }

    /// The id under which a message is replayed: its own, or one that keeps it apart from the message replayed before it.
    fn message_id(
        &self,
        content: &EntryContent,
        index: usize,
        before: Option<&EntryContent>,
    ) -> Option<MessageId> {
        let EntryContent::Message { author, id, .. } = content else { return None };
        let runs_on = matches!(before, Some(EntryContent::Message { author: last, .. }) if last == author);
        if id.is_some() || !runs_on {
            return id.clone();
        }
        let ids = (0..).map(|n| MessageId::from(format!("replayed-{index}-{n}")));
        ids.into_iter().find(|id| self.transcript.find(&Key::Message(*author, id.clone())).is_none())
    }

    /// What is no entry, as events.
    fn sections(&self) -> Vec<EventBody> {
        let mut bodies = Vec::new();
        if !self.config().options().is_empty() {
            bodies.push(EventBody::ConfigOptions(self.config().options().to_vec()));
        }
        if !self.commands().is_empty() {
            bodies.push(EventBody::Commands(self.commands().to_vec()));
        }
        let info = self.info();
        let set = |field: Option<&str>| field.map_or(Patch::Keep, |text| Patch::Set(text.to_owned()));
        let body = EventBody::Info {
            title: set(info.title()),
            updated_at: set(info.updated_at()),
            meta: info.meta().cloned().map_or(Patch::Keep, Patch::Set),
        };
        if info.title().is_some() || info.updated_at().is_some() || info.meta().is_some() {
            bodies.push(body);
        }
        if let Some(used) = self.usage().used() {
            let size = self.usage().size();
            let costs = self.usage().costs().iter().cloned().map(Some);
            let costs: Vec<_> = if costs.len() == 0 { vec![None] } else { costs.collect() };
            bodies.extend(costs.into_iter().map(|cost| EventBody::Usage { used, size, cost }));
        }
        bodies
    }
}

/// The events that make one entry again.
fn bodies(content: &EntryContent, message_id: Option<MessageId>) -> Vec<EventBody> {
    match content {
        EntryContent::Message { author, blocks, .. } => {
            let chunk =
                |content| EventBody::Message { author: *author, message_id: message_id.clone(), content };
            match blocks.as_slice() {
                [] => vec![chunk("".into())],
                blocks => blocks.iter().map(|block| chunk(block.to_content())).collect(),
            }
        }
        EntryContent::ToolCall(call) => vec![EventBody::ToolCall((**call).clone())],
        EntryContent::Plan { id, content: Some(content) } => {
            vec![EventBody::Plan { id: id.clone(), content: content.clone() }]
        }
        EntryContent::Compaction(compaction) => vec![EventBody::Compaction(CompactionUpdate {
            summary: set_blocks(&compaction.summary),
            error: set(&compaction.error),
            meta: set(&compaction.meta),
            ..CompactionUpdate::new(compaction.id.clone(), compaction.status.clone())
        })],
        EntryContent::Subagent(subagent) => vec![EventBody::Subagent(Box::new(SubagentUpdate {
            title: set(&subagent.title),
            description: set(&subagent.description),
            capabilities: set(&subagent.capabilities),
            state: set(&subagent.state),
            cwd: set(&subagent.cwd),
            additional_directories: set(&subagent.additional_directories),
            meta: set(&subagent.meta),
            ..SubagentUpdate::new(subagent.session_id.clone())
        }))],
        EntryContent::BetweenSessions(message) => {
            vec![EventBody::SessionMessage(Box::new(SessionMessage {
                sender_session_id: set(&message.sender_session_id),
                recipient_session_id: set(&message.recipient_session_id),
                sender_message_id: set(&message.sender_message_id),
                recipient_message_id: set(&message.recipient_message_id),
                content: set_blocks(&message.blocks),
                meta: set(&message.meta),
                ..SessionMessage::new(message.id.clone())
            }))]
        }
        EntryContent::Plan { content: None, .. }
        | EntryContent::Notice(_)
        | EntryContent::Unknown { .. }
        | EntryContent::Dropped => Vec::new(),
    }
}

fn set<T: Clone>(field: &Option<T>) -> Patch<T> {
    field.clone().map_or(Patch::Keep, Patch::Set)
}

fn set_blocks(blocks: &[Block]) -> Patch<Vec<attache_protocol::v1::ContentBlock>> {
    if blocks.is_empty() { Patch::Keep } else { Patch::Set(crate::block::contents(blocks)) }
}
