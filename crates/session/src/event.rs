//! Everything that can happen to a session.

pub(crate) mod join;
pub(crate) mod json;

use crate::question::PermissionQuestion;
use crate::timestamp::Timestamp;
use crate::tool_call::content::ToolCallContent;
use crate::tool_call::{ToolCall, ToolCallPatch};
use attache_protocol::v1::{
    AvailableCommand, CompactionSummaryChunk, CompactionUpdate, ContentBlock, Cost, MessageId,
    Notice, PlanEntry, PlanId, RequestPermissionOutcome, SessionConfigOption, SessionId,
    SessionMessage, SessionMessageChunk, SessionModeId, SessionModeState, SessionModelState,
    StopReason, SubagentUpdate, TerminalId, ToolCallId, Usage,
};
use attache_protocol::v2::{StateUpdate, TerminalUpdate};
use attache_protocol::{Error, Meta, Patch, Raw, v2};

/// One entry in the log of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The number of the event in the log. The first is 1 and later ones are greater. Each event is
    /// applied only once.
    pub sequence: u64,
    /// When it happened, according to its writer.
    pub at: Timestamp,
    /// The event itself.
    pub body: EventBody,
}

/// The body of an event. This is not a wire type: updates, replies and prompts of v1, and private
/// records, are converted to it.
#[allow(
    clippy::large_enum_variant,
    reason = "most events are chunks, and a box would cost an allocation for each tool call"
)]
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EventBody {
    /// The session was opened on this side.
    Opened {
        /// The working directory, absolute.
        cwd: String,
        /// All additional directories, absolute.
        additional_directories: Vec<String>,
        /// How the session was opened.
        origin: Origin,
        /// The name of the foreign agent that counts the session's usage, because agents count
        /// tokens differently. `None` in the agent's own log.
        agent: Option<String>,
    },
    /// Everything known about the session is replaced by the events that follow, for example by the
    /// history that `session/load` replayed. The event's number is the session's new
    /// [`crate::Session::generation`].
    Replaced,
    /// A user's prompt. It begins a user message, which later chunks never continue.
    Prompt {
        /// The content of the prompt.
        content: Vec<ContentBlock>,
    },
    /// A chunk of a message.
    Message {
        /// The author.
        author: MessageAuthor,
        /// The message that the chunk belongs to. Without an id, the chunk continues the preceding
        /// entry if that is a message from the same author.
        message_id: Option<MessageId>,
        /// The chunk.
        content: ContentBlock,
    },
    /// A whole message is created or changes. Only version 2 has whole messages.
    WholeMessage {
        /// The author.
        author: MessageAuthor,
        /// The message.
        message_id: MessageId,
        /// All content from now on.
        content: Patch<Vec<ContentBlock>>,
        /// Extension data, changed by top-level key. The session does not keep it.
        meta: Patch<Meta>,
    },
    /// A tool call is created, or replaces the one with the same id.
    ToolCall(ToolCall),
    /// A tool call is patched. If its id is unknown, a patch with a title or one that upserts
    /// creates it, and any other patch is ignored.
    ToolCallUpdate(ToolCallPatch),
    /// Content is appended to a tool call. An unknown tool call does not change. Only version 2
    /// appends.
    ToolCallContent {
        /// The tool call.
        tool_call_id: ToolCallId,
        /// The new part.
        content: ToolCallContent,
    },
    /// A terminal of the agent is created or changes. Only version 2 has these terminals.
    Terminal(Box<TerminalUpdate>),
    /// A terminal of the agent prints. An unknown terminal does not change, and neither does one
    /// whose data is not base64.
    TerminalOutput {
        /// The terminal.
        terminal_id: TerminalId,
        /// The bytes in base64.
        data: String,
    },
    /// A plan is replaced.
    Plan {
        /// The plan's id. `None` identifies the only plan of agents that do not use plan ids.
        id: Option<PlanId>,
        /// The whole plan.
        content: PlanContent,
    },
    /// A plan is removed.
    PlanRemoved(PlanId),
    /// All slash commands.
    Commands(Vec<AvailableCommand>),
    /// All slash commands, some of which have kinds or inputs that this version does not know. Only
    /// version 2 has kinds.
    CommandsOfKinds(Vec<v2::AvailableCommand>),
    /// All config options, from an update or a reply.
    ConfigOptions(Vec<SessionConfigOption>),
    /// All modes, from a reply.
    Modes(SessionModeState),
    /// The current mode changed.
    CurrentMode(SessionModeId),
    /// All models, in the form that agents sent until June 2026.
    Models(SessionModelState),
    /// Title, time or metadata changed, field by field.
    Info {
        /// The title.
        title: Patch<String>,
        /// When the session last changed (ISO 8601), according to the agent.
        updated_at: Patch<String>,
        /// Metadata to merge into the known metadata.
        meta: Patch<Meta>,
    },
    /// Like [`EventBody::Info`], but each top-level key of the metadata replaces the known value,
    /// as in version 2.
    InfoByKey {
        /// The title.
        title: Patch<String>,
        /// When the session last changed (ISO 8601), according to the agent.
        updated_at: Patch<String>,
        /// The keys of the metadata that change.
        meta: Patch<Meta>,
    },
    /// A title was stored on request.
    StoredTitle {
        /// The title as stored, see [`crate::title`].
        title: String,
        /// Whether later titles of [`EventBody::Info`] are ignored. An agent sets it if a user
        /// chose the title. A client does not set it, because the agent decides that.
        by_person: bool,
    },
    /// The session was archived or unarchived.
    Archived(bool),
    /// How full the context is, and the session's cost so far.
    Usage {
        /// Tokens in the context.
        used: u64,
        /// The context's size in tokens, if it is known.
        size: Option<u64>,
        /// The cost since the session began. Only version 2 clears it.
        cost: Patch<Cost>,
    },
    /// A notice to the user. It is not part of the history.
    Notice(Notice),
    /// A compaction begins, continues or ends.
    Compaction(CompactionUpdate),
    /// A chunk of a compaction's summary.
    CompactionSummary(CompactionSummaryChunk),
    /// A child session is announced or changes.
    Subagent(Box<SubagentUpdate>),
    /// A message between sessions is created or changes.
    SessionMessage(Box<SessionMessage>),
    /// A chunk of a message between sessions.
    SessionMessageChunk(Box<SessionMessageChunk>),
    /// The agent asks for permission. If the question is about a tool call, its patch is applied as
    /// [`EventBody::ToolCallUpdate`] is.
    PermissionAsked {
        /// The id of the request on this side.
        id: PermissionId,
        /// The question.
        question: Box<PermissionQuestion>,
    },
    /// The request was answered or withdrawn.
    PermissionSettled {
        /// The id of the request.
        id: PermissionId,
        /// The decision.
        outcome: RequestPermissionOutcome,
    },
    /// A turn started.
    TurnBegan,
    /// The turn ended.
    TurnEnded {
        /// How it ended.
        outcome: TurnOutcome,
        /// The turn's tokens, if reported (USE-10).
        usage: Option<Usage>,
    },
    /// What the agent does, which begins and ends turns in version 2, and its work in the
    /// background.
    State(Box<StateUpdate>),
    /// A private record of an agent's author. It stays in the log and is never sent.
    Record {
        /// The author's name for this kind of record.
        name: String,
        /// Any JSON.
        value: Raw,
    },
    /// An update of a kind that this version does not know.
    Unknown {
        /// The value of `sessionUpdate`.
        name: String,
        /// The whole update as it arrived, with its tag.
        raw: Raw,
    },
    /// An event that a newer version wrote. It is kept, but has no effect.
    Newer {
        /// The name of the event in the log.
        name: String,
        /// The JSON of the event.
        value: Raw,
    },
}

