//! Builds a store from the intact parts of a damaged one.

use super::pages::{Found, Pages, Value};
use super::report::{LeftOut, Repair};
use crate::file::schema;
use crate::file::store_files::StoreFiles;
use crate::read::log_reader;
use crate::read::row::{LISTED, listed};
use crate::write::transaction::{Faults, update, update_info};
use attache_session::{StoreError, Summary};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;
use std::path::Path;

/// Event numbers are smaller than this, and times in milliseconds are greater. This distinguishes
/// the two indexes whose entries are three numbers.
const EVENTS: i64 = 10_000_000_000;

/// The key of a session: side, agent and id.
type Name = (String, String, String);

/// Fills the empty file `new` with the intact sessions.
pub(super) fn rebuild(
    place: &StoreFiles,
    mut pages: Pages,
    new: &Path,
) -> Result<Repair, StoreError> {
    let mut connection = Connection::open(new).map_err(|error| place.failure(error))?;
    let made = fill(place, &mut connection, &mut pages);
    let closed = connection.close().map_err(|(_, error)| place.failure(error));
    let repair = made?;
    closed.map(|()| repair)
}

fn fill(
    place: &StoreFiles,
    connection: &mut Connection,
    pages: &mut Pages,
) -> Result<Repair, StoreError> {
    let failed = |error| place.failure(error);
    connection
        .execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY")
        .map_err(failed)?;
    schema::migrate(connection, schema::STEPS).map_err(failed)?;
    let expected = "CREATE TEMP TABLE expected (session INTEGER, last INTEGER, PRIMARY KEY (session, last)) WITHOUT ROWID";
    connection.execute_batch(expected).map_err(failed)?;
    let transaction = connection.transaction().map_err(failed)?;
    let names = copy(&transaction, pages).map_err(failed)?;
    let mut repair = Repair::default();
    for (id, name) in names {
        match summary(place, &transaction, id) {
            Ok(summary) if summary.sequence > 0 => {
                keep(&transaction, id, &summary).map_err(failed)?;
                repair.kept += 1;
            }
            // Nothing was stored for the session, or nothing was found.
            outcome => {
                let title =
                    outcome.ok().and_then(|summary| summary.info.title().map(str::to_owned));
                let title = title.or_else(|| title_of(place, &transaction, id));
                let (_, agent, session_id) = name;
                repair.left_out.push(LeftOut { agent, session_id, title });
                remove(&transaction, id).map_err(failed)?;
            }
        }
    }
    repair.nameless = orphans(&transaction).map_err(failed)?;
    transaction.commit().map_err(failed)?;
    Ok(repair)
}

/// Copies every row that is found, and collects the sessions by their rows' numbers.
fn copy(connection: &Connection, pages: &mut Pages) -> rusqlite::Result<BTreeMap<i64, Name>> {
    let mut names = BTreeMap::new();
    for number in 1..=pages.count() {
        for found in pages.found(number) {
            match found {
                Found::Row(id, values) => copy_row(connection, &mut names, id, &values)?,
                Found::Entry(values) => copy_entry(connection, &mut names, &values)?,
            }
        }
    }
    for (id, (side, agent, session)) in &names {
        let sql = "INSERT OR IGNORE INTO session (id, side, agent, session_id, sequence, began_at, updated_at, archived,
            prompts, cwd, additional_directories) VALUES (?1, ?2, ?3, ?4, 0, 0, 0, 0, 0, '', '[]')";
        connection.prepare_cached(sql)?.execute(params![id, side, agent, session])?;
    }
    Ok(names)
}

/// Reads from the indexes which sessions and events existed, even if their rows are damaged.
fn copy_entry(
    connection: &Connection,
    names: &mut BTreeMap<i64, Name>,
    values: &[Value],
) -> rusqlite::Result<()> {
    match values {
        [Value::Text(side), Value::Text(agent), Value::Text(session), Value::Integer(id)]
            if is_side(side) =>
        {
            names.entry(*id).or_insert((side.clone(), agent.clone(), session.clone()));
        }
        [Value::Integer(session), Value::Integer(last), Value::Integer(_)] if *last < EVENTS => {
            let sql = "INSERT OR IGNORE INTO expected (session, last) VALUES (?1, ?2)";
            connection.prepare_cached(sql)?.execute(params![session, last])?;
        }
        _ => {}
    }
    Ok(())
}

