//! A request for permission: what would happen, and the answers.

mod body;
mod possible_answer;
#[cfg(test)]
mod tests;

use super::drawing::{end_of, put, put_more, wrap};
use super::line_input::LineInput;
use super::request::{PanelAnswer, Request};
use super::{Outcome, Panel, QUIET};
use crate::keymap::{Action, Context, Key};
use crate::layout::DrawnLine;
use crate::theme::Theme;
use attache_client::Decision;
use attache_protocol::v1::PermissionOption;
use attache_view::{PermissionAnswer, PermissionView, Role};
use body::{Body, whole_row};
use possible_answer::{PossibleAnswer, answers};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use std::sync::Arc;
use std::time::Instant;

/// The fewest lines of the body, if the panel has room for them and an answer.
const BODY_LINES: usize = 3;

/// A request for permission.
pub(crate) struct PermissionPanel {
    title: String,
    view: Box<PermissionView>,
    theme: Theme,
    body: Body,
    answers: Vec<PossibleAnswer>,
    selected: usize,
    /// The first visible line of the body, and the numbers of lines and of visible lines.
    first: usize,
    count: usize,
    shown: usize,
    /// The number of lines, from the first one, that the person saw.
    seen: usize,
    /// The answer that the person must give once more, because they did not see all outputs.
    asked_again: Option<usize>,
    /// The answers in the rows of the last drawing.
    drawn: Vec<Option<usize>>,
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
            body: Body::default(),
            selected: 0,
            first: 0,
            count: 0,
            shown: 0,
            seen: 0,
            asked_again: None,
            drawn: Vec::new(),
            turned: None,
            why: None,
        };
        panel.lay_out(80);
        panel
    }

    fn lay_out(&mut self, width: u16) {
        if self.body.width != width {
            self.body = Body::of(&self.view, width, &self.theme);
            (self.seen, self.asked_again) = (0, None);
        }
    }

    fn scroll_by(&mut self, rows: isize) {
        let last = self.count.saturating_sub(self.shown);
        self.first = self.first.saturating_add_signed(rows).min(last);
    }

    fn answer(&mut self, index: usize) -> Outcome {
        let Some(chosen) = self.answers.get(index) else { return Outcome::Stay };
        let answer = chosen.answer.clone();
        if answer.may_allow() && !self.was_read(index) {
            return Outcome::Stay;
        }
        match answer {
            PermissionAnswer::Decide(decision) => done(PanelAnswer::Permission(decision)),
            PermissionAnswer::Remember(effect, reach) => {
                done(PanelAnswer::Remember { effect, reach })
            }
            PermissionAnswer::SayWhy => {
                self.why = Some(LineInput::default());
                Outcome::Stay
            }
        }
    }

    /// Returns whether the person had the chance to see what this answer allows. Otherwise scrolls
    /// to the rest of the effect, or asks once more if there are outputs that they did not see. A
    /// key that is held down does not answer when either appears.
    fn was_read(&mut self, answer: usize) -> bool {
        if self.seen < self.body.effect_end {
            self.first = self.seen;
            self.scroll_by(0);
            self.turned = Some(Instant::now());
            return false;
        }
        let is_held = self.turned.is_some_and(|at| at.elapsed() < QUIET);
        let is_asked = self.unseen() == 0 || self.asked_again == Some(answer);
        if !is_asked {
            self.asked_again = Some(answer);
        }
        self.turned = (is_held || !is_asked).then(Instant::now);
        is_asked && !is_held
    }

    /// The number of lines of the effect and the outputs that the person did not see.
    fn unseen(&self) -> usize {
        self.body.outputs_end.saturating_sub(self.seen)
    }

    /// Draws that the answer must be given once more.
    fn put_question(&self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let again = self.asked_again.and_then(|index| self.answers.get(index));
        let Some(answer) = again.filter(|_| self.unseen() > 0 && !area.is_empty()) else { return };
        let mark = theme.glyphs().warning;
        let text = format!("{mark} {} lines not seen: {} again answers", self.unseen(), answer.key);
        let style = theme.role(Role::Warning).add_modifier(Modifier::BOLD);
        let y = area.bottom().saturating_sub(1);
        put(buffer, area.x, y, area.right(), &text, style);
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
        let body = self.body.lines.len().min((height / 2).max(BODY_LINES));
        let most = height.saturating_sub(body).max(1);
        if lines.len() <= most {
            return lines;
        }
        let room = most.saturating_sub(1).max(1);
        let is_selected = |(index, ..): &(usize, bool, String)| *index == self.selected;
        let start = lines.iter().position(is_selected).unwrap_or(0);
        let end = lines.iter().rposition(is_selected).unwrap_or(0);
        let first = (end + 1).saturating_sub(room).min(start);
        let mut shown: Vec<_> = lines.iter().skip(first).take(room).cloned().collect();
        // A part of an answer could be read as all of it.
        let cut_off = lines.get(first + room).filter(|(_, is_first, _)| !is_first);
        if let Some((index, ..)) = cut_off.filter(|line| !is_selected(line)) {
            shown.retain(|(other, ..)| other != index);
        }
        if let Some((index, is_first, _)) = shown.first().cloned()
            && !is_first
            && index != self.selected
        {
            shown.retain(|(other, ..)| *other != index);
        }
        let hidden = lines.iter().filter(|(_, is_first, _)| *is_first).count();
        let seen = shown.iter().filter(|(_, is_first, _)| *is_first).count();
        if most > 1 {
            let more = match hidden - seen {
                0 => "… more of this answer".to_owned(),
                1 => "… 1 more answer: go down or up".to_owned(),
                count => format!("… {count} more answers: go down or up"),
            };
            shown.push((usize::MAX, false, more));
        }
        shown
    }
}

