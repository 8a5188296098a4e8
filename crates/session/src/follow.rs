//! Turns the changes of a live session into the updates for one client.

mod client_terminals;
mod message;
mod patches;
mod state;
mod turn_shown;

use crate::replay::{message_id, one_plan, shown};
use crate::{Entry, EntryChange, EntryContent, EventBody, MessageAuthor, Parts, Position, Session};
use attache_protocol::v1::{
    ClientCapabilities, ContentBlock, MessageId, Notice, NoticeSeverity, SessionId, TerminalId,
};
use attache_protocol::{v1, v2};
use client_terminals::ClientTerminals;
use std::collections::HashMap;
use std::sync::Arc;
use turn_shown::TurnShown;

pub use client_terminals::FollowedTerminal;

/// The statement before the new history, when the history was replaced.
const REPLACED: &str =
    "The agent replaced the history of this session. The messages from here on are the new history";

/// Turns the changes of a live session into the updates for one client. It compares the session
/// with the one that the client has seen, so a client that is slow gets fewer, larger updates, and
/// nothing is queued for it.
///
/// A new follower has seen nothing: its first updates are the whole session. Folding all updates
/// gives the same session, as far as the client supports it, however often [`Follower::follow`] is
/// called in between. [`crate::Replay`] and [`crate::ReplayV2`] list what a client does not get.
/// Unlike them, a follower also sends notices that are new, and in version 2 the beginnings and
/// ends of turns. Entries that are no longer in memory, and a replaced history, are stated.
///
/// The follower keeps a snapshot, which shares its texts with the live session.
///
/// ```
/// use attache_session::{EventBody, Follower, Session, Timestamp};
///
/// let mut session = Session::new("s1");
/// let mut follower = Follower::version_2("s1");
/// let prompt = EventBody::Prompt { content: vec!["Hello".into()] };
/// session.apply(&session.next(Timestamp(0), prompt));
/// assert_eq!(follower.follow(&session).len(), 1);
/// assert_eq!(follower.follow(&session).len(), 0);
/// ```
#[derive(Debug)]
pub struct Follower {
    /// The session that the client has seen.
    seen: Session,
    /// What a client of version 1 supports; `None` for version 2.
    client: Option<Arc<ClientCapabilities>>,
    /// The ids of messages that the client knows by another id than a replay would give them, by
    /// the index of the entry.
    ids: HashMap<usize, MessageId>,
    /// The history before a replacement, until an entry differs from it.
    previous: Option<Session>,
    /// The generation and the first entry of a history that the client got as a new one.
    renewed: Option<(u64, usize)>,
    /// How many entries at the start were sent from the log.
    from_log: usize,
    state: TurnShown,
    terminals: ClientTerminals,
}

/// An update of the version that a client speaks.
#[derive(Debug, Clone, PartialEq)]
pub enum FollowedUpdate {
    /// An update of version 1.
    V1(v1::SessionUpdate),
    /// An update of version 2.
    V2(v2::SessionUpdate),
}

impl Follower {
    /// Follows the session `id` for a client of version 1 with these capabilities.
    pub fn version_1(id: impl Into<SessionId>, client: Arc<ClientCapabilities>) -> Self {
        Self::new(id.into(), Some(client))
    }

    /// Follows the session `id` for a client of version 2.
    pub fn version_2(id: impl Into<SessionId>) -> Self {
        Self::new(id.into(), None)
    }

    fn new(id: SessionId, client: Option<Arc<ClientCapabilities>>) -> Self {
        Self {
            seen: Session::new(id),
            client,
            ids: HashMap::new(),
            previous: None,
            renewed: None,
            from_log: 0,
            state: TurnShown::default(),
            terminals: ClientTerminals::default(),
        }
    }

    /// Looks terminals up that the agent does not run itself. A client of version 1 gets their
    /// output as text, at most the last 64 KiB, except for its own terminals; a client of version 2
    /// gets it as updates of terminals. Without this, clients get only the ids of such terminals.
    ///
    /// Their output is no part of the session: while [`Follower::awaits_output`], call
    /// [`Follower::follow`] from time to time.
    #[must_use]
    pub fn terminals(
        mut self,
        look_up: impl Fn(&TerminalId) -> Option<FollowedTerminal> + Send + Sync + 'static,
    ) -> Self {
        self.terminals.look_up_with(Box::new(look_up));
        self
    }

