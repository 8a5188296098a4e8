//! What a timeline reads from the store.

use crate::attribution::activity::Activity;
use crate::snapshot::tree::Tree;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::holdings::{self, Holding};
use crate::store::id::CheckpointId;
use crate::store::manifests::ManifestId;
use crate::store::past_activities;
use crate::store::restored_paths::{RestoredPaths, restored_paths};

/// Returns trees by the ids of their checkpoints.
pub(crate) trait Trees {
    /// Returns what a checkpoint holds.
    fn tree(&self, id: CheckpointId) -> Result<Tree, StoreError>;

    /// Returns what a checkpoint holds: what differs from a checkpoint of the same roots with one
    /// of the manifests `known`, if the store has that, or all.
    fn holding(&self, id: CheckpointId, known: &[&[ManifestId]]) -> Result<Holding, StoreError>;

    /// Returns what the restore after this checkpoint changes.
    fn restored_paths(&self, id: CheckpointId) -> Result<RestoredPaths, StoreError>;

    /// Returns the activities whose checkpoints were deleted.
    fn past_activities(&self) -> Result<Vec<Activity>, StoreError>;
}

impl Trees for Store {
    fn tree(&self, id: CheckpointId) -> Result<Tree, StoreError> {
        Store::tree(self, id)
    }

    fn holding(&self, id: CheckpointId, known: &[&[ManifestId]]) -> Result<Holding, StoreError> {
        let database = self.database();
        let left_out = self.left_out();
        database.read(|connection| holdings::holding(database, connection, id, known, &left_out))
    }

    fn restored_paths(&self, id: CheckpointId) -> Result<RestoredPaths, StoreError> {
        restored_paths(self.database(), id)
    }

    fn past_activities(&self) -> Result<Vec<Activity>, StoreError> {
        self.read_records(past_activities::list)
    }
}
