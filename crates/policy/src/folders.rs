//! The session's folders: where a path leads, what the client calls it and how it is shown.

use attache_host::{FileError, Resolved, Roots, RootsError};
use std::path::{Path, PathBuf};

/// The roots of a session. Paths inside are resolved by [`Roots`]; the client hears of them as it
/// named the folders, which may be symbolic links.
#[derive(Debug, Clone)]
pub struct Folders {
    roots: Roots,
    /// Each root as the client named it; the first is the working directory.
    given: Vec<PathBuf>,
}

/// One path inside the folders.
#[derive(Debug, Clone)]
pub struct Place {
    /// Where it is, and whether there is something.
    pub resolved: Resolved,
    /// Absolute, in the client's words (TOOL-10).
    pub absolute: PathBuf,
    /// For people: below the working directory the path from there, else absolute.
    pub shown: String,
}

impl Folders {
    /// The working directory and the further roots. Blocks on the disk.
    pub fn new(given: &[PathBuf]) -> Result<Self, RootsError> {
        let (cwd, more) =
            given.split_first().ok_or_else(|| RootsError::Relative(PathBuf::new()))?;
        Ok(Self { roots: Roots::new(cwd, more)?, given: given.to_vec() })
    }

    /// The folders as the host checks them.
    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The working directory in the client's words.
    pub fn cwd(&self) -> &Path {
        self.given.first().map_or(Path::new("/"), PathBuf::as_path)
    }

    /// All folders in the client's words, the working directory first.
    pub fn given(&self) -> &[PathBuf] {
        &self.given
    }

    /// Where `path` leads, if that is inside the folders. Blocks on the disk.
    pub fn place(&self, path: impl AsRef<Path>) -> Result<Place, FileError> {
        let resolved = self.roots.resolve(path)?;
        let (absolute, shown) = self.named(&resolved.path());
        Ok(Place { resolved, absolute, shown })
    }

    /// The place of what has the name `path` itself: a symbolic link at its end is refused. Blocks
    /// on the disk.
    pub fn entry(&self, path: impl AsRef<Path>) -> Result<Place, FileError> {
        let resolved = self.roots.resolve_entry(path)?;
        let (absolute, shown) = self.named(&resolved.path());
        Ok(Place { resolved, absolute, shown })
    }

    /// The client's name and the name for people of a path below a canonical root.
    pub fn named(&self, path: &Path) -> (PathBuf, String) {
        for (index, root) in self.roots.all().iter().enumerate() {
            let Ok(below) = path.strip_prefix(root) else { continue };
            // Roots are kept in the order given; those named twice stand once, so look for one that
            // leads here.
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

/// A path for people: on one line, whatever is in it.
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
