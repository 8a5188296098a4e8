//! A request for permission: what would happen, and the answers.

use super::drawing::{put, text_width, wrap};
use super::line_input::LineInput;
use super::request::{PanelAnswer, Request};
use super::text_panel::{put_lines, put_more, wrap_lines};
use super::{Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_client::{Decision, PermissionRequest, Rule};
use attache_protocol::v1::{PermissionOption, PermissionOptionKind};
use attache_view::{Line, Role, sanitize};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::style::Modifier;

/// What an answer does.
#[derive(Debug, Clone)]
enum Answer {
    Decide(Decision),
    Remember(Box<Rule>),
    SayWhy,
}

/// An answer that the person can give.
#[derive(Debug, Clone)]
struct PossibleAnswer {
    key: char,
    text: String,
    answer: Answer,
}

/// A request for permission.
pub(crate) struct PermissionPanel {
    title: String,
    body: Vec<Line>,
    answers: Vec<PossibleAnswer>,
    selected: usize,
    /// The first visible line of the body, and the numbers of lines and of visible lines.
    first: usize,
    count: usize,
    shown: usize,
    /// The reason that the person types for a refusal.
    why: Option<LineInput>,
}

impl PermissionPanel {
    /// Makes the panel. `rules` are the rules that can be remembered, each with its effect in
    /// words, the one for `a` first. `who` names the agent, and the session if it is another one.
    pub(crate) fn new(
        request: &PermissionRequest,
        body: Vec<Line>,
        rules: Vec<(Rule, String)>,
        who: &str,
    ) -> Self {
        Self {
            title: format!("{who} asks for permission"),
            body,
            answers: answers(&request.options, rules),
            selected: 0,
            first: 0,
            count: 0,
            shown: 0,
            why: None,
        }
    }

    fn scroll_by(&mut self, rows: isize) {
        let last = self.count.saturating_sub(self.shown);
        self.first = self.first.saturating_add_signed(rows).min(last);
    }

    fn answer(&mut self, index: usize) -> Outcome {
        let Some(chosen) = self.answers.get(index) else { return Outcome::Stay };
        match chosen.answer.clone() {
            Answer::Decide(decision) => done(PanelAnswer::Permission(decision)),
            Answer::Remember(rule) => done(PanelAnswer::Remember(rule)),
            Answer::SayWhy => {
                self.why = Some(LineInput::default());
                Outcome::Stay
            }
        }
    }

    fn by_key(&mut self, key: char) -> Outcome {
        let index = self.answers.iter().position(|answer| answer.key == key);
        index.map_or(Outcome::Stay, |index| self.answer(index))
    }

    fn key_of_why(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        let Some(why) = &mut self.why else { return Outcome::Stay };
        match (action, key.code) {
            (Some(Action::Cancel | Action::Interrupt), _) => self.why = None,
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

fn done(answer: PanelAnswer) -> Outcome {
    Outcome::CloseAnd(Request::Answer(answer))
}

/// The answers: yes, always, no, "no, and say why", other rules, and the other options of the
/// agent.
fn answers(options: &[PermissionOption], rules: Vec<(Rule, String)>) -> Vec<PossibleAnswer> {
    use PermissionOptionKind::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let of_kind = |kind: PermissionOptionKind| options.iter().find(|option| option.kind == kind);
    let name = |option: &PermissionOption| sanitize::visible_line(&option.name);
    let once = of_kind(AllowOnce);
    let always = of_kind(AllowAlways);
    let mut answers = Vec::new();
    let mut add = |key, text: String, answer| answers.push(PossibleAnswer { key, text, answer });
    let mut used = Vec::new();
    if let Some(option) = once {
        used.push(option.option_id.clone());
        add('y', "Yes, this once".to_owned(), Answer::Decide(Decision::Choose(option.option_id.clone())));
    }
    let mut rules = rules.into_iter();
    if let Some((rule, words)) = rules.next() {
        add('a', format!("Always: {words}"), Answer::Remember(Box::new(rule)));
    } else if let Some(option) = always {
        used.push(option.option_id.clone());
        let text = format!("Always, as the agent says: {}", name(option));
        add('a', text, Answer::Decide(Decision::Choose(option.option_id.clone())));
    }
    let no = of_kind(RejectOnce).or_else(|| of_kind(RejectAlways));
    used.extend(no.map(|option| option.option_id.clone()));
    add('n', "No".to_owned(), Answer::Decide(Decision::Reject));
    add('w', "No, and say why".to_owned(), Answer::SayWhy);
    let mut digits = '1'..='9';
    for option in options.iter().filter(|option| !used.contains(&option.option_id)) {
        let Some(key) = digits.next() else { break };
        let text = format!("Agent's option: {}", name(option));
        add(key, text, Answer::Decide(Decision::Choose(option.option_id.clone())));
    }
    for (rule, words) in rules {
        let Some(key) = digits.next() else { break };
        add(key, format!("Always: {words}"), Answer::Remember(Box::new(rule)));
    }
    answers
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
        let body = wrap_lines(&self.body, width).len();
        (body + 1 + answers).try_into().unwrap_or(u16::MAX)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let lines = wrap_lines(&self.body, area.width);
        let mut answers = self.answer_lines(area.width);
        // In little space, the first line of each answer, and then only the first answers, stay.
        let most = usize::from(area.height).saturating_sub(2).max(1);
        if answers.len() > most {
            answers.retain(|(_, first, _)| *first);
            answers.truncate(most);
        }
        let why = u16::from(self.why.is_some());
        let below = (answers.len() as u16 + why).min(area.height);
        let body = Rect { height: area.height - below, ..area };
        self.count = lines.len();
        self.shown = usize::from(body.height);
        self.scroll_by(0);
        put_lines(lines.get(self.first..).unwrap_or_default(), body, buffer, theme);
        let rest = self.count.saturating_sub(self.first + self.shown);
        put_more(self.first, rest, body, buffer, theme);
        let mut y = body.bottom();
        for (index, first, text) in answers {
            let Some(answer) = self.answers.get(index) else { continue };
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
            let mut shown = why.before();
            while text_width(shown) > room {
                shown = shown.get(shown.chars().next().map_or(0, char::len_utf8)..).unwrap_or("");
            }
            let x = put(buffer, x, y, area.right(), shown, theme.role(Role::Text));
            put(buffer, x, y, area.right(), "_", theme.role(Role::Name));
        }
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
            _ => {
                if let KeyCode::Char(digit @ '1'..='9') = key.code {
                    return self.by_key(digit);
                }
            }
        }
        Outcome::Stay
    }

    fn paste(&mut self, text: &str) {
        if let Some(why) = &mut self.why {
            why.insert(text);
        }
    }

    fn scroll(&mut self, rows: i32) {
        self.scroll_by(rows as isize);
    }
}
