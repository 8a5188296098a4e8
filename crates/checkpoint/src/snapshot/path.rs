//! Paths in a tree.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path below one of the roots of a checkpoint. The names may not be UTF-8. `Display` escapes
/// what is not printable.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath {
    root: usize,
    relative: Vec<u8>,
}

impl TreePath {
    /// Returns a path below the root with this index. `relative` has its names separated by `/`;
    /// empty, it means the root itself.
    pub fn new(root: usize, relative: impl Into<Vec<u8>>) -> Self {
        Self { root, relative: relative.into() }
    }

    /// The index of the root in [`Summary::roots`](crate::Summary::roots).
    pub fn root(&self) -> usize {
        self.root
    }

    /// The path below the root.
    pub fn relative(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.relative))
    }

    /// The bytes of the path below the root.
    pub fn as_bytes(&self) -> &[u8] {
        &self.relative
    }

    /// Returns the path of a name in this folder.
    pub fn join(&self, name: &[u8]) -> Self {
        let mut relative = Vec::with_capacity(self.relative.len() + name.len() + 1);
        relative.extend_from_slice(&self.relative);
        if !relative.is_empty() {
            relative.push(b'/');
        }
        relative.extend_from_slice(name);
        Self { root: self.root, relative }
    }

    /// Returns the folders above this path, from the outermost on, without the root.
    pub(crate) fn folders(&self) -> impl Iterator<Item = TreePath> {
        let bytes = self.relative.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        bytes.map(|(end, _)| Self::new(self.root, self.relative.get(..end).unwrap_or_default()))
    }

    /// Returns whether this path is `folder` or below it.
    pub fn is_within(&self, folder: &Self) -> bool {
        self.root == folder.root
            && match self.relative.strip_prefix(folder.relative.as_slice()) {
                Some(rest) => {
                    rest.is_empty() || folder.relative.is_empty() || rest.starts_with(b"/")
                }
                None => false,
            }
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.relative.is_empty() {
            return f.write_str(".");
        }
        for chunk in self.relative.utf8_chunks() {
            for each in chunk.valid().chars() {
                match each {
                    '\\' => f.write_str("\\\\")?,
                    each if attache_policy::is_invisible(each) || each.is_control() => {
                        write!(f, "{}", each.escape_unicode())?;
                    }
                    each => write!(f, "{each}")?,
                }
            }
            chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::TreePath;

    #[test]
    fn a_shown_path_has_no_control_characters() {
        let path = TreePath::new(0, b"a\n\x1b[2J\xff\\\xe2\x80\xae.rs".to_vec());
        assert_eq!(path.to_string(), "a\\u{a}\\u{1b}[2J\\xff\\\\\\u{202e}.rs");
        assert_eq!(TreePath::new(0, b"".to_vec()).to_string(), ".");
    }

    #[test]
    fn a_path_is_within_its_folders_only() {
        let path = TreePath::new(0, b"src/main.rs".to_vec());
        for folder in ["", "src", "src/main.rs"] {
            assert!(path.is_within(&TreePath::new(0, folder)), "{folder}");
        }
        assert!(!path.is_within(&TreePath::new(0, "sr")));
        assert!(!path.is_within(&TreePath::new(1, "src")));
        assert_eq!(TreePath::new(0, "").join(b"src").join(b"main.rs"), path);
    }
}
