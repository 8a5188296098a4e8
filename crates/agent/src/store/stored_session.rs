//! Reading a stored session.

use crate::Result;
use crate::store::record_numbers::RecordNumbers;
use crate::store::records::{REMEMBERED, REMEMBERED_ONLY, SYSTEM_PROMPT};
use crate::store::stored_sessions::StoredSessions;
use attache_protocol::Raw;
use attache_protocol::v1::{SessionId, SystemPrompt};
use attache_session::{Event, EventBody, Session, SessionKey, Store, read_stored_session};

/// A session as stored in its log, and the private records in the log.
pub(crate) struct StoredSession {
    pub(crate) session: Session,
    pub(crate) records: Records,
}

/// The private records that still apply.
#[derive(Debug, Default)]
pub(crate) struct Records {
    /// The author's records, in order.
    pub(crate) remembered: Vec<Raw>,
    /// The last instructions of the client.
    pub(crate) system_prompt: Option<SystemPrompt>,
    /// Where these records are in the log.
    pub(crate) numbers: RecordNumbers,
}

impl StoredSession {
    /// Returns the empty history of a new session.
    pub(crate) fn empty(session: &SessionId) -> Self {
        Self { session: Session::new(session.clone()), records: Records::default() }
    }

    /// Reads a stored session: its checkpoint, if there is one, and the rest of its log.
    pub(crate) async fn read(stored: &StoredSessions, session: &SessionId) -> Result<Self> {
        let read = |store: &dyn Store, key: &SessionKey| {
            let mut records = Records::default();
            let session = read_stored_session(store, key, |record| records.apply(record))?;
            Ok(Self { session, records })
        };
        stored.ask(session, read).await
    }
}

impl Records {
    pub(crate) fn apply(&mut self, event: &Event) {
        let EventBody::Record { name, value } = &event.body else { return };
        self.numbers.apply(event);
        match name.as_str() {
            REMEMBERED => self.remembered.push(value.clone()),
            REMEMBERED_ONLY => self.remembered = vec![value.clone()],
            // Instructions that cannot be read are ignored: the agent's own instructions apply
            // (SYSP-05).
            SYSTEM_PROMPT => self.system_prompt = attache_protocol::decode(value.get()).ok(),
            _ => {}
        }
    }
}

/// A stored log, page by page. No lock is held between two pages.
pub(crate) struct Pages<'k> {
    stored: &'k StoredSessions,
    session: SessionId,
    after: u64,
}

impl<'k> Pages<'k> {
    pub(crate) fn new(stored: &'k StoredSessions, session: &SessionId) -> Self {
        Self { stored, session: session.clone(), after: 0 }
    }

    /// Returns the next page; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<Vec<Event>>> {
        let page = self.stored.read(&self.session, self.after).await?;
        let Some(last) = page.last() else { return Ok(None) };
        self.after = last.sequence;
        Ok(Some(page))
    }
}
