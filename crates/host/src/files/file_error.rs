//! What can go wrong with a file inside the roots, and with the roots themselves.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why the folders of a session cannot be its roots. The caller's or user's to mend; nothing is
/// dropped silently (DIR-04).
#[derive(Debug)]
#[non_exhaustive]
pub enum RootsError {
    /// A folder is not given by an absolute path (DIR-03).
    Relative(PathBuf),
    /// A folder does not exist.
    NotFound(PathBuf),
    /// It is something else than a folder.
    NotAFolder(PathBuf),
    /// The system refused to look at it.
    Io {
        /// The folder as given.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl fmt::Display for RootsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RootsError::Relative(path) => {
                write!(f, "the folder \"{}\" is not absolute: give its full path", path.display())
            }
            RootsError::NotFound(path) => {
                write!(
                    f,
                    "the folder {} does not exist: create it, or give another",
                    path.display()
                )
            }
            RootsError::NotAFolder(path) => {
                write!(f, "{} is no folder: give a folder", path.display())
            }
            RootsError::Io { path, source } => {
                write!(f, "the folder {} cannot be opened: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for RootsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            RootsError::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Why a file was not resolved, read or written: what is wrong, and the path as it was asked for.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    reason: Reason,
}

/// What is wrong with a file.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reason {
    /// It lies outside the roots, or a symbolic link on the way leads outside (DIR-11).
    Outside {
        /// The roots.
        roots: Vec<PathBuf>,
    },
    /// The path is empty or has a zero byte.
    NoPath,
    /// There is no such file (FS-09).
    NotFound,
    /// Something on the way is no folder.
    NotAFolder,
    /// Symbolic links lead in a circle.
    LinkLoop,
    /// It is a folder where a file is needed.
    Folder,
    /// It is a symbolic link, where what has the name is meant and not what it leads to.
    Link,
    /// There is something of that name already.
    Exists,
    /// The folder has something in it.
    NotEmpty,
    /// It is neither file nor folder: a device, socket or pipe.
    NotAFile,
    /// The system does not permit it.
    Denied(io::Error),
    /// The file is larger than what is read.
    TooLarge {
        /// The file's size in bytes, or how much of it was seen.
        size: u64,
        /// The most that is read.
        limit: u64,
    },
    /// It is no text: it has a zero byte near its start.
    Binary,
    /// It is no UTF-8 text.
    NotUtf8 {
        /// The line, from 1, with the first byte that is not.
        line: u64,
    },
    /// Somebody else changed the path while it was being opened; nothing was read or written.
    Changed,
    /// Anything else: the disk is full, for example.
    Io(io::Error),
}

impl FileError {
    /// What is wrong with the path that was asked for.
    pub fn new(path: &Path, reason: Reason) -> FileError {
        FileError { path: path.into(), reason }
    }

    /// The path as it was asked for.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is wrong.
    pub fn reason(&self) -> &Reason {
        &self.reason
    }
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Reason {
        match error.kind() {
            io::ErrorKind::NotFound => Reason::NotFound,
            io::ErrorKind::NotADirectory => Reason::NotAFolder,
            io::ErrorKind::IsADirectory => Reason::Folder,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Reason::Denied(error)
            }
            io::ErrorKind::InvalidInput => Reason::NoPath,
            io::ErrorKind::AlreadyExists => Reason::Exists,
            io::ErrorKind::DirectoryNotEmpty => Reason::NotEmpty,
            _ => Reason::Io(error),
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.reason {
            Reason::Outside { roots } => {
                let roots: Vec<String> =
                    roots.iter().map(|root| root.display().to_string()).collect();
                write!(
                    f,
                    "{path} is outside the session's folders ({}): use a path inside them, or add its folder to the session",
                    roots.join(", ")
                )
            }
            Reason::NoPath => {
                write!(
                    f,
                    "\"{}\" is no path: give one without zero bytes",
                    path.to_string().escape_debug()
                )
            }
            Reason::NotFound => write!(f, "{path} does not exist: check the path"),
            Reason::NotAFolder => write!(f, "a part of {path} is no folder: check the path"),
            Reason::LinkLoop => {
                write!(f, "the symbolic links in {path} lead in a circle: mend them")
            }
            Reason::Folder => write!(f, "{path} is a folder: give a file in it"),
            Reason::Link => write!(f, "{path} is a symbolic link: give the path that it leads to"),
            Reason::Exists => write!(f, "{path} exists already: give another path"),
            Reason::NotEmpty => {
                write!(f, "the folder {path} is not empty: delete what is in it first")
            }
            Reason::NotAFile => write!(f, "{path} is no regular file: give a regular file"),
            Reason::Denied(error) => {
                write!(f, "{path} may not be used: {error}; check its permissions")
            }
            Reason::TooLarge { size, limit } => {
                write!(
                    f,
                    "{path} is too large: {size} bytes, at most {limit} are read; use a search instead"
                )
            }
            Reason::Binary => write!(f, "{path} is a binary file: only text can be read"),
            Reason::NotUtf8 { line } => {
                write!(f, "{path} is no UTF-8 text (line {line}): convert it to UTF-8 first")
            }
            Reason::Changed => write!(f, "{path} changed while it was being opened: try again"),
            Reason::Io(error) => match error.kind() {
                io::ErrorKind::StorageFull
                | io::ErrorKind::QuotaExceeded
                | io::ErrorKind::FileTooLarge => {
                    write!(
                        f,
                        "there is no room for {path} ({error}): nothing of it was written; make room first"
                    )
                }
                io::ErrorKind::InvalidFilename => {
                    write!(f, "a name in {path} is too long: give a shorter one")
                }
                _ => write!(f, "{path} cannot be used: {error}"),
            },
        }
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            Reason::Denied(source) | Reason::Io(source) => Some(source),
            _ => None,
        }
    }
}
