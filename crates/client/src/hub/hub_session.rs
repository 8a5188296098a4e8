//! A handle to a session of a hub.

use super::housekeeping::save;
use super::hub_agent::HubAgent;
use super::hub_error::HubError;
use super::hub_shared::HubShared;
use super::session_entry::SessionEntry;
use super::spending::Budget;
use super::watched_entry;
use crate::observe::session_state::SessionState;
use crate::observe::watch::{Watch, WatchUpdate, Watched};
use crate::observe::watch_position::WatchPosition;
use crate::session::session_handle::output;
use crate::session::set_error::SetError;
use crate::terminals::editor_terminals::EditorTerminals;
use crate::text_files::unsaved_text::UnsavedText;
use attache_connection::{CallError, ConnectionEnd};
use attache_protocol::v1::{
    SessionConfigOptionValue, SessionId, TerminalId, TerminalOutputResponse, ToolCallId,
};
use attache_session::{EntryPage, Session, StoreError};
use std::path::Path;
use std::sync::{Arc, Weak};

/// The maximum size of the summary that starts a new session, in bytes.
pub(crate) const HAND_OFF: usize = 32 << 10;

/// A session of a hub. This is a handle, cheap to clone. The session outlives its agent: the
/// transcript, the waiting prompts and the draft are kept when the process ends, and the session
/// continues once the agent runs again.
///
/// The hub adds notices of its own to the transcript: when it restarted the agent, when the context
/// fills up, and when the budget stopped a turn.
#[derive(Clone)]
pub struct HubSession {
    pub(crate) entry: Arc<SessionEntry>,
    pub(crate) hub: Weak<HubShared>,
}

impl HubSession {
    pub(crate) fn new(entry: Arc<SessionEntry>, hub: &Arc<HubShared>) -> Self {
        Self { entry, hub: Arc::downgrade(hub) }
    }

    /// The open sessions of a hub, in the order in which they were opened.
    pub(crate) fn all(hub: &Arc<HubShared>) -> Vec<Self> {
        hub.sessions().into_iter().map(|entry| Self::new(entry, hub)).collect()
    }

    /// The id by which its agent knows the session.
    pub fn id(&self) -> &SessionId {
        &self.entry.id
    }

    /// The agent of the session.
    pub fn agent(&self) -> HubAgent {
        HubAgent(self.entry.agent.clone())
    }

    /// The folder of the session.
    pub fn cwd(&self) -> &Path {
        &self.entry.params.cwd
    }

    /// The state of the session.
    pub fn state(&self) -> SessionState {
        self.entry.session_state()
    }

    /// The session as it is now. A snapshot shares its texts with the live session and holds no
    /// lock.
    pub fn snapshot(&self) -> Session {
        self.entry.fold.session()
    }

    /// Watches the session from now on, its status included. The watch outlives the agent.
    pub fn watch(&self) -> Watch {
        watched_entry::watch(&self.entry)
    }

    /// Returns what changed since a position, such as that of a [`WatchUpdate`]; everything since
    /// the beginning for the default position.
    pub fn changes_since(&self, position: &WatchPosition) -> WatchUpdate {
        self.entry.changes_since(position)
    }

    /// Uses the texts of this editor for the files of the session, instead of
    /// [`crate::Options::unsaved_text`]; `None` ends that. The session's permissions are checked
    /// first, as for files on disk.
    pub fn set_unsaved_text(&self, unsaved: Option<Arc<dyn UnsavedText>>) {
        self.entry.fold.set_unsaved_text(unsaved);
    }

    /// Runs the commands of the session's agent in the terminals of this editor, instead of on this
    /// machine; `None` ends that for further commands. The session's permissions are checked first,
    /// as for commands on this machine.
    pub fn set_editor_terminals(&self, terminals: Option<Arc<dyn EditorTerminals>>) {
        self.entry.fold.set_editor_terminals(terminals);
    }

    /// The text that the person has written but not sent.
    pub fn draft(&self) -> String {
        self.entry.state().draft.clone()
    }

    /// Stores text that the person has written but not sent. The text is in the log at most a
    /// second later.
    pub fn set_draft(&self, draft: impl Into<String>) {
        let draft = draft.into();
        let mut state = self.entry.state();
        if state.draft == draft {
            return;
        }
        state.draft = draft;
        state.unsaved.draft = true;
        drop(state);
        self.entry.housekeeping.notify_one();
        self.entry.touch();
    }

    /// Sets the budget of the session; `None` removes it. [`HubSession::release`] resumes a queue
    /// that the budget held.
    pub fn set_budget(&self, budget: Option<Budget>) {
        self.entry.state().budget = budget;
        self.entry.passed.notify_one();
        self.entry.touch();
    }

