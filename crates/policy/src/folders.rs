//! The session's folders: resolves paths in them, and names those paths for the client and for
//! people.

use attache_host::{FileError, Resolved, Roots, RootsError};
use std::path::{Path, PathBuf};

/// The roots of a session. [`Roots`] resolves the paths inside them. Paths for the client begin
/// with a folder as the client named it, which may be a symbolic link.
#[derive(Debug, Clone)]
pub struct Folders {
    roots: Roots,
    /// Each root as the client named it; the first is the working directory.
    given: Vec<PathBuf>,
}

/// A path inside the folders.
#[derive(Debug, Clone)]
pub struct Place {
    /// Where the path leads, and whether something exists there.
    pub resolved: Resolved,
    /// The absolute path, as the client names it (TOOL-10).
    pub absolute: PathBuf,
    /// The path for people: relative if it is below the working directory, else absolute.
    pub shown: String,
}

impl Folders {
    /// Opens the working directory and the further roots. Blocks on the disk.
    pub fn new(given: &[PathBuf]) -> Result<Self, RootsError> {
        let (cwd, more) =
            given.split_first().ok_or_else(|| RootsError::Relative(PathBuf::new()))?;
        Ok(Self { roots: Roots::new(cwd, more)?, given: given.to_vec() })
    }

    /// The canonical folders, without duplicates, inside which the host resolves and checks paths.
    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The working directory as the client names it.
    pub fn cwd(&self) -> &Path {
        self.given.first().map_or(Path::new("/"), PathBuf::as_path)
    }

    /// All folders as the client names them, the working directory first.
    pub fn given(&self) -> &[PathBuf] {
        &self.given
    }

    /// Resolves `path`, which must lead inside the folders. Blocks on the disk.
    pub fn place(&self, path: impl AsRef<Path>) -> Result<Place, FileError> {
        let resolved = self.roots.resolve(path)?;
        let (absolute, shown) = self.named(&resolved.path());
        Ok(Place { resolved, absolute, shown })
    }

    /// Resolves `path` without following a symbolic link at its end: such a link is refused. Blocks
    /// on the disk.
    pub fn entry(&self, path: impl AsRef<Path>) -> Result<Place, FileError> {
        let resolved = self.roots.resolve_entry(path)?;
        let (absolute, shown) = self.named(&resolved.path());
        Ok(Place { resolved, absolute, shown })
    }

    /// Returns the client's name and the name for people of a path below a canonical root.
    pub fn named(&self, path: &Path) -> (PathBuf, String) {
        for (index, root) in self.roots.all().iter().enumerate() {
            let Ok(below) = path.strip_prefix(root) else { continue };
            // Roots keep their order, but duplicates are dropped, so the index cannot be used.
            let given = self.given.get(index).filter(|given| leads_to(given, root));
            let given = given.or_else(|| self.given.iter().find(|given| leads_to(given, root)));
            let absolute = match given {
                Some(given) if below.as_os_str().is_empty() => given.clone(),
                Some(given) => given.join(below),
                None => path.to_owned(),
            };
            let shown = match index {
                0 if below.as_os_str().is_empty() => ".".to_owned(),
                0 => plain(below),
                _ => plain(&absolute),
            };
            return (absolute, shown);
        }
        (path.to_owned(), plain(path))
    }
}

/// A path for people, always on one line.
fn plain(path: &Path) -> String {
    let shown = path.to_string_lossy();
    match shown.contains(char::is_control) {
        false => shown.into_owned(),
        true => shown
            .chars()
            .map(|each| {
                if each.is_control() { each.escape_default().to_string() } else { each.to_string() }
            })
            .collect(),
    }
}

fn leads_to(given: &Path, root: &Path) -> bool {
    given == root || std::fs::canonicalize(given).is_ok_and(|real| real == root)
}
