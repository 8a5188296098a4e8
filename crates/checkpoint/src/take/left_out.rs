//! The files of the program itself that are below a root. No checkpoint has them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Files and folders below one root that are left out, by their paths relative to it.
#[derive(Debug, Default)]
pub(crate) struct LeftOut(BTreeSet<Vec<u8>>);

impl LeftOut {
    /// Returns those of these paths that are below a root. The root itself is never left out.
    pub(crate) fn below(root: &Path, paths: &[PathBuf]) -> Self {
        let relative = |path: &PathBuf| {
            let path = resolved(path);
            let below = path.strip_prefix(root).ok()?.as_os_str().as_bytes();
            (!below.is_empty()).then(|| below.to_vec())
        };
        Self(paths.iter().filter_map(relative).collect())
    }

    /// Returns the names in a folder that are left out.
    pub(crate) fn names(&self, folder: &[u8]) -> Vec<&[u8]> {
        let paths = self.0.iter().map(|path| match path.iter().rposition(|byte| *byte == b'/') {
            Some(at) => {
                (path.get(..at).unwrap_or_default(), path.get(at + 1..).unwrap_or_default())
            }
            None => ([].as_slice(), path.as_slice()),
        });
        paths.filter(|(above, _)| *above == folder).map(|(_, name)| name).collect()
    }

    /// Returns whether a path, or a folder above it, is left out.
    pub(crate) fn has(&self, path: &[u8]) -> bool {
        let path = Path::new(OsStr::from_bytes(path));
        self.0.iter().any(|left_out| path.starts_with(OsStr::from_bytes(left_out)))
    }
}

/// Returns a path with the links of its existing part resolved, as the paths of roots are.
fn resolved(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|above| {
        let rest = path.strip_prefix(above).ok()?;
        let resolved = std::fs::canonicalize(above).ok()?;
        Some(match rest.as_os_str().is_empty() {
            true => resolved,
            false => resolved.join(rest),
        })
    });
    found.unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::LeftOut;

    #[test]
    fn only_paths_below_the_root_count() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let paths = ["data/log", "data", "log", ""].map(|path| root.join(path));
        let left_out = LeftOut::below(&root, &paths);
        assert_eq!(left_out.names(b""), [b"data".as_slice(), b"log"]);
        assert_eq!(left_out.names(b"data"), [b"log"]);
        assert!(left_out.names(b"dat").is_empty());
        for (path, expected) in [("data/x/y", true), ("log", true), ("logs", false), ("", false)] {
            assert_eq!(left_out.has(path.as_bytes()), expected, "{path}");
        }
        assert!(LeftOut::below(&root.join("data/project"), &paths).names(b"").is_empty());
    }

    #[test]
    fn links_of_a_path_are_resolved_also_if_its_end_does_not_exist() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("root");
        std::fs::create_dir(&root).unwrap();
        std::os::unix::fs::symlink(&root, folder.path().join("link")).unwrap();
        let left_out = LeftOut::below(&root, &[folder.path().join("link/new/log")]);
        assert!(left_out.has(b"new/log") && !left_out.has(b"new"));
    }
}