    /// The budget of the session.
    pub fn budget(&self) -> Option<Budget> {
        self.entry.state().budget.clone()
    }

    /// Sets a config option, as [`crate::SessionHandle::set`] does. The hub sets it again after it
    /// restarts the agent.
    ///
    /// # Errors
    /// Returns the same errors, or an error if the agent is gone.
    pub async fn set(
        &self,
        name: &str,
        value: impl Into<SessionConfigOptionValue>,
    ) -> Result<(), SetError> {
        match self.entry.handle() {
            Some(handle) => handle.set(name, value).await,
            None => Err(SetError::Call(CallError::Disconnected(self.end()))),
        }
    }

    /// Sets the mode, as [`crate::SessionHandle::set_mode`] does.
    ///
    /// # Errors
    /// Returns the same errors, or an error if the agent is gone.
    pub async fn set_mode(&self, mode: &str) -> Result<(), SetError> {
        match self.entry.handle() {
            Some(handle) => handle.set_mode(mode).await,
            None => Err(SetError::Call(CallError::Disconnected(self.end()))),
        }
    }

    /// Sets the title, as [`crate::SessionHandle::set_title`] does.
    ///
    /// # Errors
    /// Returns the same errors, or an error if the agent is gone.
    pub async fn set_title(&self, title: impl Into<String>) -> Result<String, CallError> {
        match self.entry.handle() {
            Some(handle) => handle.set_title(title).await,
            None => Err(CallError::Disconnected(self.end())),
        }
    }

    /// Cancels one tool call, as [`crate::SessionHandle::cancel_tool_call`] does.
    ///
    /// # Errors
    /// Returns the same errors, or an error if the agent is gone.
    pub async fn cancel_tool_call(&self, id: &ToolCallId) -> Result<(), CallError> {
        match self.entry.handle() {
            Some(handle) => handle.cancel_tool_call(id).await,
            None => Err(CallError::Disconnected(self.end())),
        }
    }

    /// Cancels the command in a terminal of the agent, as
    /// [`crate::SessionHandle::cancel_terminal`] does.
    ///
    /// # Errors
    /// Returns the same errors, or an error if the agent is gone.
    pub async fn cancel_terminal(&self, id: &TerminalId) -> Result<(), CallError> {
        match self.entry.handle() {
            Some(handle) => handle.cancel_terminal(id).await,
            None => Err(CallError::Disconnected(self.end())),
        }
    }

    /// The output of a terminal, as [`crate::SessionHandle::terminal`] returns it. While the agent
    /// does not run, only its own terminals of version 2 are known.
    pub fn terminal(&self, id: &TerminalId) -> Option<TerminalOutputResponse> {
        match self.entry.handle() {
            Some(handle) => handle.terminal(id),
            None => self.entry.fold.with(|session| output(session, id)),
        }
    }

    /// Opens a new session in the same folder with the same agent. The first prompt of the new
    /// session is a summary of this session ([`Session::hand_off`]). Use this when the agent cannot
    /// continue a session, or when the context is full.
    ///
    /// This session's waiting prompts, its draft and the text for its next prompt move to the new
    /// session in one step. The log of this session keeps them until the log of the new one has
    /// them, so that a crash loses nothing.
    ///
    /// # Errors
    /// Returns an error if more prompts are waiting than a session accepts, the agent does not
    /// start or does not open a session, or the new session was closed at once. Nothing has changed
    /// then.
    pub async fn continue_in_new_session(&self) -> Result<HubSession, HubError> {
        let hub = self.hub.upgrade().ok_or(HubError::Closed)?;
        if self.entry.state().queue.is_overfull() {
            return Err(HubError::QueueFull);
        }
        let params = self.entry.params.clone();
        let new = Self::new(hub.open(self.entry.agent.clone(), params).await?, &hub);
        let summary = hub.whole_session(&self.entry).await.hand_off(HAND_OFF);
        self.hand_over(&new, summary)?;
        new.entry.work.notify_one();
        new.entry.touch();
        self.entry.touch();
        // Without a store, or if storing fails, the prompts and the draft are only in the new
        // session's memory. This session's log then keeps its copy.
        if new.commit().await.is_ok() {
            let mut state = self.entry.state();
            (state.unsaved.queue, state.unsaved.draft, state.unsaved.note) = (true, true, true);
            drop(state);
            save(&self.entry);
        }
        Ok(new)
    }

