//! Opening, continuing and closing sessions.

use crate::app::sending::unsent_prompts;
use crate::app::sharing::take_up_unsent;
use crate::app::slot::{Slot, SlotContent, SlotId};
use crate::app::state::{App, Done, Told, now};
use crate::composer::{Piece, from_stored};
use crate::conversation::Conversation;
use crate::keymap::Action;
use attache_client::{HubError, HubSession, ListedSession, SessionState};
use attache_protocol::v1::{ProtocolVersion, SessionId};
use attache_view::NoticeLevel;
use std::future::{Future, IntoFuture as _};
use std::path::{Path, PathBuf};

impl App {
    /// Opens the first session.
    pub(crate) fn open_first(&mut self, prompt: Option<String>) {
        let first = self.first.clone();
        self.open(first.agent, &first.cwd, first.stored, first.mode, first.set);
        if let (Some(prompt), Some(slot)) = (prompt, self.slot_mut()) {
            slot.early.push(vec![Piece::Text(prompt)]);
        }
    }

    /// Opens a new session with this agent, in the folder of the session that is shown.
    pub(crate) fn open_new(&mut self, agent: &str) {
        let cwd = self.slot().map_or_else(|| self.first.cwd.clone(), |slot| slot.cwd.clone());
        match self.services.add_agent(&self.hub, agent) {
            Ok(agent) => self.open(agent, &cwd, None, None, Vec::new()),
            Err(why) => self.notices.error(&why),
        }
        self.is_dirty = true;
    }

    /// Opens a session of the list, or shows it if it is open.
    pub(crate) fn open_listed(&mut self, listed: &ListedSession) {
        if let Some(index) = self.slot_of(&listed.agent, &listed.id) {
            return self.show(index);
        }
        match self.services.add_agent(&self.hub, &listed.agent) {
            Ok(agent) => {
                let cwd = match listed.cwd.is_empty() {
                    true => self.first.cwd.clone(),
                    false => PathBuf::from(&listed.cwd),
                };
                self.open(agent, &cwd, Some(listed.id.clone()), None, Vec::new());
            }
            Err(why) => self.notices.error(&why),
        }
        self.is_dirty = true;
    }

    fn open(
        &mut self,
        agent: String,
        cwd: &Path,
        stored: Option<SessionId>,
        mode: Option<String>,
        set: Vec<(String, String)>,
    ) {
        let opening = match stored {
            Some(id) if mode.is_none() && set.is_empty() => {
                self.hub.switch(&agent, id, Some(cwd)).show_stored_first()
            }
            // The agent sets options only of a session that it has opened.
            Some(id) => self.hub.switch(&agent, id, Some(cwd)),
            None => self.hub.open(&agent, cwd),
        };
        let opening = opening.mcp_servers(self.mcp_servers.iter().cloned()).into_future();
        let id = self.add_slot(agent, cwd);
        let (shared, resume) = (self.shared.clone(), self.key_name(Action::ResumeQueue));
        let task = self.tasks.spawn(async move {
            let mut result = configured(opening, mode, set).await;
            if let (Some(shared), Ok((session, told))) = (&shared, &mut result) {
                take_up_unsent(&**shared, session, &resume, told).await;
            }
            Done::Opened { slot: id, result }
        });
        if let Some(slot) = self.slots.iter_mut().find(|slot| slot.id == id) {
            slot.opening = Some(task);
        }
    }

    /// Opens a session with an agent again after a login, if the one that is shown was not opened.
    pub(crate) fn reopen(&mut self, agent: &str) {
        let is_it = |slot: &Slot| slot.agent == agent && slot.failure().is_some();
        if self.slot().is_some_and(is_it) {
            self.open_new(agent);
        }
    }

    /// Stops waiting for the agent to open the session that is shown. A stored conversation stays
    /// readable. Returns whether a session was opening.
    pub(crate) fn cancel_opening(&mut self) -> bool {
        let Some(slot) = self.slots.get_mut(self.focus) else { return false };
        if let SlotContent::Opening { .. } = slot.content {
            if let Some(task) = slot.opening.take() {
                task.abort();
            }
            slot.content = SlotContent::Failed("You stopped the opening of the session.".into());
            self.restore_early(self.focus);
            return true;
        }
        let Some(session) = slot.session().filter(|_| slot.attaching.is_some()).cloned() else {
            return false;
        };
        slot.attaching = None;
        self.notices.info(
            "stopped the opening: you can read the stored conversation, and /sessions opens it again",
        );
        self.close_session(session);
        true
    }

