//! Opens exactly the file that a path was resolved to, even if files are renamed or linked
//! meanwhile.
//!
//! A resolved path has no symbolic link and no `..`, so it is walked one folder at a time, and each
//! step refuses symbolic links. A link that was created after the path was resolved is an error and
//! is never followed. This works the same on every system.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path};

use crate::files::file_error::{FileError, Reason};
use crate::files::roots::Resolved;
use crate::files::system::errors::no_link;
use crate::files::system::folder::Folder;

impl Folder {
    /// Opens the folder that contains the path, and returns it with the path's last name. With
    /// `make`, missing folders are created.
    pub(crate) fn of(resolved: &Resolved, make: bool) -> Result<(Folder, &OsStr), Reason> {
        let name = resolved.relative().file_name().ok_or(Reason::Folder)?;
        let mut folder = Folder::at(resolved.root()).map_err(no_link)?;
        let parent = resolved.relative().parent().unwrap_or(Path::new(""));
        for component in parent.components() {
            // A resolved path has no other components.
            let Component::Normal(name) = component else { return Err(Reason::Changed) };
            folder = match folder.below(name) {
                Ok(next) => next,
                Err(error) if make && error.kind() == io::ErrorKind::NotFound => {
                    folder.make(name)?;
                    folder.below(name).map_err(no_link)?
                }
                Err(error) => return Err(no_link(error)),
            };
        }
        Ok((folder, name))
    }
}

/// Adds the requested path to an error.
pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> FileError + '_ {
    move |error| FileError::new(path, no_link(error))
}
