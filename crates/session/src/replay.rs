//! Turns a log into the updates that rebuild the session.

pub(crate) mod gate;
pub(crate) mod replay_v2;

use crate::replay::gate::steps;
use crate::terminal::shown_text::shown_text;
use crate::{
    Entry, EntryContent, Event, EventBody, MessageAuthor, PlanContent, Session, ToolCallContent,
    ToolCallPatch,
};
use attache_protocol::Patch;
use attache_protocol::v1::{ClientCapabilities, ContentBlock, MessageId, SessionId, SessionUpdate};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Turns a log into the updates of `session/load`, event by event, and folds the session at the
/// same time. It needs memory only for the folded session, however long the log is.
///
/// Updates of the transcript are returned at once and in order. Options, commands, title, metadata
/// and usage are returned once at the end, with their final values. Every message has an id, so
/// that no message is joined to the next one: its own id, or one made from the number of its first
/// event, such as `prompt-7`.
///
/// Folding the updates gives the same session, as far as the client supports it:
/// - without notices, and without updates of kinds that this version does not know,
/// - without compactions, subagents and messages between sessions unless the client supports them;
///   with choices instead of switches unless the client supports switches; with only the last plan,
///   or an empty plan if all were removed, unless the client supports plan ids,
/// - without the content of replies and requests: roots, modes, models, permissions, turns and
///   their tokens, private records, whether a user chose the title, whether the session is
///   archived,
/// - without usage as long as the size of the context is unknown,
/// - of what only version 2 has: terminals of the agent become text, and changes of files without
///   their text too; a message that replaces its content is followed by another message with the
///   new content, and one that loses its content keeps it; background work is left out.
///
/// ```
/// use attache_protocol::v1::ClientCapabilities;
/// use attache_session::{EventBody, MessageAuthor, Replay, Session, Timestamp};
/// use std::sync::Arc;
///
/// let mut replay = Replay::new("s1", Arc::new(ClientCapabilities::default()));
/// let mut updates = Vec::new();
/// let prompt = EventBody::Prompt { content: vec!["Hello".into()] };
/// replay.apply(&replay.session().next(Timestamp(0), prompt), &mut updates);
/// assert_eq!(updates.len(), 1);
/// let session = replay.end(&mut updates);
/// assert_eq!(session.entries()[0].text(), "Hello");
/// ```
#[derive(Debug)]
pub struct Replay {
    session: Session,
    client: Arc<ClientCapabilities>,
    /// The tool calls whose appended content was not sent yet, because version 1 can only send all
    /// content again.
    grown: BTreeSet<usize>,
    /// The ids of messages whose content was replaced, by the number of their first event.
    replaced: HashMap<u64, MessageId>,
}

impl Replay {
    /// Starts the replay of the session `id` for a client with these capabilities.
    pub fn new(id: impl Into<SessionId>, client: Arc<ClientCapabilities>) -> Self {
        Self { session: Session::new(id), client, grown: BTreeSet::new(), replaced: HashMap::new() }
    }

    /// Applies the next event of the log and appends the resulting updates to `updates`.
    pub fn apply(&mut self, event: &Event, updates: &mut Vec<SessionUpdate>) {
        let change = self.session.apply(event);
        // An event without an entry had no effect on the transcript, for example the update of an
        // unknown tool call (TOOL-04).
        let Some(entry) = change.entry.and_then(|index| self.session.entries().get(index)) else {
            return;
        };
        let entry = &*Arc::clone(entry);
        match (&event.body, change.entry) {
            (EventBody::ToolCallContent { .. }, Some(index)) => {
                self.grown.insert(index);
                return;
            }
            (EventBody::ToolCallUpdate(_), Some(index)) if self.grown.remove(&index) => {
                updates.extend(self.whole_content(entry));
            }
            _ => {}
        }
        match &event.body {
            EventBody::Message { author, content, .. } => {
                self.say(*author, entry, content, updates)
            }
            EventBody::WholeMessage { author, .. } => {
                self.say_whole(*author, event, entry, updates)
            }
            EventBody::Prompt { content } => {
                content
                    .iter()
                    .for_each(|block| self.say(MessageAuthor::User, entry, block, updates));
            }
            EventBody::ToolCallUpdate(update) => updates.push(tool_call(event, entry, update)),
            EventBody::PermissionAsked { question, .. } => {
                updates.extend(question.tool_call().map(|patch| tool_call(event, entry, patch)));
            }
            EventBody::Plan { content, .. } if self.client.plan.is_none() => {
                updates.extend(one_plan(Some(content)).to_update());
            }
            EventBody::PlanRemoved(_) if self.client.plan.is_none() => {
                updates.extend(one_plan(self.session.plan()).to_update());
            }
            EventBody::Notice(_) => {}
            body => updates.extend(body.to_update_for(&self.client)),
        }
    }

    /// The session folded so far.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Ends the replay: appends everything outside the transcript to `updates`, and returns the
    /// session.
    pub fn end(mut self, updates: &mut Vec<SessionUpdate>) -> Session {
        self.send_grown(updates);
        let state = self.session.state();
        updates.extend(state.iter().filter_map(|body| body.to_update_for(&self.client)));
        self.session
    }

