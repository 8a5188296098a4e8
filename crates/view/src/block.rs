//! The parts of a text.

use crate::span::Line;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A part of a text, such as a paragraph. A block that is complete never changes again, so a front
/// end may remember what it drew for it (see [`Arc::as_ptr`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Block {
    /// Lines of running text. A front end wraps each line, and keeps the breaks between them.
    Paragraph {
        /// The lines.
        lines: Vec<Line>,
    },
    /// A heading.
    Heading {
        /// The level, from 1 to 6.
        level: u8,
        /// The text.
        line: Line,
    },
    /// One item of a list.
    Item(Item),
    /// Code.
    Code(CodeBlock),
    /// A table.
    Table(Table),
    /// A quote.
    Quote {
        /// The parts of the quote.
        blocks: Vec<Arc<Block>>,
    },
    /// A horizontal rule.
    Rule,
    /// Content that is not text, such as an image, described in words.
    Attachment {
        /// The description, such as `image/png, 12 kB`.
        line: Line,
    },
}

/// One item of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Item {
    /// How deeply the list is nested; 0 for a list that is not in another list. A quote inside of
    /// an item begins at 0 again.
    pub depth: u8,
    /// What precedes the item.
    pub marker: Marker,
    /// The parts of the item, without the items of nested lists, which are blocks of their own.
    pub blocks: Vec<Arc<Block>>,
}

/// What precedes an item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Marker {
    /// A bullet.
    Bullet,
    /// A number.
    Number(u64),
    /// A task, and whether it is done.
    Task(bool),
    /// Nothing: a later part of the item before it.
    Continued,
}

/// Code, or a part of very long code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CodeBlock {
    /// The language, as the text names it; empty if it names none.
    pub language: String,
    /// The lines. A front end does not wrap them if it can scroll sideways.
    pub lines: Vec<Line>,
    /// Whether the code continues the block before it: long code is divided, so that its first
    /// lines are complete while later ones still come.
    pub continued: bool,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Table {
    /// The alignment of each column.
    pub alignments: Vec<Alignment>,
    /// The cells of the header. Empty if the table continues the block before it: a long table is
    /// divided, so that its first rows are complete while later ones still come.
    pub header: Vec<Line>,
    /// The cells of each row. A row may have fewer cells than the table has columns.
    pub rows: Vec<Vec<Line>>,
}

/// The alignment of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Alignment {
    /// At the left.
    #[default]
    Left,
    /// In the middle.
    Center,
    /// At the right.
    Right,
}
