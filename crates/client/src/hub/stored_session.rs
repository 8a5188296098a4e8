//! Reads and writes the parts of a session's log that belong to its hub: the history and the unsent
//! texts.

use super::prompt_queue::{Queue, Version};
use super::spending::Spending;
use crate::observe::queued_prompt::QueuedPrompt;
use crate::session::prompt::Prompt;
use attache_protocol::method::Side;
use attache_protocol::v1::ContentBlock;
use attache_protocol::{Raw, Wire, decode, encode};
use attache_session::{
    ArchivedFilter, EventBody, ListQuery, Session, SessionKey, Store, StoreError, Timestamp,
    read_stored_session,
};
use std::collections::HashMap;

/// The names of the private records. A change record is written instead of a whole record if it is
/// shorter, so that a log grows by the typed text, not by the whole text each time.
/// `[at, cut, text]` removes `cut` bytes of the draft at byte `at` and inserts the text.
/// `[at, cut, prompts]` does the same to the list of waiting prompts.
const DRAFT: &str = "hub/draft";
const DRAFT_CHANGE: &str = "hub/draft/change";
const QUEUE: &str = "hub/queue";
const QUEUE_CHANGE: &str = "hub/queue/change";
const NOTE: &str = "hub/note";

/// A session as stored in its log.
pub(crate) struct StoredSession {
    pub(crate) session: Session,
    pub(crate) draft: String,
    pub(crate) queue: Queue,
    pub(crate) note: String,
    pub(crate) saved: SavedState,
    pub(crate) records: RecordNumbers,
}

/// Reads a stored session: its checkpoint, if there is one, and the rest of its log. Blocks.
pub(crate) fn read(store: &dyn Store, key: &SessionKey) -> Result<StoredSession, StoreError> {
    let (mut unsent, mut records) = (UnsentState::default(), RecordNumbers::default());
    let session = read_stored_session(store, key, |event| {
        if let EventBody::Record { name, value } = &event.body {
            unsent.apply(name, value);
            records.apply(event.sequence, name);
        }
    })?;
    let UnsentState { draft, waiting, note } = unsent;
    let queue = Queue::restored(waiting);
    let versions = queue.waiting().iter().map(|queued| queue.version(queued)).collect();
    let saved = SavedState { draft: draft.clone(), queue: versions, note: note.clone() };
    Ok(StoredSession { session, draft, queue, note, saved, records })
}

/// Reads a whole log, whatever its checkpoint has. Only the memory limit of a session applies.
/// Blocks.
pub(crate) fn read_whole(store: &dyn Store, key: &SessionKey) -> Result<Session, StoreError> {
    let mut session = Session::new(key.session_id.clone());
    loop {
        let page = store.read(key, session.sequence())?;
        if page.is_empty() {
            return Ok(session);
        }
        for event in &page {
            session.apply(event);
        }
    }
}

/// The numbers of the private records from which the unsent texts result.
#[derive(Debug, Default)]
pub(crate) struct RecordNumbers {
    draft: Vec<u64>,
    queue: Vec<u64>,
    note: Vec<u64>,
}

impl RecordNumbers {
    /// Notes the record with the number `sequence`. A whole record makes the earlier ones obsolete.
    pub(crate) fn apply(&mut self, sequence: u64, name: &str) {
        let (numbers, is_whole) = match name {
            DRAFT | DRAFT_CHANGE => (&mut self.draft, name == DRAFT),
            QUEUE | QUEUE_CHANGE => (&mut self.queue, name == QUEUE),
            NOTE => (&mut self.note, true),
            _ => return,
        };
        if is_whole {
            numbers.clear();
        }
        numbers.push(sequence);
    }

    /// Returns all numbers.
    pub(crate) fn all(&self) -> Vec<u64> {
        self.draft.iter().chain(&self.queue).chain(&self.note).copied().collect()
    }
}

/// The state that results from the private records.
#[derive(Debug, Default)]
struct UnsentState {
    draft: String,
    waiting: Vec<Prompt>,
    note: String,
}

