//! The part of an open session that is under its lock: the fold, its log, and the turn that runs.

use crate::World;
use crate::compaction::OpenCompaction;
use crate::info_pace::InfoPace;
use crate::line_up::LineUp;
use crate::open_session::OpenSession;
use crate::ticket::{Stage, Ticket};
use attache_protocol::v1::{SessionUpdate, TerminalId, ToolCallId, Usage};
use attache_session::{Commit, Event, EventBody, Log, PermissionId, Session};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

/// Bytes that may be appended and not stored before whoever says more must wait.
const BACKLOG: usize = 1024 * 1024;

/// Updates that may wait behind replies, likewise.
const LINE: usize = 256;

/// What no one holds while waiting or while an author's code runs.
pub(crate) struct State {
    pub(crate) session: Session,
    world: Arc<dyn World>,
    /// `None` once the session is closed: then nothing happens in it any more (SESS-25).
    log: Option<Box<dyn Log>>,
    /// What happened since the session is being opened. It becomes part of the log when that
    /// succeeded, so a session that could not be opened leaves no trace.
    opening: Option<Vec<Event>>,
    /// Shared with [`OpenSession`](crate::open_session::OpenSession), where it is looked at without
    /// the lock.
    behind: Arc<AtomicBool>,
    pub(crate) line_up: LineUp,
    last_prompt: u64,
    /// The prompts that are accepted and not answered, in order.
    pub(crate) prompts: Vec<(u64, watch::Sender<Stage>)>,
    pub(crate) turn: Option<RunningTurn>,
    pub(crate) info: InfoPace,
    /// Reused for the lines of text chunks.
    pub(crate) line: Vec<u8>,
}

/// What the kit keeps of the turn that runs.
pub(crate) struct RunningTurn {
    /// The number of its prompt.
    pub(crate) prompt: u64,
    /// The message that the next chunk continues, if it is of the same kind.
    pub(crate) message: Option<crate::message::OpenMessage>,
    /// Tool calls without a final status.
    pub(crate) open_calls: Vec<ToolCallId>,
    /// Permission requests without an answer.
    pub(crate) open_questions: Vec<PermissionId>,
    /// Compactions without a final status.
    pub(crate) open_compactions: Vec<OpenCompaction>,
    /// Terminals that are not released.
    pub(crate) open_terminals: Vec<TerminalId>,
    /// The sessions of subagents that have not stopped.
    pub(crate) open_subagents: Vec<Arc<OpenSession>>,
    pub(crate) spent: Option<Usage>,
}

impl RunningTurn {
    pub(crate) fn new(prompt: u64) -> Self {
        Self {
            prompt,
            message: None,
            open_calls: Vec::new(),
            open_questions: Vec::new(),
            open_compactions: Vec::new(),
            open_terminals: Vec::new(),
            open_subagents: Vec::new(),
            spent: None,
        }
    }
}

impl State {
    /// A session that is being opened: `session` as it is stored, `log` where it goes on.
    pub(crate) fn new(
        session: Session,
        world: Arc<dyn World>,
        log: Box<dyn Log>,
        behind: Arc<AtomicBool>,
    ) -> Self {
        Self {
            session,
            world,
            log: Some(log),
            opening: Some(Vec::new()),
            behind,
            line_up: LineUp::default(),
            last_prompt: 0,
            prompts: Vec::new(),
            turn: None,
            info: InfoPace::default(),
            line: Vec::new(),
        }
    }

    /// Appends an event to the session and its log. In a closed session nothing happens.
    pub(crate) fn record(&mut self, body: EventBody) {
        let Some(log) = &mut self.log else { return };
        let event = self.session.next(self.world.now(), body);
        self.session.apply(&event);
        match &mut self.opening {
            Some(events) => events.push(event),
            None => {
                log.append(&event);
                if log.backlog() > BACKLOG {
                    self.behind.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// The session is open: its log goes on with what happened meanwhile, which is given back.
    pub(crate) fn opened(&mut self) -> Vec<Event> {
        let events = self.opening.take().unwrap_or_default();
        if let Some(log) = &mut self.log {
            events.iter().for_each(|event| log.append(event));
        }
        events
    }

    /// Whether more waits to be stored than may.
    pub(crate) fn is_behind(&self) -> bool {
        self.line_up.len() > LINE || self.log.as_ref().is_some_and(|log| log.backlog() > BACKLOG)
    }

    /// An update leaves behind the replies that wait.
    pub(crate) fn lines_up(&mut self, update: SessionUpdate) {
        self.line_up.push(update);
        if self.line_up.len() > LINE {
            self.behind.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the session is not open yet.
    pub(crate) fn is_opening(&self) -> bool {
        self.opening.is_some()
    }

    /// Whether the session was closed: a handle to it does nothing any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.log.is_none()
    }

    /// Stores everything that happened until now.
    pub(crate) fn commit(&self) -> Commit {
        match &self.log {
            Some(log) => log.commit(),
            None => Box::pin(std::future::ready(Ok(()))),
        }
    }

    /// Gives the log back to the store. Nothing is recorded or sent from now on.
    pub(crate) fn close(&mut self) {
        self.line_up.clear();
        self.log = None;
    }

    /// The number of a prompt that arrived.
    pub(crate) fn next_prompt(&mut self) -> u64 {
        self.last_prompt += 1;
        self.last_prompt
    }

    pub(crate) fn turn(&mut self) -> Option<&mut RunningTurn> {
        self.turn.as_mut()
    }

    /// Whether the turn of `ticket` runs.
    pub(crate) fn runs(&self, ticket: &Ticket) -> bool {
        self.turn.as_ref().is_some_and(|turn| turn.prompt == ticket.number)
    }

    /// Takes the turn out: nothing is said in it any more.
    pub(crate) fn take_turn(&mut self) -> Option<RunningTurn> {
        self.turn.take()
    }

    /// An id that was never given before.
    pub(crate) fn new_id(&self) -> String {
        self.world.id()
    }

    pub(crate) fn world(&self) -> Arc<dyn World> {
        Arc::clone(&self.world)
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

    /// Opens a permission request. Its id is unique in the session, also after it was loaded again.
    pub(crate) fn open_question(&mut self) -> PermissionId {
        let id = PermissionId(self.session.sequence() + 1);
        if let Some(turn) = &mut self.turn {
            turn.open_questions.push(id);
        }
        id
    }
}
