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
