//! Makes the operations of a restore, each whole or not at all.

use crate::changes::contents::Contents;
use crate::changes::state::State;
use crate::restore::control::RestoreControl;
use crate::restore::disk::Disk;
use crate::restore::draft::differ_in_mode;
use crate::restore::operation::Operation;
use crate::snapshot::content_id::ContentId;
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use crate::store::id::CheckpointId;
use attache_host::{EntryInfo, EntryKind, Replace};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;

/// How the names of temporary files begin.
const PREFIX: &str = ".attache-restore-";

/// How far a restore came.
#[derive(Debug, Clone, Copy)]
pub struct Progress<'a> {
    /// How many operations are done.
    pub done: usize,
    /// How many there are.
    pub total: usize,
    /// The path of the next operation.
    pub path: &'a TreePath,
}

/// Makes operations.
pub(crate) struct Applier<'a> {
    pub(crate) disk: &'a Disk,
    pub(crate) contents: &'a dyn Contents,
    /// Contents that are not in the store.
    pub(crate) merged: &'a HashMap<ContentId, Vec<u8>>,
    /// The restore.
    pub(crate) id: CheckpointId,
    pub(crate) progress: &'a dyn Fn(Progress<'_>),
    pub(crate) control: &'a RestoreControl,
}

/// What became of the operations.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    /// The paths that have their result.
    pub(crate) done: BTreeSet<TreePath>,
    /// The paths whose operations failed.
    pub(crate) failed: BTreeMap<TreePath, io::Error>,
    /// The paths before which it was stopped.
    pub(crate) stopped: BTreeSet<TreePath>,
    /// Whether the disk is full, so that the rest was not tried.
    pub(crate) is_full: bool,
}

impl Applier<'_> {
    /// Makes all operations. A path that fails does not keep the others from being restored, unless
    /// the disk is full. `found` is the metadata of each path when it was examined.
    pub(crate) fn apply(
        &self,
        operations: &[Operation],
        found: &BTreeMap<TreePath, Option<EntryInfo>>,
    ) -> Applied {
        let mut applied = Applied::default();
        let mut begun: BTreeSet<&TreePath> = BTreeSet::new();
        for (number, operation) in operations.iter().enumerate() {
            let path = &operation.path;
            // A path that was begun gets all its operations, so that it can be undone.
            if !begun.contains(path) && self.control.is_stopped() {
                applied.stopped.insert(path.clone());
                continue;
            }
            (self.progress)(Progress { done: number, total: operations.len(), path });
            if applied.failed.contains_key(path) {
                continue;
            }
            let known = found.get(path).filter(|_| !begun.contains(path));
            begun.insert(path);
            let made = match known {
                Some(info) => self.make(operation, info.as_ref(), number),
                None => self
                    .examine(operation)
                    .and_then(|info| self.make(operation, info.as_ref(), number)),
            };
            match made {
                Ok(()) => {
                    applied.done.insert(path.clone());
                }
                Err(error) => {
                    applied.is_full = is_full(&error);
                    applied.done.remove(path);
                    applied.failed.insert(path.clone(), error);
                    if applied.is_full {
                        break;
                    }
                }
            }
        }
        applied
    }

    /// Returns the present metadata of a path if it has the entry that the operation begins with.
    fn examine(&self, operation: &Operation) -> io::Result<Option<EntryInfo>> {
        let present = self.disk.read(&operation.path)?;
        let expected = operation.from.clone().map_or(State::Absent, State::Present);
        match is_like(&present.state, &expected) {
            true => Ok(present.info),
            false => Err(io::Error::other("it changed in the meantime")),
        }
    }

    fn make(
        &self,
        operation: &Operation,
        expected: Option<&EntryInfo>,
        number: usize,
    ) -> io::Result<()> {
        let Operation { path, from, to } = operation;
        let (root, relative) = (self.disk.root(path)?, path.relative());
        let draft = draft_name(self.id, number);
        let replace = Replace { draft: &draft, expected };
        match (from, to) {
            (Some(Entry::Folder { .. }), None) => root.remove_folder(relative),
            (Some(_), None) => match expected {
                Some(expected) => root.remove(relative, expected),
                None => Ok(()),
            },
            // A file with other hard links is put instead: its permissions are those of all links.
            (Some(old), Some(new)) if differ_in_mode(old, new) && !is_linked(expected) => {
                let expected = expected.ok_or(io::ErrorKind::NotFound)?;
                root.set_mode(relative, new.mode().unwrap_or_default(), expected)
            }
            (None, Some(Entry::Folder { mode })) => root.make_folder(relative, *mode),
            (_, Some(Entry::File { content, mode, .. })) => {
                let bytes = self.content(*content)?;
                root.put_file(relative, &bytes, *mode, replace)
            }
            (_, Some(Entry::Link { target })) => {
                root.put_link(relative, OsStr::from_bytes(target), replace)
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn content(&self, id: ContentId) -> io::Result<Vec<u8>> {
        match self.merged.get(&id) {
            Some(content) => Ok(content.clone()),
            None => self.contents.content(id).map_err(io::Error::other),
        }
    }

    /// Removes the temporary files that an interrupted restore may have left.
    pub(crate) fn remove_drafts(&self, operations: &[Operation]) {
        for (number, operation) in operations.iter().enumerate() {
            if let Ok(root) = self.disk.root(&operation.path) {
                // A draft that cannot be removed is a stray file, not a reason to stop.
                let _left =
                    root.remove_draft(operation.path.relative(), &draft_name(self.id, number));
            }
        }
    }
}

/// The name of a temporary file, which is the same when the restore is completed later.
fn draft_name(id: CheckpointId, number: usize) -> OsString {
    format!("{PREFIX}{id}-{number}").into()
}

/// Returns whether an entry is a file with other hard links.
fn is_linked(found: Option<&EntryInfo>) -> bool {
    found.is_some_and(|info| info.kind == EntryKind::File && info.links > 1)
}

/// Returns whether an error means that no more can be written.
fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// Returns whether two states are the same, apart from the bits of a folder that it inherits.
pub(crate) fn is_like(one: &State, other: &State) -> bool {
    match (one, other) {
        (
            State::Present(Entry::Folder { mode: one }),
            State::Present(Entry::Folder { mode: two }),
        ) => one & 0o777 == two & 0o777,
        _ => one.is_same(other),
    }
}
