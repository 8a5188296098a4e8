//! Reads stored sessions from their checkpoints, and writes these checkpoints. A checkpoint holds
//! the state of the session, and the numbers of the private records that still apply.

use super::{Checkpoint, Log, SessionKey, Store, StoreError};
use crate::{Event, EventBody, Session};
use attache_protocol::v1::SessionId;
use attache_protocol::{Map, Raw, decode, encode};

/// The members of a checkpoint's text.
const SESSION: &str = "session";
const RECORDS: &str = "records";

/// Reads a stored session: its checkpoint, if there is a usable one, and the events after it.
/// Without a usable checkpoint, it reads the whole log. It may block on the disk.
///
/// `record` receives the private records ([`EventBody::Record`]) in the order of the log: of those
/// before the checkpoint, only the ones that were named in [`keep_checkpoint`].
///
/// # Errors
/// Returns [`StoreError::NotFound`] if the session is not stored, or a disk error.
pub fn read_stored_session(
    store: &dyn Store,
    key: &SessionKey,
    mut record: impl FnMut(&Event),
) -> Result<Session, StoreError> {
    let mut session = match from_checkpoint(store, key)? {
        Some((session, records)) => {
            records.iter().for_each(&mut record);
            session
        }
        None => Session::new(key.session_id.clone()),
    };
    loop {
        let page = store.read(key, session.sequence())?;
        if page.is_empty() {
            return Ok(session);
        }
        for event in &page {
            session.apply(event);
            if matches!(event.body, EventBody::Record { .. }) {
                record(event);
            }
        }
    }
}

/// Stores a checkpoint of the session, if the log has grown enough since the last one. Call it at
/// the end of a turn, when all events of the session were appended. `records` returns the numbers
/// of the private records that still apply, in any order. The records themselves stay in the log.
pub fn keep_checkpoint(log: &mut dyn Log, session: &Session, records: impl FnOnce() -> Vec<u64>) {
    if log.is_checkpoint_due() {
        log.keep_checkpoint(write(session, records()));
    }
}

/// Returns the text of a checkpoint, or `None` if the session cannot have one now.
fn write(session: &Session, mut records: Vec<u64>) -> Option<String> {
    let session = Raw::from_text(&session.checkpoint()?).ok()?;
    records.sort_unstable();
    let records = Raw::from_text(&encode(&records)).ok()?;
    Some(encode(&Map(vec![(SESSION.to_owned(), session), (RECORDS.to_owned(), records)])))
}

/// Returns the session of the last checkpoint with its records, or `None` if there is no usable
/// one.
fn from_checkpoint(
    store: &dyn Store,
    key: &SessionKey,
) -> Result<Option<(Session, Vec<Event>)>, StoreError> {
    let Some(found) = store.checkpoint(key)? else { return Ok(None) };
    let Some((session, numbers)) = read(&key.session_id, &found) else { return Ok(None) };
    let records = store.read_numbered(key, &numbers)?;
    Ok((records.len() == numbers.len()).then_some((session, records)))
}

/// Returns the session of a checkpoint and the numbers of its records, or `None` if the text is not
/// a checkpoint that this version reads.
fn read(id: &SessionId, checkpoint: &Checkpoint) -> Option<(Session, Vec<u64>)> {
    let members: Map<Raw> = decode(&checkpoint.body).ok()?;
    let session = Session::restore(id.clone(), members.get(SESSION)?.get()).ok()?;
    let numbers = decode(members.get(RECORDS)?.get()).ok()?;
    (session.sequence() == checkpoint.sequence).then_some((session, numbers))
}
