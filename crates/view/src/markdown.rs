//! Text as blocks.

use crate::block::Block;
use crate::sanitize;
use crate::span::{Line, Role};
use std::sync::Arc;

/// Markdown that grows.
#[derive(Debug, Clone, Default)]
pub struct Markdown {
    text: String,
}

impl Markdown {
    /// Appends text.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Returns the blocks of the text so far.
    pub fn blocks(&self) -> Vec<Arc<Block>> {
        parse(&self.text)
    }
}

/// Returns the blocks of a whole text in Markdown.
pub fn parse(text: &str) -> Vec<Arc<Block>> {
    plain(text)
}

/// Returns the blocks of a plain text.
pub fn plain(text: &str) -> Vec<Arc<Block>> {
    let text = sanitize::text(text);
    let lines = |part: &str| {
        let lines = part.lines().map(|line| Line::of(line.replace('\t', "    "), Role::Text));
        Arc::new(Block::Paragraph { lines: lines.collect() })
    };
    text.split("\n\n").filter(|part| !part.trim().is_empty()).map(lines).collect()
}
