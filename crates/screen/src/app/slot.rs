//! An open session, or one that opens, with its conversation and its composer.

use crate::composer::{Draft, Piece};
use crate::conversation::Conversation;
use attache_client::{HubSession, QueuedPromptId, SessionState};
use std::path::PathBuf;
use tokio::task::AbortHandle;

/// Identifies a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlotId(pub(crate) u64);

/// A place for one session. Each has its own draft and its own position of reading.
pub(crate) struct Slot {
    pub(crate) id: SlotId,
    /// The name of the agent in the hub.
    pub(crate) agent: String,
    /// The folder of the session.
    pub(crate) cwd: PathBuf,
    /// The branch of its repository.
    pub(crate) branch: Option<String>,
    pub(crate) content: SlotContent,
    /// The task that opens the session.
    pub(crate) opening: Option<AbortHandle>,
    /// Since when the agent opens a stored session whose history is shown already.
    pub(crate) attaching: Option<i64>,
    /// The text of the composer while another session is shown.
    pub(crate) draft: Draft,
    /// The draft that a shared hub keeps, as it was last read or stored.
    pub(crate) kept_draft: String,
    /// Whether the draft has text.
    pub(crate) has_draft: bool,
    /// Texts that go into the composer when the session is shown.
    pub(crate) restored: Vec<Vec<Piece>>,
    /// Prompts that the person sent before the session was open.
    pub(crate) early: Vec<Vec<Piece>>,
    /// The prompts that wait in the queue, as the person wrote them.
    pub(crate) written: Vec<(QueuedPromptId, Vec<Piece>)>,
    /// The state of the session when its badge was last drawn.
    pub(crate) badge: Badge,
    /// The number of the last event that the person has seen.
    pub(crate) seen: u64,
    /// Whether a turn began whose end was not told yet.
    pub(crate) awaits_end: bool,
    /// Whether a turn ran whose end the person was not notified of.
    pub(crate) has_turn: bool,
    /// Whether the clipboard is read for an image.
    pub(crate) reads_image: bool,
    /// Whether a prompt was sent while the clipboard was read.
    pub(crate) sent_without_image: bool,
}

/// What a slot holds.
pub(crate) enum SlotContent {
    /// The agent starts or opens the session.
    Opening {
        /// When the opening began, in milliseconds since 1970.
        since: i64,
    },
    /// The session was not opened, for this reason.
    Failed(String),
    /// The session is open.
    Open(Box<Conversation>),
}

/// What the list of tabs says about a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Badge {
    /// Nothing.
    #[default]
    None,
    /// A turn runs.
    Running,
    /// The person must answer.
    Waiting,
    /// Something new is there to read.
    Unread,
    /// The session cannot go on.
    Failed,
}

impl Slot {
    /// Makes a slot for a session that opens now.
    pub(crate) fn opening(id: SlotId, agent: String, cwd: PathBuf, now: i64) -> Self {
        Self {
            id,
            agent,
            cwd,
            branch: None,
            opening: None,
            attaching: None,
            content: SlotContent::Opening { since: now },
            draft: Draft::default(),
            kept_draft: String::new(),
            has_draft: false,
            restored: Vec::new(),
            early: Vec::new(),
            written: Vec::new(),
            badge: Badge::None,
            seen: 0,
            awaits_end: false,
            has_turn: false,
            reads_image: false,
            sent_without_image: false,
        }
    }

    /// The session, once it is open.
    pub(crate) fn session(&self) -> Option<&HubSession> {
        match &self.content {
            SlotContent::Open(conversation) => Some(&conversation.session),
            _ => None,
        }
    }

    pub(crate) fn conversation_mut(&mut self) -> Option<&mut Conversation> {
        match &mut self.content {
            SlotContent::Open(conversation) => Some(conversation),
            _ => None,
        }
    }

    /// Why the session was not opened.
    pub(crate) fn failure(&self) -> Option<&str> {
        match &self.content {
            SlotContent::Failed(why) => Some(why),
            _ => None,
        }
    }

    /// Returns whether the end of the screen would cancel a turn or drop a prompt that waits.
    pub(crate) fn is_busy(&self) -> bool {
        let Some(session) = self.session() else { return !self.early.is_empty() };
        let works = matches!(
            session.state(),
            SessionState::Running { .. } | SessionState::WaitingForPerson { .. }
        );
        works || !session.queue().is_empty()
    }

    /// Returns whether a turn has ended since the last call. An opening is no turn.
    pub(crate) fn take_turn_end(&mut self) -> bool {
        match self.session().map(HubSession::state) {
            Some(SessionState::Running { .. } | SessionState::Cancelling { .. }) => {
                self.has_turn = true;
                false
            }
            Some(SessionState::WaitingForPerson { .. }) => false,
            _ => std::mem::take(&mut self.has_turn),
        }
    }

    /// Reads what the list of tabs says.
    pub(crate) fn read_badge(&self, is_focused: bool) -> Badge {
        let Some(session) = self.session() else {
            return match self.content {
                SlotContent::Opening { .. } => Badge::Running,
                _ => Badge::Failed,
            };
        };
        match session.state() {
            SessionState::WaitingForPerson { .. } => Badge::Waiting,
            SessionState::Starting
            | SessionState::Running { .. }
            | SessionState::Cancelling { .. } => Badge::Running,
            SessionState::Gone { .. }
            | SessionState::ReadOnly { .. }
            | SessionState::Unresponsive
            | SessionState::Closed => Badge::Failed,
            _ if !is_focused && session.snapshot().sequence() > self.seen => Badge::Unread,
            _ => Badge::None,
        }
    }
}
