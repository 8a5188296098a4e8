//! A file that an agent wants this client to write, or to read although it holds secrets.

use crate::hard_links;
use crate::permission::PermissionRequest;
use crate::text_files::unsaved_text::UnsavedText;
use attache_host::{FileError, READ_LIMIT, Reason, Resolved};
use attache_policy::{Folders, Guard};
use attache_protocol::v1::{
    Content, ContentBlock, Diff, PermissionOption, PermissionOptionKind, SessionId,
    ToolCallContent, ToolCallLocation, ToolCallUpdate, ToolKind,
};
use attache_session::PermissionId;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

/// A file that an agent wants this client to write, or to read although it holds secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileAction {
    /// Where the file is: below the session's folder as it was given, with all other symbolic links
    /// followed.
    pub path: PathBuf,
    /// The path as the agent wrote it.
    pub named: PathBuf,
    /// The path without any symbolic link.
    pub resolved: PathBuf,
}

/// What a file holds at one moment, to see whether it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileState {
    Missing,
    Holds(Arc<[u8]>),
    /// It is too large to be read.
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
    /// Looks a path up. Blocks on the disk.
    pub(crate) fn at(folders: &Folders, named: &Path) -> Result<Self, FileError> {
        let resolved = folders.roots().resolve(named)?;
        let (path, _) = folders.named(&resolved.path());
        let action = FileAction { path, named: named.to_owned(), resolved: resolved.path() };
        Ok(Self { resolved, action })
    }

    /// What the file holds now, as an editor has it open if one does. Blocks on the disk.
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

    /// Why a change of the file needs a person. Blocks on the disk.
    pub(crate) fn guard(&self, folders: &Folders) -> Option<Guard> {
        let named = attache_policy::guard(&below(folders, &self.action.named));
        let resolved = attache_policy::guard(&self.resolved.relative().to_string_lossy());
        match strongest(named, resolved) {
            Some(Guard::Secret) => Some(Guard::Secret),
            guard => strongest(guard, hard_links::guard(folders, &self.action.resolved)),
        }
    }
}

/// The path from the session's folder that holds it, as it is written; whole if none does.
pub(crate) fn below(folders: &Folders, path: &Path) -> String {
    let roots = folders.roots().all().iter().chain(folders.given());
    let below = roots.filter_map(|root| path.strip_prefix(root).ok()).next();
    below.unwrap_or(path).to_string_lossy().into_owned()
}

/// The stricter of two: a secret may not even be read.
pub(crate) fn strongest(one: Option<Guard>, other: Option<Guard>) -> Option<Guard> {
    if one == Some(Guard::Secret) { one } else { other.or(one) }
}

impl FileState {
    /// The text that the file holds; `None` if it is missing or is no text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Holds(bytes) => std::str::from_utf8(bytes).ok(),
            Self::Missing | Self::Large { .. } => None,
        }
    }

    /// What a diff cannot show of the file that is replaced.
    fn unshown(&self) -> Option<String> {
        match self {
            Self::Holds(bytes) if self.text().is_none() => {
                Some(format!("It replaces {} bytes that are not text.", bytes.len()))
            }
            Self::Large { length, .. } => Some(format!("It replaces a file of {length} bytes.")),
            Self::Holds(_) | Self::Missing => None,
        }
    }
}

impl FileAction {
    /// The question whether this text may be written, with the difference to what the file holds.
    pub(crate) fn write(
        &self,
        (id, session_id): (PermissionId, SessionId),
        state: &FileState,
        text: &str,
        protected: Option<Guard>,
    ) -> PermissionRequest {
        let mut diff = Diff::new(self.path.to_string_lossy(), text);
        diff.old_text = state.text().map(str::to_owned);
        let remarks = [protected.map(|guard| remark(guard).to_owned()), state.unshown()];
        let remarks = remarks.into_iter().flatten().map(said);
        let content = remarks.chain([ToolCallContent::Diff(diff)]).collect();
        self.question((id, session_id), ("write", ToolKind::Edit), content, protected)
    }

    /// The question whether a file may be read.
    pub(crate) fn read(
        &self,
        (id, session_id): (PermissionId, SessionId),
        protected: Option<Guard>,
    ) -> PermissionRequest {
        let content = protected.map(|guard| said(remark(guard).to_owned())).into_iter().collect();
        self.question((id, session_id), ("read", ToolKind::Read), content, protected)
    }

    fn question(
        &self,
        (id, session_id): (PermissionId, SessionId),
        (verb, kind): (&str, ToolKind),
        content: Vec<ToolCallContent>,
        protected: Option<Guard>,
    ) -> PermissionRequest {
        let mut asked = ToolCallUpdate::new(format!("file-{verb}-{}", id.0));
        asked.kind = Some(kind);
        asked.locations = Some(vec![ToolCallLocation::new(self.path.to_string_lossy())]);
        asked.content = Some(content);
        asked.title = Some(self.title(verb));
        let option = |id: &str, name: String, kind| PermissionOption::new(id, name, kind);
        let options = vec![
            option(
                "allow",
                format!("Let the agent {verb} this file"),
                PermissionOptionKind::AllowOnce,
            ),
            option("reject", format!("Do not {verb} it"), PermissionOptionKind::RejectOnce),
        ];
        PermissionRequest {
            file: Some(self.clone()),
            protected,
            ..PermissionRequest::new(id, session_id, asked, options)
        }
    }

    fn title(&self, verb: &str) -> String {
        match self.named == self.path || self.named == self.resolved {
            true => format!("{verb} {}", self.path.display()),
            // A person who sees one name must know that it leads to another.
            false => format!("{verb} {}, named {}", self.path.display(), self.named.display()),
        }
    }
}

fn remark(guard: Guard) -> &'static str {
    match guard {
        Guard::Secret => "This file usually holds secrets.",
        Guard::Obeyed => "This file affects how programs or agents run.",
    }
}

fn said(text: String) -> ToolCallContent {
    ToolCallContent::Content(Content::new(ContentBlock::from(text)))
}
