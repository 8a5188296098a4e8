//! A row and what was laid out of it.

use crate::layout::{DrawnLine, RowOptions, Segment, segments};
use crate::theme::Theme;
use attache_view::{CallStatus, Row, RowContent};
use regex::Regex;
use std::ops::Range;
use std::sync::Arc;

/// A row and what was laid out of it.
#[derive(Debug)]
pub(super) struct RowSlot {
    pub(super) row: Arc<Row>,
    /// Whether the row is folded, if the person chose it.
    pub(super) folded: Option<bool>,
    /// Whether reasoning is folded, unless the person chose otherwise for the row.
    pub(super) folds_thoughts: bool,
    /// The segments of the row, while it is near the visible rows.
    pub(super) segments: Option<Vec<SegmentSlot>>,
    /// The number of lines when all segments were last laid out at this width.
    pub(super) height: Option<usize>,
}

/// A segment, and its lines once they are needed.
#[derive(Debug)]
pub(super) struct SegmentSlot {
    pub(super) segment: Segment,
    pub(super) lines: Option<Vec<DrawnLine>>,
    /// An earlier form of the segment with its lines, which may be a part of the new ones.
    earlier: Option<Box<(Segment, Vec<DrawnLine>)>>,
    /// The matches of the search, for this generation of it.
    matches: Option<(u64, Vec<LineMatch>)>,
}

/// A part of a line that a search found. A match that continues in the next line has several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineMatch {
    pub(super) line: usize,
    /// The bytes in the line, without its margin.
    pub(super) bytes: Range<usize>,
    /// The number of the match in the segment.
    pub(super) number: usize,
}

impl RowSlot {
    pub(super) fn new(row: Arc<Row>, folds_thoughts: bool) -> Self {
        Self { row, folded: None, folds_thoughts, segments: None, height: None }
    }

    /// Whether the row has nothing to show, such as one of an earlier message that is not read.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.row.content, RowContent::Other { line } if line.is_empty())
    }

    /// Whether the row is folded.
    pub(super) fn is_folded(&self) -> bool {
        let is_shown = !self.folds_thoughts && self.is_thought();
        self.folded.unwrap_or_else(|| RowOptions::initial(&self.row).folded && !is_shown)
    }

    /// Whether the row is reasoning of the agent.
    pub(super) fn is_thought(&self) -> bool {
        matches!(self.row.content, RowContent::Thought { .. })
    }

    /// Whether the row shows a duration that grows.
    pub(super) fn is_running(&self) -> bool {
        let RowContent::ToolCall(call) = &self.row.content else { return false };
        matches!(call.status, CallStatus::Running | CallStatus::Paused)
    }

    /// Rebuilds the segments. Lines of segments that did not change remain.
    pub(super) fn build(&mut self, theme: &Theme, now: Option<i64>) {
        if self.is_empty() {
            self.segments = Some(Vec::new());
            return;
        }
        let options = RowOptions { folded: self.is_folded(), now };
        let mut old = self.segments.take().unwrap_or_default().into_iter();
        let mut new: Vec<SegmentSlot> = Vec::with_capacity(old.len() + 1);
        for segment in segments(&self.row, theme.glyphs(), options) {
            new.push(match old.next() {
                Some(slot) if slot.segment == segment => slot,
                Some(slot) => slot.replaced(segment),
                None => SegmentSlot::new(segment),
            });
        }
        // An empty line stands between two rows.
        new.push(SegmentSlot::new(Segment::blank()));
        self.segments = Some(new);
    }
}

impl SegmentSlot {
    fn new(segment: Segment) -> Self {
        Self { segment, lines: None, earlier: None, matches: None }
    }

    /// Returns the slot of a segment that replaces this one.
    fn replaced(self, segment: Segment) -> Self {
        let earlier = self.lines.map(|lines| Box::new((self.segment, lines))).or(self.earlier);
        Self { earlier, ..Self::new(segment) }
    }

    /// Returns the lines.
    pub(super) fn lines(&mut self, theme: &Theme, columns: usize) -> &[DrawnLine] {
        self.lines.get_or_insert_with(|| {
            self.matches = None;
            match self.earlier.take().map(|earlier| *earlier) {
                Some((old, lines)) => self.segment.layout_grown(&old, lines, theme, columns),
                None => self.segment.layout(theme, columns),
            }
        })
    }

    /// Returns the matches in the lines that are laid out.
    pub(super) fn matches(&mut self, pattern: &Regex, generation: u64) -> &[LineMatch] {
        let Some(lines) = &self.lines else { return &[] };
        if self.matches.as_ref().is_none_or(|(known, _)| *known != generation) {
            self.matches = Some((generation, find(lines, pattern)));
        }
        self.matches.as_ref().map_or(&[], |(_, matches)| matches)
    }
}

/// Finds the matches of a pattern in lines. A match can begin in one line and end in the next one
/// that continues it.
fn find(lines: &[DrawnLine], pattern: &Regex) -> Vec<LineMatch> {
    let (mut matches, mut number, mut first) = (Vec::new(), 0, 0);
    while first < lines.len() {
        let mut text = String::new();
        // The place of each line in the text.
        let mut places: Vec<Range<usize>> = Vec::new();
        for line in lines.iter().skip(first) {
            match line.joined {
                Some(spaces) if !places.is_empty() => text.extend(std::iter::repeat_n(' ', spaces)),
                None if !places.is_empty() => break,
                _ => {}
            }
            let start = text.len();
            text.push_str(&line.text());
            places.push(start..text.len());
        }
        for found in pattern.find_iter(&text).filter(|found| !found.is_empty()) {
            for (index, place) in places.iter().enumerate() {
                let (start, end) = (found.start().max(place.start), found.end().min(place.end));
                if start < end {
                    let bytes = start - place.start..end - place.start;
                    matches.push(LineMatch { line: first + index, bytes, number });
                }
            }
            number += 1;
        }
        first += places.len();
    }
    matches
}
