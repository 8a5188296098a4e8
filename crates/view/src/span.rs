//! Text of one line, and what each piece of it means.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A line of text. Contains no line feed; a front end wraps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(as = "Vec<Span>"))]
#[serde(transparent)]
pub struct Line {
    /// The pieces of the line, in order.
    pub spans: Vec<Span>,
}

impl Line {
    /// Returns a line of one piece with this role.
    pub fn of(text: impl Into<String>, role: Role) -> Self {
        Self { spans: vec![Span::new(text, role)] }
    }

    /// Returns the text of the line without its styles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// Whether the line has no text.
    pub fn is_empty(&self) -> bool {
        self.spans.iter().all(|span| span.text.is_empty())
    }
}

/// A piece of text with one style.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Span {
    /// The text. Sanitized.
    pub text: String,
    /// What the text means.
    #[serde(flatten)]
    pub style: Style,
}

impl Span {
    /// Returns a piece of text with this role.
    pub fn new(text: impl Into<String>, role: Role) -> Self {
        Self { text: text.into(), style: Style::of(role) }
    }
}

/// What a piece of text means. A front end chooses colours for it, and must not rely on colours
/// alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct Style {
    /// The meaning of the text.
    pub role: Role,
    /// Whether the text is strong (`**strong**`).
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub strong: bool,
    /// Whether the text is emphasized (`*emphasis*`).
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub emphasis: bool,
    /// Whether the text is struck out (`~~struck~~`).
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub struck: bool,
    /// Whether the text is underlined, in the output of a command.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub underlined: bool,
    /// Whether these words differ, in a line of a diff.
    #[serde(skip_serializing_if = "is_false")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<_>"))]
    pub changed: bool,
    /// The address of a link. Its scheme is `http`, `https`, `mailto` or `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub link: Option<Arc<str>>,
    /// The colours that a command gave its output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub colors: Option<Colors>,
}

impl Style {
    /// Returns the style of plain text with this role.
    pub fn of(role: Role) -> Self {
        Self { role, ..Self::default() }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The meaning of a piece of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// Ordinary text.
    #[default]
    Text,
    /// Less important text, such as a number of omitted lines.
    Muted,
    /// A heading.
    Heading,
    /// Code inside of text, and code without a more exact role.
    Code,
    /// A path of a file or folder.
    Path,
    /// The name of a thing that can be chosen or typed, such as a command.
    Name,
    /// A line or count of a diff: added.
    Added,
    /// A line or count of a diff: removed.
    Removed,
    /// Something succeeded.
    Success,
    /// Something needs attention.
    Warning,
    /// Something failed.
    Error,
    /// Something runs.
    Running,
    /// Code: a keyword.
    Keyword,
    /// Code: the name of a function.
    Function,
    /// Code: the name of a type.
    Type,
    /// Code: a string or a character.
    String,
    /// Code: a number or another constant.
    Constant,
    /// Code: a comment.
    Comment,
}

/// The colours and attributes that a command gave a piece of its output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default)]
pub struct Colors {
    /// The colour of the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub foreground: Option<Color>,
    /// The colour behind the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub background: Option<Color>,
}

/// A colour of a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// One of the 256 colours of terminals; the first 16 belong to the person's theme.
    Indexed(u8),
    /// Red, green and blue.
    Rgb(u8, u8, u8),
}
