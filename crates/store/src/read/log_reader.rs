//! Reads a log by position.

use crate::file::failure::code;
use crate::file::store_files::StoreFiles;
use crate::read::row::{LISTED, listed, side_name};
use attache_session::{Event, EventError, READ_PAGE, SessionKey, StoreError, Summary};
use rusqlite::{Connection, ErrorCode, Row, params};

/// Returns the number of the session's row, and its summary.
pub(crate) fn find(
    place: &StoreFiles,
    connection: &Connection,
    key: &SessionKey,
) -> Result<(i64, Summary), StoreError> {
    let failed = |error| place.failure(error);
    let sql = format!("{LISTED} WHERE side = ?1 AND agent = ?2 AND session_id = ?3");
    let mut statement = connection.prepare_cached(&sql).map_err(failed)?;
    let parameters = params![side_name(key.side), key.agent, key.session_id.as_str()];
    let mut rows = statement.query(parameters).map_err(failed)?;
    match rows.next().map_err(failed)? {
        Some(row) => listed(place, row).map(|(id, listed)| (id, listed.summary)),
        None => Err(StoreError::NotFound(key.clone())),
    }
}

/// Reads the next events of the session in row `id` after the number `after`, about [`READ_PAGE`]
/// bytes.
pub(crate) fn page(
    place: &StoreFiles,
    connection: &Connection,
    id: i64,
    after: u64,
) -> Result<Vec<Event>, StoreError> {
    let failed = |error| place.failure(error);
    let sql = "SELECT last, body FROM event WHERE session = ?1 AND last > ?2 ORDER BY last";
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    // No event has a number larger than SQLite's largest.
    let after = i64::try_from(after).unwrap_or(i64::MAX);
    let mut rows = statement.query(params![id, after]).map_err(failed)?;
    let mut events = Vec::new();
    let mut bytes = 0;
    while bytes < READ_PAGE
        && let Some(row) = rows.next().map_err(failed)?
    {
        let (event, size) = event(place, id, row)?;
        bytes += size;
        events.push(event);
    }
    Ok(events)
}

/// Reads the events with these numbers of the session in row `id`.
pub(crate) fn numbered(
    place: &StoreFiles,
    connection: &Connection,
    id: i64,
    numbers: &[u64],
) -> Result<Vec<Event>, StoreError> {
    let failed = |error| place.failure(error);
    let sql = "SELECT last, body FROM event WHERE session = ?1 AND last = ?2";
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    let mut events = Vec::new();
    for number in numbers {
        let mut rows = statement.query(params![id, number]).map_err(failed)?;
        if let Some(row) = rows.next().map_err(failed)? {
            events.push(event(place, id, row)?.0);
        }
    }
    Ok(events)
}

/// Returns the event in the first two columns (number and body) and the size of its body.
pub(crate) fn event(
    place: &StoreFiles,
    id: i64,
    row: &Row<'_>,
) -> Result<(Event, usize), StoreError> {
    let last: i64 = row
        .get(0)
        .map_err(|error| place.unreadable(|| format!("an event of session {id}"), error))?;
    let at = || format!("event {last} of session {id}");
    let body = row.get_ref(1).map_err(|error| place.failure(error))?;
    let body = body.as_str().map_err(|error| place.damaged(format!("{}: {error}", at())))?;
    match Event::decode(body) {
        Ok(event) if i64::try_from(event.sequence) == Ok(last) => Ok((event, body.len())),
        Ok(event) => Err(place.damaged(format!("{} has the number {}", at(), event.sequence))),
        Err(EventError::Newer { version }) => {
            Err(StoreError::NewerVersion { path: place.shown(), version })
        }
        Err(error) => Err(place.damaged(format!("{}: {error}", at()))),
    }
}

/// Returns the summary of the log up to the last row whose events are all at or before the number
/// `at`.
pub(crate) fn summary_up_to(
    place: &StoreFiles,
    connection: &Connection,
    id: i64,
    at: u64,
) -> Result<Summary, StoreError> {
    let mut summary = Summary::default();
    loop {
        let events = page(place, connection, id, summary.sequence)?;
        if events.is_empty() {
            return Ok(summary);
        }
        for event in &events {
            if event.sequence > at {
                return Ok(summary);
            }
            summary.apply(event);
        }
    }
}

/// Returns whether a row could not be written because its key already exists.
pub(crate) fn is_conflict(error: &rusqlite::Error) -> bool {
    code(error) == Some(ErrorCode::ConstraintViolation)
}
