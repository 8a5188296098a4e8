//! The agents: those that run, and those that can be started.

use super::choice_list::{Choice, ChoiceList};
use super::request::Request;
use super::{Facts, Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::services::AgentChoice;
use crate::theme::Theme;
use attache_client::AgentState;
use attache_view::{Role, sanitize};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;

/// The agents.
pub(crate) struct AgentsPanel {
    agents: Vec<AgentChoice>,
    /// The agents that the filter leaves, with their states in the hub.
    shown: Vec<(AgentChoice, Option<AgentState>)>,
    list: ChoiceList,
}

impl AgentsPanel {
    /// Makes a list of these agents.
    pub(crate) fn new(agents: Vec<AgentChoice>) -> Self {
        Self { agents, shown: Vec::new(), list: ChoiceList::default() }
    }

    fn row((agent, state): &(AgentChoice, Option<AgentState>)) -> Choice {
        let (mark, role) = match (agent.installed, state) {
            (_, Some(AgentState::Up { .. })) => ("*", Role::Running),
            (_, Some(AgentState::Gone { .. })) => ("!", Role::Error),
            (true, _) => ("+", Role::Success),
            (false, _) => ("-", Role::Muted),
        };
        let note = match (agent.installed, state) {
            (false, _) => format!("install: {}", agent.install),
            (true, Some(state)) => state.to_string(),
            (true, None) => agent.needs.clone(),
        };
        let text = match agent.title.is_empty() {
            true => agent.name.clone(),
            false => format!("{} ({})", agent.name, agent.title),
        };
        Choice {
            mark: (mark.to_owned(), role),
            text: sanitize::line(&text),
            note: sanitize::visible_line(&note),
        }
    }

    fn chosen(&self) -> Option<&AgentChoice> {
        self.shown.get(self.list.selected()).map(|(agent, _)| agent)
    }

    fn start(&self) -> Outcome {
        match self.chosen() {
            Some(agent) if agent.installed => {
                Outcome::CloseAnd(Request::NewSession { agent: agent.name.clone() })
            }
            Some(agent) => Outcome::Do(Request::Copy(agent.install.clone())),
            None => Outcome::Stay,
        }
    }
}

impl Panel for AgentsPanel {
    fn title(&self) -> String {
        "Agents".to_owned()
    }

    fn context(&self) -> Context {
        Context::Picker
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        let accept = match self.chosen() {
            Some(agent) if !agent.installed => "copy install command",
            _ => "new session",
        };
        vec![
            (Action::Accept, accept),
            (Action::Tag, "log in"),
            (Action::Rename, "restart"),
            (Action::Dismiss, "close"),
        ]
    }

    fn refresh(&mut self, facts: &Facts<'_>) {
        let filter = self.list.filter.text().trim().to_lowercase();
        let matches = |agent: &&AgentChoice| {
            agent.name.to_lowercase().contains(&filter)
                || agent.title.to_lowercase().contains(&filter)
        };
        let state = |agent: &AgentChoice| {
            (agent.clone(), facts.hub.agent(&agent.name).map(|agent| agent.state()))
        };
        self.shown = self.agents.iter().filter(matches).map(state).collect();
    }

    fn height(&self, _width: u16) -> u16 {
        (self.agents.len() as u16).saturating_add(1)
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let muted = theme.role(Role::Muted);
        let x = super::drawing::put(buffer, area.x, area.y, area.right(), "Filter: ", muted);
        let text = format!("{}_", self.list.filter.text());
        super::drawing::put(buffer, x, area.y, area.right(), &text, theme.role(Role::Text));
        let rest = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let rows: Vec<Choice> = self.shown.iter().map(Self::row).collect();
        self.list.render(&rows, rest, buffer, theme);
    }

    fn key(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        let chosen = self.chosen().map(|agent| agent.name.clone());
        match (action, chosen) {
            (Some(Action::Dismiss), _) => return Outcome::Close,
            (Some(Action::Accept), _) => return self.start(),
            (Some(Action::Tag), Some(agent)) => return Outcome::CloseAnd(Request::LogIn { agent }),
            (Some(Action::Rename), Some(agent)) => return Outcome::Do(Request::Restart { agent }),
            (Some(action), _) if self.list.act(action) => {}
            _ => {
                self.list.edit_filter(key);
            }
        }
        Outcome::Stay
    }

    fn paste(&mut self, text: &str) -> bool {
        self.list.filter.insert(text);
        true
    }

    fn scroll(&mut self, rows: i32) {
        self.list.scroll(rows);
    }

    fn click(&mut self, row: u16) -> Outcome {
        let Some(index) = row.checked_sub(1).and_then(|row| self.list.at(row)) else {
            return Outcome::Stay;
        };
        if index == self.list.selected() {
            return self.start();
        }
        self.list.select(index);
        Outcome::Stay
    }
}
