//! The state of one session of a connection: its fold, its turn, its open questions.

mod agent_question;
mod agent_turn;
pub(crate) mod asking;
mod loading;
mod pending_load;
mod version_2;

use self::agent_question::AgentQuestion;
use self::agent_turn::{AgentTurn, ReportedWork};
use self::pending_load::PendingLoad;
use crate::lock::lock;
use crate::observe::watch_position::WatchPosition;
use crate::permission::Permissions;
use crate::permission::approvals::Approvals;
use crate::session::outcome::{Outcome, TurnError};
use crate::session::prompt::PromptError;
use crate::session::prompt_echo::PromptEcho;
use crate::session::session_fold::SessionFold;
use crate::session::turn_tracker::TurnTracker;
use crate::terminals::terminal_table::Terminals;
use crate::text_files::session_files::SessionFiles;
use attache_connection::{ConnectionEnd, Peer};
use attache_policy::Folders;
use attache_protocol::method::SessionCancel;
use attache_protocol::v1::{
    CancelNotification, ContentBlock, RequestPermissionOutcome, RequestPermissionResponse,
    SessionId,
};
use attache_protocol::v2::StateUpdate;
use attache_session::{EventBody, PermissionId, Session, TurnOutcome};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::oneshot;

/// The state of one session of a connection, shared by the reading task, which folds updates, and
/// by every handle.
///
/// Lock order: `sending`, then `state`, then the lock of the fold. While `state` is locked, no
/// function is called that could lock it again. Replies are folded without the lock, because a call
/// that cannot be sent settles its reply at once.
pub(crate) struct LiveSession {
    pub(crate) id: SessionId,
    pub(crate) peer: Peer,
    pub(crate) fold: Arc<SessionFold>,
    state: Mutex<State>,
    pub(crate) terminals: Terminals,
    /// Held while a prompt or a cancel is applied and queued, so that a cancel never overtakes its
    /// prompt.
    sending: Mutex<()>,
    /// Whether the connection is over.
    over: AtomicBool,
}

/// The state of a session outside of its fold.
pub(crate) struct State {
    fold: Arc<SessionFold>,
    /// The load that the agent has not answered yet.
    loading: Option<PendingLoad>,
    loads: u64,
    files: SessionFiles,
    folders: Option<Arc<Folders>>,
    permissions: Permissions,
    /// The actions that the agent's permission requests allowed.
    approvals: Approvals,
    /// Notified when the answers to this client's own questions are no longer needed.
    asked_aside: Vec<oneshot::Sender<()>>,
    turn: Option<RunningTurn>,
    /// The work of the agent as its last state reported it.
    reported: ReportedWork,
    /// Whether the work that the agent began by itself is being cancelled: until the agent is idle
    /// or the next turn begins.
    is_own_work_cancelled: bool,
    asked: BTreeMap<PermissionId, AgentQuestion>,
    questions: u64,
}

/// The turn in flight.
struct RunningTurn {
    tracker: Arc<TurnTracker>,
    /// The prompt, until the agent has repeated it; `None` if it has no text.
    echo: Option<PromptEcho>,
    /// What an agent of version 2 reports.
    agent: AgentTurn,
}

/// The result of opening a session.
pub(crate) struct Setup {
    pub(crate) folders: Arc<Folders>,
    pub(crate) permissions: Permissions,
    /// The event that the session was opened, and the options, modes and models in the agent's
    /// reply.
    pub(crate) said: Vec<EventBody>,
    /// Whether updates of the last turn are kept if a loaded history lacks them.
    pub(crate) keep_received: bool,
    /// All entries of the session, if it does not have them in memory.
    pub(crate) whole: Option<Session>,
}

