//! Changes of files as an agent of version 2 reports them: operations, and perhaps a patch in git's
//! form.

use super::compare::{Compared, RawHunk, RawLine};
use super::lines::{self, LineLimit};
use super::section::{Section, sections};
use super::text::{path_line, visible};
use crate::extent::Extent;
use crate::row::diff_row::{FileChange, FileDiff, LineChange};
use crate::sanitize;
use crate::span::{Line, Role};
use attache_protocol::v2::{Diff, DiffChange, DiffFileType, DiffOperation};
use std::path::Path;
use std::sync::Arc;

/// Returns the changed files. Headers of the patch that do not repeat what a change says are in its
/// note. A patch that does not have one section for each change is shown unchanged, after all
/// files.
pub(crate) fn of_changes(diff: &Diff, cwd: &Path, extent: Extent) -> Vec<Arc<FileDiff>> {
    let text = diff.patch.as_ref().map_or("", |patch| patch.text.as_str());
    let sections = sections(text);
    let fits = sections.len() == diff.changes.len();
    let limit = LineLimit::of(extent);
    let mut files: Vec<_> = diff
        .changes
        .iter()
        .enumerate()
        .map(|(index, change)| {
            let section = sections.get(index).filter(|_| fits);
            Arc::new(file(change, section, cwd, limit))
        })
        .collect();
    if !fits && !text.is_empty() {
        files.push(Arc::new(whole_patch(text, limit)));
    }
    files
}

fn file(
    change: &DiffChange,
    section: Option<&Section<'_>>,
    cwd: &Path,
    limit: LineLimit,
) -> FileDiff {
    use DiffOperation::{Add, Copy, Delete, Modify, Move, Unknown};
    let (kind, from, path) = match &change.operation {
        Add(file) => (FileChange::Created, None, file.path.as_str()),
        Delete(file) => (FileChange::Deleted, None, file.path.as_str()),
        Modify(file) => (FileChange::Changed, None, file.path.as_str()),
        Move(file) => (FileChange::Renamed, Some(file.old_path.as_str()), file.path.as_str()),
        Copy(file) => (FileChange::Copied, Some(file.old_path.as_str()), file.path.as_str()),
        Unknown(_) => (FileChange::Changed, None, ""),
    };
    let empty = Compared::default();
    let compared = section.map_or(&empty, |section| &section.compared);
    let (hunks, omitted) = lines::hunks(compared, path, limit);
    let mut notes: Vec<String> = Vec::new();
    if change.file_type == Some(DiffFileType::Binary) {
        notes.push("binary file".to_owned());
    }
    if let Some(section) = section {
        let odd = section.unexplained(&change.operation);
        if !odd.is_empty() {
            notes.push(format!("the patch also says: {}", odd.join(", ")));
        }
    }
    if omitted > 0 {
        notes.push(format!("{omitted} more lines are not shown"));
    }
    let path = match &change.operation {
        Unknown(operation) => Line::of(sanitize::visible_line(operation.raw.get()), Role::Text),
        _ => path_line(path, cwd),
    };
    FileDiff {
        path,
        from: from.map(|from| path_line(from, cwd)),
        change: kind,
        added: compared.added,
        removed: compared.removed,
        hunks,
        note: (!notes.is_empty()).then(|| Line::of(notes.join("; "), Role::Muted)),
    }
}

/// Returns a patch that does not fit the changes, line by line.
fn whole_patch(text: &str, limit: LineLimit) -> FileDiff {
    let line = |text: &'_ str| {
        let change = match text.chars().next() {
            Some('+') => LineChange::Added,
            Some('-') => LineChange::Removed,
            _ => LineChange::Same,
        };
        (change, visible(text))
    };
    let lines: Vec<(LineChange, String)> = text.lines().map(line).collect();
    let raw =
        lines.iter().map(|(change, text)| RawLine { change: *change, text, is_unfinished: false });
    let hunk = RawHunk { lines: raw.collect(), ..RawHunk::default() };
    let compared = Compared { hunks: vec![hunk], ..Compared::default() };
    let (hunks, omitted) = lines::hunks(&compared, "", limit);
    let more = match omitted {
        0 => String::new(),
        omitted => format!("; {omitted} more lines are not shown"),
    };
    let note = format!("the patch does not fit the changes, and is shown as it is{more}");
    FileDiff {
        path: Line::of("patch", Role::Text),
        from: None,
        change: FileChange::Changed,
        added: 0,
        removed: 0,
        hunks,
        note: Some(Line::of(note, Role::Warning)),
    }
}
