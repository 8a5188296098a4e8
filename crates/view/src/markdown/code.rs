//! Code that may get more lines.

use super::limits::{PARTS, PIECE};
use super::work;
use crate::block::{Block, CodeBlock};
use crate::span::Line;
use crate::syntax::{Highlighter, highlighter};

/// The lines of a code block since its last division.
#[derive(Debug, Clone)]
pub(super) struct OpenCode {
    language: String,
    highlighter: Highlighter,
    lines: Vec<Line>,
    bytes: usize,
    continued: bool,
}

impl OpenCode {
    /// Returns code without lines. The language is the first word of `info`.
    pub(super) fn new(info: &str) -> Self {
        let language = info.split_whitespace().next().unwrap_or_default();
        Self {
            language: language.to_owned(),
            highlighter: highlighter(language),
            lines: Vec::new(),
            bytes: 0,
            continued: false,
        }
    }

    /// Adds a line. Returns a part of the code if the code is long enough to be divided.
    pub(super) fn line(&mut self, text: &str) -> Option<Block> {
        work::count(text.len());
        self.lines.push(self.highlighter.line(text));
        self.bytes += text.len();
        if self.bytes < PIECE && self.lines.len() < PARTS {
            return None;
        }
        let part = self.part();
        self.bytes = 0;
        self.continued = true;
        Some(part)
    }

    /// Returns the last part of the code.
    pub(super) fn end(mut self) -> Option<Block> {
        (!self.lines.is_empty() || !self.continued).then(|| self.part())
    }

    fn part(&mut self) -> Block {
        Block::Code(CodeBlock {
            language: self.language.clone(),
            lines: std::mem::take(&mut self.lines),
            continued: self.continued,
        })
    }
}
