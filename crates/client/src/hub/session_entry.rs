//! The state that a hub keeps for one session.

use super::agent_entry::{AgentEntry, Phase, Up};
use super::change_notifier::ChangeMark;
#[cfg(feature = "checkpoints")]
use super::checkpoints::{RequestedUndo, SessionCheckpoints};
use super::hub_events::HubEvents;
use super::pending_questions::PendingQuestions;
use super::prompt_queue::Queue;
use super::spending::Budget;
use super::stored_session::{RecordNumbers, SavedState};
use crate::lock::lock;
use crate::observe::queued_prompt::{HoldReason, QueuedPrompt};
use crate::observe::session_state::SessionState;
use crate::observe::session_status::SessionStatus;
use crate::session::session_fold::{Observer, SessionFold};
use crate::session::session_handle::SessionHandle;
use crate::session::turn_tracker::TurnTracker;
use attache_protocol::v1::{McpServer, Notice, NoticeSeverity, SessionId};
use attache_session::{
    Change, EntryIndex, Event, EventBody, Parts, Session, TurnState, UsageLevel,
};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// The notice about questions beyond the limit.
const TOO_MANY_QUESTIONS: &str =
    "The agent asks too many questions at once: 64 are open, and further ones are rejected";

/// The state that a hub keeps for one session. It outlives the agent.
pub(crate) struct SessionEntry {
    pub(crate) id: SessionId,
    pub(crate) agent: Arc<AgentEntry>,
    pub(crate) params: OpenParams,
    pub(crate) fold: Arc<SessionFold>,
    pub(crate) pending: Arc<PendingQuestions>,
    pub(crate) hub: Weak<dyn HubEvents>,
    pub(crate) mark: ChangeMark,
    /// Counts the changes of the state outside of the fold.
    pub(crate) revision: AtomicU64,
    /// Wakes the prompt sender: a prompt may be ready, or the session is closed.
    pub(crate) work: Notify,
    /// Wakes the housekeeping task: the usage rose, or the log needs an update.
    pub(crate) housekeeping: Notify,
    /// Wakes the check of the budget.
    pub(crate) passed: Notify,
    state: Mutex<State>,
    /// Held while a record that changes an earlier one is written to the log.
    pub(crate) saving: Mutex<()>,
    /// The records of the log that still apply. No other lock is taken while it is held.
    pub(crate) records: Mutex<RecordNumbers>,
    /// Where in the log each entry is, once earlier entries were read. Locked only where blocking
    /// is allowed.
    pub(crate) index: Arc<Mutex<EntryIndex>>,
    #[cfg(feature = "checkpoints")]
    pub(crate) checkpoints: SessionCheckpoints,
}

/// The parameters with which the session is opened, at first and again after each restart of the
/// agent.
#[derive(Debug, Clone)]
pub(crate) struct OpenParams {
    pub(crate) cwd: PathBuf,
    pub(crate) additional_directories: Vec<PathBuf>,
    pub(crate) mcp_servers: Vec<McpServer>,
}

/// The method that opens a stored session at the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prefer {
    /// Resume, because this side knows the history.
    Resume,
    /// Load, because the agent may know more.
    Load,
    /// Load, and resume only if the agent does not offer to load sessions.
    OnlyLoad,
}

/// The state of a session outside of its fold.
#[derive(Default)]
pub(crate) struct State {
    /// The session that the agent has open, with the number of the agent's start.
    pub(crate) attached: Option<(u64, SessionHandle)>,
    /// Why the session can only be read, with the number of the agent's start.
    pub(crate) read_only: Option<(u64, Arc<str>)>,
    /// How to open the stored session at the agent for the first time; `None` once that succeeded
    /// or the agent refused it.
    pub(crate) first_attach: Option<Prefer>,
    pub(crate) queue: Queue,
    /// The prompt that was taken from the queue and whose turn has not begun. The log keeps it with
    /// the waiting prompts.
    pub(crate) sending: Option<QueuedPrompt>,
    pub(crate) draft: String,
    /// A text for the agent with which the next prompt begins.
    pub(crate) note: String,
    /// The undo for which the prompt of the current turn asks, until the agent has called for it.
    #[cfg(feature = "checkpoints")]
    pub(crate) undo: Option<RequestedUndo>,
    /// The unsent texts as the log has them.
    pub(crate) saved: SavedState,
    /// The parts that the log does not have yet.
    pub(crate) unsaved: Unsaved,
    /// Whether a notice said that the log could not be stored.
    pub(crate) reported_unstored: bool,
    pub(crate) budget: Option<Budget>,
    /// The level of the last notice about the context.
    pub(crate) reported_level: Option<UsageLevel>,
    /// The turn of the prompt that was taken from the queue, until its end was processed.
    pub(crate) turn: Option<Arc<TurnTracker>>,
    /// Whether the turn was cancelled to send another prompt at once; the queue then continues.
    pub(crate) sending_now: bool,
    /// Whether the agent did not end a cancelled turn in time.
    pub(crate) unresponsive: bool,
    pub(crate) closed: bool,
}

