//! The rows of a session.

mod earlier;
mod earlier_pages;
mod entry;
mod message;
mod review;
mod terminals;

use crate::diff::DiffCache;
use crate::extent::Extent;
use crate::row::tool_call_row::ToolCallRow;
use crate::row::{Row, RowContent};
use crate::span::Line;
use crate::tool_call::output::OutputContext;
use crate::tool_call::{self, CallContext};
use attache_protocol::v1::ToolCallId;
use attache_session::{
    Entry, EntryChange, EntryContent, Parts, Position, Session, ToolCall, TurnState,
};
use earlier::EarlierEntries;
use message::Message;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use terminals::Terminals;

pub use earlier::UnreadPart;
pub use entry::compaction_words;
pub use review::file_changes;
pub use terminals::TerminalSource;

/// The number of messages that are kept ready to grow: one for each author, and one more.
const GROWING: usize = 4;

/// About how many bytes of content one update makes rows of. The rows of a long session take
/// several updates.
const UPDATE_BYTES: usize = 512 * 1024;

/// The rows of a session, kept up to date with little work: an update makes only those rows again
/// whose entries changed, and reads only the new part of a text that grew.
///
/// There is a row for each entry of the session, at the same index. A row that does not change
/// keeps its `Arc`. A row has nothing to show while it waits to be made: see [`ViewChanges::more`].
///
/// ```
/// use attache_session::{EventBody, MessageAuthor, Session, Timestamp};
/// use attache_view::{RowContent, SessionView};
///
/// let mut session = Session::new("s1");
/// let mut view = SessionView::new("/project");
/// # let chunk = attache_protocol::v1::ContentChunk::text("Hello");
/// # let update = attache_protocol::v1::SessionUpdate::AgentMessageChunk(chunk);
/// # let body = EventBody::from_update(update);
/// let event = session.next(Timestamp(0), body);
/// session.apply(&event);
/// assert_eq!(view.update(&session).rows, [0]);
/// assert!(matches!(view.rows()[0].content, RowContent::Answer { .. }));
/// ```
#[derive(Debug)]
pub struct SessionView {
    cwd: PathBuf,
    depth: u8,
    rows: Vec<Arc<Row>>,
    /// The rows to make again.
    stale: BTreeSet<usize>,
    position: Position,
    generation: u64,
    /// The rows before this one were dropped from memory.
    truncated_before: usize,
    /// What was read of them.
    earlier: EarlierEntries,
    growing: Vec<(usize, Message)>,
    /// The tool calls that have not ended, with their rows.
    open_calls: HashMap<ToolCallId, usize>,
    /// The tool calls that wait for the person's permission.
    asking: HashSet<ToolCallId>,
    is_running: bool,
    terminals: Terminals,
    diffs: DiffCache,
}

/// The changes of an update.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct ViewChanges {
    /// Whether the session's history was replaced, so that all rows are others.
    pub replaced: bool,
    /// The indices of the rows that changed or are new, in order.
    pub rows: Vec<usize>,
    /// Whether rows still wait to be made. The latest rows are made first. Call
    /// [`SessionView::update`] again soon, for example after drawing.
    pub more: bool,
}

