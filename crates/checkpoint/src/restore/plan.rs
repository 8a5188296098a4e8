//! A restore before it happens: what it was asked to do, and what it will do.

use crate::attribution::author::Author;
use crate::changes::hunk::HunkKey;
use crate::changes::repository::HeadChange;
use crate::restore::kept::KeptReason;
use crate::snapshot::entry::Entry;
use crate::snapshot::path::TreePath;
use crate::store::id::CheckpointId;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What to restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct RestoreRequest {
    /// Whose changes are undone.
    pub owner: String,
    /// Which changes of the owner are undone.
    pub goal: Goal,
    /// Which of the paths or hunks.
    pub selection: Selection,
    /// What the user chose for single paths.
    pub choices: Choices,
    /// Whether the last turn of the owner goes on.
    pub is_running: bool,
}

impl RestoreRequest {
    /// A request for all changes of a goal, without choices.
    pub fn new(owner: impl Into<String>, goal: Goal) -> RestoreRequest {
        let (selection, choices) = (Selection::All, Choices::default());
        RestoreRequest { owner: owner.into(), goal, selection, choices, is_running: false }
    }
}

/// Which changes of an owner are undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Goal {
    /// Every change since a checkpoint.
    Since(CheckpointId),
    /// The changes of these turns, and of restores between them.
    Turns {
        /// The first turn.
        first: u64,
        /// The last turn, included.
        last: u64,
    },
    /// A restore, named by the checkpoint that was taken before it.
    Undo(CheckpointId),
}

/// Which paths or hunks are restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Selection {
    /// All.
    All,
    /// These paths, and everything below those that are folders.
    Paths(BTreeSet<TreePath>),
    /// These hunks.
    Hunks(BTreeSet<HunkKey>),
}

/// The choices of the user, by path. The choice for a folder does not apply to what is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Choices {
    /// Paths that get exactly their old entry, although others changed them or they are not new.
    pub overwrite: BTreeSet<TreePath>,
    /// Paths whose changes are undone although it is not known who made them.
    pub shared: BTreeSet<TreePath>,
    /// Protected paths that are restored.
    pub protected: BTreeSet<TreePath>,
}

impl Choices {
    /// Returns the choices that also restore what stays in this plan for a reason that the user may
    /// overrule. What is protected still stays.
    pub fn forcing(plan: &Plan) -> Self {
        let kept = plan.kept().filter(|file| file.kept.is_some_and(KeptReason::has_choice));
        let paths: BTreeSet<TreePath> = kept.map(|file| file.path.clone()).collect();
        Self { overwrite: paths.clone(), shared: paths, protected: BTreeSet::new() }
    }
}

/// Returns whether a set has a path or a folder above it.
pub(crate) fn has(set: &BTreeSet<TreePath>, path: &TreePath) -> bool {
    set.contains(path)
        || set.contains(&TreePath::new(path.root(), []))
        || path.folders().any(|folder| set.contains(&folder))
}

/// What happens to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It is created.
    Create,
    /// It gets its old entry.
    Replace,
    /// The owner's changes are undone, and those of others stay.
    Merge,
    /// Only its permissions change.
    SetMode,
    /// It is removed.
    Remove,
}

/// A path of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedFile {
    /// The path.
    pub path: TreePath,
    /// What happens to it, or would happen. `None` if nothing can be done.
    pub action: Option<Action>,
    /// Why it stays as it is. `None` if the action happens.
    pub kept: Option<KeptReason>,
    /// Who changed it since, without repetitions.
    pub authors: Vec<Author>,
    /// Whether it is protected.
    pub is_protected: bool,
    /// Whether it has other hard links. They keep the present content.
    pub has_hard_links: bool,
    /// Its present entry.
    pub present: Option<Entry>,
    /// Its entry afterwards, if the action happens.
    pub result: Option<Entry>,
}

impl PlannedFile {
    /// Returns whether the restore changes the path.
    pub fn is_restored(&self) -> bool {
        self.action.is_some() && self.kept.is_none()
    }
}

/// Something that a restore never brings back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum NotRestored {
    /// The `HEAD` of a repository changed. Its commits, branches and index stay as they are.
    Head(HeadChange),
    /// Ignored files and folders are not in checkpoints.
    Ignored {
        /// How many there were at the checkpoint. A folder counts as one.
        count: u64,
    },
    /// The checkpoint lacks entries.
    NotKept {
        /// How many.
        count: u64,
    },
}

/// A restore before it happens: the complete preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Plan {
    /// What was asked for.
    pub request: RestoreRequest,
    /// The folders. [`TreePath::root`] is an index of this list.
    pub roots: Vec<PathBuf>,
    /// The checkpoint of the present state with which the plan was made.
    pub now: CheckpointId,
    /// Every path that changes, and every path that others changed or that stays for another
    /// reason. Paths that already are as they should be are left out.
    pub files: Vec<PlannedFile>,
    /// What is not restored.
    pub not_restored: Vec<NotRestored>,
}

impl Plan {
    /// Returns the paths that the restore changes.
    pub fn restored(&self) -> impl Iterator<Item = &PlannedFile> {
        self.files.iter().filter(|file| file.is_restored())
    }

    /// Returns the paths that stay as they are.
    pub fn kept(&self) -> impl Iterator<Item = &PlannedFile> {
        self.files.iter().filter(|file| !file.is_restored())
    }

    /// Returns the absolute path.
    pub fn absolute(&self, path: &TreePath) -> PathBuf {
        let root = self.roots.get(path.root()).map(PathBuf::as_path);
        root.unwrap_or(Path::new("")).join(path.relative())
    }

    /// Returns the path in the plan for an absolute path, or `None` outside of its folders.
    pub fn tree_path(&self, absolute: &Path) -> Option<TreePath> {
        TreePath::within(&self.roots, absolute)
    }
}

impl TreePath {
    /// Returns the path below one of these folders that has this absolute path.
    pub fn within(roots: &[PathBuf], absolute: &Path) -> Option<TreePath> {
        use std::os::unix::ffi::OsStrExt;
        let mut found = roots.iter().enumerate();
        found.find_map(|(index, root)| {
            let relative = absolute.strip_prefix(root).ok()?;
            Some(TreePath::new(index, relative.as_os_str().as_bytes()))
        })
    }
}
