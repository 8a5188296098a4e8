//! The parts of a row that are laid out one by one.

use super::blocks::{with_code_marks, write_block, write_lines};
use super::canvas::{Canvas, Margin};
use super::drawn_line::DrawnLine;
use super::growth::Growth;
use super::hunk::{HunkPart, write_hunk};
use crate::theme::{Element, Theme};
use attache_view::{Block, Line as ViewLine, Output, Role, Row, RowContent};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A part of a row that is laid out at once: a block of text, a header, some lines of output.
#[derive(Debug, Clone)]
pub(crate) struct Segment {
    /// How deeply the row is nested.
    pub(crate) depth: u8,
    /// What stands at the left.
    pub(crate) lead: Lead,
    /// The style below all others.
    pub(crate) tone: Tone,
    /// What to draw.
    pub(crate) source: Source,
    /// What a click does.
    pub(crate) kind: SegmentKind,
}

/// What stands at the left of a segment. All leads have two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lead {
    /// Nothing: the segment uses the whole width.
    None,
    /// Spaces.
    Indent,
    /// A mark with a role on the first line, spaces on the others.
    Mark(&'static str, Role),
    /// The mark of a prompt on the first line, spaces on the others.
    Prompt,
    /// Spaces, then a bar beside output.
    Bar,
}

/// The style below all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    /// A prompt of the person.
    Prompt,
    /// Reasoning and other less important text.
    Quiet,
}

/// What a click on a segment does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SegmentKind {
    /// Folds or unfolds the row.
    Header,
    /// Selects the row.
    Body,
}

/// What a segment draws.
#[derive(Debug, Clone)]
pub(crate) enum Source {
    /// An empty line.
    Blank,
    /// Lines of running text.
    Lines(Vec<ViewLine>),
    /// A block of text.
    Block(Arc<Block>),
    /// Lines of the output of a command: the row, the index of the output, the lines.
    Terminal(Arc<Row>, usize, Range<usize>),
    /// Lines of a changed place.
    Hunk(HunkPart),
}

impl Segment {
    /// Returns an empty line.
    pub(crate) fn blank() -> Self {
        let (lead, tone, kind) = (Lead::None, Tone::Plain, SegmentKind::Body);
        Self { depth: 0, lead, tone, source: Source::Blank, kind }
    }

    /// Returns the lines of the segment.
    pub(crate) fn layout(&self, theme: &Theme, columns: usize) -> Vec<DrawnLine> {
        let mut canvas = self.canvas(theme, columns);
        let mut margin = self.margin(&canvas);
        match &self.source {
            Source::Blank => canvas.blank(&mut margin),
            Source::Lines(lines) => write_lines(&mut canvas, lines, &mut margin),
            Source::Block(block) => write_block(&mut canvas, block, &mut margin),
            Source::Terminal(row, output, lines) => {
                for line in terminal_lines(row, *output, lines.clone()) {
                    let text = super::styled_text::StyledText::of(line, theme, canvas.base);
                    canvas.code(&text, &mut margin);
                }
            }
            Source::Hunk(part) => write_hunk(&mut canvas, part, &mut margin),
        }
        canvas.lines
    }

    /// Returns the lines of the segment, as [`layout`](Self::layout) does, from those of an earlier
    /// form of it to which text was added. Long text that grows is then not laid out again.
    pub(crate) fn layout_grown(
        &self,
        earlier: &Self,
        lines: Vec<DrawnLine>,
        theme: &Theme,
        columns: usize,
    ) -> Vec<DrawnLine> {
        let same =
            (self.depth, self.lead, self.tone) == (earlier.depth, earlier.lead, earlier.tone);
        let (Some(old), Some(new)) = (earlier.paragraph(theme), self.paragraph(theme)) else {
            return self.layout(theme, columns);
        };
        let Some(growth) = Growth::of(&old, &new, &lines).filter(|_| same) else {
            return self.layout(theme, columns);
        };
        let mut canvas = self.canvas(theme, columns);
        let mut margin = self.margin(&canvas);
        margin.skip_first();
        canvas.lines = lines;
        growth.write(&mut canvas, &mut margin);
        canvas.lines
    }

