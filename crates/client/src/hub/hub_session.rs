//! A session of a hub, as its users hold it.

use super::housekeeping::save;
use super::hub_agent::HubAgent;
use super::hub_error::HubError;
use super::hub_shared::HubShared;
use super::pending_questions::{Answer, AnswerError, Question};
use super::session_entry::SessionEntry;
use super::spending::Budget;
use super::watched_entry;
use crate::observe::queued_prompt::{HoldReason, QueuedPrompt, QueuedPromptId};
use crate::observe::session_state::SessionState;
use crate::observe::session_status::QuestionId;
use crate::observe::watch::{Watch, WatchUpdate, Watched};
use crate::observe::watch_position::WatchPosition;
use crate::race::race;
use crate::session::prompt::Prompt;
use crate::session::set_error::SetError;
use crate::session::turn::Turn;
use crate::session::turn_tracker::TurnTracker;
use attache_connection::{CallError, End};
use attache_protocol::v1::{
    SessionConfigOptionValue, SessionId, TerminalId, TerminalOutputResponse,
};
use attache_session::{Session, StoreError};
use std::path::Path;
use std::sync::{Arc, Weak};

/// How long a summary for a new session may be, in bytes.
const HAND_OFF: usize = 32 << 10;

/// A session of a hub; a handle, cheap to clone. It outlives its agent: what was received, the
/// prompts that wait and the draft stay, whatever becomes of the process, and the session goes on
/// once the agent is started again.
///
/// What the hub itself has to say (that the agent was started again, that the context fills up,
/// that the budget stopped a turn) stands in the transcript as notices.
#[derive(Clone)]
pub struct HubSession {
    pub(crate) entry: Arc<SessionEntry>,
    hub: Weak<HubShared>,
}

impl HubSession {
    pub(crate) fn new(entry: Arc<SessionEntry>, hub: &Arc<HubShared>) -> Self {
        Self { entry, hub: Arc::downgrade(hub) }
    }

    /// The open sessions of a hub, in the order in which they were opened.
    pub(crate) fn all(hub: &Arc<HubShared>) -> Vec<Self> {
        hub.sessions().into_iter().map(|entry| Self::new(entry, hub)).collect()
    }

    /// The session's id at its agent.
    pub fn id(&self) -> &SessionId {
        &self.entry.id
    }

    /// Its agent.
    pub fn agent(&self) -> HubAgent {
        HubAgent(self.entry.agent.clone())
    }

    /// Its folder.
    pub fn cwd(&self) -> &Path {
        &self.entry.params.cwd
    }

    /// How it is.
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

    /// Returns what changed since a position, such as that of a [`WatchUpdate`]; everything since the
    /// beginning for the default position.
    pub fn changes_since(&self, position: &WatchPosition) -> WatchUpdate {
        self.entry.changes_since(position)
    }

    /// Queues a prompt, waits until its turn begins and returns the turn. Use
    /// [`HubSession::send`] to queue a prompt without waiting.
    ///
    /// Dropping the future takes the prompt out of the queue; dropping the turn cancels it.
    ///
    /// # Errors
    /// As for [`HubSession::send`]. Also if the agent does not take the prompt, or is gone and is
    /// not restarted. The prompt is not in the queue then.
    pub async fn prompt(&self, prompt: impl Into<Prompt>) -> Result<Turn, HubError> {
        if let SessionState::ReadOnly { why } = self.state() {
            return Err(HubError::ReadOnly(why));
        }
        let tracker = Arc::<TurnTracker>::default();
        let mut phases = tracker.phases();
        let mut watch = self.watch();
        let id = self.queue_changed(|state| {
            state.queue.add_tracked(prompt.into(), tracker.clone()).ok_or(HubError::QueueFull)
        })?;
        let _unqueued_if_dropped = UnqueueOnDrop { session: self, id };
        loop {
            watch.arm();
            phases.borrow_and_update();
            let failure = self.send_failure(id);
            if tracker.has_begun() {
                break;
            }
            if let Some(error) = failure {
                return Err(error);
            }
            race(phases.changed(), watch.changed()).await;
        }
        let watch = watched_entry::watch_from(&self.entry, tracker.began_at());
        let entry = self.entry.clone();
        Ok(Turn::new(phases, watch, move || entry.cancel_this(&tracker)))
    }

    /// Why this prompt is not going to be sent; `None` if it is.
    fn send_failure(&self, id: QueuedPromptId) -> Option<HubError> {
        match self.state() {
            SessionState::Closed => return Some(HubError::Closed),
            SessionState::ReadOnly { why } => return Some(HubError::ReadOnly(why)),
            SessionState::Gone { why, restarting: false } => {
                return Some(HubError::AgentGone { agent: self.entry.agent.name.clone(), why });
            }
            _ => {}
        }
        let state = self.entry.state();
        if state.sending.as_ref().is_some_and(|sending| sending.id == id) {
            return None;
        }
        match (state.queue.waiting().first(), state.queue.held()) {
            (Some(first), Some(HoldReason::Refused(why))) if first.id == id => {
                Some(HubError::Refused(why.clone()))
            }
            _ if state.queue.contains(id) => None,
            // Somebody took it out of the queue.
            _ => Some(HubError::Closed),
        }
    }

