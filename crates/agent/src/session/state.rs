//! The locked part of an open session. Here every change becomes both an event of the session and a
//! line to the client.

use crate::session::accepted_prompt::{AcceptedPrompt, PromptPhase};
use crate::session::client_update::ClientUpdate;
use crate::session::info_pace::InfoPace;
use crate::session::outgoing_order::{OutgoingItem, OutgoingOrder};
use crate::session::running_turn::{self, OpenCall};
use crate::session::signals::SessionSignals;
use crate::session::terminal_releaser::TerminalReleaser;
use crate::store::record_numbers::{KeepCheckpoint, RecordNumbers};
use crate::{Environment, Error, Result};
use attache_connection::{Cancelled, Peer};
use attache_protocol::v1::{ContentBlock, MessageId, ProtocolVersion, ToolCallId};
use attache_protocol::v2::StateUpdate;
use attache_session::{Commit, Event, EventBody, Log, PermissionId, Session};
use std::sync::Arc;
use tokio::sync::watch;

/// How many bytes may wait to be stored before the author must wait.
const MAX_LOG_BACKLOG: usize = 1024 * 1024;

/// How many updates may wait for earlier replies before the author must wait.
const MAX_WAITING_UPDATES: usize = 256;

/// Queues a reply; called under the session's lock.
pub(crate) type Reply = Box<dyn FnOnce(&mut State) + Send>;

/// The turn that runs in a session.
pub(crate) type RunningTurn = running_turn::RunningTurn<State>;

/// The state of an open session. The lock around it is never held while something waits or while
/// code of the author runs.
pub(crate) struct State {
    pub(crate) session: Session,
    environment: Arc<dyn Environment>,
    peer: Peer,
    signals: Arc<SessionSignals>,
    pub(crate) terminals: TerminalReleaser,
    /// `None` once the session is closed: it then accepts no more events (SESS-25).
    log: Option<Box<dyn Log>>,
    /// The events since opening began. They enter the log when opening succeeds, so a session that
    /// could not be opened leaves no trace.
    opening: Option<Vec<Event>>,
    pub(crate) outgoing: OutgoingOrder<Reply>,
    /// The private records that a checkpoint names.
    pub(crate) records: RecordNumbers,
    /// `None` if the agent has no store.
    pub(crate) keep_checkpoint: Option<KeepCheckpoint>,
    last_prompt: u64,
    /// The prompts that are accepted and not answered, in order.
    prompts: Vec<(u64, watch::Sender<PromptPhase>)>,
    pub(crate) turn: Option<RunningTurn>,
    pub(crate) info: InfoPace,
}

impl State {
    /// Makes the state of a session that is being opened. `session` is its stored state, and new
    /// events go to `log`.
    pub(crate) fn new(
        session: Session,
        environment: Arc<dyn Environment>,
        log: Box<dyn Log>,
        signals: Arc<SessionSignals>,
        terminals: TerminalReleaser,
        peer: Peer,
    ) -> Self {
        Self {
            session,
            environment,
            peer,
            signals,
            terminals,
            log: Some(log),
            opening: Some(Vec::new()),
            outgoing: OutgoingOrder::default(),
            records: RecordNumbers::default(),
            keep_checkpoint: None,
            last_prompt: 0,
            prompts: Vec::new(),
            turn: None,
            info: InfoPace::default(),
        }
    }

    /// Appends an event to the session and its log. Does nothing in a closed session.
    pub(crate) fn record(&mut self, body: EventBody) {
        let Some(log) = &mut self.log else { return };
        let event = self.session.next(self.environment.now(), body);
        self.session.apply(&event);
        self.records.apply(&event);
        match &mut self.opening {
            Some(events) => events.push(event),
            None => {
                log.append(&event);
                if log.backlog() > MAX_LOG_BACKLOG {
                    self.signals.set_backlogged(true);
                }
            }
        }
    }

    /// Marks the session as open. Its log continues with the events since opening began, which are
    /// returned.
    pub(crate) fn opened(&mut self) -> Vec<Event> {
        let events = self.opening.take().unwrap_or_default();
        if let Some(log) = &mut self.log {
            events.iter().for_each(|event| log.append(event));
        }
        events
    }