fn done(answer: PanelAnswer) -> Outcome {
    Outcome::CloseAnd(Request::Answer(answer))
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
                let answers = [
                    ('y', Action::Allow, "yes"),
                    ('a', Action::AllowAlways, "always"),
                    ('n', Action::Deny, "no"),
                    ('w', Action::DenyWithReason, "no, and say why"),
                ];
                let is_possible = |key| self.answers.iter().any(|answer| answer.key == key);
                let possible = answers.into_iter().filter(|(key, ..)| is_possible(*key));
                let mut hints: Vec<_> = possible.map(|(_, action, does)| (action, does)).collect();
                if self.count > self.shown {
                    hints.push((Action::PageDown, "scroll"));
                    hints.push((Action::OpenPager, "whole"));
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
        let body: usize = self.body.lines.iter().map(rows).sum();
        (body + 1 + answers).try_into().unwrap_or(u16::MAX)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        self.lay_out(area.width);
        let answers = self.visible_answers(area);
        let why = u16::from(self.why.is_some());
        let below = (answers.len() as u16 + why).min(area.height);
        let body = Rect { height: area.height - below, ..area };
        self.count = self.body.lines.len();
        // The number of further lines has a row of its own, if there is one.
        let more = u16::from(self.count > usize::from(body.height) && body.height > 1);
        self.shown = usize::from(body.height - more);
        self.scroll_by(0);
        let lines = self.body.lines.get(self.first..).unwrap_or_default();
        for (line, y) in lines.iter().zip(body.y..body.bottom() - more) {
            buffer.set_line(body.x, y, &line.line, body.width);
        }
        let rest = self.count.saturating_sub(self.first + self.shown);
        put_more(self.first, rest, body, buffer, theme);
        self.put_question(body, buffer, theme);
        let mut y = body.bottom();
        self.drawn = vec![None; usize::from(body.height)];
        for (index, first, text) in answers {
            self.drawn.push((index < self.answers.len()).then_some(index));
            let Some(answer) = self.answers.get(index) else {
                put(buffer, area.x + 4, y, area.right(), &text, theme.role(Role::Muted));
                y += 1;
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
        let asked = self.asked_again.take();
        match action {
            Some(Action::OpenPager) => {
                return Outcome::Do(Request::Read(Arc::new(whole_row(&self.view))));
            }
            Some(Action::Allow | Action::AllowAlways | Action::Accept) | None => {
                self.asked_again = asked;
            }
            _ => {}
        }
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
        self.asked_again = None;
        self.scroll_by(rows as isize);
    }

    fn click(&mut self, row: u16) -> Outcome {
        let index = self.drawn.get(usize::from(row)).copied().flatten();
        match index.filter(|_| self.why.is_none()) {
            Some(index) => {
                self.selected = index;
                self.answer(index)
            }
            None => Outcome::Stay,
        }
    }
}