    /// Says something: at once if the session is idle, else when what waits before it has been
    /// said. A queue that is held goes on.
    ///
    /// What the agent does not take (PROMPT-02) is found out when it is sent: the prompt then stays
    /// in the queue, which is held with the reason.
    ///
    /// # Errors
    /// 256 prompts wait already, or the session is closed or can only be read.
    pub fn send(&self, prompt: impl Into<Prompt>) -> Result<QueuedPromptId, HubError> {
        if let SessionState::ReadOnly { why } = self.state() {
            return Err(HubError::ReadOnly(why));
        }
        self.queue_changed(|state| state.queue.add(prompt.into()).ok_or(HubError::QueueFull))
    }

    /// The prompts that wait, in their order.
    pub fn queue(&self) -> Vec<QueuedPrompt> {
        self.entry.state().queue.waiting().to_vec()
    }

    /// Why the prompts that wait are not sent; `None` if they are, or if none waits.
    pub fn held(&self) -> Option<HoldReason> {
        self.entry.state().queue.held().cloned()
    }

    /// Says another thing in the place of a prompt that waits; `false` if it does not wait any
    /// more.
    pub fn edit(&self, id: QueuedPromptId, prompt: impl Into<Prompt>) -> bool {
        self.queue_changed(|state| Ok(state.queue.edit(id, prompt.into()))).unwrap_or(false)
    }

    /// Takes a prompt that waits out of the queue; `None` if it does not wait any more.
    pub fn remove(&self, id: QueuedPromptId) -> Option<Prompt> {
        self.queue_changed(|state| Ok(state.queue.remove(id))).ok().flatten()
    }

    /// Puts a prompt that waits at this place of the queue, counted from 0, or at the end; `false`
    /// if it does not wait any more.
    pub fn reorder(&self, id: QueuedPromptId, place: usize) -> bool {
        self.queue_changed(|state| Ok(state.queue.put_at(id, place))).unwrap_or(false)
    }

    /// Says a prompt that waits before all others, at once: the turn that runs is cancelled for it.
    /// `false` if it does not wait any more, for example because it was just sent.
    pub fn send_now(&self, id: QueuedPromptId) -> bool {
        let found = self.queue_changed(|state| {
            let found = state.queue.put_at(id, 0);
            if found {
                state.queue.release();
                state.sending_now = true;
            }
            Ok(found)
        });
        let found = found.unwrap_or(false);
        if found {
            self.entry.cancel_blocking_turn();
        }
        found
    }

    /// Lets a queue that is held go on.
    pub fn release(&self) {
        let _ = self.queue_changed(|state| {
            state.queue.release();
            Ok(())
        });
    }

    /// Cancels the turn that runs. What waits is held then. If the agent does not end the turn in
    /// time (see [`crate::Options::cancel`]) it is settled here, and the session is
    /// [`SessionState::Unresponsive`].
    pub fn cancel(&self) {
        self.entry.state().sending_now = false;
        self.entry.cancel_turn();
    }

    /// What the agent asks, in the order in which it asked.
    pub fn questions(&self) -> Vec<Question> {
        self.entry.pending.open()
    }

    /// The last questions of this turn that were withdrawn before anybody answered them, because
    /// the turn was cancelled or the agent ended.
    pub fn withdrawn(&self) -> Vec<Question> {
        self.entry.pending.withdrawn()
    }

    /// Answers one of [`HubSession::questions`].
    ///
    /// # Errors
    /// See [`AnswerError`].
    pub fn answer(&self, question: QuestionId, answer: Answer) -> Result<(), AnswerError> {
        self.entry.pending.answer(question, answer)
    }

    /// What the person has written and not sent.
    pub fn draft(&self) -> String {
        self.entry.state().draft.clone()
    }

    /// Keeps what the person has written and not sent, also in the log, a second later at most.
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

    /// Sets what the session may take; `None` takes that back. A queue that was held for it is
    /// released by [`HubSession::release`].
    pub fn set_budget(&self, budget: Option<Budget>) {
        self.entry.state().budget = budget;
        self.entry.passed.notify_one();
        self.entry.touch();
    }

    /// What the session may take.
    pub fn budget(&self) -> Option<Budget> {
        self.entry.state().budget.clone()
    }

    /// Sets a config option, as [`crate::SessionHandle::set`] does. It is set again when the agent
    /// is started again.
    ///
    /// # Errors
    /// As there; also if the agent is gone.
    pub async fn set(
        &self,
        name: &str,
        value: impl Into<SessionConfigOptionValue>,
    ) -> Result<(), SetError> {
        match self.entry.handle() {
            Some(handle) => handle.set(name, value).await,
            None => Err(SetError::Call(CallError::Gone(self.end()))),
        }
    }

