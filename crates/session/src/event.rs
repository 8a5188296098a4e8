//! What can happen to a session.

pub(crate) mod join;
pub(crate) mod json;
pub(crate) mod update;

use crate::timestamp::Timestamp;
use attache_protocol::v1::{
    AvailableCommand, CompactionSummaryChunk, CompactionUpdate, ContentBlock, Cost, MessageId,
    Notice, PermissionOption, PlanEntry, PlanId, RequestPermissionOutcome, SessionConfigOption,
    SessionId, SessionMessage, SessionMessageChunk, SessionModeId, SessionModeState,
    SessionModelState, StopReason, SubagentUpdate, ToolCall, ToolCallUpdate, Usage,
};
use attache_protocol::{Error, Meta, Patch, Raw};

/// One thing that happened to one session: a line of its log.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its number in the log. The first is 1, later ones are greater; an event is applied once.
    pub sequence: u64,
    /// When it happened, as its writer says.
    pub at: Timestamp,
    /// What happened.
    pub body: EventBody,
}

/// What happened to a session. No type of the wire: v1 updates, replies, prompts and private
/// records all become this.
#[allow(
    clippy::large_enum_variant,
    reason = "most events are chunks; a box would be an allocation for each tool call only to move less"
)]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EventBody {
    /// The session was set up on this side.
    Opened {
        /// The working directory, absolute.
        cwd: String,
        /// The further roots, all of them, absolute (DIR-05).
        additional_directories: Vec<String>,
        /// How the session came to be here.
        origin: Origin,
        /// Whose words the session's figures are in, such as what a turn's tokens count: the name
        /// of a foreign agent. `None` on the side of the agent itself.
        agent: Option<String>,
    },
    /// What was known of the session is replaced by what follows, such as the history that a load
    /// replayed (SESS-12). The number of the event is the session's new
    /// [`crate::Session::generation`].
    Replaced,
    /// A person's prompt: begins a user message of the transcript, which no later chunk goes on
    /// with.
    Prompt {
        /// What was said.
        content: Vec<ContentBlock>,
    },
    /// A piece of a message (§2.1).
    Message {
        /// Who speaks.
        author: MessageAuthor,
        /// The message it belongs to (MSG-02); without one it goes on with the entry before it, if
        /// that has the same author (MSG-04).
        message_id: Option<MessageId>,
        /// The piece.
        content: ContentBlock,
    },
    /// A tool call is created, or replaced whole if its id is known.
    ToolCall(ToolCall),
    /// A tool call is patched (TOOL-05); created if its id is not known and the patch has a title,
    /// else ignored (TOOL-04).
    ToolCallUpdate(ToolCallUpdate),
    /// A plan is replaced whole (PLAN-03, PLANU-02).
    Plan {
        /// Which plan; `None` is the one plan of clients that know no ids.
        id: Option<PlanId>,
        /// All of it.
        content: PlanContent,
    },
    /// A plan is dropped (PLANU-02).
    PlanRemoved(PlanId),
    /// The slash commands, whole (CMD-02).
    Commands(Vec<AvailableCommand>),
    /// The config options, whole, from an update or a reply (CONF-04).
    ConfigOptions(Vec<SessionConfigOption>),
    /// The modes, whole, from a reply (MODE-01).
    Modes(SessionModeState),
    /// The mode in use changed (MODE-04).
    CurrentMode(SessionModeId),
    /// The models, whole, in the shape agents sent until June 2026 (requirements §1.4).
    Models(SessionModelState),
    /// Title, time or metadata changed, field by field (INFO-03, INFO-09).
    Info {
        /// The title.
        title: Patch<String>,
        /// When the session last changed (ISO 8601), as stated.
        updated_at: Patch<String>,
        /// Metadata, merged into what is known.
        meta: Patch<Meta>,
    },
    /// A title was stored on request (TITLE-01).
    StoredTitle {
        /// The title as stored, see [`crate::title`].
        title: String,
        /// Whether later titles of [`EventBody::Info`] must leave it alone (TITLE-03). An agent
        /// says yes when a person set it; a client says no, because the agent it shows decides
        /// that.
        by_person: bool,
    },
    /// The session was put away, or taken out again (ARCH-02, ARCH-06).
    Archived(bool),
    /// How full the context is, and what the session cost until now (USE-02, USE-04).
    Usage {
        /// Tokens in the context.
        used: u64,
        /// The context's size in tokens, if it is known.
        size: Option<u64>,
        /// The cost since the session began; `None` says nothing about it.
        cost: Option<Cost>,
    },
    /// Something to tell the person; no history (NOTE-02).
    Notice(Notice),
    /// A compaction begins, goes on or ends (COMP-05).
    Compaction(CompactionUpdate),
    /// A piece of a compaction's summary (COMP-06).
    CompactionSummary(CompactionSummaryChunk),
    /// A child session is announced or changes (SUB-01).
    Subagent(Box<SubagentUpdate>),
    /// A message between sessions is created or changes.
    SessionMessage(Box<SessionMessage>),
    /// A piece of a message between sessions.
    SessionMessageChunk(Box<SessionMessageChunk>),
    /// Somebody is asked whether a tool call may run (PERM-01).
    PermissionAsked {
        /// Names the question on this side.
        id: PermissionId,
        /// The call, as a patch of what is known of it (PERM-10).
        tool_call: ToolCallUpdate,
        /// What can be chosen.
        options: Vec<PermissionOption>,
    },
    /// The question was answered or withdrawn.
    PermissionSettled {
        /// Which question.
        id: PermissionId,
        /// What was decided.
        outcome: RequestPermissionOutcome,
    },
    /// A turn began.
    TurnBegan,
    /// The turn ended.
    TurnEnded {
        /// How.
        outcome: TurnOutcome,
        /// The turn's tokens, if reported (USE-10).
        usage: Option<Usage>,
    },
    /// A private record of an agent's author: kept in the log, never sent.
    Record {
        /// What kind of record it is; the author's choice.
        name: String,
        /// Any JSON.
        value: Raw,
    },
    /// An update that this version has no name for: kept and shown as what it is.
    Unknown {
        /// The value of `sessionUpdate`.
        name: String,
        /// The whole update as it arrived, tag included.
        raw: Raw,
    },
    /// An event of a log that a newer version wrote: kept as it is, without effect.
    Newer {
        /// Its name in the log.
        name: String,
        /// Its JSON.
        value: Raw,
    },
}

