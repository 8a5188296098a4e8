//! Completes an incomplete checkpoint with what a later one found.

use crate::format::manifest::{self, Delta, Listing};
use crate::snapshot::entry::{Entry, NotKeptReason};
use crate::store::checkpoints;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::manifests::{self, ManifestId};
use crate::store::summary::Summary;
use crate::take::lacks::Lacks;
use crate::take::stat_cache::Counts;
use rusqlite::Connection;
use std::os::unix::ffi::OsStrExt;

/// Stores the manifests of the earlier checkpoint with what it lacked, and makes `summary` that of
/// the completed checkpoint.
pub(crate) fn fill(
    database: &Database,
    connection: &Connection,
    earlier: &Summary,
    later: &[ManifestId],
    summary: &mut Summary,
) -> Result<Vec<ManifestId>, StoreError> {
    let failed = |error: rusqlite::Error| database.failure(&error);
    let old = checkpoints::manifests(connection, earlier.id).map_err(failed)?;
    if old.len() != later.len() {
        return Err(StoreError::NotFound { id: earlier.id.to_string() });
    }
    let (mut lacks, mut counts, mut changed) = (Lacks::default(), Counts::default(), 0);
    let mut stored = Vec::new();
    for (number, (old, later)) in old.into_iter().zip(later).enumerate() {
        let found = manifests::load(database, connection, *later)?;
        let filled = filled(manifests::load(database, connection, old)?, &found);
        for (path, entry) in &filled {
            match entry.not_kept() {
                Some(NotKeptReason::Ignored) => counts.ignored += 1,
                why => {
                    counts.entries += 1;
                    counts.lacking += u64::from(why.is_some());
                    why.into_iter().for_each(|why| lacks.add(number, path.clone(), why));
                }
            }
        }
        let root = earlier.roots.get(number).map(|root| root.as_os_str().as_bytes());
        let before = checkpoints::manifest_before(connection, earlier.id, root.unwrap_or_default());
        if let Some(before) = before.map_err(failed)? {
            let before = manifests::load(database, connection, before)?;
            changed += manifest::difference(&before, &filled).len() as u64;
        }
        let delta: Delta = manifest::difference(&found, &filled);
        stored.push(match delta.is_empty() {
            true => *later,
            false => manifests::add_delta(database, connection, *later, &delta)?,
        });
    }
    (summary.not_kept, summary.complete) = lacks.finish();
    (summary.files, summary.not_kept_count) = (counts.entries, counts.lacking);
    (summary.ignored, summary.changed) = (counts.ignored, changed);
    (summary.id, summary.at, summary.label) = (earlier.id, earlier.at, earlier.label.clone());
    Ok(stored)
}

/// Returns the earlier listing with what it lacked. What it has stays, because it is older.
fn filled(earlier: Listing, later: &Listing) -> Listing {
    let at = |path: &[u8]| later.binary_search_by(|each| each.0.as_slice().cmp(path));
    let mut filled = Listing::new();
    for (path, entry) in earlier {
        let can_be_filled = entry
            .not_kept()
            .is_some_and(|why| matches!(why, NotKeptReason::Time | NotKeptReason::DiskLimit));
        if !can_be_filled {
            filled.push((path, entry));
            continue;
        }
        match at(&path).ok().and_then(|found| later.get(found)) {
            Some(found) => filled.push(found.clone()),
            None if path.is_empty() => {}
            None => {
                let why = NotKeptReason::ChangedAfterPrompt;
                filled.push((
                    path.clone(),
                    match entry {
                        Entry::FolderNotKept { .. } => Entry::FolderNotKept { why },
                        _ => Entry::Unknown { why },
                    },
                ));
                continue;
            }
        }
        if matches!(entry, Entry::FolderNotKept { .. }) {
            let mut below = path.clone();
            if !below.is_empty() {
                below.push(b'/');
            }
            let from = later.partition_point(|each| each.0.as_slice() <= below.as_slice());
            let inside = later.iter().skip(from).take_while(|each| each.0.starts_with(&below));
            filled.extend(inside.cloned());
        }
    }
    filled.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    filled.dedup_by(|later, first| later.0 == first.0);
    filled
}
