//! One open session: its state, the turn that runs in it, and the one place where something that
//! happened becomes both an event of the session and a line to the client.

use crate::line_up::{Place, Promise};
use crate::log_nowhere::LogNowhere;
use crate::session_lock::SessionLock;
pub(crate) use crate::state::{RunningTurn, State};
use crate::terminal::Owed;
use crate::ticket::{Stage, Ticket};
use crate::{Error, Result, World};
use attache_connection::{Cancelled, Peer, Responder};
use attache_protocol::method::{SessionPrompt, SessionUpdateNotification};
use attache_protocol::v1::{
    ContentBlock, PromptResponse, RequestPermissionOutcome, SessionId, SessionNotification,
    SessionUpdate, StopReason,
};
use attache_session::{EventBody, Log, PermissionId, Session, TurnOutcome};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{Notify, watch};

/// What everything that works on a session shares.
pub(crate) struct OpenSession {
    pub(crate) id: SessionId,
    /// The working directory, then the further roots.
    pub(crate) roots: Vec<PathBuf>,
    pub(crate) peer: Peer,
    /// Held while options change, so that changes do not overtake one another. Fair: changes are
    /// made in the order in which they came.
    pub(crate) changing_options: tokio::sync::Mutex<()>,
    /// Told when title or metadata changed and the client does not know yet.
    pub(crate) info_pending: Notify,
    /// Terminals on their way out; shared with the sessions of subagents.
    pub(crate) owed: Arc<Owed>,
    /// The number of the first prompt that is accepted and not answered: the one whose turn it is.
    front: watch::Sender<Option<u64>>,
    /// More was said than could be stored so far: see [`OpenSession::kept_up`].
    behind: Arc<AtomicBool>,
    pub(crate) lock: SessionLock,
}

impl OpenSession {
    /// A session that is being opened, as it is stored, and the place of the reply that will tell
    /// of it: whatever is said before leaves behind that (SESS-26).
    pub(crate) fn opening(
        stored: Session,
        roots: Vec<PathBuf>,
        peer: Peer,
        world: Arc<dyn World>,
        log: Box<dyn Log>,
    ) -> (Arc<Self>, Place) {
        let session = Arc::new(Self::with(stored, roots, peer, world, log));
        let place = Place::new(&session, &mut session.state());
        (session, place)
    }

    /// A session within another one's turn: the client knows it, and nothing of it is stored.
    pub(crate) fn new(
        id: SessionId,
        roots: Vec<PathBuf>,
        peer: Peer,
        world: Arc<dyn World>,
        opened: EventBody,
    ) -> Self {
        let session = Self::with(Session::new(id), roots, peer, world, Box::new(LogNowhere));
        {
            let mut state = session.state();
            state.opened();
            state.line_up.announce();
            state.record(opened);
        }
        session
    }

    fn with(
        stored: Session,
        roots: Vec<PathBuf>,
        peer: Peer,
        world: Arc<dyn World>,
        log: Box<dyn Log>,
    ) -> Self {
        let behind = Arc::<AtomicBool>::default();
        Self {
            id: stored.id().clone(),
            roots,
            peer,
            changing_options: tokio::sync::Mutex::default(),
            info_pending: Notify::new(),
            owed: Arc::default(),
            front: watch::Sender::new(None),
            behind: Arc::clone(&behind),
            lock: SessionLock::new(State::new(stored, world, log, behind)),
        }
    }

    /// A prompt arrived. It counts as unanswered until [`OpenSession::answer`].
    pub(crate) fn accept(&self, request: Cancelled) -> Ticket {
        let mut state = self.state();
        let (stage, watcher) = watch::channel(Stage::Wanted);
        let number = state.next_prompt();
        state.prompts.push((number, stage));
        self.tell_front(&state);
        Ticket::new(number, watcher, request)
    }

    /// `session/cancel`: everything accepted so far ends `cancelled`; without such prompts nothing
    /// happens (CANCEL-08, CANCEL-11).
    pub(crate) fn cancel(&self) {
        for (_, stage) in &self.state().prompts {
            stage.send_if_modified(|stage| {
                let wanted = *stage == Stage::Wanted;
                if wanted {
                    *stage = Stage::Cancelled;
                }
                wanted
            });
        }
    }

