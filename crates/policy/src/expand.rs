//! The files on the disk that fit a shell's pattern.

use crate::folders::Folders;
use crate::reach::Reach;
use crate::wildcard::{fits, is_wild};
use std::path::{Path, PathBuf};

/// How many names are looked at for one pattern, and how many may fit.
const MOST_LISTED: usize = 20_000;
const MOST_MATCHES: usize = 2_000;

/// How many names below one folder are looked at.
const MOST_BELOW: usize = 50_000;

/// Why a pattern cannot be judged by what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unjudged {
    /// It looks for names in a folder outside of the session's folders, or in one that cannot be
    /// listed.
    Outside,
    /// Too many names fit, or have to be looked at.
    TooMany,
}

/// The paths that fit the pattern in the folder `from`, as they are written. `open` says which
/// folders outside of the session's folders may still be listed. Blocks on the disk.
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
            // Both fit a dot and a pattern behind it in some shells.
            next.extend(
                [".", ".."].iter().filter(|name| fits(part, name)).map(|name| folder.join(name)),
            );
        }
        found = next;
    }
    found.retain(|path| path.symlink_metadata().is_ok());
    Ok(found)
}

/// Calls `look` with all that is below a folder and is no folder itself, and says whether it is a
/// symbolic link; these are not followed. Blocks on the disk.
pub(crate) fn below(folder: &Path, mut look: impl FnMut(&Path, bool)) -> Result<(), Unjudged> {
    let (mut open, mut seen) = (vec![folder.to_owned()], 0);
    while let Some(folder) = open.pop() {
        // What cannot be listed cannot be read by a command either.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_BELOW {
                return Err(Unjudged::TooMany);
            }
            match entry.file_type() {
                Ok(found) if found.is_dir() => open.push(entry.path()),
                found => look(&entry.path(), !found.is_ok_and(|found| found.is_file())),
            }
        }
    }
    Ok(())
}