    /// Says what the person must know about the agents of stored sessions, once they have opened
    /// the sessions or failed.
    pub(crate) fn attached(&mut self) {
        for index in 0..self.slots.len() {
            let Some(slot) = self.slots.get_mut(index).filter(|slot| slot.attaching.is_some())
            else {
                continue;
            };
            let Some(session) = slot.session().cloned() else { continue };
            let state = session.state();
            match &state {
                SessionState::Starting | SessionState::Gone { restarting: true, .. } => continue,
                SessionState::Gone { .. } | SessionState::ReadOnly { .. } => {
                    let advice = "/agents logs in or starts the agent again, /continue goes on in a new session";
                    self.notices.error(&format!("{state}: {advice}"));
                }
                _ => self.warn_of_version_2(&session),
            }
            if let Some(slot) = self.slots.get_mut(index) {
                slot.attaching = None;
            }
            self.is_dirty = true;
        }
    }

    /// Warns of an agent that acts without this program.
    fn warn_of_version_2(&mut self, session: &HubSession) {
        let connection = session.agent().connection();
        // The version of a shared hub says nothing about its agents.
        let connection = connection.filter(|_| self.shared.is_none());
        if connection.is_some_and(|agent| agent.protocol() == ProtocolVersion::V2) {
            self.notices.warning(
                "This agent speaks ACP version 2, a draft: it reads and writes files and runs commands by itself, without this program.",
            );
        }
    }

    /// Turns the prompts of a slot that could not be sent into text again.
    fn restore_early(&mut self, index: usize) {
        let Some(slot) = self.slots.get_mut(index) else { return };
        let early = std::mem::take(&mut slot.early);
        early.into_iter().for_each(|prompt| self.restore(index, prompt));
    }

    /// Adds a slot for a session that opens, and shows it. A slot that nothing was done with gives
    /// way.
    fn add_slot(&mut self, agent: String, cwd: &Path) -> SlotId {
        self.store_draft();
        self.last_slot += 1;
        let id = SlotId(self.last_slot);
        let mut slot = Slot::opening(id, agent, cwd.to_owned(), now());
        slot.branch = crate::app::status_line::branch(cwd);
        self.slots.push(slot);
        let unused = self.focus;
        self.show(self.slots.len() - 1);
        self.close_unused(unused);
        id
    }

    /// Shows a session that was opened, or why it was not.
    pub(crate) fn opened(&mut self, id: SlotId, result: Result<(HubSession, Told), HubError>) {
        self.is_dirty = true;
        self.is_question_stale = true;
        let services = self.services.clone();
        let budget = self.budget.clone();
        let Some(slot) = self.slots.iter_mut().find(|slot| slot.id == id) else {
            // The person closed the slot before the session was open. Another slot may have the
            // session, or wait for it.
            if let Ok((session, _)) = result {
                let agent = session.agent().name().to_owned();
                let is_opening = |slot: &Slot| {
                    slot.agent == agent && matches!(slot.content, SlotContent::Opening { .. })
                };
                let is_wanted = self.slot_of(&agent, session.id()).is_some();
                if !is_wanted && !self.slots.iter().any(is_opening) {
                    self.close_session(session);
                }
            }
            return;
        };
        let (session, told) = match result {
            Ok(opened) => opened,
            Err(error) => {
                let why = services.not_opened(&slot.agent, &error);
                slot.content = SlotContent::Failed(attache_view::sanitize::visible(&why).into());
                if let Some(index) = self.slots.iter().position(|slot| slot.id == id) {
                    self.restore_early(index);
                }
                return;
            }
        };
        session.set_budget(budget);
        slot.opening = None;
        slot.attaching = (session.state() == SessionState::Starting).then(now);
        if slot.attaching.is_none() {
            self.warn_of_version_2(&session);
        }
        told.iter().for_each(|(level, text)| self.notices.add(*level, text));
        let Some(index) = self.slots.iter().position(|slot| slot.id == id) else { return };
        let draft = session.draft();
        let Some(slot) = self.slots.get_mut(index) else { return };
        slot.cwd = session.cwd().to_owned();
        slot.kept_draft.clone_from(&draft);
        let mut conversation = Conversation::new(session);
        conversation.transcript.set_folds_thoughts(self.settings.folds_thoughts);
        slot.content = SlotContent::Open(Box::new(conversation));
        let early = std::mem::take(&mut slot.early);
        if !draft.is_empty() {
            self.restore(index, from_stored(&draft));
        }
        if index == self.focus {
            self.refresh_commands();
        }
        for prompt in early {
            self.send_in(index, prompt);
        }
    }

