//! One open session: its state, the turn that runs in it, and the one place where something that happened becomes both an event of the
//! session and a line to the client.

use crate::ticket::{Stage, Ticket};
use crate::{Error, Result, World};
use attache_connection::{Answer, Cancelled, Peer};
use attache_protocol::method::{SessionPrompt, SessionUpdateNotification};
use attache_protocol::v1::{
    ContentBlock, PromptResponse, RequestPermissionOutcome, SessionId, SessionNotification, SessionUpdate,
    StopReason, ToolCallId, ToolCallStatus, ToolCallUpdate, Usage,
};
use attache_session::{EventBody, PermissionId, Session, TurnOutcome};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// What everything that works on a session shares.
pub(crate) struct OpenSession {
    pub(crate) id: SessionId,
    /// The working directory, then the further roots.
    pub(crate) roots: Vec<PathBuf>,
    /// Higher for sessions that began later.
    pub(crate) serial: u64,
    pub(crate) peer: Peer,
    /// Held while options change, so that changes do not overtake one another.
    pub(crate) changing_options: Mutex<()>,
    /// The number of the first prompt that is accepted and not answered: the one whose turn it is.
    front: watch::Sender<Option<u64>>,
    state: Mutex<State>,
}

/// The part under the session's lock, which no one holds while waiting or while an author's code runs.
pub(crate) struct State {
    pub(crate) session: Session,
    world: Arc<dyn World>,
    last_prompt: u64,
    last_permission: u64,
    /// The prompts that are accepted and not answered, in order.
    prompts: Vec<(u64, watch::Sender<Stage>)>,
    turn: Option<RunningTurn>,
    /// Reused for the lines of text chunks.
    pub(crate) line: Vec<u8>,
}

/// What the kit keeps of the turn that runs.
pub(crate) struct RunningTurn {
    /// The number of its prompt.
    prompt: u64,
    /// The message that the next chunk continues, if it is of the same kind.
    pub(crate) message: Option<crate::message::OpenMessage>,
    /// Tool calls without a final status.
    open_calls: Vec<ToolCallId>,
    /// Permission requests without an answer.
    open_questions: Vec<PermissionId>,
    pub(crate) spent: Option<Usage>,
}

impl OpenSession {
    pub(crate) fn new(
        id: SessionId,
        roots: Vec<PathBuf>,
        serial: u64,
        peer: Peer,
        world: Arc<dyn World>,
        opened: EventBody,
    ) -> Self {
        let mut state = State {
            session: Session::new(id.clone()),
            world,
            last_prompt: 0,
            last_permission: 0,
            prompts: Vec::new(),
            turn: None,
            line: Vec::new(),
        };
        state.record(opened);
        Self {
            id,
            roots,
            serial,
            peer,
            changing_options: Mutex::default(),
            front: watch::Sender::new(None),
            state: Mutex::new(state),
        }
    }

    /// A panic under the lock can only be one of ours, between two whole steps; the state is used as it is.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A prompt arrived. It counts as unanswered until [`OpenSession::answer`].
    pub(crate) fn accept(&self, request: Cancelled) -> Ticket {
        let mut state = self.state();
        state.last_prompt += 1;
        let (stage, watcher) = watch::channel(Stage::Wanted);
        let number = state.last_prompt;
        state.prompts.push((number, stage));
        self.tell_front(&state);
        Ticket::new(number, watcher, request)
    }

    /// `session/cancel`: everything accepted so far ends `cancelled`; without such prompts nothing happens (CANCEL-08, CANCEL-11).
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

