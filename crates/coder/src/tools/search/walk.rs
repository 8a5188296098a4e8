//! Lists the files of a project, except hidden files and those that `.gitignore` names.

use attache_policy::Folders;
use ignore::{DirEntry, WalkBuilder};
use std::path::Path;

/// The regular files at or below `start`, which is canonical, in the order of their paths. Symbolic
/// links are not followed, because they may lead anywhere. Unreadable files are left out, and so
/// are files behind a link that was created meanwhile.
pub(crate) fn files<'f>(
    folders: &'f Folders,
    start: &Path,
) -> impl Iterator<Item = DirEntry> + use<'f> {
    let mut walk = WalkBuilder::new(start);
    // A `.gitignore` file applies in any folder, even outside a repository.
    walk.require_git(false).follow_links(false).sort_by_file_path(Ord::cmp);
    let is_file = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
    let is_inside = |entry: &DirEntry| {
        let found = folders.roots().resolve(entry.path());
        found.is_ok_and(|found| found.exists() && found.path() == entry.path())
    };
    walk.build().flatten().filter(move |entry| is_file(entry) && is_inside(entry))
}
