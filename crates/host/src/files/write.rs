//! Writes files inside the roots.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::path::Path;

use crate::files::beneath::at;
use crate::files::file_error::{FileError, Reason};
use crate::files::roots::{Resolved, Roots};
use crate::files::system::attributes::{keep_owner, keep_permissions};
use crate::files::system::errors::no_link;
use crate::files::system::folder::Folder;

/// How many names are tried for the draft, a temporary file.
const NAMES: u8 = 16;

impl Roots {
    /// Replaces the whole content of a file, or creates the file and missing folders. Bytes are
    /// written exactly.
    ///
    /// The content is written to a draft beside the file, synced and renamed, so after a crash the
    /// file has either all of its old content or all of its new content. Permissions are kept, and
    /// so is the owner where the system allows it. Other hard links of the file keep the old
    /// content. A symbolic link that leads inside the roots is followed.
    pub fn write(
        &self,
        path: impl AsRef<Path>,
        content: impl AsRef<[u8]>,
    ) -> Result<(), FileError> {
        let path = path.as_ref();
        let resolved = self.resolve(path)?;
        if names_folder(path) {
            return Err(FileError::new(path, Reason::Folder));
        }
        write(path, &resolved, content.as_ref())
    }

    /// Writes at a path that was resolved before. A symbolic link created meanwhile is not
    /// followed.
    pub fn write_at(&self, place: &Resolved, content: impl AsRef<[u8]>) -> Result<(), FileError> {
        write(&place.path(), place, content.as_ref())
    }
}

impl Resolved {
    /// Writes at the path as it was resolved. A symbolic link created since then is not followed:
    /// [`Reason::Changed`].
    pub fn write(&self, content: impl AsRef<[u8]>) -> Result<(), FileError> {
        write(&self.path(), self, content.as_ref())
    }
}

/// Returns whether the path ends like the path of a folder, as `a/` and `a/.` do. Without this
/// check, they would mean the file `a`.
pub(crate) fn names_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    let bytes = bytes.strip_suffix(b".").unwrap_or(bytes);
    bytes.last().is_some_and(|last| std::path::is_separator(char::from(*last)))
}

fn write(path: &Path, resolved: &Resolved, content: &[u8]) -> Result<(), FileError> {
    let (folder, name) =
        Folder::of(resolved, true).map_err(|reason| FileError::new(path, reason))?;
    let replaced = replaced(&folder, name).map_err(|reason| FileError::new(path, reason))?;
    let (mut file, draft) = draft(&folder, replaced.is_some()).map_err(at(path))?;
    let filled = fill(&mut file, content, replaced.as_ref());
    let written = filled.and_then(|()| folder.rename(&draft, name));
    if let Err(error) = written {
        // Report the first error, not that of the cleanup.
        let _left = folder.remove(&draft);
        return Err(at(path)(error));
    }
    folder.sync().map_err(at(path))
}

/// Returns the metadata of the target, a regular file, or `None` if it does not exist.
pub(crate) fn replaced(folder: &Folder, name: &OsStr) -> Result<Option<Metadata>, Reason> {
    let found = match folder.look(name) {
        Ok(file) => file.metadata()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(no_link(error)),
    };
    match found.file_type() {
        kind if kind.is_file() => Ok(Some(found)),
        kind if kind.is_dir() => Err(Reason::Folder),
        // The target was not a link when the path was resolved.
        kind if kind.is_symlink() => Err(Reason::Changed),
        _ => Err(Reason::NotAFile),
    }
}

/// Creates a file beside the target. If it will replace the target, only this user can read it
/// until it has the target's permissions.
pub(crate) fn draft(folder: &Folder, replaces: bool) -> io::Result<(File, OsString)> {
    let mode = if replaces { 0o600 } else { 0o666 };
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..NAMES {
        let name = OsString::from(format!(
            ".attache-{:016x}",
            RandomState::new().hash_one(std::process::id())
        ));
        match folder.create(&name, mode) {
            Ok(file) => return Ok((file, name)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

/// Writes the content of a draft, and copies owner and permissions of the target.
pub(crate) fn fill(
    file: &mut File,
    mut content: impl Read,
    replaced: Option<&Metadata>,
) -> io::Result<()> {
    if let Some(old) = replaced {
        keep_owner(file, old)?;
        // Set after the owner, because changing the owner clears some of these bits.
        keep_permissions(file, old)?;
    }
    io::copy(&mut content, file)?;
    file.sync_all()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};

    use super::write;
    use crate::files::file_error::Reason;
    use crate::files::roots::Roots;

    /// A folder with `project/deep/file` and `outside/file`.
    fn folders() -> (tempfile::TempDir, PathBuf, Roots) {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().to_owned();
        for (parent, content) in [("project/deep", "inside"), ("outside", "outside")] {
            fs::create_dir_all(base.join(parent)).unwrap();
            fs::write(base.join(parent).join("file"), content).unwrap();
        }
        let none: [&Path; 0] = [];
        let roots = Roots::new(base.join("project"), none).unwrap();
        (folder, base, roots)
    }

    #[test]
    fn a_folder_exchanged_for_a_link_after_it_was_resolved_is_not_written_through() {
        let (_folder, base, roots) = folders();
        for name in ["file", "new", "below/new"] {
            let path = Path::new("deep").join(name);
            let resolved = roots.resolve(&path).unwrap();
            fs::rename(base.join("project/deep"), base.join("aside")).unwrap();
            symlink("../outside", base.join("project/deep")).unwrap();
            let error = write(&path, &resolved, b"written").unwrap_err();
            assert!(matches!(error.reason(), Reason::Changed), "{name}: {error:?}");
            fs::remove_file(base.join("project/deep")).unwrap();
            fs::rename(base.join("aside"), base.join("project/deep")).unwrap();
        }
        assert_eq!(fs::read_to_string(base.join("outside/file")).unwrap(), "outside");
        assert_eq!(fs::read_dir(base.join("outside")).unwrap().count(), 1);
    }

    #[test]
    fn a_file_exchanged_for_a_link_after_it_was_resolved_is_not_written_through() {
        let (_folder, base, roots) = folders();
        let resolved = roots.resolve("deep/file").unwrap();
        fs::remove_file(base.join("project/deep/file")).unwrap();
        symlink("../../outside/file", base.join("project/deep/file")).unwrap();
        let error = write(Path::new("deep/file"), &resolved, b"written").unwrap_err();
        assert!(matches!(error.reason(), Reason::Changed), "{error:?}");
        assert_eq!(fs::read_to_string(base.join("outside/file")).unwrap(), "outside");
        assert_eq!(fs::read_dir(base.join("project/deep")).unwrap().count(), 1, "no draft is left");
    }
}
