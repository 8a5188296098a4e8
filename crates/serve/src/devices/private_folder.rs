//! A folder that only its owner can read, with files that are replaced as a whole.

use super::device::DeviceError;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// The size up to which a file is read, in bytes.
const LARGEST: u64 = 4 << 20;

/// A folder of mode 0700 with files of mode 0600.
#[derive(Debug)]
pub(super) struct PrivateFolder {
    path: PathBuf,
}

/// A file of the folder.
pub(super) struct PrivateFile {
    pub(super) text: String,
    /// Whether other users could not read it.
    pub(super) was_private: bool,
}

impl PrivateFolder {
    /// Opens the folder, which is created if it is missing. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created or belongs to another user.
    pub(super) fn open(path: &Path) -> Result<Self, DeviceError> {
        let failed = |error| DeviceError::Io(path.to_owned(), error);
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        let found = fs::metadata(path).map_err(failed)?;
        if found.uid() != attache_host::user() {
            return Err(DeviceError::NotOwned(path.to_owned()));
        }
        if found.mode() & 0o077 != 0 {
            fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(failed)?;
        }
        Ok(Self { path: path.to_owned() })
    }

    /// The path of a file in the folder.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Reads a file; `None` if there is no such file. Blocks on the disk.
    ///
    /// # Errors
    /// Returns an error if it is not a plain file of valid text, or cannot be read.
    pub(super) fn read(&self, name: &str) -> Result<Option<PrivateFile>, DeviceError> {
        let path = self.file(name);
        let failed = |error| DeviceError::Io(path.clone(), error);
        let file = match attache_host::open_plain_file(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let was_private = file.metadata().map_err(failed)?.mode() & 0o077 == 0;
        let text = attache_host::read_open_text(&file, LARGEST).map_err(failed)?;
        Ok(Some(PrivateFile { text, was_private }))
    }

    /// Replaces a file. After a crash, the file has the old or the new contents. Blocks on the
    /// disk.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(super) fn write(&self, name: &str, text: &str) -> Result<(), DeviceError> {
        let path = self.file(name);
        let written = || -> io::Result<()> {
            // Drafts have mode 0600.
            let mut draft = tempfile::NamedTempFile::new_in(&self.path)?;
            draft.write_all(text.as_bytes())?;
            draft.as_file().sync_all()?;
            draft.persist(&path).map_err(|error| error.error)?;
            File::open(&self.path)?.sync_all()
        };
        written().map_err(|error| DeviceError::Io(path.clone(), error))
    }
}
