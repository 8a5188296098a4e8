//! The folder of a session, as its client and as the hub name it.

use std::path::{Path, PathBuf};

/// The folder of a session.
#[derive(Clone)]
pub(super) struct SessionFolder {
    /// The folder as the client named it.
    cwd: PathBuf,
    /// The same folder without symbolic links.
    resolved: PathBuf,
}

impl SessionFolder {
    /// Resolves the folder. Blocks on the disk.
    pub(super) fn of(cwd: &Path) -> Self {
        let resolved = cwd.canonicalize().unwrap_or_else(|_| cwd.to_owned());
        Self { cwd: cwd.to_owned(), resolved }
    }

    /// A path without symbolic links, as the client knows it. `None` if it is not UTF-8.
    pub(super) fn named(&self, path: &Path) -> Option<String> {
        let named = path.strip_prefix(&self.resolved).map(|below| match below.as_os_str() {
            below if below.is_empty() => self.cwd.clone(),
            below => self.cwd.join(below),
        });
        named.as_deref().unwrap_or(path).to_str().map(str::to_owned)
    }
}