    /// Closes a slot with which nothing was done.
    fn close_unused(&mut self, index: usize) {
        let Some(slot) = self.slots.get(index).filter(|_| index != self.focus) else { return };
        let unused = match &slot.content {
            SlotContent::Failed(_) => true,
            SlotContent::Opening { .. } => false,
            SlotContent::Open(conversation) => {
                let session = &conversation.session;
                let is_silent = session.snapshot().entries().is_empty() && conversation.is_empty();
                is_silent && session.queue().is_empty()
            }
        };
        if !unused || !slot.early.is_empty() || slot.has_draft {
            return;
        }
        let slot = self.slots.remove(index);
        self.focus -= usize::from(self.focus > index);
        if let Some(session) = slot.session().cloned() {
            self.tasks.spawn(async move {
                let _ = session.close().await;
                Done::Nothing
            });
        }
    }

    /// Closes the session that is shown. The last one leaves an empty new one.
    pub(crate) fn close_shown(&mut self) {
        if self.focus >= self.slots.len() {
            return;
        }
        self.drop_question();
        self.store_draft();
        let had_text = self.clear_text();
        self.composer.swap(crate::composer::Draft::default());
        let slot = self.slots.remove(self.focus);
        let unsent = unsent_prompts(&slot);
        let has_unsent = !unsent.is_empty();
        for prompt in unsent {
            self.remember(&prompt);
            self.composer.add_history(prompt);
        }
        if had_text || has_unsent {
            self.notices
                .info("the text that was not sent is in the history: the Up key brings it back");
        }
        if let Some(session) = slot.session().cloned() {
            self.close_session(session);
        }
        self.is_dirty = true;
        if self.slots.is_empty() {
            let agent = slot.agent;
            self.open(agent, &slot.cwd, None, None, Vec::new());
        } else {
            self.focus = self.focus.min(self.slots.len() - 1);
            self.take_up_draft();
        }
    }

    fn close_session(&mut self, session: HubSession) {
        self.tasks.spawn(async move {
            let closed = session.close().await;
            Done::Listed(closed.map_err(|error| error.to_string()))
        });
    }

    /// Continues the session that is shown in a new one.
    pub(crate) fn continue_in_new_session(&mut self) {
        if let Some(session) = self.session().cloned() {
            self.tasks.spawn(async move {
                let result = session.continue_in_new_session().await;
                Done::Continued { of: session, result }
            });
        }
    }

    /// Opens the session in which another one continues. Shows it, unless the person does something
    /// else meanwhile.
    pub(crate) fn continued(&mut self, of: &HubSession, result: Result<HubSession, HubError>) {
        match result {
            Ok(session) => {
                let is_idle = self.panel.is_none() && self.composer.is_empty();
                let is_shown = is_idle && self.session() == Some(of);
                let before = self.slot().map(|slot| slot.id);
                let agent = session.agent().name().to_owned();
                let cwd = session.cwd().to_owned();
                let id = self.add_slot(agent, &cwd);
                self.opened(id, Ok((session, Vec::new())));
                let before = self.slots.iter().position(|slot| Some(slot.id) == before);
                if let Some(before) = before.filter(|_| !is_shown) {
                    self.show(before);
                    self.notices.info("the session continues in another one, beside this one");
                }
            }
            Err(error) => self.notices.error(&error.to_string()),
        }
    }
}

/// Waits for a session and sets its mode and options. Returns what could not be set.
async fn configured(
    opening: impl Future<Output = Result<HubSession, HubError>>,
    mode: Option<String>,
    set: Vec<(String, String)>,
) -> Result<(HubSession, Told), HubError> {
    let session = opening.await?;
    let mut troubles = Vec::new();
    if let Some(mode) = mode
        && let Err(error) = session.set_mode(&mode).await
    {
        troubles.push(format!("--mode: {error}"));
    }
    for (id, value) in set {
        if let Err(error) = session.set(&id, value.as_str()).await {
            troubles.push(match id.as_str() {
                "model" => format!(
                    "--model: {error}; the models of a provider are offered once it has a key"
                ),
                _ => format!("--set {id}: {error}"),
            });
        }
    }
    let told = troubles.into_iter().map(|trouble| (NoticeLevel::Error, trouble));
    Ok((session, told.collect()))
}
