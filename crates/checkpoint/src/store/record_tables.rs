//! The tables beside the checkpoints: the journal of restores, and decisions about hunks.

use rusqlite::Connection;

/// The tables of restores and decisions. `restore.open` is 1 until the restore is complete.
pub(crate) const TABLES: &str = "
    CREATE TABLE restore (
        id INTEGER PRIMARY KEY, owner TEXT NOT NULL, open INTEGER NOT NULL, record TEXT NOT NULL);
    CREATE INDEX restore_owner ON restore (owner);
    CREATE TABLE merged (
        restore INTEGER NOT NULL, hash BLOB NOT NULL, data BLOB NOT NULL,
        PRIMARY KEY (restore, hash)) WITHOUT ROWID;
    CREATE TABLE decision (
        owner TEXT NOT NULL, hunk TEXT NOT NULL, record TEXT NOT NULL,
        PRIMARY KEY (owner, hunk)) WITHOUT ROWID;
";

/// Deletes the restores and decisions of an owner.
pub(crate) fn forget(connection: &Connection, owner: &str) -> rusqlite::Result<()> {
    let merged = "DELETE FROM merged WHERE restore IN (SELECT id FROM restore WHERE owner = ?)";
    connection.execute(merged, [owner])?;
    connection.execute("DELETE FROM restore WHERE owner = ?", [owner])?;
    connection.execute("DELETE FROM decision WHERE owner = ?", [owner])?;
    Ok(())
}
