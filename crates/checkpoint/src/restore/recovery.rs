//! What is left to do of an interrupted restore, and whether its folders are still the same.

use crate::changes::state::State;
use crate::restore::apply::is_like;
use crate::restore::disk::Disk;
use crate::restore::kept::KeptReason;
use crate::restore::operation::Operation;
use crate::snapshot::path::TreePath;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// What tells a folder from another one that later has its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FolderIdentity {
    device: u64,
    inode: u64,
    /// Nanoseconds since 1970, or `None` if the file system does not keep the time of creation.
    created: Option<u64>,
}

impl FolderIdentity {
    /// Returns the identity of a folder; `None` if it does not exist.
    fn of(path: &Path) -> Option<FolderIdentity> {
        let found = std::fs::metadata(path).ok()?;
        let created = found.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let created = created.and_then(|since| u64::try_from(since.as_nanos()).ok());
        Some(FolderIdentity { device: found.dev(), inode: found.ino(), created })
    }

    /// Returns whether both are the same folder. The number of a device may differ after the
    /// computer starts again, so it counts only if the times of creation are not known.
    fn is_same(&self, other: &FolderIdentity) -> bool {
        let is_sure = self.created.is_some() || self.device == other.device;
        is_sure && self.inode == other.inode && self.created == other.created
    }
}

/// Returns the identities of folders.
pub(crate) fn identities(roots: &[PathBuf]) -> Vec<Option<FolderIdentity>> {
    roots.iter().map(|root| FolderIdentity::of(root)).collect()
}

/// Returns whether the folders still are those with these identities.
pub(crate) fn are_same(roots: &[PathBuf], then: &[Option<FolderIdentity>]) -> bool {
    let is_same = |(now, then): (&Option<FolderIdentity>, &Option<FolderIdentity>)| {
        now.as_ref().zip(then.as_ref()).is_some_and(|(now, then)| now.is_same(then))
    };
    roots.len() == then.len() && identities(roots).iter().zip(then).all(is_same)
}

/// The operations that are left, the paths that have their result, and those that changed in the
/// meantime.
pub(crate) type Remaining = (Vec<Operation>, BTreeSet<TreePath>, Vec<(TreePath, KeptReason)>);

/// Returns what is left of a restore that was interrupted.
pub(crate) fn remaining(operations: &[Operation], disk: &Disk) -> Remaining {
    let mut chains: BTreeMap<&TreePath, Vec<&Operation>> = BTreeMap::new();
    for operation in operations {
        chains.entry(&operation.path).or_default().push(operation);
    }
    let (mut done, mut kept) = (BTreeSet::new(), Vec::new());
    let mut made: BTreeMap<&TreePath, usize> = BTreeMap::new();
    let state = |entry: &Option<_>| entry.clone().map_or(State::Absent, State::Present);
    for (path, chain) in chains {
        let present = disk.read(path).map(|present| present.state).unwrap_or(State::Unknown);
        let last = chain.iter().rposition(|each| is_like(&state(&each.to), &present));
        let first = chain.first().is_some_and(|each| is_like(&state(&each.from), &present));
        match last {
            Some(last) => {
                made.insert(path, last + 1);
                done.extend((last + 1 == chain.len()).then(|| path.clone()));
            }
            None if first => {
                made.insert(path, 0);
            }
            None => kept.push((path.clone(), KeptReason::ChangedSincePreview)),
        }
    }
    let mut seen: BTreeMap<TreePath, usize> = BTreeMap::new();
    let mut left = operations.to_vec();
    left.retain(|operation| {
        let seen = seen.entry(operation.path.clone()).or_default();
        *seen += 1;
        made.get(&operation.path).is_some_and(|made| *seen > *made)
    });
    (left, done, kept)
}
