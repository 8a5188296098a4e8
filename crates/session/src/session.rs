//! The session and its fold.

mod agent_state;
mod checkpoint;
mod commands;
mod hand_off;
mod plans;
mod recovery;

use crate::config::ConfigOptions;
use crate::transcript::Transcript;
use crate::transcript::entry::Now;
use crate::transcript::keys::Key;
use crate::transcript::memory::MEMORY_LIMIT;
use crate::{
    AgentTerminal, Change, Changes, Entries, EntryContent, Event, EventBody, Info, Parts,
    Permission, Position, Timestamp, ToolCall, TurnOutcome, TurnState, UsageState,
};
use attache_protocol::v1::{AvailableCommand, SessionId, ToolCallId};
use attache_protocol::v2::{self, BackgroundWork};
use std::sync::Arc;

/// A session: the fold of its events.
///
/// A clone is a snapshot. It shares everything with the original, copies no text and holds no lock.
/// The next event copies only the entry that it changes, without the text, and a small part of the
/// list of entries.
#[derive(Debug, Clone)]
pub struct Session {
    id: SessionId,
    sequence: u64,
    generation: u64,
    last_activity: Timestamp,
    cwd: Arc<str>,
    additional_directories: Arc<[String]>,
    transcript: Transcript,
    commands: Arc<[AvailableCommand]>,
    /// All commands, if some have kinds or inputs that this version does not know.
    commands_of_kinds: Option<Arc<[v2::AvailableCommand]>>,
    config: Arc<ConfigOptions>,
    info: Arc<Info>,
    archived: bool,
    usage: Arc<UsageState>,
    permissions: Arc<Vec<Arc<Permission>>>,
    terminals: Arc<Vec<Arc<AgentTerminal>>>,
    background: Option<Arc<[BackgroundWork]>>,
    turn: TurnState,
    last_outcome: Option<Arc<TurnOutcome>>,
    /// The number of the last event that changed each part.
    changed_at: [u64; Parts::COUNT],
    memory_limit: usize,
}

impl Session {
    /// Returns a session without events.
    pub fn new(id: impl Into<SessionId>) -> Self {
        let id = id.into();
        Self {
            config: Arc::new(ConfigOptions::new(id.clone())),
            id,
            sequence: 0,
            generation: 0,
            last_activity: Timestamp::default(),
            cwd: "".into(),
            additional_directories: Arc::default(),
            transcript: Transcript::default(),
            commands: Arc::default(),
            commands_of_kinds: None,
            info: Arc::default(),
            archived: false,
            usage: Arc::default(),
            permissions: Arc::default(),
            terminals: Arc::default(),
            background: None,
            turn: TurnState::Idle,
            last_outcome: None,
            changed_at: [0; Parts::COUNT],
            memory_limit: MEMORY_LIMIT,
        }
    }

    /// Returns `body` as the next event of the log, without applying the event.
    pub fn next(&self, at: Timestamp, body: EventBody) -> Event {
        Event { sequence: self.sequence + 1, at, body }
    }

    /// Applies one event. An event whose number is not greater than the last one's has no effect.
    ///
    /// Events about a tool call or request that is already settled are applied too. The cost
    /// depends only on the size of the event.
    pub fn apply(&mut self, event: &Event) -> Change {
        if event.sequence <= self.sequence {
            return Change::NONE;
        }
        self.sequence = event.sequence;
        if event.body.is_activity() {
            self.last_activity = self.last_activity.max(event.at);
        }
        let change = self.apply_body(Now { sequence: event.sequence, at: event.at }, &event.body);
        for part in change.parts.numbers() {
            if let Some(changed_at) = self.changed_at.get_mut(part) {
                *changed_at = event.sequence;
            }
        }
        if self.transcript.held > self.memory_limit {
            self.transcript.shed(self.memory_limit, event.sequence);
        }
        change
    }

    fn apply_body(&mut self, now: Now, body: &EventBody) -> Change {
        let transcript = &mut self.transcript;
        match body {
            EventBody::Message { author, message_id, content } => {
                transcript.chunk(now, *author, message_id.as_ref(), content)
            }
            EventBody::WholeMessage { author, message_id, content, .. } => {
                transcript.whole_message(now, *author, message_id, content)
            }
            EventBody::ToolCallContent { tool_call_id, content } => {
                transcript.tool_call_content(now, tool_call_id, content)
            }
            EventBody::Prompt { content } => transcript.prompt(now, content),
            EventBody::ToolCall(call) => transcript.tool_call(now, call),
            EventBody::ToolCallUpdate(update) => transcript.tool_call_update(now, update),
            EventBody::Plan { id, content } => transcript.plan(now, id.as_ref(), Some(content)),
            EventBody::PlanRemoved(id) => transcript.plan(now, Some(id), None),
            EventBody::Notice(notice) => {
                let content = EntryContent::Notice(Box::new(notice.clone()));
                let weight =
                    notice.title.len() + notice.description.as_ref().map_or(0, String::len);
                Change::entry(Parts::NOTICE, transcript.begin(now, None, content, weight))
            }
            EventBody::Compaction(update) => transcript.compaction(now, update),
            EventBody::CompactionSummary(chunk) => transcript.compaction_summary(now, chunk),
            EventBody::Subagent(update) => transcript.subagent(now, update),
            EventBody::SessionMessage(update) => transcript.session_message(now, update),
            EventBody::SessionMessageChunk(chunk) => transcript.session_message_chunk(now, chunk),
            EventBody::Unknown { name, raw } => {
                let content = EntryContent::Unknown { name: name.clone(), raw: raw.clone() };
                Change::entry(Parts::UNKNOWN, transcript.begin(now, None, content, raw.get().len()))
            }
            state => self.apply_state(now, state),
        }
    }

