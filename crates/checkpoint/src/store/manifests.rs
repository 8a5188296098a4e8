//! Manifests in the database: each is whole, or the difference to another one, its base.

use crate::format::manifest::{self, Delta, Listing};
use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::Entry;
use crate::store::database::Database;
use crate::store::error::StoreError;
use rusqlite::{Connection, OptionalExtension};

/// How many differences may lie above a whole manifest.
const LONGEST_CHAIN: u64 = 400;

/// The number of a manifest. Numbers are never used again.
pub(crate) type ManifestId = i64;

struct Row {
    base: Option<ManifestId>,
    data: Vec<u8>,
}

fn row(connection: &Connection, id: ManifestId) -> rusqlite::Result<Option<Row>> {
    let mut query = connection.prepare_cached("SELECT base, data FROM manifest WHERE id = ?")?;
    query.query_row([id], |row| Ok(Row { base: row.get(0)?, data: row.get(1)? })).optional()
}

pub(crate) fn exists(connection: &Connection, id: ManifestId) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM manifest WHERE id = ?")?.exists([id])
}

/// Reads a manifest.
pub(crate) fn load(
    database: &Database,
    connection: &Connection,
    id: ManifestId,
) -> Result<Listing, StoreError> {
    let damaged = |reason: &str| database.damage(format!("manifest {id} {reason}"));
    let mut together = Delta::new();
    let mut next = id;
    // A chain is never longer, so a circle of damaged rows ends.
    for _ in 0..=LONGEST_CHAIN * 2 {
        let found = row(connection, next).map_err(|error| database.failure(&error))?;
        let found = found.ok_or_else(|| damaged("is missing"))?;
        match found.base {
            None => {
                let whole = manifest::read_listing(&found.data);
                let whole = whole.ok_or_else(|| damaged("cannot be read"))?;
                return Ok(manifest::apply(whole, together));
            }
            Some(base) => {
                let delta = manifest::read_delta(&found.data);
                let delta = delta.ok_or_else(|| damaged("cannot be read"))?;
                manifest::put_below(&mut together, delta);
                next = base;
            }
        }
    }
    Err(damaged("has a chain that does not end"))
}

/// Reads the difference from the manifest `since` to another one. Returns `None` if the other one
/// is not based on it.
pub(crate) fn load_since(
    database: &Database,
    connection: &Connection,
    since: ManifestId,
    id: ManifestId,
) -> Result<Option<Delta>, StoreError> {
    let damaged = |reason: &str| database.damage(format!("manifest {id} {reason}"));
    let mut together = Delta::new();
    let mut next = id;
    // A manifest has a larger number than its base.
    while next > since {
        let found = row(connection, next).map_err(|error| database.failure(&error))?;
        let found = found.ok_or_else(|| damaged("is missing"))?;
        let Some(base) = found.base.filter(|base| *base < next) else { return Ok(None) };
        let delta = manifest::read_delta(&found.data);
        manifest::put_below(&mut together, delta.ok_or_else(|| damaged("cannot be read"))?);
        next = base;
    }
    Ok((next == since).then_some(together))
}

