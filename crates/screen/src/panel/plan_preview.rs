//! A preview with choices below it, which a held key does not confirm.

use super::QUIET;
use super::choice_list::{Choice, ChoiceList};
use super::drawing::{put, put_more};
use crate::keymap::Action;
use crate::layout::{text_height, text_lines};
use crate::theme::Theme;
use attache_checkpoint::TreePath;
use attache_view::{Line, Role, sanitize};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::time::Instant;

/// The number of columns beside the lines.
const SIDES: u16 = 1;

/// The lines of a preview, and the selected choice below them.
pub(super) struct PlanPreview {
    lines: Vec<Line>,
    /// The first visible line.
    top: usize,
    pub(super) list: ChoiceList,
    /// Since when the terminal shows the preview.
    shown: Option<Instant>,
}

impl PlanPreview {
    pub(super) fn new(lines: Vec<Line>) -> Self {
        Self { lines, top: 0, list: ChoiceList::default(), shown: None }
    }

    /// Returns whether a key may confirm: the preview was visible for a moment without a key.
    /// Otherwise the wait starts again, because the person pressed the key for something else, or
    /// holds it.
    pub(super) fn is_ready(&mut self) -> bool {
        self.is_ready_at(Instant::now())
    }

    fn is_ready_at(&mut self, now: Instant) -> bool {
        let is_ready = self.shown.is_some_and(|since| now.duration_since(since) >= QUIET);
        if !is_ready {
            self.shown = Some(now);
        }
        is_ready
    }

    /// Returns the number of rows with this number of choices.
    pub(super) fn height(&self, width: u16, choices: usize) -> u16 {
        let columns = usize::from(width.saturating_sub(SIDES));
        let rows = text_height(&self.lines, columns) + 1 + choices;
        rows.try_into().unwrap_or(u16::MAX)
    }

    pub(super) fn act(&mut self, action: Action) {
        match action {
            Action::PageUp => self.scroll(-10),
            Action::PageDown => self.scroll(10),
            action => {
                self.list.act(action);
            }
        }
    }

    pub(super) fn scroll(&mut self, rows: i32) {
        self.top = self.top.saturating_add_signed(rows as isize);
    }

    pub(super) fn render(
        &mut self,
        choices: &[Choice],
        area: Rect,
        buffer: &mut Buffer,
        theme: &Theme,
    ) {
        self.shown.get_or_insert_with(Instant::now);
        let below = (choices.len() as u16).min(area.height / 2 + 1).min(area.height);
        let body = Rect { height: area.height.saturating_sub(below + 1), ..area };
        let columns = usize::from(area.width.saturating_sub(SIDES));
        let lines = text_lines(&self.lines, columns, theme);
        let height = usize::from(body.height);
        self.top = self.top.min(lines.len().saturating_sub(height));
        for (line, y) in lines.iter().skip(self.top).zip(body.y..body.bottom()) {
            buffer.set_line(body.x, y, &line.line, body.width);
        }
        let more = lines.len().saturating_sub(self.top + height);
        put_more(self.top, more, body, buffer, theme);
        if area.height > below {
            let rule = theme.glyphs().horizontal.repeat(usize::from(area.width));
            put(buffer, area.x, body.bottom(), area.right(), &rule, theme.role(Role::Muted));
        }
        let list = Rect { y: area.bottom() - below, height: below, ..area };
        self.list.render(choices, list, buffer, theme);
    }
}

/// Returns a choice that is switched on or off.
pub(super) fn switch(is_on: bool, text: &str) -> Choice {
    let mark = if is_on { "[x]" } else { "[ ]" };
    Choice { text: format!("{mark} {text}"), ..Choice::default() }
}

/// Returns the choice that restores a protected file too.
pub(super) fn protected(path: &TreePath, is_on: bool) -> Choice {
    let path = sanitize::line(&path.to_string());
    switch(is_on, &format!("also {path}, which is protected"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_held_key_does_not_confirm() {
        let mut preview = PlanPreview::new(Vec::new());
        let begun = Instant::now();
        for repeat in 0..100 {
            assert!(!preview.is_ready_at(begun + QUIET / 2 * repeat), "{repeat}");
        }
        let released = begun + QUIET / 2 * 99;
        assert!(!preview.is_ready_at(released + QUIET - Duration::from_millis(1)));
        assert!(preview.is_ready_at(released + QUIET * 2));
    }
}