    /// Moves a summary, the prompts that wait, the other unsent texts and the budget to a session
    /// that was just opened. Locks the older session first.
    fn hand_over(&self, new: &HubSession, summary: String) -> Result<(), HubError> {
        let mut from = self.entry.state();
        let mut to = new.entry.state();
        if to.closed {
            return Err(HubError::Closed);
        }
        if from.queue.is_overfull() {
            return Err(HubError::QueueFull);
        }
        let waiting = from.queue.take_all();
        to.queue.put_first(std::iter::once(summary.into()).chain(waiting).collect());
        let draft = std::mem::take(&mut from.draft);
        if !draft.is_empty() {
            to.draft = draft;
        }
        to.note = std::mem::take(&mut from.note);
        to.budget.clone_from(&from.budget);
        (to.unsaved.queue, to.unsaved.draft, to.unsaved.note) = (true, true, true);
        Ok(())
    }

    /// Returns the last entries that began before the event with the number `before`, from the log:
    /// at most `limit` and about 1 MiB. Use this for entries that are no longer in memory
    /// ([`attache_session::EntryContent::Dropped`]).
    ///
    /// Begin with [`Session::in_memory_since`] of a snapshot, and continue with
    /// [`attache_session::Entry::began_at`] of the first entry of the page, until
    /// [`EntryPage::first`] is 0. If [`EntryPage::generation`] changes, the history was replaced:
    /// begin again with a new snapshot. An entry that changed later has its latest content. The
    /// first call reads the whole log once, without keeping it in memory; later calls read little.
    /// Without a store, the page is empty.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn earlier_entries(
        &self,
        before: u64,
        limit: usize,
    ) -> Result<EntryPage, StoreError> {
        match self.hub.upgrade() {
            Some(hub) => hub.earlier_entries(&self.entry, before, limit).await,
            None => {
                let generation = self.entry.fold.with(Session::generation);
                Ok(EntryPage { generation, ..EntryPage::default() })
            }
        }
    }

    /// Why the session is no longer stored; `None` if it is. The session continues in memory.
    pub fn log_failure(&self) -> Option<StoreError> {
        self.entry.fold.log_failure()
    }

    /// Waits until the store has all events so far; returns at once without a store.
    ///
    /// # Errors
    /// Returns an error if the store fails.
    pub async fn commit(&self) -> Result<(), StoreError> {
        save(&self.entry);
        let commit = self.entry.fold.commit();
        match commit {
            Some(commit) => commit.await,
            None => Ok(()),
        }
    }

    /// Removes the session from the hub: cancels a running turn and closes the session at the
    /// agent, if the agent offers that. Waits for the checkpoint after the turn, at most some
    /// seconds. The log is kept.
    ///
    /// # Errors
    /// Returns an error if the agent refused or did not answer in time. The session is removed from
    /// the hub in any case.
    pub async fn close(&self) -> Result<(), CallError> {
        self.entry.cancel_turn();
        let handle = self.entry.handle();
        let closing = match &handle {
            Some(handle) => handle.close().await,
            None => Ok(()),
        };
        save(&self.entry);
        self.entry.state().closed = true;
        self.entry.work.notify_one();
        let hub = self.hub.upgrade();
        let removal = Removal { hub: hub.as_deref(), entry: &self.entry };
        #[cfg(feature = "checkpoints")]
        if let Some(hub) = &hub {
            // A session that is in the hub cannot be deleted, and is not opened again.
            let opening = hub.opening(&self.entry.agent.name, &self.entry.id);
            let _alone = opening.lock().await;
            hub.finish_takes_of(&self.entry).await;
            drop(removal);
            hub.forget_unused(&self.entry).await;
        }
        #[cfg(not(feature = "checkpoints"))]
        drop(removal);
        match closing {
            Err(CallError::NotOffered { .. } | CallError::Disconnected(_)) => Ok(()),
            closing => closing,
        }
    }

    /// The reason why a call to the agent fails while the session is not open there.
    fn end(&self) -> ConnectionEnd {
        match self.state() {
            SessionState::Closed => ConnectionEnd::Closed,
            state => ConnectionEnd::PeerClosed { detail: Some(state.to_string().into()) },
        }
    }
}

/// Removes a closed session from the hub when it is dropped: also if the caller that closes the
/// session stops waiting.
struct Removal<'s> {
    hub: Option<&'s HubShared>,
    entry: &'s Arc<SessionEntry>,
}

impl Drop for Removal<'_> {
    fn drop(&mut self) {
        self.entry.fold.end_log();
        self.entry.touch();
        if let Some(hub) = self.hub {
            hub.forget(self.entry);
        }
    }
}

impl PartialEq for HubSession {
    /// Whether both are handles to the same session.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.entry, &other.entry)
    }
}

impl std::fmt::Debug for HubSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HubSession")
            .field("agent", &self.entry.agent.name)
            .field("id", self.id())
            .field("state", &self.state())
            .finish()
    }
}
