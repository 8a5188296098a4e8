//! A tool call.

use super::diff_row::DiffRow;
use crate::block::Block;
use crate::span::Line;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ToolCallRow {
    /// The id of the call in its session.
    pub id: String,
    /// The kind, in one word, such as `read` or `execute`.
    pub kind: String,
    /// The agent's title.
    pub title: Line,
    /// What the call does according to its arguments: the command, the paths, the query. Empty if
    /// the title already says it.
    pub effect: Vec<Line>,
    /// The status.
    pub status: CallStatus,
    /// When the call ended, in milliseconds since 1970; `None` while it runs.
    pub ended_at: Option<i64>,
    /// The files that the call works on, relative to the session's folder where possible. Those
    /// that the title names are omitted.
    pub places: Vec<Line>,
    /// The parts of the output, in order.
    pub outputs: Vec<Output>,
    /// Whether only the model needs the output, as after a read. A front end then hides it until
    /// the person asks for it; failures are shown.
    pub quiet: bool,
    /// Whether the person can cancel the call without ending the turn.
    pub can_cancel: bool,
}

/// The status of a tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// Not started, or unknown.
    Pending,
    /// Waits for the person's permission.
    Asking,
    /// Runs.
    Running,
    /// Paused.
    Paused,
    /// Ended without an error.
    Completed,
    /// Failed.
    Failed,
    /// Cancelled.
    Cancelled,
}

/// A part of the output of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Output {
    /// Text.
    Text {
        /// The text.
        blocks: Vec<Arc<Block>>,
    },
    /// Changes of files.
    Diff(DiffRow),
    /// The output of a command: the last lines of it.
    Terminal {
        /// The id of the terminal.
        id: String,
        /// The command line; empty if unknown.
        command: Line,
        /// The last lines, with the command's own colours.
        lines: Vec<Line>,
        /// The number of lines before them that are not in `lines`.
        omitted: usize,
        /// How the command ended, in a few words, such as `exit code 1`; empty while it runs.
        ended: Line,
    },
}
