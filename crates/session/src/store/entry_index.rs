//! Reads old entries of a session from its log, in pages.

use super::{SessionKey, Store, StoreError};
use crate::transcript::entry::dropped_entry;
use crate::{Entry, EntryContent, Event, EventBody, Session};
use attache_protocol::v1::SessionId;
use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

/// The approximate memory for entries while a log is indexed, in bytes.
const MEMORY: usize = 256 * 1024;

/// The approximate size of a page, in bytes. A page has at least one entry.
const PAGE: usize = 1 << 20;

/// An event further away than this many numbers is read by its own number.
const NEAR: u64 = 64;

/// Where in its log each entry of a session is. With it, entries that are not in memory
/// ([`crate::EntryContent::Dropped`]) are read in pages.
///
/// [`EntryIndex::update`] reads the log once, and later only what was added to it. The index takes
/// about 100 bytes for each entry, and 32 bytes for each change of an entry by an event that does
/// not directly follow the entry's event before it. It holds no content of entries.
///
/// ```
/// use attache_protocol::method::Side;
/// use attache_session::{
///     EntryIndex, Event, EventBody, MemoryStore, SessionKey, Store, Timestamp,
/// };
///
/// let key = SessionKey { side: Side::Client, agent: "a".to_owned(), session_id: "s".into() };
/// let store = MemoryStore::new();
/// let mut log = store.create(&key)?;
/// for sequence in 1..=5 {
///     let body = EventBody::Prompt { content: vec![format!("prompt {sequence}").as_str().into()] };
///     log.append(&Event { sequence, at: Timestamp(0), body });
/// }
/// let mut index = EntryIndex::new("s");
/// index.update(&store, &key)?;
/// let page = index.page(&store, &key, 4, 2)?;
/// assert_eq!(page.first, 1);
/// assert_eq!(page.entries[1].text(), "prompt 3");
/// # Ok::<(), attache_session::StoreError>(())
/// ```
#[derive(Debug)]
pub struct EntryIndex {
    /// Finds the entry of each event. Its entries are dropped soon, but not their keys.
    session: Session,
    /// The approximate memory for these entries, in bytes.
    memory: usize,
    /// The number of the last event that was read.
    sequence: u64,
    entries: Vec<Place>,
    /// All runs, in the order of the log.
    runs: Vec<Run>,
    /// Whether the next event can continue the last run.
    continues: bool,
    /// The number after that of the last event that was applied.
    next: u64,
}

/// An entry.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The number of the event that began it.
    began_at: u64,
    /// Its approximate size. An upper bound if the entry changed after it was dropped.
    bytes: usize,
}

/// Events from `first` to `last`, all of which change the same entry.
#[derive(Debug, Clone, Copy)]
struct Run {
    /// The number after that of the event before the first one in the log. The log joins pieces of
    /// text, and gives them the number of the last piece.
    since: u64,
    first: u64,
    last: u64,
    entry: usize,
}

/// Consecutive entries of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EntryPage {
    /// The history that the entries belong to: [`Session::generation`]. If it differs from that of
    /// the page before, the history was replaced: begin again with
    /// [`Session::in_memory_since`] of a new snapshot.
    pub generation: u64,
    /// The index of the first of these entries in the session, if all its entries are counted. 0
    /// means that no earlier entries exist.
    pub first: usize,
    /// The entries in order.
    pub entries: Vec<Arc<Entry>>,
    /// For each entry, the numbers of the events that began and changed it. They include those of
    /// pieces of text that the log has joined. If one of them began an entry of a session in
    /// memory, that entry has a part of this one: the session had dropped it before the event.
    pub events: Vec<Vec<RangeInclusive<u64>>>,
}

impl EntryIndex {
    /// Returns an empty index of the session `id`.
    pub fn new(id: impl Into<SessionId>) -> Self {
        Self::with_memory(id, MEMORY)
    }

    /// For tests: [`EntryIndex::new`] with `bytes` of memory for entries.
    #[doc(hidden)]
    pub fn with_memory(id: impl Into<SessionId>, bytes: usize) -> Self {
        let mut session = Session::new(id);
        session.keep_keys();
        session.set_memory_limit(usize::MAX);
        let (entries, runs) = (Vec::new(), Vec::new());
        Self { session, memory: bytes, sequence: 0, entries, runs, continues: false, next: 0 }
    }

    /// Reads the events that were committed since the last call. It may block on the disk.
    ///
    /// # Errors
    /// Returns [`StoreError::NotFound`] if the session is not stored, or a disk error.
    pub fn update(&mut self, store: &dyn Store, key: &SessionKey) -> Result<(), StoreError> {
        loop {
            let page = store.read(key, self.sequence)?;
            let Some(last) = page.last() else { return Ok(()) };
            page.iter().for_each(|event| self.apply(event));
            self.sequence = last.sequence;
        }
    }

