//! One entry of a tree.

use crate::snapshot::content_id::ContentId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a path was when the checkpoint was taken. `mode` always means the permission bits, such as
/// `0o644`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum Entry {
    /// A regular file whose content is kept.
    File {
        /// The content.
        content: ContentId,
        /// The size in bytes.
        size: u64,
        /// The permission bits.
        mode: u32,
    },
    /// A symbolic link.
    Link {
        /// The target as the link has it. It may name no file, and may not be UTF-8.
        #[serde(with = "crate::snapshot::json::bytes")]
        target: Vec<u8>,
    },
    /// A folder. Its entries follow in the tree.
    Folder {
        /// The permission bits.
        mode: u32,
    },
    /// A socket, a pipe or a device. It is never opened.
    Special {
        /// Which of them.
        kind: SpecialKind,
    },
    /// A regular file whose content is not kept.
    FileNotKept {
        /// Why not.
        why: NotKeptReason,
        /// The hash of the content, if the file was read.
        content: Option<ContentId>,
        /// The size in bytes.
        size: u64,
        /// The permission bits.
        mode: u32,
    },
    /// A folder whose entries are not in the tree.
    FolderNotKept {
        /// Why not.
        why: NotKeptReason,
    },
    /// A path of which nothing is known but that it may have existed.
    Unknown {
        /// Why.
        why: NotKeptReason,
    },
}

impl Entry {
    /// Returns why the checkpoint lacks this entry, or `None` if the checkpoint has it.
    pub fn not_kept(&self) -> Option<NotKeptReason> {
        match self {
            Self::FileNotKept { why, .. } | Self::FolderNotKept { why } | Self::Unknown { why } => {
                Some(*why)
            }
            Self::Special { .. } => Some(NotKeptReason::Special),
            Self::File { .. } | Self::Link { .. } | Self::Folder { .. } => None,
        }
    }
}

/// The kinds of entries that have no content to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpecialKind {
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A block or character device.
    Device,
}

/// Why a checkpoint lacks something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NotKeptReason {
    /// The file is larger than the limit for a file.
    Large,
    /// The file usually holds secrets.
    Secret,
    /// The file changed while it was read.
    ChangedWhileRead,
    /// The file changed after the prompt was sent, so its content before is unknown.
    ChangedAfterPrompt,
    /// It is a pipe, a socket or a device.
    Special,
    /// The file or folder could not be read.
    Unreadable,
    /// The time ran out.
    Time,
    /// The store has no more space, by its limit.
    DiskLimit,
    /// The folder is on another file system.
    OtherFileSystem,
    /// There are too many entries, or the path is too long.
    TooMany,
    /// An ignore file leaves it out. It is in the tree, so that a restore does not treat it as new
    /// when the ignore file changes.
    Ignored,
}

impl NotKeptReason {
    /// Every reason.
    pub const ALL: [Self; 11] = [
        Self::Large,
        Self::Secret,
        Self::ChangedWhileRead,
        Self::ChangedAfterPrompt,
        Self::Special,
        Self::Unreadable,
        Self::Time,
        Self::DiskLimit,
        Self::OtherFileSystem,
        Self::TooMany,
        Self::Ignored,
    ];

    /// Returns the name for scripts, which does not change.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Large => "large",
            Self::Secret => "secret",
            Self::ChangedWhileRead => "changed-while-read",
            Self::ChangedAfterPrompt => "changed-after-prompt",
            Self::Special => "special",
            Self::Unreadable => "unreadable",
            Self::Time => "time",
            Self::DiskLimit => "disk-limit",
            Self::OtherFileSystem => "other-file-system",
            Self::TooMany => "too-many",
            Self::Ignored => "ignored",
        }
    }

    /// Returns whether the checkpoint lacks this because taking it went wrong or ended early, not
    /// because of a rule that always applies.
    pub const fn is_incomplete(self) -> bool {
        match self {
            Self::ChangedWhileRead
            | Self::ChangedAfterPrompt
            | Self::Unreadable
            | Self::Time
            | Self::DiskLimit
            | Self::TooMany => true,
            Self::Large | Self::Secret | Self::Special | Self::OtherFileSystem | Self::Ignored => {
                false
            }
        }
    }
}

impl fmt::Display for NotKeptReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Large => "larger than the limit for a file",
            Self::Secret => "usually holds secrets",
            Self::ChangedWhileRead => "changed while it was read",
            Self::ChangedAfterPrompt => "changed after the prompt was sent",
            Self::Special => "a pipe, socket or device",
            Self::Unreadable => "could not be read",
            Self::Time => "the time ran out",
            Self::DiskLimit => "no space within the limit of the store",
            Self::OtherFileSystem => "on another file system",
            Self::TooMany => "too many entries, or a path that is too long",
            Self::Ignored => "left out by an ignore file",
        })
    }
}
