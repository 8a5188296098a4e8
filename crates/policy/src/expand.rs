//! The files on the disk that match a shell's pattern.

use crate::folders::Folders;
use crate::reach::Reach;
use crate::wildcard::{fits, is_wild};
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

/// The largest number of names that are read for one pattern.
const MOST_LISTED: usize = 20_000;

/// The largest number of names that one pattern can match.
const MOST_MATCHES: usize = 2_000;

/// The largest number of names that are read below one folder.
const MOST_BELOW: usize = 50_000;

/// Why a pattern cannot be judged by the files that match it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unjudged {
    /// The pattern would list a folder outside of the session's folders, or a folder that cannot be
    /// listed.
    Outside,
    /// Too many names match, or would have to be read.
    TooMany,
}

/// The paths that match the pattern in the folder `from`, unresolved. `open` says which folders
/// outside of the session's folders may be listed as well. Blocks on the disk.
pub(crate) fn matches(
    folders: &Folders,
    from: &Path,
    pattern: &str,
    open: impl Fn(&Reach) -> bool,
) -> Result<Vec<PathBuf>, Unjudged> {
    let start = if pattern.starts_with('/') { PathBuf::from("/") } else { from.to_owned() };
    let (mut found, mut listed) = (vec![start], 0);
    for part in pattern.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if !is_wild(part) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let mut next = Vec::new();
        for folder in found.into_iter().filter(|path| path.is_dir()) {
            let reach = Reach::of(folders, Path::new("/"), &folder.to_string_lossy());
            if reach.outside && !open(&reach) {
                return Err(Unjudged::Outside);
            }
            let matched_before = next.len();
            for entry in std::fs::read_dir(&folder).map_err(|_| Unjudged::Outside)? {
                listed += 1;
                let name = entry.map_err(|_| Unjudged::Outside)?.file_name();
                if fits(part, &name.to_string_lossy()) {
                    next.push(folder.join(name));
                }
                if listed > MOST_LISTED || next.len() > MOST_MATCHES {
                    return Err(Unjudged::TooMany);
                }
            }
            // A decision must not depend on the order of the file system.
            if let Some(matched) = next.get_mut(matched_before..) {
                matched.sort();
            }
            // In some shells, a dot followed by a pattern also matches `.` and `..`.
            next.extend(
                [".", ".."].iter().filter(|name| fits(part, name)).map(|name| folder.join(name)),
            );
        }
        found = next;
    }
    found.retain(|path| path.symlink_metadata().is_ok());
    Ok(found)
}

/// Calls `look` for every entry of a folder. Blocks on the disk.
pub(crate) fn entries(folder: &Path, mut look: impl FnMut(&Path)) -> Result<(), Unjudged> {
    let entries = sorted_entries(folder, MOST_BELOW + 1);
    entries.iter().for_each(|entry| look(&entry.path()));
    if entries.len() > MOST_BELOW { Err(Unjudged::TooMany) } else { Ok(()) }
}

/// Returns at most `most` entries of a folder, sorted by name, so that a decision does not depend
/// on the file system. A folder that cannot be listed has none, because a command cannot read it
/// either.
fn sorted_entries(folder: &Path, most: usize) -> Vec<DirEntry> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<DirEntry> = entries.take(most).collect();
    entries.sort_by_key(DirEntry::file_name);
    entries
}

/// Calls `look` for every entry below a folder, except folders, and says whether the entry is a
/// symbolic link. Links are not followed. Blocks on the disk.
pub(crate) fn below(folder: &Path, mut look: impl FnMut(&Path, bool)) -> Result<(), Unjudged> {
    let (mut open, mut seen) = (vec![folder.to_owned()], 0);
    while let Some(folder) = open.pop() {
        let entries = sorted_entries(&folder, MOST_BELOW + 1 - seen);
        seen += entries.len();
        for entry in entries {
            match entry.file_type() {
                Ok(found) if found.is_dir() => open.push(entry.path()),
                found => look(&entry.path(), !found.is_ok_and(|found| found.is_file())),
            }
        }
        if seen > MOST_BELOW {
            return Err(Unjudged::TooMany);
        }
    }
    Ok(())
}
