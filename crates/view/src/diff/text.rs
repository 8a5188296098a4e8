//! Paths and text in diffs.

use crate::path::relative;
use crate::sanitize;
use crate::span::{Line, Role};
use std::path::Path;

/// Returns a path relative to `cwd` if it is below it.
pub(super) fn path_line(path: &str, cwd: &Path) -> Line {
    Line::of(relative(path, cwd), Role::Path)
}

/// Returns text of a diff with every character visible.
pub(super) fn visible(text: &str) -> String {
    sanitize::visible(text).replace('\t', "    ")
}
