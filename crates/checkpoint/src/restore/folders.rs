//! Folders of a restore: a folder is removed only if it will be empty, and an entry is created only
//! below folders.

use crate::restore::disk::Disk;
use crate::restore::draft::Draft;
use crate::restore::kept::KeptReason;
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use crate::snapshot::tree::Tree;
use attache_host::EntryKind;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt;

/// The number of names up to which a folder is examined. A folder with more names stays.
const MOST_NAMES: usize = 1_000_000;

/// The permissions of a missing folder that the checkpoint does not have.
const USUAL_MODE: u32 = 0o755;

/// Keeps folders that will not be empty and entries that have no place, and adds drafts for missing
/// folders. `base` is the checkpoint that is restored.
pub(crate) fn check(drafts: &mut Vec<Draft>, disk: &Disk, base: &Tree) {
    drafts.sort_by(|one, other| one.planned.path.cmp(&other.planned.path));
    keep_full_folders(drafts, disk);
    let missing = keep_displaced(drafts, disk);
    for path in missing {
        let mode = base.get(&path).and_then(Entry::mode).unwrap_or(USUAL_MODE);
        drafts.push(Draft::folder(path, mode));
    }
    drafts.sort_by(|one, other| one.planned.path.cmp(&other.planned.path));
}

fn keep_full_folders(drafts: &mut [Draft], disk: &Disk) {
    let mut removed: BTreeSet<TreePath> = drafts
        .iter()
        .filter(|draft| draft.planned.is_restored() && draft.planned.result.is_none())
        .map(|draft| draft.planned.path.clone())
        .collect();
    let created: BTreeSet<TreePath> = drafts
        .iter()
        .filter(|draft| draft.planned.is_restored() && draft.planned.present.is_none())
        .map(|draft| draft.planned.path.clone())
        .collect();
    // Deepest first, so that a folder that stays keeps its parent.
    for draft in drafts.iter_mut().rev() {
        if !draft.planned.is_restored() || !draft.ends_folder() {
            continue;
        }
        let path = &draft.planned.path;
        let names = disk.root(path).and_then(|root| root.names(path.relative(), MOST_NAMES));
        let is_empty = names.is_ok_and(|names| {
            names.len() < MOST_NAMES
                && names.iter().all(|name| removed.contains(&path.join(name.as_bytes())))
        });
        let is_needed = draft.planned.result.is_none() && has_inner(&created, path);
        if !is_empty || is_needed {
            removed.remove(&draft.planned.path);
            draft.keep(KeptReason::NotEmpty);
        }
    }
}

/// Returns whether a set has a path below a folder.
fn has_inner(paths: &BTreeSet<TreePath>, folder: &TreePath) -> bool {
    // This prefix of the paths below the folder is before all of them, and is no path itself.
    let begin = Bound::Excluded(folder.join(b""));
    paths.range((begin, Bound::Unbounded)).next().is_some_and(|path| path.is_within(folder))
}

/// Keeps entries below something that will not be a folder. Returns the missing folders above the
/// others.
fn keep_displaced(drafts: &mut [Draft], disk: &Disk) -> BTreeSet<TreePath> {
    let mut missing = BTreeSet::new();
    let mut planned: BTreeMap<TreePath, Option<Entry>> = BTreeMap::new();
    let mut on_disk: BTreeMap<TreePath, io::Result<Option<EntryKind>>> = BTreeMap::new();
    // Parents precede what is below them.
    for draft in drafts.iter_mut() {
        if draft.planned.is_restored() && draft.planned.result.is_some() {
            let mut needed = Vec::new();
            let path = draft.planned.path.clone();
            for folder in path.folders() {
                match planned.get(&folder) {
                    Some(Some(Entry::Folder { .. })) => continue,
                    Some(Some(_)) => draft.keep(KeptReason::InTheWay),
                    Some(None) => needed.push(folder),
                    None => {
                        match on_disk.entry(folder.clone()).or_insert_with(|| disk.kind(&folder)) {
                            Ok(Some(EntryKind::Folder)) => continue,
                            Ok(None) => needed.push(folder),
                            _ => draft.keep(KeptReason::InTheWay),
                        }
                    }
                }
            }
            if draft.planned.is_restored() {
                missing.extend(needed);
            }
        }
        let shown = &draft.planned;
        let end = if shown.is_restored() { &shown.result } else { &shown.present };
        planned.insert(shown.path.clone(), end.clone());
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::has_inner;
    use crate::snapshot::path::TreePath;
    use std::collections::BTreeSet;

    #[test]
    fn only_paths_below_a_folder_are_in_it() {
        let path = |text: &str| TreePath::new(0, text);
        let paths = BTreeSet::from(["a", "a-b", "a0", "b/c/d", "c", "d-/e"].map(path));
        let found = |folder: &str| has_inner(&paths, &path(folder));
        assert!(found("") && found("b") && found("b/c"));
        assert!(!found("a") && !found("c") && !found("d") && !found("b/c/d") && !found("e"));
        assert!(!has_inner(&paths, &TreePath::new(1, "")));
    }
}