/// Adds a manifest that differs from `base`.
pub(crate) fn add_delta(
    database: &Database,
    connection: &Connection,
    base: ManifestId,
    delta: &Delta,
) -> Result<ManifestId, StoreError> {
    let failed = |error: rusqlite::Error| database.failure(&error);
    let data = manifest::write(delta.iter().map(|(path, entry)| (path.as_slice(), entry.as_ref())));
    let (whole, above): (u64, u64) = connection
        .query_row("SELECT whole, above FROM manifest WHERE id = ?", [base], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .map_err(failed)?;
    // `above` counts the bytes of the differences, and at least a share for each of them, so that
    // no chain is too long.
    let above = above + (data.len() as u64).max(whole / LONGEST_CHAIN + 1);
    if above > whole.max(4096) {
        let mut listing = load(database, connection, base)?;
        listing = manifest::apply(listing, delta.clone());
        return add_whole(database, connection, &listing);
    }
    let insert = "INSERT INTO manifest (base, entries, whole, above, data) VALUES (?, ?, ?, ?, ?)";
    let row = (base, delta.len() as u64, whole, above, data);
    connection.prepare_cached(insert).and_then(|mut insert| insert.execute(row)).map_err(failed)?;
    Ok(connection.last_insert_rowid())
}

/// Adds a whole manifest. The listing must be sorted.
pub(crate) fn add_whole(
    database: &Database,
    connection: &Connection,
    listing: &[(Vec<u8>, Entry)],
) -> Result<ManifestId, StoreError> {
    let data = manifest::write(listing.iter().map(|(path, entry)| (path.as_slice(), Some(entry))));
    let insert =
        "INSERT INTO manifest (base, entries, whole, above, data) VALUES (NULL, ?, ?, 0, ?)";
    let row = (listing.len() as u64, data.len() as u64, data);
    connection
        .prepare_cached(insert)
        .and_then(|mut insert| insert.execute(row))
        .map_err(|error| database.failure(&error))?;
    Ok(connection.last_insert_rowid())
}

/// Deletes every manifest that no checkpoint has. Manifests that differ from a deleted one get its
/// difference too. Returns whether any was deleted.
pub(crate) fn remove_unused(
    database: &Database,
    connection: &Connection,
) -> Result<bool, StoreError> {
    let failed = |error: rusqlite::Error| database.failure(&error);
    let ids = |sql: &str, id: Option<ManifestId>| -> rusqlite::Result<Vec<ManifestId>> {
        let mut query = connection.prepare_cached(sql)?;
        match id {
            Some(id) => query.query_map([id], |row| row.get(0))?.collect(),
            None => query.query_map([], |row| row.get(0))?.collect(),
        }
    };
    const UNUSED: &str = "SELECT id FROM manifest WHERE id NOT IN (SELECT manifest FROM covered)";
    // From the newest to the oldest, so that a chain of unused ones is not merged one by one.
    let unused = ids(&format!("{UNUSED} ORDER BY id DESC"), None).map_err(failed)?;
    for id in &unused {
        let children = ids("SELECT id FROM manifest WHERE base = ?", Some(*id)).map_err(failed)?;
        if let Some(own) = row(connection, *id).map_err(failed)? {
            for child in children {
                put_on(database, connection, &own, child)?;
            }
        }
        connection.execute("DELETE FROM manifest WHERE id = ?", [id]).map_err(failed)?;
    }
    Ok(!unused.is_empty())
}

/// Makes a manifest that differs from `lower` independent of it.
fn put_on(
    database: &Database,
    connection: &Connection,
    lower: &Row,
    child: ManifestId,
) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| database.failure(&error);
    let damaged = || database.damage(format!("manifest {child} cannot be read"));
    let Some(upper) = row(connection, child).map_err(failed)? else { return Ok(()) };
    let mut delta = manifest::read_delta(&upper.data).ok_or_else(damaged)?;
    let (data, whole) = match lower.base {
        None => {
            let listing = manifest::read_listing(&lower.data).ok_or_else(damaged)?;
            let listing = manifest::apply(listing, delta);
            let entries = listing.iter().map(|(path, entry)| (path.as_slice(), Some(entry)));
            let data = manifest::write(entries);
            let whole = Some(data.len() as u64);
            (data, whole)
        }
        Some(_) => {
            let earlier = manifest::read_delta(&lower.data).ok_or_else(damaged)?;
            manifest::put_below(&mut delta, earlier);
            let entries = delta.iter().map(|(path, entry)| (path.as_slice(), entry.as_ref()));
            (manifest::write(entries), None)
        }
    };
    let update = "UPDATE manifest SET base = ?, data = ?, whole = coalesce(?, whole),
        above = CASE WHEN ? THEN 0 ELSE above END WHERE id = ?";
    let row = (lower.base, data, whole, whole.is_some(), child);
    connection.execute(update, row).map_err(failed)?;
    Ok(())
}

/// Returns the content that an entry needs in the store.
pub(crate) fn kept(entry: &Entry) -> Option<ContentId> {
    match entry {
        Entry::File { content, .. } => Some(*content),
        _ => None,
    }
}
