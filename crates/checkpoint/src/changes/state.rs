//! What is known of a path at one moment.

use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use crate::snapshot::tree::{Tree, TreeDelta};

impl Entry {
    /// The content of a regular file, if its hash is known.
    pub(crate) fn content(&self) -> Option<ContentId> {
        match self {
            Entry::File { content, .. } => Some(*content),
            Entry::FileNotKept { content, .. } => *content,
            _ => None,
        }
    }

    /// The permission bits of a file or folder.
    pub(crate) fn mode(&self) -> Option<u32> {
        match self {
            Entry::File { mode, .. } | Entry::Folder { mode } | Entry::FileNotKept { mode, .. } => {
                Some(*mode)
            }
            _ => None,
        }
    }

    /// The size of a regular file.
    pub(crate) fn size(&self) -> Option<u64> {
        match self {
            Entry::File { size, .. } | Entry::FileNotKept { size, .. } => Some(*size),
            _ => None,
        }
    }

    /// Returns whether two entries are the same, as far as it is known. A file whose content is not
    /// kept equals one with the same hash.
    pub(crate) fn is_same(&self, other: &Entry) -> bool {
        match (self, other) {
            (
                Entry::File { .. } | Entry::FileNotKept { .. },
                Entry::File { .. } | Entry::FileNotKept { .. },
            ) if self.content().is_some() && other.content().is_some() => {
                (self.content(), self.mode()) == (other.content(), other.mode())
            }
            _ => self == other,
        }
    }
}

/// What is known of a path at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing: the path, or a folder above it, was not kept.
    Unknown,
    /// The path had no entry.
    Absent,
    /// The path had this entry.
    Present(Entry),
}

impl State {
    /// Returns what a tree knows of a path at which it has this entry.
    fn from_entry(tree: &Tree, path: &TreePath, entry: Option<&Entry>) -> State {
        match entry {
            Some(Entry::FolderNotKept { .. } | Entry::Unknown { .. }) => State::Unknown,
            Some(Entry::FileNotKept { why, content: None, .. }) if why.is_incomplete() => {
                State::Unknown
            }
            Some(entry) => State::Present(entry.clone()),
            None if tree.is_unknown(path) => State::Unknown,
            None => State::Absent,
        }
    }

    /// The entry, if there was one.
    pub(crate) fn entry(&self) -> Option<&Entry> {
        match self {
            State::Present(entry) => Some(entry),
            State::Unknown | State::Absent => None,
        }
    }

    /// Returns whether two states are known and the same.
    pub(crate) fn is_same(&self, other: &State) -> bool {
        match (self, other) {
            (State::Absent, State::Absent) => true,
            (State::Present(one), State::Present(other)) => one.is_same(other),
            _ => false,
        }
    }
}

/// A path whose state differs between two moments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) path: TreePath,
    pub(crate) before: State,
    pub(crate) after: State,
}

impl Difference {
    /// A path that is unknown at both moments does not differ.
    fn is_real(&self) -> bool {
        match (&self.before, &self.after) {
            (State::Unknown, State::Unknown) => false,
            (before, after) => !before.is_same(after),
        }
    }
}

/// Returns what differs from an earlier tree to a later one. A path that is unknown in both does
/// not differ.
pub(crate) fn differences(earlier: &Tree, later: &Tree) -> Vec<Difference> {
    let changes = later.changes_since(earlier).into_iter();
    let differences = changes.map(|change| Difference {
        before: State::from_entry(earlier, &change.path, change.before.as_ref()),
        after: State::from_entry(later, &change.path, change.after.as_ref()),
        path: change.path,
    });
    differences.filter(Difference::is_real).collect()
}

/// Makes a tree the later one of a delta. Returns the [`differences`], and the delta back. The cost
/// grows with the delta, and not with the tree.
pub(crate) fn apply(tree: &mut Tree, mut delta: TreeDelta) -> (Vec<Difference>, TreeDelta) {
    delta.retain(|path, entry| tree.get(path) != entry.as_ref());
    let before = |path: &TreePath| State::from_entry(tree, path, tree.get(path));
    let before: Vec<State> = delta.keys().map(before).collect();
    let back = tree.apply(delta);
    let after = |path: &TreePath| State::from_entry(tree, path, tree.get(path));
    let differences = back.keys().zip(before).map(|(path, before)| Difference {
        path: path.clone(),
        before,
        after: after(path),
    });
    (differences.filter(Difference::is_real).collect(), back)
}

#[cfg(test)]
mod tests {
    use super::{State, differences};
    use crate::snapshot::content_id::ContentId;
    use crate::snapshot::entry::{Entry, NotKeptReason};
    use crate::snapshot::path::TreePath;
    use crate::snapshot::tree::Tree;

    fn path(text: &str) -> TreePath {
        TreePath::new(0, text)
    }

    fn file(text: &str) -> Entry {
        let content = ContentId::of(text.as_bytes());
        Entry::File { content, size: text.len() as u64, mode: 0o644 }
    }

    #[test]
    fn a_path_below_a_folder_that_was_not_kept_is_unknown_and_not_removed() {
        let whole =
            Tree::new(vec![(path("a"), Entry::Folder { mode: 0o755 }), (path("a/b"), file("b"))]);
        let why = NotKeptReason::Time;
        let part = Tree::new(vec![(path("a"), Entry::FolderNotKept { why })]);
        let found = differences(&whole, &part);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|each| each.after == State::Unknown), "{found:?}");
        assert!(differences(&part, &part).is_empty());
        let gone = differences(&whole, &Tree::default());
        assert!(gone.iter().all(|each| each.after == State::Absent), "{gone:?}");
    }

    #[test]
    fn a_file_that_is_not_kept_equals_a_kept_one_with_the_same_hash() {
        let content = Some(ContentId::of(b"x"));
        let why = NotKeptReason::Large;
        let large = Entry::FileNotKept { why, content, size: 1, mode: 0o644 };
        assert!(large.is_same(&file("x")));
        assert!(!large.is_same(&file("y")));
        let unread = Entry::FileNotKept { why, content: None, size: 1, mode: 0o644 };
        assert!(unread.is_same(&unread) && !unread.is_same(&large));
    }
}
