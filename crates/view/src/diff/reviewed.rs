//! The changes of a review of checkpoints.

use super::compare::{Compared, RawHunk, RawLine};
use super::lines::{LineLimit, hunks};
use crate::extent::Extent;
use crate::row::diff_row::{DiffRow, FileChange, FileDiff, Hunk, LineChange};
use crate::sanitize;
use crate::span::{Line, Role};
use attache_checkpoint::{
    ChangeKind, Entry, Hunk as ReviewedLines, HunkKind, Review, ReviewedFile, TreePath,
};
use std::sync::Arc;

/// Returns the changes of a review. The files and their hunks have the order of the review. A hunk
/// without lines, such as one of a binary file, has an empty list of lines.
pub fn reviewed_changes(review: &Review) -> DiffRow {
    DiffRow { files: review.files.iter().map(|it| Arc::new(file(review, it))).collect() }
}

/// Returns what a hunk changes if it has no lines, in a few words.
pub fn change_without_lines(file: &ReviewedFile, hunk: &ReviewedLines) -> String {
    let mode = |entry: &Option<Entry>| match entry {
        Some(Entry::File { mode, .. } | Entry::Folder { mode }) => format!("{mode:o}"),
        _ => "none".to_owned(),
    };
    let text = match (hunk.kind, file.after.as_ref().or(file.before.as_ref())) {
        (HunkKind::Mode, _) => {
            return format!("permissions {} → {}", mode(&file.before), mode(&file.after));
        }
        (_, Some(Entry::Folder { .. })) => "folder",
        (_, Some(Entry::Link { .. })) => "symbolic link",
        (_, Some(Entry::File { size: 0, .. })) => "empty file",
        _ => "binary file",
    };
    text.to_owned()
}

fn file(review: &Review, file: &ReviewedFile) -> FileDiff {
    let path = shown(review, &file.path);
    let (change, from) = match (file.kind, &file.renamed) {
        (ChangeKind::Renamed, from) => (FileChange::Renamed, from.as_ref()),
        (ChangeKind::Added, _) => (FileChange::Created, None),
        (ChangeKind::Removed, _) => (FileChange::Deleted, None),
        _ => (FileChange::Changed, None),
    };
    let shown_hunks: Vec<Hunk> =
        file.hunks.iter().filter_map(|each| hunk(&each.hunk, &path)).collect();
    let count = |wanted: LineChange| {
        let lines = shown_hunks.iter().flat_map(|hunk| &hunk.lines);
        lines.filter(|line| line.change == wanted).count()
    };
    let note = file.hunks.is_empty().then(|| Line::of("the content was not kept", Role::Muted));
    FileDiff {
        added: count(LineChange::Added),
        removed: count(LineChange::Removed),
        from: from.map(|from| Line::of(shown(review, from), Role::Path)),
        path: Line::of(path, Role::Path),
        change,
        hunks: shown_hunks,
        note,
    }
}

/// Returns a path for people; with its folder if the session has several.
fn shown(review: &Review, path: &TreePath) -> String {
    let relative = sanitize::visible_line(&path.to_string());
    match (review.roots.len(), review.roots.get(path.root())) {
        (2.., Some(root)) => {
            format!("{}/{relative}", sanitize::visible_line(&root.to_string_lossy()))
        }
        _ => relative,
    }
}

fn hunk(hunk: &ReviewedLines, path: &str) -> Option<Hunk> {
    let parts = [
        (LineChange::Same, &hunk.lines_before),
        (LineChange::Removed, &hunk.removed),
        (LineChange::Added, &hunk.added),
        (LineChange::Same, &hunk.lines_after),
    ]
    .map(|(change, bytes)| (change, String::from_utf8_lossy(bytes)));
    let lines = parts.iter().flat_map(|(change, text)| raw_lines(*change, text)).collect();
    let before = String::from_utf8_lossy(&hunk.lines_before).lines().count();
    let start = |preceding: usize, own: &[u8]| match before == 0 && own.is_empty() {
        true => preceding,
        false => (preceding + 1).saturating_sub(before),
    };
    let raw = RawHunk {
        old_start: start(hunk.old_start, &hunk.removed),
        new_start: start(hunk.new_start, &hunk.added),
        lines,
    };
    let compared = Compared { hunks: vec![raw], ..Compared::default() };
    hunks(&compared, path, LineLimit::of(Extent::Whole)).0.pop()
}

fn raw_lines<'t>(change: LineChange, text: &'t str) -> impl Iterator<Item = RawLine<'t>> {
    text.split_inclusive('\n').map(move |line| RawLine {
        change,
        text: line.strip_suffix('\n').unwrap_or(line),
        is_unfinished: !line.ends_with('\n'),
    })
}