impl UnsentState {
    /// Applies a record. A malformed record changes nothing.
    fn apply(&mut self, name: &str, value: &Raw) {
        match name {
            DRAFT => self.draft = decode(value.get()).unwrap_or_default(),
            QUEUE => self.waiting = prompts(value),
            NOTE => self.note = decode(value.get()).unwrap_or_default(),
            DRAFT_CHANGE => {
                let Some((at, end, text)) = change(value) else { return };
                if let (Some(_), Ok(text)) = (self.draft.get(at..end), decode::<String>(text.get()))
                {
                    self.draft.replace_range(at..end, &text);
                }
            }
            QUEUE_CHANGE => {
                let Some((at, end, new)) = change(value) else { return };
                if self.waiting.get(at..end).is_some() {
                    self.waiting.splice(at..end, prompts(&new));
                }
            }
            _ => {}
        }
    }
}

/// Where a change begins and ends in the old value, and the new part.
fn change(value: &Raw) -> Option<(usize, usize, Raw)> {
    let parts: Vec<Raw> = decode(value.get()).ok()?;
    let [at, cut, new] = <[Raw; 3]>::try_from(parts).ok()?;
    let (at, cut): (u64, u64) = (decode(at.get()).ok()?, decode(cut.get()).ok()?);
    let at = usize::try_from(at).ok()?;
    Some((at, at.checked_add(usize::try_from(cut).ok()?)?, new))
}

fn prompts(value: &Raw) -> Vec<Prompt> {
    let prompts: Vec<Vec<ContentBlock>> = decode(value.get()).unwrap_or_default();
    prompts.into_iter().map(Prompt).collect()
}

/// The unsent texts in the log.
#[derive(Debug, Default)]
pub(crate) struct SavedState {
    draft: String,
    queue: Vec<Version>,
    note: String,
}

impl SavedState {
    /// Returns the record that changes the log's draft to this one; `None` if they are equal.
    pub(crate) fn draft(&mut self, draft: &str) -> Option<(String, Raw)> {
        let before = std::mem::replace(&mut self.draft, draft.to_owned());
        if before == draft {
            return None;
        }
        let (start, end) = common(before.as_bytes(), draft.as_bytes());
        let start = (0..=start).rev().find(|at| before.is_char_boundary(*at)).unwrap_or(0);
        let fits = |end: &usize| {
            before.is_char_boundary(before.len() - end) && draft.is_char_boundary(draft.len() - end)
        };
        let end = (0..=end).rev().find(fits).unwrap_or(0);
        let new = draft.get(start..draft.len() - end).unwrap_or_default();
        if new.len() >= draft.len() {
            return record(DRAFT, &draft.to_owned());
        }
        changed(DRAFT_CHANGE, start, before.len() - end - start, &new.to_owned())
    }

    /// Returns the record that changes the log's queue to this one; `None` if they are equal.
    pub(crate) fn queue(&mut self, waiting: &[(Version, &QueuedPrompt)]) -> Option<(String, Raw)> {
        let versions: Vec<Version> = waiting.iter().map(|(version, _)| *version).collect();
        let before = std::mem::replace(&mut self.queue, versions);
        if before == self.queue {
            return None;
        }
        let (start, end) = common(&before, &self.queue);
        let new = waiting.get(start..waiting.len() - end).unwrap_or_default();
        let prompts: Vec<Vec<ContentBlock>> =
            new.iter().map(|(_, queued)| queued.prompt.0.clone()).collect();
        if new.len() == waiting.len() {
            return record(QUEUE, &prompts);
        }
        changed(QUEUE_CHANGE, start, before.len() - end - start, &prompts)
    }

    /// Returns the record that changes the log's text for the next prompt to this one; `None` if
    /// they are equal.
    pub(crate) fn note(&mut self, note: &str) -> Option<(String, Raw)> {
        let before = std::mem::replace(&mut self.note, note.to_owned());
        (before != note).then(|| record(NOTE, &note.to_owned())).flatten()
    }

    /// Returns the records that remove all unsent texts from the log.
    pub(crate) fn clear(&mut self) -> Vec<(String, Raw)> {
        let cleared = [self.draft(""), self.queue(&[]), self.note("")];
        cleared.into_iter().flatten().collect()
    }
}

/// The lengths of the common start of two lists, and of the common end of the rest.
fn common<T: PartialEq>(one: &[T], other: &[T]) -> (usize, usize) {
    let start = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let rest = one.len().min(other.len()) - start;
    let ends = one.iter().rev().zip(other.iter().rev()).take(rest);
    (start, ends.take_while(|(one, other)| one == other).count())
}