impl SessionView {
    /// Returns a view without rows. Paths are shown relative to `cwd`, the folder of the session.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            depth: 0,
            rows: Vec::new(),
            stale: BTreeSet::new(),
            position: Position::START,
            generation: 0,
            truncated_before: 0,
            earlier: EarlierEntries::default(),
            growing: Vec::new(),
            open_calls: HashMap::new(),
            asking: HashSet::new(),
            is_running: false,
            terminals: Terminals::default(),
            diffs: DiffCache::default(),
        }
    }

    /// Returns the same view with this depth in its rows, for the session of a subagent.
    #[must_use]
    pub fn at_depth(mut self, depth: u8) -> Self {
        self.depth = depth;
        self
    }

    /// The rows, one for each entry of the session.
    pub fn rows(&self) -> &[Arc<Row>] {
        &self.rows
    }

    /// Updates the rows to the state of the session. Terminals of the client show no output: see
    /// [`SessionView::update_with`].
    pub fn update(&mut self, session: &Session) -> ViewChanges {
        self.update_with(session, &|_| None)
    }

    /// Updates the rows to the state of the session. `terminals` returns the output of the client's
    /// terminals.
    ///
    /// A session does not report new output of such terminals, so call this a few times a second
    /// while [`SessionView::has_open_terminals`].
    pub fn update_with(&mut self, session: &Session, terminals: TerminalSource<'_>) -> ViewChanges {
        let replaced = self.generation != session.generation()
            || self.position.sequence() > session.sequence();
        if replaced {
            *self = Self::new(std::mem::take(&mut self.cwd)).at_depth(self.depth);
            self.generation = session.generation();
        }
        let changes = session.changes_since(&self.position);
        self.position = changes.position;
        for change in &changes.entries {
            let index = self.entry_changed(change);
            if let Some(entry) = session.entries().get(index) {
                self.earlier.changed(index, entry);
            }
        }
        self.drop_rows(session);
        if changes.parts.intersects(Parts::PERMISSION) {
            self.find_asking(session);
        }
        if changes.parts.intersects(Parts::TURN) {
            self.find_turn(session);
        }
        let is_agent_changed = changes.parts.intersects(Parts::TERMINAL);
        self.stale.extend(self.terminals.refresh(session, terminals, is_agent_changed));
        let rows = self.make_rows(session, terminals);
        ViewChanges { replaced, rows, more: !self.stale.is_empty() }
    }

    /// Whether the rows show a terminal whose command runs.
    pub fn has_open_terminals(&self) -> bool {
        self.terminals.has_open()
    }

    /// Notes a change of an entry. Returns its index.
    fn entry_changed(&mut self, change: &EntryChange) -> usize {
        let index = match change {
            EntryChange::Began { entry, content } => {
                self.add_rows(entry + 1, content.at.0);
                *entry
            }
            EntryChange::TextGrew { entry, new_text, .. } => {
                let growing = self.growing.iter_mut().find(|(index, _)| index == entry);
                if let Some((_, message)) = growing.filter(|_| !self.stale.contains(entry)) {
                    message.push(new_text);
                }
                self.stale.insert(*entry);
                return *entry;
            }
            EntryChange::Replaced { entry, .. } => *entry,
        };
        self.growing.retain(|(growing, _)| *growing != index);
        self.stale.insert(index);
        index
    }

    /// Adds rows without content up to this number of rows.
    fn add_rows(&mut self, count: usize, at: i64) {
        for id in self.rows.len()..count {
            let content = RowContent::Other { line: Line::default() };
            self.rows.push(Arc::new(Row { id, at, depth: self.depth, content }));
        }
    }

    /// Drops the rows of entries that the session dropped from memory.
    fn drop_rows(&mut self, session: &Session) {
        let before = session.truncated_before();
        self.add_rows(before, 0);
        for index in self.truncated_before..before {
            let is_dropped = session
                .entries()
                .get(index)
                .is_some_and(|entry| entry.content == EntryContent::Dropped);
            if is_dropped {
                self.growing.retain(|(growing, _)| *growing != index);
                self.stale.insert(index);
            }
        }
        // The last dropped row says so.
        self.stale.extend(self.earlier.extend(session));
        self.truncated_before = before;
    }

    /// Finds the tool calls that wait for permission. Their rows change.
    fn find_asking(&mut self, session: &Session) {
        let asked = session.open_permissions().filter_map(|open| open.question.tool_call_id());
        let asking: HashSet<ToolCallId> = asked.cloned().collect();
        let changed = asking.symmetric_difference(&self.asking);
        self.stale.extend(changed.filter_map(|id| self.open_calls.get(id)));
        self.asking = asking;
    }

    /// Finds out whether a turn runs. The rows of calls that have not ended change.
    fn find_turn(&mut self, session: &Session) {
        let is_running = matches!(session.turn(), TurnState::Running { .. });
        if std::mem::replace(&mut self.is_running, is_running) != is_running {
            self.stale.extend(self.open_calls.values());
        }
    }

    /// Makes stale rows, the latest first. Returns those that changed.
    fn make_rows(&mut self, session: &Session, terminals: TerminalSource<'_>) -> Vec<usize> {
        let mut made = Vec::new();
        let mut bytes = 0;
        while bytes < UPDATE_BYTES
            && let Some(index) = self.stale.pop_last()
        {
            let Some(entry) = self.entry(index, session) else { continue };
            let content = self.content(index, &entry, session, terminals);
            bytes += entry::cost(&entry);
            if let Some(row) = self.rows.get_mut(index)
                && (row.content != content || row.at != entry.at.0)
            {
                *row = Arc::new(Row { id: index, at: entry.at.0, depth: self.depth, content });
                made.push(index);
            }
        }
        made.reverse();
        made
    }

    /// The entry of a row, from memory or from a page that was read.
    fn entry(&self, index: usize, session: &Session) -> Option<Arc<Entry>> {
        self.earlier.entry(index).or_else(|| session.entries().get(index)).cloned()
    }

    fn content(
        &mut self,
        index: usize,
        entry: &Entry,
        session: &Session,
        terminals: TerminalSource<'_>,
    ) -> RowContent {
        let is_earlier = self.earlier.entry(index).is_some();
        match &entry.content {
            _ if self.earlier.is_repeated(index) => RowContent::Other { line: Line::default() },
            EntryContent::Message { author, blocks, .. } if is_earlier => {
                Message::new(*author, blocks).content()
            }
            EntryContent::Message { author, blocks, .. } => {
                let growing = self.growing.iter().position(|(growing, _)| *growing == index);
                let growing = growing.and_then(|at| Some((at, &self.growing.get(at)?.1)));
                if let Some((at, message)) = growing {
                    if message.has_all_of(blocks) {
                        return message.content();
                    }
                    self.growing.remove(at);
                }
                let message = Message::new(*author, blocks);
                let content = message.content();
                self.growing.push((index, message));
                if self.growing.len() > GROWING {
                    self.growing.remove(0);
                }
                content
            }
            EntryContent::ToolCall(call) => self.tool_call(index, entry, call, session, terminals),
            EntryContent::Dropped => {
                let is_last = self.earlier.ends_unread(index);
                let line = if is_last { entry::dropped() } else { Line::default() };
                RowContent::Other { line }
            }
            other => entry::content(other),
        }
    }

    fn tool_call(
        &mut self,
        index: usize,
        entry: &Entry,
        call: &ToolCall,
        session: &Session,
        terminals: TerminalSource<'_>,
    ) -> RowContent {
        match call.is_settled() || self.earlier.entry(index).is_some() {
            true => self.open_calls.remove(&call.tool_call_id),
            false => self.open_calls.insert(call.tool_call_id.clone(), index),
        };
        let earlier = self.rows.get(index);
        let row = (index, self.is_running || call.upserted);
        self.terminals.show(row, call, earlier, session, terminals);
        let diffs = RefCell::new(std::mem::take(&mut self.diffs));
        let output = OutputContext {
            cwd: &self.cwd,
            extent: Extent::Row,
            diffs: &diffs,
            terminal: &|id| self.terminals.output(id),
        };
        let row = tool_call::row(call, &self.context(entry, call, output));
        self.diffs = diffs.into_inner();
        self.terminals.drop_ended();
        RowContent::ToolCall(Box::new(row))
    }

    /// Returns the tool call of the row with this index with its whole output, as far as it is in
    /// memory, for a pager; `None` if the row is no tool call.
    pub fn whole_call(
        &self,
        index: usize,
        session: &Session,
        terminals: TerminalSource<'_>,
    ) -> Option<ToolCallRow> {
        let entry = &*self.entry(index, session)?;
        let EntryContent::ToolCall(call) = &entry.content else { return None };
        let shown = self.rows.get(index);
        let terminal = |id: &str| {
            let whole = terminals::whole(id, session, terminals);
            whole.or_else(|| terminals::shown(shown?, id))
        };
        let diffs = RefCell::default();
        let output = OutputContext {
            cwd: &self.cwd,
            extent: Extent::Whole,
            diffs: &diffs,
            terminal: &terminal,
        };
        Some(tool_call::row(call, &self.context(entry, call, output)))
    }

    fn context<'c>(
        &self,
        entry: &Entry,
        call: &ToolCall,
        output: OutputContext<'c>,
    ) -> CallContext<'c> {
        CallContext {
            asks: self.asking.contains(&call.tool_call_id),
            is_running: self.is_running,
            ended_at: entry.ended_at,
            output,
        }
    }

    /// The folder to which paths are relative.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }
}
