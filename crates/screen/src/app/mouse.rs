//! The mouse: the wheel and clicks.

use crate::app::state::App;
use crate::panel::Outcome;
use ratatui::crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Margin, Position};

/// The rows that one step of the wheel scrolls.
const WHEEL: i32 = 3;

impl App {
    pub(crate) fn mouse_event(&mut self, mouse: MouseEvent) {
        let at = Position::new(mouse.column, mouse.row);
        let rows = match mouse.kind {
            MouseEventKind::ScrollUp => -WHEEL,
            MouseEventKind::ScrollDown => WHEEL,
            MouseEventKind::Down(MouseButton::Left) => return self.click(at),
            _ => return,
        };
        self.is_dirty = true;
        if let Some(panel) = &mut self.panel {
            panel.scroll(rows);
        } else if let Some(question) =
            self.question.as_mut().filter(|_| self.question_area.contains(at))
        {
            question.panel.scroll(rows);
        } else {
            self.scroll_conversation(rows);
        }
    }

    /// Handles a click on a question. Only an answer that the terminal has shown for this question
    /// for a moment is answered: the person may have aimed at what was there before.
    fn click_question(&mut self, at: Position) {
        let inside = self.question_area.inner(Margin::new(1, 1));
        let is_visible = self.question_is_visible();
        self.take_question(true);
        let Some(question) = self.question.as_mut().filter(|_| is_visible && inside.contains(at))
        else {
            return;
        };
        match question.panel.click(at.y - inside.y) {
            Outcome::Do(request) | Outcome::CloseAnd(request) => self.request(request),
            Outcome::Stay | Outcome::Close => {}
        }
    }

    fn click(&mut self, at: Position) {
        self.is_dirty = true;
        if self.panel.is_some() {
            let area = self.panel_area;
            let Some(panel) = self.panel.as_mut().filter(|_| area.contains(at)) else { return };
            let outcome = panel.click(at.y - area.y);
            return self.outcome(outcome);
        }
        if self.composer.has_popup() && self.list_area.contains(at) {
            let event = self.composer.click_list(self.list_area, at.y);
            self.composed(event);
        } else if self.question_area.contains(at) {
            self.click_question(at);
        } else if self.composer_area.contains(at) {
            self.is_reading = false;
            self.take_question(false);
            self.composer.click(self.composer_area, at);
        } else if self.conversation_area.contains(at) {
            self.click_conversation(at);
        }
    }
}
