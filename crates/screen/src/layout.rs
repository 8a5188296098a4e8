//! Lines for a width: what the view says, wrapped and styled for a terminal.
//!
//! The functions here know no widget. The full screen draws their lines into cells; a program that
//! prints a conversation can print them one by one.

mod ansi;
mod blocks;
mod canvas;
mod drawn_line;
mod file_diff;
mod growth;
mod hunk;
mod row;
mod row_writer;
mod segment;
mod styled_text;
mod table;
mod tool_call;
mod wrap;

pub use self::drawn_line::DrawnLine;
pub use self::row_writer::RowOptions;
pub use self::tool_call::duration;

pub(crate) use self::file_diff::{ReviewSegment, file_header, hunk_text, review_segments};
pub(crate) use self::hunk::HunkColumns;
pub(crate) use self::row::segments;
pub(crate) use self::segment::{Segment, SegmentKind};
pub(crate) use self::styled_text::{clip, grapheme_width, width};

use self::blocks::{are_close, write_blocks, write_lines};
use self::canvas::{Canvas, Margin};
use self::file_diff::diff_segments;
use crate::theme::Theme;
use attache_view::{Block, DiffRow, Line as ViewLine, Row};
use std::sync::Arc;

/// Returns the lines of a row, none wider than `columns` (but at least two columns are used).
///
/// The first line has the mark of the row in its margin; answers have no margin. There is no empty
/// line before or behind the row.
pub fn row_lines(
    row: &Arc<Row>,
    columns: usize,
    theme: &Theme,
    options: RowOptions,
) -> Vec<DrawnLine> {
    let segments = segments(row, theme.glyphs(), options);
    segments.iter().flat_map(|segment| segment.layout(theme, columns)).collect()
}

/// Returns the lines of blocks, none wider than `columns` (but at least two columns are used), with
/// empty lines between blocks.
pub fn block_lines(blocks: &[Arc<Block>], columns: usize, theme: &Theme) -> Vec<DrawnLine> {
    let mut canvas = Canvas::new(theme, columns);
    write_blocks(&mut canvas, blocks, &mut Margin::default());
    canvas.lines
}

/// Returns the lines of blocks that follow `before`, as [`block_lines`] does: an empty line comes
/// first if one belongs between them.
pub fn following_block_lines(
    before: &Block,
    blocks: &[Arc<Block>],
    columns: usize,
    theme: &Theme,
) -> Vec<DrawnLine> {
    let mut canvas = Canvas::new(theme, columns);
    let mut margin = Margin::default();
    if blocks.first().is_some_and(|first| !are_close(before, first)) {
        canvas.blank(&mut margin);
    }
    write_blocks(&mut canvas, blocks, &mut margin);
    canvas.lines
}

/// Returns the lines of changes of files, none wider than `columns` (but at least two columns are
/// used): the versions side by side from 140 columns, else one below the other.
pub fn diff_lines(diff: &DiffRow, columns: usize, theme: &Theme) -> Vec<DrawnLine> {
    let segments = diff_segments(diff, theme.glyphs());
    segments.iter().flat_map(|segment| segment.layout(theme, columns)).collect()
}

/// Returns the number of lines that [`text_lines`] returns for text without links.
pub(crate) fn text_height(lines: &[ViewLine], columns: usize) -> usize {
    lines.iter().map(|line| wrap::wrap(&line.text(), columns.max(2)).len()).sum()
}

/// Returns the wrapped lines of lines of text, none wider than `columns` (but at least two columns
/// are used).
pub fn text_lines(lines: &[ViewLine], columns: usize, theme: &Theme) -> Vec<DrawnLine> {
    let mut canvas = Canvas::new(theme, columns);
    write_lines(&mut canvas, lines, &mut Margin::default());
    canvas.lines
}
