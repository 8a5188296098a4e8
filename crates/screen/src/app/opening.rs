//! Opening, continuing and closing sessions.

use crate::app::slot::{Slot, SlotContent, SlotId};
use crate::app::state::{App, Done, now};
use crate::composer::Piece;
use crate::conversation::Conversation;
use crate::panel::queue::prompt_text;
use attache_client::{HubError, HubSession, ListedSession};
use attache_protocol::v1::{ProtocolVersion, SessionId};
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
            Some(id) => self.hub.switch(&agent, id, Some(cwd)),
            None => self.hub.open(&agent, cwd),
        };
        let opening = opening.mcp_servers(self.mcp_servers.iter().cloned()).into_future();
        let slot = self.add_slot(agent, cwd);
        self.tasks.spawn(async move {
            Done::Opened { slot, result: configured(opening, mode, set).await }
        });
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
    pub(crate) fn opened(
        &mut self,
        id: SlotId,
        result: Result<(HubSession, Vec<String>), HubError>,
    ) {
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
        let (session, troubles) = match result {
            Ok(opened) => opened,
            Err(error) => {
                let why = services.not_opened(&slot.agent, &error);
                slot.content = SlotContent::Failed(attache_view::sanitize::visible(&why).into());
                // Prompts that could not be sent become text again.
                let early = std::mem::take(&mut slot.early);
                if let Some(index) = self.slots.iter().position(|slot| slot.id == id) {
                    early.into_iter().for_each(|prompt| self.restore(index, prompt));
                }
                return;
            }
        };
        session.set_budget(budget);
        let by_itself = session
            .agent()
            .connection()
            .is_some_and(|agent| agent.protocol() == ProtocolVersion::V2);
        if by_itself {
            self.notices.warning(
                "This agent speaks ACP version 2, a draft: it reads and writes files and runs commands by itself, without this program.",
            );
        }
        troubles.iter().for_each(|trouble| self.notices.error(trouble));
        let Some(index) = self.slots.iter().position(|slot| slot.id == id) else { return };
        let draft = session.draft();
        let Some(slot) = self.slots.get_mut(index) else { return };
        slot.cwd = session.cwd().to_owned();
        slot.content = SlotContent::Open(Box::new(Conversation::new(session)));
        let early = std::mem::take(&mut slot.early);
        if !draft.is_empty() {
            self.restore(index, vec![Piece::Text(draft)]);
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
                session.snapshot().entries().is_empty() && session.queue().is_empty()
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
        let had_text = self.composer.clear();
        self.composer.swap(crate::composer::Draft::default());
        let slot = self.slots.remove(self.focus);
        let unsent = unsent_texts(&slot);
        unsent.iter().for_each(|text| self.composer.add_history(text));
        if had_text || !unsent.is_empty() {
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
            self.tasks
                .spawn(async move { Done::Continued(session.continue_in_new_session().await) });
        }
    }

    /// Shows the session in which another one continues.
    pub(crate) fn continued(&mut self, result: Result<HubSession, HubError>) {
        match result {
            Ok(session) => {
                let agent = session.agent().name().to_owned();
                let cwd = session.cwd().to_owned();
                let id = self.add_slot(agent, &cwd);
                self.opened(id, Ok((session, Vec::new())));
            }
            Err(error) => self.notices.error(&error.to_string()),
        }
    }
}

/// Returns the prompts of a slot that no agent got, as the person wrote them.
fn unsent_texts(slot: &Slot) -> Vec<String> {
    let text = |pieces: &[Piece]| pieces.iter().map(Piece::text).collect::<String>();
    let early = slot.restored.iter().chain(&slot.early).map(|pieces| text(pieces));
    let queue = slot.session().map(|session| session.queue()).unwrap_or_default();
    let queued = queue.iter().map(|queued| {
        let written = slot.written.iter().find(|(id, _)| *id == queued.id);
        written.map_or_else(|| prompt_text(&queued.prompt), |(_, pieces)| text(pieces))
    });
    early.chain(queued).collect()
}

/// Waits for a session and sets its mode and options. Returns what could not be set.
async fn configured(
    opening: impl Future<Output = Result<HubSession, HubError>>,
    mode: Option<String>,
    set: Vec<(String, String)>,
) -> Result<(HubSession, Vec<String>), HubError> {
    let session = opening.await?;
    let mut troubles = Vec::new();
    if let Some(mode) = mode
        && let Err(error) = session.set_mode(&mode).await
    {
        troubles.push(format!("--mode: {error}"));
    }
    for (id, value) in set {
        if let Err(error) = session.set(&id, value.as_str()).await {
            troubles.push(format!("--set {id}: {error}"));
        }
    }
    Ok((session, troubles))
}
