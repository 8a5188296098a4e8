//! Changes of files: from two texts, and from patches in git's form.

mod cache;
mod compare;
mod lines;
mod patch;
mod reviewed;
mod section;
mod text;
mod unified;
mod words;

pub(crate) use cache::DiffCache;
pub(crate) use patch::of_changes;
pub use reviewed::{change_without_lines, reviewed_changes};
pub use unified::{UnifiedDiff, UnifiedLine, unified_diff};

use crate::extent::Extent;
use crate::row::diff_row::{FileChange, FileDiff};
use crate::span::{Line, Role};
use attache_protocol::v1::Diff;
use lines::LineLimit;
use std::path::Path;
use std::sync::Arc;
use text::path_line;

/// Returns the change of a file whose texts before and after an agent sends.
pub(crate) fn of_texts(diff: &Diff, cwd: &Path, extent: Extent) -> FileDiff {
    of_file(&diff.path, diff.old_text.as_deref(), Some(&diff.new_text), cwd, extent)
}

impl FileDiff {
    /// Compares the texts of a file before and after a change; `None` if there is no file. The path
    /// is shown relative to `cwd` if it is below it. All changed lines are shown.
    ///
    /// Texts of more than 200,000 lines or 16 MB that differ are not compared: the result then says
    /// that all lines between the first and the last difference changed.
    pub fn compare(path: &str, old: Option<&str>, new: Option<&str>, cwd: &Path) -> Self {
        of_file(path, old, new, cwd, Extent::Whole)
    }
}

/// Returns the changes of files that an agent of version 2 reports, whole. Paths are shown relative
/// to `cwd` if they are below it.
///
/// The note of a file has the headers of its patch that do not repeat what the change says. A patch
/// that does not have one section for each change follows after all files, line by line.
pub fn reported_changes(diff: &attache_protocol::v2::Diff, cwd: &Path) -> Vec<Arc<FileDiff>> {
    of_changes(diff, cwd, Extent::Whole)
}

fn of_file(
    path: &str,
    old: Option<&str>,
    new: Option<&str>,
    cwd: &Path,
    extent: Extent,
) -> FileDiff {
    let change = match (old, new) {
        (None, _) => FileChange::Created,
        (_, None) => FileChange::Deleted,
        _ => FileChange::Changed,
    };
    let compared = compare::compare(old.unwrap_or_default(), new.unwrap_or_default());
    let limit = LineLimit::of(extent);
    let (hunks, omitted) = lines::hunks(&compared, path, limit);
    let note = match omitted {
        0 if compared.hunks.is_empty() && change == FileChange::Changed => {
            Some(Line::of("no difference", Role::Muted))
        }
        0 if compared.is_rough => Some(Line::of("too long to compare exactly", Role::Muted)),
        0 => None,
        omitted => Some(Line::of(format!("{omitted} more lines are not shown"), Role::Muted)),
    };
    FileDiff {
        path: path_line(path, cwd),
        from: None,
        change,
        added: compared.added,
        removed: compared.removed,
        hunks,
        note,
    }
}

#[cfg(test)]
mod tests;
