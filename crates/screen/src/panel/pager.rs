//! A text to read and to search: one row of the conversation, the help, the messages.

use super::drawing::{cut, put};
use super::line_input::LineInput;
use super::{Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::layout::text_height;
use crate::panel::request::Request;
use crate::theme::Theme;
use crate::transcript::{Scroll, Transcript};
use attache_view::{Block, Line, Role, Row, RowContent};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use std::sync::Arc;

/// The columns that the transcript uses beside the text.
const SIDES: u16 = 4;

/// A text to read and to search.
pub(crate) struct PagerPanel {
    title: String,
    content: Transcript,
    /// The lines of a text that needs no more room than it has lines; empty for a row.
    lines: Vec<Line>,
    /// The text of the search while the person types it.
    input: Option<LineInput>,
}

impl PagerPanel {
    /// Makes a panel with the whole of a row.
    pub(crate) fn new(row: &Arc<Row>) -> Self {
        let title = match &row.content {
            RowContent::ToolCall(call) if !call.title.is_empty() => call.title.text(),
            RowContent::Prompt { .. } => "Prompt".to_owned(),
            RowContent::Answer { .. } => "Answer".to_owned(),
            RowContent::Thought { .. } => "Thought".to_owned(),
            _ => "Whole output".to_owned(),
        };
        let content = Transcript::of_row(row);
        Self { title, content, lines: Vec::new(), input: None }
    }

    /// Makes a panel with these lines.
    pub(crate) fn of_lines(title: impl Into<String>, lines: Vec<Line>) -> Self {
        let blocks = vec![Arc::new(Block::Paragraph { lines: lines.clone() })];
        let content = RowContent::Answer { blocks };
        let row = Arc::new(Row { id: 0, at: 0, depth: 0, content });
        Self { title: title.into(), lines, ..Self::new(&row) }
    }

    fn key_of_search(&mut self, action: Option<Action>, key: KeyEvent) {
        let Some(input) = &mut self.input else { return };
        match action {
            Some(Action::Dismiss) => {
                self.input = None;
                self.content.search("");
            }
            Some(Action::Accept) => self.input = None,
            _ if input.key(key) => {
                self.content.search(input.text());
            }
            _ => {}
        }
    }

    /// Returns the line about the search, if there is a search.
    fn search_line(&self) -> Option<(String, Role)> {
        let status = self.content.search_status();
        let found = match (self.content.is_searching(), status.total) {
            (false, _) => String::new(),
            (true, 0) => "no match".to_owned(),
            (true, total) => format!("match {} of {total}", status.current),
        };
        match &self.input {
            Some(input) if found.is_empty() => Some((format!("/{}_", input.text()), Role::Text)),
            Some(input) => Some((format!("/{}_  {found}", input.text()), Role::Text)),
            None if found.is_empty() => None,
            None => Some((found, Role::Muted)),
        }
    }
}

impl Panel for PagerPanel {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn context(&self) -> Context {
        if self.input.is_some() { Context::Picker } else { Context::Pager }
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        if self.input.is_some() {
            return vec![(Action::Accept, "keep"), (Action::Dismiss, "end the search")];
        }
        let mut hints = vec![(Action::PageDown, "scroll"), (Action::Search, "search")];
        if self.content.is_searching() {
            hints.extend([(Action::NextMatch, "next"), (Action::PreviousMatch, "previous")]);
        }
        hints.extend([(Action::CopyMessage, "copy"), (Action::Dismiss, "close")]);
        hints
    }

    fn is_wide(&self) -> bool {
        self.lines.is_empty()
    }

    fn height(&self, width: u16) -> u16 {
        if self.lines.is_empty() {
            return u16::MAX;
        }
        let rows = text_height(&self.lines, usize::from(width.saturating_sub(SIDES)));
        let rows = rows + usize::from(self.search_line().is_some());
        rows.try_into().unwrap_or(u16::MAX)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let mut body = area;
        if let Some((text, role)) = self.search_line().filter(|_| area.height > 1) {
            body.height -= 1;
            let text = cut(&text, usize::from(area.width));
            put(buffer, area.x, body.bottom(), area.right(), &text, theme.role(role));
        }
        self.content.render(body, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        if self.input.is_some() {
            self.key_of_search(action, key);
            return Outcome::Stay;
        }
        let content = &mut self.content;
        match action {
            // Esc ends a search first.
            Some(Action::Dismiss | Action::Cancel)
                if key.code == KeyCode::Esc && content.is_searching() =>
            {
                content.search("");
            }
            Some(Action::Dismiss | Action::Cancel | Action::Help) => return Outcome::Close,
            Some(Action::ScrollUp) => content.scroll(Scroll::Lines(-1)),
            Some(Action::ScrollDown) => content.scroll(Scroll::Lines(1)),
            Some(Action::PageUp) => content.scroll(Scroll::PageUp),
            Some(Action::PageDown) => content.scroll(Scroll::PageDown),
            Some(Action::HalfPageUp) => content.scroll(Scroll::HalfPageUp),
            Some(Action::HalfPageDown) => content.scroll(Scroll::HalfPageDown),
            Some(Action::Top) => content.scroll(Scroll::Start),
            Some(Action::Bottom) => content.scroll(Scroll::End),
            Some(Action::Search) => self.input = Some(LineInput::default()),
            Some(Action::NextMatch) => {
                content.search_next(false);
            }
            Some(Action::PreviousMatch) => {
                content.search_next(true);
            }
            Some(Action::CopyMessage) => {
                content.select(Some(0));
                let text = content.selected_text();
                content.select(None);
                return text.map_or(Outcome::Stay, |text| Outcome::Do(Request::Copy(text)));
            }
            _ => {}
        }
        Outcome::Stay
    }

    fn paste(&mut self, text: &str) -> bool {
        let Some(input) = &mut self.input else { return false };
        input.insert(text);
        self.content.search(input.text());
        true
    }

    fn scroll(&mut self, rows: i32) {
        self.content.scroll(Scroll::Lines(rows as isize));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::pictures::{check_sizes, picture, press, type_keys};

    fn pager() -> PagerPanel {
        let line = |number| Line::of(format!("number {number}"), Role::Text);
        let blocks = vec![Arc::new(Block::Paragraph { lines: (1..=200).map(line).collect() })];
        let row = Row { id: 0, at: 0, depth: 0, content: RowContent::Answer { blocks } };
        let mut panel = PagerPanel::new(&Arc::new(row));
        picture(&mut panel, (80, 24));
        panel
    }

    #[test]
    fn a_pager_looks_the_same() {
        let mut panel = pager();
        type_keys(&mut panel, "/150");
        check_sizes("pager", &mut panel);
    }

    #[test]
    fn a_search_shows_its_matches_one_after_the_other() {
        let mut panel = pager();
        type_keys(&mut panel, "/99");
        let shown = picture(&mut panel, (80, 24));
        assert!(shown.contains("number 99 ") && shown.contains("match 1 of 2"), "{shown}");
        press(&mut panel, KeyCode::Enter);
        type_keys(&mut panel, "n");
        let shown = picture(&mut panel, (80, 24));
        assert!(shown.contains("number 199") && shown.contains("match 2 of 2"), "{shown}");
        type_keys(&mut panel, "N");
        assert!(picture(&mut panel, (80, 24)).contains("match 1 of 2"));
        assert!(matches!(press(&mut panel, KeyCode::Esc), Outcome::Stay));
        assert!(!picture(&mut panel, (80, 24)).contains("match"));
        assert!(matches!(press(&mut panel, KeyCode::Esc), Outcome::Close));
    }

    #[test]
    fn letters_of_a_search_are_no_keys_and_q_closes_during_a_search() {
        let mut panel = pager();
        type_keys(&mut panel, "/qGg");
        assert!(picture(&mut panel, (80, 24)).contains("/qGg_  no match"));
        press(&mut panel, KeyCode::Enter);
        assert!(matches!(press(&mut panel, KeyCode::Char('q')), Outcome::Close));
    }

    #[test]
    fn keys_go_to_the_start_and_to_the_end() {
        let mut panel = pager();
        type_keys(&mut panel, "G");
        assert!(picture(&mut panel, (80, 24)).contains("number 200"));
        type_keys(&mut panel, "g");
        assert!(picture(&mut panel, (80, 24)).contains("number 1 "));
    }

    #[test]
    fn a_short_text_needs_only_its_lines() {
        let long = "a word and another one ".repeat(8);
        let lines = vec![Line::of("short", Role::Text), Line::of(long.trim(), Role::Text)];
        let mut panel = PagerPanel::of_lines("Help", lines);
        check_sizes("text", &mut panel);
        let shown = picture(&mut panel, (80, 24));
        assert_eq!(shown.matches("another").count(), 8, "{shown}");
    }
}
