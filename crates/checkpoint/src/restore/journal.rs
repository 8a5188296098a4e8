//! The journal of restores in the store: a restore that is interrupted is completed from it, and a
//! restore is undone with it.

use crate::changes::contents::Contents;
use crate::restore::operation::Operation;
use crate::restore::recovery::{FolderIdentity, identities};
use crate::snapshot::content_id::ContentId;
use crate::snapshot::json::bytes;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A folder of a record.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
struct Folder(#[serde(with = "bytes")] Vec<u8>);

/// A restore in the journal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    roots: Vec<Folder>,
    /// The identities of the folders when the restore began.
    #[serde(default)]
    pub(crate) identities: Vec<Option<FolderIdentity>>,
    /// The operations of the restore, or, once it is complete, those that were made.
    pub(crate) operations: Vec<Operation>,
}

impl Record {
    pub(crate) fn new(roots: &[PathBuf], operations: Vec<Operation>) -> Record {
        let folder = |root: &PathBuf| Folder(root.as_os_str().as_bytes().to_vec());
        let identities = identities(roots);
        Record { roots: roots.iter().map(folder).collect(), identities, operations }
    }

    /// The folders of the restore.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        let path = |folder: &Folder| PathBuf::from(OsString::from_vec(folder.0.clone()));
        self.roots.iter().map(path).collect()
    }
}

/// A restore of the journal.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: CheckpointId,
    pub(crate) owner: String,
    pub(crate) record: Record,
}

/// The journal of a store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Journal<'a>(pub(crate) &'a Store);

impl Journal<'_> {
    /// Records a restore before its first change. Contents that the store lacks are kept too. Fails
    /// if the owner was deleted.
    pub(crate) fn begin(
        self,
        id: CheckpointId,
        owner: &str,
        record: &Record,
        merged: &HashMap<ContentId, Vec<u8>>,
    ) -> Result<(), StoreError> {
        let text = self.text(record)?;
        self.0.write_records_of(owner, |connection| {
            // Restores whose checkpoints were deleted cannot be undone any more.
            connection.execute(
                "DELETE FROM restore WHERE open = 0 AND id NOT IN (SELECT id FROM checkpoint)",
                [],
            )?;
            connection
                .execute("DELETE FROM merged WHERE restore NOT IN (SELECT id FROM restore)", [])?;
            let restore = "INSERT INTO restore (id, owner, open, record) VALUES (?, ?, 1, ?)";
            connection.execute(restore, params![id.number(), owner, text])?;
            let insert = "INSERT OR IGNORE INTO merged (restore, hash, data) VALUES (?, ?, ?)";
            for (hash, data) in merged {
                connection.execute(insert, params![id.number(), hash.as_bytes(), data])?;
            }
            Ok(())
        })
    }

    /// Records that a restore is complete, and what it did. Returns `false` if its owner was
    /// deleted meanwhile, and the restore with it.
    pub(crate) fn end(self, id: CheckpointId, record: &Record) -> Result<bool, StoreError> {
        let text = self.text(record)?;
        self.0.write_records(|connection| {
            let update = "UPDATE restore SET open = 0, record = ? WHERE id = ?";
            connection.execute(update, params![text, id.number()]).map(|rows| rows > 0)
        })
    }

    /// Returns the restores that are not complete, from the oldest to the newest.
    pub(crate) fn open(self) -> Result<Vec<Entry>, StoreError> {
        self.entries("SELECT id, owner, record FROM restore WHERE open = 1 ORDER BY id", None)
    }

    /// Returns the complete restores of an owner, from the oldest to the newest.
    pub(crate) fn complete(self, owner: &str) -> Result<Vec<Entry>, StoreError> {
        let query = "SELECT id, owner, record FROM restore \
                     WHERE open = 0 AND owner = ? ORDER BY id";
        self.entries(query, Some(owner))
    }

    fn entries(self, query: &str, owner: Option<&str>) -> Result<Vec<Entry>, StoreError> {
        let rows: Vec<(u64, String, String)> = self.0.read_records(|connection| {
            let mut statement = connection.prepare(query)?;
            let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            match owner {
                Some(owner) => statement.query_map([owner], row)?.collect(),
                None => statement.query_map([], row)?.collect(),
            }
        })?;
        let entry = |(id, owner, text): (u64, String, String)| {
            let record = serde_json::from_str(&text).map_err(|error| self.damaged(&error))?;
            Ok(Entry { id: CheckpointId::from_number(id), owner, record })
        };
        rows.into_iter().map(entry).collect()
    }

    /// Returns a content that was merged.
    fn merged(self, id: ContentId) -> Result<Option<Vec<u8>>, StoreError> {
        self.0.read_records(|connection| {
            let query = "SELECT data FROM merged WHERE hash = ? LIMIT 1";
            connection.query_row(query, [id.as_bytes()], |row| row.get(0)).optional()
        })
    }

    fn text(self, record: &Record) -> Result<String, StoreError> {
        serde_json::to_string(record).map_err(|error| self.damaged(&error))
    }

    fn damaged(self, error: &serde_json::Error) -> StoreError {
        let reason = format!("the record of a restore: {error}");
        StoreError::Damaged { path: Path::to_owned(self.0.folder()), reason }
    }
}

impl Contents for Store {
    fn content(&self, id: ContentId) -> Result<Vec<u8>, StoreError> {
        match Store::content(self, id) {
            Err(StoreError::NoContent { id: text }) => {
                Journal(self).merged(id)?.ok_or(StoreError::NoContent { id: text })
            }
            found => found,
        }
    }
}