    /// Returns the lines of a paragraph as they are laid out.
    fn paragraph(&self, theme: &Theme) -> Option<Cow<'_, [ViewLine]>> {
        match &self.source {
            Source::Block(block) => match block.as_ref() {
                Block::Paragraph { lines } => Some(with_code_marks(lines, theme)),
                _ => None,
            },
            _ => None,
        }
    }

    fn canvas<'a>(&self, theme: &'a Theme, columns: usize) -> Canvas<'a> {
        let mut canvas = Canvas::new(theme, columns);
        canvas.base = match self.tone {
            Tone::Plain => Style::new(),
            Tone::Prompt => Style::new().add_modifier(Modifier::BOLD),
            Tone::Quiet => theme.role(Role::Muted),
        };
        canvas
    }

    /// Calls `visit` with each line of the text, before any wrapping.
    pub(crate) fn visit_lines(&self, visit: &mut dyn FnMut(&ViewLine)) {
        match &self.source {
            Source::Blank => {}
            Source::Lines(lines) => lines.iter().for_each(visit),
            Source::Block(block) => visit_block(block, visit),
            Source::Terminal(row, output, lines) => {
                terminal_lines(row, *output, lines.clone()).iter().for_each(visit);
            }
            Source::Hunk(part) => part.lines().iter().for_each(|line| visit(&line.line)),
        }
    }

    fn margin(&self, canvas: &Canvas<'_>) -> Margin {
        let (theme, columns) = (canvas.theme, canvas.columns);
        let mut margin = Margin::default();
        let bar = Span::styled(format!("{} ", theme.glyphs().vertical), canvas.gutter());
        let deepest = u8::try_from(columns / 8).unwrap_or(u8::MAX);
        for _ in 0..self.depth.min(deepest) {
            margin = margin.inside(bar.clone(), bar.clone(), columns);
        }
        let spaces = Span::raw("  ");
        match self.lead {
            Lead::None => margin,
            Lead::Indent => margin.inside(spaces.clone(), spaces, columns),
            Lead::Mark(mark, role) => {
                let mark = Span::styled(format!("{mark} "), theme.role(role));
                margin.inside(mark, spaces, columns)
            }
            Lead::Prompt => {
                let style = theme.element(Element::Prompt);
                let mark = Span::styled(format!("{} ", theme.glyphs().prompt), style);
                margin.inside(mark, spaces, columns)
            }
            Lead::Bar => {
                let mut margin = margin.inside(spaces.clone(), spaces, columns);
                margin.inside(bar.clone(), bar, columns)
            }
        }
    }
}

fn visit_block(block: &Block, visit: &mut dyn FnMut(&ViewLine)) {
    match block {
        Block::Paragraph { lines } => lines.iter().for_each(visit),
        Block::Heading { line, .. } | Block::Attachment { line } => visit(line),
        Block::Item(item) => item.blocks.iter().for_each(|block| visit_block(block, visit)),
        Block::Code(code) => code.lines.iter().for_each(visit),
        Block::Table(table) => {
            table.header.iter().chain(table.rows.iter().flatten()).for_each(visit);
        }
        Block::Quote { blocks } => blocks.iter().for_each(|block| visit_block(block, visit)),
        _ => {}
    }
}

fn terminal_lines(row: &Row, output: usize, range: Range<usize>) -> &[ViewLine] {
    let RowContent::ToolCall(call) = &row.content else { return &[] };
    match call.outputs.get(output) {
        Some(Output::Terminal { lines, .. }) => lines.get(range).unwrap_or_default(),
        _ => &[],
    }
}

impl PartialEq for Segment {
    /// Whether both draw the same. Blocks that are shared are equal without a comparison of texts.
    fn eq(&self, other: &Self) -> bool {
        let frame = |segment: &Self| (segment.depth, segment.lead, segment.tone, segment.kind);
        frame(self) == frame(other)
            && match (&self.source, &other.source) {
                (Source::Blank, Source::Blank) => true,
                (Source::Lines(one), Source::Lines(two)) => one == two,
                (Source::Block(one), Source::Block(two)) => one == two,
                (Source::Terminal(one, a, range), Source::Terminal(two, b, other)) => {
                    (range == other && a == b && Arc::ptr_eq(one, two))
                        || terminal_lines(one, *a, range.clone())
                            == terminal_lines(two, *b, other.clone())
                }
                (Source::Hunk(one), Source::Hunk(two)) => one == two,
                _ => false,
            }
    }
}
