//! Moves and removes files, and creates and removes folders, inside the roots.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use crate::files::beneath::at;
use crate::files::file_error::{FileError, Reason};
use crate::files::roots::{Resolved, Roots};
use crate::files::system::folder::Folder;
use crate::files::write::{draft, fill, names_folder, replaced};

impl Roots {
    /// Removes a regular file. A symbolic link is refused: see [`Roots::resolve_entry`].
    pub fn remove_file(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        remove_file(&self.resolve_entry(path)?).map_err(|reason| FileError::new(path, reason))
    }

    /// Removes an empty folder that is not a root.
    pub fn remove_folder(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        remove_folder(&self.resolve_entry(path)?).map_err(|reason| FileError::new(path, reason))
    }

    /// Creates a folder and its parents. An existing folder is not an error.
    pub fn make_folder(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        make_folder(&self.resolve_entry(path)?).map_err(|reason| FileError::new(path, reason))
    }

    /// Moves a regular file to an unused path and creates missing folders. If the paths are on
    /// different file systems, the file is copied and then removed. A symbolic link on either side
    /// is refused: see [`Roots::resolve_entry`].
    pub fn move_file(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), FileError> {
        let (from, to) = (from.as_ref(), to.as_ref());
        let (source, target) = (self.resolve_entry(from)?, self.resolve_entry(to)?);
        if names_folder(to) || target.relative().as_os_str().is_empty() {
            return Err(FileError::new(to, Reason::Folder));
        }
        move_file((from, &source), (to, &target))
    }
}

/// Operations on a path that was resolved before. A symbolic link created since then is not
/// followed ([`Reason::Changed`]).
impl Resolved {
    /// Like [`Roots::remove_file`].
    pub fn remove_file(&self) -> Result<(), FileError> {
        remove_file(self).map_err(|reason| FileError::new(&self.path(), reason))
    }

    /// Like [`Roots::remove_folder`].
    pub fn remove_folder(&self) -> Result<(), FileError> {
        remove_folder(self).map_err(|reason| FileError::new(&self.path(), reason))
    }

    /// Like [`Roots::make_folder`].
    pub fn make_folder(&self) -> Result<(), FileError> {
        make_folder(self).map_err(|reason| FileError::new(&self.path(), reason))
    }

    /// Like [`Roots::move_file`].
    pub fn move_to(&self, target: &Resolved) -> Result<(), FileError> {
        if target.relative().as_os_str().is_empty() {
            return Err(FileError::new(&target.path(), Reason::Folder));
        }
        move_file((&self.path(), self), (&target.path(), target))
    }
}

fn remove_folder(entry: &Resolved) -> Result<(), Reason> {
    let (folder, name) = Folder::of(entry, false)?;
    folder.remove_folder(name)?;
    Ok(folder.sync()?)
}

fn make_folder(entry: &Resolved) -> Result<(), Reason> {
    let (folder, name) = Folder::of(entry, true)?;
    folder.make(name)?;
    // Something other than a folder may be at this path.
    Ok(folder.open_folder(name).map(drop)?)
}

fn remove_file(entry: &Resolved) -> Result<(), Reason> {
    let (folder, name) = Folder::of(entry, false)?;
    replaced(&folder, name)?.ok_or(Reason::NotFound)?;
    folder.remove(name)?;
    Ok(folder.sync()?)
}

fn move_file(
    (from, source): (&Path, &Resolved),
    (to, target): (&Path, &Resolved),
) -> Result<(), FileError> {
    let of_source = |reason| FileError::new(from, reason);
    let of_target = |reason| FileError::new(to, reason);
    let (here, old) = Folder::of(source, false).map_err(of_source)?;
    replaced(&here, old).and_then(|found| found.ok_or(Reason::NotFound)).map_err(of_source)?;
    let (there, new) = Folder::of(target, true).map_err(of_target)?;
    match here.rename_new(old, &there, new) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            copy((&here, old), (&there, new)).map_err(at(to))?;
            here.remove(old).map_err(at(from))?;
        }
        renamed => renamed.map_err(at(to))?,
    }
    there.sync().and_then(|()| here.sync()).map_err(at(to))
}

/// Copies a file with its permissions to an unused name.
fn copy((here, old): (&Folder, &OsStr), (there, new): (&Folder, &OsStr)) -> io::Result<()> {
    let source = here.open_file(old)?;
    let found = source.metadata()?;
    let (mut file, draft) = draft(there, true)?;
    let filled = fill(&mut file, &source, Some(&found));
    let copied = filled.and_then(|()| there.rename_new(&draft, there, new));
    if copied.is_err() {
        // Report the first error, not that of the cleanup.
        let _left = there.remove(&draft);
    }
    copied
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::{Path, PathBuf};

    use super::{Folder, copy, move_file, remove_file};
    use crate::files::file_error::Reason;
    use crate::files::roots::Roots;

    /// A folder with `project/deep/file` and `outside/file`.
    fn folders() -> (tempfile::TempDir, PathBuf, Roots) {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for parent in ["project/deep", "outside"] {
            fs::create_dir_all(base.join(parent)).unwrap();
            fs::write(base.join(parent).join("file"), parent).unwrap();
        }
        let none: [&Path; 0] = [];
        let roots = Roots::new(base.join("project"), none).unwrap();
        (folder, base, roots)
    }

    #[test]
    fn a_folder_exchanged_for_a_link_after_it_was_resolved_is_not_moved_into_or_removed_from() {
        let (_folder, base, roots) = folders();
        fs::write(base.join("project/top"), "top").unwrap();
        let (top, new) = (Path::new("top"), Path::new("deep/new"));
        let file = roots.resolve_entry("deep/file").unwrap();
        let (source, target) =
            (roots.resolve_entry(top).unwrap(), roots.resolve_entry(new).unwrap());
        fs::rename(base.join("project/deep"), base.join("aside")).unwrap();
        symlink("../outside", base.join("project/deep")).unwrap();
        assert!(matches!(remove_file(&file), Err(Reason::Changed)));
        let error = move_file((top, &source), (new, &target)).unwrap_err();
        assert!(matches!(error.reason(), Reason::Changed), "{error:?}");
        assert_eq!(fs::read_dir(base.join("outside")).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(base.join("project/top")).unwrap(), "top");
    }

    #[test]
    fn a_copy_has_the_permissions_of_its_file_and_replaces_nothing() {
        let (_folder, base, roots) = folders();
        fs::set_permissions(base.join("project/deep/file"), fs::Permissions::from_mode(0o750))
            .unwrap();
        let entry = roots.resolve_entry("deep/file").unwrap();
        let (folder, name) = Folder::of(&entry, false).unwrap();
        copy((&folder, name), (&folder, "copy".as_ref())).unwrap();
        let copied = base.join("project/deep/copy");
        assert_eq!(copied.metadata().unwrap().permissions().mode() & 0o777, 0o750);
        fs::write(&copied, "other").unwrap();
        assert!(copy((&folder, name), (&folder, "copy".as_ref())).is_err());
        assert_eq!(fs::read_to_string(&copied).unwrap(), "other");
        assert_eq!(fs::read_dir(base.join("project/deep")).unwrap().count(), 2, "no draft is left");
    }
}
