//! The session picker: all sessions of all agents.

mod listed_for;
#[cfg(test)]
mod tests;

use super::attention::since;
use super::choice_list::{Choice, ChoiceList};
use super::drawing::put;
use super::line_input::LineInput;
use super::open_sessions::open_sessions;
use super::request::Request;
use super::{Facts, Outcome, Panel};
use crate::keymap::{Action, Context};
use crate::services::{FoundText, SessionChange};
use crate::theme::Theme;
use attache_client::{Change, ListedSession, SessionFilter, WatchPosition};
use attache_protocol::v1::SessionId;
use attache_session::ArchivedFilter;
use attache_view::{Role, sanitize, shown_tags};
use listed_for::ListedFor;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyEvent;
use ratatui::layout::Rect;
use std::collections::HashMap;

/// The texts around matches, by agent and session.
type Found = HashMap<(String, SessionId), String>;

/// What the person edits.
enum Editing {
    Filter,
    Title(LineInput),
    Tags(LineInput),
    /// Deletion waits for `y`.
    Deletion,
}

/// The session picker.
pub(crate) struct SessionsPanel {
    sessions: Vec<ListedSession>,
    /// What `sessions` was listed for, and how far the hub was then; `None` before the first time,
    /// or if a search changed the list.
    listed: Option<(ListedFor, WatchPosition)>,
    /// What happens in the open sessions, by agent and session.
    open: HashMap<(String, SessionId), String>,
    list: ChoiceList,
    editing: Editing,
    /// The folder of the current session, and whether only its sessions are listed.
    folder: String,
    only_folder: bool,
    archived: bool,
    /// Whether texts are searched too, and what the last search found.
    in_texts: bool,
    found: Option<(String, Found)>,
    asking: bool,
    now: i64,
    /// Whether the selection follows its session when the rows change.
    follows: bool,
}

impl SessionsPanel {
    /// Makes a picker. `folder` is the folder to which the list can be restricted. A filter is
    /// searched in texts too; the caller starts that search.
    pub(crate) fn new(folder: String, filter: &str) -> Self {
        let mut list = ChoiceList::default();
        list.filter.insert(filter);
        Self {
            sessions: Vec::new(),
            listed: None,
            open: HashMap::new(),
            list,
            editing: Editing::Filter,
            folder,
            only_folder: false,
            archived: false,
            in_texts: !filter.trim().is_empty(),
            found: None,
            asking: false,
            now: 0,
            follows: true,
        }
    }

    fn filter(&self) -> SessionFilter {
        let text = self.list.filter.text().trim();
        let archived =
            if self.archived { ArchivedFilter::Include } else { ArchivedFilter::Exclude };
        SessionFilter {
            text: (!text.is_empty() && !self.in_texts).then(|| text.to_owned()),
            cwd: self.only_folder.then(|| self.folder.clone()),
            archived,
            ..SessionFilter::default()
        }
    }

    /// Returns whether the sessions must be listed again, and notes what for.
    fn is_outdated(&mut self, facts: &Facts<'_>) -> bool {
        let wanted = ListedFor::of(facts.hub, self.filter());
        let since = self.listed.as_ref().map(|(_, since)| since.clone()).unwrap_or_default();
        let update = facts.hub.changes_since(&since);
        let is_same = self.listed.as_ref().is_some_and(|(known, _)| *known == wanted);
        let has_changed = update.changes.iter().any(|it| matches!(it, Change::SessionList));
        self.listed = Some((wanted, update.position));
        !is_same || has_changed
    }

    /// Sets what a search found, which selects the sessions.
    fn set_found(&mut self, found: Option<(String, Found)>) {
        self.found = found;
        self.listed = None;
    }

    fn row(&self, session: &ListedSession) -> Choice {
        let title = session.title.as_deref().map(sanitize::line).filter(|title| !title.is_empty());
        let mut text = title.unwrap_or_else(|| "(no title)".to_owned());
        for tag in shown_tags(session) {
            text.push_str(&format!(" #{tag}"));
        }
        if session.archived {
            text.push_str(" (archived)");
        }
        let key = (session.agent.clone(), session.id.clone());
        if let Some(around) = self.found.as_ref().and_then(|(_, found)| found.get(&key)) {
            text.push_str(&format!(": {}", sanitize::line(around)));
        }
        let when = session.updated_at.map(|at| since(at.0, self.now)).unwrap_or_default();
        let folder = std::path::Path::new(&session.cwd).file_name();
        let folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let open = self.open.get(&key).cloned().unwrap_or_default();
        let note = [open, sanitize::line(&session.agent), sanitize::line(&folder), when];
        let note: Vec<String> = note.into_iter().filter(|part| !part.is_empty()).collect();
        let mark = if session.open {
            ("*".to_owned(), Role::Success)
        } else {
            (" ".to_owned(), Role::Muted)
        };
        Choice { mark, text, note: note.join("  ") }
    }

