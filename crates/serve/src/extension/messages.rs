//! The params and results of the methods `_attache/*`, as JSON.
//!
//! | Method | From | Scope | Params → result |
//! |---|---|---|---|
//! | `_attache/watch_hub` | client | watch | [`WatchHub`] → [`Watching`] |
//! | `_attache/hub` | hub, notification | | [`HubChanged`] |
//! | `_attache/watch_session` | client | watch | [`WatchSession`] → [`Watching`] |
//! | `_attache/session` | hub, notification | | [`SessionChanged`] |
//! | `_attache/unwatch` | client | watch | [`Unwatch`] → `{}` |
//! | `_attache/rows` | client | watch | [`ReadRows`] → [`Rows`] |
//! | `_attache/whole_call` | client | watch | [`WholeCall`] → `ToolCallRow` |
//! | `_attache/search` | client | watch | [`Search`] → [`Found`] |
//! | `_attache/answer` | client | answer | [`AnswerQuestion`] → `{}` |
//! | `_attache/open` | client | control | [`OpenSession`] → [`Opened`] |
//! | `_attache/prompt` | client | control | [`SendPrompt`] → `{}` |
//! | `_attache/cancel` | client | control | [`OfSession`] → `{}` |
//! | `_attache/stop_call` | client | control | [`StopCall`] → `{}` |
//! | `_attache/restart` | client | control | [`OfAgent`] → `{}` |
//! | `_attache/continue` | client | control | [`OfSession`] → [`Opened`] |
//! | `_attache/queue` | client | control | [`ChangeQueue`] → `{}` |
//! | `_attache/draft` | client | control | [`SetDraft`] → `{}` |
//! | `_attache/option` | client | control | [`SetOption`] → `{}` |
//! | `_attache/change` | client | control | [`ChangeSession`] → `{}` |
//! | `_attache/files` | client | control | [`FindFiles`] → [`Files`] |
//! | `_attache/review` | client | watch | [`ReadReview`] → [`ReviewItems`] |
//! | `_attache/decide` | client | control | [`DecideHunks`] → [`Decided`] |
//! | `_attache/checkpoints` | client | watch | [`OfSession`] → [`Checkpoints`] |
//! | `_attache/restore_preview` | client | control | [`PreviewRestore`] → [`RestorePreview`] |
//! | `_attache/restore` | client | control | [`ConfirmRestore`] → [`Restored`] |
//! | `_attache/devices` | client | control | `{}` → [`Devices`] |
//! | `_attache/device` | client, local | control | [`ChangeDevice`] → `{}` |
//! | `_attache/ask_scope` | client | watch | [`AskScope`] → `{}` |

