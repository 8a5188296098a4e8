//! Records beside the checkpoints: the journal of restores, and decisions about hunks.

use crate::store::Store;
use crate::store::database::Database;
use crate::store::error::StoreError;
use rusqlite::Connection;

impl Store {
    /// Changes records, all or none.
    pub(crate) fn write_records<T>(
        &self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let database = &self.inner.database;
        database.write(|connection| change(connection).map_err(|error| database.failure(&error)))
    }

    /// Adds records of an owner, all or none. An owner without checkpoints was deleted, and gets
    /// none.
    pub(crate) fn write_records_of<T>(
        &self,
        owner: &str,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let database = &self.inner.database;
        let failed = |error| database.failure(&error);
        database.write(|connection| {
            let select = "SELECT EXISTS (SELECT 1 FROM checkpoint WHERE owner = ?)";
            let has_any =
                connection.query_row(select, [owner], |row| row.get(0)).map_err(failed)?;
            match has_any {
                true => change(connection).map_err(failed),
                false => Err(StoreError::Forgotten { owner: owner.to_owned() }),
            }
        })
    }

    /// The database that has the records.
    pub(crate) fn database(&self) -> &Database {
        &self.inner.database
    }

    /// Reads records.
    pub(crate) fn read_records<T>(
        &self,
        read: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.inner.database.query(read)
    }
}
