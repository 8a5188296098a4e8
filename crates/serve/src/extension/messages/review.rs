//! What turns changed, and going back.

use super::command::OfSession;
use attache_view::{FileDiff, Line};
use serde::{Deserialize, Serialize};

messages! {
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
        /// Whether the agent is told anything new with the next prompt; only for `tell`.
        told: bool,
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
        /// The files, one in each line. For hunks, the lines follow that go and that come back.
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