use crate::Scope;
use attache_view::{
    CommandItem, FileDiff, Line, OptionItem, QuestionView, Row, SessionListView, StatusLine,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Declares values that are sent as JSON objects with names in camel case.
macro_rules! messages {
    ($($(#[$meta:meta])* $name:ident { $($(#[$field_meta:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$meta])*
            #[derive(Debug, Clone, Serialize, Deserialize)]
            #[cfg_attr(test, derive(ts_rs::TS))]
            #[serde(rename_all = "camelCase")]
            pub struct $name { $($(#[$field_meta])* pub $field: $type,)* }
        )*

        /// Visits all messages.
        #[cfg(test)]
        pub(crate) fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
            $(visitor.visit::<$name>();)*
        }
    };
}

messages! {
    /// What was negotiated.
    Negotiated {
        /// The version of the methods: 1.
        version: u32,
        /// What the client may do.
        scope: Scope,
        /// The version of the program that serves the hub.
        hub: String,
    }

    /// Follows the hub: its agents, the list of sessions, and who waits for the person.
    WatchHub {
        /// Leaves out sessions without these words.
        #[serde(default)]
        words: String,
        /// Whether archived sessions are listed too.
        #[serde(default)]
        archived: bool,
        /// The largest number of sessions to list; 100 if absent.
        #[serde(default)]
        limit: Option<usize>,
    }

    /// Follows a session, which is opened if it is only stored.
    WatchSession {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// What the client knows already: only later changes are sent.
        #[serde(default)]
        since: Option<ViewPosition>,
        /// The number of latest rows to send at first; 200 if absent.
        #[serde(default)]
        rows: Option<usize>,
    }

    /// The watch that was begun. Ends with the connection at the latest.
    Watching {
        /// Its number, which its notifications carry.
        watch: u64,
    }

    /// Ends a watch.
    Unwatch {
        /// Its number.
        watch: u64,
    }

    /// The state of the hub. Sent whole when something in it changed, at most a few times a second.
    HubChanged {
        /// The number of the watch.
        watch: u64,
        /// The agents to choose from.
        agents: Vec<AgentItem>,
        /// The sessions and who waits.
        list: SessionListView,
        /// Whether sessions were left out because of the limit.
        has_more: bool,
        /// The open questions that belong to no session, such as those of a login.
        questions: Vec<AgentQuestion>,
        /// What this client may do now.
        scope: Scope,
        /// The clients that are attached, this one too.
        clients: Vec<ClientItem>,
        /// Devices that ask for a larger scope, if this client may grant it.
        scope_requests: Vec<ScopeRequest>,
    }

    /// An agent to choose.
    AgentItem {
        /// The name in the hub.
        name: String,
        /// The name for people; may be empty.
        title: String,
        /// Whether it can be started.
        installed: bool,
        /// The account or key that it needs; may be empty.
        needs: String,
    }

    /// A question of an agent that belongs to no session.
    AgentQuestion {
        /// The name of the agent in the hub.
        agent: String,
        /// The question.
        question: QuestionView,
    }

    /// An attached client.
    ClientItem {
        /// The number of the connection.
        id: u64,
        /// What it calls itself, sanitized.
        name: Line,
        /// What it may do.
        scope: Scope,
        /// Whether it is the client that gets this.
        own: bool,
    }

    /// A position in the rows of a session.
    ViewPosition {
        /// Changes when the history is replaced.
        generation: u64,
        /// The number of the last event.
        sequence: u64,
        /// The run of the hub: positions of an earlier run are worth nothing.
        run: String,
    }

    /// Changes of a session. Parts that are absent did not change.
    SessionChanged {
        /// The number of the watch.
        watch: u64,
        /// Where the client is after it applied this.
        position: ViewPosition,
        /// Whether all rows that the client knows are void.
        replaced: bool,
        /// The number of rows of the session now.
        count: usize,
        /// The rows that changed or are new, by `id`, which is the index. A row below the first one
        /// that was sent is read with `_attache/rows`.
        rows: Vec<Row>,
        /// The status.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<StatusLine>,
        /// The open questions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        questions: Option<Vec<QuestionView>>,
        /// The config options.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        options: Option<Vec<OptionItem>>,
        /// The commands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commands: Option<Vec<CommandItem>>,
        /// The prompts that wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        queue: Option<Vec<QueueItem>>,
        /// The text that is not sent yet, and who wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        draft: Option<Draft>,
        /// Says why the session cannot go on; `null` once it can.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        closed: Option<Line>,
    }

    /// A prompt that waits.
    QueueItem {
        /// Its id in the queue.
        id: u64,
        /// Its text.
        text: String,
        /// The number of its parts that are not text.
        attachments: usize,
    }

    /// A text that is not sent yet.
    Draft {
        /// The text.
        text: String,
        /// The connection that wrote it last; 0 if it was stored.
        by: u64,
    }

    /// Names a session.
    OfSession {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
    }

    /// Reads rows that were not sent.
    ReadRows {
        /// The number of the watch.
        watch: u64,
        /// The first row.
        from: usize,
        /// The row after the last one; at most 500 rows are sent.
        to: usize,
    }

    /// Rows of a session.
    Rows {
        /// The rows, in order.
        rows: Vec<Row>,
    }

    /// Reads a tool call with its whole output.
    WholeCall {
        /// The number of the watch.
        watch: u64,
        /// The row.
        row: usize,
    }

    /// Finds text in a session, or in all stored sessions.
    Search {
        /// The words.
        words: String,
        /// The watch of the session; all sessions if absent.
        #[serde(default)]
        watch: Option<u64>,
    }

    /// What was found.
    Found {
        /// The places, the latest first; at most 200.
        places: Vec<FoundPlace>,
    }

    /// A place of a text.
    FoundPlace {
        /// The name of the agent in the hub.
        agent: String,
        /// The session.
        session_id: String,
        /// The row, if the session is watched.
        row: Option<usize>,
        /// The text around it.
        line: Line,
    }

    /// Answers a question.
    AnswerQuestion {
        /// The name of the agent in the hub.
        agent: String,
        /// The session; `null` if the question belongs to none.
        session_id: Option<String>,
        /// The id of the question.
        question: u64,
        /// The answer.
        answer: QuestionAnswer,
    }

    /// Opens a new session, or a stored one.
    OpenSession {
        /// The name of an agent to choose from.
        agent: String,
        /// The folder, absolute.
        cwd: String,
        /// The id of a stored session; a new one if absent.
        #[serde(default)]
        session_id: Option<String>,
    }

    /// The session that was opened.
    Opened {
        /// The name of the agent in the hub.
        agent: String,
        /// The id.
        session_id: String,
    }

    /// Sends a prompt, which waits while a turn runs.
    SendPrompt {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The content blocks, as in `session/prompt`: text, images, links to files.
        #[cfg_attr(test, ts(type = "Array<unknown>"))]
        content: Vec<Box<RawValue>>,
    }

    /// Stops a tool call alone, if the agent can do that.
    StopCall {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The id of the tool call.
        call: String,
    }

    /// Names an agent.
    OfAgent {
        /// The name of the agent in the hub.
        agent: String,
    }

    /// Changes the prompts that wait.
    ChangeQueue {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The change.
        change: QueueChange,
    }

    /// Stores the text that is not sent yet.
    SetDraft {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The text.
        text: String,
    }

    /// Sets a config option.
    SetOption {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The id of the option; `mode` for the mode of an agent with modes only.
        option: String,
        /// The id of the value.
        value: String,
    }

    /// Changes a session in the list.
    ChangeSession {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The change.
        change: ListChange,
    }

    /// Finds files for a mention.
    FindFiles {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The letters typed so far.
        letters: String,
    }

    /// Files, the best first.
    Files {
        /// Paths below the session's folder.
        paths: Vec<String>,
    }

    /// Reads what turns changed.
    ReadReview {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The first turn; the first one of all if absent.
        #[serde(default)]
        first: Option<u64>,
        /// The last turn; the last one of all if absent.
        #[serde(default)]
        last: Option<u64>,
    }

    /// What turns changed.
    ReviewItems {
        /// The files, with their hunks in the order of their ids.
        files: Vec<ReviewedFile>,
        /// What cannot be shown or undone, and why.
        notes: Vec<Line>,
    }

    /// What turns changed in a file.
    ReviewedFile {
        /// The change.
        change: FileDiff,
        /// The hunks.
        hunks: Vec<ReviewedHunk>,
    }

    /// A hunk to decide about.
    ReviewedHunk {
        /// Its id.
        id: String,
        /// The index of its hunk in the change.
        index: usize,
        /// The decision so far.
        state: HunkState,
        /// The person's comment; empty if there is none.
        comment: String,
    }

    /// Decides about hunks. A rejection changes files: preview it with `_attache/restore_preview`.
    DecideHunks {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// The ids of the hunks.
        hunks: Vec<String>,
        /// The decision.
        decision: HunkDecision,
    }

    /// What came of a decision.
    Decided {
        /// The review after it.
        review: ReviewItems,
    }

    /// The points to which a session can go back.
    Checkpoints {
        /// The points, the latest first.
        points: Vec<CheckpointItem>,
        /// Whether the agent can take the conversation back; otherwise a new session is begun.
        forks: bool,
    }

    /// A point to which a session can go back.
    CheckpointItem {
        /// The id.
        id: String,
        /// When it was taken, in milliseconds since 1970.
        at: i64,
        /// The turn before which it was taken; `null` if it is unknown.
        turn: Option<u64>,
        /// The prompt of that turn, in one line.
        prompt: Line,
        /// The number of files that the turn changed; `null` while it runs.
        files: Option<u64>,
        /// Whether everything was kept.
        complete: bool,
    }

    /// Asks what going back would do.
    PreviewRestore {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// What to undo.
        goal: RestoreGoal,
        /// Whether files that others changed too and protected files are restored as well. Devices
        /// cannot restore protected files.
        #[serde(default)]
        force: bool,
    }

    /// What going back would do.
    RestorePreview {
        /// The number by which it is confirmed, once. Valid until the next preview of this client.
        preview: u64,
        /// The files, one in each line.
        lines: Vec<Line>,
        /// Whether there is nothing to restore.
        is_empty: bool,
        /// Whether files stay because they are protected, or because others changed them too: a
        /// preview with `force` includes them.
        needs_force: bool,
    }

    /// Confirms a preview.
    ConfirmRestore {
        /// Its number.
        preview: u64,
        /// What goes back.
        what: RestoreWhat,
    }

    /// What came of a restore.
    Restored {
        /// What happened, one notice in each line.
        lines: Vec<Line>,
        /// The session to go on with.
        session: OfSession,
    }

    /// The devices that may use the hub.
    Devices {
        /// The devices.
        devices: Vec<DeviceItem>,
    }

    /// A device.
    DeviceItem {
        /// Its id.
        id: String,
        /// Its name, sanitized.
        name: Line,
        /// What it may do.
        scope: Scope,
        /// When it was added, in milliseconds since 1970.
        added_at: i64,
        /// When it was last used, in milliseconds since 1970.
        used_at: i64,
    }

    /// Changes a device.
    ChangeDevice {
        /// Its id.
        id: String,
        /// Its new scope; `null` takes its access away.
        scope: Option<Scope>,
    }

    /// Asks for a larger scope. A person at this machine decides.
    AskScope {
        /// The scope.
        scope: Scope,
    }

    /// A device that asks for a larger scope.
    ScopeRequest {
        /// The id of the device.
        device: String,
        /// Its name, sanitized.
        name: Line,
        /// The scope that it asks for.
        scope: Scope,
    }
}

/// An answer to a question.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum QuestionAnswer {
    /// Chooses an answer of a permission or a page.
    Choose {
        /// The index in the question's choices.
        choice: usize,
        /// The index of the rule, for an answer with rules.
        #[serde(default)]
        rule: Option<usize>,
        /// Why, for an answer that says so.
        #[serde(default)]
        why: Option<String>,
    },
    /// Fills in a form.
    Fill {
        /// The values by the names of the fields.
        #[cfg_attr(test, ts(type = "Record<string, unknown>"))]
        values: serde_json::Map<String, serde_json::Value>,
    },
}

/// A change of the prompts that wait.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum QueueChange {
    /// Replaces the text of a prompt.
    Edit {
        /// The id of the prompt.
        id: u64,
        /// The text.
        text: String,
    },
    /// Removes a prompt.
    Remove {
        /// The id of the prompt.
        id: u64,
    },
    /// Moves a prompt.
    Move {
        /// The id of the prompt.
        id: u64,
        /// Its new index.
        to: usize,
    },
    /// Cancels the turn and sends a prompt.
    SendNow {
        /// The id of the prompt.
        id: u64,
    },
    /// Goes on after the queue was held.
    Release,
}

/// A change of a session in the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ListChange {
    /// Sets the title.
    Rename {
        /// The title.
        title: String,
    },
    /// Archives the session, or takes it out of the archive.
    Archive {
        /// Whether it is archived.
        archived: bool,
    },
    /// Sets all tags.
    Tags {
        /// The tags.
        tags: Vec<String>,
    },
    /// Closes the session; it stays stored.
    Close,
    /// Deletes the session for good.
    Delete,
}

/// The decision about a hunk so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HunkState {
    /// None.
    Open,
    /// The change stays.
    Accepted,
    /// The change was undone.
    Rejected,
}

/// A decision about hunks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HunkDecision {
    /// The changes stay.
    Accept,
    /// The decision is open again.
    Reopen,
    /// A note for the agent.
    Comment {
        /// The note; empty removes it.
        text: String,
    },
    /// The agent learns of the decisions with the next prompt.
    Tell,
}

/// What going back undoes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RestoreGoal {
    /// Everything since a point.
    Point {
        /// The id of the point.
        id: String,
    },
    /// These hunks, which are rejected.
    Hunks {
        /// Their ids.
        hunks: Vec<String>,
    },
    /// The last restore.
    LastRestore,
}

/// What goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RestoreWhat {
    /// The files.
    Files,
    /// The conversation.
    Conversation,
    /// Both.
    Both,
}
