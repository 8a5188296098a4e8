//! The private folder of the sockets.

use attache_host::user;
use std::fmt;
use std::fs::{DirBuilder, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The folder of the sockets and locks of a person's hubs. Only this user can enter it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeFolder(PathBuf);

/// Why a folder cannot hold sockets.
#[derive(Debug)]
#[non_exhaustive]
pub enum FolderError {
    /// The folder belongs to another user.
    Owner(PathBuf),
    /// Other users can enter the folder, with these permissions.
    Mode(PathBuf, u32),
    /// Other users can replace the folder, because they can write to its parent.
    Parent(PathBuf),
    /// The path is a link or a file.
    NotAFolder(PathBuf),
    /// The folder cannot be examined or created.
    Failed(PathBuf, io::Error),
}

impl RuntimeFolder {
    /// Returns the folder at this path, and creates it if it is missing. Its parent must exist.
    ///
    /// # Errors
    /// Returns an error if others can use the folder, or if it cannot be created.
    pub fn create(path: &Path) -> Result<Self, FolderError> {
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(FolderError::Failed(path.to_owned(), error))
            }
            _ => Self::checked(path),
        }
    }

    /// Returns the folder at this path, if it exists.
    ///
    /// # Errors
    /// Returns an error if others can use the folder.
    pub fn existing(path: &Path) -> Result<Option<Self>, FolderError> {
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            _ => Self::checked(path).map(Some),
        }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    fn checked(path: &Path) -> Result<Self, FolderError> {
        let failed = |error| FolderError::Failed(path.to_owned(), error);
        if path.symlink_metadata().map_err(failed)?.is_symlink() {
            return Err(FolderError::NotAFolder(path.to_owned()));
        }
        let folder = opened(path).map_err(|error| match error.raw_os_error() {
            Some(libc::ENOTDIR | libc::ELOOP) => FolderError::NotAFolder(path.to_owned()),
            _ => failed(error),
        })?;
        if folder.uid() != user() {
            return Err(FolderError::Owner(path.to_owned()));
        }
        if folder.mode() & 0o077 != 0 {
            return Err(FolderError::Mode(path.to_owned(), folder.mode() & 0o777));
        }
        let parent = path.parent().unwrap_or(Path::new("/"));
        let above = parent.metadata().map_err(failed)?;
        let is_ours = above.uid() == user() || above.uid() == 0;
        let is_sticky = above.mode() & libc::S_ISVTX != 0;
        match is_ours && (above.mode() & 0o022 == 0 || is_sticky) {
            true => Ok(Self(path.to_owned())),
            false => Err(FolderError::Parent(path.to_owned())),
        }
    }
}

/// Returns the metadata of a folder that is not a link.
fn opened(path: &Path) -> io::Result<Metadata> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    OpenOptions::new().read(true).custom_flags(flags).open(path)?.metadata()
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner(path) => {
                write!(f, "the folder {} belongs to another user", path.display())
            }
            Self::Mode(path, mode) => write!(
                f,
                "other users can enter the folder {path} (mode {mode:03o}): run `chmod 700 {path}`",
                path = path.display()
            ),
            Self::Parent(path) => write!(
                f,
                "other users can replace the folder {}, because they can write to the folder \
                 above it",
                path.display()
            ),
            Self::NotAFolder(path) => {
                write!(f, "{} is a link or a file, and not a folder: remove it", path.display())
            }
            Self::Failed(path, error) => {
                write!(f, "the folder {} cannot be used: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for FolderError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed(_, error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FolderError, RuntimeFolder};
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn only_a_private_folder_is_used() {
        let above = tempfile::tempdir().unwrap();
        let path = above.path().join("hubs");
        assert_eq!(RuntimeFolder::existing(&path).unwrap(), None);
        let folder = RuntimeFolder::create(&path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(RuntimeFolder::existing(&path).unwrap(), Some(folder));
        for mode in [0o755, 0o710, 0o701, 0o770] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let refused = RuntimeFolder::create(&path).unwrap_err();
            assert!(matches!(refused, FolderError::Mode(_, found) if found == mode), "{refused}");
        }
        fs::set_permissions(&path, Permissions::from_mode(0o700)).unwrap();
        fs::set_permissions(above.path(), Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(RuntimeFolder::create(&path), Err(FolderError::Parent(_))));
        fs::set_permissions(above.path(), Permissions::from_mode(0o1777)).unwrap();
        assert!(RuntimeFolder::create(&path).is_ok());
    }

    #[test]
    fn a_link_or_a_file_is_not_a_folder() {
        let above = tempfile::tempdir().unwrap();
        let (link, file) = (above.path().join("link"), above.path().join("file"));
        RuntimeFolder::create(&above.path().join("real")).unwrap();
        symlink(above.path().join("real"), &link).unwrap();
        fs::write(&file, "").unwrap();
        for path in [link, file] {
            let refused = RuntimeFolder::existing(&path).unwrap_err();
            assert!(matches!(refused, FolderError::NotAFolder(_)), "{refused}");
        }
    }
}
