//! Systems without a sandbox have no placeholders.

use std::path::Path;

/// Does nothing: no command creates a placeholder on this system.
pub fn reclaim_placeholders<'n>(_root: &Path, _names: impl IntoIterator<Item = &'n str>) {}

/// Returns `false`: no command creates a placeholder on this system.
pub fn is_placeholder(_path: &Path) -> bool {
    false
}
