//! The search in the conversation.

use super::drawing::put;
use super::line_input::LineInput;
use super::request::Request;
use super::{Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_view::Role;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// The search in the conversation.
#[derive(Default)]
pub(crate) struct SearchPanel {
    input: LineInput,
}

impl Panel for SearchPanel {
    fn title(&self) -> String {
        "Search in the conversation".to_owned()
    }

    fn context(&self) -> Context {
        Context::Picker
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Accept, "search"), (Action::Dismiss, "close")]
    }

    fn height(&self, _width: u16) -> u16 {
        1
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let x =
            put(buffer, area.x, area.y, area.right(), self.input.text(), theme.role(Role::Text));
        put(buffer, x, area.y, area.right(), "_", theme.role(Role::Name));
    }

    fn key(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        match action {
            Some(Action::Dismiss) => Outcome::CloseAnd(Request::SearchHere(String::new())),
            Some(Action::Accept) => {
                Outcome::CloseAnd(Request::SearchHere(self.input.text().to_owned()))
            }
            _ => {
                self.input.key(key);
                Outcome::Stay
            }
        }
    }

    fn paste(&mut self, text: &str) -> bool {
        self.input.insert(text);
        true
    }
}