    fn apply(&mut self, event: &Event) {
        let continues = std::mem::replace(&mut self.continues, false);
        let since = std::mem::replace(&mut self.next, event.sequence + 1);
        match event.body {
            // These do not change entries, and the state that they change may be large.
            EventBody::Terminal(_) | EventBody::TerminalOutput { .. } => return,
            EventBody::Replaced => {
                self.entries.clear();
                self.runs.clear();
            }
            _ => {}
        }
        let before = self.session.memory();
        let Some(index) = self.session.apply(event).entry else { return };
        self.continues = true;
        let entry = self.session.entries().get(index);
        let bytes = match entry.map(|entry| &entry.content) {
            // A dropped entry does not grow, but a page has the content of this event.
            Some(EntryContent::Dropped) => event.encode().len(),
            _ => self.session.memory().saturating_sub(before),
        };
        match self.entries.get_mut(index) {
            Some(place) => place.bytes += bytes,
            None => self.entries.push(Place { began_at: event.sequence, bytes }),
        }
        if self.session.memory() > self.memory {
            self.session.set_memory_limit(self.memory);
            self.session.set_memory_limit(usize::MAX);
        }
        match self.runs.last_mut().filter(|run| continues && run.entry == index) {
            Some(run) => run.last = event.sequence,
            None => {
                let (first, last) = (event.sequence, event.sequence);
                self.runs.push(Run { since, first, last, entry: index });
            }
        }
    }

    /// Returns the last entries that began before the event with the number `before`: at most
    /// `limit` and about 1 MiB, but at least one if there is one. The entries are those of a
    /// session that applied every event of the log up to the last [`EntryIndex::update`] and
    /// dropped none. It may block on the disk.
    ///
    /// The `before` of the next page is [`Entry::began_at`] of the first entry of this one.
    ///
    /// # Errors
    /// Returns [`StoreError::NotFound`] if the session is not stored, or a disk error.
    pub fn page(
        &self,
        store: &dyn Store,
        key: &SessionKey,
        before: u64,
        limit: usize,
    ) -> Result<EntryPage, StoreError> {
        let range = self.range(before, limit);
        let runs: Vec<Run> =
            self.runs.iter().filter(|run| range.contains(&run.entry)).copied().collect();
        // Each entry depends only on the events that change it.
        let mut alone: Vec<Session> =
            range.clone().map(|_| Session::new(self.session.id().clone())).collect();
        let mut numbers = vec![Vec::new(); alone.len()];
        let mut events = RunReader { store, key, page: VecDeque::new() };
        for (number, run) in runs.iter().enumerate() {
            let Some(session) = alone.get_mut(run.entry - range.start) else { continue };
            if let Some(numbers) = numbers.get_mut(run.entry - range.start) {
                numbers.push(run.since..=run.last);
            }
            let next = runs.get(number + 1).map(|next| next.first);
            events.read(*run, next, |event| {
                session.apply(event);
            })?;
        }
        let entries = alone
            .iter()
            .map(|session| session.entries().first().map_or_else(dropped_entry, Arc::clone));
        let generation = self.session.generation();
        let entries = entries.collect();
        Ok(EntryPage { generation, first: range.start, entries, events: numbers })
    }

    /// The indices of the entries of a page.
    fn range(&self, before: u64, limit: usize) -> Range<usize> {
        let end = self.entries.partition_point(|place| place.began_at < before);
        let mut bytes = 0;
        let earlier = self.entries.iter().take(end).rev().take(limit.max(1));
        let fitting = earlier.take_while(|place| {
            let fits = bytes == 0 || bytes + place.bytes <= PAGE;
            bytes += place.bytes;
            fits
        });
        end - fitting.count()..end
    }
}

/// Reads runs of events in the order of the log.
struct RunReader<'s> {
    store: &'s dyn Store,
    key: &'s SessionKey,
    /// The events that were read and not used, without gaps.
    page: VecDeque<Event>,
}

impl RunReader<'_> {
    /// Reads the events of a run. `next` is the first event of the next run.
    fn read(
        &mut self,
        run: Run,
        next: Option<u64>,
        mut apply: impl FnMut(&Event),
    ) -> Result<(), StoreError> {
        while self.page.pop_front_if(|event| event.sequence < run.first).is_some() {}
        let is_alone = run.first == run.last && next.is_none_or(|next| next > run.last + NEAR);
        if self.page.is_empty() && is_alone {
            let events = self.store.read_numbered(self.key, &[run.first])?;
            events.iter().for_each(apply);
            return Ok(());
        }
        let mut after = run.first.saturating_sub(1);
        while after < run.last {
            if self.page.is_empty() {
                self.page = self.store.read(self.key, after)?.into();
            }
            let Some(event) = self.page.pop_front_if(|event| event.sequence <= run.last) else {
                // The log has lost these events.
                return Ok(());
            };
            after = event.sequence;
            apply(&event);
        }
        Ok(())
    }
}
