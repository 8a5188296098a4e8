//! Checkpoints in the database.

use crate::format::bytes::{Reader, put_bytes, put_number};
use crate::format::entry::{reason, reason_number};
use crate::snapshot::path::TreePath;
use crate::store::id::CheckpointId;
use crate::store::label::{Label, Reason};
use crate::store::manifests::ManifestId;
use crate::store::summary::{NotKept, Summary};
use rusqlite::{Connection, OptionalExtension, Row};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const COLUMNS: &str = "id, at, owner, reason, turn, position, title, complete, files, changed,
    ignored, lacking, lacks";

/// Adds a checkpoint, or replaces the one with its id.
pub(crate) fn put(
    connection: &Connection,
    summary: &Summary,
    manifests: &[ManifestId],
) -> rusqlite::Result<()> {
    let id = summary.id.number();
    let at = summary.at.duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let label = &summary.label;
    let insert = format!(
        "REPLACE INTO checkpoint ({COLUMNS}) VALUES
        (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    );
    connection.execute(
        &insert,
        rusqlite::params![
            id,
            at,
            label.owner,
            label.reason.name(),
            label.turn,
            label.position,
            label.title,
            summary.complete,
            summary.files,
            summary.changed,
            summary.ignored,
            summary.not_kept_count,
            write_lacks(&summary.not_kept),
        ],
    )?;
    connection.execute("DELETE FROM covered WHERE checkpoint = ?", [id])?;
    let insert = "INSERT INTO covered (checkpoint, place, root, manifest) VALUES (?, ?, ?, ?)";
    let mut insert = connection.prepare_cached(insert)?;
    for (place, (root, manifest)) in summary.roots.iter().zip(manifests).enumerate() {
        insert.execute((id, place as u64, root.as_os_str().as_bytes(), manifest))?;
    }
    Ok(())
}

/// Returns the checkpoints of an owner, or all, from the oldest to the newest.
pub(crate) fn list(connection: &Connection, owner: Option<&str>) -> rusqlite::Result<Vec<Summary>> {
    let select =
        format!("SELECT {COLUMNS} FROM checkpoint WHERE owner = ?1 OR ?1 IS NULL ORDER BY id");
    let mut query = connection.prepare_cached(&select)?;
    let mut found: Vec<Summary> = query.query_map([owner], read)?.collect::<Result<_, _>>()?;
    for summary in &mut found {
        summary.roots = roots(connection, summary.id)?;
    }
    Ok(found)
}

/// Returns the checkpoints with an id from `from` to `to`.
pub(crate) fn between(
    connection: &Connection,
    from: CheckpointId,
    to: CheckpointId,
) -> rusqlite::Result<Vec<Summary>> {
    let select = format!("SELECT {COLUMNS} FROM checkpoint WHERE id BETWEEN ? AND ? ORDER BY id");
    let mut query = connection.prepare_cached(&select)?;
    let rows = query.query_map([from.number(), to.number()], read)?;
    let mut found: Vec<Summary> = rows.collect::<Result<_, _>>()?;
    for summary in &mut found {
        summary.roots = roots(connection, summary.id)?;
    }
    Ok(found)
}

/// Returns the manifests of a checkpoint, in the order of its roots.
pub(crate) fn manifests(
    connection: &Connection,
    id: CheckpointId,
) -> rusqlite::Result<Vec<ManifestId>> {
    let select = "SELECT manifest FROM covered WHERE checkpoint = ? ORDER BY place";
    connection.prepare_cached(select)?.query_map([id.number()], |row| row.get(0))?.collect()
}

/// Returns the roots of a checkpoint, in their order.
pub(crate) fn roots(connection: &Connection, id: CheckpointId) -> rusqlite::Result<Vec<PathBuf>> {
    let select = "SELECT root FROM covered WHERE checkpoint = ? ORDER BY place";
    let mut query = connection.prepare_cached(select)?;
    let rows = query.query_map([id.number()], |row| {
        let bytes = row.get_ref(0)?.as_blob().unwrap_or_default();
        Ok(PathBuf::from(OsStr::from_bytes(bytes)))
    })?;
    rows.collect()
}

/// Returns the manifest of the newest checkpoint that covers a root.
pub(crate) fn last_manifest(
    connection: &Connection,
    root: &[u8],
) -> rusqlite::Result<Option<ManifestId>> {
    manifest_before(connection, CheckpointId::from_number(u64::MAX), root)
}

/// Returns the manifest of the newest checkpoint before `id` that covers a root.
pub(crate) fn manifest_before(
    connection: &Connection,
    id: CheckpointId,
    root: &[u8],
) -> rusqlite::Result<Option<ManifestId>> {
    let select = "SELECT manifest FROM covered WHERE checkpoint < ? AND root = ?
        ORDER BY checkpoint DESC LIMIT 1";
    let mut query = connection.prepare_cached(select)?;
    query.query_row((id.number(), root), |row| row.get(0)).optional()
}

pub(crate) fn last_id(connection: &Connection) -> rusqlite::Result<Option<CheckpointId>> {
    let last: Option<u64> =
        connection.query_row("SELECT max(id) FROM checkpoint", [], |row| row.get(0))?;
    Ok(last.map(CheckpointId::from_number))
}

pub(crate) fn remove(connection: &Connection, id: CheckpointId) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM checkpoint WHERE id = ?", [id.number()])?;
    connection.execute("DELETE FROM covered WHERE checkpoint = ?", [id.number()])?;
    Ok(())
}

