//! Deleting checkpoints, and the contents that no other checkpoint needs.

use crate::format::manifest;
use crate::snapshot::content_id::ContentId;
use crate::store::checkpoints;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::label::Reason;
use crate::store::manifests;
use crate::store::needed_checkpoints::needed_checkpoints;
use crate::store::past_activities;
use crate::store::record_tables;
use crate::store::restored_paths;
use crate::store::summary::Summary;
use crate::store::tombstones;
use rusqlite::Connection;
use std::collections::HashSet;

/// How many checkpoints are deleted before the use is computed again.
const MOST_AT_ONCE: usize = 8;

/// A number that changes whenever contents or manifests are deleted. While it is the same, a
/// content that was in the store is still there.
pub(crate) fn generation(connection: &Connection) -> rusqlite::Result<i64> {
    fact(connection, "generation")
}

/// A number that differs between stores.
pub(crate) fn identity(connection: &Connection) -> rusqlite::Result<i64> {
    fact(connection, "identity")
}

fn fact(connection: &Connection, name: &str) -> rusqlite::Result<i64> {
    connection
        .prepare_cached("SELECT value FROM fact WHERE name = ?")?
        .query_row([name], |row| row.get(0))
}

/// How many bytes of the file are used.
pub(crate) fn used_bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u64>(0));
    Ok((number("page_count")?.saturating_sub(number("freelist_count")?)) * number("page_size")?)
}

/// Deletes the checkpoints of an owner.
pub(crate) fn forget(database: &Database, owner: &str) -> Result<(), StoreError> {
    database.write(|connection| {
        let removed =
            checkpoints::ids(connection, owner).map_err(|error| database.failure(&error))?;
        past_activities::remember(connection, &removed)
            .map_err(|error| database.failure(&error))?;
        checkpoints::remove_owner(connection, owner).map_err(|error| database.failure(&error))?;
        tombstones::put(connection, owner).map_err(|error| database.failure(&error))?;
        record_tables::forget(connection, owner).map_err(|error| database.failure(&error))?;
        sweep(database, connection, &HashSet::new())
    })?;
    database.remove_set_aside()?;
    database.shrink()
}

/// What stays when checkpoints are deleted for room.
#[derive(Debug, Default)]
pub(crate) struct Keep<'k> {
    /// A checkpoint that was just stored.
    pub(crate) checkpoint: Option<CheckpointId>,
    /// The owner whose checkpoint is being taken, or was just stored.
    pub(crate) owner: Option<&'k str>,
    /// Contents that a checkpoint needs that is being taken.
    pub(crate) contents: HashSet<ContentId>,
}

/// Deletes every manifest and content that no checkpoint and no incomplete restore needs.
pub(crate) fn remove_unneeded(database: &Database) -> Result<(), StoreError> {
    database.write(|connection| sweep(database, connection, &HashSet::new()))?;
    database.shrink()
}

/// Deletes checkpoints that are not needed at present until the file uses at most `limit` bytes:
/// first those that were taken only for a comparison or a preview, then the oldest.
pub(crate) fn prune(
    database: &Database,
    limit: u64,
    keep: &Keep<'_>,
) -> Result<Vec<CheckpointId>, StoreError> {
    let failed = |error: rusqlite::Error| database.failure(&error);
    let mut removed = Vec::new();
    // The first pass deletes only what interrupted checkpoints left over.
    let mut at_once = 0;
    loop {
        let goes_on = database.write(|connection| {
            let all = checkpoints::list(connection, None).map_err(failed)?;
            let mut needed = needed_checkpoints(&all, keep.owner);
            needed.extend(keep.checkpoint);
            let is_asked = |each: &&Summary| each.label.reason == Reason::Asked;
            let (asked, others): (Vec<_>, Vec<_>) = all.iter().partition(is_asked);
            let unneeded = asked.into_iter().chain(others).map(|each| each.id);
            let unneeded = unneeded.filter(|id| !needed.contains(id));
            let oldest: Vec<CheckpointId> = unneeded.take(at_once).collect();
            let removing: HashSet<_> = oldest.iter().copied().collect();
            if !removing.is_empty() {
                past_activities::remember(connection, &removing).map_err(failed)?;
            }
            for id in &oldest {
                checkpoints::remove(connection, *id).map_err(failed)?;
            }
            removed.extend_from_slice(&oldest);
            sweep(database, connection, &keep.contents)?;
            let is_over = used_bytes(connection).map_err(failed)? > limit;
            Ok(is_over && (at_once == 0 || !oldest.is_empty()))
        })?;
        if !goes_on {
            database.shrink()?;
            return Ok(removed);
        }
        at_once = (at_once * 2).clamp(1, MOST_AT_ONCE);
    }
}

/// Deletes every manifest and content that no checkpoint and no incomplete restore needs.
fn sweep(
    database: &Database,
    connection: &Connection,
    pinned: &HashSet<ContentId>,
) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| database.failure(&error);
    past_activities::remove_old(connection).map_err(failed)?;
    let mut changed = manifests::remove_unused(database, connection)?;
    let mut needed = restored_paths::needed(database, connection)?;
    needed.extend(pinned);
    let mut query = connection.prepare("SELECT base, data FROM manifest").map_err(failed)?;
    let mut rows = query.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let base: Option<i64> = row.get(0).map_err(failed)?;
        let data: Vec<u8> = row.get(1).map_err(failed)?;
        let damaged = || database.damage("a manifest cannot be read");
        match base {
            None => {
                let listing = manifest::read_listing(&data).ok_or_else(damaged)?;
                needed.extend(listing.iter().filter_map(|(_, entry)| manifests::kept(entry)));
            }
            Some(_) => {
                let delta = manifest::read_delta(&data).ok_or_else(damaged)?;
                needed.extend(delta.values().flatten().filter_map(manifests::kept));
            }
        }
    }
    drop(rows);
    let mut unneeded: Vec<i64> = Vec::new();
    let mut query = connection.prepare("SELECT id, hash FROM content").map_err(failed)?;
    let mut rows = query.query([]).map_err(failed)?;
    while let Some(row) = rows.next().map_err(failed)? {
        let hash = row.get_ref(1).map_err(failed)?.as_blob().unwrap_or_default();
        let is_needed = <[u8; 32]>::try_from(hash)
            .is_ok_and(|hash| needed.contains(&ContentId::from_bytes(hash)));
        if !is_needed {
            unneeded.push(row.get(0).map_err(failed)?);
        }
    }
    drop(rows);
    changed |= !unneeded.is_empty();
    let mut delete = connection.prepare("DELETE FROM content WHERE id = ?").map_err(failed)?;
    for id in unneeded {
        delete.execute([id]).map_err(failed)?;
    }
    if changed {
        let next = "UPDATE fact SET value = value + 1 WHERE name = 'generation'";
        connection.execute(next, []).map_err(failed)?;
    }
    Ok(())
}