    /// Waits until it is the turn of the prompt with this number; with `None`, until every accepted
    /// prompt has its reply queued.
    pub(crate) async fn front_is(&self, number: Option<u64>) {
        // The sender lives as long as `self`.
        let _ = self.front.subscribe().wait_for(|front| *front == number).await;
    }

    fn tell_front(&self, state: &State) {
        let first = state.prompts.first().map(|(number, _)| *number);
        self.front.send_if_modified(|front| std::mem::replace(front, first) != first);
    }

    /// The turn of `ticket` begins.
    pub(crate) fn begin(&self, ticket: &Ticket, content: Vec<ContentBlock>) {
        let mut state = self.state();
        state.record(EventBody::Prompt { content });
        state.record(EventBody::TurnBegan);
        state.turn = Some(RunningTurn::new(ticket.number));
    }

    /// The end of a prompt: the turn ends in the session, and when that is stored the reply is
    /// queued, behind every update of the turn (PROMPT-08) and before the next turn begins.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        ticket: &Ticket,
        outcome: Result<StopReason>,
        answer: Responder<SessionPrompt>,
    ) {
        let (reply, promise) = {
            let mut state = self.state();
            let reply = self.end_turn(&mut state, ticket, outcome);
            (reply, Promise::new(self, &mut state))
        };
        let number = ticket.number;
        let send = move |session: &Self, state: &mut State, stored: Result<()>| {
            let reply = match (reply, stored) {
                // What a cancel comes to is no promise about what was said (CANCEL-02), nor is an
                // error.
                (Ok(reply), Err(error)) if reply.stop_reason != StopReason::Cancelled => {
                    Err(error.to_reply())
                }
                (reply, _) => reply,
            };
            session.forget(state, number, || {
                let _ = answer.send(reply);
            });
        };
        promise.keep(send).await;
    }

    /// The end of a turn, in one step: what is open is settled (TOOL-09). After a cancel the
    /// outcome is `cancelled` whatever it was (CANCEL-02).
    pub(crate) fn end_turn(
        &self,
        state: &mut State,
        ticket: &Ticket,
        outcome: Result<StopReason>,
    ) -> std::result::Result<PromptResponse, attache_protocol::Error> {
        let outcome = match outcome {
            _ if ticket.is_cancelled() => Ok(StopReason::Cancelled),
            Ok(StopReason::Unknown(reason)) => Err(attache_protocol::Error::internal(format!(
                "the agent ended the turn for a reason that ACP does not have: {reason}"
            ))),
            Ok(reason) => Ok(reason),
            Err(error) => Err(error.to_reply()),
        };
        let mut usage = None;
        if let Some(turn) = state.turn.take_if(|turn| turn.prompt == ticket.number) {
            usage.clone_from(&turn.spent);
            self.settle(state, turn, ticket.is_cancelled());
            let outcome = match &outcome {
                Ok(reason) => TurnOutcome::Stopped(reason.clone()),
                Err(error) => TurnOutcome::Failed(error.clone()),
            };
            state.record(EventBody::TurnEnded { outcome, usage: usage.clone() });
        }
        // If the connection is over, nobody needs to know.
        let _ = self.send_info(state);
        outcome.map(|reason| PromptResponse { usage, ..PromptResponse::new(reason) })
    }

    /// The prompt with this number is over; `reply` queues its reply before the next one begins.
    pub(crate) fn forget(&self, state: &mut State, number: u64, reply: impl FnOnce()) {
        state.prompts.retain(|(other, stage)| {
            let over = *other == number;
            if over {
                stage.send_replace(Stage::Over);
            }
            !over
        });
        reply();
        self.tell_front(state);
    }

    /// Whether much waits for the disk.
    pub(crate) fn is_behind(&self) -> bool {
        self.behind.load(Ordering::Relaxed)
    }

    /// Waits for the disk if much waits for it, so that a slow one fills no memory.
    ///
    /// # Errors
    /// [`Error::Store`] if it cannot be stored.
    pub(crate) async fn kept_up(&self) -> Result<()> {
        if self.is_behind() {
            let commit = {
                let state = self.state();
                // Another commit may have stored it meanwhile.
                state.is_behind().then(|| state.commit())
            };
            if let Some(commit) = commit {
                commit.await.map_err(Error::Store)?;
            }
            self.behind.store(false, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Waits for room in the connection and for the store: what everything that sends outside of a
    /// turn awaits first.
    ///
    /// # Errors
    /// [`Error::Gone`], [`Error::Store`].
    pub(crate) async fn room(&self) -> Result<()> {
        self.peer.wait_for_room().await?;
        self.kept_up().await
    }

    /// Runs `step` under the lock, if the turn of `ticket` may still say something.
    pub(crate) fn in_turn<T>(
        &self,
        ticket: &Ticket,
        step: impl FnOnce(&mut State) -> T,
    ) -> Result<T> {
        self.settling(ticket, |state| match ticket.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(step(state)),
        })?
    }

    /// The same also after a cancel: for what settles something that was begun (CANCEL-04).
    pub(crate) fn settling<T>(
        &self,
        ticket: &Ticket,
        step: impl FnOnce(&mut State) -> T,
    ) -> Result<T> {
        let mut state = self.state();
        match state.runs(ticket) {
            true => Ok(step(&mut state)),
            false => Err(Error::Over),
        }
    }

    /// The same in a destructor. After the turn nothing is left to settle: its end has done it.
    pub(crate) fn settling_on_drop(
        &self,
        ticket: &Ticket,
        step: impl FnOnce(&Self, &mut State) + Send + 'static,
    ) {
        let ticket = ticket.clone();
        self.settle_on_drop(move |session, state| {
            if state.runs(&ticket) {
                step(session, state);
            }
        });
    }

    /// Something happened: an event of the session and, where the client takes it, a line.
    pub(crate) fn post(&self, state: &mut State, body: EventBody) -> Result<()> {
        if state.is_closed() {
            return Err(Error::Closed);
        }
        let update = match self.peer.client_capabilities() {
            Some(client) => body.to_update_for(&client),
            None => None,
        };
        state.record(body);
        if let Some(update) = update {
            self.send(state, update)?;
        }
        self.send_info_when_due(state)
    }

    /// A line alone, for what is an event of the session already. One for a session that the client
    /// does not know yet waits (SESS-26).
    pub(crate) fn send(&self, state: &mut State, update: SessionUpdate) -> Result<()> {
        match state.line_up.announced() {
            true => self.notify(update),
            false => {
                state.lines_up(update);
                Ok(())
            }
        }
    }

    /// The same for what replies carry too, such as options: it does not overtake them (CONF-24).
    /// While the session is being opened nothing needs to be told: the reply will.
    pub(crate) fn send_in_order(&self, state: &mut State, update: SessionUpdate) -> Result<()> {
        if state.is_opening() {
            return Ok(());
        }
        if state.line_up.is_empty() {
            return self.notify(update);
        }
        state.lines_up(update);
        Ok(())
    }

    pub(crate) fn notify(&self, update: SessionUpdate) -> Result<()> {
        let notification = SessionNotification::new(self.id.clone(), update);
        Ok(self.peer.notify::<SessionUpdateNotification>(&notification)?)
    }

    /// A question of the turn of `ticket` has its answer, or nobody waits for one; only the first
    /// settling counts.
    pub(crate) fn settle_permission(
        &self,
        ticket: &Ticket,
        id: PermissionId,
        outcome: RequestPermissionOutcome,
    ) {
        self.settling_on_drop(ticket, move |_, state| {
            let questions = state.turn.as_mut().map(|turn| &mut turn.open_questions);
            if let Some(questions) = questions
                && let Some(index) = questions.iter().position(|open| *open == id)
            {
                questions.swap_remove(index);
                state.record(EventBody::PermissionSettled { id, outcome });
            }
        });
    }
}

impl std::fmt::Debug for OpenSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenSession").field("id", &self.id).finish_non_exhaustive()
    }
}