impl EventBody {
    /// Returns the event of a permission request of either version, as it arrived.
    pub fn permission_asked(id: PermissionId, question: impl Into<PermissionQuestion>) -> Self {
        Self::PermissionAsked { id, question: Box::new(question.into()) }
    }

    /// Returns whether the event counts as activity and updates the session's `updatedAt`: anything
    /// said, done, asked or decided, a title, or metadata.
    ///
    /// Archiving, notices and private records do not count, nor do facts that an agent repeats
    /// whenever a session is opened: its origin, options, modes, models, commands, usage and state.
    pub fn is_activity(&self) -> bool {
        match self {
            Self::Opened { origin, .. } => matches!(origin, Origin::New | Origin::Forked(_)),
            Self::Replaced
            | Self::Commands(_)
            | Self::CommandsOfKinds(_)
            | Self::ConfigOptions(_)
            | Self::Modes(_)
            | Self::CurrentMode(_)
            | Self::Models(_)
            | Self::Usage { .. }
            | Self::Archived(_)
            | Self::Notice(_)
            | Self::State(_)
            | Self::Record { .. } => false,
            _ => true,
        }
    }
}

/// How a session was opened on this side.
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

/// The author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageAuthor {
    /// The user.
    User,
    /// The agent's answer.
    Agent,
    /// The agent's reasoning.
    Thought,
}

/// A plan in one of its forms. The form may change from event to event.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanContent {
    /// Steps.
    Items(Vec<PlanEntry>),
    /// The URI of a file that holds the plan.
    File(String),
    /// Markdown text.
    Markdown(String),
}

/// The id of a permission request on this side. It is never sent.
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
