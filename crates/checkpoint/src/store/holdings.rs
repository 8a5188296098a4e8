//! What checkpoints hold: all of it, or what differs from another checkpoint.

use crate::snapshot::path::TreePath;
use crate::snapshot::tree::{Tree, TreeDelta};
use crate::store::checkpoints;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::manifests::{self, ManifestId};
use rusqlite::Connection;

/// What a checkpoint holds.
#[derive(Debug)]
pub(crate) struct Holding {
    /// The manifests that list it, one for each root. A manifest never holds anything else.
    pub(crate) manifests: Vec<ManifestId>,
    pub(crate) content: Content,
}

/// The entries of a [`Holding`].
#[derive(Debug)]
pub(crate) enum Content {
    /// All entries.
    Whole(Tree),
    /// What differs from the known checkpoint with this index.
    Since(usize, TreeDelta),
}

/// Returns what a checkpoint holds. `known` are the manifests of other checkpoints of the same
/// roots. The cost grows with the difference to the first of them on which this one is based.
pub(crate) fn holding(
    database: &Database,
    connection: &Connection,
    id: CheckpointId,
    known: &[&[ManifestId]],
) -> Result<Holding, StoreError> {
    let manifests = manifests(database, connection, id)?;
    for (index, since) in known.iter().enumerate() {
        if let Some(delta) = delta(database, connection, since, &manifests)? {
            return Ok(Holding { manifests, content: Content::Since(index, delta) });
        }
    }
    let content = Content::Whole(tree(database, connection, &manifests)?);
    Ok(Holding { manifests, content })
}

/// Returns the manifests of a checkpoint.
pub(crate) fn manifests(
    database: &Database,
    connection: &Connection,
    id: CheckpointId,
) -> Result<Vec<ManifestId>, StoreError> {
    let found = checkpoints::manifests(connection, id).map_err(|error| database.failure(&error))?;
    match found.is_empty() {
        true => Err(StoreError::NotFound { id: id.to_string() }),
        false => Ok(found),
    }
}

/// Returns everything that manifests list.
pub(crate) fn tree(
    database: &Database,
    connection: &Connection,
    manifests: &[ManifestId],
) -> Result<Tree, StoreError> {
    let mut entries = Vec::new();
    for (root, manifest) in manifests.iter().enumerate() {
        let listing = manifests::load(database, connection, *manifest)?.into_iter();
        entries.extend(listing.map(|(path, entry)| (TreePath::new(root, path), entry)));
    }
    Ok(Tree::new(entries))
}

fn delta(
    database: &Database,
    connection: &Connection,
    since: &[ManifestId],
    until: &[ManifestId],
) -> Result<Option<TreeDelta>, StoreError> {
    if since.len() != until.len() {
        return Ok(None);
    }
    let mut together = TreeDelta::new();
    for (root, (since, until)) in since.iter().zip(until).enumerate() {
        let Some(delta) = manifests::load_since(database, connection, *since, *until)? else {
            return Ok(None);
        };
        let paths = delta.into_iter();
        together.extend(paths.map(|(path, entry)| (TreePath::new(root, path), entry)));
    }
    Ok(Some(together))
}
