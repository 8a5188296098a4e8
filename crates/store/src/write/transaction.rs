//! The statements of a transaction.

use crate::checkpoint;
use crate::file::store_files::StoreFiles;
use crate::read::log_reader::is_conflict;
use crate::read::row::{directories, side_name};
use crate::write::live_log::{Batch, Copy, Row};
use attache_protocol::encode;
use attache_session::{Labels, StoreError, Summary};
use rusqlite::{Connection, Error, OptionalExtension, ffi, params};
use std::ops::Range;

/// Injected faults, for tests.
pub(crate) struct Faults {
    /// The numbers of the steps that fail, counted from 0.
    pub(crate) steps: Range<u64>,
    /// The largest number of pages of the file.
    pub(crate) pages: Option<u32>,
    /// The number of steps so far.
    pub(crate) done: u64,
}

impl Faults {
    /// No faults.
    pub(crate) const NONE: Self = Self { steps: 0..0, pages: None, done: 0 };

    /// Limits the size of the file.
    pub(crate) fn fill(&self, connection: &Connection) -> rusqlite::Result<()> {
        let Some(pages) = self.pages else { return Ok(()) };
        connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))
    }

    /// Counts a step that writes, and fails it if it is one of the faults. Called before each such
    /// step.
    pub(crate) fn step(&mut self) -> rusqlite::Result<()> {
        let fails = self.steps.contains(&self.done);
        self.done += 1;
        if fails {
            let error = ffi::Error::new(ffi::SQLITE_IOERR_WRITE);
            return Err(Error::SqliteFailure(error, Some("a step was made to fail".to_owned())));
        }
        Ok(())
    }
}

/// Writes a batch and returns the number of the session's row.
pub(crate) fn store(
    place: &StoreFiles,
    connection: &Connection,
    faults: &mut Faults,
    batch: &Batch,
) -> Result<i64, StoreError> {
    let failed = |error| place.failure(error);
    let (id, stored) = match batch.id {
        Some(id) => {
            let sql = "SELECT sequence FROM session WHERE id = ?1";
            let mut statement = connection.prepare_cached(sql).map_err(failed)?;
            let stored = statement.query_row([id], |row| row.get(0)).optional().map_err(failed)?;
            (id, stored.ok_or_else(|| StoreError::NotFound(batch.live.key.clone()))?)
        }
        None => (begin(place, connection, faults, batch)?, 0),
    };
    if let Some(origin) = &batch.origin {
        copy(place, connection, faults, origin, id)?;
    }
    // A commit that failed may have reached the disk, so events that are already stored are not
    // written again.
    for row in batch.rows.iter().filter(|row| row.last > stored) {
        insert(connection, faults, id, row).map_err(failed)?;
    }
    update(connection, faults, id, &batch.summary).map_err(failed)?;
    if batch.new_info {
        update_info(connection, faults, id, &batch.summary).map_err(failed)?;
    }
    if let Some(checkpoint) = &batch.checkpoint {
        faults
            .step()
            .and_then(|()| checkpoint::store(connection, id, checkpoint))
            .map_err(failed)?;
    }
    Ok(id)
}

/// Creates the row of a new session.
fn begin(
    place: &StoreFiles,
    connection: &Connection,
    faults: &mut Faults,
    batch: &Batch,
) -> Result<i64, StoreError> {
    let key = &batch.live.key;
    let inserted = faults.step().and_then(|()| {
        let sql = "INSERT INTO session (side, agent, session_id, sequence, began_at, updated_at, archived, prompts, cwd,
            additional_directories) VALUES (?1, ?2, ?3, 0, 0, 0, 0, 0, '', '[]')";
        let parameters = params![side_name(key.side), key.agent, key.session_id.as_str()];
        connection.prepare_cached(sql)?.insert(parameters)
    });
    inserted.map_err(|error| match is_conflict(&error) {
        true => StoreError::AlreadyExists(key.clone()),
        false => place.failure(error),
    })
}

/// Copies the beginning of a fork.
fn copy(
    place: &StoreFiles,
    connection: &Connection,
    faults: &mut Faults,
    origin: &Copy,
    id: i64,
) -> Result<(), StoreError> {
    let copied = faults.step().and_then(|()| {
        let sql = "INSERT INTO event (session, first, last, said, body)
            SELECT ?1, first, last, said, body FROM event WHERE session = ?2 AND last <= ?3 ORDER BY last";
        connection.prepare_cached(sql)?.execute(params![id, origin.id, origin.last])?;
        // The origin may have been deleted since. Its number is never reused.
        let sql = "SELECT 1 FROM session WHERE id = ?1";
        connection.prepare_cached(sql)?.exists([origin.id])
    });
    match copied {
        Ok(true) => Ok(()),
        Ok(false) => Err(StoreError::NotFound(origin.key.clone())),
        Err(error) => Err(place.failure(error)),
    }
}

fn insert(
    connection: &Connection,
    faults: &mut Faults,
    id: i64,
    row: &Row,
) -> rusqlite::Result<()> {
    faults.step()?;
    let sql = "INSERT INTO event (session, first, last, said, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut statement = connection.prepare_cached(sql)?;
    statement.execute(params![id, row.first, row.last, row.said, row.body]).map(drop)
}

pub(crate) fn update(
    connection: &Connection,
    faults: &mut Faults,
    id: i64,
    summary: &Summary,
) -> rusqlite::Result<()> {
    faults.step()?;
    let sql = "UPDATE session SET sequence = ?2, began_at = ?3, updated_at = ?4, archived = ?5, prompts = ?6, cwd = ?7,
        additional_directories = ?8 WHERE id = ?1";
    let Summary { sequence, began_at, updated_at, archived, prompts, cwd, .. } = summary;
    let directories = directories(summary);
    let parameters =
        params![id, sequence, began_at.0, updated_at.0, archived, prompts, cwd, directories];
    connection.prepare_cached(sql)?.execute(parameters).map(drop)
}

pub(crate) fn update_info(
    connection: &Connection,
    faults: &mut Faults,
    id: i64,
    summary: &Summary,
) -> rusqlite::Result<()> {
    faults.step()?;
    let info = &summary.info;
    let sql = "INSERT OR REPLACE INTO info (session, title, titled_by_person, stated_at, meta) VALUES (?1, ?2, ?3, ?4, ?5)";
    let parameters = params![
        id,
        info.title(),
        info.titled_by_person(),
        info.updated_at(),
        info.meta().map(encode)
    ];
    connection.prepare_cached(sql)?.execute(parameters)?;
    connection.prepare_cached("DELETE FROM tag WHERE session = ?1")?.execute([id])?;
    for tag in Labels::of(info).tags {
        connection
            .prepare_cached("INSERT OR IGNORE INTO tag (tag, session) VALUES (?1, ?2)")?
            .execute(params![tag, id])?;
    }
    Ok(())
}

/// Deletes the session in row `id` with everything that belongs to it.
pub(crate) fn delete(
    connection: &Connection,
    faults: &mut Faults,
    id: i64,
) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM event WHERE session = ?1",
        "DELETE FROM tag WHERE session = ?1",
        "DELETE FROM info WHERE session = ?1",
        "DELETE FROM session WHERE id = ?1",
    ] {
        faults.step()?;
        connection.prepare_cached(sql)?.execute([id])?;
    }
    Ok(())
}
