//! What a front end shows of a session and of a hub: rows, questions, a status line, and the list
//! of sessions.
//!
//! A front end draws these values and decides nothing about their meaning: a terminal turns a
//! [`Span`] into cells, a page turns it into elements. All values implement serde's `Serialize`,
//! so that a front end can run in another process.
//!
//! | Type | Purpose |
//! |---|---|
//! | [`SessionView`] | The rows of a session, kept up to date with little work. |
//! | [`StatusLine`] | What happens in a session, in words; its model, context and cost. |
//! | [`QuestionView`] | A permission, a form or a page, with the answers to choose from. |
//! | [`SessionList`] | The sessions of all agents, and who waits for the person. |
//! | [`OptionItem`], [`CommandItem`] | The config options and commands of a session. |
//! | [`Row`] | One entry of the conversation: a prompt, an answer, a tool call, a plan, … |
//! | [`Block`] | A part of a text: a paragraph, a heading, an item, a table, code, … |
//! | [`Line`], [`Span`], [`Style`] | Text of one line, and what each piece of it means. |
//! | [`Markdown`](markdown::Markdown) | Parses a message while it streams. |
//! | [`Highlighter`](syntax::Highlighter) | Gives the words of code their roles, line by line. |
//!
//! # From a hub to a screen
//!
//! A front end waits for changes with [`attache_client::Watch`]. Then it passes a snapshot of the
//! session to [`SessionView::update_with`], which returns the rows that changed, and makes a
//! new [`StatusLine`] and new [`QuestionView`]s. The cost of an update depends on what changed,
//! not on the length of the session, so a front end can update as often as it draws.
//!
//! # Sanitized text
//!
//! Every text in these values is sanitized: it has no control characters and no characters that
//! change the direction of text. A line has no line feeds. Tabs are spaces.
//!
//! # Limits
//!
//! This crate has no clock, and does no I/O, except that the rules offered with a permission depend
//! on where paths lead: see [`QuestionView::new`]. It knows no terminal: wrapping, widths and
//! colours belong to the front ends.
//!
//! # Features
//!
//! It is off by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `typescript` | the TypeScript types of the values, for a test that writes them |
//!
//! # Example
//!
//! Markdown becomes blocks of styled text:
//!
//! ```
//! use attache_view::{Block, markdown};
//!
//! let blocks = markdown::parse("# Result\n\nAll **12** tests pass.");
//! let [heading, paragraph] = &blocks[..] else { unreachable!() };
//! assert!(matches!(&**heading, Block::Heading { level: 1, line } if line.text() == "Result"));
//! let Block::Paragraph { lines } = &**paragraph else { unreachable!() };
//! assert_eq!(lines[0].text(), "All 12 tests pass.");
//! ```

mod block;
mod choices;
mod content;
mod diff;
mod extent;
mod id;
pub mod markdown;
mod money;
mod option;
mod path;
mod plain_text;
mod question;
mod restore;
mod row;
pub mod sanitize;
mod session_list;
mod session_view;
mod span;
mod status;
pub mod syntax;
mod terminal;
mod tool_call;

pub use block::{Alignment, Block, CodeBlock, Item, Marker, Table};
pub use choices::{AgentChoice, FoundText, SessionChange};
pub use diff::{
    UnifiedDiff, UnifiedLine, change_without_lines, reported_changes, reviewed_changes,
    unified_diff,
};
pub use money::cost;
pub use option::{CommandItem, OptionItem, OptionValue};
pub use path::relative as relative_path;
pub use question::{
    Choice, ChoiceAction, FieldChoice, FieldKind, FieldValue, FormField, FormView, PageView,
    PermissionAnswer, PermissionView, QuestionBody, QuestionView, RuleChoice, RuleReach,
    rule_about, rule_meaning,
};
pub use restore::{
    action_word, file_count, rejection_preview, restore_notices, restore_preview, restored_path,
};
pub use row::diff_row::{DiffRow, FileChange, FileDiff, Hunk, HunkLine, LineChange};
pub use row::tool_call_row::{CallStatus, Output, ToolCallRow};
pub use row::{
    CompactionRow, NoticeLevel, NoticeRow, PlanRow, PlanStep, Row, RowContent, StepState,
    SubagentRow,
};
pub use session_list::{
    AttentionItem, AttentionReason, OpenSession, SessionItem, SessionList, SessionListView,
    shown_tags,
};
pub use session_view::{
    SessionView, TerminalSource, UnreadPart, ViewChanges, compaction_words, file_changes,
};
pub use span::{Color, Colors, Line, Role, Span, Style};
pub use status::{Activity, ActivityKind, ContextLevel, ContextUse, StatusLine, StatusParts};
pub use terminal::TerminalScreen;
