//! Marks of deleted owners. A checkpoint that was being taken, or that only ends something, is not
//! stored after its owner was deleted.

use crate::snapshot::content_id::ContentId;
use crate::store::label::{Label, Reason};
use rusqlite::{Connection, OptionalExtension};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a mark is kept. Taking a checkpoint never lasts as long.
const AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// The table. It has only hashes of the owners. `begun` is 1 when the owner has checkpoints again.
pub(crate) const TABLE: &str = "
    CREATE TABLE tombstone (
        owner BLOB PRIMARY KEY, number INTEGER NOT NULL, begun INTEGER NOT NULL,
        at INTEGER NOT NULL) WITHOUT ROWID;
";

/// Marks an owner as deleted, and removes old marks.
pub(crate) fn put(connection: &Connection, owner: &str) -> rusqlite::Result<()> {
    let seconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let now = SystemTime::now();
    let old = now.checked_sub(AGE).map(seconds).unwrap_or_default();
    connection.execute("DELETE FROM tombstone WHERE at < ?", [old])?;
    let replace = "REPLACE INTO tombstone (owner, number, begun, at) VALUES
        (?, (SELECT coalesce(max(number), 0) + 1 FROM tombstone), 0, ?)";
    connection.execute(replace, (key(owner).as_bytes(), seconds(now))).map(drop)
}

/// Returns a number that differs after the owner was deleted.
pub(crate) fn number(connection: &Connection, owner: &str) -> rusqlite::Result<Option<i64>> {
    Ok(find(connection, owner)?.map(|(number, _)| number))
}

/// Returns whether a checkpoint may be stored. `number` is the number of its owner when taking it
/// began. Only a session or a prompt begins a deleted owner again: a restore or a preview may have
/// been planned before.
pub(crate) fn may_store(
    connection: &Connection,
    label: &Label,
    number: Option<i64>,
) -> rusqlite::Result<bool> {
    let Some((now, is_begun)) = find(connection, &label.owner)? else { return Ok(true) };
    let begins = matches!(label.reason, Reason::SessionStart | Reason::BeforePrompt);
    if number != Some(now) || (!begins && !is_begun) {
        return Ok(false);
    }
    if !is_begun {
        let update = "UPDATE tombstone SET begun = 1 WHERE owner = ?";
        connection.execute(update, [key(&label.owner).as_bytes()])?;
    }
    Ok(true)
}

fn find(connection: &Connection, owner: &str) -> rusqlite::Result<Option<(i64, bool)>> {
    let select = "SELECT number, begun FROM tombstone WHERE owner = ?";
    let mut query = connection.prepare_cached(select)?;
    query.query_row([key(owner).as_bytes()], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}

fn key(owner: &str) -> ContentId {
    ContentId::of(owner.as_bytes())
}
