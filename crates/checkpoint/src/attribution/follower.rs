//! Follows a folder from checkpoint to checkpoint. The cost grows with what changed, and not with
//! the number of files.

use crate::attribution::trees::Trees;
use crate::changes::state::{Difference, apply};
use crate::snapshot::path::TreePath;
use crate::snapshot::tree::{Tree, TreeDelta};
use crate::store::error::StoreError;
use crate::store::holdings::{Content, Holding};
use crate::store::manifests::ManifestId;
use crate::store::summary::Summary;
use std::collections::VecDeque;
use std::path::PathBuf;

/// How many checkpoints are remembered. A checkpoint that was completed later is not the base of
/// the next one, and neither is one of another session with wider roots.
const REMEMBERED: usize = 4;

/// A tree that goes from checkpoint to checkpoint.
pub(crate) struct Follower<'a> {
    trees: &'a dyn Trees,
    /// The roots to which the paths are relative.
    roots: &'a [PathBuf],
    now: Option<Tree>,
    /// The newest first.
    past: VecDeque<Past<'a>>,
}

/// A checkpoint that the follower passed.
struct Past<'a> {
    roots: &'a [PathBuf],
    manifests: Vec<ManifestId>,
    /// What leads from the present tree back to it.
    back: TreeDelta,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(trees: &'a dyn Trees, roots: &'a [PathBuf]) -> Self {
        Self { trees, roots, now: None, past: VecDeque::new() }
    }

    /// Goes on to the next checkpoint, and returns what differs. Nothing precedes the first one.
    pub(crate) fn next(&mut self, checkpoint: &'a Summary) -> Result<Vec<Difference>, StoreError> {
        let from = checkpoint.roots.as_slice();
        let known: Vec<&Past<'_>> = self.past.iter().filter(|past| past.roots == from).collect();
        let manifests: Vec<&[ManifestId]> =
            known.iter().map(|past| past.manifests.as_slice()).collect();
        let Holding { manifests, content } = self.trees.holding(checkpoint.id, &manifests)?;
        let delta = match (content, &self.now) {
            (Content::Since(index, delta), _) => {
                let mut together = rebased_delta(delta, from, self.roots);
                for (path, entry) in known.get(index).into_iter().flat_map(|past| &past.back) {
                    together.entry(path.clone()).or_insert_with(|| entry.clone());
                }
                together
            }
            (Content::Whole(tree), Some(now)) => {
                let changes = rebased(tree, from, self.roots).changes_since(now).into_iter();
                changes.map(|change| (change.path, change.after)).collect()
            }
            (Content::Whole(tree), None) => {
                self.now = Some(rebased(tree, from, self.roots));
                TreeDelta::new()
            }
        };
        let now = self.now.get_or_insert_default();
        let (differences, back) = apply(now, delta);
        for past in &mut self.past {
            for (path, entry) in &back {
                past.back.entry(path.clone()).or_insert_with(|| entry.clone());
            }
        }
        self.past.truncate(REMEMBERED - 1);
        self.past.push_front(Past { roots: from, manifests, back: TreeDelta::new() });
        Ok(differences)
    }

    /// Returns what the last checkpoint holds.
    pub(crate) fn end(self) -> Tree {
        self.now.unwrap_or_default()
    }
}

/// Returns a tree whose paths are relative to other roots. Entries outside of them are left out.
pub(crate) fn rebased(tree: Tree, from: &[PathBuf], to: &[PathBuf]) -> Tree {
    if from == to {
        return tree;
    }
    let entries = tree
        .iter()
        .filter_map(|(path, entry)| Some((rebased_path(path, from, to)?, entry.clone())));
    Tree::new(entries.collect())
}

fn rebased_delta(delta: TreeDelta, from: &[PathBuf], to: &[PathBuf]) -> TreeDelta {
    if from == to {
        return delta;
    }
    let entries = delta.into_iter();
    entries.filter_map(|(path, entry)| Some((rebased_path(&path, from, to)?, entry))).collect()
}

/// Returns the path below one of the roots `to`, or `None` if it is outside of them.
fn rebased_path(path: &TreePath, from: &[PathBuf], to: &[PathBuf]) -> Option<TreePath> {
    TreePath::within(to, &from.get(path.root())?.join(path.relative()))
}
