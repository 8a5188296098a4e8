//! Paths for people.

use crate::sanitize;
use std::collections::HashSet;
use std::path::Path;

/// Returns each file once: an agent can name the same file with an absolute path and a relative
/// one.
pub(crate) fn distinct<'p>(paths: &'p [String], cwd: &Path) -> impl Iterator<Item = &'p str> {
    let mut known = HashSet::new();
    paths.iter().map(String::as_str).filter(move |path| known.insert(cwd.join(path)))
}

/// Returns a path for people: relative to `cwd` if it is below it, and sanitized.
pub fn relative(path: &str, cwd: &Path) -> String {
    let inside = match cwd.as_os_str().is_empty() {
        true => None,
        false => Path::new(path).strip_prefix(cwd).ok().map(|inside| inside.to_string_lossy()),
    };
    match inside {
        Some(inside) if inside.is_empty() => ".".to_owned(),
        Some(inside) => sanitize::visible_line(&inside),
        None => sanitize::visible_line(path),
    }
}

#[cfg(test)]
mod tests {
    use super::{distinct, relative};
    use std::path::Path;

    #[test]
    fn paths_below_the_folder_are_relative() {
        let shown = |path| relative(path, Path::new("/p"));
        assert_eq!(shown("/p/src/a.rs"), "src/a.rs");
        assert_eq!(shown("/p"), ".");
        assert_eq!(shown("/px/a"), "/px/a");
        assert_eq!(shown("a\u{1b}\nb"), "a␛ b");
        assert_eq!(relative("a", Path::new("")), "a");
    }

    #[test]
    fn a_file_with_several_paths_is_one_file() {
        let paths = ["src/a", "/p/src/a", "./src/a", "src/./a", "/q/src/a", "src/b"];
        let paths = paths.map(str::to_owned);
        let found: Vec<&str> = distinct(&paths, Path::new("/p")).collect();
        assert_eq!(found, ["src/a", "/q/src/a", "src/b"]);
    }
}
