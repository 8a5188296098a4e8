//! The rows of a session with the numbers of their changes.

use super::lock::locked;
use super::part::{Part, json};
use attache_client::HubSession;
use attache_session::{EntryPage, Session, StoreError};
use attache_view::{SessionView, ToolCallRow, UnreadPart};
use serde_json::value::RawValue;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The largest number of rows that are sent at once when they were not asked for one by one.
pub(crate) const ROWS_LIMIT: usize = 500;

/// About how many bytes of rows are sent at once.
const BYTES_LIMIT: usize = 4 << 20;

/// The number of rows that are kept as JSON, because several clients get them.
const ENCODED: usize = 1024;

/// A position in the changes of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LivePosition {
    /// Names the history.
    pub(crate) generation: u64,
    /// The number of the last change.
    pub(crate) sequence: u64,
}

/// What changed since a position.
#[derive(Debug)]
pub(crate) struct LiveChanges {
    /// The position after the changes.
    pub(crate) position: LivePosition,
    /// Whether all rows that are known are void.
    pub(crate) replaced: bool,
    /// The number of rows.
    pub(crate) count: usize,
    /// The rows, by their index.
    pub(crate) rows: Vec<Arc<RawValue>>,
    /// The first row of those that were sent, if they are the latest ones.
    pub(crate) first: Option<usize>,
    /// The parts, in the order of [`LiveRows::parts`].
    pub(crate) parts: [Option<Arc<RawValue>>; PARTS],
}

/// The number of parts beside the rows.
pub(crate) const PARTS: usize = 8;

/// The rows of a session with the numbers of their changes.
pub(super) struct LiveRows {
    view: SessionView,
    generations: Arc<AtomicU64>,
    position: LivePosition,
    /// The number of the last change of each row; 0 if it has none that counts.
    changed: Vec<u64>,
    /// The rows by the number of their last change.
    order: BTreeSet<(u64, usize)>,
    /// Rows as JSON.
    encoded: HashMap<usize, Arc<RawValue>>,
    /// The rows before this one are no longer in memory. Clients keep what they have of them.
    in_memory: usize,
    /// Status, questions, options, commands, queue, draft, and why the session cannot go on.
    pub(super) parts: [Part; PARTS],
}

impl LiveRows {
    pub(super) fn new(session: &HubSession, generations: Arc<AtomicU64>) -> Self {
        let generation = generations.fetch_add(1, Ordering::Relaxed) + 1;
        Self {
            view: SessionView::new(session.cwd()),
            generations,
            position: LivePosition { generation, sequence: 0 },
            changed: Vec::new(),
            order: BTreeSet::new(),
            encoded: HashMap::new(),
            in_memory: 0,
            parts: Default::default(),
        }
    }

    pub(super) fn position(&self) -> LivePosition {
        self.position
    }

    /// Updates the rows and the parts. Returns whether rows still wait to be made.
    pub(super) fn update(
        &mut self,
        session: &HubSession,
        snapshot: &Session,
        set_parts: impl FnOnce(&mut [Part; PARTS], u64) -> bool,
    ) -> bool {
        let changes = self.view.update_with(snapshot, &|id| session.terminal(id));
        if changes.replaced {
            self.position.generation = self.generations.fetch_add(1, Ordering::Relaxed) + 1;
            self.changed.clear();
            self.order.clear();
            self.encoded.clear();
        }
        let number = self.position.sequence + 1;
        let known = self.changed.len();
        self.changed.resize(self.view.rows().len(), 0);
        self.in_memory = snapshot.truncated_before();
        let mut has_changed = changes.replaced;
        // A new row counts as changed also while it has nothing to show.
        for row in changes.rows.iter().copied().chain(known..self.changed.len()) {
            self.encoded.remove(&row);
            // Pages of the log that one client reads are no changes for the others, and rows that
            // leave the memory do not leave the clients.
            if row >= self.in_memory {
                has_changed |= self.mark(row, number);
            }
        }
        has_changed |= set_parts(&mut self.parts, number);
        if has_changed {
            self.position.sequence = number;
        }
        changes.more
    }

    fn mark(&mut self, row: usize, number: u64) -> bool {
        let Some(changed) = self.changed.get_mut(row) else { return false };
        self.order.remove(&(*changed, row));
        *changed = number;
        self.order.insert((number, row))
    }

