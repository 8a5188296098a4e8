//! The changes of files in a part of a conversation.

use super::SessionView;
use crate::diff;
use crate::extent::Extent;
use crate::row::RowContent;
use crate::row::diff_row::DiffRow;
use attache_protocol::v2::ToolCallStatus;
use attache_session::{EntryContent, Session, ToolCallContent};
use std::ops::Range;
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

    /// The changes of files by the tool calls of these rows, whole and in order. Calls that failed
    /// or were cancelled are left out. A file that several calls change occurs several times.
    pub fn changes(&self, rows: Range<usize>, session: &Session) -> DiffRow {
        let mut files = Vec::new();
        for entry in rows.filter_map(|row| session.entries().get(row)) {
            let EntryContent::ToolCall(call) = &entry.content else { continue };
            if matches!(call.status(), ToolCallStatus::Failed | ToolCallStatus::Cancelled) {
                continue;
            }
            for part in &call.content {
                match part {
                    ToolCallContent::Diff(texts) => {
                        let diff = diff::of_texts(texts, self.cwd(), Extent::Whole);
                        files.push(Arc::new(diff));
                    }
                    ToolCallContent::Changes(changes) => {
                        files.extend(diff::of_changes(changes, self.cwd(), Extent::Whole));
                    }
                    _ => {}
                }
            }
        }
        DiffRow { files }
    }
}
