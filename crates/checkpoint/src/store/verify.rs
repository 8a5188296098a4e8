//! Finds damage in a store.

use crate::snapshot::content_id::ContentId;
use crate::store::checkpoints;
use crate::store::contents::{self, Found};
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::manifests;
use crate::store::manifests::kept;
use crate::store::usage::Verified;
use std::collections::HashSet;

/// How many problems of the file are listed.
const PROBLEMS: usize = 20;

/// Reads everything in the store.
pub(crate) fn verify(database: &Database) -> Result<Verified, StoreError> {
    let mut verified = Verified::default();
    let checked = database.query(|connection| {
        let mut query = connection.prepare("PRAGMA integrity_check(20)")?;
        query.query_map([], |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
    });
    match checked {
        Ok(lines) => verified.problems = lines.into_iter().filter(|line| line != "ok").collect(),
        Err(error) => verified.problems.push(error.to_string()),
    }
    let hashes = database.query(|connection| {
        let mut query = connection.prepare("SELECT hash FROM content")?;
        let hashes = query.query_map([], |row| row.get::<_, Vec<u8>>(0))?;
        hashes.collect::<Result<Vec<_>, _>>()
    })?;
    let mut intact = HashSet::new();
    for hash in hashes {
        verified.contents += 1;
        let Ok(hash) = <[u8; 32]>::try_from(hash) else {
            verified.problems.push("a content has no hash".to_owned());
            continue;
        };
        let id = ContentId::from_bytes(hash);
        match database.query(|connection| contents::get(connection, &id)) {
            Ok(Found::Bytes(_)) => drop(intact.insert(id)),
            // It was deleted meanwhile.
            Ok(Found::Missing) => {}
            Ok(Found::Damaged) | Err(_) => verified.damaged.push(id),
        }
    }
    let mut missing = HashSet::new();
    for summary in database.read(|connection| {
        checkpoints::list(connection, None).map_err(|error| database.failure(&error))
    })? {
        let lacking = database.read(|connection| {
            let manifests = checkpoints::manifests(connection, summary.id);
            let mut lacking = Vec::new();
            for manifest in manifests.map_err(|error| database.failure(&error))? {
                let listing = manifests::load(database, connection, manifest)?;
                let needed = listing.iter().filter_map(|(_, entry)| kept(entry));
                lacking.extend(needed.filter(|id| !intact.contains(id)));
            }
            Ok(lacking)
        });
        match lacking {
            Ok(lacking) if lacking.is_empty() => {}
            Ok(lacking) => {
                verified.affected.push(summary.id);
                missing.extend(lacking);
            }
            Err(error) => {
                verified.affected.push(summary.id);
                if verified.problems.len() < PROBLEMS {
                    verified.problems.push(error.to_string());
                }
            }
        }
    }
    missing.extend(verified.damaged.drain(..));
    verified.damaged = missing.into_iter().collect();
    verified.damaged.sort_unstable();
    Ok(verified)
}
