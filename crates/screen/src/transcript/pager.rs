//! One row on the whole screen.

use super::Transcript;
use crate::layout::{clip, width};
use crate::theme::{Element, Theme};
use attache_view::{
    CallStatus, DiffRow, Line as ViewLine, Output, Role, Row, RowContent, ToolCallRow,
};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::sync::Arc;

/// One row on the whole screen, unfolded, such as a tool call with its output.
#[derive(Debug)]
pub struct Pager {
    title: ViewLine,
    transcript: Transcript,
}

impl Pager {
    /// Returns a pager that shows the start of a row.
    pub fn new(row: &Arc<Row>) -> Self {
        let mut pager = Self { title: ViewLine::default(), transcript: Transcript::new() };
        pager.update(row);
        pager.transcript.start();
        pager
    }

    /// Returns a pager that shows changes of files, such as all those of a turn.
    pub fn of_diff(title: ViewLine, diff: DiffRow) -> Self {
        let call = ToolCallRow {
            id: String::new(),
            kind: String::new(),
            title,
            effect: Vec::new(),
            status: CallStatus::Completed,
            ended_at: None,
            places: Vec::new(),
            outputs: vec![Output::Diff(diff)],
            quiet: false,
            can_cancel: false,
        };
        let content = RowContent::ToolCall(Box::new(call));
        Self::new(&Arc::new(Row { id: 0, at: 0, depth: 0, content }))
    }

    /// Takes the row after it changed.
    pub fn update(&mut self, row: &Arc<Row>) {
        self.title = title(row);
        let changed = 0..1;
        self.transcript.update(std::slice::from_ref(row), std::slice::from_ref(&changed));
        self.transcript.unfold(0);
    }

    /// Returns the content, to scroll and to search in it.
    pub fn content(&mut self) -> &mut Transcript {
        &mut self.transcript
    }

    /// Draws the pager: a line with the title and the state of the search, then the row.
    pub fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let header = Rect { height: 1, ..area };
        buffer.set_style(header, theme.element(Element::StatusLine));
        let status = self.transcript.search_status();
        let status = match (status.total, self.transcript.is_searching()) {
            (_, false) => String::new(),
            (0, true) => " no match ".to_owned(),
            (total, true) => format!(" {} of {total} ", status.current),
        };
        let room = usize::from(area.width).saturating_sub(width(&status) + 1);
        let title = self.title.text();
        let style = theme.element(Element::StatusLine).patch(theme.element(Element::Title));
        buffer.set_stringn(area.x + 1, area.y, clip(&title, room), room, style);
        let x = area.right().saturating_sub(u16::try_from(width(&status)).unwrap_or(u16::MAX));
        let room = usize::from(area.right().saturating_sub(x.max(area.x)));
        buffer.set_stringn(x.max(area.x), area.y, &status, room, style);
        let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
        self.transcript.render(body, buffer, theme);
    }
}

fn title(row: &Row) -> ViewLine {
    match &row.content {
        RowContent::ToolCall(call) => call.title.clone(),
        RowContent::Prompt { .. } => ViewLine::of("Prompt", Role::Text),
        RowContent::Answer { .. } => ViewLine::of("Answer", Role::Text),
        RowContent::Thought { .. } => ViewLine::of("Thought", Role::Text),
        _ => ViewLine::default(),
    }
}