/// Returns the ids of the checkpoints of an owner.
pub(crate) fn ids(connection: &Connection, owner: &str) -> rusqlite::Result<HashSet<CheckpointId>> {
    let mut query = connection.prepare_cached("SELECT id FROM checkpoint WHERE owner = ?")?;
    let rows = query.query_map([owner], |row| row.get(0))?;
    rows.map(|id| id.map(CheckpointId::from_number)).collect()
}

pub(crate) fn remove_owner(connection: &Connection, owner: &str) -> rusqlite::Result<usize> {
    let covered = "DELETE FROM covered WHERE checkpoint IN
        (SELECT id FROM checkpoint WHERE owner = ?)";
    connection.execute(covered, [owner])?;
    connection.execute("DELETE FROM checkpoint WHERE owner = ?", [owner])
}

fn read(row: &Row<'_>) -> rusqlite::Result<Summary> {
    let at: u64 = row.get(1)?;
    let why: String = row.get(3)?;
    let lacks: Vec<u8> = row.get(12)?;
    Ok(Summary {
        id: CheckpointId::from_number(row.get(0)?),
        at: SystemTime::UNIX_EPOCH + Duration::from_millis(at),
        label: Label {
            owner: row.get(2)?,
            reason: Reason::from_name(&why).unwrap_or(Reason::Asked),
            turn: row.get(4)?,
            position: row.get(5)?,
            title: row.get(6)?,
        },
        roots: Vec::new(),
        complete: row.get(7)?,
        files: row.get(8)?,
        changed: row.get(9)?,
        ignored: row.get(10)?,
        not_kept_count: row.get(11)?,
        not_kept: read_lacks(&lacks),
    })
}

fn write_lacks(lacks: &[NotKept]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for each in lacks {
        bytes.push(reason_number(each.why));
        put_number(&mut bytes, each.path.root() as u64);
        put_bytes(&mut bytes, each.path.as_bytes());
    }
    bytes
}

fn read_lacks(bytes: &[u8]) -> Vec<NotKept> {
    let mut reader = Reader::new(bytes);
    std::iter::from_fn(|| {
        let why = reason(reader.byte()?)?;
        let root = reader.length()?;
        Some(NotKept { path: TreePath::new(root, reader.bytes()?), why })
    })
    .collect()
}
