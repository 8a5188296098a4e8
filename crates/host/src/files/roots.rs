//! The folders of a session, and the paths inside them.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::files::file_error::{FileError, Reason, RootsError};
use crate::files::spelled_path::Step;
use crate::files::system::paths::{canonical, respelled, spelled};

/// The largest number of symbolic links in one path, as in the kernel.
const MOST_LINKS: usize = 40;

/// The folders that a session may read and write: its `cwd` and the additional ones. If several of
/// the folders contain a path, the first of them is the path's root.
///
/// All functions block on the disk.
#[derive(Debug, Clone)]
pub struct Roots {
    /// Canonical; the first is the `cwd`.
    roots: Vec<PathBuf>,
}

/// A path inside the roots without symbolic links. It can change after it was resolved, so
/// [`Roots`] checks it again when it reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    root: PathBuf,
    relative: PathBuf,
    exists: bool,
}

impl Resolved {
    /// Returns the canonical absolute path.
    pub fn path(&self) -> PathBuf {
        self.root.join(&self.relative)
    }

    /// Returns the canonical root that contains the path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the path below the root. Empty for the root itself.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// Returns whether something existed at the path.
    pub fn exists(&self) -> bool {
        self.exists
    }
}

impl Roots {
    /// Returns the roots of a session: its `cwd` and additional folders, which must be absolute and
    /// exist. If they are symbolic links, their current targets become the roots.
    pub fn new<P: AsRef<Path>>(
        cwd: impl AsRef<Path>,
        additional: impl IntoIterator<Item = P>,
    ) -> Result<Roots, RootsError> {
        let mut roots = vec![root(cwd.as_ref())?];
        for folder in additional {
            let folder = root(folder.as_ref())?;
            if !roots.contains(&folder) {
                roots.push(folder);
            }
        }
        Ok(Roots { roots })
    }

    /// Returns the session's canonical `cwd`.
    pub fn cwd(&self) -> &Path {
        self.roots.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Returns all roots, canonical and without duplicates, the `cwd` first.
    pub fn all(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Resolves a path inside a root. A relative path starts at the `cwd`. Symbolic links and `..`
    /// are resolved as the operating system resolves them. A path that does not exist yet is
    /// resolved from its nearest existing folder.
    ///
    /// A path that cannot be examined is refused. Errors reveal nothing about paths outside the
    /// roots.
    pub fn resolve(&self, path: impl AsRef<Path>) -> Result<Resolved, FileError> {
        self.followed(path.as_ref(), true)
    }

    /// Resolves the entry itself. A symbolic link at the end of the path is refused with
    /// [`Reason::Link`], because deleting or moving it could mean the link or its target.
    pub fn resolve_entry(&self, path: impl AsRef<Path>) -> Result<Resolved, FileError> {
        let (path, entry) = (path.as_ref(), self.followed(path.as_ref(), false)?);
        match fs::symlink_metadata(entry.path()) {
            Ok(found) if found.is_symlink() => Err(FileError::new(path, Reason::Link)),
            _ => Ok(entry),
        }
    }

    /// Fails with [`Reason::Changed`] if a symbolic link on the path was created since it was
    /// resolved.
    pub fn check_unchanged(&self, resolved: &Resolved) -> Result<(), FileError> {
        let path = resolved.path();
        match self.resolve(&path)?.path() == path {
            true => Ok(()),
            false => Err(FileError::new(&path, Reason::Changed)),
        }
    }

    /// Resolves a path. With `to_the_end`, a symbolic link at its end is followed.
    fn followed(&self, path: &Path, to_the_end: bool) -> Result<Resolved, FileError> {
        if path.as_os_str().is_empty() || path.as_os_str().as_encoded_bytes().contains(&0) {
            return Err(FileError::new(path, Reason::NoPath));
        }
        let mut walk = Walk::default();
        let end = walk.follow(&self.cwd().join(path), to_the_end);
        let root = self.roots.iter().find(|root| walk.reached.starts_with(root));
        let Some((root, relative)) =
            root.and_then(|root| Some((root, walk.reached.strip_prefix(root).ok()?)))
        else {
            return Err(FileError::new(path, Reason::Outside { roots: self.roots.clone() }));
        };
        match end {
            Ok(()) => Ok(Resolved {
                root: root.clone(),
                relative: relative.into(),
                exists: walk.missing == 0,
            }),
            Err(reason) => Err(FileError::new(path, reason)),
        }
    }
}

fn root(path: &Path) -> Result<PathBuf, RootsError> {
    if !path.is_absolute() {
        return Err(RootsError::Relative(path.into()));
    }
    let found = canonical(path).and_then(|real| Ok((fs::metadata(&real)?.is_dir(), real)));
    match found {
        Ok((true, real)) => Ok(real),
        Ok((false, _)) => Err(RootsError::NotAFolder(path.into())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(RootsError::NotFound(path.into()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            Err(RootsError::NotAFolder(path.into()))
        }
        Err(source) => Err(RootsError::Io { path: path.into(), source }),
    }
}

/// A path that is being followed from its start, one component at a time.
#[derive(Default)]
struct Walk {
    /// Absolute, without symbolic links and `..`.
    reached: PathBuf,
    /// How many components at the end of `reached` do not exist.
    missing: usize,
}

impl Walk {
    /// Follows an absolute path to its end, or to the component at which it cannot continue.
    fn follow(&mut self, path: &Path, to_the_end: bool) -> Result<(), Reason> {
        let spelled_path = spelled(path)?;
        self.reached = spelled_path.start.ok_or(Reason::NoPath)?;
        let mut steps = VecDeque::from(spelled_path.steps);
        let mut links = 0;
        while let Some(step) = steps.pop_front() {
            let name = match step {
                Step::Up => {
                    self.reached.pop();
                    self.missing = self.missing.saturating_sub(1);
                    continue;
                }
                Step::Down(name) => name,
            };
            self.reached.push(&name);
            if self.missing > 0 {
                self.missing += 1;
                continue;
            }
            let found = match fs::symlink_metadata(&self.reached) {
                Ok(found) => found.file_type(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    self.missing = 1;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if found.is_symlink() && (to_the_end || !steps.is_empty()) {
                links += 1;
                if links > MOST_LINKS {
                    return Err(Reason::LinkLoop);
                }
                let target = spelled(&fs::read_link(&self.reached)?)?;
                match target.start {
                    Some(start) => self.reached = start,
                    None => {
                        self.reached.pop();
                    }
                }
                steps = target.steps.into_iter().chain(steps).collect();
            } else if !found.is_dir() && !steps.is_empty() {
                return Err(Reason::NotAFolder);
            }
        }
        self.reached = respelled(std::mem::take(&mut self.reached), self.missing)?;
        Ok(())
    }
}
