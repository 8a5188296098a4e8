//! One row of the conversation on the whole screen.

use super::{Facts, Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::panel::request::Request;
use crate::theme::Theme;
use crate::transcript::{Pager, Scroll};
use attache_view::{DiffRow, Line, Role, Row};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use std::sync::Arc;

/// One row of the conversation on the whole screen.
pub(crate) struct PagerPanel {
    pager: Pager,
    context: Context,
}

impl PagerPanel {
    pub(crate) fn new(row: &Arc<Row>) -> Self {
        Self { pager: Pager::new(row), context: Context::Pager }
    }

    /// Makes a panel with all changes of a turn.
    pub(crate) fn of_changes(diff: DiffRow) -> Self {
        let title = Line::of("All changes of the turn", Role::Heading);
        Self { pager: Pager::of_diff(title, diff), context: Context::Review }
    }
}

impl Panel for PagerPanel {
    fn title(&self) -> String {
        match self.context {
            Context::Review => "Changes".to_owned(),
            _ => "Whole output".to_owned(),
        }
    }

    fn context(&self) -> Context {
        self.context
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        vec![
            (Action::Dismiss, "close"),
            (Action::PageDown, "scroll"),
            (Action::CopyMessage, "copy"),
        ]
    }

    fn refresh(&mut self, _facts: &Facts<'_>) {}

    fn height(&self, _width: u16) -> u16 {
        u16::MAX
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        self.pager.render(area, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, _key: KeyEvent) -> Outcome {
        let content = self.pager.content();
        match action {
            Some(Action::Dismiss | Action::Cancel) => return Outcome::Close,
            Some(Action::ScrollUp) => content.scroll(Scroll::Lines(-1)),
            Some(Action::ScrollDown) => content.scroll(Scroll::Lines(1)),
            Some(Action::PageUp) => content.scroll(Scroll::PageUp),
            Some(Action::PageDown) => content.scroll(Scroll::PageDown),
            Some(Action::HalfPageUp) => content.scroll(Scroll::HalfPageUp),
            Some(Action::HalfPageDown) => content.scroll(Scroll::HalfPageDown),
            Some(Action::Top) => content.scroll(Scroll::Start),
            Some(Action::Bottom) => content.scroll(Scroll::End),
            Some(Action::CopyMessage) => {
                content.select(Some(0));
                if let Some(text) = content.selected_text() {
                    return Outcome::Do(Request::Copy(text));
                }
            }
            _ => {}
        }
        Outcome::Stay
    }

    fn scroll(&mut self, rows: i32) {
        self.pager.content().scroll(Scroll::Lines(rows as isize));
    }
}
