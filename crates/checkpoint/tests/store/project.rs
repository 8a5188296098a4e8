//! A project folder and a store beside it.

use attache_checkpoint::{
    Budget, CheckpointId, Entry, Label, Reason, Roots, Store, StoreOptions, Summary, TakeError,
    Tree, TreePath,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

pub(crate) struct Project {
    pub(crate) folder: TempDir,
    pub(crate) store: Store,
}

pub(crate) fn long() -> Budget {
    Budget::lasting(Duration::from_secs(100))
}

impl Project {
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut StoreOptions)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        let mut options = StoreOptions::default();
        change(&mut options);
        let store = Store::open(&folder.path().join("store"), options).unwrap();
        Self { folder, store }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    pub(crate) fn roots(&self) -> Roots {
        Roots::new([self.root()]).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn take(&self) -> Summary {
        self.take_as("session", &long())
    }

    pub(crate) fn take_as(&self, owner: &str, budget: &Budget) -> Summary {
        self.store.take(&self.roots(), &Label::new(owner, Reason::Asked), budget).unwrap()
    }

    pub(crate) fn take_for(&self, owner: &str, reason: Reason) -> Result<Summary, TakeError> {
        let label = Label { turn: Some(1), ..Label::new(owner, reason) };
        self.store.take(&self.roots(), &label, &long())
    }

    pub(crate) fn tree(&self, id: CheckpointId) -> Tree {
        self.store.tree(id).unwrap()
    }

    pub(crate) fn text(&self, id: CheckpointId, path: &str) -> Option<Vec<u8>> {
        match self.tree(id).get(&TreePath::new(0, path))? {
            Entry::File { content, .. } => Some(self.store.content(*content).unwrap()),
            other => panic!("{path} is {other:?}"),
        }
    }
}

/// Returns the paths of a tree that are not only folders.
pub(crate) fn paths(tree: &Tree) -> Vec<String> {
    tree.iter().map(|(path, _)| path.to_string()).collect()
}

/// Returns whether any file below a folder has these bytes.
pub(crate) fn is_on_disk(folder: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let content = fs::read(entry.unwrap().path()).unwrap();
        content.windows(bytes.len()).any(|window| window == bytes)
    })
}
