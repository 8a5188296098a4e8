//! Turns and restores whose checkpoints were deleted. What changed in that time has no certain
//! author, so that no other session takes it for its own.

use crate::attribution::activity::{Action, Activity, activities};
use crate::store::checkpoints;
use crate::store::id::CheckpointId;
use rusqlite::{Connection, Row};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::SystemTime;

/// Records the activities that need one of these checkpoints. Call it before they are deleted.
pub(crate) fn remember(
    connection: &Connection,
    removed: &HashSet<CheckpointId>,
) -> rusqlite::Result<()> {
    let all = checkpoints::list(connection, None)?;
    let now = CheckpointId::after(checkpoints::last_id(connection)?, SystemTime::now());
    let is_removed = |id: &CheckpointId| removed.contains(id);
    let insert = "INSERT INTO past_activity (since, until, root) VALUES (?, ?, ?)";
    let mut insert = connection.prepare_cached(insert)?;
    for each in activities(&all, None) {
        if !each.from.iter().chain(&each.until).any(is_removed) {
            continue;
        }
        for root in &each.roots {
            let overlaps = |other: &PathBuf| other.starts_with(root) || root.starts_with(other);
            let mut left = all.iter().filter(|other| !is_removed(&other.id));
            if left.any(|other| other.roots.iter().any(overlaps)) {
                let since = each.from.map_or(0, CheckpointId::number);
                let until = each.until.unwrap_or(now).number();
                insert.execute((since, until, root.as_os_str().as_bytes()))?;
            }
        }
    }
    Ok(())
}

/// Deletes the activities that ended before the oldest checkpoint.
pub(crate) fn remove_old(connection: &Connection) -> rusqlite::Result<()> {
    let delete = "DELETE FROM past_activity WHERE until <=
        (SELECT coalesce(min(id), 9223372036854775807) FROM checkpoint)";
    connection.execute(delete, []).map(drop)
}

/// Returns the activities whose checkpoints were deleted.
pub(crate) fn list(connection: &Connection) -> rusqlite::Result<Vec<Activity>> {
    let mut query = connection.prepare("SELECT since, until, root FROM past_activity")?;
    query.query_map([], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Activity> {
    let until = CheckpointId::from_number(row.get(1)?);
    let root = OsStr::from_bytes(row.get_ref(2)?.as_blob().unwrap_or_default());
    Ok(Activity {
        owner: String::new(),
        action: Action::Turn(None),
        from: Some(CheckpointId::from_number(row.get(0)?)),
        until: Some(until),
        until_at: Some(until.time()),
        is_certain: false,
        roots: vec![PathBuf::from(root)],
    })
}
