//! Where a path leads: whether it is inside of the session's folders, and whether it is protected.

use crate::folders::Folders;
use crate::guard::{Guard, guard};
use crate::rule::Pattern;
use attache_host::Reason;
use std::path::{Path, PathBuf};

/// Where a path leads, with symbolic links followed as they are now.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) guard: Option<Guard>,
    pub(crate) outside: bool,
    /// The path relative to its root.
    pub(crate) relative: String,
    pub(crate) absolute: PathBuf,
}

impl Reach {
    /// Resolves `path` from the folder `from`. The result is protected if the path as written is
    /// protected, or its target. Blocks on the disk.
    pub(crate) fn of(folders: &Folders, from: &Path, path: &str) -> Self {
        let absolute = from.join(path);
        let written = below(folders, &absolute);
        let mut reach =
            Self { guard: guard(&written), outside: false, relative: written, absolute };
        match folders.roots().resolve(&reach.absolute) {
            Ok(resolved) => {
                reach.relative = resolved.relative().display().to_string();
                reach.absolute = resolved.path();
                reach.guard = Guard::strictest(reach.guard, guard(&reach.relative));
            }
            Err(error) => {
                reach.outside = matches!(error.reason(), Reason::Outside { .. } | Reason::NoPath)
            }
        }
        reach
    }

    /// A path that is known to be inside, without symbolic links.
    pub(crate) fn inside(folders: &Folders, path: &Path) -> Self {
        let relative = below(folders, path);
        Self { guard: guard(&relative), outside: false, relative, absolute: path.to_owned() }
    }

    pub(crate) fn is_covered(&self, pattern: &Pattern) -> bool {
        pattern.covers(&self.relative, &self.absolute)
    }
}

/// The path relative to its root, unresolved; absolute if it is below no root.
fn below(folders: &Folders, absolute: &Path) -> String {
    let roots = folders.roots().all().iter().chain(folders.given());
    let below = roots.filter_map(|root| absolute.strip_prefix(root).ok()).next();
    below.unwrap_or(absolute).display().to_string()
}
