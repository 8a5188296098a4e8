//! What a front end shows of a session and of a hub: rows, questions, a status line, and the list
//! of sessions.
//!
//! A front end draws these values and decides nothing about their meaning: a terminal turns a
//! [`Span`] into cells, a page turns it into elements. All values implement serde's `Serialize`,
//! so that a front end can run in another process.
//!
//! | Type | Purpose |
//! |---|---|
//! | [`Row`] | One entry of the conversation: a prompt, an answer, a tool call, a plan, … |
//! | [`Block`] | A part of a text: a paragraph, a heading, an item, a table, code, … |
//! | [`Line`], [`Span`], [`Style`] | Text of one line, and what each piece of it means. |
//! | [`Markdown`](markdown::Markdown) | Parses a message while it streams. |
//! | [`Highlighter`](syntax::Highlighter) | Gives the words of code their roles, line by line. |
//!
//! # Sanitized text
//!
//! Every text in these values is sanitized: it has no control characters and no characters that
//! change the direction of text. A line has no line feeds. Tabs are spaces.
//!
//! # Limits
//!
//! This crate does no I/O and has no clock. It knows no terminal: wrapping, widths and colours
//! belong to the front ends.

mod block;
pub mod markdown;
mod row;
pub mod sanitize;
mod span;
pub mod syntax;

pub use block::{Alignment, Block, CodeBlock, Item, Marker, Table};
pub use row::diff_row::{DiffRow, FileChange, FileDiff, Hunk, HunkLine, LineChange};
pub use row::tool_call_row::{CallStatus, Output, ToolCallRow};
pub use row::{
    CompactionRow, NoticeLevel, NoticeRow, PlanRow, PlanStep, Row, RowContent, StepState,
    SubagentRow,
};
pub use span::{Color, Colors, Line, Role, Span, Style};
