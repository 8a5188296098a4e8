//! Collects the segments of a row.

use super::blocks::are_close;
use super::segment::{Lead, Segment, SegmentKind, Source, Tone};
use crate::theme::Glyphs;
use attache_view::{Block, Line as ViewLine, Role, Row, RowContent};
use std::sync::Arc;

/// What the layout of a row depends on besides the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowOptions {
    /// Whether the row is folded: a tool call shows a few lines of its output, other rows show
    /// their first line.
    pub folded: bool,
    /// The current time in milliseconds since 1970, for the duration of what runs; `None` omits
    /// it.
    pub now: Option<i64>,
}

impl RowOptions {
    /// Returns the options that a row begins with: reasoning, tool calls and compactions are
    /// folded.
    pub fn initial(row: &Row) -> Self {
        let folded = matches!(
            row.content,
            RowContent::Thought { .. } | RowContent::ToolCall(_) | RowContent::Compaction(_)
        );
        Self { folded, now: None }
    }
}

/// Collects the segments of a row.
#[derive(Debug)]
pub(super) struct RowWriter<'a> {
    pub(super) glyphs: &'a Glyphs,
    pub(super) options: RowOptions,
    pub(super) segments: Vec<Segment>,
    pub(super) depth: u8,
}

impl RowWriter<'_> {
    pub(super) fn push(&mut self, lead: Lead, tone: Tone, source: Source) {
        let kind = SegmentKind::Body;
        self.segments.push(Segment { depth: self.depth, lead, tone, source, kind });
    }

    /// Adds a line that folds and unfolds the row.
    pub(super) fn header(&mut self, lead: Lead, tone: Tone, line: ViewLine) {
        let (source, kind) = (Source::Lines(vec![line]), SegmentKind::Header);
        self.segments.push(Segment { depth: self.depth, lead, tone, source, kind });
    }

    /// Adds a line that says how much is hidden, and unfolds the row.
    pub(super) fn hidden(&mut self, lead: Lead, count: usize) {
        if count > 0 {
            let text = format!("{} {} more {}", self.glyphs.folded, count, lines_word(count));
            self.header(lead, Tone::Plain, ViewLine::of(text, Role::Muted));
        }
    }

    /// Adds blocks with empty lines between them.
    pub(super) fn blocks(&mut self, lead: Lead, tone: Tone, blocks: &[Arc<Block>]) {
        let mut before: Option<&Arc<Block>> = None;
        for block in blocks {
            // The mark of a prompt stands at its first line only.
            let lead = match lead {
                Lead::Prompt | Lead::Mark(..) if before.is_some() => Lead::Indent,
                lead => lead,
            };
            if before.is_some_and(|before| !are_close(before, block)) {
                self.push(if lead == Lead::Bar { lead } else { Lead::None }, tone, Source::Blank);
            }
            self.push(lead, tone, Source::Block(Arc::clone(block)));
            before = Some(block);
        }
    }

    /// Adds blocks, or their first line and the number of the others if the row is folded.
    pub(super) fn foldable_blocks(&mut self, lead: Lead, tone: Tone, blocks: &[Arc<Block>]) {
        if !self.options.folded {
            return self.blocks(lead, tone, blocks);
        }
        self.header(lead, tone, first_line(blocks));
        let lines: usize = blocks.iter().map(|block| line_count(block)).sum();
        self.hidden(if lead == Lead::None { lead } else { Lead::Indent }, lines.saturating_sub(1));
    }
}

/// Returns the first line of text in blocks.
pub(super) fn first_line(blocks: &[Arc<Block>]) -> ViewLine {
    let Some(block) = blocks.first() else { return ViewLine::default() };
    match block.as_ref() {
        Block::Paragraph { lines } => lines.first().cloned().unwrap_or_default(),
        Block::Heading { line, .. } | Block::Attachment { line } => line.clone(),
        Block::Item(item) => first_line(&item.blocks),
        Block::Quote { blocks } => first_line(blocks),
        Block::Code(code) => code.lines.first().cloned().unwrap_or_default(),
        Block::Table(table) => table.header.first().cloned().unwrap_or_default(),
        _ => ViewLine::default(),
    }
}

/// Returns the number of lines of a block before any wrapping.
pub(super) fn line_count(block: &Block) -> usize {
    match block {
        Block::Paragraph { lines } => lines.len(),
        Block::Code(code) => code.lines.len(),
        Block::Table(table) => table.rows.len() + usize::from(!table.header.is_empty()),
        Block::Item(item) => item.blocks.iter().map(|block| line_count(block)).sum(),
        Block::Quote { blocks } => blocks.iter().map(|block| line_count(block)).sum(),
        _ => 1,
    }
}

pub(super) fn lines_word(count: usize) -> &'static str {
    if count == 1 { "line" } else { "lines" }
}