    /// Lists the sessions again. The selection follows its session.
    fn read_list(&mut self, facts: &Facts<'_>) {
        let chosen = self.chosen().map(|session| (session.agent, session.id));
        self.sessions = facts.hub.list(&self.filter());
        // An open session in which nothing was said is no choice.
        self.sessions.retain(|it| {
            let open = it.open.then(|| facts.hub.session(&it.agent, &it.id)).flatten();
            open.is_none_or(|session| !session.snapshot().entries().is_empty())
        });
        if let (true, Some((_, found))) = (self.in_texts, &self.found) {
            self.sessions.retain(|it| found.contains_key(&(it.agent.clone(), it.id.clone())));
        }
        if std::mem::replace(&mut self.follows, true) {
            let is_chosen = |it: &ListedSession| {
                chosen.as_ref().is_some_and(|(agent, id)| it.agent == *agent && it.id == *id)
            };
            self.list.follow(self.sessions.iter().position(is_chosen));
        }
        self.list.set_count(self.sessions.len());
    }

    fn chosen(&self) -> Option<Box<ListedSession>> {
        self.sessions.get(self.list.selected()).cloned().map(Box::new)
    }

    fn change(&self, change: SessionChange) -> Outcome {
        self.chosen().map_or(Outcome::Stay, |session| Outcome::Do(Request::Change(session, change)))
    }

    /// Handles a key while the person edits a title or tags.
    fn edit(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        match action {
            Some(Action::Dismiss) => self.editing = Editing::Filter,
            Some(Action::Accept) => {
                let change = match &self.editing {
                    Editing::Title(input) if !input.text().trim().is_empty() => {
                        SessionChange::Rename(input.text().trim().to_owned())
                    }
                    Editing::Tags(input) => {
                        let words = input.text().split([' ', ',']);
                        let tags = words.map(|word| word.trim_start_matches('#').to_owned());
                        SessionChange::Tags(tags.filter(|tag| !tag.is_empty()).collect())
                    }
                    _ => return Outcome::Stay,
                };
                self.editing = Editing::Filter;
                return self.change(change);
            }
            _ => {
                if let Editing::Title(input) | Editing::Tags(input) = &mut self.editing {
                    input.key(key);
                }
            }
        }
        Outcome::Stay
    }

    fn search(&mut self) -> Outcome {
        let text = self.list.filter.text().trim().to_owned();
        self.set_found(None);
        if text.is_empty() { Outcome::Stay } else { Outcome::Do(Request::Search(text)) }
    }

    fn input_line(&self) -> (&'static str, &LineInput) {
        match &self.editing {
            Editing::Title(input) => ("New title: ", input),
            Editing::Tags(input) => ("Tags: ", input),
            _ if self.in_texts => ("Search in texts (Enter): ", &self.list.filter),
            _ => ("Filter: ", &self.list.filter),
        }
    }

    fn summary(&self) -> String {
        let mut parts = vec![match self.sessions.len() {
            1 => "1 session".to_owned(),
            count => format!("{count} sessions"),
        }];
        if self.asking {
            parts.push("asking the agents …".to_owned());
        }
        if self.only_folder {
            parts.push(format!("only {}", sanitize::line(&self.folder)));
        }
        if self.archived {
            parts.push("with archived".to_owned());
        }
        parts.join(", ")
    }
}

impl Panel for SessionsPanel {
    fn title(&self) -> String {
        "Sessions".to_owned()
    }

    fn context(&self) -> Context {
        match self.editing {
            Editing::Deletion => Context::Question,
            _ => Context::Picker,
        }
    }

    fn hints(&self) -> Vec<(Action, &'static str)> {
        match self.editing {
            Editing::Filter => vec![
                (Action::Accept, "open"),
                (Action::Rename, "rename"),
                (Action::Tag, "tags"),
                (Action::Archive, "archive"),
                (Action::Delete, "delete"),
                (Action::SearchText, "in texts"),
                (Action::FilterFolder, "folder"),
                (Action::ShowArchived, "archived"),
                (Action::Dismiss, "close"),
            ],
            Editing::Deletion => vec![(Action::Allow, "delete"), (Action::Deny, "keep")],
            _ => vec![(Action::Accept, "save"), (Action::Dismiss, "back")],
        }
    }

    fn refresh(&mut self, facts: &Facts<'_>) {
        self.now = facts.now;
        self.asking = facts.hub.listings().iter().any(|(_, state)| state.is_asking());
        // The rows stay where they are while the person decides about one of them.
        if matches!(self.editing, Editing::Filter) {
            if self.is_outdated(facts) {
                self.read_list(facts);
            }
            self.open = open_sessions(facts, &self.sessions);
        }
    }

