//! The entries of a checkpoint, and their comparison.

use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What differs from an earlier tree to a later one; `None` removes a path.
pub(crate) type TreeDelta = BTreeMap<TreePath, Option<Entry>>;

/// What a checkpoint holds: every entry by its path, in the order of the paths' bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    entries: BTreeMap<TreePath, Entry>,
}

impl Tree {
    /// Returns a tree of these entries. Of two entries with the same path, the first stays.
    pub fn new(mut entries: Vec<(TreePath, Entry)>) -> Self {
        entries.sort_by(|one, other| one.0.cmp(&other.0));
        entries.dedup_by(|later, first| later.0 == first.0);
        Self { entries: entries.into_iter().collect() }
    }

    /// Returns the entry at a path.
    pub fn get(&self, path: &TreePath) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// Returns every path with its entry, in the order of the paths' bytes.
    pub fn iter(&self) -> impl Iterator<Item = (&TreePath, &Entry)> {
        self.entries.iter()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns whether it is unknown what this path held: it, or a folder above it, is not kept.
    pub fn is_unknown(&self, path: &TreePath) -> bool {
        let ends = path.as_bytes().iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let above = ends.map(|(end, _)| path.as_bytes().get(..end).unwrap_or_default());
        std::iter::once([].as_slice()).chain(above).any(|folder| {
            matches!(
                self.get(&TreePath::new(path.root(), folder)),
                Some(Entry::FolderNotKept { .. } | Entry::Unknown { .. })
            )
        }) || matches!(self.get(path), Some(Entry::FolderNotKept { .. } | Entry::Unknown { .. }))
    }

    /// Makes this tree the later one of a delta, and returns the delta back. The cost grows with
    /// the delta, and not with the tree.
    pub(crate) fn apply(&mut self, delta: TreeDelta) -> TreeDelta {
        let mut back = TreeDelta::new();
        for (path, entry) in delta {
            let before = match entry {
                Some(entry) => self.entries.insert(path.clone(), entry),
                None => self.entries.remove(&path),
            };
            back.insert(path, before);
        }
        back
    }

    /// Returns what differs from an earlier tree to this one, in the order of the paths' bytes.
    ///
    /// Entries that are not kept count as changed if anything known of them differs. Compare with
    /// [`is_unknown`](Self::is_unknown) before a missing path is treated as removed.
    pub fn changes_since(&self, earlier: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        let (mut old, mut new) =
            (earlier.entries.iter().peekable(), self.entries.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (Some(old), Some(new)) => old.0.cmp(new.0),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => return changes,
            };
            let before = if order.is_le() { old.next() } else { None };
            let after = if order.is_ge() { new.next() } else { None };
            let Some((path, _)) = before.or(after) else { return changes };
            let (before, after) = (before.map(|each| each.1), after.map(|each| each.1));
            if before != after {
                let (before, after) = (before.cloned(), after.cloned());
                changes.push(Change { path: path.clone(), before, after });
            }
        }
    }
}

/// A difference between two trees at one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path.
    pub path: TreePath,
    /// The entry of the earlier tree.
    pub before: Option<Entry>,
    /// The entry of the later tree.
    pub after: Option<Entry>,
}
