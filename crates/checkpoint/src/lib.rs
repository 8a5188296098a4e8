//! Checkpoints of folders: what a folder held at some time, kept so that it can be compared and put
//! back.
//!
//! This crate knows files and folders. It knows nothing of ACP, agents or front ends.
//!
//! # Main types
//!
//! | type | purpose |
//! |---|---|
//! | [`Store`] | takes checkpoints and keeps them, below a private folder |
//! | [`Roots`] | the folders that a checkpoint covers |
//! | [`Label`], [`Reason`] | whose checkpoint it is, and why it was taken |
//! | [`Budget`] | how long taking it may last, and when the prompt was sent |
//! | [`Summary`], [`NotKept`] | what a checkpoint holds, and what it lacks |
//! | [`Tree`], [`Entry`], [`TreePath`] | the entries of a checkpoint; two trees can be compared |
//! | [`Changes`], [`Author`] | what changed between two checkpoints, and who changed it |
//! | [`Restorer`], [`Plan`] | undoes the changes of an owner and keeps those of others |
//! | [`Reviewer`], [`Review`] | accepts and rejects what turns changed, hunk by hunk |
//!
//! # What a checkpoint keeps
//!
//! The bytes of regular files as they are on the disk, the targets of symbolic links, folders, and
//! permissions. Hard links become separate files. It does not keep:
//!
//! - folders of version control (`.git`, `.hg`, `.jj`, `.svn`, `.bzr`). They are never opened,
//!   except that `.git/info/exclude` is read, and no program such as git runs;
//! - files that git's ignore files leave out, also if git tracks them. The tree names them, so that
//!   a restore does not take them for new files. Only [`Summary::ignored`] counts them;
//! - files over [`StoreOptions::file_limit`] (only their hash), secret files, pipes, sockets,
//!   devices and other file systems. [`Summary::not_kept`] lists them;
//! - what could not be read, changed meanwhile, or did not fit into the time or the disk limit. It
//!   is listed too, and the checkpoint is then not [`complete`](Summary::complete).
//!
//! # Why not git
//!
//! A scratch index of git with an object directory of its own was measured on 80,000 files with
//! 1.2 GB, on two slow cores: the first `git add` took 34 s and 708 MB, later ones 210 to 380 ms.
//! This store is not slower and smaller (`docs/performance.md`). Git runs filters (LFS, line
//! endings), does not enter nested repositories and submodules, keeps neither empty folders nor all
//! permissions, cannot delete the contents of one session, needs an installed program, and stops at
//! one unreadable file.
//!
//! # How it works
//!
//! A walk with several threads compares every file with the *stat cache* of the root: size, times
//! and inode. Only files that differ are read. Contents are stored once by their SHA-256 hash,
//! compressed with DEFLATE (`format/compression.rs` has the measurements). A *manifest* lists what
//! is below a root; it is stored as the difference to the manifest before, so that a checkpoint of
//! an unchanged tree takes a few hundred bytes, and one with 50 changed files takes their contents
//! and 50 lines. Deleting a checkpoint merges its manifest into the next one, and deletes every
//! content that no manifest has any more.
//!
//! # Example
//!
//! ```
//! use attache_checkpoint::{Budget, Label, Reason, Roots, Store, StoreOptions, TreePath};
//! use std::time::Duration;
//!
//! # let folder = tempfile::tempdir()?;
//! # let (project, private) = (folder.path().join("project"), folder.path().join("private"));
//! # std::fs::create_dir(&project)?;
//! std::fs::write(project.join("main.rs"), "fn main() {}")?;
//! let store = Store::open(&private, StoreOptions::default())?;
//! let roots = Roots::new([&project])?;
//! let label = Label::new("session-1", Reason::SessionStart);
//! let summary = store.take(&roots, &label, &Budget::lasting(Duration::from_secs(10)))?;
//! assert!(summary.complete);
//! assert!(store.tree(summary.id)?.get(&TreePath::new(0, "main.rs")).is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(not(unix))]
compile_error!("attache-checkpoint supports Unix systems only so far");

mod attribution;
mod changes;
mod format;
mod restore;
mod review;
mod snapshot;
mod store;
mod take;

pub use attribution::author::Author;
pub use changes::file_change::{ChangeKind, Changes, FileChange};
pub use changes::hunk::{Hunk, HunkKey, HunkKind};
pub use changes::repository::HeadChange;
pub use restore::apply::Progress;
pub use restore::control::RestoreControl;
pub use restore::error::RestoreError;
pub use restore::kept::KeptReason;
pub use restore::plan::{
    Action, Choices, Goal, NotRestored, Plan, PlannedFile, RestoreRequest, Selection,
};
pub use restore::restored::{Failure, Restored};
pub use restore::restorer::Restorer;
pub use review::decision::{Decision, HunkState};
pub use review::reviewer::{Review, ReviewedFile, ReviewedHunk, Reviewer};
pub use snapshot::content_id::ContentId;
pub use snapshot::entry::{Entry, NotKeptReason, SpecialKind};
pub use snapshot::path::TreePath;
pub use snapshot::tree::{Change, Tree};
pub use store::Store;
pub use store::error::{StoreError, TakeError};
pub use store::id::{CheckpointId, InvalidId};
pub use store::label::{Label, Reason};
pub use store::options::StoreOptions;
pub use store::summary::{NotKept, Summary};
pub use store::usage::{Usage, Verified};
pub use take::budget::Budget;
pub use take::control::TakeControl;
pub use take::roots::{RootError, Roots};