    /// Whether the client was sent the output of a terminal that still runs.
    pub fn awaits_output(&self) -> bool {
        self.terminals.is_running()
    }

    /// Skips the history so far, and returns the updates for everything else: options, commands,
    /// info and usage, and in version 2 whether a turn runs.
    pub fn skip_history(&mut self, now: &Session) -> Vec<FollowedUpdate> {
        let mut bodies = self.state_of(now);
        bodies.extend(self.turns(now, &[]).first);
        self.seen = now.clone();
        self.in_version(bodies)
    }

    /// Returns the updates for entries at the start of the history that are no longer in memory,
    /// read from the log in order. Call this before the first [`Follower::follow`]. `first` is the
    /// index of the first of these entries.
    pub fn earlier(&mut self, first: usize, entries: &[Arc<Entry>]) -> Vec<FollowedUpdate> {
        let mut bodies = Vec::new();
        let nothing = self.seen.clone();
        for (index, entry) in (first..).zip(entries) {
            self.entry(&nothing, index, None, entry, &mut bodies);
            self.from_log = index + 1;
        }
        self.in_version(bodies)
    }

    /// Returns the updates that take the client from what it has seen to `now`.
    pub fn follow(&mut self, now: &Session) -> Vec<FollowedUpdate> {
        let mut bodies = Vec::new();
        let position = match now.generation() == self.seen.generation() {
            true => self.seen.position(),
            false => {
                if !self.seen.entries().is_empty() {
                    self.previous = Some(self.seen.clone());
                }
                self.ids.clear();
                self.terminals.forget();
                (self.renewed, self.from_log) = (None, 0);
                Position::START
            }
        };
        let before = match now.generation() == self.seen.generation() {
            true => self.seen.clone(),
            false => Session::new(self.seen.id().clone()),
        };
        self.state_lost(&before, now, &mut bodies);
        let changes = now.changes_since(&position);
        let parts = changes.parts;
        let turns = self.turns(now, &changes.entries);
        bodies.extend(turns.first);
        let mut has_plan = false;
        for change in &changes.entries {
            if turns.before.as_ref().is_some_and(|(entry, _)| *entry == index_of(change)) {
                bodies.extend(turns.before.iter().flat_map(|(_, states)| states.clone()));
            }
            self.change(now, &before, change, &mut has_plan, &mut bodies);
        }
        if parts.contains(Parts::TERMINAL) {
            self.agent_terminals(now, &changes.entries, &mut bodies);
        }
        self.client_terminals(now, &mut bodies);
        self.parts(now, parts, &mut bodies);
        bodies.extend(turns.last);
        self.seen = now.clone();
        self.in_version(bodies)
    }

    /// Adds the updates for one change.
    fn change(
        &mut self,
        now: &Session,
        before: &Session,
        change: &EntryChange,
        has_plan: &mut bool,
        bodies: &mut Vec<EventBody>,
    ) {
        match change {
            EntryChange::TextGrew { entry, author, new_text } => {
                if let Some(grown) = now.entries().get(*entry) {
                    let id = self.id(*entry, *author, grown);
                    message::say(*author, &id, &ContentBlock::text(new_text.as_str()), bodies);
                }
            }
            EntryChange::Began { entry, content } | EntryChange::Replaced { entry, content } => {
                if matches!(content.content, EntryContent::Plan { .. }) && self.has_one_plan() {
                    if !std::mem::replace(has_plan, true) {
                        bodies.push(one_plan(now.plan()));
                    }
                    return;
                }
                if !self.is_known(*entry, content, bodies) {
                    let old = before.entries().get(*entry);
                    self.entry(now, *entry, old, content, bodies);
                }
            }
        }
    }

