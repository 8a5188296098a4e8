//! What checkpoints hold: all of it, or what differs from another checkpoint.

use crate::snapshot::path::TreePath;
use crate::snapshot::tree::{Tree, TreeDelta};
use crate::store::checkpoints;
use crate::store::database::Database;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::manifests::{self, ManifestId};
use crate::take::left_out::LeftOut;
use rusqlite::Connection;
use std::path::PathBuf;

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

/// The paths that checkpoints of the same roots do not show, for each root.
pub(crate) struct Hidden(Vec<LeftOut>);

impl Hidden {
    /// Returns those of a checkpoint, which are `left_out` by now.
    pub(crate) fn of(
        connection: &Connection,
        id: CheckpointId,
        left_out: &[PathBuf],
    ) -> rusqlite::Result<Self> {
        let roots = checkpoints::roots(connection, id)?;
        Ok(Self(roots.iter().map(|root| LeftOut::below(root, left_out)).collect()))
    }

    fn has(&self, root: usize, path: &[u8]) -> bool {
        self.0.get(root).is_some_and(|left_out| left_out.has(path))
    }
}

/// Returns what a checkpoint holds. `known` are the manifests of other checkpoints of the same
/// roots. The cost grows with the difference to the first of them on which this one is based.
pub(crate) fn holding(
    database: &Database,
    connection: &Connection,
    id: CheckpointId,
    known: &[&[ManifestId]],
    left_out: &[PathBuf],
) -> Result<Holding, StoreError> {
    let manifests = manifests(database, connection, id)?;
    let hidden = Hidden::of(connection, id, left_out).map_err(|error| database.failure(&error))?;
    for (index, since) in known.iter().enumerate() {
        if let Some(delta) = delta(database, connection, (since, &manifests), &hidden)? {
            return Ok(Holding { manifests, content: Content::Since(index, delta) });
        }
    }
    let content = Content::Whole(tree(database, connection, &manifests, &hidden)?);
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
    hidden: &Hidden,
) -> Result<Tree, StoreError> {
    let mut entries = Vec::new();
    for (root, manifest) in manifests.iter().enumerate() {
        let listing = manifests::load(database, connection, *manifest)?.into_iter();
        let shown = listing.filter(|(path, _)| !hidden.has(root, path));
        entries.extend(shown.map(|(path, entry)| (TreePath::new(root, path), entry)));
    }
    Ok(Tree::new(entries))
}

fn delta(
    database: &Database,
    connection: &Connection,
    (since, until): (&[ManifestId], &[ManifestId]),
    hidden: &Hidden,
) -> Result<Option<TreeDelta>, StoreError> {
    if since.len() != until.len() {
        return Ok(None);
    }
    let mut together = TreeDelta::new();
    for (root, (since, until)) in since.iter().zip(until).enumerate() {
        let Some(delta) = manifests::load_since(database, connection, *since, *until)? else {
            return Ok(None);
        };
        let paths = delta.into_iter().filter(|(path, _)| !hidden.has(root, path));
        together.extend(paths.map(|(path, entry)| (TreePath::new(root, path), entry)));
    }
    Ok(Some(together))
}
