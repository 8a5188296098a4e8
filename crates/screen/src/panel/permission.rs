//! A request for permission: what would happen, and the answers.

mod possible_answer;

use super::drawing::{end_of, put, wrap};
use super::line_input::LineInput;
use super::request::{PanelAnswer, Request};
use super::text_panel::put_more;
use super::{Outcome, Panel, QUIET};
use crate::keymap::{Action, Context, Key};
use crate::layout::{DrawnLine, RowOptions, block_lines, row_lines, text_lines};
use crate::theme::Theme;
use attache_client::Decision;
use attache_protocol::v1::PermissionOption;
use attache_view::{
    CallStatus, Line, PermissionView, Role, Row, RowContent, Span, Style, ToolCallRow,
};
use possible_answer::{Answer, PossibleAnswer, answers};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use std::sync::Arc;
use std::time::Instant;

/// The most lines of the agent's title above the effect.
const TITLE_LINES: usize = 2;

/// The lines of diffs and texts that the person must have seen before a key allows the call.
const OUTPUT_LINES: usize = 2;

/// The fewest lines of the body, if the panel has room for them and an answer.
const BODY_LINES: usize = 3;

/// A request for permission.
pub(crate) struct PermissionPanel {
    title: String,
    view: Box<PermissionView>,
    theme: Theme,
    /// The lines of the body at this width.
    body: (u16, Vec<DrawnLine>),
    answers: Vec<PossibleAnswer>,
    selected: usize,
    /// The first visible line of the body, and the numbers of lines and of visible lines.
    first: usize,
    count: usize,
    shown: usize,
    /// The number of lines, from the first one, that contain the effect, and that the person saw.
    effect_end: usize,
    seen: usize,
    /// When a key that allows scrolled to the rest of the effect instead.
    turned: Option<Instant>,
    /// The reason that the person types for a refusal.
    why: Option<LineInput>,
}

impl PermissionPanel {
    /// Makes the panel of a request with these options. `who` names the agent, and the session if
    /// it is another one.
    pub(crate) fn new(
        view: Box<PermissionView>,
        options: &[PermissionOption],
        who: &str,
        theme: Theme,
    ) -> Self {
        let mut panel = Self {
            title: format!("{who} asks for permission: {}", view.kind),
            answers: answers(&view.choices, options),
            view,
            theme,
            body: (0, Vec::new()),
            selected: 0,
            first: 0,
            count: 0,
            shown: 0,
            effect_end: 0,
            seen: 0,
            turned: None,
            why: None,
        };
        panel.lay_out(80);
        panel
    }

    /// Lays out what the call would do. Nothing is cut.
    fn lay_out(&mut self, width: u16) {
        if self.body.0 == width {
            return;
        }
        let (view, theme, columns) = (&self.view, &self.theme, usize::from(width));
        let mut lines = Vec::new();
        let title = Line { spans: view.title.spans.iter().map(heading).collect() };
        let mut title = match title.is_empty() {
            true => Vec::new(),
            false => text_lines(&[title], columns, theme),
        };
        // The agent's words must not push the effect out of sight.
        let rest = title.split_off(title.len().min(TITLE_LINES));
        lines.extend(title);
        lines.extend(text_lines(&view.effect, columns, theme));
        lines.extend(text_lines(view.protected.as_slice(), columns, theme));
        self.effect_end = lines.len();
        if !view.outputs.is_empty() {
            let row = Arc::new(outputs_row(view));
            let options = RowOptions { folded: false, now: None };
            // The first line is the header of the row, which says nothing new.
            let outputs = row_lines(&row, columns, theme, options).into_iter().skip(1);
            lines.extend(outputs);
            self.effect_end = lines.len().min(self.effect_end + OUTPUT_LINES);
        }
        lines.extend(rest);
        lines.extend(block_lines(&view.stated, columns, theme));
        self.body = (width, lines);
        self.seen = 0;
    }

    fn scroll_by(&mut self, rows: isize) {
        let last = self.count.saturating_sub(self.shown);
        self.first = self.first.saturating_add_signed(rows).min(last);
    }

    fn answer(&mut self, index: usize) -> Outcome {
        let Some(chosen) = self.answers.get(index) else { return Outcome::Stay };
        let answer = chosen.answer.clone();
        if answer.may_allow() && !self.shows_rest() {
            return Outcome::Stay;
        }
        match answer {
            Answer::Decide(decision) => done(PanelAnswer::Permission(decision)),
            Answer::Remember(effect, reach) => done(PanelAnswer::Remember { effect, reach }),
            Answer::SayWhy => {
                self.why = Some(LineInput::default());
                Outcome::Stay
            }
        }
    }