    /// Returns whether the session is not open yet.
    pub(crate) fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// Returns whether the session was closed. Handles to a closed session have no effect.
    pub(crate) fn is_closed(&self) -> bool {
        self.log.is_none()
    }

    /// Returns whether too much waits to be stored or sent.
    pub(crate) fn is_backlogged(&self) -> bool {
        self.outgoing.len() > MAX_WAITING_UPDATES
            || self.log.as_ref().is_some_and(|log| log.backlog() > MAX_LOG_BACKLOG)
    }

    /// Stores a checkpoint, if the log has grown enough since the last one.
    pub(crate) fn keep_checkpoint(&mut self) {
        if let (Some(log), Some(keep)) = (&mut self.log, self.keep_checkpoint) {
            keep(&mut **log, &self.session, &self.records);
        }
    }

    /// Stores all events so far.
    pub(crate) fn commit(&self) -> Commit {
        match &self.log {
            Some(log) => log.commit(),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    /// Releases the log to the store. From now on nothing is recorded or sent.
    pub(crate) fn close(&mut self) {
        self.outgoing.clear();
        self.log = None;
    }

    pub(crate) fn new_id(&self) -> String {
        self.environment.new_id()
    }

    pub(crate) fn environment(&self) -> Arc<dyn Environment> {
        Arc::clone(&self.environment)
    }
}

/// Functions that send to the client.
impl State {
    /// Records an event and, where the client supports it, sends it.
    pub(crate) fn post(&mut self, body: EventBody) -> Result<()> {
        if self.is_closed() {
            return Err(Error::Closed);
        }
        let update = self.update(&body);
        self.record(body);
        if let Some(update) = update {
            self.send(update)?;
        }
        self.send_info_when_due()
    }

    /// Returns the update that tells the client about an event, if there is one.
    pub(crate) fn update(&self, body: &EventBody) -> Option<ClientUpdate> {
        ClientUpdate::of(body, &self.peer)
    }

    /// Sends an update whose event is already recorded. An update for a session that the client
    /// does not know yet waits (SESS-26).
    pub(crate) fn send(&mut self, update: ClientUpdate) -> Result<()> {
        match self.outgoing.announced() {
            true => self.notify(update),
            false => {
                self.queue(update);
                Ok(())
            }
        }
    }

    /// Sends an update about something that replies also contain, such as options. The update does
    /// not overtake those replies (CONF-24). While the session is being opened, nothing is sent,
    /// because the reply will contain the value.
    pub(crate) fn send_in_order(&mut self, update: ClientUpdate) -> Result<()> {
        if self.is_opening() {
            return Ok(());
        }
        if self.outgoing.is_empty() {
            return self.notify(update);
        }
        self.queue(update);
        Ok(())
    }

    /// Sends the title and metadata that the client does not know yet, if a line may go out.
    pub(crate) fn send_info_when_due(&mut self) -> Result<()> {
        match self.info.is_due() {
            true => self.send_info(),
            false => Ok(()),
        }
    }

    /// Sends the title and metadata that the client does not know yet. The line contains only what
    /// changed (INFO-02).
    pub(crate) fn send_info(&mut self) -> Result<()> {
        if !self.info.is_pending() || self.is_closed() {
            return Ok(());
        }
        match self.info.take_update(self.session.info(), self.peer.version()) {
            Some(update) => self.send(update),
            None => Ok(()),
        }
    }

    /// Sends the title and the metadata if they are due; otherwise they are sent later.
    pub(crate) fn info_changed(&mut self) -> Result<()> {
        self.send_info_when_due()?;
        if self.info.is_pending() {
            self.signals.info_pending.notify_one();
        }
        Ok(())
    }

    /// Sends all items of the outgoing order that no longer wait.
    pub(crate) fn send_outgoing(&mut self) {
        while let Some(item) = self.outgoing.next() {
            match item {
                OutgoingItem::Ready(send) => send(self),
                OutgoingItem::Update(update) => {
                    // If the connection is over, so is the session.
                    let _ = self.notify(*update);
                }
                OutgoingItem::Awaited | OutgoingItem::Nothing => {}
            }
        }
    }

    pub(crate) fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Returns whether the client speaks version 2.
    pub(crate) fn speaks_version_2(&self) -> bool {
        self.peer.version() == ProtocolVersion::V2
    }

    /// Tells a client of version 2 what the session is doing. In version 1 the replies to prompts
    /// say it.
    pub(crate) fn send_work_state(&self, work: StateUpdate) -> Result<()> {
        match self.speaks_version_2() {
            true => self.notify(ClientUpdate::V2(work.into())),
            false => Ok(()),
        }
    }

    fn notify(&self, update: ClientUpdate) -> Result<()> {
        update.send(self.session.id(), &self.peer)
    }

    /// Lets an update wait for the replies before it.
    fn queue(&mut self, update: ClientUpdate) {
        self.outgoing.push(update);
        if self.outgoing.len() > MAX_WAITING_UPDATES {
            self.signals.set_backlogged(true);
        }
    }
}

/// Functions for prompts and turns.
impl State {
    /// Accepts a prompt. It counts as unanswered until [`State::forget_prompt`] is called.
    pub(crate) fn accept_prompt(&mut self, request: Cancelled) -> AcceptedPrompt {
        let (phase, watcher) = watch::channel(PromptPhase::Active);
        self.last_prompt += 1;
        self.prompts.push((self.last_prompt, phase));
        self.signal_front();
        AcceptedPrompt::new(self.last_prompt, watcher, request)
    }

    /// Cancels every accepted prompt (`session/cancel`). Does nothing if there are none (CANCEL-08,
    /// CANCEL-11).
    pub(crate) fn cancel_prompts(&mut self) {
        for (_, phase) in &self.prompts {
            phase.send_if_modified(|phase| {
                let active = *phase == PromptPhase::Active;
                if active {
                    *phase = PromptPhase::Cancelled;
                }
                active
            });
        }
    }

    /// Begins the turn of a prompt, and returns the id of the user's message. A replay has the same
    /// id.
    pub(crate) fn begin_turn(
        &mut self,
        prompt: &AcceptedPrompt,
        content: Vec<ContentBlock>,
    ) -> MessageId {
        let id = MessageId::from(format!("prompt-{}", self.session.sequence() + 1));
        self.record(EventBody::Prompt { content });
        self.record(EventBody::TurnBegan);
        self.turn = Some(RunningTurn::new(prompt.number));
        id
    }

    /// Removes the prompt with this number; `reply` queues the reply to it before the next prompt
    /// begins.
    pub(crate) fn forget_prompt(&mut self, number: u64, reply: impl FnOnce(&mut Self)) {
        self.prompts.retain(|(other, phase)| {
            let answered = *other == number;
            if answered {
                phase.send_replace(PromptPhase::Answered);
            }
            !answered
        });
        reply(self);
        self.signal_front();
    }

    fn signal_front(&self) {
        self.signals.set_front(self.prompts.first().map(|(number, _)| *number));
    }

    pub(crate) fn turn(&mut self) -> Option<&mut RunningTurn> {
        self.turn.as_mut()
    }

    /// Returns whether the turn of this prompt runs.
    pub(crate) fn runs(&self, prompt: &AcceptedPrompt) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.prompt == prompt.number)
    }

