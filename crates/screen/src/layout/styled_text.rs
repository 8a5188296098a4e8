//! A text whose pieces have terminal styles.

use crate::theme::Theme;
use attache_view::{Line as ViewLine, Style as ViewStyle};
use ratatui::buffer::CellWidth;
use ratatui::style::Style;
use ratatui::text::Span;
use std::ops::Range;
use std::sync::Arc;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// A text of one line whose pieces have terminal styles.
#[derive(Debug, Clone, Default)]
pub(crate) struct StyledText {
    text: String,
    runs: Vec<Run>,
}

#[derive(Debug, Clone)]
struct Run {
    /// The end of the run in the text. It begins at the end of the run before it.
    end: usize,
    style: Style,
    link: Option<Arc<str>>,
}

impl StyledText {
    /// Returns the text of a line, with the styles of the theme over `base`.
    pub(crate) fn of(line: &ViewLine, theme: &Theme, base: Style) -> Self {
        Self::with(line, |style| base.patch(theme.style(style)))
    }

    /// Returns the text of a line, with the styles that `style` returns.
    pub(crate) fn with(line: &ViewLine, style: impl Fn(&ViewStyle) -> Style) -> Self {
        let mut text = Self::default();
        for span in &line.spans {
            text.push(&span.text, style(&span.style), span.style.link.clone());
        }
        text.finish();
        text
    }

    /// Returns a text with one style.
    pub(crate) fn plain(text: &str, style: Style) -> Self {
        let mut styled = Self::default();
        styled.push(text, style, None);
        styled
    }

    fn push(&mut self, text: &str, style: Style, link: Option<Arc<str>>) {
        // The view has no control characters; the check costs little and keeps widths right.
        if text.chars().any(char::is_control) {
            self.text.extend(text.chars().filter(|character| !character.is_control()));
        } else {
            self.text.push_str(text);
        }
        self.runs.push(Run { end: self.text.len(), style, link });
    }

    /// Moves the ends of runs that divide a grapheme behind it: a terminal draws it as one cell.
    fn finish(&mut self) {
        if self.text.is_ascii() {
            return;
        }
        let length = self.text.len();
        for run in &mut self.runs {
            let mut cursor = GraphemeCursor::new(run.end, length, true);
            if cursor.is_boundary(&self.text, 0) == Ok(false) {
                run.end = cursor.next_boundary(&self.text, 0).ok().flatten().unwrap_or(length);
            }
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Appends the styled pieces of a range to `spans`.
    pub(crate) fn slice(&self, range: Range<usize>, spans: &mut Vec<Span<'static>>) {
        let first = self.runs.partition_point(|run| run.end <= range.start);
        let mut start = range.start;
        for run in self.runs.iter().skip(first) {
            let end = run.end.min(range.end);
            if let Some(text) = self.text.get(start..end).filter(|text| !text.is_empty()) {
                spans.push(Span::styled(text.to_owned(), run.style));
            }
            start = end.max(start);
            if run.end >= range.end {
                break;
            }
        }
    }

    /// Returns the links in a range, by columns from the start of the range.
    pub(crate) fn links(&self, range: &Range<usize>) -> Vec<(Range<usize>, Arc<str>)> {
        if self.runs.iter().all(|run| run.link.is_none()) {
            return Vec::new();
        }
        let first = self.runs.partition_point(|run| run.end <= range.start);
        let (mut start, mut column, mut links) = (range.start, 0, Vec::new());
        for run in self.runs.iter().skip(first).take_while(|run| run.end > range.start) {
            let end = run.end.min(range.end);
            let width = self.text.get(start..end).map_or(0, width);
            if let Some(link) = run.link.as_ref().filter(|_| width > 0) {
                links.push((column..column + width, Arc::clone(link)));
            }
            (start, column) = (end.max(start), column + width);
            if start >= range.end {
                break;
            }
        }
        links
    }
}

/// Returns the number of columns of a text, as the terminal buffer counts them.
pub(crate) fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// Returns the number of columns of a grapheme.
pub(crate) fn grapheme_width(grapheme: &str) -> usize {
    if grapheme.len() == 1 { 1 } else { usize::from(grapheme.cell_width()) }
}

/// Returns the longest beginning of a text that is not wider than `columns`.
pub(crate) fn clip(text: &str, columns: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme_width(grapheme);
        if used > columns {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}