    /// Returns whether the person saw the whole effect, and scrolls to the rest of it otherwise. A
    /// key that is held down does not answer when the rest appears.
    fn shows_rest(&mut self) -> bool {
        if self.seen < self.effect_end {
            self.first = self.seen;
            self.scroll_by(0);
            self.turned = Some(Instant::now());
            return false;
        }
        let is_held = self.turned.is_some_and(|at| at.elapsed() < QUIET);
        self.turned = is_held.then(Instant::now);
        !is_held
    }

    fn by_key(&mut self, key: char) -> Outcome {
        let index = self.answers.iter().position(|answer| answer.key == key);
        index.map_or(Outcome::Stay, |index| self.answer(index))
    }

    fn key_of_why(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        let Some(why) = &mut self.why else { return Outcome::Stay };
        match (action, key.code) {
            (Some(Action::Cancel), _) => self.why = None,
            (_, KeyCode::Enter) => {
                let text = why.text().trim().to_owned();
                return match text.is_empty() {
                    true => done(PanelAnswer::Permission(Decision::Reject)),
                    false => done(PanelAnswer::RejectSaying(text)),
                };
            }
            _ => {
                why.key(key);
            }
        }
        Outcome::Stay
    }

    fn answer_lines(&self, width: u16) -> Vec<(usize, bool, String)> {
        let room = usize::from(width).saturating_sub(6).max(8);
        let mut lines = Vec::new();
        for (index, answer) in self.answers.iter().enumerate() {
            let wrapped = wrap(&answer.text, room);
            lines.extend(wrapped.into_iter().enumerate().map(|(at, line)| (index, at == 0, line)));
        }
        lines
    }
}

impl PermissionPanel {
    /// The lines of the answers that fit, so that about half of the panel shows what would happen.
    /// The selected answer is always visible.
    fn visible_answers(&self, area: Rect) -> Vec<(usize, bool, String)> {
        let lines = self.answer_lines(area.width);
        let height = usize::from(area.height) - usize::from(self.why.is_some() && area.height > 0);
        let body = self.body.1.len().min((height / 2).max(BODY_LINES));
        let most = height.saturating_sub(body).max(1);
        if lines.len() <= most {
            return lines;
        }
        let room = most.saturating_sub(1).max(1);
        let end = lines.iter().rposition(|(index, ..)| *index <= self.selected);
        let first = (end.unwrap_or(0) + 1).saturating_sub(room);
        let mut shown: Vec<_> = lines.iter().skip(first).take(room).cloned().collect();
        let hidden = lines.iter().filter(|(_, is_first, _)| *is_first).count();
        let seen = shown.iter().filter(|(_, is_first, _)| *is_first).count();
        if most > 1 {
            let more = format!("… {} more answers: go down or up", hidden - seen);
            shown.push((usize::MAX, false, more));
        }
        shown
    }
}

fn done(answer: PanelAnswer) -> Outcome {
    Outcome::CloseAnd(Request::Answer(answer))
}

fn heading(span: &Span) -> Span {
    Span { text: span.text.clone(), style: Style { strong: true, ..span.style.clone() } }
}

/// Returns the diffs and texts of a request as a row of a conversation.
fn outputs_row(view: &PermissionView) -> Row {
    let call = ToolCallRow {
        id: String::new(),
        kind: view.kind.clone(),
        title: Line::default(),
        effect: Vec::new(),
        status: CallStatus::Asking,
        ended_at: None,
        places: Vec::new(),
        outputs: view.outputs.clone(),
        quiet: false,
        can_cancel: false,
    };
    Row { id: 0, at: 0, depth: 0, content: RowContent::ToolCall(Box::new(call)) }
}

impl Panel for PermissionPanel {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn context(&self) -> Context {
        if self.why.is_some() { Context::Form } else { Context::Question }
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        match self.why {
            Some(_) => vec![(Action::Accept, "reject and send"), (Action::Cancel, "back")],
            None => {
                let mut hints = vec![
                    (Action::Allow, "yes"),
                    (Action::AllowAlways, "always"),
                    (Action::Deny, "no"),
                    (Action::DenyWithReason, "no, and say why"),
                ];
                if self.count > self.shown {
                    hints.push((Action::PageDown, "scroll"));
                }
                hints.push((Action::SwitchFocus, "write"));
                hints.push((Action::Cancel, "cancel the turn"));
                hints
            }
        }
    }

