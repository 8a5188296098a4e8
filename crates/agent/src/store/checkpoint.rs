//! The checkpoint of a session: its state, and the numbers of the private records that still apply.
//! With it, a session opens without reading the start of its log.

use crate::store::records::{REMEMBERED, REMEMBERED_ONLY, SYSTEM_PROMPT};
use attache_protocol::v1::SessionId;
use attache_protocol::{Map, Raw, decode, encode};
use attache_session::{Checkpoint, Event, EventBody, Session};

/// The members of a checkpoint's text.
const SESSION: &str = "session";
const RECORDS: &str = "records";

/// The numbers of the private records that still apply. The records themselves stay in the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecordNumbers {
    remembered: Vec<u64>,
    system_prompt: Option<u64>,
}

impl RecordNumbers {
    pub(crate) fn apply(&mut self, event: &Event) {
        let EventBody::Record { name, .. } = &event.body else { return };
        match name.as_str() {
            REMEMBERED => self.remembered.push(event.sequence),
            REMEMBERED_ONLY => self.remembered = vec![event.sequence],
            SYSTEM_PROMPT => self.system_prompt = Some(event.sequence),
            _ => {}
        }
    }
}

/// Writes the text of a checkpoint; see [`write()`].
pub(crate) type WriteCheckpoint = fn(&Session, &RecordNumbers) -> Option<String>;

/// Returns the text of a checkpoint, or `None` if the session has none.
pub(crate) fn write(session: &Session, records: &RecordNumbers) -> Option<String> {
    let session = Raw::from_text(&session.checkpoint()?).ok()?;
    let mut numbers = records.remembered.clone();
    numbers.extend(records.system_prompt);
    numbers.sort_unstable();
    let numbers = Raw::from_text(&encode(&numbers)).ok()?;
    Some(encode(&Map(vec![(SESSION.to_owned(), session), (RECORDS.to_owned(), numbers)])))
}

/// Returns the session of a checkpoint and the numbers of its records, or `None` if the text is not
/// a checkpoint that this version reads.
pub(crate) fn read(id: &SessionId, checkpoint: &Checkpoint) -> Option<(Session, Vec<u64>)> {
    let members: Map<Raw> = decode(&checkpoint.body).ok()?;
    let session = Session::restore(id.clone(), members.get(SESSION)?.get()).ok()?;
    let numbers = decode(members.get(RECORDS)?.get()).ok()?;
    (session.sequence() == checkpoint.sequence).then_some((session, numbers))
}
