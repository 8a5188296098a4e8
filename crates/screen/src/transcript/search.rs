//! The search in a conversation.

use super::row_list::{Position, RowList};
use crate::layout::{RowOptions, segments};
use crate::theme::Theme;
use attache_view::Row;
use regex::{Regex, RegexBuilder};
use std::ops::Range;
use std::sync::Arc;

/// The state of a search, to show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchStatus {
    /// The number of the current match, from 1; 0 without a match.
    pub current: usize,
    /// The number of matches.
    pub total: usize,
}

/// A search in a conversation.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) query: String,
    pub(super) pattern: Regex,
    /// Distinguishes this search from earlier ones.
    pub(super) generation: u64,
    /// The rows with matches and the number of matches, in order.
    counts: Vec<(usize, usize)>,
    /// The row of the current match, and its number in the row.
    pub(super) current: Option<(usize, usize)>,
    /// The row and the segment of the current match, and its number in the segment.
    pub(super) shown: Option<(usize, usize, usize)>,
}

impl Search {
    /// Searches all rows. Upper and lower case differ only if the query has upper case. Returns
    /// `None` for an empty query.
    pub(super) fn new(query: &str, rows: &RowList, generation: u64) -> Option<Self> {
        let exact = query.chars().any(char::is_uppercase);
        let pattern = RegexBuilder::new(&regex::escape(query)).case_insensitive(!exact).build();
        let pattern = pattern.ok().filter(|_| !query.is_empty())?;
        let (query, counts) = (query.to_owned(), Vec::new());
        let mut search = Self { query, pattern, generation, counts, current: None, shown: None };
        search.refresh(rows, &(0..rows.len()));
        Some(search)
    }

    /// Searches the rows of a range again. Rows of earlier messages that are no longer shown keep
    /// their matches.
    pub(super) fn refresh(&mut self, rows: &RowList, changed: &Range<usize>) {
        let slots = rows.slots.get(changed.clone()).unwrap_or_default();
        let count = |(index, slot): (usize, &super::row_slot::RowSlot)| {
            let count = match slot.is_empty() {
                true => self.count(index).unwrap_or(0),
                false => count(&slot.row, rows.theme(), &self.pattern),
            };
            (count > 0).then_some((index, count))
        };
        let found: Vec<_> = changed.clone().zip(slots).filter_map(count).collect();
        let first = self.counts.partition_point(|(row, _)| *row < changed.start);
        let last = self.counts.partition_point(|(row, _)| *row < changed.end);
        self.counts.splice(first..last, found);
    }

    /// Forgets the rows from this index on.
    pub(super) fn truncate(&mut self, rows: usize) {
        self.counts.retain(|(row, _)| *row < rows);
        self.current = self.current.filter(|(row, _)| *row < rows);
    }

    pub(super) fn status(&self) -> SearchStatus {
        let total = self.counts.iter().map(|(_, count)| count).sum();
        let Some((current, number)) = self.current else {
            return SearchStatus { current: 0, total };
        };
        let before = self.counts.iter().take_while(|(row, _)| *row < current);
        let before: usize = before.map(|(_, count)| count).sum();
        SearchStatus { current: (before + number + 1).min(total), total }
    }

    /// Moves to the next match; from the end it continues at the start. `from` is the row to begin
    /// with if no match is current.
    pub(super) fn next(&mut self, from: usize) -> Option<(usize, usize)> {
        let next = match self.current {
            Some((row, number)) if self.count(row).is_some_and(|count| number + 1 < count) => {
                Some((row, number + 1))
            }
            Some((row, _)) => self.counts.iter().find(|(r, _)| *r > row).map(|(r, _)| (*r, 0)),
            None => self.counts.iter().find(|(row, _)| *row >= from).map(|(row, _)| (*row, 0)),
        };
        self.current = next.or_else(|| self.counts.first().map(|(row, _)| (*row, 0)));
        self.current
    }

    /// Moves to the previous match; from the start it continues at the end.
    pub(super) fn previous(&mut self, from: usize) -> Option<(usize, usize)> {
        let (row, number) = self.current.unwrap_or((from + 1, 0));
        let previous = match number.checked_sub(1) {
            Some(number) => Some((row, number)),
            None => last_of(self.counts.iter().rev().find(|(r, _)| *r < row)),
        };
        self.current = previous.or_else(|| last_of(self.counts.last()));
        self.current
    }

    /// Returns the position of the current match in the lines that are drawn, unless its row is
    /// folded and hides it. Lays out the row.
    pub(super) fn place(&mut self, rows: &mut RowList) -> Option<Position> {
        self.find_place(rows).filter(|(_, exact)| *exact).map(|(position, _)| position)
    }

    /// Returns the position of the current match, or of the last one of its row if the lines have
    /// fewer matches than the text.
    pub(super) fn place_nearest(&mut self, rows: &mut RowList) -> Option<Position> {
        self.find_place(rows).map(|(position, _)| position)
    }

    fn find_place(&mut self, rows: &mut RowList) -> Option<(Position, bool)> {
        let (row, number) = self.current?;
        let (mut before, mut place) = (0, None);
        for segment in 0..rows.segments(row).len() {
            rows.lines(row, segment);
            let Some((slot, ..)) = rows.slot(row, segment) else { continue };
            let matches = slot.matches(&self.pattern, self.generation);
            let exact = matches.iter().find(|found| before + found.number == number);
            if let Some(found) = exact.or_else(|| matches.last()) {
                self.shown = Some((row, segment, found.number));
                place = Some((Position { row, segment, line: found.line }, exact.is_some()));
            }
            if exact.is_some() {
                break;
            }
            before += matches.last().map_or(0, |last| last.number + 1);
        }
        place
    }

    fn count(&self, row: usize) -> Option<usize> {
        let index = self.counts.binary_search_by_key(&row, |(row, _)| *row).ok()?;
        self.counts.get(index).map(|(_, count)| *count)
    }
}

/// Returns the last match of a row.
fn last_of(entry: Option<&(usize, usize)>) -> Option<(usize, usize)> {
    entry.map(|(row, count)| (*row, count - 1))
}

/// Counts the matches in a row, as it is unfolded.
fn count(row: &Arc<Row>, theme: &Theme, pattern: &Regex) -> usize {
    let options = RowOptions { folded: false, now: None };
    let (mut count, mut text) = (0, String::new());
    for segment in segments(row, theme.glyphs(), options) {
        segment.visit_lines(&mut |line| {
            text.clear();
            line.spans.iter().for_each(|span| text.push_str(&span.text));
            count += pattern.find_iter(&text).count();
        });
    }
    count
}
