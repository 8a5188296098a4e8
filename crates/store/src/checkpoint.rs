//! Checkpoints in the file. Their table is created with the first checkpoint, so that programs
//! without checkpoints can use the store too.

use attache_session::Checkpoint;
use rusqlite::{Connection, OptionalExtension, params};

/// The table, and the removal of a checkpoint with its session. The trigger also works in programs
/// that know nothing of checkpoints.
const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS checkpoint (
        session INTEGER PRIMARY KEY,
        sequence INTEGER NOT NULL,
        sum INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER IF NOT EXISTS checkpoint_of_deleted AFTER DELETE ON session BEGIN
        DELETE FROM checkpoint WHERE session = old.id;
    END;
";

/// About how many bytes a row of a log has, to estimate the size of a log from its number of rows.
const ROW: usize = 256;

/// About how many bytes of text a chunk has, to estimate the size of a log from its last number.
pub(crate) const CHUNK: usize = 32;

/// Returns the checkpoint of the session in row `id`, whose last event has the number `last`. A
/// checkpoint that is damaged or behind the end of the log counts as absent, and so does every
/// checkpoint that cannot be read.
pub(crate) fn find(connection: &Connection, id: i64, last: u64) -> Option<Checkpoint> {
    let sql = "SELECT sequence, sum, body FROM checkpoint WHERE session = ?1";
    // Without the table, this fails.
    let mut statement = connection.prepare_cached(sql).ok()?;
    let row: Option<(u64, i64, String)> = statement
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()
        .ok()?;
    let (sequence, sum, body) = row?;
    (sequence <= last && sum == checksum(&body)).then_some(Checkpoint { sequence, body })
}

/// Returns about how many bytes of the log are behind the checkpoint.
pub(crate) fn bytes_since(connection: &Connection, id: i64, last: u64) -> usize {
    let sql = "SELECT sequence FROM checkpoint WHERE session = ?1 AND sequence <= ?2";
    // Without the table, this fails.
    let from = connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row(params![id, last], |row| row.get(0)));
    let from: u64 = from.unwrap_or(0);
    let sql = "SELECT count(*) FROM event WHERE session = ?1 AND last > ?2";
    let count = connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row(params![id, from], |row| row.get(0)));
    count.unwrap_or(0_usize).saturating_mul(ROW)
}

/// Stores the checkpoint of the session in row `id`.
pub(crate) fn store(
    connection: &Connection,
    id: i64,
    checkpoint: &Checkpoint,
) -> rusqlite::Result<()> {
    connection.execute_batch(TABLE)?;
    let sql =
        "INSERT OR REPLACE INTO checkpoint (session, sequence, sum, body) VALUES (?1, ?2, ?3, ?4)";
    let Checkpoint { sequence, body } = checkpoint;
    let parameters = params![id, sequence, checksum(body), body];
    connection.prepare_cached(sql)?.execute(parameters).map(drop)
}

/// The FNV-1a hash of a text. SQLite does not notice a changed byte.
fn checksum(text: &str) -> i64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step).cast_signed()
}
