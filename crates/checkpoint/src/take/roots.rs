//! The folders that a checkpoint covers.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The folders that a checkpoint covers: canonical, sorted, none inside another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Roots(Vec<PathBuf>);

impl Roots {
    /// Returns the folders behind these paths. A folder inside another is left out.
    ///
    /// # Errors
    /// Returns an error if a path is not a folder, or if its folder is too wide for checkpoints:
    /// the root of the file system, the home folder of the user, or a folder above it.
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, RootError> {
        let home = home();
        let mut roots = Vec::new();
        for path in paths {
            roots.push(root(path.as_ref(), home.as_deref())?);
        }
        roots.sort();
        roots.dedup_by(|inner, outer| inner.starts_with(&*outer));
        match roots.is_empty() {
            true => Err(RootError::None),
            false => Ok(Self(roots)),
        }
    }

    /// Returns the roots of a checkpoint that was taken before.
    pub(crate) fn stored(paths: Vec<PathBuf>) -> Self {
        Self(paths)
    }

    /// The folders, in the order of their paths. [`TreePath::root`](crate::TreePath::root) is an
    /// index of this list.
    pub fn paths(&self) -> &[PathBuf] {
        &self.0
    }
}

fn home() -> Option<PathBuf> {
    let home = std::env::var_os("HOME").filter(|home| !home.is_empty())?;
    std::fs::canonicalize(home).ok()
}

fn root(path: &Path, home: Option<&Path>) -> Result<PathBuf, RootError> {
    let shown = || path.to_owned();
    let folder = std::fs::canonicalize(path)
        .map_err(|error| RootError::NotFound { path: shown(), source: error })?;
    if !folder.is_dir() {
        return Err(RootError::NotAFolder { path: shown() });
    }
    if folder.parent().is_none() {
        return Err(RootError::WholeSystem { path: shown() });
    }
    match home {
        Some(home) if home == folder => Err(RootError::Home { path: shown() }),
        Some(home) if home.starts_with(&folder) => Err(RootError::AboveHome { path: shown() }),
        _ => Ok(folder),
    }
}

/// Why checkpoints of a folder are refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum RootError {
    /// There is no folder.
    None,
    /// The path cannot be resolved.
    NotFound {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The path is not a folder.
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// The path is the root of the file system.
    WholeSystem {
        /// The path.
        path: PathBuf,
    },
    /// The path is the home folder of the user.
    Home {
        /// The path.
        path: PathBuf,
    },
    /// The path is a folder above the home folder of the user.
    AboveHome {
        /// The path.
        path: PathBuf,
    },
}

impl fmt::Display for RootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ADVICE: &str = "start the session in a project folder to get checkpoints";
        match self {
            Self::None => write!(f, "there is no folder to keep checkpoints of"),
            Self::NotFound { path, source } => {
                write!(f, "no checkpoints of {}: {source}", path.display())
            }
            Self::NotAFolder { path } => {
                write!(f, "no checkpoints of {}: it is not a folder", path.display())
            }
            Self::WholeSystem { path } => write!(
                f,
                "no checkpoints of {}: it is the whole file system; {ADVICE}",
                path.display()
            ),
            Self::Home { path } => {
                write!(f, "no checkpoints of {}: it is your home folder; {ADVICE}", path.display())
            }
            Self::AboveHome { path } => write!(
                f,
                "no checkpoints of {}: it contains your home folder; {ADVICE}",
                path.display()
            ),
        }
    }
}

impl std::error::Error for RootError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotFound { source, .. } => Some(source),
            _ => None,
        }
    }
}