fn copy_row(
    connection: &Connection,
    names: &mut BTreeMap<i64, Name>,
    id: i64,
    values: &[Value],
) -> rusqlite::Result<()> {
    match values {
        [
            Value::Integer(session),
            Value::Integer(first),
            Value::Integer(last),
            Value::Integer(said),
            Value::Text(body),
        ] => {
            let sql = "INSERT OR IGNORE INTO event (session, first, last, said, body) VALUES (?1, ?2, ?3, ?4, ?5)";
            connection.prepare_cached(sql)?.execute(params![session, first, last, said, body])?;
        }
        // The last event's number comes from the session's row. Otherwise the session would seem to
        // end at its last intact event.
        [
            Value::Null,
            Value::Text(side),
            Value::Text(agent),
            Value::Text(session),
            Value::Integer(sequence),
            Value::Integer(_),
            Value::Integer(_),
            Value::Integer(_),
            Value::Integer(_),
            Value::Text(_),
            Value::Text(_),
        ] if is_side(side) => {
            names.insert(id, (side.clone(), agent.clone(), session.clone()));
            let sql = "INSERT OR IGNORE INTO session (id, side, agent, session_id, sequence, began_at, updated_at, archived,
                prompts, cwd, additional_directories) VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0, '', '[]')";
            connection.prepare_cached(sql)?.execute(params![id, side, agent, session, sequence])?;
        }
        // For an intact session, the title and the labels are folded from the events. The title
        // that is read here only names a session whose events are damaged.
        [Value::Null, Value::Text(title), Value::Integer(by_person), _, _] => {
            let sql =
                "INSERT OR IGNORE INTO info (session, title, titled_by_person) VALUES (?1, ?2, ?3)";
            connection.prepare_cached(sql)?.execute(params![id, title, by_person])?;
        }
        _ => {}
    }
    Ok(())
}

fn is_side(side: &str) -> bool {
    matches!(side, "agent" | "client")
}

/// Folds a session's events, if all of them are intact.
fn summary(place: &StoreFiles, connection: &Connection, id: i64) -> Result<Summary, StoreError> {
    let failed = |error| place.failure(error);
    let damaged = |what: &str| place.damaged(format!("session {id}: {what}"));
    let said: u64 = connection
        .query_row("SELECT sequence FROM session WHERE id = ?1", [id], |row| row.get(0))
        .map_err(failed)?;
    let missing = "SELECT count(*) FROM expected WHERE session = ?1
        AND last NOT IN (SELECT last FROM event WHERE event.session = ?1)";
    let missing: i64 = connection.query_row(missing, [id], |row| row.get(0)).map_err(failed)?;
    if missing > 0 {
        return Err(damaged("events are missing"));
    }
    let sql = "SELECT last, body FROM event WHERE session = ?1 ORDER BY last";
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    let mut rows = statement.query([id]).map_err(failed)?;
    let mut summary = Summary::default();
    while let Some(row) = rows.next().map_err(failed)? {
        let (event, _) = log_reader::event(place, id, row)?;
        summary.apply(&event);
    }
    match summary.sequence >= said {
        true => Ok(summary),
        false => Err(damaged("its last events are missing")),
    }
}

fn keep(connection: &Connection, id: i64, summary: &Summary) -> rusqlite::Result<()> {
    let mut faults = Faults::NONE;
    update(connection, &mut faults, id, summary)?;
    update_info(connection, &mut faults, id, summary)
}

fn title_of(place: &StoreFiles, connection: &Connection, id: i64) -> Option<String> {
    let sql = format!("{LISTED} WHERE session.id = ?1");
    let mut statement = connection.prepare_cached(&sql).ok()?;
    let mut rows = statement.query([id]).ok()?;
    let (_, listed) = listed(place, rows.next().ok()??).ok()?;
    listed.summary.info.title().map(str::to_owned)
}

fn remove(connection: &Connection, id: i64) -> rusqlite::Result<()> {
    let mut faults = Faults::NONE;
    crate::write::transaction::delete(connection, &mut faults, id)
}

/// Removes events of sessions whose keys are lost, and counts these sessions.
fn orphans(connection: &Connection) -> rusqlite::Result<u64> {
    let lost =
        "SELECT count(DISTINCT session) FROM event WHERE session NOT IN (SELECT id FROM session)";
    let count = connection.query_row(lost, [], |row| row.get(0))?;
    connection.execute("DELETE FROM event WHERE session NOT IN (SELECT id FROM session)", [])?;
    connection.execute("DELETE FROM info WHERE session NOT IN (SELECT id FROM session)", [])?;
    Ok(count)
}
