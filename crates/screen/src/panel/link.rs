//! A link of the conversation that the person clicked.

use super::drawing::{put_lines, wrap};
use super::request::Request;
use super::{Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_view::{Line, Role, sanitize};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// The beginnings of the addresses that can be opened. Other addresses, such as those of files, can
/// start programs.
const OPENED: [&str; 3] = ["https://", "http://", "mailto:"];

/// A link that the person clicked. Its text can differ from its address, so the panel shows the
/// address, and only a key opens it.
pub(crate) struct LinkPanel {
    address: String,
}

impl LinkPanel {
    /// Makes the panel of this address.
    pub(crate) fn new(address: &str) -> Self {
        Self { address: address.to_owned() }
    }

    fn can_open(&self) -> bool {
        let address = self.address.to_ascii_lowercase();
        OPENED.iter().any(|beginning| address.starts_with(beginning))
    }

    fn lines(&self, width: u16) -> Vec<Line> {
        let width = usize::from(width).max(1);
        let address = sanitize::visible_line(&self.address);
        let mut lines: Vec<Line> =
            wrap(&address, width).into_iter().map(|line| Line::of(line, Role::Path)).collect();
        if !self.can_open() {
            let why = "Attaché opens only addresses of the web and of mail.";
            lines.extend(wrap(why, width).into_iter().map(|line| Line::of(line, Role::Warning)));
        }
        lines
    }
}

impl Panel for LinkPanel {
    fn title(&self) -> String {
        "A link".to_owned()
    }

    fn context(&self) -> Context {
        Context::Picker
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        match self.can_open() {
            true => vec![(Action::Accept, "open"), (Action::Dismiss, "close")],
            false => vec![(Action::Dismiss, "close")],
        }
    }

    fn height(&self, width: u16) -> u16 {
        self.lines(width).len().try_into().unwrap_or(u16::MAX)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        put_lines(&self.lines(area.width), area, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, _key: KeyEvent) -> Outcome {
        match action {
            Some(Action::Accept) if self.can_open() => {
                Outcome::CloseAnd(Request::OpenPage(self.address.clone()))
            }
            Some(Action::Dismiss) => Outcome::Close,
            _ => Outcome::Stay,
        }
    }
}
