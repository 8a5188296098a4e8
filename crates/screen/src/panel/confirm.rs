//! A question of the screen itself, answered with y or n.

use super::drawing::wrap;
use super::request::Request;
use super::text_panel::put_lines;
use super::{Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_view::{Line, Role};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// A question of the screen itself.
pub(crate) struct Confirm {
    title: String,
    text: String,
    request: Option<Request>,
}

impl Confirm {
    /// Makes a question that leads to this request if the answer is yes.
    pub(crate) fn new(title: &str, text: impl Into<String>, request: Request) -> Self {
        Self { title: title.to_owned(), text: text.into(), request: Some(request) }
    }
}

impl Panel for Confirm {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn context(&self) -> Context {
        Context::Question
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Allow, "yes"), (Action::Deny, "no")]
    }

    fn height(&self, width: u16) -> u16 {
        wrap(&self.text, usize::from(width)).len() as u16
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let lines = wrap(&self.text, usize::from(area.width));
        let lines: Vec<Line> = lines.into_iter().map(|line| Line::of(line, Role::Text)).collect();
        put_lines(&lines, area, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, _key: KeyEvent) -> Outcome {
        match action {
            Some(Action::Allow) => self.request.take().map_or(Outcome::Close, Outcome::CloseAnd),
            Some(Action::Deny | Action::Cancel | Action::Interrupt) => Outcome::Close,
            _ => Outcome::Stay,
        }
    }
}
