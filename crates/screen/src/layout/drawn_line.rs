//! One line on the screen.

use ratatui::text::Line;
use std::ops::Range;
use std::sync::Arc;

/// One line on the screen, not wider than the width of its layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DrawnLine {
    /// The line with its styles, including the margin at the left.
    pub line: Line<'static>,
    /// The number of spans of `line` that are margin: marks, bars, numbers, indentation.
    pub margin: usize,
    /// How the line continues the line before it: `Some` has the number of spaces between them
    /// that the wrapping dropped; `None` begins a new line of the text.
    pub joined: Option<usize>,
    /// The links of the line by columns.
    pub links: Vec<(Range<usize>, Arc<str>)>,
}

impl DrawnLine {
    /// Returns an empty line.
    pub(crate) fn blank() -> Self {
        Self { line: Line::default(), margin: 0, joined: None, links: Vec::new() }
    }

    /// Returns the text of the line without its margin.
    pub fn text(&self) -> String {
        self.line.spans.iter().skip(self.margin).map(|span| span.content.as_ref()).collect()
    }
}
