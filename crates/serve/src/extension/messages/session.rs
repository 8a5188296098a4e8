//! What a client follows and reads of a session.

use attache_view::Line;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;

messages! {
    /// Follows a session. A session that is only stored is opened first, which needs the scope
    /// `control`.
    WatchSession {
        /// The name of the agent in the hub.
        agent: String,
        /// The id of the session.
        session_id: String,
        /// What the client knows already: only later changes are sent.
        #[serde(default)]
        since: Option<ViewPosition>,
        /// The largest number of latest rows to send at first; 200 if absent. Fewer are sent if
        /// they are large, or if earlier rows must be read with `_attache/rows`.
        #[serde(default)]
        rows: Option<usize>,
    }

    /// A position in the rows of a session.
    ViewPosition {
        /// Names the history: it changes when the history is replaced.
        generation: u64,
        /// The number of the last change that the client has.
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
        #[cfg_attr(test, ts(type = "Array<Row>"))]
        rows: Vec<Arc<RawValue>>,
        /// The status.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(type = "StatusLine | null"))]
        status: Option<Arc<RawValue>>,
        /// The open questions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(type = "Array<QuestionView> | null"))]
        questions: Option<Arc<RawValue>>,
        /// The config options.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(type = "Array<OptionItem> | null"))]
        options: Option<Arc<RawValue>>,
        /// The commands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(type = "Array<CommandItem> | null"))]
        commands: Option<Arc<RawValue>>,
        /// The prompts that wait.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(type = "Array<QueueItem> | null"))]
        queue: Option<Arc<RawValue>>,
        /// The text that is not sent yet, and who wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(type = "Draft | null"))]
        draft: Option<Arc<RawValue>>,
        /// Whether the agent accepts images in prompts; `null` while it does not run.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(type = "boolean | null"))]
        images: Option<Arc<RawValue>>,
        /// Says why the session cannot go on; `null` once it can.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(type = "Line | null"))]
        closed: Option<Arc<RawValue>>,
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

    /// Reads rows that were not sent.
    ReadRows {
        /// The number of the watch.
        watch: u64,
        /// The first row.
        from: usize,
        /// The row after the last one.
        to: usize,
    }

    /// Rows of a session: the last ones of those that were asked for, at most 500, and fewer if
    /// they are large.
    Rows {
        /// The rows, in order.
        #[cfg_attr(test, ts(type = "Array<Row>"))]
        rows: Vec<Arc<RawValue>>,
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
}