impl LiveSession {
    /// Makes a session that is not set up: it has no folders and rejects every permission request.
    pub(crate) fn new(fold: Arc<SessionFold>, peer: Peer) -> Self {
        let (id, questions) = fold.with(|session| {
            let asked = session.permissions().iter().map(|permission| permission.id.0);
            (session.id().clone(), asked.max().unwrap_or(0))
        });
        let state = State {
            fold: fold.clone(),
            loading: None,
            loads: 0,
            files: SessionFiles::none(),
            folders: None,
            permissions: Permissions::Reject,
            approvals: Approvals::default(),
            asked_aside: Vec::new(),
            turn: None,
            reported: ReportedWork::None,
            is_own_work_cancelled: false,
            asked: BTreeMap::new(),
            questions,
        };
        Self {
            id,
            peer,
            fold,
            state: Mutex::new(state),
            terminals: Terminals::default(),
            sending: Mutex::new(()),
            over: AtomicBool::new(false),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Whether the connection is over.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// Folds events and wakes the watchers.
    pub(crate) fn apply(&self, bodies: impl IntoIterator<Item = EventBody>) {
        bodies.into_iter().for_each(|body| self.fold.apply(body));
        self.fold.wake();
    }

    /// Folds an update from the agent, or adds it to the replayed history during a load. Leaves out
    /// the prompt if the agent repeats it in its turn.
    pub(crate) fn updated(&self, body: EventBody) {
        self.terminals.update_from(&body);
        self.fold.hear();
        let mut state = self.state();
        if let EventBody::State(reported) = &body {
            state.reported.hear_state(reported);
        }
        match (&mut state.loading, body) {
            (Some(PendingLoad { replayed: Some(fresh), .. }), body) => fresh.keep(body),
            (Some(_), _) => return,
            (None, EventBody::State(reported)) => {
                if let Some(ended) = state.hear_state(*reported) {
                    drop(state);
                    return self.end_reported(ended);
                }
            }
            (None, body) => state.hear(body),
        }
        drop(state);
        self.fold.wake();
    }

    /// The session's files.
    pub(crate) fn files(&self) -> SessionFiles {
        self.state().files.clone()
    }

    /// Applies the result of opening the session.
    pub(crate) fn set_up(&self, setup: Setup) {
        self.terminals.set_up(setup.folders.clone());
        let mut state = self.state();
        state.loading.take_if(|loading| loading.replayed.is_none());
        state.set_up(setup);
        drop(state);
        self.fold.wake();
    }

    /// Takes the lock that is held while a prompt or a cancel is applied and queued.
    pub(crate) fn lock_sending(&self) -> MutexGuard<'_, ()> {
        lock(&self.sending)
    }

    /// Begins a turn, unless a turn or a load is in flight. Returns whether the turn had already
    /// been cancelled.
    pub(crate) fn begin_turn(
        &self,
        prompt: Vec<ContentBlock>,
        tracker: &Arc<TurnTracker>,
    ) -> Result<bool, PromptError> {
        let mut state = self.state();
        if state.turn.is_some() {
            return Err(PromptError::TurnRunning);
        }
        if state.is_loading() {
            return Err(PromptError::Loading);
        }
        state.loading = None;
        state.is_own_work_cancelled = false;
        let echo = PromptEcho::of(&prompt);
        let agent = AgentTurn::new(state.reported);
        state.turn = Some(RunningTurn { tracker: tracker.clone(), echo, agent });
        state.apply(EventBody::Prompt { content: prompt });
        state.apply(EventBody::TurnBegan);
        let was_cancelled = tracker.begin(self.fold.with(WatchPosition::end_of));
        drop(state);
        self.fold.wake();
        Ok(was_cancelled)
    }

    /// Ends a turn, unless it ended before: its questions are withdrawn, its end is folded, then
    /// its phase changes.
    pub(crate) fn end_turn(&self, tracker: &Arc<TurnTracker>, end: Result<Outcome, TurnError>) {
        self.end_turn_with(tracker, end, None);
    }

    /// Like [`LiveSession::end_turn`]. If the agent `reported` the end in a state, that state is
    /// folded, and questions stay open: work in the background may ask them, and the agent
    /// withdraws the others.
    fn end_turn_with(
        &self,
        tracker: &Arc<TurnTracker>,
        end: Result<Outcome, TurnError>,
        reported: Option<StateUpdate>,
    ) {
        let mut state = self.state();
        let Some(turn) = state.turn.take_if(|turn| Arc::ptr_eq(&turn.tracker, tracker)) else {
            return;
        };
        turn.echo.and_then(PromptEcho::left).into_iter().for_each(|body| state.apply(body));
        // An agent that refuses a prompt while it works on something else goes on with that work.
        if reported.is_none() && (tracker.is_cancelling() || !turn.agent.was_busy()) {
            state.reported.leave_turn();
        }
        let withdrawn = match reported {
            Some(_) => {
                state.approvals.end_turn();
                Vec::new()
            }
            None => state.withdraw(),
        };
        // After a cancel, the agent may answer with a cancellation error instead of the stop reason
        // (CANCEL-20).
        let end = match end {
            Err(error) if error.is_cancellation() && tracker.is_cancelling() => {
                Ok(Outcome::cancelled())
            }
            end => end,
        };
        let (outcome, usage) = match &end {
            Ok(end) => (TurnOutcome::Stopped(end.stop_reason.clone()), end.usage.clone()),
            Err(error) => (TurnOutcome::Failed(error.as_wire()), None),
        };
        match reported {
            None => state.apply(EventBody::TurnEnded { outcome, usage }),
            Some(reported) => {
                state.apply(EventBody::State(Box::new(reported)));
                // The state may have no reason, or one that the turn overrides.
                if self.fold.with(|session| session.last_outcome() != Some(&outcome)) {
                    state.apply(EventBody::TurnEnded { outcome, usage: None });
                }
            }
        }
        drop(state);
        tracker.end(end);
        self.fold.wake();
        cancelled(withdrawn);
    }

    /// Cancels the turn of `tracker`, or the turn in flight if `tracker` is `None`. Only the first
    /// cancel has an effect: the agent receives a cancel, and every open question is answered
    /// `cancelled` (CANCEL-05). Later updates are still folded (CANCEL-07). A turn that has not
    /// begun is cancelled when it begins.
    pub(crate) fn cancel(&self, tracker: Option<&Arc<TurnTracker>>) {
        let _in_order = self.lock_sending();
        let mut state = self.state();
        let in_flight = state.turn.as_ref().map(|turn| turn.tracker.clone());
        let turn = match (in_flight, tracker) {
            (Some(turn), None) => turn,
            (Some(turn), Some(tracker)) if Arc::ptr_eq(&turn, tracker) => turn,
            (_, Some(tracker)) => {
                tracker.cancel();
                return;
            }
            (None, None) => {
                drop(state);
                return self.cancel_own_work();
            }
        };
        if turn.cancel() {
            let withdrawn = state.withdraw();
            drop(state);
            // The notification is the same in both versions. If the connection has ended, that ends
            // the turn too.
            let _ = self.peer.notify::<SessionCancel>(&CancelNotification::new(self.id.clone()));
            self.fold.wake();
            cancelled(withdrawn);
        }
    }

    /// Ends the session because the connection is over: the turn fails, questions are withdrawn,
    /// watchers end.
    pub(crate) fn over(&self, end: &ConnectionEnd) {
        let running = self.state().turn.as_ref().map(|turn| turn.tracker.clone());
        match running {
            Some(tracker) => self.end_turn(&tracker, Err(TurnError::Disconnected(end.clone()))),
            None => self.end_own_work(end),
        }
        let withdrawn = self.state().withdraw();
        cancelled(withdrawn);
        self.terminals.end();
        self.over.store(true, Ordering::Release);
        self.fold.wake();
        self.fold.rouse();
    }
}

impl State {
    fn set_up(&mut self, setup: Setup) {
        self.files = SessionFiles::new(setup.folders.clone());
        self.folders = Some(setup.folders);
        self.permissions = setup.permissions;
        setup.said.into_iter().for_each(|body| self.apply(body));
    }

