//! The changed paths between two checkpoints.

use crate::attribution::author::Author;
use crate::attribution::follower::rebased;
use crate::attribution::timeline::Timeline;
use crate::changes::contents::Contents;
use crate::changes::hunk::{Counter, Hunk, Pair, divide};
use crate::changes::rename::{Side, exact, similar};
use crate::changes::repository::{HeadChange, head_change};
use crate::changes::state::{Difference, State, differences};
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use crate::store::Store;
use crate::store::error::StoreError;
use crate::store::id::CheckpointId;
use crate::store::summary::Summary;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// How a path changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its content or its target differs.
    Modified,
    /// Only its permissions differ.
    Mode,
    /// It is of another type: a file, a link or a folder.
    Type,
    /// It is new, and has the content of a removed path.
    Renamed,
}

impl ChangeKind {
    /// Returns how an entry changed; `None` if it exists neither before nor after.
    pub(crate) fn of(before: Option<&Entry>, after: Option<&Entry>) -> Option<ChangeKind> {
        let is_file =
            |entry: &Entry| matches!(entry, Entry::File { .. } | Entry::FileNotKept { .. });
        Some(match (before, after) {
            (None, None) => return None,
            (None, Some(_)) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            (Some(old), Some(new)) if is_file(old) && is_file(new) => {
                let is_same = old.content().is_some() && old.content() == new.content();
                if is_same { ChangeKind::Mode } else { ChangeKind::Modified }
            }
            (Some(Entry::Folder { .. }), Some(Entry::Folder { .. })) => ChangeKind::Mode,
            (Some(Entry::Link { .. }), Some(Entry::Link { .. })) => ChangeKind::Modified,
            (Some(_), Some(_)) => ChangeKind::Type,
        })
    }
}

/// A changed path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// The path.
    pub path: TreePath,
    /// How it changed.
    pub kind: ChangeKind,
    /// The other path of a renamed file. The old path is listed as removed, with this too.
    pub renamed: Option<TreePath>,
    /// Its entry before.
    pub before: Option<Entry>,
    /// Its entry afterwards.
    pub after: Option<Entry>,
    /// Who changed it, as far as checkpoints in between tell.
    pub authors: Vec<Author>,
}

/// The changed paths between two checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// The folders. [`TreePath::root`] is an index of this list.
    pub roots: Vec<PathBuf>,
    /// The changes in the order of the paths.
    pub files: Vec<FileChange>,
    /// The number of paths of which one checkpoint does not know what they were.
    pub unknown: u64,
    /// Changes of the `HEAD` of repositories since the earlier checkpoint, which checkpoints do not
    /// contain.
    pub heads: Vec<HeadChange>,
}

impl Store {
    /// Returns what changed from one checkpoint to a later one. Paths outside of the folders of the
    /// earlier one are left out. To compare with the present, take a checkpoint of it first.
    ///
    /// # Errors
    /// Returns an error if a checkpoint does not exist or the store cannot be read.
    pub fn changes(&self, from: CheckpointId, to: CheckpointId) -> Result<Changes, StoreError> {
        let all = self.list(None)?;
        let find = |id: CheckpointId| {
            let found = all.iter().find(|each| each.id == id);
            found.ok_or_else(|| StoreError::NotFound { id: id.to_string() })
        };
        let (earlier, later) = (find(from)?, find(to)?);
        let before = self.tree(from)?;
        let after = rebased(self.tree(to)?, &later.roots, &earlier.roots);
        let found = differences(&before, &after);
        let authors = self.authors(&all, earlier, later)?;
        Ok(changes(earlier, found, &authors, self))
    }

    /// Returns the hunks of a change.
    ///
    /// # Errors
    /// Returns an error if a content cannot be read.
    pub fn hunks(&self, change: &FileChange) -> Result<Vec<Hunk>, StoreError> {
        let pair = Pair {
            path: &change.path,
            before: change.before.as_ref(),
            after: change.after.as_ref(),
        };
        let mut counter = Counter::default();
        Ok(divide(pair, change.renamed.as_ref(), self, &mut counter)?.hunks)
    }

    /// Returns the authors of every path between two checkpoints.
    fn authors(
        &self,
        all: &[Summary],
        earlier: &Summary,
        later: &Summary,
    ) -> Result<BTreeMap<TreePath, BTreeSet<Author>>, StoreError> {
        if earlier.id >= later.id {
            return Ok(BTreeMap::new());
        }
        let timeline = Timeline::read(self, all, (earlier.id, Some(later.id)), None)?;
        let authors = |path: &TreePath| {
            timeline.steps(path).into_iter().map(|step| step.author).collect::<BTreeSet<_>>()
        };
        Ok(timeline.paths().map(|path| (path.clone(), authors(path))).collect())
    }
}

fn changes(
    earlier: &Summary,
    found: Vec<Difference>,
    authors: &BTreeMap<TreePath, BTreeSet<Author>>,
    contents: &dyn Contents,
) -> Changes {
    let is_known =
        |each: &Difference| each.before != State::Unknown && each.after != State::Unknown;
    let unknown = found.iter().filter(|each| !is_known(each)).count() as u64;
    let change = |each: Difference| {
        let (before, after) = (each.before.entry().cloned(), each.after.entry().cloned());
        let kind = ChangeKind::of(before.as_ref(), after.as_ref())?;
        let authors = authors.get(&each.path).into_iter().flatten().cloned().collect();
        Some(FileChange { path: each.path, kind, renamed: None, before, after, authors })
    };
    let mut files: Vec<FileChange> =
        found.into_iter().filter(is_known).filter_map(change).collect();
    mark_renamed(&mut files, contents);
    let heads = earlier.roots.iter().filter_map(|root| head_change(root, earlier.at)).collect();
    Changes { roots: earlier.roots.clone(), files, unknown, heads }
}

/// Marks renamed files.
fn mark_renamed(files: &mut [FileChange], contents: &dyn Contents) {
    let mut pairs = Vec::new();
    for only_exact in [true, false] {
        let paired: BTreeSet<&TreePath> = pairs.iter().flat_map(|(old, new)| [old, new]).collect();
        let side = |kind: ChangeKind| -> Vec<Side<'_>> {
            let left =
                files.iter().filter(|file| file.kind == kind && !paired.contains(&file.path));
            left.filter_map(|file| {
                Some((&file.path, file.before.as_ref().or(file.after.as_ref())?))
            })
            .collect()
        };
        let (removed, added) = (side(ChangeKind::Removed), side(ChangeKind::Added));
        let found = match only_exact {
            true => exact(&removed, &added),
            false => similar(&removed, &added, contents),
        };
        pairs.extend(found);
    }
    let other: BTreeMap<TreePath, TreePath> =
        pairs.into_iter().flat_map(|(old, new)| [(old.clone(), new.clone()), (new, old)]).collect();
    for file in files {
        file.renamed = other.get(&file.path).cloned();
        if file.renamed.is_some() && file.kind == ChangeKind::Added {
            file.kind = ChangeKind::Renamed;
        }
    }
}
