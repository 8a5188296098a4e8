//! The prompts that wait for their turn.

use super::choice_list::{Choice, ChoiceList};
use super::request::Request;
use super::{Facts, Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::theme::Theme;
use attache_client::{Prompt, QueuedPrompt, QueuedPromptId};
use attache_protocol::v1::ContentBlock;
use attache_view::{Role, sanitize};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// The prompts that wait for their turn.
#[derive(Default)]
pub(crate) struct QueuePanel {
    waiting: Vec<QueuedPrompt>,
    held: Option<String>,
    list: ChoiceList,
}

/// Returns the text of a prompt.
fn prompt_text(prompt: &Prompt) -> String {
    let text = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::ResourceLink(link) => format!("@{}", link.name),
        other => format!("[{}]", other.tag()),
    };
    prompt.0.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// Returns the first line of a prompt, for lists.
pub(crate) fn prompt_line(prompt: &Prompt) -> String {
    sanitize::line(&prompt_text(prompt))
}

impl QueuePanel {
    fn chosen(&self) -> Option<QueuedPromptId> {
        self.waiting.get(self.list.selected()).map(|queued| queued.id)
    }

    fn edit(&self) -> Outcome {
        match self.chosen() {
            Some(id) => Outcome::CloseAnd(Request::EditQueued(id)),
            None => Outcome::Close,
        }
    }

    fn on(&self, request: impl FnOnce(QueuedPromptId) -> Request) -> Outcome {
        self.chosen().map_or(Outcome::Stay, |id| Outcome::Do(request(id)))
    }

    /// Takes the prompts that wait now. The selection stays on its prompt.
    fn set_waiting(&mut self, waiting: Vec<QueuedPrompt>) {
        let chosen = self.chosen();
        self.list.follow(waiting.iter().position(|queued| Some(queued.id) == chosen));
        self.waiting = waiting;
    }

    fn shift(&mut self, down: bool) -> Outcome {
        let from = self.list.selected();
        let to = if down { from + 1 } else { from.saturating_sub(1) };
        let Some(id) = self.chosen().filter(|_| to < self.waiting.len() && to != from) else {
            return Outcome::Stay;
        };
        self.waiting.swap(self.list.selected(), to);
        self.list.select(to);
        Outcome::Do(Request::MoveQueued(id, to))
    }
}

impl Panel for QueuePanel {
    fn title(&self) -> String {
        match &self.held {
            Some(why) => format!("Queue, paused: {why}"),
            None => "Queue".to_owned(),
        }
    }

    fn context(&self) -> Context {
        Context::Queue
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        let resume = self.held.as_ref().map(|_| (Action::ResumeQueue, "resume"));
        let hints = [
            (Action::Edit, "edit"),
            (Action::Delete, "remove"),
            (Action::SendNow, "send now"),
            (Action::MoveUp, "up"),
            (Action::MoveDown, "down"),
            (Action::Dismiss, "close"),
        ];
        resume.into_iter().chain(hints).collect()
    }

    fn refresh(&mut self, facts: &Facts<'_>) {
        let waiting = facts.session.map(|session| session.queue()).unwrap_or_default();
        self.set_waiting(waiting);
        let held = facts.session.and_then(|session| session.held());
        self.held = held.map(|why| sanitize::visible_line(&why.to_string()));
    }

    fn height(&self, _width: u16) -> u16 {
        self.waiting.len().clamp(1, 20) as u16
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let row = |(number, queued): (usize, &QueuedPrompt)| Choice {
            mark: (number.to_string(), Role::Muted),
            text: prompt_line(&queued.prompt),
            note: String::new(),
        };
        let mut rows: Vec<Choice> = (1..).zip(&self.waiting).map(row).collect();
        if rows.is_empty() {
            let text = "No prompt waits. A prompt that you send during a turn waits here.";
            rows.push(Choice { text: text.to_owned(), ..Choice::default() });
        }
        self.list.render(&rows, area, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, _key: KeyEvent) -> Outcome {
        match action {
            Some(Action::Dismiss) => Outcome::Close,
            Some(Action::Edit | Action::Accept) => self.edit(),
            Some(Action::Delete) => self.on(Request::RemoveQueued),
            Some(Action::ResumeQueue) => Outcome::Do(Request::ResumeQueue),
            Some(Action::SendNow) => self.on(Request::SendNow),
            Some(Action::MoveDown) => self.shift(true),
            Some(Action::MoveUp) => self.shift(false),
            Some(action) => {
                self.list.act(action);
                Outcome::Stay
            }
            None => Outcome::Stay,
        }
    }

    fn click(&mut self, row: u16) -> Outcome {
        let Some(index) = self.list.at(row) else { return Outcome::Stay };
        if index == self.list.selected() {
            return self.edit();
        }
        self.list.select(index);
        Outcome::Stay
    }

    fn scroll(&mut self, rows: i32) {
        self.list.scroll(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiting(ids: &[u64]) -> Vec<QueuedPrompt> {
        let queued = |id: &u64| QueuedPrompt { id: QueuedPromptId(*id), prompt: "text".into() };
        ids.iter().map(queued).collect()
    }

    #[test]
    fn a_queue_looks_the_same_and_only_a_paused_one_offers_to_resume() {
        use crate::panel::pictures::{check_sizes, picture, press};
        use ratatui::crossterm::event::KeyCode;
        let mut panel = QueuePanel::default();
        panel.set_waiting(waiting(&[1, 2, 3]));
        assert!(!picture(&mut panel, (80, 24)).contains("resume"));
        panel.held = Some("the turn before was cancelled".to_owned());
        check_sizes("queue-paused", &mut panel);
        let resumed = press(&mut panel, KeyCode::Char('r'));
        assert!(matches!(resumed, Outcome::Do(Request::ResumeQueue)));
    }

    #[test]
    fn a_click_selects_a_prompt() {
        let mut panel = QueuePanel::default();
        panel.set_waiting(waiting(&[1, 2, 3]));
        crate::panel::pictures::picture(&mut panel, (80, 24));
        panel.click(2);
        assert_eq!(panel.chosen(), Some(QueuedPromptId(3)));
        panel.click(9);
        assert_eq!(panel.chosen(), Some(QueuedPromptId(3)));
    }

    #[test]
    fn the_selection_stays_on_its_prompt_when_others_go() {
        let mut panel = QueuePanel::default();
        panel.set_waiting(waiting(&[1, 2, 3]));
        panel.list.select(1);
        panel.set_waiting(waiting(&[2, 3]));
        assert_eq!(panel.chosen(), Some(QueuedPromptId(2)));
        assert!(matches!(panel.shift(true), Outcome::Do(Request::MoveQueued(_, 1))));
        assert_eq!(panel.chosen(), Some(QueuedPromptId(2)));
        panel.set_waiting(waiting(&[3, 2]));
        assert_eq!(panel.chosen(), Some(QueuedPromptId(2)));
    }
}
