//! What restores change, read from their records.

use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::Entry;
use crate::snapshot::json::bytes;
use crate::snapshot::path::TreePath;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::manifests;
use rusqlite::{Connection, OptionalExtension};
use serde::Deserialize;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The entries that a restore gives to each absolute path, one after the other. `None` removes the
/// path.
pub(crate) type RestoredPaths = BTreeMap<PathBuf, Vec<Option<Entry>>>;

/// The part of a restore's record that this file needs. `restore::journal` writes the record.
#[derive(Deserialize)]
struct Record {
    roots: Vec<Folder>,
    operations: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Folder(#[serde(with = "bytes")] Vec<u8>);

#[derive(Deserialize)]
struct Operation {
    path: TreePath,
    to: Option<Entry>,
}

/// Returns what the restore with this id changes. An interrupted restore may have changed only a
/// part. A restore without a record changed nothing.
pub(crate) fn restored_paths(
    database: &Database,
    id: CheckpointId,
) -> Result<RestoredPaths, StoreError> {
    let text: Option<String> = database.query(|connection| {
        let select = "SELECT record FROM restore WHERE id = ?";
        connection.query_row(select, [id.number()], |row| row.get(0)).optional()
    })?;
    let Some(text) = text else { return Ok(RestoredPaths::new()) };
    let record = read(database, &text)?;
    let mut paths = RestoredPaths::new();
    for Operation { path, to } in record.operations {
        let root = record.roots.get(path.root()).map(|root| OsString::from_vec(root.0.clone()));
        let root = PathBuf::from(root.unwrap_or_default());
        paths.entry(root.join(path.relative())).or_default().push(to);
    }
    Ok(paths)
}

/// Returns the contents that incomplete restores still have to write.
pub(crate) fn needed(
    database: &Database,
    connection: &Connection,
) -> Result<HashSet<ContentId>, StoreError> {
    let texts = || -> rusqlite::Result<Vec<String>> {
        let mut query = connection.prepare("SELECT record FROM restore WHERE open = 1")?;
        query.query_map([], |row| row.get(0))?.collect()
    };
    let mut needed = HashSet::new();
    for text in texts().map_err(|error| database.failure(&error))? {
        let record = read(database, &text)?;
        let entries = record.operations.iter().filter_map(|operation| operation.to.as_ref());
        needed.extend(entries.filter_map(manifests::kept));
    }
    Ok(needed)
}

fn read(database: &Database, text: &str) -> Result<Record, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| database.damage(format!("the record of a restore: {error}")))
}
