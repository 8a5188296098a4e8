//! Appended events that are not stored yet.

use crate::file::lock::SessionLock;
use crate::read::said::is_said;
use crate::write::promise::Promise;
use attache_protocol::v1::ContentBlock;
use attache_session::{Checkpoint, Event, EventBody, Info, SessionKey, StoreError, Summary};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The approximate size of an event besides its text, in bytes.
const ENVELOPE: usize = 96;

/// The state that the log and the writer thread share.
pub(crate) struct LiveLog {
    pub(crate) key: SessionKey,
    state: Mutex<State>,
}

pub(super) struct State {
    /// The number of the session's row, once it has one.
    id: Option<i64>,
    /// The copied beginning of a fork, until it is stored.
    pub(super) origin: Option<Copy>,
    /// The summary of everything appended.
    pub(super) summary: Summary,
    stored_info: Info,
    /// The rows to write: the complete ones, and then the one that can still grow.
    rows: Vec<Row>,
    growing: Option<Growing>,
    /// The number of bytes that are not stored yet, including those that are being written.
    pub(super) bytes: usize,
    /// The number of bytes that were appended since the writer last took rows.
    pub(super) fresh: usize,
    /// The checkpoint to write.
    checkpoint: Option<Checkpoint>,
    /// About how many bytes were appended since the last checkpoint.
    pub(super) since: usize,
    /// The size of the last checkpoint in bytes, or 0.
    kept: usize,
    /// Whether a commit was requested or the log already has a row. Before that, nothing may be
    /// stored.
    pub(super) begun: bool,
    /// Whether the log is in the writer's queue.
    pub(super) queued: bool,
    pub(super) waiting: Vec<Promise<Result<(), StoreError>>>,
    /// Held until the log is dropped and the rest is written.
    lock: Option<SessionLock>,
    pub(super) closed: bool,
}

/// The beginning of a fork: the events up to the number `last` of the session in row `id`.
#[derive(Clone)]
pub(crate) struct Copy {
    pub(crate) key: SessionKey,
    pub(crate) id: i64,
    pub(crate) last: u64,
}

/// A row to be written.
pub(crate) struct Row {
    pub(crate) first: u64,
    pub(crate) last: u64,
    pub(crate) said: bool,
    pub(crate) body: String,
}

struct Growing {
    first: u64,
    event: Event,
    bytes: usize,
}

/// The part of a log that the writer takes in one step.
pub(crate) struct Batch {
    pub(crate) live: Arc<LiveLog>,
    pub(crate) id: Option<i64>,
    pub(crate) origin: Option<Copy>,
    pub(crate) rows: Vec<Row>,
    pub(crate) checkpoint: Option<Checkpoint>,
    /// The summary up to the last of the rows.
    pub(crate) summary: Summary,
    /// Whether the title, the stated time, the metadata or the tags differ from the stored ones.
    pub(crate) new_info: bool,
    bytes: usize,
    waiting: Vec<Promise<Result<(), StoreError>>>,
}

/// The beginning of a log.
pub(crate) struct Beginning {
    pub(crate) key: SessionKey,
    pub(crate) lock: SessionLock,
    pub(crate) id: Option<i64>,
    pub(crate) origin: Option<Copy>,
    pub(crate) summary: Summary,
    /// About how many bytes are in the log since its last checkpoint.
    pub(crate) since: usize,
}

/// A checkpoint is due after this many bytes, so that reading the rest takes little time.
const CHECKPOINT: usize = 1 << 20;