    /// Whether the turn in flight, or work that the agent began by itself, is being cancelled.
    fn is_cancelling(&self) -> bool {
        self.is_own_work_cancelled
            || self.turn.as_ref().is_some_and(|turn| turn.tracker.is_cancelling())
    }

    /// Whether a caller waits for a load.
    fn is_loading(&self) -> bool {
        self.loading.as_ref().is_some_and(|loading| loading.replayed.is_some())
    }

    /// Folds an update from the agent.
    fn hear(&mut self, body: EventBody) {
        if self.turn.as_mut().is_some_and(|turn| turn.agent.is_prompt(&body)) {
            return;
        }
        match self.turn.as_mut().and_then(|turn| turn.echo.as_mut()) {
            Some(echo) => echo.hear(body, |body| self.fold.apply(body)),
            None => self.apply(body),
        }
    }

    fn apply(&self, body: EventBody) {
        self.fold.apply(body);
    }

    /// Removes all open questions, folds that they were cancelled, and drops unused approvals.
    fn withdraw(&mut self) -> Vec<AgentQuestion> {
        self.approvals.end_turn();
        self.asked_aside.clear();
        let open = std::mem::take(&mut self.asked);
        for id in open.keys() {
            self.apply(EventBody::PermissionSettled {
                id: *id,
                outcome: RequestPermissionOutcome::Cancelled,
            });
        }
        open.into_values().collect()
    }
}

/// Answers withdrawn questions with `cancelled`. Never called while the state is locked.
fn cancelled(questions: Vec<AgentQuestion>) {
    for question in questions {
        question
            .answer
            .send(Ok(RequestPermissionResponse::new(RequestPermissionOutcome::Cancelled)));
    }
}
