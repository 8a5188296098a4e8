//! The preview of a rejection: which lines go, and what stays.

use crate::keymap::Action;
use crate::layout::text_lines;
use crate::panel::QUIET;
use crate::panel::choice_list::{Choice, ChoiceList};
use crate::panel::drawing::put_more;
use crate::theme::Theme;
use attache_checkpoint::{KeptReason, Plan, Review, Selection, TreePath};
use attache_view::{Line, Role, Span, restore_preview, sanitize};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::collections::BTreeSet;
use std::time::Instant;

/// The number of lines of hunks that the preview shows.
const SHOWN: usize = 400;

/// What the person chose in the preview.
pub(super) enum Chosen {
    /// Reject the hunks.
    Reject,
    /// Make the preview again, with or without the protected files.
    Protected(BTreeSet<TreePath>),
}

/// The preview of a rejection.
pub(super) struct Rejection {
    pub(super) plan: Box<Plan>,
    lines: Vec<Line>,
    /// The first visible line.
    top: usize,
    list: ChoiceList,
    /// The protected files that the person may reject too.
    protected: BTreeSet<TreePath>,
    /// Since when the terminal shows the preview.
    shown: Option<Instant>,
}

impl Rejection {
    pub(super) fn new(review: &Review, plan: Plan) -> Self {
        let stays = plan.files.iter().filter(|file| file.kept == Some(KeptReason::Protected));
        let mut protected: BTreeSet<TreePath> = stays.map(|file| file.path.clone()).collect();
        protected.extend(plan.request.choices.protected.iter().cloned());
        let mut lines = restore_preview(&plan);
        lines.extend(hunk_lines(review, &plan));
        let list = ChoiceList::default();
        Self { plan: Box::new(plan), lines, top: 0, list, protected, shown: None }
    }

    fn choices(&self) -> Vec<Choice> {
        let row = |text: String| Choice { text, ..Choice::default() };
        let files = |count: usize| match count {
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        let mut rows = Vec::new();
        if self.has_effect() {
            let count = files(self.plan.restored().count());
            rows.push(row(format!("Reject: change {count} back")));
        }
        if !self.protected.is_empty() {
            let mark = if self.plan.request.choices.protected.is_empty() { "[ ]" } else { "[x]" };
            rows.push(row(format!("{mark} also {} under protection", files(self.protected.len()))));
        }
        rows
    }

    fn has_effect(&self) -> bool {
        self.plan.restored().next().is_some()
    }

    /// Returns what the selected row does. There is none until the preview was visible for a
    /// moment, because the person pressed the key for something else.
    pub(super) fn chosen(&self) -> Option<Chosen> {
        self.shown.filter(|since| since.elapsed() >= QUIET)?;
        match (self.list.selected(), self.has_effect()) {
            (0, true) => Some(Chosen::Reject),
            _ if self.protected.is_empty() => None,
            _ => Some(Chosen::Protected(match self.plan.request.choices.protected.is_empty() {
                true => self.protected.clone(),
                false => BTreeSet::new(),
            })),
        }
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

    pub(super) fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        self.shown.get_or_insert_with(Instant::now);
        let choices = self.choices();
        let below = (choices.len() as u16).min(area.height);
        let body = Rect { height: area.height.saturating_sub(below + 1), ..area };
        let lines = text_lines(&self.lines, usize::from(area.width), theme);
        let height = usize::from(body.height);
        self.top = self.top.min(lines.len().saturating_sub(height));
        for (line, y) in lines.iter().skip(self.top).zip(body.y..body.bottom()) {
            buffer.set_line(body.x, y, &line.line, body.width);
        }
        let more = lines.len().saturating_sub(self.top + height);
        put_more(self.top, more, body, buffer, theme);
        let list = Rect { y: area.bottom() - below, height: below, ..area };
        self.list.render(&choices, list, buffer, theme);
    }
}

/// Returns the lines that the rejection removes and brings back.
fn hunk_lines(review: &Review, plan: &Plan) -> Vec<Line> {
    let Selection::Hunks(keys) = &plan.request.selection else { return Vec::new() };
    let mut lines = vec![Line::of("Lines that go (-) and come back (+):", Role::Heading)];
    for file in &review.files {
        for each in file.hunks.iter().filter(|each| keys.contains(&each.hunk.key)) {
            let path = sanitize::visible_line(&file.path.to_string());
            lines.push(Line::of(format!("  {path}:{}", each.hunk.new_start + 1), Role::Path));
            let parts =
                [("-", &each.hunk.added, Role::Removed), ("+", &each.hunk.removed, Role::Added)];
            for (sign, bytes, role) in parts {
                let text = String::from_utf8_lossy(bytes);
                lines.extend(text.lines().take(SHOWN).map(|line| {
                    let text = format!("  {sign} {}", sanitize::visible_line(line));
                    Line { spans: vec![Span::new(text, role)] }
                }));
            }
        }
    }
    if lines.len() > SHOWN {
        let left = lines.len() - SHOWN;
        lines.truncate(SHOWN);
        lines.push(Line::of(format!("  … and {left} more lines"), Role::Muted));
    }
    lines
}
