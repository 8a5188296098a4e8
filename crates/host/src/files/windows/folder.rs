//! Open folders on Windows, whose entries are opened relative to them, one name at a time.
//!
//! Symbolic links and junctions are never followed. Entries that another program provides when they
//! are read, such as those of a cloud drive, cannot be read here.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::os::windows::ffi::OsStrExt as _;
use std::os::windows::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use windows_sys::Wdk::Storage::FileSystem::{
    FILE_CREATE, FILE_DIRECTORY_FILE, FILE_NON_DIRECTORY_FILE, FILE_OPEN,
};
use windows_sys::Win32::Storage::FileSystem::{
    DELETE, FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_GENERIC_READ, FILE_GENERIC_WRITE, FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES,
    FILE_TRAVERSE, FILE_WRITE_ATTRIBUTES, SYNCHRONIZE,
};

use crate::files::entry_info::{EntryInfo, EntryKind};
use crate::files::file_error::changed;
use crate::files::system::attributes::set_mode;
use crate::files::system::errors::link;
use crate::files::system::native::{self, How};
use crate::files::windows_path::flaw_of;

/// The rights that a walk through folders needs.
const WALK: u32 = FILE_LIST_DIRECTORY | FILE_TRAVERSE | FILE_READ_ATTRIBUTES;

/// An open folder inside a root.
#[derive(Debug)]
pub(crate) struct Folder(File);

impl Folder {
    /// Opens a folder. A link at the end of the path is an error.
    pub(crate) fn at(path: &Path) -> io::Result<Folder> {
        let folder = File::options()
            .access_mode(WALK | SYNCHRONIZE)
            .custom_flags(FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT)
            .open(path)?;
        match without_link(folder)? {
            folder if folder.metadata()?.is_dir() => Ok(Folder(folder)),
            _ => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Returns another handle of the same folder.
    pub(crate) fn again(&self) -> io::Result<Folder> {
        Ok(Folder(self.0.try_clone()?))
    }

    /// Opens a folder in this one. A link is an error.
    pub(crate) fn below(&self, name: &OsStr) -> io::Result<Folder> {
        self.open_folder(name).map(Folder)
    }

    /// Returns the metadata of an entry of this folder, of a link itself.
    pub(crate) fn metadata(&self, name: &OsStr) -> io::Result<Metadata> {
        self.entry(name)?.metadata()
    }

    /// Opens an entry of this folder for its metadata, a link itself too.
    pub(crate) fn entry(&self, name: &OsStr) -> io::Result<File> {
        self.open(name, FILE_READ_ATTRIBUTES, 0)
    }

    /// Opens an entry like [`Folder::entry`].
    pub(crate) fn look(&self, name: &OsStr) -> io::Result<File> {
        self.entry(name)
    }

    /// Always fails: links are not created on Windows, where it needs a privilege.
    pub(crate) fn link(&self, _target: &OsStr, _name: &OsStr) -> io::Result<()> {
        Err(no_links())
    }

    /// Always fails: links are not read on Windows.
    pub(crate) fn read_link(&self, _name: &OsStr) -> io::Result<OsString> {
        Err(no_links())
    }

    /// Opens a regular file in this folder for reading. A folder is opened too, and a link is an
    /// error.
    pub(crate) fn open_file(&self, name: &OsStr) -> io::Result<File> {
        without_link(self.open(name, FILE_GENERIC_READ, 0)?)
    }

    /// Opens a folder in this one, or this one as `.`, for reading its names.
    pub(crate) fn open_folder(&self, name: &OsStr) -> io::Result<File> {
        without_link(self.open(name, WALK, FILE_DIRECTORY_FILE)?)
    }

    /// Creates a file in this folder and opens it for writing. The name must be unused. The file
    /// gets the access list of the folder.
    pub(crate) fn create(&self, name: &OsStr, _mode: u32) -> io::Result<File> {
        let access = FILE_GENERIC_WRITE | FILE_READ_ATTRIBUTES;
        let how = How { access, disposition: FILE_CREATE, kind: FILE_NON_DIRECTORY_FILE };
        native::open_at(&self.0, &checked(name)?, how)
    }

    /// Creates a folder in this one. An existing folder is not an error.
    pub(crate) fn make(&self, name: &OsStr) -> io::Result<()> {
        let how = How { access: WALK, disposition: FILE_CREATE, kind: FILE_DIRECTORY_FILE };
        match native::open_at(&self.0, &checked(name)?, how) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made.map(drop),
        }
    }

    /// Renames within this folder and replaces the new name.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        let entry = self.open(from, DELETE, 0)?;
        native::rename(&entry, &self.0, &checked(to)?, true)
    }

    /// Moves `from` in this folder to the unused name `to` in another folder.
    pub(crate) fn rename_new(&self, from: &OsStr, other: &Folder, to: &OsStr) -> io::Result<()> {
        let entry = self.open(from, DELETE, 0)?;
        native::rename(&entry, &other.0, &checked(to)?, false)
    }

    /// Removes an entry of this folder that is not a folder itself. A link itself is removed, never
    /// its target.
    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        let entry = self.open(name, DELETE | FILE_READ_ATTRIBUTES, 0)?;
        match entry.metadata()?.is_dir() {
            true => Err(io::ErrorKind::IsADirectory.into()),
            false => native::delete(&entry),
        }
    }

    /// Removes an empty folder in this folder.
    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        let entry = self.open(name, DELETE | FILE_READ_ATTRIBUTES, FILE_DIRECTORY_FILE)?;
        native::delete(&without_link(entry)?)
    }

    /// Sets whether the expected file can be written. A folder is left as it is.
    pub(crate) fn set_mode(&self, name: &OsStr, mode: u32, expected: &EntryInfo) -> io::Result<()> {
        let entry = self.open(name, FILE_READ_ATTRIBUTES | FILE_WRITE_ATTRIBUTES, 0)?;
        let entry = without_link(entry)?;
        match EntryInfo::of(&entry)? {
            found if found != *expected => Err(changed()),
            found if found.kind == EntryKind::Folder => Ok(()),
            _ => set_mode(&entry, mode),
        }
    }

    /// Does nothing: the file systems of Windows keep a log of changed folders.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// Opens an existing entry of this folder, a link itself too.
    fn open(&self, name: &OsStr, access: u32, kind: u32) -> io::Result<File> {
        let name = if name == "." { Vec::new() } else { checked(name)? };
        native::open_at(&self.0, &name, How { access, disposition: FILE_OPEN, kind })
    }
}

/// Returns a name for the system, if the system treats it as that of one ordinary entry.
fn checked(name: &OsStr) -> io::Result<Vec<u16>> {
    let invalid = |why| io::Error::new(io::ErrorKind::InvalidInput, why);
    let text = name.to_str().ok_or_else(|| invalid("a name is not Unicode"))?;
    if matches!(text, "" | "." | "..") {
        return Err(invalid("it is not the name of an entry"));
    }
    match flaw_of(text) {
        Some(why) => Err(invalid(why)),
        None => Ok(name.encode_wide().collect()),
    }
}

/// Refuses a link, and an entry that another program provides.
fn without_link(entry: File) -> io::Result<File> {
    let found = entry.metadata()?;
    match found.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT {
        0 => Ok(entry),
        _ if found.is_symlink() => Err(link()),
        _ => {
            let why =
                "another program provides it, as for a cloud drive: copy it to a local folder";
            Err(io::Error::new(io::ErrorKind::Unsupported, why))
        }
    }
}

fn no_links() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "symbolic links are not supported on Windows")
}
