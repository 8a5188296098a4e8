//! The spans of one line, as they come.

use crate::span::{Line, Role, Span};

/// Collects pieces of a line. Neighbours with the same role become one span.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    spans: Vec<Span>,
}

impl Pieces {
    /// Adds a piece.
    pub(crate) fn push(&mut self, text: &str, role: Role) {
        if text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.style.role == role => last.text.push_str(text),
            _ => self.spans.push(Span::new(text, role)),
        }
    }

    /// Adds all pieces of a line.
    pub(crate) fn append(&mut self, line: Line) {
        for span in line.spans {
            self.push(&span.text, span.style.role);
        }
    }

    /// Returns the line.
    pub(crate) fn line(self) -> Line {
        Line { spans: self.spans }
    }
}
