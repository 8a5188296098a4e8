//! Entries that the session no longer has in memory, read from its log in pages.

use attache_session::{Entry, EntryContent, EntryPage, Session};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// The most pages whose entries are kept. A page has about 1 MiB at most.
const PAGES: usize = 32;

/// A part of the conversation that is in the log and not in memory. Read it with
/// [`attache_client::HubSession::earlier_entries`], and give the page to
/// [`super::SessionView::show_page`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadPart {
    /// The rows of the part. Rows that are not read have no content.
    pub rows: Range<usize>,
    /// The part ends before the event with this number.
    pub before: u64,
}

/// The entries before those in memory, in parts that follow each other.
#[derive(Debug, Default)]
pub(super) struct EarlierEntries {
    parts: Vec<Part>,
    /// The rows of entries in memory that a page has too, and the row that the page gives them.
    repeated: HashMap<usize, usize>,
}

#[derive(Debug)]
struct Part {
    unread: UnreadPart,
    /// The entries with their rows, in order, if they were read.
    entries: Option<Vec<(usize, Arc<Entry>)>>,
    /// Whether one of the entries changed since.
    is_stale: bool,
}

impl Part {
    fn entry(&self, row: usize) -> Option<&Arc<Entry>> {
        let entries = self.entries.as_ref()?;
        let at = entries.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        entries.get(at).map(|(_, entry)| entry)
    }
}

impl EarlierEntries {
    /// Adds the part that the session dropped since the last call. Returns rows to make again.
    pub(super) fn extend(&mut self, session: &Session) -> Option<usize> {
        let start = self.parts.last().map_or(0, |part| part.unread.rows.end);
        let rows = start..session.truncated_before();
        if rows.is_empty() {
            return None;
        }
        let unread = UnreadPart { rows, before: session.in_memory_since() };
        self.parts.push(Part { unread, entries: None, is_stale: false });
        start.checked_sub(1)
    }

    /// The parts that are not read, or that changed since, in order.
    pub(super) fn unread(&self) -> impl DoubleEndedIterator<Item = &UnreadPart> {
        let unread = |part: &&Part| part.entries.is_none() || part.is_stale;
        self.parts.iter().filter(unread).map(|part| &part.unread)
    }

    /// The entry of a row, if a page has it.
    pub(super) fn entry(&self, row: usize) -> Option<&Arc<Entry>> {
        let after = self.parts.partition_point(|part| part.unread.rows.start <= row);
        self.parts.get(after.checked_sub(1)?)?.entry(row)
    }

    /// Whether a row is the last one of a part that was not read.
    pub(super) fn ends_unread(&self, row: usize) -> bool {
        self.parts.iter().any(|part| part.entries.is_none() && part.unread.rows.end == row + 1)
    }

    /// Whether a page shows the entry of this row, which is in memory, at its first place.
    pub(super) fn is_repeated(&self, row: usize) -> bool {
        self.repeated.contains_key(&row)
    }

    /// Notes that the entry of this row, which is in memory, changed. A page that has it too must
    /// be read again.
    pub(super) fn changed(&mut self, row: usize, entry: &Entry) {
        let read = || self.parts.iter().filter_map(|part| part.entries.as_ref()).flatten();
        let known = self.repeated.get(&row).copied();
        let same = || read().find(|(_, it)| is_same(it, entry)).map(|(first, _)| *first);
        let Some(first) = known.or_else(same) else { return };
        self.repeated.insert(row, first);
        // In the log, a piece of a message without an id can continue another one of its author.
        let changes = |it: &Entry| is_same(it, entry) || has_author_of(it, entry);
        for part in &mut self.parts {
            let mut entries = part.entries.iter().flatten();
            part.is_stale |= entries.any(|(place, it)| *place == first || changes(it));
        }
    }

    /// Takes a page that was read before the event `before`. Returns the rows to make again.
    pub(super) fn take(
        &mut self,
        before: u64,
        page: &EntryPage,
        session: &Session,
    ) -> BTreeSet<usize> {
        let mut stale = BTreeSet::new();
        let Some(at) = self.parts.iter().position(|part| part.unread.before == before) else {
            return stale;
        };
        let since = at.checked_sub(1).and_then(|at| self.parts.get(at));
        let since = since.map_or(0, |part| part.unread.before);
        let Some(part) = self.parts.get_mut(at) else { return stale };
        let rows = part.unread.rows.clone();
        stale.extend(rows.clone());
        let own = page.entries.iter().zip(&page.events).filter(|(it, _)| it.began_at >= since);
        let own: Vec<_> = own.collect();
        let is_whole = page.first == 0 || own.len() < page.entries.len();
        let (entries, start) = place(&own, &rows, session);
        let rest = own.first().filter(|_| !is_whole && start > rows.start);
        let rest = rest.map(|(first, _)| {
            part.unread.rows.start = start;
            UnreadPart { rows: rows.start..start, before: first.began_at }
        });
        let placed: HashSet<usize> = entries.iter().map(|(row, _)| row.row).collect();
        self.repeated.retain(|row, it| {
            let stays = !placed.contains(it);
            stale.extend((!stays).then_some(*row));
            stays
        });
        for (place, _) in &entries {
            stale.extend(place.repeated.iter().copied());
            self.repeated.extend(place.repeated.iter().map(|row| (*row, place.row)));
        }
        let entries = entries.into_iter().map(|(place, entry)| (place.row, entry)).collect();
        (part.entries, part.is_stale) = (Some(entries), false);
        if let Some(unread) = rest {
            self.parts.insert(at, Part { unread, entries: None, is_stale: false });
        }
        stale
    }