    /// Returns what changed since a position: only rows from `floor` on. Without a position of this
    /// history, returns everything, with at most `latest` rows. Returns `None` if nothing changed.
    pub(super) fn changes(
        &mut self,
        since: Option<LivePosition>,
        latest: usize,
        floor: usize,
    ) -> Option<LiveChanges> {
        let is_known = |it: &LivePosition| {
            it.generation == self.position.generation && it.sequence <= self.position.sequence
        };
        let since = since.filter(is_known).map(|it| it.sequence);
        if since == Some(self.position.sequence) {
            return None;
        }
        let count = self.changed.len();
        let new = since.and_then(|since| self.new_rows(since, floor));
        let (since, rows, first) = match new {
            Some(rows) => (since, rows, None),
            None => {
                let start = count.saturating_sub(latest.min(ROWS_LIMIT)).max(self.in_memory);
                let (rows, first) = self.latest(start..count);
                (None, rows, Some(first))
            }
        };
        Some(LiveChanges {
            position: self.position,
            replaced: since.is_none(),
            count,
            rows,
            first,
            parts: self.parts.each_ref().map(|part| part.since(since)),
        })
    }

    /// Returns the rows from `floor` on that changed after the change with this number; `None` if
    /// they are too large for one message.
    fn new_rows(&mut self, since: u64, floor: usize) -> Option<Vec<Arc<RawValue>>> {
        let changed = self.order.range((since + 1, 0)..).map(|(_, row)| *row);
        let mut changed: Vec<usize> = changed.filter(|row| *row >= floor).collect();
        changed.sort_unstable();
        let (mut rows, mut bytes) = (Vec::with_capacity(changed.len()), 0);
        for row in changed {
            let Some(row) = self.encoded(row) else { continue };
            bytes += row.get().len();
            rows.push(row);
        }
        (rows.len() <= 1 || bytes <= BYTES_LIMIT).then_some(rows)
    }

    /// Returns the last rows of a range that fit into a message, and the index of the first one.
    pub(super) fn latest(&mut self, range: Range<usize>) -> (Vec<Arc<RawValue>>, usize) {
        let (mut rows, mut bytes, mut first) = (Vec::new(), 0, range.end.min(self.changed.len()));
        for index in (range.start..range.end.min(self.changed.len())).rev() {
            let Some(row) = self.encoded(index) else { continue };
            bytes += row.get().len();
            if bytes > BYTES_LIMIT && !rows.is_empty() || rows.len() >= ROWS_LIMIT {
                break;
            }
            rows.push(row);
            first = index;
        }
        rows.reverse();
        (rows, first)
    }

    fn encoded(&mut self, index: usize) -> Option<Arc<RawValue>> {
        if let Some(known) = self.encoded.get(&index) {
            return Some(known.clone());
        }
        let row = json(&**self.view.rows().get(index)?)?;
        if self.encoded.len() >= ENCODED {
            self.encoded.clear();
        }
        self.encoded.insert(index, row.clone());
        Some(row)
    }

    pub(super) fn whole_call(&self, index: usize, session: &HubSession) -> Option<ToolCallRow> {
        self.view.whole_call(index, &session.snapshot(), &|id| session.terminal(id))
    }

    /// The last part of these rows that is in the log and not in memory.
    pub(super) fn unread(&self, rows: &Range<usize>) -> Option<UnreadPart> {
        let is_wanted =
            |part: &&UnreadPart| part.rows.start < rows.end && part.rows.end > rows.start;
        self.view.unread().rfind(is_wanted).cloned()
    }

    /// Takes a page of the log. Returns whether it belongs to the history that the rows show.
    pub(super) fn show_page(&mut self, before: u64, page: &EntryPage, session: &Session) -> bool {
        self.view.show_page(before, page, session)
    }

    /// Forgets the pages farthest from a row.
    pub(super) fn forget_pages(&mut self, near: usize) {
        self.view.forget_pages(near);
    }
}

/// Reads a part of the log that is not in memory.
pub(super) async fn read_page(
    rows: &Mutex<LiveRows>,
    session: &HubSession,
    part: &UnreadPart,
    limit: usize,
) -> Result<bool, StoreError> {
    let page = session.earlier_entries(part.before, limit).await?;
    Ok(locked(rows).show_page(part.before, &page, &session.snapshot()))
}
