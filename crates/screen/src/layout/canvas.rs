//! Where the lines of a layout are written.

use super::drawn_line::DrawnLine;
use super::styled_text::{StyledText, clip, grapheme_width, width};
use super::wrap::{Part, wrap};
use crate::theme::{Element, Theme};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;

/// The fewest columns that a margin leaves to the text.
const TEXT_COLUMNS: usize = 6;

/// What stands at the left of the lines of a block: one thing at its first line, another at the
/// later lines, both of the same width.
#[derive(Debug, Clone, Default)]
pub(crate) struct Margin {
    first: Option<Vec<Span<'static>>>,
    rest: Vec<Span<'static>>,
    width: usize,
}

impl Margin {
    /// Returns a margin inside of this one. The next line has `first`, later lines have `rest`.
    /// Without room for the text, the margin stays as it is.
    pub(crate) fn inside(
        &mut self,
        first: Span<'static>,
        rest: Span<'static>,
        columns: usize,
    ) -> Self {
        let own = width(&first.content);
        if self.width + own + TEXT_COLUMNS > columns {
            let first = self.first.take();
            return Self { first, ..self.clone() };
        }
        let mut outer_first = self.next();
        outer_first.push(first);
        let mut inner_rest = self.rest.clone();
        inner_rest.push(rest);
        Self { first: Some(outer_first), rest: inner_rest, width: self.width + own }
    }

    /// Returns a margin inside of this one that has spaces on all lines.
    pub(crate) fn indented(&mut self, spaces: usize, columns: usize) -> Self {
        if spaces == 0 {
            let first = self.first.take();
            return Self { first, ..self.clone() };
        }
        let spaces = Span::raw(" ".repeat(spaces));
        self.inside(spaces.clone(), spaces, columns)
    }

    /// Uses up what stands at the first line.
    pub(crate) fn skip_first(&mut self) {
        self.first = None;
    }

    fn next(&mut self) -> Vec<Span<'static>> {
        self.first.take().unwrap_or_else(|| self.rest.clone())
    }
}

/// The lines of a layout, and what all of them depend on.
#[derive(Debug)]
pub(crate) struct Canvas<'a> {
    pub(crate) theme: &'a Theme,
    /// The number of columns, with the margin.
    pub(crate) columns: usize,
    /// The style below all others.
    pub(crate) base: Style,
    pub(crate) lines: Vec<DrawnLine>,
}

impl<'a> Canvas<'a> {
    pub(crate) fn new(theme: &'a Theme, columns: usize) -> Self {
        // A wide character needs two columns.
        Self { theme, columns: columns.max(2), base: Style::new(), lines: Vec::new() }
    }

    /// Returns the number of columns beside a margin.
    pub(crate) fn room(&self, margin: &Margin) -> usize {
        self.columns.saturating_sub(margin.width).max(1)
    }

    /// Writes a text in as many lines as it needs.
    pub(crate) fn text(&mut self, text: &StyledText, margin: &mut Margin) {
        let parts = wrap(text.text(), self.room(margin));
        self.parts(text, &parts, margin);
    }

    /// Writes a text that is already broken into lines.
    pub(crate) fn parts(&mut self, text: &StyledText, parts: &[Part], margin: &mut Margin) {
        for part in parts {
            let mut spans = margin.next();
            let count = spans.len();
            let offset = margin.width;
            self.slice(text, part, self.columns.saturating_sub(offset), &mut spans);
            let mut links = text.links(&part.range);
            for (columns, _) in &mut links {
                *columns = columns.start + offset..columns.end + offset;
            }
            let line = Line::from(spans);
            self.lines.push(DrawnLine { line, margin: count, joined: part.joined, links });
        }
    }

    /// Writes code: lines that are too long continue below their own indentation.
    pub(crate) fn code(&mut self, text: &StyledText, margin: &mut Margin) {
        let room = self.room(margin);
        let indentation = text.text().len() - text.text().trim_start_matches(' ').len();
        let indentation = indentation.min(room / 2);
        if indentation == 0 || width(text.text()) <= room {
            return self.text(text, margin);
        }
        let mut inner = margin.indented(indentation, self.columns);
        let parts = wrap(text.text().get(indentation..).unwrap_or_default(), self.room(&inner));
        let shifted: Vec<Part> = parts
            .into_iter()
            .map(|part| Part {
                range: part.range.start + indentation..part.range.end + indentation,
                ..part
            })
            .collect();
        self.parts(text, &shifted, &mut inner);
    }

    /// Writes one line of spans, cut at the edge.
    pub(crate) fn line(&mut self, spans: Vec<Span<'static>>, margin: &mut Margin) {
        let mut room = self.room(margin);
        let mut line = margin.next();
        let count = line.len();
        for span in spans {
            let shown = clip(&span.content, room);
            room -= width(shown);
            let whole = shown.len() == span.content.len();
            line.push(Span::styled(shown.to_owned(), span.style));
            if !whole {
                break;
            }
        }
        let line = Line::from(line);
        self.lines.push(DrawnLine { line, margin: count, joined: None, links: Vec::new() });
    }

    /// Writes an empty line beside a margin.
    pub(crate) fn blank(&mut self, margin: &mut Margin) {
        let spans = margin.next();
        let count = spans.len();
        let line = DrawnLine { line: Line::from(spans), margin: count, ..DrawnLine::blank() };
        self.lines.push(line);
    }

    /// Appends the spans of a part. Graphemes that are wider than the line become question marks.
    pub(crate) fn slice(
        &self,
        text: &StyledText,
        part: &Part,
        room: usize,
        spans: &mut Vec<Span<'static>>,
    ) {
        let count = spans.len();
        text.slice(part.range.clone(), spans);
        if part.width > room {
            for span in spans.iter_mut().skip(count) {
                let fitting =
                    |grapheme| if grapheme_width(grapheme) > room { "?" } else { grapheme };
                let shown: String = span.content.graphemes(true).map(fitting).collect();
                *span = Span::styled(shown, span.style);
            }
        }
    }

    /// Returns the style of line numbers and of bars beside the text.
    pub(crate) fn gutter(&self) -> Style {
        self.theme.element(Element::Gutter)
    }
}
