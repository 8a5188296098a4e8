//! Panels: how they open, and what they ask for.

use crate::app::command_list::COMMANDS;
use crate::app::sending::pieces_of;
use crate::app::sought::Sought;
use crate::app::state::{App, Done};
use crate::app::terminal_job::TerminalJob;
use crate::keymap::Context;
use crate::panel::agents::AgentsPanel;
use crate::panel::attention::AttentionPanel;
use crate::panel::pager::PagerPanel;
use crate::panel::queue::QueuePanel;
use crate::panel::request::Request;
use crate::panel::sessions::SessionsPanel;
use crate::panel::settings::SettingsPanel;
use crate::panel::{Outcome, Panel};
use crate::services::SessionChange;
use crate::terminal::clipboard;
use attache_client::ListedSession;
use attache_protocol::v1::{SessionConfigOptionCategory, SessionConfigOptionValue};
use attache_view::{Line, NoticeLevel, Role, Span, sanitize};

impl App {
    pub(crate) fn open_panel(&mut self, panel: impl Panel + 'static) {
        self.panel = Some(Box::new(panel));
        self.is_dirty = true;
    }

    pub(crate) fn show_sessions(&mut self, filter: &str) {
        self.hub.refresh_list();
        let folder = self.slot().map_or(&self.first.cwd, |slot| &slot.cwd);
        let folder = folder.to_string_lossy().into_owned();
        self.open_panel(SessionsPanel::new(folder, filter));
        let words = filter.trim();
        if !words.is_empty() {
            self.request(Request::Search(words.to_owned()));
        }
    }

    pub(crate) fn show_attention(&mut self) {
        self.open_panel(AttentionPanel::default());
    }

    pub(crate) fn show_agents(&mut self) {
        let mut agents = self.services.agents();
        for agent in self.hub.agents() {
            if !agents.iter().any(|known| known.name == agent.name()) {
                let name = agent.name().to_owned();
                agents.push(crate::services::AgentChoice {
                    name,
                    installed: true,
                    ..Default::default()
                });
            }
        }
        self.open_panel(AgentsPanel::new(agents));
    }

    /// Shows the options, or the values of the option of this category.
    pub(crate) fn show_settings(&mut self, category: Option<&str>) {
        let category = category.map(|name| match name {
            "model" => SessionConfigOptionCategory::Model,
            _ => SessionConfigOptionCategory::ThoughtLevel,
        });
        self.open_panel(SettingsPanel::new(category));
    }

    pub(crate) fn show_queue(&mut self) {
        self.open_panel(QueuePanel::default());
    }

    pub(crate) fn show_notices(&mut self) {
        let mut lines = Vec::new();
        for notice in self.notices.all() {
            let role = match notice.level {
                NoticeLevel::Info => Role::Text,
                NoticeLevel::Warning => Role::Warning,
                NoticeLevel::Error => Role::Error,
            };
            lines.extend(notice.text.lines().map(|line| Line::of(line, role)));
        }
        if lines.is_empty() {
            lines.push(Line::of("There are no messages.", Role::Muted));
        }
        self.open_panel(PagerPanel::of_lines("Messages", lines));
    }

    /// Shows the keys that work now, and the commands.
    pub(crate) fn show_help(&mut self) {
        let context = self.context();
        let mut lines = Vec::new();
        let row = |key: &str, does: &str| Line {
            spans: vec![
                Span::new(format!("  {key:<24} "), Role::Name),
                Span::new(does.to_owned(), Role::Text),
            ],
        };
        let heading = |text: &str| Line::of(text.to_owned(), Role::Heading);
        let keys = |context: Context, lines: &mut Vec<Line>| {
            lines.push(heading(context.description()));
            let rows = self.keymap.help(context);
            lines.extend(rows.iter().map(|(keys, does)| row(keys, does)));
            lines.push(Line::default());
        };
        keys(context, &mut lines);
        if context != Context::Conversation {
            keys(Context::Conversation, &mut lines);
        }
        lines.push(heading("Commands"));
        for (name, rest, does) in COMMANDS {
            lines.push(row(&format!("/{name} {rest}"), does));
        }
        if let Some(session) = self.session() {
            let snapshot = session.snapshot();
            for command in snapshot.commands() {
                let name = format!("/{}", sanitize::line(&command.name));
                lines.push(row(&name, &sanitize::line(&command.description)));
            }
        }
        lines.push(Line::default());
        lines.push(heading("In a prompt"));
        lines.push(row("@PATH", "attaches a file"));
        lines.push(row("!COMMAND", "runs a shell command and shows its output"));
        self.open_panel(PagerPanel::of_lines("Keys and commands", lines));
    }

    /// Does what a panel asks for after a key.
    pub(crate) fn outcome(&mut self, outcome: Outcome) {
        self.is_dirty = true;
        match outcome {
            Outcome::Stay => {}
            Outcome::Close => self.panel = None,
            Outcome::Do(request) => self.request(request),
            Outcome::CloseAnd(request) => {
                self.panel = None;
                self.request(request);
            }
        }
    }