    fn height(&self, _width: u16) -> u16 {
        u16::MAX
    }

    fn render(&mut self, area: Rect, buffer: &mut Buffer, theme: &Theme) {
        let (label, input) = self.input_line();
        let x = put(buffer, area.x, area.y, area.right(), label, theme.role(Role::Muted));
        let x = put(buffer, x, area.y, area.right(), input.text(), theme.role(Role::Text));
        put(buffer, x, area.y, area.right(), "_", theme.role(Role::Name));
        let mut rest = Rect { y: area.y + 1, height: area.height.saturating_sub(2), ..area };
        let summary = match (&self.editing, self.sessions.get(self.list.selected())) {
            (Editing::Deletion, Some(session)) => {
                let title = session.title.as_deref().map(sanitize::line).unwrap_or_default();
                format!("Delete \"{title}\" for good? y deletes it, n keeps it")
            }
            _ => self.summary(),
        };
        let role =
            if matches!(self.editing, Editing::Deletion) { Role::Warning } else { Role::Muted };
        put(
            buffer,
            area.x,
            area.bottom().saturating_sub(1),
            area.right(),
            &summary,
            theme.role(role),
        );
        if self.sessions.is_empty() {
            let text = match (self.asking, self.list.filter.is_empty()) {
                (true, _) => "Asking the agents …",
                (false, true) => "There are no sessions yet.",
                (false, false) => "No session matches.",
            };
            put(buffer, rest.x, rest.y, rest.right(), text, theme.role(Role::Muted));
            rest.height = 0;
        }
        let mut list = std::mem::take(&mut self.list);
        let row = |index| self.sessions.get(index).map(|it| self.row(it)).unwrap_or_default();
        list.render_visible(self.sessions.len(), row, rest, buffer, theme);
        self.list = list;
    }

    fn key(&mut self, action: Option<Action>, key: KeyEvent) -> Outcome {
        match self.editing {
            Editing::Filter => {}
            Editing::Deletion => {
                self.editing = Editing::Filter;
                return match action {
                    Some(Action::Allow) => self.change(SessionChange::Delete),
                    _ => Outcome::Stay,
                };
            }
            _ => return self.edit(action, key),
        }
        let chosen = self.chosen();
        match (action, chosen) {
            (Some(Action::Dismiss), _) => return Outcome::Close,
            (Some(Action::Accept), _) if self.in_texts && self.found.is_none() => {
                return self.search();
            }
            (Some(Action::Accept), Some(session)) => {
                return Outcome::CloseAnd(Request::Open(session));
            }
            (Some(Action::Rename), Some(session)) => {
                let title = session.title.as_deref().map(sanitize::line).unwrap_or_default();
                self.editing = Editing::Title(LineInput::with(title));
            }
            (Some(Action::Tag), Some(session)) => {
                self.editing = Editing::Tags(LineInput::with(session.labels.tags.join(" ")));
            }
            (Some(Action::Archive), Some(session)) => {
                return self.change(SessionChange::Archive(!session.archived));
            }
            (Some(Action::Delete), Some(_)) => self.editing = Editing::Deletion,
            (Some(Action::SearchText), _) => {
                self.in_texts = !self.in_texts;
                return if self.in_texts { self.search() } else { Outcome::Stay };
            }
            (Some(Action::FilterFolder), _) => self.only_folder = !self.only_folder,
            (Some(Action::ShowArchived), _) => self.archived = !self.archived,
            (Some(action), _) if self.list.act(action) => {}
            _ => {
                if self.list.edit_filter(key) {
                    self.follows = false;
                    self.set_found(None);
                }
            }
        }
        Outcome::Stay
    }

    fn found(&mut self, text: String, found: Vec<FoundText>) {
        // The person went on typing meanwhile.
        if text != self.list.filter.text().trim() {
            return;
        }
        let found = found.into_iter().map(|it| ((it.agent, it.id), it.around));
        self.set_found(Some((text, found.collect())));
    }

    fn paste(&mut self, text: &str) -> bool {
        match &mut self.editing {
            Editing::Filter => {
                self.list.filter.insert(text);
                self.set_found(None);
            }
            Editing::Title(input) | Editing::Tags(input) => input.insert(text),
            Editing::Deletion => return false,
        }
        true
    }

    fn scroll(&mut self, rows: i32) {
        self.list.scroll(rows);
    }

    fn click(&mut self, row: u16) -> Outcome {
        let index = row.checked_sub(1).and_then(|row| self.list.at(row));
        let Some(index) = index.filter(|_| matches!(self.editing, Editing::Filter)) else {
            return Outcome::Stay;
        };
        if index == self.list.selected() {
            return self.chosen().map_or(Outcome::Stay, |it| Outcome::CloseAnd(Request::Open(it)));
        }
        self.list.select(index);
        Outcome::Stay
    }
}
