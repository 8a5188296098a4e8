//! The tables of a store, their migration, and the check whether a file is a store.

use crate::file::failure::code;
use crate::file::store_files::{APPLICATION_ID, StoreFiles};
use attache_session::StoreError;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

/// The statements that migrate from each version of the tables to the next. A published step never
/// changes.
pub(crate) const STEPS: &[&str] = &[VERSION_1];

/// `session` is the summary of each log; `info` and `tag` are separate tables because they are
/// large and change rarely. A row of `event` covers the events from `first` to `last`; `said` tells
/// whether the user or the agent speaks in it.
const VERSION_1: &str = "
    CREATE TABLE session (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        side TEXT NOT NULL,
        agent TEXT NOT NULL,
        session_id TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        began_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        archived INTEGER NOT NULL,
        prompts INTEGER NOT NULL,
        cwd TEXT NOT NULL,
        additional_directories TEXT NOT NULL,
        UNIQUE (side, agent, session_id)
    ) STRICT;
    CREATE INDEX session_by_time ON session (updated_at, id);
    CREATE INDEX session_by_archived ON session (archived, updated_at, id);
    CREATE INDEX session_by_agent ON session (side, agent, updated_at, id);
    CREATE INDEX session_by_cwd ON session (cwd, updated_at, id);
    CREATE TABLE info (
        session INTEGER PRIMARY KEY,
        title TEXT,
        titled_by_person INTEGER NOT NULL,
        stated_at TEXT,
        meta TEXT
    ) STRICT;
    CREATE TABLE tag (
        tag TEXT NOT NULL,
        session INTEGER NOT NULL,
        PRIMARY KEY (tag, session)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tag_by_session ON tag (session);
    CREATE TABLE event (
        session INTEGER NOT NULL,
        first INTEGER NOT NULL,
        last INTEGER NOT NULL,
        said INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE UNIQUE INDEX event_by_session ON event (session, last);
";

/// The tables of the current version.
const TABLES: [&str; 4] = ["session", "info", "tag", "event"];

/// Why a file is refused.
pub(crate) enum Refusal {
    /// The file is not a store, no matter what other processes are doing to it.
    Certain(StoreError),
    /// The file is not a store, unless another process is about to write what is missing.
    Perhaps(StoreError),
}

impl From<Refusal> for StoreError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Certain(error) | Refusal::Perhaps(error) => error,
        }
    }
}

/// Checks that a file may be opened as a store. An empty file will get its tables.
pub(crate) fn check(place: &StoreFiles, connection: &Connection) -> Result<(), Refusal> {
    let failed = |error: rusqlite::Error| match code(&error) {
        // A table is missing.
        Some(ErrorCode::Unknown) => Refusal::Perhaps(place.damaged(error.to_string())),
        Some(ErrorCode::NotADatabase) => Refusal::Certain(place.failure(error)),
        _ => Refusal::Perhaps(place.failure(error)),
    };
    // In one transaction, so that all values are from before or after another process's migration.
    let snapshot = connection.unchecked_transaction().map_err(failed)?;
    let number = |pragma| {
        snapshot.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0)).map_err(failed)
    };
    let (application, version, pages) =
        (number("application_id")?, number("user_version")?, number("page_count")?);
    if pages == 0 {
        return Ok(());
    }
    if application != i64::from(APPLICATION_ID) {
        let reason = "it is a database of another program; name another file".to_owned();
        return Err(Refusal::Certain(place.damaged(reason)));
    }
    match usize::try_from(version) {
        Ok(version) if version > STEPS.len() => Err(Refusal::Certain(StoreError::NewerVersion {
            path: place.shown(),
            version: version as u64,
        })),
        Ok(version) if version == STEPS.len() => {
            let look = |table: &&str| snapshot.prepare(&format!("SELECT * FROM {table}")).err();
            TABLES.iter().find_map(look).map_or(Ok(()), |error| Err(failed(error)))
        }
        Ok(_) => Ok(()),
        Err(_) => Err(Refusal::Certain(place.damaged(format!("its version is {version}")))),
    }
}

/// Migrates the tables to the current version: all steps, or none if one fails.
pub(crate) fn migrate(connection: &mut Connection, steps: &[&str]) -> rusqlite::Result<()> {
    let version = |connection: &Connection| {
        connection.pragma_query_value(None, "user_version", |row| row.get::<_, usize>(0))
    };
    if version(connection)? >= steps.len() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Exclusive)?;
    // Another process may have been faster.
    let version = version(&transaction)?;
    if version >= steps.len() {
        return Ok(());
    }
    for step in steps.iter().skip(version) {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", steps.len())?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEXT: &str = "ALTER TABLE session ADD COLUMN colour TEXT NOT NULL DEFAULT 'blue'";

    fn store_of_version_1() -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, STEPS).unwrap();
        let row = "INSERT INTO session VALUES (7, 'agent', 'echo', 's', 3, 1, 2, 0, 1, '/', '[]')";
        connection.execute_batch(row).unwrap();
        connection
    }

    fn version(connection: &Connection) -> i64 {
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_migration_keeps_rows_and_adds_new_columns() {
        let mut connection = store_of_version_1();
        migrate(&mut connection, &[VERSION_1, NEXT]).unwrap();
        assert_eq!(version(&connection), 2);
        let row: (i64, String) = connection
            .query_row("SELECT sequence, colour FROM session WHERE id = 7", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap();
        assert_eq!(row, (3, "blue".to_owned()));
    }

    #[test]
    fn a_migration_that_fails_leaves_the_store_as_it_was() {
        let mut connection = store_of_version_1();
        migrate(&mut connection, &[VERSION_1, NEXT, "ALTER TABLE nothing ADD COLUMN x"])
            .unwrap_err();
        assert_eq!(version(&connection), 1);
        connection.prepare("SELECT colour FROM session").unwrap_err();
        assert_eq!(
            connection.query_row("SELECT count(*) FROM session", [], |row| row.get(0)),
            Ok(1)
        );
    }

    #[test]
    fn a_store_of_this_version_is_not_changed() {
        let mut connection = store_of_version_1();
        let changes = connection.total_changes();
        migrate(&mut connection, STEPS).unwrap();
        assert_eq!(connection.total_changes(), changes);
    }
}
