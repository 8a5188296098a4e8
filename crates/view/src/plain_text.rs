//! Plain text that grows.

use crate::block::Block;
use crate::sanitize;
use crate::span::{Line, Role};
use std::sync::Arc;

/// The number of lines after which a block is complete.
const BLOCK_LINES: usize = 64;

/// Plain text that grows. Only the last block changes.
#[derive(Debug, Default)]
pub(crate) struct PlainText {
    finished: Vec<Arc<Block>>,
    lines: Vec<Line>,
    /// The last line, without a line feed.
    tail: String,
}

impl PlainText {
    /// Appends text.
    pub(crate) fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n') {
            self.tail.push_str(line);
            let whole = std::mem::take(&mut self.tail);
            self.lines.push(line_of(&whole, Role::Text));
            if self.lines.len() >= BLOCK_LINES {
                let lines = std::mem::take(&mut self.lines);
                self.finished.push(Arc::new(Block::Paragraph { lines }));
            }
            rest = after;
        }
        self.tail.push_str(rest);
    }

    /// Returns the blocks of the text so far.
    pub(crate) fn blocks(&self) -> Vec<Arc<Block>> {
        let mut lines = self.lines.clone();
        if !self.tail.is_empty() {
            lines.push(line_of(&self.tail, Role::Text));
        }
        let mut blocks = self.finished.clone();
        if !lines.is_empty() {
            blocks.push(Arc::new(Block::Paragraph { lines }));
        }
        blocks
    }
}

/// Returns one line of untrusted text with its spaces.
pub(crate) fn line_of(text: &str, role: Role) -> Line {
    let text = sanitize::text(text);
    match text.is_empty() {
        true => Line::default(),
        false => Line::of(text.replace('\t', "    "), role),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_pieces_gives_the_same_blocks_as_the_whole_text() {
        let text: String = (0..200).map(|number| format!("line {number}\t\u{1b}x\r\n")).collect();
        let mut whole = PlainText::default();
        whole.push(&text);
        let mut pieces = PlainText::default();
        for character in text.chars() {
            pieces.push(character.encode_utf8(&mut [0; 4]));
        }
        assert_eq!(whole.blocks(), pieces.blocks());
        assert_eq!(whole.blocks().len(), 200_usize.div_ceil(BLOCK_LINES));
    }

    #[test]
    fn empty_lines_stay_and_an_empty_text_has_no_block() {
        let mut text = PlainText::default();
        assert_eq!(text.blocks(), []);
        text.push("a\n\nb");
        let line = |text: &str| line_of(text, Role::Text);
        let lines = vec![line("a"), Line::default(), line("b")];
        assert_eq!(text.blocks(), [Arc::new(Block::Paragraph { lines })]);
    }
}