    /// Appends all content of the tool calls whose content grew, and of those that show terminals
    /// of the agent, which version 1 can show only as text.
    fn send_grown(&mut self, updates: &mut Vec<SessionUpdate>) {
        let grown = std::mem::take(&mut self.grown);
        for (index, entry) in self.session.entries().iter().enumerate() {
            let EntryContent::ToolCall(call) = &entry.content else { continue };
            let mut shown = call.content.iter().map(|part| self.shown(part));
            if grown.contains(&index) || shown.any(|part| matches!(part, Cow::Owned(_))) {
                updates.extend(self.whole_content(entry));
            }
        }
    }

    /// Returns an update with all content of a tool call.
    fn whole_content(&self, entry: &Entry) -> Option<SessionUpdate> {
        let EntryContent::ToolCall(call) = &entry.content else { return None };
        let parts = call.content.iter().map(|part| self.shown(part).into_owned());
        let content = Patch::Set(parts.collect());
        let patch = ToolCallPatch { content, ..ToolCallPatch::new(call.tool_call_id.clone()) };
        Some(patch.to_v1().into())
    }

    fn shown<'p>(&self, part: &'p ToolCallContent) -> Cow<'p, ToolCallContent> {
        shown(&self.session, part)
    }

    /// Sends a message whose whole content was set. If it replaces other content, it becomes a
    /// message of its own, because version 1 can only append.
    fn say_whole(
        &mut self,
        author: MessageAuthor,
        event: &Event,
        entry: &Entry,
        updates: &mut Vec<SessionUpdate>,
    ) {
        let EntryContent::Message { blocks, id: Some(id), .. } = &entry.content else { return };
        let message_id = match entry.began_at == event.sequence {
            true => id.clone(),
            false => MessageId::from(format!("{}-{}", id.as_str(), event.sequence)),
        };
        self.replaced.insert(entry.began_at, message_id.clone());
        for block in blocks {
            let message_id = Some(message_id.clone());
            let body = EventBody::Message { author, message_id, content: block.to_content() };
            updates.extend(body.to_update_for(&self.client));
        }
    }

    /// Returns a chunk of the message `entry`, with the message's id.
    fn say(
        &self,
        author: MessageAuthor,
        entry: &Entry,
        content: &ContentBlock,
        updates: &mut Vec<SessionUpdate>,
    ) {
        let replaced = self.replaced.get(&entry.began_at).cloned();
        let message_id = Some(replaced.unwrap_or_else(|| message_id(author, entry)));
        let body = EventBody::Message { author, message_id, content: content.clone() };
        updates.extend(body.to_update_for(&self.client));
    }
}

/// Returns a terminal of the agent as its output, and any other part unchanged.
pub(crate) fn shown<'p>(session: &Session, part: &'p ToolCallContent) -> Cow<'p, ToolCallContent> {
    let ToolCallContent::Terminal(embedded) = part else { return Cow::Borrowed(part) };
    let id = &embedded.terminal_id;
    let known = session.terminals().iter().find(|known| known.terminal_id == *id);
    known.map_or(Cow::Borrowed(part), |terminal| {
        Cow::Owned(shown_text(&terminal.text(), terminal.dropped() > 0).into())
    })
}

/// The id under which a message is replayed. It may differ from the original id (MSG-06).
pub(crate) fn message_id(author: MessageAuthor, entry: &Entry) -> MessageId {
    if let EntryContent::Message { id: Some(id), .. } = &entry.content {
        return id.clone();
    }
    let kind = match author {
        MessageAuthor::User => "prompt",
        MessageAuthor::Agent => "message",
        MessageAuthor::Thought => "thought",
    };
    MessageId::from(format!("{kind}-{}", entry.began_at))
}

/// Converts a patch of a tool call for the client: the whole call if the patch created it
/// (TOOL-03), or else the patch.
fn tool_call(event: &Event, entry: &Entry, patch: &ToolCallPatch) -> SessionUpdate {
    match &entry.content {
        EntryContent::ToolCall(call) if entry.began_at == event.sequence => call.to_v1().into(),
        _ => patch.to_v1().into(),
    }
}

/// The plan for a client that does not support plan ids.
pub(crate) fn one_plan(content: Option<&PlanContent>) -> EventBody {
    let steps = content.map(steps).unwrap_or_default();
    EventBody::Plan { id: None, content: PlanContent::Items(steps) }
}

impl Session {
    /// The state outside the transcript that updates can express, as events.
    pub(crate) fn state(&self) -> Vec<EventBody> {
        let mut bodies = Vec::new();
        // Modes come before the options, because the mode in the options takes precedence
        // (MODE-06).
        bodies.extend(self.config().current_mode().map(EventBody::CurrentMode));
        if !self.config().options().is_empty() {
            bodies.push(EventBody::ConfigOptions(self.config().options().to_vec()));
        }
        if !self.commands().is_empty() {
            bodies.push(self.all_commands());
        }
        let info = self.info();
        let set =
            |field: Option<&str>| field.map_or(Patch::Keep, |text| Patch::Set(text.to_owned()));
        if info.title().is_some() || info.updated_at().is_some() || info.meta().is_some() {
            bodies.push(EventBody::Info {
                title: set(info.title()),
                updated_at: set(info.updated_at()),
                meta: info.meta().cloned().map_or(Patch::Keep, Patch::Set),
            });
        }
        if let Some(used) = self.usage().used() {
            let size = self.usage().size();
            let costs = self.usage().costs().iter().cloned().map(Patch::Set);
            let costs: Vec<_> = if costs.len() == 0 { vec![Patch::Keep] } else { costs.collect() };
            bodies.extend(costs.into_iter().map(|cost| EventBody::Usage { used, size, cost }));
        }
        bodies
    }
}
