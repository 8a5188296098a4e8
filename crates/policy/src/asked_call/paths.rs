//! The files to which the paths of a call lead.

use crate::line_words::word_may_name;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Whether a path with wildcards can match the folder, one of its parents, or a path below it.
pub(super) fn may_name(path: &Path, folder: &Path, inside: impl Fn(&Path) -> bool) -> bool {
    let pattern = plain(path);
    let start: PathBuf = pattern.components().take_while(is_literal).collect();
    if start == pattern {
        return false;
    }
    let names = |pattern: &Path, each: &Path| {
        word_may_name(&pattern.to_string_lossy(), &each.to_string_lossy())
    };
    inside(&start)
        || folder.ancestors().any(|each| names(&pattern, each))
        || pattern.ancestors().any(|each| names(each, folder))
}

fn is_literal(component: &Component<'_>) -> bool {
    !component.as_os_str().to_string_lossy().contains(['*', '?', '[', '{'])
}

/// The path joined to this folder. `~` is the user's home folder.
pub(super) fn at(folder: &Path, path: &str) -> PathBuf {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let home = || std::env::var_os("HOME").map(PathBuf::from);
    match path.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => match home() {
            Some(home) => home.join(rest.trim_start_matches('/')),
            None => folder.join(path),
        },
        _ => folder.join(path),
    }
}

/// The path with `.` and `..` removed. Does not access the disk.
pub(super) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// The path with its symbolic links followed, as they are now. A part that does not exist yet is
/// not changed. `None` if the path is not absolute or ends in a broken link, because its target is
/// then unknown. Blocks on the disk.
pub(super) fn real(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let components: Vec<Component<'_>> = path.components().collect();
    for end in (1..=components.len()).rev() {
        let (start, rest) = components.split_at_checked(end)?;
        let start: PathBuf = start.iter().collect();
        match fs::canonicalize(&start) {
            Ok(found) => return Some(plain(&found.join(rest.iter().collect::<PathBuf>()))),
            // A broken or circular link. A write to the path may follow the link.
            Err(_) if fs::symlink_metadata(&start).is_ok_and(|found| found.is_symlink()) => {
                return None;
            }
            Err(_) => {}
        }
    }
    None
}