    /// Forgets the pages farthest from this row, so that not too many are kept. Returns the rows to
    /// make again.
    pub(super) fn forget(&mut self, near: usize) -> Vec<usize> {
        let mut stale = Vec::new();
        loop {
            let read = self.parts.iter_mut().filter(|part| part.entries.is_some());
            let (mut count, mut farthest) = (0, None);
            for part in read {
                count += 1;
                let distance = part.unread.rows.end.abs_diff(near);
                if farthest.as_ref().is_none_or(|(most, _)| distance > *most) {
                    farthest = Some((distance, part));
                }
            }
            let Some((_, part)) = farthest.filter(|_| count > PAGES) else { return stale };
            (part.entries, part.is_stale) = (None, false);
            let rows = part.unread.rows.clone();
            stale.extend(rows.clone());
            stale.extend(self.repeated.extract_if(|_, row| rows.contains(row)).map(|(row, _)| row));
        }
    }
}

/// The place of an entry that a page has and memory has not.
struct Place {
    row: usize,
    /// The rows of entries in memory that have only late updates of it.
    repeated: Vec<usize>,
}

/// Returns the entries with their places, in the last rows of the part, and the first of these
/// rows. An entry that is in memory has its row already, and is left out. After late updates of
/// dropped entries, the session has more rows than the log has entries; the rows that are too many
/// stay empty.
fn place(
    entries: &[(&Arc<Entry>, &Vec<RangeInclusive<u64>>)],
    rows: &Range<usize>,
    session: &Session,
) -> (Vec<(Place, Arc<Entry>)>, usize) {
    // The entries in memory, by the event that began them. Their order is that of the rows.
    let held = session.entries().iter().enumerate();
    let held = held.filter(|(_, entry)| entry.content != EntryContent::Dropped);
    let held: Vec<(u64, usize)> = held.map(|(row, entry)| (entry.began_at, row)).collect();
    let begun_in = |events: &RangeInclusive<u64>| {
        let first = held.partition_point(|(began_at, _)| began_at < events.start());
        let last = held.partition_point(|(began_at, _)| began_at <= events.end());
        held.get(first..last).unwrap_or_default()
    };
    let is_held = |row: usize| held.binary_search_by_key(&row, |(_, row)| *row).is_ok();
    let mut placed = Vec::with_capacity(entries.len());
    let mut next = rows.end;
    for (entry, events) in entries.iter().rev() {
        let began = events.first().map(|events| *events.start()..=entry.began_at);
        if let Some((_, row)) = began.as_ref().and_then(|began| begun_in(began).first()) {
            next = next.min(*row);
            continue;
        }
        let Some(row) = (rows.start..next).rev().find(|row| !is_held(*row)) else { break };
        // In memory, a piece of text without an id can follow a late update, but not in the log.
        let ended = |row: &usize| session.entries().get(*row).map(|entry| entry.changed_at);
        let is_own = |row: &usize| {
            ended(row).is_some_and(|at| events.iter().any(|events| events.contains(&at)))
        };
        let repeated = events.iter().flat_map(&begun_in).map(|(_, row)| *row);
        let repeated = repeated.filter(is_own).collect();
        placed.push((Place { row, repeated }, Arc::clone(entry)));
        next = row;
    }
    placed.reverse();
    (placed, next)
}

/// Whether two entries have the same id, so that an update of one is an update of the other.
fn is_same(one: &Entry, other: &Entry) -> bool {
    use EntryContent::{BetweenSessions, Compaction, Message, Plan, Subagent, ToolCall};
    match (&one.content, &other.content) {
        (Message { author, id, .. }, Message { author: other, id: other_id, .. }) => {
            author == other && id.is_some() && id == other_id
        }
        (ToolCall(one), ToolCall(other)) => one.tool_call_id == other.tool_call_id,
        (Plan { id, .. }, Plan { id: other, .. }) => id == other,
        (Compaction(one), Compaction(other)) => one.id == other.id,
        (Subagent(one), Subagent(other)) => one.session_id == other.session_id,
        (BetweenSessions(one), BetweenSessions(other)) => one.id == other.id,
        _ => false,
    }
}

/// Whether two entries are messages of the same author.
fn has_author_of(one: &Entry, other: &Entry) -> bool {
    use EntryContent::Message;
    match (&one.content, &other.content) {
        (Message { author, .. }, Message { author: other, .. }) => author == other,
        _ => false,
    }
}
