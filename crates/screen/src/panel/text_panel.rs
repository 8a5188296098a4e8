//! A text to read: help, notices, the full output of a command.

use super::drawing::put;
use super::request::Request;
use super::{Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::layout;
use crate::theme::Theme;
use attache_view::{Line, Role};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// A text to read.
pub(crate) struct TextPanel {
    title: String,
    lines: Vec<Line>,
    /// The lines as they fit the width of the last drawing.
    wrapped: (u16, Vec<Line>),
    first: usize,
    shown: usize,
}

impl TextPanel {
    /// Makes a panel with these lines.
    pub(crate) fn new(title: impl Into<String>, lines: Vec<Line>) -> Self {
        Self { title: title.into(), lines, wrapped: (0, Vec::new()), first: 0, shown: 0 }
    }

    fn scroll_by(&mut self, rows: isize) {
        let last = self.wrapped.1.len().saturating_sub(self.shown);
        self.first = self.first.saturating_add_signed(rows).min(last);
    }
}

/// Breaks lines so that they fit the width.
pub(crate) fn wrap_lines(lines: &[Line], width: u16) -> Vec<Line> {
    lines.iter().flat_map(|line| wrap_line(line, usize::from(width.max(1)))).collect()
}

fn wrap_line(line: &Line, width: usize) -> Vec<Line> {
    if layout::width(&line.text()) <= width {
        return vec![line.clone()];
    }
    let mut lines = Vec::new();
    let mut current = Line::default();
    let mut used = 0;
    for span in &line.spans {
        let mut text = String::new();
        for c in span.text.chars() {
            let columns = layout::width(c.encode_utf8(&mut [0; 4]));
            if used + columns > width {
                // A line ends at its last space, if it has one that is not too far back.
                let back = text.rfind(' ').filter(|at| text.len() - at < width / 2);
                let rest = back.map(|at| text.split_off(at + 1)).unwrap_or_default();
                let piece = attache_view::Span { text: text.clone(), style: span.style.clone() };
                current.spans.push(piece);
                lines.push(std::mem::take(&mut current));
                used = layout::width(&rest);
                text = rest;
            }
            text.push(c);
            used += columns;
        }
        current.spans.push(attache_view::Span { text, style: span.style.clone() });
    }
    lines.push(current);
    lines
}

/// Draws lines from the top of the area.
pub(crate) fn put_lines(lines: &[Line], area: Rect, buffer: &mut Buffer, theme: &Theme) {
    for (line, y) in lines.iter().zip(area.y..area.bottom()) {
        let mut x = area.x;
        for span in &line.spans {
            x = put(buffer, x, y, area.right(), &span.text, theme.style(&span.style));
        }
    }
}

/// Draws how many lines are above and below.
pub(crate) fn put_more(above: usize, below: usize, area: Rect, buffer: &mut Buffer, theme: &Theme) {
    let glyphs = theme.glyphs();
    let text = match (above, below) {
        (0, 0) => return,
        (0, below) => format!(" {} {below} more lines ", glyphs.down),
        (above, 0) => format!(" {} {above} more lines ", glyphs.up),
        (above, below) => format!(" {} {above}  {} {below} more lines ", glyphs.up, glyphs.down),
    };
    let x = area.right().saturating_sub(layout::width(&text) as u16).max(area.x);
    let y = area.bottom().saturating_sub(1);
    put(buffer, x, y, area.right(), &text, theme.role(Role::Warning));
}

impl Panel for TextPanel {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn context(&self) -> Context {
        Context::Pager
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        vec![
            (Action::Dismiss, "close"),
            (Action::PageDown, "scroll"),
            (Action::CopyMessage, "copy"),
        ]
    }

    fn height(&self, width: u16) -> u16 {
        wrap_lines(&self.lines, width).len().try_into().unwrap_or(u16::MAX)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        if self.wrapped.0 != area.width {
            self.wrapped = (area.width, wrap_lines(&self.lines, area.width));
        }
        self.shown = usize::from(area.height);
        self.scroll_by(0);
        let lines = self.wrapped.1.get(self.first..).unwrap_or_default();
        put_lines(lines, area, buffer, theme);
        let below = self.wrapped.1.len().saturating_sub(self.first + self.shown);
        put_more(self.first, below, area, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, _key: KeyEvent) -> Outcome {
        let page = self.shown.saturating_sub(1).max(1) as isize;
        match action {
            Some(Action::Dismiss | Action::Cancel | Action::Help) => return Outcome::Close,
            Some(Action::ScrollUp) => self.scroll_by(-1),
            Some(Action::ScrollDown) => self.scroll_by(1),
            Some(Action::PageUp) => self.scroll_by(-page),
            Some(Action::PageDown) => self.scroll_by(page),
            Some(Action::HalfPageUp) => self.scroll_by(-(page / 2).max(1)),
            Some(Action::HalfPageDown) => self.scroll_by((page / 2).max(1)),
            Some(Action::Top) => self.first = 0,
            Some(Action::Bottom) => self.scroll_by(isize::MAX),
            Some(Action::CopyMessage) => {
                let text: Vec<String> = self.lines.iter().map(Line::text).collect();
                return Outcome::Do(Request::Copy(text.join("\n")));
            }
            _ => {}
        }
        Outcome::Stay
    }

    fn scroll(&mut self, rows: i32) {
        self.scroll_by(rows as isize);
    }
}
