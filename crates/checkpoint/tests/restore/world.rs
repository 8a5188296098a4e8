//! A folder with a store of its checkpoints.

use attache_checkpoint::{
    Budget, CheckpointId, Goal, KeptReason, Label, Plan, Reason, RestoreRequest, Restored,
    Restorer, Roots, Store, StoreOptions, TreePath,
};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// An entry as a test sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    File(Vec<u8>, u32),
    Link(PathBuf),
    Folder(u32),
}

/// Every entry of a folder by its path.
pub(crate) type Snapshot = BTreeMap<PathBuf, Seen>;

/// A folder with a store of its checkpoints.
pub(crate) struct World {
    pub(crate) base: PathBuf,
    pub(crate) store: Store,
    _folder: Option<tempfile::TempDir>,
}

impl World {
    pub(crate) fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        fs::create_dir(base.join("root")).unwrap();
        World { _folder: Some(folder), ..World::open(&base) }
    }

    /// Opens the world of another process.
    pub(crate) fn open(base: &Path) -> World {
        let store = Store::open(&base.join("store"), StoreOptions::default()).unwrap();
        World { base: base.to_owned(), store, _folder: None }
    }

    /// Takes over the temporary folder of another value.
    pub(crate) fn with_folder_of(self, mut other: World) -> World {
        World { _folder: other._folder.take(), ..self }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.base.join("root")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn take(&self, owner: &str, reason: Reason, turn: u64) -> CheckpointId {
        let roots = Roots::new([self.root()]).unwrap();
        let label = Label { turn: Some(turn), ..Label::new(owner, reason) };
        let budget = Budget::lasting(Duration::from_secs(60));
        let summary = self.store.take(&roots, &label, &budget).unwrap();
        assert!(summary.complete, "{summary:?}");
        // Checkpoints of two owners in the same millisecond count as taken at once.
        while summary.at.elapsed().is_ok_and(|passed| passed < Duration::from_millis(1)) {
            std::thread::sleep(Duration::from_micros(100));
        }
        summary.id
    }

    /// A turn of an owner. Returns the checkpoint before it.
    pub(crate) fn turn(&self, owner: &str, turn: u64, work: impl FnOnce(&World)) -> CheckpointId {
        let before = self.take(owner, Reason::BeforePrompt, turn);
        work(self);
        self.take(owner, Reason::AfterTurn, turn);
        before
    }

    pub(crate) fn restorer(&self) -> Restorer<'_> {
        Restorer::new(&self.store)
    }

    pub(crate) fn plan_since(&self, owner: &str, id: CheckpointId) -> Plan {
        self.restorer().plan(&RestoreRequest::new(owner, Goal::Since(id))).unwrap()
    }

    /// Plans a request and restores.
    pub(crate) fn restore(&self, request: &RestoreRequest) -> (Plan, Restored) {
        let plan = self.restorer().plan(request).unwrap();
        let restored = self.restorer().restore(&plan).unwrap();
        assert!(restored.failed.is_empty() && !restored.is_interrupted, "{restored:?}");
        (plan, restored)
    }

    pub(crate) fn restore_since(&self, owner: &str, id: CheckpointId) -> (Plan, Restored) {
        self.restore(&RestoreRequest::new(owner, Goal::Since(id)))
    }

    pub(crate) fn undo(&self, owner: &str, restored: &Restored) -> (Plan, Restored) {
        self.restore(&RestoreRequest::new(owner, Goal::Undo(restored.id)))
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        snapshot(&self.root())
    }
}

pub(crate) fn tree_path(name: impl AsRef<[u8]>) -> TreePath {
    TreePath::new(0, name.as_ref())
}

/// Returns why a path stays as it is.
pub(crate) fn kept(restored: &Restored, name: &str) -> Option<KeptReason> {
    restored.kept.iter().find(|(path, _)| *path == tree_path(name)).map(|(_, why)| *why)
}

pub(crate) fn snapshot(root: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = folder.join(entry.file_name());
            let metadata = fs::symlink_metadata(root.join(&path)).unwrap();
            let mode = metadata.permissions().mode() & 0o7777;
            let seen = match metadata.file_type() {
                kind if kind.is_dir() => {
                    folders.push(path.clone());
                    Seen::Folder(mode)
                }
                kind if kind.is_symlink() => Seen::Link(fs::read_link(root.join(&path)).unwrap()),
                _ => Seen::File(fs::read(root.join(&path)).unwrap(), mode),
            };
            found.insert(path, seen);
        }
    }
    found
}

pub(crate) fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn link(target: impl AsRef<[u8]>, path: &Path) {
    symlink(OsStr::from_bytes(target.as_ref()), path).unwrap();
}