    /// Does what a panel asks for.
    pub(crate) fn request(&mut self, request: Request) {
        self.is_dirty = true;
        match request {
            Request::Open(listed) => self.open_listed(&listed),
            Request::NewSession { agent } => self.open_new(&agent),
            Request::Show { agent, id } => {
                if let Some(index) = self.slot_of(&agent, &id) {
                    self.show(index);
                }
            }
            Request::AnswerHere { agent, id } => {
                self.answering = Some((agent, id));
                self.drop_question();
            }
            Request::Change(listed, change) => self.change_listed(*listed, change),
            Request::Search(text) => {
                let found = self.services.search(text.clone());
                self.tasks.spawn(async move {
                    match found.await {
                        Ok(found) => Done::Found { text, found },
                        Err(why) => Done::Say(NoticeLevel::Error, why),
                    }
                });
            }
            Request::SetOption { id, value } => self.set_option(id, value),
            Request::SetScreen { key, value } => self.set_screen(key, &value),
            Request::EditQueued(_)
            | Request::RemoveQueued(_)
            | Request::MoveQueued(..)
            | Request::SendNow(_) => self.change_queue(request),
            Request::ResumeQueue => self.resume_queue(),
            Request::LogIn { agent } => {
                let command = self.services.login(&agent);
                self.job = Some(TerminalJob::Run { command, agent: Some(agent) });
            }
            Request::Restart { agent } => match self.hub.agent(&agent) {
                Some(known) => {
                    self.restart_agent(known);
                    self.notices.info(&format!("restarting {}", sanitize::line(&agent)));
                }
                None => self.notices.warning("this agent does not run"),
            },
            Request::OpenPage(page) => self.open_page(page),
            Request::Answer(answer) => self.answer(answer),
            Request::SearchHere(text) => self.search_here(&text),
            Request::Read(row) => self.open_panel(PagerPanel::new(&row)),
            Request::StopCall(id) => self.stop_tool_call(id),
            Request::PlanRestore { session, goal, choices } => {
                self.plan_restore(session, goal, *choices);
            }
            Request::GoBack { session, plan, position } => self.go_back(session, plan, position),
            Request::PlanRejection(request) => self.plan_rejection(*request),
            Request::DecideHunks(review, change) => self.decide_hunks(review, change),
            Request::TellDecisions(owner) => self.tell_decisions(&owner),
            Request::Inform(text) => self.notices.info(text),
            Request::Copy(text) => self.copy(&text),
            Request::Quit => self.is_ended = true,
        }
    }

    fn search_here(&mut self, text: &str) {
        let slot = self.slots.get_mut(self.focus);
        let Some(conversation) = slot.and_then(|slot| slot.conversation_mut()) else { return };
        let status = conversation.transcript.search(text);
        self.is_reading = !text.is_empty();
        if !text.is_empty() && self.seek(Sought::Matches { from: usize::MAX }) {
            return;
        }
        let said = match (text.is_empty(), status.total) {
            (true, _) => return,
            (false, 0) => "no match".to_owned(),
            (false, total) => format!("match {} of {total}: n and N go on", status.current),
        };
        self.notices.info(&said);
    }

    fn stop_tool_call(&mut self, id: String) {
        let Some(session) = self.session().cloned() else { return };
        self.tasks.spawn(async move {
            match session.cancel_tool_call(&id.into()).await {
                Ok(()) => Done::Nothing,
                Err(error) => Done::Say(NoticeLevel::Error, error.to_string()),
            }
        });
    }

    /// Copies a text and says so.
    pub(crate) fn copy(&mut self, text: &str) {
        match clipboard::copy(text) {
            Ok(()) => {
                let lines = text.lines().count();
                let what = match lines {
                    0 | 1 => "copied".to_owned(),
                    lines => format!("copied {lines} lines"),
                };
                self.notices.info(&what);
            }
            Err(why) => self.notices.warning(&why),
        }
    }

    fn set_option(&mut self, id: String, value: SessionConfigOptionValue) {
        let Some(session) = self.session().cloned() else { return };
        self.tasks.spawn(async move {
            match session.set(&id, value).await {
                Ok(()) => Done::Listed(Ok(())),
                Err(error) => Done::Say(NoticeLevel::Error, error.to_string()),
            }
        });
    }

    /// Resumes the queue of the session that is shown.
    pub(crate) fn resume_queue(&mut self) {
        let Some(session) = self.session() else { return };
        if let Some(shared) = self.shared.clone() {
            // Prompts of other front ends, and of earlier screens, wait there.
            let releasing = shared.release(session.clone());
            self.tasks.spawn(async move {
                match releasing.await {
                    Ok(()) => Done::Nothing,
                    Err(why) => Done::Say(NoticeLevel::Error, why),
                }
            });
        } else if session.held().is_none() {
            return self.notices.info("the queue is not paused");
        }
        let Some(session) = self.session() else { return };
        session.release();
        self.notices.info("the queue goes on");
    }

    fn change_queue(&mut self, request: Request) {
        let Some(session) = self.session().cloned() else { return };
        match request {
            Request::EditQueued(id) => {
                let Some(prompt) = session.remove(id) else { return };
                let written = self.slot_mut().and_then(|slot| {
                    let at = slot.written.iter().position(|(written, _)| *written == id)?;
                    Some(slot.written.remove(at).1)
                });
                let pieces = written.unwrap_or_else(|| pieces_of(&prompt));
                self.restore(self.focus, pieces);
            }
            Request::RemoveQueued(id) => {
                session.remove(id);
            }
            Request::MoveQueued(id, place) => {
                session.reorder(id, place);
            }
            Request::SendNow(id) => {
                session.send_now(id);
            }
            _ => {}
        }
    }

    fn change_listed(&mut self, listed: ListedSession, change: SessionChange) {
        let open = self.hub.session(&listed.agent, &listed.id);
        if let (Some(session), SessionChange::Rename(title)) = (&open, &change) {
            let (session, title) = (session.clone(), title.clone());
            self.tasks.spawn(async move {
                let renamed = session.set_title(title).await.map(drop);
                Done::Listed(renamed.map_err(|error| error.to_string()))
            });
            return;
        }
        if open.is_some() && change == SessionChange::Delete {
            return self.notices.warning("the session is open: close it with /close first");
        }
        let changed = self.services.change(listed, change);
        self.tasks.spawn(async move { Done::Listed(changed.await) });
    }
}