impl EventBody {
    /// Whether something happened in the session, so that its `updatedAt` moves: anything said,
    /// done, asked or decided, a title, metadata.
    ///
    /// Not so what is only stated again whenever somebody looks at a session (that it was loaded or
    /// resumed, options, modes, models, commands, usage), that it was put away or taken out,
    /// notices (NOTE-02), and private records, which nobody sees.
    pub fn is_activity(&self) -> bool {
        match self {
            Self::Opened { origin, .. } => matches!(origin, Origin::New | Origin::Forked(_)),
            Self::Replaced
            | Self::Commands(_)
            | Self::ConfigOptions(_)
            | Self::Modes(_)
            | Self::CurrentMode(_)
            | Self::Models(_)
            | Self::Usage { .. }
            | Self::Archived(_)
            | Self::Notice(_)
            | Self::Record { .. } => false,
            _ => true,
        }
    }
}

/// How a session came to be on this side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// `session/new`.
    New,
    /// `session/load`.
    Loaded,
    /// `session/resume`.
    Resumed,
    /// `session/fork` of this session.
    Forked(SessionId),
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageAuthor {
    /// The person.
    User,
    /// The agent, in its answer.
    Agent,
    /// The agent, reasoning.
    Thought,
}

/// A plan in one of its forms; the form may change from event to event (PLANU-02).
#[derive(Debug, Clone, PartialEq)]
pub enum PlanContent {
    /// Steps.
    Items(Vec<PlanEntry>),
    /// The URI of a file that holds the plan.
    File(String),
    /// A text; Markdown.
    Markdown(String),
}

/// Names one permission request of a session on this side; never on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PermissionId(pub u64);

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnOutcome {
    /// With this stop reason.
    Stopped(StopReason),
    /// With an error instead of a stop reason (PROMPT-10).
    Failed(Error),
}