    /// Applies an event that has no entry in the transcript.
    fn apply_state(&mut self, now: Now, body: &EventBody) -> Change {
        match body {
            EventBody::Opened { cwd, additional_directories, agent, .. } => {
                self.cwd = cwd.as_str().into();
                self.additional_directories = additional_directories.as_slice().into();
                Change::of(Parts::ROOTS | Arc::make_mut(&mut self.usage).count_by(agent.as_deref()))
            }
            EventBody::Replaced => {
                let keeps_keys = self.transcript.keeps_keys;
                *self = Self {
                    sequence: self.sequence,
                    generation: now.sequence,
                    last_activity: self.last_activity,
                    archived: self.archived,
                    memory_limit: self.memory_limit,
                    transcript: Transcript { keeps_keys, ..Transcript::default() },
                    ..Self::new(self.id.clone())
                };
                Change::of(Parts::ALL)
            }
            EventBody::Commands(_) | EventBody::CommandsOfKinds(_) => self.set_commands(body),
            EventBody::ConfigOptions(options) => Arc::make_mut(&mut self.config).replace(options),
            EventBody::Modes(modes) => Arc::make_mut(&mut self.config).replace_modes(modes),
            EventBody::CurrentMode(mode) => Arc::make_mut(&mut self.config).choose_mode(mode),
            EventBody::Models(models) => Arc::make_mut(&mut self.config).replace_models(models),
            EventBody::Info { title, updated_at, meta } => {
                Arc::make_mut(&mut self.info).patch(title, updated_at, meta)
            }
            EventBody::InfoByKey { title, updated_at, meta } => {
                Arc::make_mut(&mut self.info).patch_by_key(title, updated_at, meta)
            }
            EventBody::Archived(archived) => {
                self.archived = *archived;
                Change::of(Parts::INFO)
            }
            EventBody::StoredTitle { title, by_person } => {
                Arc::make_mut(&mut self.info).store_title(title, *by_person)
            }
            EventBody::Usage { used, size, cost } => {
                Arc::make_mut(&mut self.usage).replace(*used, *size, cost)
            }
            EventBody::PermissionAsked { id, question } => {
                let patched = match question.tool_call() {
                    Some(patch) => self.transcript.tool_call_update(now, patch),
                    None => Change::NONE,
                };
                let permission = Permission::asked(now, *id, question);
                crate::permission::ask(Arc::make_mut(&mut self.permissions), permission);
                Change { parts: patched.parts | Parts::PERMISSION, entry: patched.entry }
            }
            EventBody::PermissionSettled { id, outcome } => crate::permission::settle(
                Arc::<Vec<_>>::make_mut(&mut self.permissions),
                *id,
                outcome,
            ),
            EventBody::TurnBegan => {
                self.turn = TurnState::Running { since: now.at };
                Change::of(Parts::TURN)
            }
            EventBody::TurnEnded { outcome, usage } => {
                self.turn = TurnState::Idle;
                self.last_outcome = Some(Arc::new(outcome.clone()));
                let spent =
                    usage.as_ref().map(|usage| Arc::make_mut(&mut self.usage).turn_ended(usage));
                Change::of(Parts::TURN | spent.unwrap_or_default())
            }
            EventBody::State(state) => self.apply_agent_state(now, state),
            EventBody::Terminal(update) => {
                crate::terminal::update(Arc::make_mut(&mut self.terminals), update);
                Change::of(Parts::TERMINAL)
            }
            EventBody::TerminalOutput { terminal_id, data } => {
                let terminals = Arc::<Vec<_>>::make_mut(&mut self.terminals);
                match crate::terminal::append(terminals, terminal_id, data) {
                    true => Change::of(Parts::TERMINAL),
                    false => Change::NONE,
                }
            }
            // Private records and events from newer versions change nothing visible. All other
            // events are handled above.
            _ => Change::NONE,
        }
    }

    /// The terminals that the agent runs, the one that changed last at the end. Only version 2 has
    /// them.
    pub fn terminals(&self) -> &[Arc<AgentTerminal>] {
        &self.terminals
    }