fn record(name: &str, value: &impl Wire) -> Option<(String, Raw)> {
    // Encoded values are JSON, so this is never `None`.
    Some((name.to_owned(), Raw::from_text(&encode(value)).ok()?))
}

fn changed(name: &str, at: usize, cut: usize, new: &impl Wire) -> Option<(String, Raw)> {
    Some((name.to_owned(), Raw::from_text(&format!("[{at},{cut},{}]", encode(new))).ok()?))
}

/// The spending of each stored session, and its last counted event.
#[derive(Debug, Default)]
pub(crate) struct SpendingCache(HashMap<SessionKey, CountedSpending>);

#[derive(Debug, Default)]
struct CountedSpending {
    began_at: Timestamp,
    sequence: u64,
    spending: Spending,
}

impl SpendingCache {
    /// Returns the spending of a store's sessions. Reads only events stored since the last call.
    /// Blocks.
    pub(crate) fn spending(&mut self, store: &dyn Store) -> Result<Spending, StoreError> {
        let mut all = Spending::default();
        let mut before = std::mem::take(&mut self.0);
        let mut query = ListQuery {
            side: Some(Side::Client),
            archived: ArchivedFilter::Include,
            limit: 1000,
            ..ListQuery::default()
        };
        loop {
            let page = store.list(&query)?;
            for listed in page.sessions {
                let (key, summary) = (listed.key, listed.summary);
                let mut counted = before.remove(&key).unwrap_or_default();
                // A new session may have the id of a deleted one.
                if counted.began_at != summary.began_at || counted.sequence > summary.sequence {
                    counted = CountedSpending {
                        began_at: summary.began_at,
                        ..CountedSpending::default()
                    };
                }
                if counted.sequence < summary.sequence {
                    counted.go_on(store, &key)?;
                }
                all.add(&counted.spending);
                self.0.insert(key, counted);
            }
            match page.next {
                Some(next) => query.cursor = Some(next),
                None => return Ok(all),
            }
        }
    }
}

impl CountedSpending {
    fn go_on(&mut self, store: &dyn Store, key: &SessionKey) -> Result<(), StoreError> {
        loop {
            let events = store.read(key, self.sequence)?;
            let Some(last) = events.last() else { return Ok(()) };
            self.sequence = last.sequence;
            events.iter().for_each(|event| self.spending.apply(&key.agent, &key.session_id, event));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(unsent: &mut UnsentState, record: Option<(String, Raw)>) {
        if let Some((name, value)) = record {
            unsent.apply(&name, &value);
        }
    }

    #[test]
    fn a_draft_equals_the_typed_text_after_any_edit() {
        let (mut unsent, mut saved, mut draft) =
            (UnsentState::default(), SavedState::default(), Vec::new());
        let mut random = 7_usize;
        for step in 0..2000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let place = (random >> 33) % (draft.len() + 1);
            let end = (place + (random >> 50) % 5).min(draft.len());
            let new = ["", "a", "\u{e4}\u{e5}", "aaa", "\u{1f600}", "\n\"\\"][(random >> 40) % 6];
            draft.splice(place..end, new.chars());
            if step % 500 == 499 {
                draft.clear();
            }
            let text: String = draft.iter().collect();
            apply(&mut unsent, saved.draft(&text));
            assert_eq!(unsent.draft, text);
            assert_eq!(saved.draft(&text), None, "nothing changed");
        }
    }

    #[test]
    fn malformed_records_change_nothing() {
        let mut unsent = UnsentState {
            draft: "\u{e4}b".to_owned(),
            waiting: vec!["x".into()],
            ..UnsentState::default()
        };
        for value in [
            "[1,0,\"x\"]",
            "[0,9,\"\"]",
            "[0,1]",
            "7",
            "[-1,0,\"\"]",
            "[18446744073709551615,2,\"\"]",
            "[0,0,[]]",
        ] {
            unsent.apply(DRAFT_CHANGE, &Raw::from_text(value).unwrap());
        }
        for value in ["[2,0,[]]", "[0,2,[]]", "[0,18446744073709551615,[]]", "{}"] {
            unsent.apply(QUEUE_CHANGE, &Raw::from_text(value).unwrap());
        }
        assert_eq!((unsent.draft.as_str(), unsent.waiting), ("\u{e4}b", vec!["x".into()]));
    }
}
