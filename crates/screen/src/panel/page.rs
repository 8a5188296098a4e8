//! A page that an agent asks the person to open.

use super::drawing::{put_lines, wrap};
use super::request::{PanelAnswer, Request};
use super::{Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_client::{UrlReply, UrlRequest};
use attache_view::{Line, Role, sanitize};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// A page that an agent asks the person to open.
pub(crate) struct PagePanel {
    title: String,
    message: String,
    address: String,
    host: String,
    warnings: Vec<String>,
}

impl PagePanel {
    /// Makes the panel. `who` names the agent, and the session if it is another one.
    pub(crate) fn new(request: &UrlRequest, who: &str) -> Self {
        let warnings = request.address.warnings().iter();
        Self {
            title: format!("{who} asks you to open a page"),
            message: sanitize::visible(&request.message).into_owned(),
            address: sanitize::visible_line(request.address.as_str()),
            host: sanitize::visible_line(request.address.host()),
            warnings: warnings.map(|it| sanitize::visible_line(&it.to_string())).collect(),
        }
    }

    fn lines(&self, width: u16) -> Vec<Line> {
        let width = usize::from(width);
        let mut lines = Vec::new();
        let mut add = |text: &str, role| {
            lines.extend(wrap(text, width).into_iter().map(|line| Line::of(line, role)));
        };
        // The agent's message must not push the address out of sight.
        add(&format!("Host: {}", self.host), Role::Name);
        for warning in &self.warnings {
            add(&format!("! {warning}"), Role::Warning);
        }
        add(&self.address, Role::Path);
        add(&self.message, Role::Text);
        lines
    }

    fn reply(&self, reply: UrlReply) -> Outcome {
        let open = (reply == UrlReply::Accept).then(|| self.address.clone());
        Outcome::CloseAnd(Request::Answer(PanelAnswer::Page { reply, open }))
    }
}

impl Panel for PagePanel {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn context(&self) -> Context {
        Context::Question
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Allow, "open"), (Action::Deny, "decline"), (Action::Cancel, "dismiss")]
    }

    fn height(&self, width: u16) -> u16 {
        self.lines(width).len().try_into().unwrap_or(u16::MAX)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        put_lines(&self.lines(area.width), area, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, _key: KeyEvent) -> Outcome {
        match action {
            Some(Action::Allow) => self.reply(UrlReply::Accept),
            Some(Action::Deny) => self.reply(UrlReply::Decline),
            Some(Action::Cancel) => self.reply(UrlReply::Cancel),
            _ => Outcome::Stay,
        }
    }
}