    /// Returns whether the client has this entry: from the log, or because the history was replaced
    /// by one that begins in the same way. States that the history differs from here on.
    fn is_known(&mut self, index: usize, entry: &Entry, bodies: &mut Vec<EventBody>) -> bool {
        if index < self.from_log && self.seen.sequence() == 0 {
            return true;
        }
        let Some(previous) = &self.previous else { return false };
        match previous.entries().get(index) {
            Some(old) if is_same(old, entry) => {
                if let EntryContent::Message { author, .. } = entry.content {
                    self.ids.insert(index, message_id(author, old));
                }
                true
            }
            old => {
                if old.is_some() {
                    self.renewed = Some((self.seen.sequence(), index));
                    self.say(REPLACED.to_owned(), self.seen.sequence(), bodies);
                }
                self.previous = None;
                false
            }
        }
    }

    /// States how many new entries are no longer in memory.
    fn state_lost(&self, before: &Session, now: &Session, bodies: &mut Vec<EventBody>) {
        let known = before.entries().len().max(self.from_log);
        if known >= now.truncated_before() {
            return;
        }
        let dropped = |entry: &&Arc<Entry>| matches!(entry.content, EntryContent::Dropped);
        let lost = now.entries().iter().skip(known).filter(dropped).count();
        if lost > 0 {
            let text = format!("{lost} entries of this session are no longer in memory");
            self.say(format!("{text}: load it again to see them"), now.sequence(), bodies);
        }
    }

    /// States something about the history: as a notice, or as a message to clients without notices.
    fn say(&self, text: String, number: u64, bodies: &mut Vec<EventBody>) {
        let takes_notices = self.client.as_ref().is_none_or(|client| {
            client.session.as_ref().is_some_and(|session| session.notices.is_some())
        });
        bodies.push(match takes_notices {
            true => EventBody::Notice(Notice::new(NoticeSeverity::Warning, text)),
            false => EventBody::Message {
                author: MessageAuthor::Agent,
                message_id: Some(format!("attache-{number}").into()),
                content: text.into(),
            },
        });
    }

    /// The id by which the client knows a message.
    fn id(&self, index: usize, author: MessageAuthor, entry: &Entry) -> MessageId {
        match (self.ids.get(&index), self.renewed) {
            (Some(id), _) => id.clone(),
            (None, Some((number, first))) if index >= first => {
                format!("{}-{number}", message_id(author, entry).as_str()).into()
            }
            _ => message_id(author, entry),
        }
    }

    fn has_one_plan(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.plan.is_none())
    }

    /// Converts the events to updates of the client's version.
    fn in_version(&self, bodies: Vec<EventBody>) -> Vec<FollowedUpdate> {
        let update = |body: EventBody| match &self.client {
            Some(client) => body.to_update_for(client).map(FollowedUpdate::V1),
            None => body.to_v2_update(None).map(FollowedUpdate::V2),
        };
        bodies.into_iter().filter_map(update).collect()
    }
}

/// Returns the id under which the last prompt up to the event with the number `at` is sent.
pub fn prompt_message_id(session: &Session, at: u64) -> Option<MessageId> {
    let author = MessageAuthor::User;
    let is_prompt = |entry: &&Arc<Entry>| {
        entry.began_at <= at
            && matches!(entry.content, EntryContent::Message { author: MessageAuthor::User, .. })
    };
    session.entries().iter().rev().find(is_prompt).map(|entry| message_id(author, entry))
}

/// The index of the entry that changed.
fn index_of(change: &EntryChange) -> usize {
    match change {
        EntryChange::Began { entry, .. }
        | EntryChange::TextGrew { entry, .. }
        | EntryChange::Replaced { entry, .. } => *entry,
    }
}

/// Whether two histories have the same entry. Their numbers and times may differ, and so may the
/// id of a message.
fn is_same(one: &Entry, other: &Entry) -> bool {
    match (&one.content, &other.content) {
        (
            EntryContent::Message { author, blocks, .. },
            EntryContent::Message { author: author2, blocks: blocks2, .. },
        ) => author == author2 && blocks == blocks2,
        (one, other) => one == other,
    }
}