    /// The agent's work in the background. `None` if the agent does not report it.
    pub fn background(&self) -> Option<&[BackgroundWork]> {
        self.background.as_deref()
    }

    /// The session's id.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// The number of the last applied event, or 0.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }

    /// Identifies the session's history: the number of the last [`EventBody::Replaced`], or 0.
    /// Indices and positions from one generation are invalid in another.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// When the session was last active, see [`EventBody::is_activity`]. The side that owns the
    /// session sends it as `updatedAt`.
    pub fn last_activity(&self) -> Timestamp {
        self.last_activity
    }

    /// The working directory. Empty until the session is opened.
    pub fn cwd(&self) -> &str {
        &self.cwd
    }

    /// The additional directories.
    pub fn additional_directories(&self) -> &[String] {
        &self.additional_directories
    }

    /// The entries of the transcript. An index never changes.
    pub fn entries(&self) -> &Entries {
        &self.transcript.entries
    }

    /// Returns the current state of a tool call.
    pub fn tool_call(&self, id: &ToolCallId) -> Option<&ToolCall> {
        let entry = self.transcript.get(self.transcript.find(&Key::ToolCall(id.clone()))?)?;
        match &entry.content {
            EntryContent::ToolCall(call) => Some(call),
            _ => None,
        }
    }

    /// Config options, modes and models.
    pub fn config(&self) -> &ConfigOptions {
        &self.config
    }

    /// Title, time and metadata.
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// Whether the session is archived.
    pub fn is_archived(&self) -> bool {
        self.archived
    }

    /// Context, cost and tokens.
    pub fn usage(&self) -> &UsageState {
        &self.usage
    }

    /// Whether a turn is running.
    pub fn turn(&self) -> TurnState {
        self.turn
    }

    /// The outcome of the last completed turn.
    pub fn last_outcome(&self) -> Option<&TurnOutcome> {
        self.last_outcome.as_deref()
    }

    /// Open and settled permission requests in the order in which they were made. Old settled ones
    /// are forgotten.
    pub fn permissions(&self) -> &[Arc<Permission>] {
        &self.permissions
    }

    /// Open permission requests in the order in which they were made.
    pub fn open_permissions(&self) -> impl Iterator<Item = &Arc<Permission>> {
        self.permissions.iter().filter(|permission| permission.outcome.is_none())
    }

    /// The number of the last event that changed any of these parts, or 0.
    pub fn changed_at(&self, parts: Parts) -> u64 {
        let changed = parts.numbers().filter_map(|part| self.changed_at.get(part));
        changed.copied().max().unwrap_or(0)
    }

    /// The current position, to pass to [`Session::changes_since`] later.
    pub fn position(&self) -> Position {
        Position { sequence: self.sequence, texts: self.transcript.lengths() }
    }

    /// Returns the changes since `position`. The cost depends on the amount of changes, not on the
    /// size of the session.
    ///
    /// If the position contains a message's length, only the text appended since then is returned.
    /// Positions from [`Session::position`] and [`Changes::position`] contain the length of each
    /// author's latest message. A position in the future gives no changes.
    pub fn changes_since(&self, position: &Position) -> Changes {
        let changed = self.changed_at.iter().enumerate().filter(|(_, at)| **at > position.sequence);
        let parts = changed.fold(Parts::NONE, |parts, (part, _)| parts | Parts::numbered(part));
        let indices = self.transcript.changed_since(position.sequence);
        let entries = indices
            .into_iter()
            .filter_map(|index| self.transcript.entry_change(index, position))
            .collect();
        Changes { parts, entries, position: self.position() }
    }

    /// Limits the memory of the transcript, in approximate bytes. Above it, the oldest entries
    /// become [`EntryContent::Dropped`]. The log still has them.
    pub fn set_memory_limit(&mut self, bytes: usize) {
        self.memory_limit = bytes;
        if self.transcript.held > bytes {
            self.transcript.shed(bytes, self.sequence);
        }
    }

    /// The approximate memory that the transcript takes, in bytes.
    pub fn memory(&self) -> usize {
        self.transcript.held
    }

    /// The index of the first entry that is certainly in memory. Of the earlier ones, a session
    /// that was restored from a checkpoint has those that may still change, and the others were
    /// dropped.
    pub fn truncated_before(&self) -> usize {
        self.transcript.truncated_before
    }

    /// The number of the event that began the first entry that is certainly in memory, or the
    /// number of the next event if no entry is. Earlier entries are in the log: see
    /// [`crate::EntryIndex::page`].
    pub fn in_memory_since(&self) -> u64 {
        let first = self.transcript.get(self.truncated_before());
        first.map_or(self.sequence + 1, |entry| entry.began_at)
    }

    /// Keeps the keys of dropped entries.
    pub(crate) fn keep_keys(&mut self) {
        self.transcript.keeps_keys = true;
    }
}