/// The parts that the log does not have.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Unsaved {
    /// Whether the draft differs from that in the log.
    pub(crate) draft: bool,
    /// Whether the queue differs from that in the log.
    pub(crate) queue: bool,
    /// Whether the text for the next prompt differs from that in the log.
    pub(crate) note: bool,
    /// Whether a turn began or ended. This event is in the log, but may not be on disk yet.
    pub(crate) turn: bool,
}

impl SessionEntry {
    pub(crate) fn new(
        (id, fold, pending): (SessionId, Arc<SessionFold>, Arc<PendingQuestions>),
        agent: Arc<AgentEntry>,
        params: OpenParams,
        state: State,
    ) -> Arc<Self> {
        let entry = Arc::new(Self {
            records: Mutex::default(),
            index: Arc::new(Mutex::new(EntryIndex::new(id.clone()))),
            id,
            hub: agent.hub.clone(),
            agent,
            params,
            fold,
            pending,
            mark: ChangeMark::default(),
            revision: AtomicU64::new(0),
            work: Notify::new(),
            housekeeping: Notify::new(),
            passed: Notify::new(),
            state: Mutex::new(state),
            saving: Mutex::default(),
            #[cfg(feature = "checkpoints")]
            checkpoints: SessionCheckpoints::default(),
        });
        let touched = Arc::downgrade(&entry);
        entry.pending.on_change(move || {
            if let Some(entry) = touched.upgrade() {
                entry.touch();
            }
        });
        let refused = Arc::downgrade(&entry);
        entry.pending.on_refusal(move || {
            if let Some(entry) = refused.upgrade() {
                entry.say(NoticeSeverity::Warning, TOO_MANY_QUESTIONS, None);
            }
        });
        entry.fold.observe(Arc::new(EntryObserver(Arc::downgrade(&entry))));
        entry
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a change of state outside of the fold.
    pub(crate) fn touch(&self) {
        self.revision.fetch_add(1, Ordering::AcqRel);
        self.fold.wake();
        self.fold.rouse();
    }

    /// Adds a notice to the transcript.
    pub(crate) fn say(
        &self,
        severity: NoticeSeverity,
        title: impl Into<String>,
        description: Option<String>,
    ) {
        let mut notice = Notice::new(severity, title);
        notice.description = description;
        self.fold.apply(EventBody::Notice(notice));
        self.fold.wake();
    }

    /// The session at the agent, if the agent runs and has it open.
    pub(crate) fn handle(&self) -> Option<SessionHandle> {
        let generation = match &*self.agent.phase.borrow() {
            Phase::Up(up) => up.generation,
            _ => return None,
        };
        let state = self.state();
        state
            .attached
            .as_ref()
            .filter(|(attached, _)| *attached == generation)
            .map(|(_, handle)| handle.clone())
    }

    pub(crate) fn is_attached_to(&self, up: &Up) -> bool {
        self.state().attached.as_ref().is_some_and(|(generation, _)| *generation == up.generation)
    }

    /// The state of the session.
    pub(crate) fn session_state(&self) -> SessionState {
        let phase = self.agent.phase.borrow().clone();
        let questions = self.pending.count();
        let turn = self.fold.with(Session::turn);
        let state = self.state();
        if state.closed {
            return SessionState::Closed;
        }
        let attached = state.attached.as_ref().map(|(generation, _)| *generation);
        match phase {
            Phase::Up(up) if attached == Some(up.generation) => {}
            Phase::Up(up) => {
                return match &state.read_only {
                    Some((generation, why)) if *generation == up.generation => {
                        SessionState::ReadOnly { why: why.clone() }
                    }
                    _ => SessionState::Starting,
                };
            }
            Phase::Starting { .. } => return SessionState::Starting,
            Phase::Gone { why, restart_at, .. } => {
                return SessionState::Gone { why, restarting: restart_at.is_some() };
            }
            Phase::NotStarted => {
                return SessionState::Gone { why: "it is not started".into(), restarting: false };
            }
            Phase::Stopped => {
                return SessionState::Gone { why: "it was stopped".into(), restarting: false };
            }
        }
        match (turn, &state.turn) {
            _ if questions > 0 => SessionState::WaitingForPerson { questions },
            (TurnState::Running { since }, Some(turn)) if turn.is_cancelling() => {
                SessionState::Cancelling { since }
            }
            (TurnState::Running { since }, _) => {
                let silent = Instant::now().saturating_duration_since(self.fold.heard());
                SessionState::Running { since, silent }
            }
            (TurnState::Idle, None) if state.unresponsive => SessionState::Unresponsive,
            (TurnState::Idle, None) => SessionState::Idle,
            // A prompt has left the queue and its turn has not begun, or a turn has ended and its
            // end has not been processed.
            (TurnState::Idle, Some(_)) => {
                let since = self.fold.with(Session::last_activity);
                SessionState::Running { since, silent: Duration::ZERO }
            }
        }
    }

    /// The state outside of the fold, for watchers.
    pub(crate) fn status(&self) -> SessionStatus {
        let session_state = self.session_state();
        let questions = self.pending.open().iter().map(|question| question.id).collect();
        let state = self.state();
        SessionStatus {
            state: session_state,
            queue: state.queue.waiting().to_vec(),
            hold: state.queue.held().cloned(),
            questions,
            draft: state.draft.clone(),
        }
    }

    /// Waits for a prompt that can be sent and takes it; `None` once the session is closed.
    pub(crate) async fn next_prompt(&self) -> Option<(QueuedPrompt, Arc<TurnTracker>)> {
        loop {
            {
                let mut state = self.state();
                if state.closed {
                    return None;
                }
                if let Some((queued, tracker)) = state.queue.take_next() {
                    state.turn = Some(tracker.clone());
                    state.sending_now = false;
                    state.sending = Some(queued.clone());
                    state.unsaved.queue = true;
                    return Some((queued, tracker));
                }
            }
            self.work.notified().await;
        }
    }

    /// Cancels the running turn, or the turn that is about to begin.
    pub(crate) fn cancel_turn(&self) {
        self.cancel(false);
    }

    /// Like [`Self::cancel_turn`], but is used to send a waiting prompt at once. Has no effect if
    /// the turn that blocked the prompt has already ended by itself, because the current turn is
    /// then that of the prompt.
    pub(crate) fn cancel_blocking_turn(&self) {
        self.cancel(true);
    }

    fn cancel(&self, is_to_send: bool) {
        let current = {
            let state = self.state();
            let live = state.attached.as_ref().map(|(_, handle)| handle.live.clone());
            let turn = state.turn.clone().filter(|_| !is_to_send || state.sending_now);
            (turn, live)
        };
        match current {
            (Some(turn), Some(live)) => live.cancel(Some(&turn)),
            (Some(turn), None) => drop(turn.cancel()),
            // An agent of version 2 may work without a prompt.
            (None, Some(live)) if !is_to_send => live.cancel(None),
            (None, _) => {}
        }
        self.touch();
    }

    /// Cancels this turn, if it is the current one.
    pub(crate) fn cancel_this(&self, turn: &Arc<TurnTracker>) {
        let is_current =
            self.state().turn.as_ref().is_some_and(|current| Arc::ptr_eq(current, turn));
        if is_current {
            self.cancel_turn();
        }
    }

    /// Waits until the budget is used up and returns a message about it. Checks the budget whenever
    /// the usage changes.
    pub(crate) async fn budget_passed(&self) -> String {
        loop {
            let budget = self.state().budget.clone();
            let passed =
                budget.and_then(|budget| self.fold.with(|session| budget.passed(session.usage())));
            if let Some(passed) = passed {
                return passed;
            }
            self.passed.notified().await;
        }
    }

    /// Holds the queue.
    pub(crate) fn hold(&self, why: HoldReason) {
        self.state().queue.hold(why);
        self.touch();
    }
}

/// Passes the events of a fold to the session's entry.
struct EntryObserver(Weak<SessionEntry>);

impl Observer for EntryObserver {
    fn applied(&self, session: &Session, event: &Event, change: Change) {
        let Some(entry) = self.0.upgrade() else { return };
        if let EventBody::Record { name, .. } = &event.body {
            lock(&entry.records).apply(event.sequence, name);
        }
        if !change.parts.intersects(Parts::USAGE | Parts::TURN) {
            return;
        }
        if let Some(hub) = entry.hub.upgrade() {
            hub.count_spending(&entry.agent.name, session.id(), event);
        }
        entry.housekeeping.notify_one();
        entry.passed.notify_one();
    }

    fn changed(&self) {
        if let Some(entry) = self.0.upgrade()
            && let Some(hub) = entry.hub.upgrade()
        {
            hub.notify(&entry.mark);
        }
    }
}
