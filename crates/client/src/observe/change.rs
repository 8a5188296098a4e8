//! The changes of a session or a hub, as every front end receives them.

use super::checkpoint_change::CheckpointChange;
use super::session_status::SessionStatus;
use super::wire;
use attache_protocol::Raw;
use attache_protocol::v1::{
    AvailableCommand, CompactionUpdate, ContentBlock, Cost, Notice, PermissionOption, PlanId,
    SessionConfigOption, SessionId, StopReason, Usage,
};
use attache_session::{MessageAuthor, PlanContent, Timestamp, ToolCall, ToolCallPatch};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One change of a session or of a hub.
///
/// Successive changes are merged until a watcher asks for them. A change contains the whole current
/// state of what changed. For text, it contains only the appended part. A program that applies all
/// changes in order shows the whole session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Change {
    /// A message begins; its text follows. Only this change shows where one message ends and the
    /// next one from the same author begins.
    #[serde(with = "wire::Author")]
    Began(MessageAuthor),
    /// New text of the agent's answer, in Markdown.
    Text(String),
    /// New text of the agent's reasoning.
    Thought(String),
    /// New text from the person, sent by this client or repeated by the agent.
    UserText(String),
    /// Content of a message that is not plain text.
    Content {
        /// The author of the message.
        #[serde(with = "wire::Author")]
        author: MessageAuthor,
        /// The content.
        #[serde(with = "wire::pointer")]
        block: Arc<ContentBlock>,
    },
    /// A tool call began or changed. Holds all its known state.
    #[serde(with = "wire::tool_call")]
    ToolCall(Box<ToolCall>),
    /// A plan was created, replaced or dropped.
    Plan {
        /// The plan's id; `None` for the only plan of an agent that does not use plan ids.
        #[serde(with = "wire::option")]
        id: Option<PlanId>,
        /// The whole plan; `None` once the agent dropped it.
        #[serde(with = "wire::plan")]
        content: Option<PlanContent>,
    },
    /// A notice for the person.
    #[serde(with = "wire::pointer")]
    Notice(Box<Notice>),
    /// A compaction began or changed. Holds all its known state.
    #[serde(with = "wire::pointer")]
    Compaction(Box<CompactionUpdate>),
    /// An entry of another kind, such as an update that this version does not know.
    Other {
        /// The entry's index in [`attache_session::Session::entries`].
        entry: usize,
        /// The kind of the entry, such as the update's name.
        name: String,
        /// The update as the agent sent it, if this version does not know it.
        #[serde(with = "wire::option")]
        raw: Option<Raw>,
    },
    /// All slash commands.
    #[serde(with = "wire")]
    Commands(Vec<AvailableCommand>),
    /// All options that a person can choose, modes and models included, the most important first.
    #[serde(with = "wire")]
    Config(Vec<SessionConfigOption>),
    /// The title, the time of the last update, and whether the session is archived.
    Info {
        /// The title.
        title: Option<String>,
        /// When the session last changed (ISO 8601), as the agent reported it.
        updated_at: Option<String>,
        /// Whether the session is archived.
        archived: bool,
    },
    /// Context, cost and tokens.
    Usage(UsageChange),
    /// All permission requests that are open; empty once the last one is settled.
    Permissions(Vec<OpenPermission>),
    /// The folders of the session.
    Folders {
        /// The working directory.
        cwd: String,
        /// The other folders.
        additional_directories: Vec<String>,
    },
    /// A turn began or ended.
    Turn(TurnChange),
    /// The state that the hub keeps for a session: its status, its queue, its questions, its draft.
    Status(Box<SessionStatus>),
    /// The hub took a checkpoint of the files of the session. Watchers get one change for each of
    /// the last checkpoints.
    Checkpoint(CheckpointChange),
    /// A session of the hub was opened or changed; watch that session for more.
    Session {
        /// The name of its agent in the hub.
        agent: String,
        /// The id of the session.
        #[serde(with = "wire::session_id")]
        id: SessionId,
    },
    /// An agent was added to the hub, or its state changed.
    Agent {
        /// The agent's name in the hub.
        name: String,
    },
    /// Sessions of the hub were opened or closed, or the list of stored sessions changed.
    SessionList,
}

/// Context, cost and tokens of a session.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UsageChange {
    /// The number of tokens in the context; `None` until the agent reports it.
    pub used: Option<u64>,
    /// The size of the context in tokens; `None` until the agent reports it.
    pub size: Option<u64>,
    /// The cost of the session, by currency.
    #[serde(with = "wire")]
    pub costs: Vec<Cost>,
    /// The tokens of the last turn that reported any.
    #[serde(with = "wire::option")]
    pub last_turn: Option<Usage>,
    /// The tokens of all turns.
    pub total_tokens: u64,
}

/// A permission request that is open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OpenPermission {
    /// The number of the request among the requests of the session.
    pub id: u64,
    /// The tool call as the request described it.
    #[serde(with = "wire::tool_call_patch")]
    pub tool_call: ToolCallPatch,
    /// The answers that the agent offers.
    #[serde(with = "wire")]
    pub options: Vec<PermissionOption>,
    /// When the agent asked.
    #[serde(with = "wire::Milliseconds")]
    pub asked_at: Timestamp,
}

/// Whether a turn runs, and how the last one ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TurnChange {
    /// No turn has run yet.
    Idle,
    /// A turn runs.
    Running {
        /// When it began.
        #[serde(with = "wire::Milliseconds")]
        since: Timestamp,
    },
    /// The last turn ended with this stop reason.
    #[serde(with = "wire")]
    Stopped(StopReason),
    /// The last turn ended with this error.
    #[serde(with = "wire")]
    Failed(attache_protocol::Error),
}