    /// Sets the mode, as [`crate::SessionHandle::set_mode`] does.
    ///
    /// # Errors
    /// As there; also if the agent is gone.
    pub async fn set_mode(&self, mode: &str) -> Result<(), SetError> {
        match self.entry.handle() {
            Some(handle) => handle.set_mode(mode).await,
            None => Err(SetError::Call(CallError::Gone(self.end()))),
        }
    }

    /// Sets the title, as [`crate::SessionHandle::set_title`] does.
    ///
    /// # Errors
    /// As there; also if the agent is gone.
    pub async fn set_title(&self, title: impl Into<String>) -> Result<String, CallError> {
        match self.entry.handle() {
            Some(handle) => handle.set_title(title).await,
            None => Err(CallError::Gone(self.end())),
        }
    }

    /// What a terminal shows, as [`crate::SessionHandle::terminal`] does, while the agent runs.
    pub fn terminal(&self, id: &TerminalId) -> Option<TerminalOutputResponse> {
        self.entry.handle()?.terminal(id)
    }

    /// Begins a new session in the same folder with the same agent, whose first prompt is a summary
    /// of this one ([`Session::hand_off`]): the way on when the agent cannot go on with a session,
    /// or when its context is full. What waited here, and the draft, go to the new one, in one
    /// step; this session's log gives them up when the log of the new one has them, so that no
    /// crash loses them.
    ///
    /// # Errors
    /// More prompts wait than a session takes, the agent does not start, or it does not open a
    /// session, or somebody closed the new one at once. Nothing has changed then.
    pub async fn continue_in_new_session(&self) -> Result<HubSession, HubError> {
        let hub = self.hub.upgrade().ok_or(HubError::Closed)?;
        if self.entry.state().queue.is_overfull() {
            return Err(HubError::QueueFull);
        }
        let params = self.entry.params.clone();
        let new = Self::new(hub.open(self.entry.agent.clone(), params).await?, &hub);
        self.hand_over(&new)?;
        new.entry.work.notify_one();
        new.entry.touch();
        self.entry.touch();
        // Without a store, or with one that fails, memory alone has them: then the log here keeps
        // its own.
        if new.commit().await.is_ok() {
            let mut state = self.entry.state();
            (state.unsaved.queue, state.unsaved.draft) = (true, true);
            drop(state);
            save(&self.entry);
        }
        Ok(new)
    }

    /// Moves a summary, the prompts that wait, the draft and the budget to a session that was just
    /// opened. The locks are taken in the order of the sessions' ages.
    fn hand_over(&self, new: &HubSession) -> Result<(), HubError> {
        let summary = self.snapshot().hand_off(HAND_OFF);
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
        to.budget.clone_from(&from.budget);
        (to.unsaved.queue, to.unsaved.draft) = (true, true);
        Ok(())
    }

    /// Why nothing more of the session is stored, if storing it failed; it goes on in memory.
    pub fn log_failure(&self) -> Option<StoreError> {
        self.entry.fold.log_failure()
    }

    /// Waits until everything until now is stored; at once without a store.
    ///
    /// # Errors
    /// It cannot be stored.
    pub async fn commit(&self) -> Result<(), StoreError> {
        save(&self.entry);
        let commit = self.entry.fold.commit();
        match commit {
            Some(commit) => commit.await,
            None => Ok(()),
        }
    }

    /// Takes the session out of the hub: a turn that runs is cancelled, the agent is told if it
    /// offers that (SESS-22), the log stays.
    ///
    /// # Errors
    /// The agent refused or did not answer in time; the session is out of the hub all the same.
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
        self.entry.fold.end_log();
        self.entry.touch();
        if let Some(hub) = self.hub.upgrade() {
            hub.forget(&self.entry);
        }
        match closing {
            Err(CallError::NotOffered { .. } | CallError::Gone(_)) => Ok(()),
            closing => closing,
        }
    }

    /// Why the agent cannot be asked.
    fn end(&self) -> End {
        match self.state() {
            SessionState::Closed => End::Closed,
            state => End::PeerClosed { detail: Some(state.to_string().into()) },
        }
    }

    fn queue_changed<T>(
        &self,
        change: impl FnOnce(&mut super::session_entry::State) -> Result<T, HubError>,
    ) -> Result<T, HubError> {
        let mut state = self.entry.state();
        if state.closed {
            return Err(HubError::Closed);
        }
        let done = change(&mut state)?;
        state.unsaved.queue = true;
        drop(state);
        self.entry.work.notify_one();
        self.entry.housekeeping.notify_one();
        self.entry.touch();
        Ok(done)
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

/// Takes a prompt out of the queue when the future that waits for its turn is dropped.
struct UnqueueOnDrop<'s> {
    session: &'s HubSession,
    id: QueuedPromptId,
}

impl Drop for UnqueueOnDrop<'_> {
    fn drop(&mut self) {
        self.session.remove(self.id);
    }
}
