//! A paragraph that grows at its end, as while an agent writes it.

use super::blocks::write_lines;
use super::canvas::{Canvas, Margin};
use super::drawn_line::DrawnLine;
use attache_view::{Line as ViewLine, Span};

/// Paragraphs with fewer lines on the screen are laid out as a whole.
const LONG: usize = 16;

/// The lines at the end that are laid out again: the last one grows, and a word that becomes longer
/// can move from the line before it.
const AGAIN: usize = 2;

/// Text that was added to a paragraph.
#[derive(Debug)]
pub(super) struct Growth<'a> {
    /// The number of drawn lines that stay.
    kept: usize,
    /// The text of the paragraph's line behind the drawn lines that stay.
    tail: ViewLine,
    /// The lines behind it.
    more: &'a [ViewLine],
}

impl<'a> Growth<'a> {
    /// Returns what was added to the lines of a paragraph, whose drawn lines are `lines`. Returns
    /// `None` if something else changed, or if the paragraph is short.
    pub(super) fn of(old: &[ViewLine], new: &'a [ViewLine], lines: &[DrawnLine]) -> Option<Self> {
        let (last, before) = old.split_last()?;
        let grown = new.get(before.len()).filter(|_| new.starts_with(before))?;
        let links = |line: &ViewLine| line.spans.iter().any(|span| span.style.link.is_some());
        // The addresses of links are drawn besides the text.
        if !begins(grown, last) || links(grown) {
            return None;
        }
        let first = lines.iter().rposition(|line| line.joined.is_none())?;
        let kept = lines.len().checked_sub(AGAIN).filter(|kept| *kept >= first + LONG)?;
        let drawn = lines.get(first..=kept)?;
        let (again, drawn) = drawn.split_last()?;
        let text = |line: &DrawnLine| -> usize {
            line.line.spans.iter().skip(line.margin).map(|span| span.content.len()).sum()
        };
        let length: usize =
            drawn.iter().map(|line| text(line) + line.joined.unwrap_or(0)).sum::<usize>();
        let tail = tail(grown, length + again.joined?)?;
        Some(Self { kept, tail, more: new.get(before.len() + 1..).unwrap_or_default() })
    }

    /// Writes the new lines behind the drawn lines that stay, which the canvas has.
    pub(super) fn write(&self, canvas: &mut Canvas<'_>, margin: &mut Margin) {
        let joined = canvas.lines.get(self.kept).and_then(|line| line.joined);
        canvas.lines.truncate(self.kept);
        write_lines(canvas, std::slice::from_ref(&self.tail), margin);
        if let Some(line) = canvas.lines.get_mut(self.kept) {
            line.joined = joined;
        }
        write_lines(canvas, self.more, margin);
    }
}

/// Whether a line begins with all of another line: only its last span may be longer.
fn begins(line: &ViewLine, with: &ViewLine) -> bool {
    let Some((last, before)) = with.spans.split_last() else { return false };
    let same = |span: &Span| span.style == last.style && span.text.starts_with(&last.text);
    line.spans.starts_with(before) && line.spans.get(before.len()).is_some_and(same)
}

/// Returns a line without its first `length` bytes.
fn tail(line: &ViewLine, length: usize) -> Option<ViewLine> {
    let (mut left, mut tail) = (length, ViewLine::default());
    for span in &line.spans {
        if left >= span.text.len() {
            left -= span.text.len();
            continue;
        }
        let text = span.text.get(left..)?.to_owned();
        tail.spans.push(Span { text, style: span.style.clone() });
        left = 0;
    }
    Some(tail)
}
