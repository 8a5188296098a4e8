//! Errors about files inside the roots, and about the roots themselves.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// Why a folder cannot be a root of a session.
#[derive(Debug)]
#[non_exhaustive]
pub enum RootsError {
    /// A folder has no absolute path.
    Relative(PathBuf),
    /// A folder does not exist.
    NotFound(PathBuf),
    /// The path is not a folder.
    NotAFolder(PathBuf),
    /// The system refused access.
    Io {
        /// The folder as given.
        path: PathBuf,
        /// The system's error.
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
                write!(f, "{} is not a folder: give a folder", path.display())
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

/// Why a file was not resolved, read or written: the reason and the requested path.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    reason: Reason,
}

/// Why a file cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The file is outside the roots, or a symbolic link on the way leads outside.
    Outside {
        /// The roots.
        roots: Vec<PathBuf>,
    },
    /// The path is empty or contains a zero byte.
    NoPath,
    /// There is no such file.
    NotFound,
    /// A part of the path is not a folder.
    NotAFolder,
    /// The symbolic links in the path form a loop.
    LinkLoop,
    /// The path is a folder, not a file.
    Folder,
    /// The path is a symbolic link, but the operation is about the entry itself and not the link's
    /// target.
    Link,
    /// The name is already used.
    Exists,
    /// The folder is not empty.
    NotEmpty,
    /// The path is neither a file nor a folder, but a device, socket or pipe.
    NotAFile,
    /// The system does not permit the access.
    Denied(io::Error),
    /// The file is larger than the limit.
    TooLarge {
        /// The file's size in bytes, or how much of it was read.
        size: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is not text: it contains a zero byte near its start.
    Binary,
    /// The file is not UTF-8 text.
    NotUtf8 {
        /// The line with the first invalid byte, counted from 1.
        line: u64,
    },
    /// The path changed while it was being opened. Nothing was read or written.
    Changed,
    /// Another failure, for example a full disk.
    Io(io::Error),
}

impl FileError {
    /// The error for the requested path.
    pub fn new(path: &Path, reason: Reason) -> FileError {
        FileError { path: path.into(), reason }
    }

    /// The requested path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The reason.
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
                    "\"{}\" is not a path: give one without zero bytes",
                    path.to_string().escape_debug()
                )
            }
            Reason::NotFound => write!(f, "{path} does not exist: check the path"),
            Reason::NotAFolder => write!(f, "a part of {path} is not a folder: check the path"),
            Reason::LinkLoop => {
                write!(f, "the symbolic links in {path} form a circle: fix them")
            }
            Reason::Folder => write!(f, "{path} is a folder: give a file in it"),
            Reason::Link => write!(f, "{path} is a symbolic link: give the path that it leads to"),
            Reason::Exists => write!(f, "{path} exists already: give another path"),
            Reason::NotEmpty => {
                write!(f, "the folder {path} is not empty: delete its contents first")
            }
            Reason::NotAFile => write!(f, "{path} is not a regular file: give a regular file"),
            Reason::Denied(error) => {
                write!(f, "{path} may not be used: {error}; check its permissions")
            }
            Reason::TooLarge { size, limit } => {
                write!(
                    f,
                    "{path} is too large: it has {size} bytes, but at most {limit} are read; use a search instead"
                )
            }
            Reason::Binary => write!(f, "{path} is a binary file: only text can be read"),
            Reason::NotUtf8 { line } => {
                write!(f, "{path} is not UTF-8 text (line {line}): convert it to UTF-8 first")
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

/// The error for an entry that is no longer the expected one.
pub(crate) fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::StaleNetworkFileHandle, "it changed in the meantime")
}
