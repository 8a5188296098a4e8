//! Errors from starting a program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use crate::launch::Launch;
use crate::launch::system::NOT_EXECUTABLE;

/// Why a program could not be started. No process is left behind.
#[derive(Debug)]
#[non_exhaustive]
pub enum StartError {
    /// There is no such program.
    NotFound {
        /// The program as given.
        program: OsString,
        /// The `PATH` that was searched. `None` if the program was given as a path.
        searched: Option<OsString>,
    },
    /// The program is a script whose interpreter (its `#!` line) does not exist, or its loader is
    /// missing.
    NoInterpreter {
        /// The program's path.
        program: PathBuf,
    },
    /// The program exists but cannot be executed.
    NotExecutable {
        /// The program as given.
        program: OsString,
        /// The system's error.
        source: io::Error,
    },
    /// The folder to start in does not exist.
    NoFolder {
        /// The folder as given.
        cwd: PathBuf,
    },
    /// The path to start in is not a folder.
    NotAFolder {
        /// The folder as given.
        cwd: PathBuf,
    },
    /// [`Launch::start`] was called outside a tokio runtime.
    NoRuntime,
    /// Another error of the system: too many processes or open files, a folder that this user may
    /// not enter, a zero byte in a word.
    Other {
        /// The program as given.
        program: OsString,
        /// The system's error.
        source: io::Error,
    },
}

impl StartError {
    /// Checks the folder first, because the system reports the same error for the folder and the
    /// program.
    pub(crate) fn check_folder(launch: &Launch) -> Result<(), StartError> {
        let Some(cwd) = launch.folder() else { return Ok(()) };
        match fs::metadata(cwd) {
            Ok(found) if found.is_dir() => Ok(()),
            Ok(_) => Err(StartError::NotAFolder { cwd: cwd.into() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StartError::NoFolder { cwd: cwd.into() })
            }
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                Err(StartError::NotAFolder { cwd: cwd.into() })
            }
            Err(source) => Err(StartError::Other { program: launch.program().into(), source }),
        }
    }

    /// Explains a failed start.
    pub(crate) fn new(launch: &Launch, source: io::Error) -> StartError {
        let program = launch.program().to_owned();
        if source.raw_os_error() == Some(NOT_EXECUTABLE) {
            return StartError::NotExecutable { program, source };
        }
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => not_found(launch),
            io::ErrorKind::PermissionDenied => StartError::NotExecutable { program, source },
            _ => StartError::Other { program, source },
        }
    }
}

/// Explains why a program was not found. If its file exists, its interpreter is missing.
fn not_found(launch: &Launch) -> StartError {
    let folder = launch.folder().unwrap_or(Path::new("."));
    let found =
        launch.candidates().into_iter().map(|file| folder.join(file)).find(|file| file.is_file());
    match found {
        Some(program) => StartError::NoInterpreter { program },
        None => {
            StartError::NotFound { program: launch.program().into(), searched: launch.searched() }
        }
    }
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::NotFound { program, searched: Some(path) } => write!(
                f,
                "no program {} in PATH ({}): install it, or give its full path",
                program.display(),
                path.display()
            ),
            StartError::NotFound { program, searched: None } => {
                write!(f, "no program at {}: check the path, or install it", program.display())
            }
            StartError::NoInterpreter { program } => write!(
                f,
                "{} exists, but its interpreter does not: install the interpreter named in its first line",
                program.display()
            ),
            StartError::NotExecutable { program, .. } => {
                write!(
                    f,
                    "{} cannot be executed: check its permissions (chmod +x) and, of a script, its first line (#!)",
                    program.display()
                )
            }
            StartError::NoFolder { cwd } => {
                write!(
                    f,
                    "the folder {} to start in does not exist: create it, or give another",
                    cwd.display()
                )
            }
            StartError::NotAFolder { cwd } => {
                write!(f, "{} to start in is not a folder: give a folder", cwd.display())
            }
            StartError::NoRuntime => {
                f.write_str("a program was started outside a tokio runtime: start it inside one")
            }
            StartError::Other { program, source } => {
                write!(f, "{} could not be started: {source}", program.display())
            }
        }
    }
}

impl std::error::Error for StartError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StartError::NotExecutable { source, .. } | StartError::Other { source, .. } => {
                Some(source)
            }
            _ => None,
        }
    }
}
