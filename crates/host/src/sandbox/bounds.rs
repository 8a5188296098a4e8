//! The access of a command in a sandbox.

#[cfg(target_os = "linux")]
use std::path::Path;
use std::path::PathBuf;

/// What a command in a sandbox may access. Paths are absolute and without symbolic links, and those
/// that do not exist are ignored. Everything else can be read but not written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// Folders in which everything may be created, changed and deleted.
    pub writable: Vec<PathBuf>,
    /// Files and folders in the writable folders that can only be read. The folders above them,
    /// inside a writable folder, cannot be renamed.
    pub read_only: Vec<PathBuf>,
    /// Unused paths in the writable folders where nothing may be created. bubblewrap puts an empty
    /// folder there while the command runs (see [`is_placeholder`](crate::is_placeholder)).
    pub missing: Vec<PathBuf>,
    /// Files and folders that cannot be read or written. A folder that contains a writable folder
    /// is not hidden.
    pub hidden: Vec<PathBuf>,
    /// A writable folder for temporary files.
    pub temporary: Option<PathBuf>,
    /// Whether the command may use the network.
    pub network: bool,
}

#[cfg(target_os = "linux")]
impl Bounds {
    /// The writable folders, the one for temporary files first.
    pub(super) fn all_writable(&self) -> impl Iterator<Item = &Path> {
        self.temporary.iter().chain(&self.writable).map(PathBuf::as_path)
    }

    /// Returns whether a writable folder contains this path.
    pub(super) fn is_writable(&self, path: &Path) -> bool {
        self.all_writable().any(|folder| path.starts_with(folder))
    }

    /// The hidden paths that exist and contain no writable folder.
    pub(super) fn all_hidden(&self) -> impl Iterator<Item = &Path> {
        let holds_writable =
            |hidden: &Path| self.all_writable().any(|folder| folder.starts_with(hidden));
        self.hidden
            .iter()
            .map(PathBuf::as_path)
            .filter(move |path| path.exists() && !holds_writable(path))
    }
}
