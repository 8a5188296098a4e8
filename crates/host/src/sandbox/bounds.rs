//! What a command in a sandbox may touch.

use std::path::{Path, PathBuf};

/// What a command in a sandbox may touch. Paths are absolute and without symbolic links; one that
/// does not exist is passed over. Everything that is not named can be read and not written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Folders in which everything may be made, changed and deleted.
    pub writable: Vec<PathBuf>,
    /// Files and folders in these that can be read and not written. The folders above them, inside
    /// a writable folder, cannot be renamed.
    pub read_only: Vec<PathBuf>,
    /// Paths in the writable folders where nothing is and where nothing may be made. bubblewrap
    /// puts an empty folder there as long as the command runs (see
    /// [`is_placeholder`](crate::is_placeholder)).
    pub missing: Vec<PathBuf>,
    /// Files and folders anywhere that cannot be read either. One that holds a writable folder is
    /// not hidden.
    pub hidden: Vec<PathBuf>,
    /// A folder for temporary files, writable as well.
    pub temporary: Option<PathBuf>,
    /// Whether the command has the network.
    pub network: bool,
}

#[cfg(target_os = "linux")]
impl Bounds {
    /// The writable folders, that for temporary files the first.
    pub(super) fn all_writable(&self) -> impl Iterator<Item = &Path> {
        self.temporary.iter().chain(&self.writable).map(PathBuf::as_path)
    }

    /// Whether a writable folder holds this path.
    pub(super) fn is_writable(&self, path: &Path) -> bool {
        self.all_writable().any(|folder| path.starts_with(folder))
    }

    /// What is hidden: what exists and holds no writable folder.
    pub(super) fn all_hidden(&self) -> impl Iterator<Item = &Path> {
        let holds_writable =
            |hidden: &Path| self.all_writable().any(|folder| folder.starts_with(hidden));
        self.hidden
            .iter()
            .map(PathBuf::as_path)
            .filter(move |path| path.exists() && !holds_writable(path))
    }
}