    fn height(&self, width: u16) -> u16 {
        let answers = self.answer_lines(width).len() + usize::from(self.why.is_some());
        let width = usize::from(width.max(1));
        // The lines may have been laid out for another width.
        let rows = |line: &DrawnLine| line.line.width().div_ceil(width).max(1);
        let body: usize = self.body.1.iter().map(rows).sum();
        (body + 1 + answers).try_into().unwrap_or(u16::MAX)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        self.lay_out(area.width);
        let answers = self.visible_answers(area);
        let why = u16::from(self.why.is_some());
        let below = (answers.len() as u16 + why).min(area.height);
        let body = Rect { height: area.height - below, ..area };
        self.count = self.body.1.len();
        // The number of further lines has a row of its own, if there is one.
        let more = u16::from(self.count > usize::from(body.height) && body.height > 1);
        self.shown = usize::from(body.height - more);
        self.scroll_by(0);
        let lines = self.body.1.get(self.first..).unwrap_or_default();
        for (line, y) in lines.iter().zip(body.y..body.bottom() - more) {
            buffer.set_line(body.x, y, &line.line, body.width);
        }
        let rest = self.count.saturating_sub(self.first + self.shown);
        put_more(self.first, rest, body, buffer, theme);
        let mut y = body.bottom();
        for (index, first, text) in answers {
            let Some(answer) = self.answers.get(index) else {
                put(buffer, area.x + 4, y, area.right(), &text, theme.role(Role::Muted));
                continue;
            };
            let chosen = index == self.selected && self.why.is_none();
            let pointer = if chosen && first { "> " } else { "  " };
            let x = put(buffer, area.x, y, area.right(), pointer, theme.role(Role::Name));
            let bold = theme.role(Role::Name).add_modifier(Modifier::BOLD);
            let key = if first { answer.key.to_string() } else { " ".to_owned() };
            let x = put(buffer, x, y, area.right(), &key, bold);
            put(buffer, x + 2, y, area.right(), &text, theme.role(Role::Text));
            y += 1;
        }
        if let Some(why) = &self.why {
            let label = "Why: ";
            let x = put(buffer, area.x, y, area.right(), label, theme.role(Role::Warning));
            let room = usize::from(area.right().saturating_sub(x + 1));
            let shown = end_of(why.before(), room);
            let x = put(buffer, x, y, area.right(), shown, theme.role(Role::Text));
            put(buffer, x, y, area.right(), "_", theme.role(Role::Name));
        }
    }

    fn cancels_turn(&self) -> bool {
        self.why.is_none()
    }

    fn was_shown(&mut self) -> bool {
        if self.first <= self.seen {
            self.seen = self.seen.max((self.first + self.shown).min(self.count));
        }
        self.shown > 0
    }

    fn key(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        if self.why.is_some() {
            return self.key_of_why(action, key);
        }
        let page = self.shown.saturating_sub(1).max(1) as isize;
        match action {
            Some(Action::Allow) => return self.by_key('y'),
            Some(Action::AllowAlways) => return self.by_key('a'),
            Some(Action::Deny) => return self.by_key('n'),
            Some(Action::DenyWithReason) => return self.by_key('w'),
            Some(Action::Accept) => return self.answer(self.selected),
            Some(Action::Up) => self.selected = self.selected.saturating_sub(1),
            Some(Action::Down) => {
                self.selected = (self.selected + 1).min(self.answers.len().saturating_sub(1));
            }
            Some(Action::ScrollUp) => self.scroll_by(-1),
            Some(Action::ScrollDown) => self.scroll_by(1),
            Some(Action::PageUp) => self.scroll_by(-page),
            Some(Action::PageDown) => self.scroll_by(page),
            Some(_) => {}
            // The keymap decides which keys mean yes, always and no.
            None => {
                let typed = Key::of(key).character().filter(|typed| !"yanw".contains(*typed));
                return typed.map_or(Outcome::Stay, |typed| self.by_key(typed));
            }
        }
        Outcome::Stay
    }

    fn paste(&mut self, text: &str) -> bool {
        let Some(why) = &mut self.why else { return false };
        why.insert(text);
        true
    }

    fn typed_text(&self) -> String {
        self.why.as_ref().map(|why| why.text().to_owned()).unwrap_or_default()
    }

    fn scroll(&mut self, rows: i32) {
        self.scroll_by(rows as isize);
    }
}
