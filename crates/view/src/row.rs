//! The rows of a conversation.

pub(crate) mod diff_row;
pub(crate) mod tool_call_row;

use self::tool_call_row::ToolCallRow;
use crate::block::Block;
use crate::span::Line;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One entry of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Row {
    /// The id of the row: its index in [`attache_session::Session::entries`].
    pub id: usize,
    /// When the row began, in milliseconds since 1970.
    pub at: i64,
    /// How deeply the row is nested; 0 unless it belongs to a subagent.
    pub depth: u8,
    /// What to show.
    pub content: RowContent,
}

impl Row {
    /// Whether the row has nothing to show, so that it takes no space: the row waits to be made,
    /// its message has no text yet, or it is no longer in memory.
    pub fn is_empty(&self) -> bool {
        match &self.content {
            RowContent::Prompt { blocks }
            | RowContent::Answer { blocks }
            | RowContent::Thought { blocks } => blocks.is_empty(),
            RowContent::Other { line } => line.is_empty(),
            _ => false,
        }
    }
}

/// What a row shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RowContent {
    /// The person's prompt.
    Prompt {
        /// The text.
        blocks: Vec<Arc<Block>>,
    },
    /// The agent's answer.
    Answer {
        /// The text.
        blocks: Vec<Arc<Block>>,
    },
    /// The agent's reasoning.
    Thought {
        /// The text.
        blocks: Vec<Arc<Block>>,
    },
    /// A tool call.
    ToolCall(Box<ToolCallRow>),
    /// A plan.
    Plan(PlanRow),
    /// A notice for the person.
    Notice(NoticeRow),
    /// A compaction of the conversation.
    Compaction(CompactionRow),
    /// A session that the agent started for a part of the work.
    Subagent(SubagentRow),
    /// Something that this version does not know, or that is no longer in memory.
    Other {
        /// The description, in a few words.
        line: Line,
    },
}

/// A plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum PlanRow {
    /// A list of steps.
    Steps {
        /// The steps, in order.
        steps: Vec<PlanStep>,
    },
    /// Text.
    Text {
        /// The text.
        blocks: Vec<Arc<Block>>,
    },
    /// The file that holds the plan.
    File {
        /// The address of the file.
        line: Line,
    },
    /// The agent dropped the plan.
    Dropped,
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlanStep {
    /// The text.
    pub line: Line,
    /// The progress.
    pub state: StepState,
    /// Whether the agent calls the step important.
    pub important: bool,
}

/// The progress of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StepState {
    /// Not begun, or unknown.
    Pending,
    /// Begun.
    Running,
    /// Done.
    Done,
    /// Dropped by the agent.
    Cancelled,
}

/// A notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NoticeRow {
    /// The level.
    pub level: NoticeLevel,
    /// The text.
    pub blocks: Vec<Arc<Block>>,
}

/// The level of a notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// For information.
    Info,
    /// Something needs attention.
    Warning,
    /// Something failed.
    Error,
}

/// A compaction: the agent replaced older messages by a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CompactionRow {
    /// The status in a few words, such as `compacting the conversation`.
    pub line: Line,
    /// The summary; empty until the agent sends it.
    pub summary: Vec<Arc<Block>>,
}

/// A session that the agent started for a part of the work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SubagentRow {
    /// The id of the session, whose rows a front end may show below this row.
    pub session: String,
    /// The title of the session.
    pub line: Line,
    /// The status in one word, such as `running`; empty if unknown.
    pub status: Line,
}
