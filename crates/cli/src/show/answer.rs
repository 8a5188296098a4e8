//! An answer as rendered Markdown, block by block.

use attache_screen::layout::{DrawnLine, block_lines, following_block_lines};
use attache_screen::theme::Theme;
use attache_view::Block;
use attache_view::markdown::Markdown;
use std::sync::Arc;

/// A message of the agent that is printed while it grows. Each block is printed once, when more
/// text cannot change it.
#[derive(Debug, Default)]
pub(super) struct Answer {
    markdown: Markdown,
    /// The number of printed blocks.
    printed: usize,
    /// The block above the cursor; `None` if something else is above it.
    above: Option<Arc<Block>>,
}

impl Answer {
    /// Adds text to the end of the message.
    pub(super) fn push(&mut self, text: &str) {
        self.markdown.push(text);
    }

    /// Returns the lines of the blocks that are complete and not printed yet.
    pub(super) fn complete_lines(&mut self, columns: usize, theme: &Theme) -> Vec<DrawnLine> {
        let new = self.markdown.complete_blocks().get(self.printed..).unwrap_or_default();
        let lines = self.lines(new, columns, theme);
        self.above = new.last().or(self.above.as_ref()).cloned();
        self.printed = self.markdown.complete();
        lines
    }

    /// Ends the message, and returns the lines that are not printed yet.
    pub(super) fn finish(mut self, columns: usize, theme: &Theme) -> Vec<DrawnLine> {
        self.markdown.finish();
        self.lines(&self.held(), columns, theme)
    }

    /// Returns the lines that the rest of the message has so far.
    pub(super) fn held_lines(&self, columns: usize, theme: &Theme) -> Vec<DrawnLine> {
        block_lines(&self.held(), columns, theme)
    }

    /// Separates the next block from the printed ones, because something else is printed below
    /// them.
    pub(super) fn interrupt(&mut self) {
        self.above = None;
    }

    /// Returns the blocks that are not printed yet.
    fn held(&self) -> Vec<Arc<Block>> {
        self.markdown.blocks().split_off(self.printed)
    }

    fn lines(&self, blocks: &[Arc<Block>], columns: usize, theme: &Theme) -> Vec<DrawnLine> {
        match &self.above {
            Some(above) => following_block_lines(above, blocks, columns, theme),
            None => block_lines(blocks, columns, theme),
        }
    }
}