impl LiveLog {
    pub(super) fn new(beginning: Beginning) -> Self {
        let Beginning { key, lock, id, origin, summary, since } = beginning;
        let state = State {
            id,
            stored_info: if id.is_some() { summary.info.clone() } else { Info::default() },
            origin,
            summary,
            rows: Vec::new(),
            growing: None,
            bytes: 0,
            fresh: 0,
            checkpoint: None,
            since,
            kept: 0,
            begun: id.is_some(),
            queued: false,
            waiting: Vec::new(),
            lock: Some(lock),
            closed: false,
        };
        Self { key, state: Mutex::new(state) }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the rows to write now.
    pub(crate) fn take(self: &Arc<Self>) -> Batch {
        let mut state = self.state();
        state.seal();
        (state.queued, state.fresh) = (false, 0);
        Batch {
            live: Arc::clone(self),
            id: state.id,
            origin: state.origin.clone(),
            rows: std::mem::take(&mut state.rows),
            checkpoint: state.checkpoint.take(),
            summary: state.summary.clone(),
            new_info: state.summary.info != state.stored_info,
            bytes: state.bytes,
            waiting: std::mem::take(&mut state.waiting),
        }
    }

    /// Fails all waiting commits, because this log will no longer be written.
    pub(crate) fn give_up(&self) {
        let waiting = {
            let mut state = self.state();
            state.lock = None;
            std::mem::take(&mut state.waiting)
        };
        drop(waiting);
    }
}

impl Batch {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.origin.is_none() && self.checkpoint.is_none()
    }

    /// Records that the rows of this batch are stored. `id` is the number of the session's row, if
    /// it has one.
    pub(crate) fn succeed(self, id: Option<i64>) {
        let mut state = self.live.state();
        state.id = id;
        state.origin = None;
        state.bytes = state.bytes.saturating_sub(self.bytes);
        state.stored_info = self.summary.info;
        let lock = state.released();
        drop(state);
        drop(lock);
        self.waiting.into_iter().for_each(|promise| promise.settle(Ok(())));
    }

    /// Records that none of these rows are stored. They return to the front of the log, unless the
    /// log is closed. The checkpoint is dropped; the next one becomes due as usual.
    pub(crate) fn fail(self, error: &StoreError) {
        let mut state = self.live.state();
        let later = std::mem::replace(&mut state.rows, self.rows);
        state.rows.extend(later);
        let lock = state.released();
        drop(state);
        drop(lock);
        self.waiting.into_iter().for_each(|promise| promise.settle(Err(error.clone())));
    }
}

impl State {
    pub(super) fn push(&mut self, event: &Event) {
        let text = text_length(event);
        if let (Some(growing), Some(length)) = (&mut self.growing, text)
            && growing.event.join(event)
        {
            growing.bytes += length;
            self.bytes += length;
            return;
        }
        self.seal();
        if let Some(length) = text {
            let bytes = length + ENVELOPE;
            self.bytes += bytes;
            self.growing = Some(Growing { first: event.sequence, event: event.clone(), bytes });
        } else {
            let row = Row::of(event.sequence, event);
            self.bytes += row.body.len();
            self.rows.push(row);
        }
    }

    /// Whether so much was appended since the last checkpoint that reading it would take long. A
    /// large checkpoint is written less often.
    pub(super) fn is_checkpoint_due(&self) -> bool {
        self.since >= CHECKPOINT.max(2 * self.kept)
    }

    /// Takes a checkpoint at the last event. The row of that event is completed, because its number
    /// must not grow.
    pub(super) fn keep_checkpoint(&mut self, body: Option<String>) {
        self.since = 0;
        let Some(body) = body else {
            // Trying again soon would be in vain.
            self.kept = self.kept.max(CHECKPOINT).saturating_mul(2);
            return;
        };
        self.seal();
        self.kept = body.len();
        self.checkpoint = Some(Checkpoint { sequence: self.summary.sequence, body });
    }

    /// Completes the growing row.
    fn seal(&mut self) {
        if let Some(growing) = self.growing.take() {
            let row = Row::of(growing.first, &growing.event);
            self.bytes = self.bytes.saturating_sub(growing.bytes) + row.body.len();
            self.rows.push(row);
        }
    }

    /// Returns the lock if the log is closed and finished.
    fn released(&mut self) -> Option<SessionLock> {
        if self.closed { self.lock.take() } else { None }
    }
}

impl Row {
    fn of(first: u64, event: &Event) -> Self {
        Self { first, last: event.sequence, said: is_said(&event.body), body: event.encode() }
    }
}

/// Returns the length of the text of an event that can be joined with others.
fn text_length(event: &Event) -> Option<usize> {
    match &event.body {
        EventBody::Message { content: ContentBlock::Text(text), .. } => Some(text.text.len()),
        _ => None,
    }
}
