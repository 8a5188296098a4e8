//! The segments of changed files: a line with the path and the counts, then the changed places.

use super::hunk::{HunkColumns, HunkPart, digits};
use super::row_writer::{RowOptions, RowWriter};
use super::segment::{Lead, Segment, Source, Tone};
use crate::theme::Glyphs;
use attache_view::{
    DiffRow, FileChange, FileDiff, Hunk, HunkLine, Line as ViewLine, LineChange, Role, Span,
};
use std::sync::Arc;

/// The lines of a diff that a folded tool call shows.
const DIFF_PREVIEW: usize = 24;

/// The lines of a changed place that are laid out at once.
const CHUNK: usize = 64;

/// Returns the segments of changes of files.
pub(crate) fn diff_segments(diff: &DiffRow, glyphs: &Glyphs) -> Vec<Segment> {
    let options = RowOptions { folded: false, now: None };
    let mut writer = RowWriter { glyphs, options, segments: Vec::new(), depth: 0 };
    write_diff(&mut writer, diff);
    writer.segments
}

/// Adds the changes of files; the first lines of them if the row is folded.
pub(super) fn write_diff(writer: &mut RowWriter<'_>, diff: &DiffRow) {
    let mut left = if writer.options.folded { DIFF_PREVIEW } else { usize::MAX };
    let mut hidden = 0;
    for file in &diff.files {
        let line = file_header(file, writer.glyphs);
        writer.push(Lead::Indent, Tone::Plain, Source::Lines(vec![line]));
        let digits = digits(file);
        for (index, hunk) in file.hunks.iter().enumerate() {
            let shown = left.min(hunk.lines.len());
            hidden += hunk.lines.len() - shown;
            left -= shown;
            if index > 0 && shown > 0 {
                let gap = ViewLine::of(writer.glyphs.ellipsis, Role::Muted);
                writer.push(Lead::Indent, Tone::Plain, Source::Lines(vec![gap]));
            }
            for part in hunk_parts(file, (index, shown), digits, HunkColumns::ByWidth) {
                writer.push(Lead::Indent, Tone::Plain, Source::Hunk(part));
            }
        }
        if let Some(note) = &file.note {
            writer.push(Lead::Indent, Tone::Quiet, Source::Lines(vec![note.clone()]));
        }
    }
    writer.hidden(Lead::Indent, hidden);
}

/// Returns the line with the path, what happened, and the counts.
pub(crate) fn file_header(file: &FileDiff, glyphs: &Glyphs) -> ViewLine {
    let mut line = ViewLine::default();
    if let Some(from) = &file.from {
        line.spans.extend(from.spans.iter().cloned());
        line.spans.push(Span::new(format!(" {} ", glyphs.arrow), Role::Muted));
    }
    line.spans.extend(file.path.spans.iter().cloned());
    let word = match file.change {
        FileChange::Created => " (new)",
        FileChange::Changed => "",
        FileChange::Deleted => " (deleted)",
        FileChange::Renamed => " (renamed)",
        FileChange::Copied => " (copied)",
    };
    line.spans.push(Span::new(word, Role::Muted));
    if file.added > 0 {
        line.spans.push(Span::new(format!(" +{}", file.added), Role::Added));
    }
    if file.removed > 0 {
        let minus = glyphs.minus;
        line.spans.push(Span::new(format!(" {minus}{}", file.removed), Role::Removed));
    }
    line
}

/// Returns the first `shown` lines of a hunk in parts. A part does not begin between removed lines
/// and the added lines that replace them, unless the part would become very long.
fn hunk_parts(
    file: &Arc<FileDiff>,
    (hunk, shown): (usize, usize),
    digits: usize,
    columns: HunkColumns,
) -> Vec<HunkPart> {
    let Some(source) = file.hunks.get(hunk) else { return Vec::new() };
    let lines = source.lines.get(..shown).unwrap_or_default();
    let mut parts = Vec::new();
    let mut start = (source.old_start, source.new_start);
    let mut rest = 0..0;
    while rest.end < lines.len() {
        rest = rest.end..part_end(lines, rest.end);
        let part = lines.get(rest.clone()).unwrap_or_default();
        let lines = rest.clone();
        parts.push(HunkPart { file: Arc::clone(file), hunk, lines, start, digits, columns });
        start.0 += part.iter().filter(|line| line.change != LineChange::Added).count();
        start.1 += part.iter().filter(|line| line.change != LineChange::Removed).count();
    }
    parts
}

fn part_end(lines: &[HunkLine], start: usize) -> usize {
    let earliest = start + CHUNK;
    let latest = lines.len().min(start + CHUNK * 32);
    let same = |at: &usize| lines.get(*at).is_some_and(|line| line.change == LineChange::Same);
    (earliest..latest).find(same).unwrap_or(latest)
}

/// A segment of a review, with the file and the changed place to which it belongs.
#[derive(Debug)]
pub(crate) struct ReviewSegment {
    pub(crate) segment: Segment,
    /// The index of the file.
    pub(crate) file: usize,
    /// The index of the changed place in the file; `None` for the lines about the file itself.
    pub(crate) hunk: Option<usize>,
}

/// Returns the segments of changed files. Each file and each changed place begins with a line about
/// it. Of a file for which `is_folded` returns true, there is only that line. `about` returns the
/// lines about a changed place, given the indices of its file and of the place.
pub(crate) fn review_segments(
    diff: &DiffRow,
    is_folded: impl Fn(usize) -> bool,
    about: impl Fn(usize, usize, &Hunk) -> Vec<ViewLine>,
    columns: HunkColumns,
    glyphs: &Glyphs,
) -> Vec<ReviewSegment> {
    let mut segments = Vec::new();
    for (index, file) in diff.files.iter().enumerate() {
        let mut add = |hunk, lead, source| {
            let mut segment = Segment::blank();
            (segment.lead, segment.source) = (lead, source);
            segments.push(ReviewSegment { segment, file: index, hunk });
        };
        let folded = is_folded(index);
        let mark = if folded { glyphs.folded } else { glyphs.unfolded };
        let mut header = file_header(file, glyphs);
        header.spans.iter_mut().for_each(|span| span.style.strong = true);
        add(None, Lead::Mark(mark, Role::Muted), Source::Lines(vec![header]));
        if folded {
            continue;
        }
        if let Some(note) = &file.note {
            add(None, Lead::Indent, Source::Lines(vec![note.clone()]));
        }
        let digits = digits(file);
        for (number, hunk) in file.hunks.iter().enumerate() {
            add(Some(number), Lead::None, Source::Lines(about(index, number, hunk)));
            for part in hunk_parts(file, (number, hunk.lines.len()), digits, columns) {
                add(Some(number), Lead::None, Source::Hunk(part));
            }
        }
        add(None, Lead::None, Source::Blank);
    }
    segments
}

/// Returns a changed place in the unified format.
pub(crate) fn hunk_text(hunk: &Hunk) -> String {
    let mut text = hunk.header() + "\n";
    for line in &hunk.lines {
        text.push(line.change.sign());
        text.push_str(&line.line.text());
        text.push('\n');
    }
    text
}