    /// Registers an announced tool call, which must be settled. The next text begins a new message.
    pub(crate) fn opened_call(&mut self, call: OpenCall) {
        if let Some(turn) = &mut self.turn {
            turn.message = None;
            turn.open_calls.push(call);
        }
    }

    /// Marks this call as settled, and returns it if it was open until now (TOOL-08).
    pub(crate) fn settles_call(&mut self, id: &ToolCallId) -> Option<OpenCall> {
        let turn = self.turn.as_mut()?;
        let open = turn.open_calls.iter().position(|open| open.id == *id)?;
        Some(turn.open_calls.swap_remove(open))
    }

    /// Cancels one tool call, and returns whether that is possible.
    pub(crate) fn cancel_tool_call(&mut self, id: &ToolCallId) -> bool {
        let Some(turn) = &mut self.turn else { return false };
        let open = turn.open_calls.iter().find(|open| open.id == *id);
        let Some(cancelled) = open.and_then(|open| open.cancelled.as_ref()) else { return false };
        cancelled.send_replace(true);
        true
    }

    /// Opens a permission request. Its id is unique in the session, even after a load.
    pub(crate) fn open_question(&mut self) -> PermissionId {
        let id = PermissionId(self.session.sequence() + 1);
        if let Some(turn) = &mut self.turn {
            turn.open_questions.push(id);
        }
        id
    }
}
