//! A small project folder, created for each test.

use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) struct Project {
    folder: TempDir,
}

impl Project {
    /// `notes.txt` and `src/lib.rs` in the folder, `outside.txt` beside it.
    pub(crate) fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(project.cwd().join("src")).unwrap();
        std::fs::write(project.file("notes.txt"), "one\ntwo\nthree\n").unwrap();
        std::fs::write(project.file("src/lib.rs"), "pub fn total() -> u32 {\n    1\n}\n").unwrap();
        std::fs::write(project.outside(), "not yours\n").unwrap();
        project
    }

    /// Returns the canonical path of the folder of sessions.
    pub(crate) fn cwd(&self) -> PathBuf {
        self.beside("project")
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.cwd().join(path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.file(path)).unwrap()
    }

    /// Returns a file that no session may access.
    pub(crate) fn outside(&self) -> PathBuf {
        self.beside("outside.txt")
    }

    /// Returns a path beside the folder of sessions.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }
}

/// Returns a path as text; paths in these tests are valid UTF-8.
pub(crate) fn text(path: impl AsRef<Path>) -> String {
    path.as_ref().to_str().unwrap().to_owned()
}
