//! Markdown, parsed while it streams.
//!
//! [`Markdown`] reads each line once. Its block parser (`block_parser.rs`) knows in which
//! containers and in which paragraph, table or code the next line begins. pulldown-cmark then
//! parses the text of one paragraph, heading or cell. No text is parsed from its beginning again,
//! and long blocks are divided, so the work per byte of a message is bounded.
//!
//! # Differences from CommonMark
//!
//! - Each line break in a paragraph stays a line break.
//! - Link references, footnotes and HTML are text: a later line must not change an earlier block.
//! - Only a paragraph of one line becomes a heading when a line of `---` or `===` follows. After a
//!   longer paragraph, `---` is a rule.
//! - Containers are nested up to a limit; deeper markers are text.
//! - A line without `|` ends a table.

mod block_parser;
mod code;
mod container;
mod containers;
mod inline;
mod limits;
mod line_start;
mod link;
mod open_text;
mod output;
mod table;
mod work;

#[cfg(test)]
mod tests;

use self::block_parser::BlockParser;
use self::limits::{PARTS, PIECE};
use crate::block::Block;
use crate::sanitize;
use crate::span::{Line, Role, Span};
use std::sync::{Arc, OnceLock};

/// A message in Markdown that may still grow.
///
/// [`blocks`](Self::blocks) shows the text up to the last character, before its line ends. While
/// the message grows, constructs at its end that have no end yet are shown as if they had one: bold
/// text is bold from its first letter. Characters at its end whose meaning depends on the next one,
/// such as a first `-` in a line, are left out. After [`finish`](Self::finish), everything is shown
/// as written, so call it when the message is complete.
#[derive(Debug, Clone, Default)]
pub struct Markdown {
    source: String,
    /// The byte of the source that the block parser reads next.
    read: usize,
    /// The byte of the source up to which there is no line feed after `read`.
    searched: usize,
    parser: BlockParser,
    complete: Vec<Arc<Block>>,
    finished: bool,
    /// The blocks after the complete ones, until more text comes.
    open: OnceLock<Vec<Arc<Block>>>,
}

impl Markdown {
    /// Adds text to the end of the message.
    pub fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.source.push_str(text);
        self.finished = false;
        self.open = OnceLock::new();
        loop {
            let ahead = self.source.get(self.searched..).unwrap_or_default();
            let end = ahead.find('\n').map(|end| self.searched + end);
            self.read_pieces(end.unwrap_or(self.source.len()));
            let Some(end) = end else { break };
            let line = self.source.get(self.read..end).unwrap_or_default();
            self.parser.line(line, true);
            self.read = end + 1;
            self.searched = self.read;
        }
        self.searched = self.source.len();
        self.complete.append(&mut self.parser.take_complete());
    }

    /// Marks the message as complete: constructs at its end that have no end are shown as written.
    /// A later [`push`](Self::push) continues the message.
    pub fn finish(&mut self) {
        if !self.finished {
            self.finished = true;
            self.open = OnceLock::new();
        }
    }

    /// Returns the blocks of the message. The first [`complete`](Self::complete) of them keep their
    /// pointers; the others are new after each [`push`](Self::push).
    pub fn blocks(&self) -> Vec<Arc<Block>> {
        let open = self.open.get_or_init(|| self.open_blocks());
        self.complete.iter().chain(open).cloned().collect()
    }

    /// Returns the number of complete blocks: more text never changes them.
    pub fn complete(&self) -> usize {
        self.complete.len()
    }

    /// Returns the complete blocks, without parsing what follows them.
    pub fn complete_blocks(&self) -> &[Arc<Block>] {
        &self.complete
    }

    /// Returns the text of the message as received. It is not sanitized.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Reads the beginning of a line that is too long, up to this byte of the source.
    fn read_pieces(&mut self, end: usize) {
        while let Some(line) = self.source.get(self.read..end)
            && line.len() > PIECE
        {
            let piece = line.get(..division(line)).unwrap_or(line);
            self.parser.line(piece, false);
            self.read += piece.len();
        }
    }

    /// Parses what follows the complete blocks.
    fn open_blocks(&self) -> Vec<Arc<Block>> {
        let mut parser = self.parser.clone();
        let rest = self.source.get(self.read..).unwrap_or_default();
        if !self.finished {
            parser.show_open_constructs();
        }
        if !rest.is_empty() && (self.finished || !parser.is_only_a_marker(rest)) {
            parser.line(rest, true);
        }
        parser.close()
    }
}

/// Returns the blocks of a whole text in Markdown.
pub fn parse(text: &str) -> Vec<Arc<Block>> {
    let mut markdown = Markdown::default();
    markdown.push(text);
    markdown.finish();
    markdown.blocks()
}

/// Returns a text on one line, such as a step of a plan, with its code, emphasis and links. A text
/// that is longer than a usual paragraph is only sanitized.
pub fn line(text: &str) -> Line {
    let text = sanitize::line(text);
    match text.len() {
        0..PIECE => inline::line(&text, Role::Text, false),
        _ => Line::of(text, Role::Text),
    }
}

/// Returns a title on one line. Only code between backticks is marked: a title often names a file
/// or a command, in which other marks are letters.
pub fn title(text: &str) -> Line {
    let text = sanitize::line(text);
    let mut spans = Vec::new();
    let mut rest = text.as_str();
    while let Some((before, code, after)) = inline::next_code(rest) {
        spans.extend((!before.is_empty()).then(|| Span::new(before, Role::Text)));
        spans.push(Span::new(code, Role::Code));
        rest = after;
    }
    spans.extend((!rest.is_empty()).then(|| Span::new(rest, Role::Text)));
    Line { spans }
}

/// Returns the blocks of a text that is not Markdown: its lines, unchanged except that they are
/// sanitized.
pub fn plain(text: &str) -> Vec<Arc<Block>> {
    let text = sanitize::text(text);
    let mut blocks = Vec::new();
    let (mut lines, mut bytes) = (Vec::new(), 0);
    for mut line in text.trim_end_matches('\n').split('\n') {
        loop {
            let length = if line.len() > PIECE { division(line) } else { line.len() };
            let (piece, rest) = line.split_at_checked(length).unwrap_or((line, ""));
            let piece = sanitize::expand_tabs(piece.trim_end());
            lines.push(match piece.is_empty() {
                true => Line::default(),
                false => Line::of(piece.as_ref(), Role::Text),
            });
            bytes += piece.len();
            if bytes >= PIECE || lines.len() >= PARTS {
                let lines = std::mem::take(&mut lines);
                blocks.push(Arc::new(Block::Paragraph { lines }));
                bytes = 0;
            }
            line = rest;
            if line.is_empty() {
                break;
            }
        }
    }
    if lines.iter().any(|line| !line.is_empty()) {
        blocks.push(Arc::new(Block::Paragraph { lines }));
    }
    blocks
}

/// Returns where to divide a text that is longer than [`PIECE`]: after a word if there is one.
fn division(text: &str) -> usize {
    let piece = text.get(..text.floor_char_boundary(PIECE)).unwrap_or(text);
    match piece.rfind(' ') {
        Some(space) if space >= PIECE / 2 => space + 1,
        _ => piece.len(),
    }
}
