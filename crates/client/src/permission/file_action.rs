//! A write of a file, or a read of a file with secrets, that an agent requests from this client.

use super::hard_links;
use crate::text_files::unsaved_text::UnsavedText;
use attache_host::{FileError, READ_LIMIT, Reason, Resolved};
use attache_policy::{Folders, Guard};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A write of a file, or a read of a file with secrets, that an agent requests from this client.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileAction {
    /// The path of the file, without symbolic links below the session's folder. The path of that
    /// folder stays as it was given.
    pub path: PathBuf,
    /// The path as the agent wrote it.
    pub named: PathBuf,
    /// The path without any symbolic link.
    pub resolved: PathBuf,
}

/// The content of a file at one moment, to detect changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileState {
    Missing,
    Holds(Arc<[u8]>),
    /// The file is too large to be read.
    Large {
        length: u64,
        changed: Option<SystemTime>,
    },
}

/// A file inside the session's folders, found for one request.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) resolved: Resolved,
    pub(crate) action: FileAction,
}

impl Found {
    /// Resolves a path. Blocks on disk I/O.
    pub(crate) fn at(folders: &Folders, named: &Path) -> Result<Self, FileError> {
        let resolved = folders.roots().resolve(named)?;
        let (path, _) = folders.named(&resolved.path());
        let action = FileAction { path, named: named.to_owned(), resolved: resolved.path() };
        Ok(Self { resolved, action })
    }

    /// The current content of the file, or its unsaved text in an editor. Blocks on disk I/O.
    pub(crate) fn state(
        &self,
        folders: &Folders,
        unsaved: Option<&dyn UnsavedText>,
    ) -> Result<FileState, FileError> {
        if let Some(text) = unsaved.and_then(|unsaved| unsaved.text(&self.action.resolved)) {
            return Ok(FileState::Holds(text.into_bytes().into()));
        }
        match folders.roots().read_at(&self.resolved, READ_LIMIT) {
            Ok(bytes) => Ok(FileState::Holds(bytes.into())),
            Err(error) => match error.reason() {
                Reason::NotFound => Ok(FileState::Missing),
                Reason::TooLarge { size, .. } => Ok(FileState::Large {
                    length: *size,
                    changed: std::fs::metadata(&self.action.resolved)
                        .and_then(|file| file.modified())
                        .ok(),
                }),
                _ => Err(error),
            },
        }
    }

    /// Why only a person may allow a change of the file; `None` if rules may allow it too. Blocks
    /// on disk I/O.
    pub(crate) fn guard(&self, folders: &Folders) -> Option<Guard> {
        let named = attache_policy::guard(&below(folders, &self.action.named));
        let resolved = attache_policy::guard(&self.resolved.relative().to_string_lossy());
        match Guard::strictest(named, resolved) {
            Some(Guard::Secret) => Some(Guard::Secret),
            guard => Guard::strictest(guard, hard_links::guard(folders, &self.action.resolved)),
        }
    }
}

/// The path relative to the session's folder that contains it, unresolved; absolute if no folder of
/// the session contains it.
pub(crate) fn below(folders: &Folders, path: &Path) -> String {
    let roots = folders.roots().all().iter().chain(folders.given());
    let below = roots.filter_map(|root| path.strip_prefix(root).ok()).next();
    below.unwrap_or(path).to_string_lossy().into_owned()
}

impl FileState {
    /// The text of the file; `None` if the file is missing or is not text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Holds(bytes) => std::str::from_utf8(bytes).ok(),
            Self::Missing | Self::Large { .. } => None,
        }
    }

    /// A remark about the replaced content, if a diff cannot show it.
    pub(super) fn unshown(&self) -> Option<String> {
        match self {
            Self::Holds(bytes) if self.text().is_none() => {
                Some(format!("It replaces {} bytes that are not text.", bytes.len()))
            }
            Self::Large { length, .. } => Some(format!("It replaces a file of {length} bytes.")),
            Self::Holds(_) | Self::Missing => None,
        }
    }
}
