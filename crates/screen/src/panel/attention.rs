//! The open sessions, those that wait for the person first.

use super::choice_list::{Choice, ChoiceList};
use super::request::Request;
use super::{Facts, Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_client::{HubSession, QuestionAbout, SessionState};
use attache_protocol::v1::SessionId;
use attache_session::{EntryContent, MessageAuthor, Session};
use attache_view::{Role, sanitize};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// The number of entries among which the first prompt is.
const FIRST: usize = 20;

/// The open sessions, those that wait for the person first.
#[derive(Default)]
pub(crate) struct AttentionPanel {
    rows: Vec<(Choice, String, SessionId)>,
    list: ChoiceList,
}

/// Returns what a session waits for, in a few words.
pub(crate) fn waits_for(session: &HubSession) -> Option<String> {
    let first = session.first_question()?;
    let what = match &first.about {
        QuestionAbout::Permission(request) => format!("permission: {}", request.title()),
        QuestionAbout::Form(request) => format!("form: {}", request.message),
        QuestionAbout::Page(request) => format!("page: {}", request.address.host()),
        _ => "an answer".to_owned(),
    };
    let more = match session.state() {
        SessionState::WaitingForPerson { questions: count @ 2.. } => {
            format!(" (and {} more)", count - 1)
        }
        _ => String::new(),
    };
    Some(format!("{}{more}", sanitize::visible_line(&what)))
}

/// Returns the title of a session, or else the beginning of its first prompt.
pub(crate) fn title_of(session: &HubSession) -> String {
    let snapshot = session.snapshot();
    let title = snapshot.info().title().map(sanitize::line).filter(|title| !title.is_empty());
    let title = title.or_else(|| first_prompt(&snapshot));
    title.unwrap_or_else(|| "(new session)".to_owned())
}

/// Returns the beginning of the first prompt, if it is among the first entries.
fn first_prompt(session: &Session) -> Option<String> {
    let is_prompt = |content: &EntryContent| {
        matches!(content, EntryContent::Message { author: MessageAuthor::User, .. })
    };
    let prompt = session.entries().iter().take(FIRST).find(|entry| is_prompt(&entry.content))?;
    attache_session::title(&prompt.text()).map(|title| sanitize::line(&title))
}

/// Returns how long ago this was, such as `5 s` or `3 min`.
pub(crate) fn since(at: i64, now: i64) -> String {
    match now.saturating_sub(at).max(0) / 1000 {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds @ 60..3600 => format!("{} min", seconds / 60),
        seconds @ 3600..86_400 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}

impl AttentionPanel {
    fn row(session: &HubSession, facts: &Facts<'_>) -> (i64, Choice, String, SessionId) {
        let asked = session.first_question().map(|question| question.asked_at.0);
        let state = session.state();
        let (mark, role, note) = match (&state, waits_for(session), asked) {
            (_, Some(what), Some(at)) => {
                ("?", Role::Warning, format!("{what}, since {}", since(at, facts.now)))
            }
            (SessionState::Running { .. }, ..) => ("*", Role::Running, state.to_string()),
            (SessionState::Gone { .. } | SessionState::ReadOnly { .. }, ..) => {
                ("!", Role::Error, sanitize::visible_line(&state.to_string()))
            }
            _ => (" ", Role::Muted, state.to_string()),
        };
        let agent = session.agent().name().to_owned();
        let current = if facts.session == Some(session) { " (this one)" } else { "" };
        let text = format!("{} [{}]{current}", title_of(session), sanitize::line(&agent));
        let choice = Choice { mark: (mark.to_owned(), role), text, note };
        // Those that wait longest come first, then the others in their order.
        (asked.unwrap_or(i64::MAX), choice, agent, session.id().clone())
    }

    fn chosen(&self) -> Outcome {
        match self.rows.get(self.list.selected()) {
            Some((choice, agent, id)) => {
                let (agent, id) = (agent.clone(), id.clone());
                Outcome::CloseAnd(match choice.mark.1 {
                    Role::Warning => Request::AnswerHere { agent, id },
                    _ => Request::Show { agent, id },
                })
            }
            None => Outcome::Close,
        }
    }
}

impl Panel for AttentionPanel {
    fn title(&self) -> String {
        "Open sessions".to_owned()
    }

    fn context(&self) -> Context {
        Context::Picker
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        vec![(Action::Accept, "answer or show"), (Action::Dismiss, "close")]
    }

    fn refresh(&mut self, facts: &Facts<'_>) {
        let chosen = self.rows.get(self.list.selected()).cloned();
        let sessions = facts.hub.sessions();
        let mut rows: Vec<_> = sessions.iter().map(|session| Self::row(session, facts)).collect();
        rows.sort_by_key(|(asked, ..)| *asked);
        self.rows = rows.into_iter().map(|(_, row, agent, id)| (row, agent, id)).collect();
        if let Some((_, agent, id)) = chosen {
            let is_chosen = |row: &(Choice, String, SessionId)| row.1 == agent && row.2 == id;
            self.list.follow(self.rows.iter().position(is_chosen));
        }
    }

    fn height(&self, _width: u16) -> u16 {
        self.rows.len().clamp(1, 20) as u16
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let rows: Vec<Choice> = self.rows.iter().map(|(row, ..)| row.clone()).collect();
        self.list.render(&rows, area, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, _key: KeyEvent) -> Outcome {
        match action {
            Some(Action::Dismiss) => Outcome::Close,
            Some(Action::Accept) => self.chosen(),
            Some(action) => {
                self.list.act(action);
                Outcome::Stay
            }
            None => Outcome::Stay,
        }
    }

    fn scroll(&mut self, rows: i32) {
        self.list.scroll(rows);
    }

    fn click(&mut self, row: u16) -> Outcome {
        let Some(index) = self.list.at(row) else { return Outcome::Stay };
        if index == self.list.selected() {
            return self.chosen();
        }
        self.list.select(index);
        Outcome::Stay
    }
}