    /// Waits until it is the turn of the prompt with this number; with `None`, until every accepted prompt has its reply queued.
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
        state.turn = Some(RunningTurn {
            prompt: ticket.number,
            message: None,
            open_calls: Vec::new(),
            open_questions: Vec::new(),
            spent: None,
        });
    }

    /// The end of a prompt, in one step: open tool calls are settled (TOOL-09), the turn ends in the session, and the reply is queued
    /// behind every update of the turn (PROMPT-08). After a cancel the outcome is `cancelled` whatever it was (CANCEL-02).
    pub(crate) fn answer(&self, ticket: &Ticket, outcome: Result<StopReason>, answer: Answer<SessionPrompt>) {
        let mut state = self.state();
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
            usage = turn.spent;
            for id in turn.open_calls {
                let mut update = ToolCallUpdate::new(id);
                update.status = Some(ToolCallStatus::Failed);
                // If the connection is over, nobody needs to know.
                let _ = self.post(&mut state, EventBody::ToolCallUpdate(update));
            }
            for id in turn.open_questions {
                state.record(EventBody::PermissionSettled {
                    id,
                    outcome: RequestPermissionOutcome::Cancelled,
                });
            }
            let outcome = match &outcome {
                Ok(reason) => TurnOutcome::Stopped(reason.clone()),
                Err(error) => TurnOutcome::Failed(error.clone()),
            };
            state.record(EventBody::TurnEnded { outcome, usage: usage.clone() });
        }
        state.prompts.retain(|(number, stage)| {
            let other = *number != ticket.number;
            if !other {
                stage.send_replace(Stage::Over);
            }
            other
        });
        let _ = answer.send(outcome.map(|reason| PromptResponse { usage, ..PromptResponse::new(reason) }));
        self.tell_front(&state);
    }

    /// Runs `step` under the lock, if the turn of `ticket` may still say something.
    pub(crate) fn in_turn<T>(&self, ticket: &Ticket, step: impl FnOnce(&mut State) -> T) -> Result<T> {
        self.settling(ticket, |state| match ticket.is_cancelled() {
            true => Err(Error::Cancelled),
            false => Ok(step(state)),
        })?
    }

    /// The same also after a cancel: for what settles something that was begun (CANCEL-04).
    pub(crate) fn settling<T>(&self, ticket: &Ticket, step: impl FnOnce(&mut State) -> T) -> Result<T> {
        let mut state = self.state();
        match &state.turn {
            Some(turn) if turn.prompt == ticket.number => Ok(step(&mut state)),
            _ => Err(Error::Over),
        }
    }

    /// Something happened: an event of the session and, where the client takes it, a line.
    pub(crate) fn post(&self, state: &mut State, body: EventBody) -> Result<()> {
        let update = match self.peer.client_capabilities() {
            Some(client) => body.to_update_for(&client),
            None => None,
        };
        state.record(body);
        if let Some(update) = update {
            self.send(update)?;
        }
        Ok(())
    }

    /// A line alone, for what is an event of the session already.
    pub(crate) fn send(&self, update: SessionUpdate) -> Result<()> {
        let notification = SessionNotification::new(self.id.clone(), update);
        Ok(self.peer.notify::<SessionUpdateNotification>(&notification)?)
    }

    /// A question of the turn of `ticket` has its answer, or nobody waits for one; only the first settling counts.
    pub(crate) fn settle_permission(
        &self,
        ticket: &Ticket,
        id: PermissionId,
        outcome: RequestPermissionOutcome,
    ) {
        // After the turn there is nothing left to settle.
        let _ = self.settling(ticket, |state| {
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

impl State {
    /// Appends an event to the session.
    pub(crate) fn record(&mut self, body: EventBody) {
        let event = self.session.next(self.world.now(), body);
        self.session.apply(&event);
    }

    pub(crate) fn turn(&mut self) -> Option<&mut RunningTurn> {
        self.turn.as_mut()
    }

    /// A tool call was announced and must be settled. What is said next is another message.
    pub(crate) fn opened_call(&mut self, id: ToolCallId) {
        if let Some(turn) = &mut self.turn {
            turn.message = None;
            turn.open_calls.push(id);
        }
    }

    /// Whether this call was open until now; it is settled from now on (TOOL-08).
    pub(crate) fn settles_call(&mut self, id: &ToolCallId) -> bool {
        let Some(turn) = &mut self.turn else { return false };
        let open = turn.open_calls.iter().position(|open| open == id);
        open.map(|index| turn.open_calls.swap_remove(index)).is_some()
    }

    /// Opens a permission request.
    pub(crate) fn open_question(&mut self) -> PermissionId {
        self.last_permission += 1;
        let id = PermissionId(self.last_permission);
        if let Some(turn) = &mut self.turn {
            turn.open_questions.push(id);
        }
        id
    }
}

impl std::fmt::Debug for OpenSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenSession").field("id", &self.id).finish_non_exhaustive()
    }
}
