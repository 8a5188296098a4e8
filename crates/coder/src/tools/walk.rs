//! The files of a project: without hidden ones and those that `.gitignore` names.

use ignore::{DirEntry, WalkBuilder};
use std::path::Path;

/// The regular files at or below `start`, in the order of their paths. Symbolic links are not followed: they may lead anywhere. What
/// cannot be looked at is left out.
pub(crate) fn files(start: &Path) -> impl Iterator<Item = DirEntry> {
    let mut walk = WalkBuilder::new(start);
    // A `.gitignore` counts in any folder, in a repository or not.
    walk.require_git(false).follow_links(false).sort_by_file_path(Ord::cmp);
    walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
}
