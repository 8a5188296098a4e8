//! Protected files that have other names (hard links).

use attache_policy::{Folders, Guard};
use std::collections::VecDeque;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How many names in the session's folders are checked. A protected name beyond that number is not
/// found.
const LOOKED_AT: usize = 20_000;

/// Why a file with several names is protected: one of its names in the session's folders is
/// protected. Names near the top of the folders are checked first. Blocks on disk I/O.
pub(crate) fn guard(folders: &Folders, file: &Path) -> Option<Guard> {
    let file = file.symlink_metadata().ok().filter(|file| file.is_file() && file.nlink() > 1)?;
    let mut left = LOOKED_AT;
    let roots = folders.roots().all().iter();
    roots.map(|root| guard_below(root, &file, &mut left)).fold(None, Guard::strictest)
}

fn guard_below(root: &Path, file: &Metadata, left: &mut usize) -> Option<Guard> {
    let mut guard = None;
    let mut waiting: VecDeque<PathBuf> = VecDeque::from([root.to_owned()]);
    while let Some(folder) = waiting.pop_front() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for entry in entries {
            *left = match left.checked_sub(1) {
                Some(left) => left,
                None => return guard,
            };
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push_back(path);
                continue;
            }
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy();
            let found = attache_policy::guard(&name);
            let is_it = || {
                entry.metadata().is_ok_and(|it| (it.dev(), it.ino()) == (file.dev(), file.ino()))
            };
            if found.is_some() && is_it() {
                guard = Guard::strictest(guard, found);
            }
            if guard == Some(Guard::Secret) {
                return guard;
            }
        }
    }
    guard
}
