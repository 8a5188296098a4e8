//! The changes of files in a part of a conversation.

use super::SessionView;
use crate::diff;
use crate::extent::Extent;
use crate::row::RowContent;
use crate::row::diff_row::{DiffRow, FileDiff};
use attache_protocol::v1::Diff;
use attache_protocol::v2::ToolCallStatus;
use attache_session::{Entry, EntryContent, Session, ToolCallContent};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

impl SessionView {
    /// The rows of the turn to which the row with this index belongs: from its prompt to the next
    /// one.
    pub fn turn_of(&self, index: usize) -> Range<usize> {
        let is_prompt = |row: usize| {
            let row = self.rows().get(row);
            row.is_some_and(|row| matches!(row.content, RowContent::Prompt { .. }))
        };
        let end = self.rows().len();
        let index = index.min(end);
        let start = (0..=index).rev().find(|row| is_prompt(*row)).unwrap_or(0);
        start..(index + 1..end).find(|row| is_prompt(*row)).unwrap_or(end)
    }

    /// The entries of these rows. Rows whose part of the log was not read have none.
    pub fn entries(&self, rows: Range<usize>, session: &Session) -> Vec<Arc<Entry>> {
        rows.filter_map(|row| self.entry(row, session)).collect()
    }
}

/// Returns the changes of files by the tool calls among these entries, whole and in order. Paths
/// are shown relative to `cwd`. Calls that failed or were cancelled are left out.
///
/// Changes of one file become one if each begins with the text with which the one before ended;
/// otherwise the file occurs several times.
pub fn file_changes(entries: &[Arc<Entry>], cwd: &Path) -> DiffRow {
    let mut changes = Vec::new();
    for entry in entries {
        let EntryContent::ToolCall(call) = &entry.content else { continue };
        if matches!(call.status(), ToolCallStatus::Failed | ToolCallStatus::Cancelled) {
            continue;
        }
        for part in &call.content {
            match part {
                ToolCallContent::Diff(texts) => add_texts(&mut changes, texts),
                ToolCallContent::Changes(patch) => {
                    let files = diff::of_changes(patch, cwd, Extent::Whole);
                    changes.extend(files.into_iter().map(Change::Patch));
                }
                _ => {}
            }
        }
    }
    DiffRow { files: changes.into_iter().filter_map(|change| change.file(cwd)).collect() }
}

/// A change of a file by one call or by several.
enum Change<'s> {
    /// The texts before the first call and after the last one.
    Texts {
        path: &'s str,
        old: Option<&'s str>,
        new: &'s str,
    },
    Patch(Arc<FileDiff>),
}

impl Change<'_> {
    /// Returns the difference; `None` if later calls took the change back.
    fn file(self, cwd: &Path) -> Option<Arc<FileDiff>> {
        match self {
            Self::Texts { old, new, .. } if old == Some(new) => None,
            Self::Texts { path, old, new } => {
                Some(Arc::new(FileDiff::compare(path, old, Some(new), cwd)))
            }
            Self::Patch(file) => Some(file),
        }
    }
}

fn add_texts<'s>(changes: &mut Vec<Change<'s>>, texts: &'s Diff) {
    let (path, old, new) = (&*texts.path, texts.old_text.as_deref(), &*texts.new_text);
    let same = changes.iter_mut().rev().find_map(|change| match change {
        Change::Texts { path: known, new, .. } if *known == path => Some(new),
        _ => None,
    });
    match same {
        Some(last) if old == Some(*last) => *last = new,
        _ => changes.push(Change::Texts { path, old, new }),
    }
}
