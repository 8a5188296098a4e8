//! How the text is divided into rows of the screen.

use super::buffer::Buffer;
use super::chip::Chips;
use super::grapheme::{self, is_chip};
use std::ops::Range;

/// The rows of a text at one width. Words are not divided unless they are longer than a row; spaces
/// at the end of a row may reach beyond it.
#[derive(Debug, Default)]
pub(super) struct Layout {
    /// The text and the width of these rows.
    key: Option<(u64, usize)>,
    rows: Vec<Range<usize>>,
}

impl Layout {
    /// Divides the text into rows of at most `width` columns, unless these are its rows already.
    pub(super) fn update(&mut self, buffer: &Buffer, chips: &Chips, width: usize) {
        let width = width.max(2);
        if self.key == Some((buffer.revision(), width)) {
            return;
        }
        self.key = Some((buffer.revision(), width));
        self.rows.clear();
        let mut start = 0;
        for line in buffer.text().split('\n') {
            self.wrap(line, start, chips, width);
            start += line.len() + 1;
        }
    }

    /// Forgets the rows, because another text follows.
    pub(super) fn clear(&mut self) {
        self.key = None;
    }

    fn wrap(&mut self, line: &str, offset: usize, chips: &Chips, width: usize) {
        // Where the row begins, and the last place in it where it can end.
        let (mut start, mut space) = (0, None::<usize>);
        // The columns since the start, and since the last such place.
        let (mut columns, mut since) = (0, 0);
        for (at, cluster) in grapheme::all(line) {
            let wide = columns_of(cluster, chips);
            if cluster == " " || cluster == "\t" {
                columns += wide;
                (space, since) = (Some(at + cluster.len()), 0);
                continue;
            }
            if columns + wide > width && at > start {
                let end = space.filter(|space| *space > start).unwrap_or(at);
                columns = if end == at { 0 } else { since };
                self.rows.push(offset + start..offset + end);
                (start, space) = (end, None);
                // A word that is longer than the row is divided.
                if columns + wide > width && at > start {
                    self.rows.push(offset + start..offset + at);
                    (start, columns) = (at, 0);
                }
            }
            columns += wide;
            since += wide;
        }
        self.rows.push(offset + start..offset + line.len());
    }

    /// Returns the number of rows, at least 1.
    pub(super) fn len(&self) -> usize {
        self.rows.len().max(1)
    }

    /// Returns the part of the text in this row.
    pub(super) fn row(&self, row: usize) -> Range<usize> {
        self.rows.get(row).cloned().unwrap_or_default()
    }

    /// Returns the row that shows the position.
    pub(super) fn row_of(&self, at: usize) -> usize {
        self.rows.partition_point(|row| row.start <= at).saturating_sub(1)
    }
}

/// Returns the number of columns of a character or chip.
pub(super) fn columns_of(cluster: &str, chips: &Chips) -> usize {
    match cluster.chars().next().filter(|first| is_chip(*first)) {
        Some(chip) => grapheme::all(chips.label(chip)).map(|(_, part)| grapheme::width(part)).sum(),
        None => grapheme::width(cluster),
    }
}

/// Returns the columns before the position `at` in a row.
pub(super) fn column(text: &str, row: Range<usize>, at: usize, chips: &Chips) -> usize {
    let before = text.get(row.start..at.min(row.end)).unwrap_or_default();
    grapheme::all(before).map(|(_, cluster)| columns_of(cluster, chips)).sum()
}

/// Returns the position in a row that is nearest to a column, at its left.
pub(super) fn position(
    text: &str,
    row: Range<usize>,
    column: usize,
    is_last: bool,
    chips: &Chips,
) -> usize {
    let mut columns = 0;
    for (at, cluster) in grapheme::all(text.get(row.clone()).unwrap_or_default()) {
        columns += columns_of(cluster, chips);
        // The end of a row that continues below is the start of the next row.
        if columns > column || !is_last && row.start + at + cluster.len() == row.end {
            return row.start + at;
        }
    }
    row.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rows(text: &str, width: usize) -> Vec<String> {
        let mut buffer = Buffer::default();
        buffer.insert(text);
        let mut layout = Layout::default();
        layout.update(&buffer, &Chips::default(), width);
        layout.rows.iter().map(|row| buffer.slice(row.clone()).to_owned()).collect()
    }

    #[test]
    fn words_stay_whole() {
        for (text, width, expected) in [
            ("", 10, &[""][..]),
            ("one two three", 8, &["one two ", "three"]),
            ("one two three", 7, &["one two ", "three"]),
            ("one two    three", 7, &["one two    ", "three"]),
            ("abcdefghij k", 4, &["abcd", "efgh", "ij k"]),
            ("a abcdefghij", 4, &["a ", "abcd", "efgh", "ij"]),
            ("漢字漢字", 5, &["漢字", "漢字"]),
            ("a\n\nb\n", 5, &["a", "", "b", ""]),
            ("👩‍👩‍👧👩‍👩‍👧", 3, &["👩‍👩‍👧", "👩‍👩‍👧"]),
        ] {
            assert_eq!(rows(text, width), expected, "{text:?} at {width}");
        }
    }

    proptest! {
        #[test]
        fn rows_fit_and_no_text_is_lost(text in "[ab é漢👩\n\t]{0,60}", width in 4..12usize) {
            let rows = rows(&text, width);
            prop_assert_eq!(rows.concat(), text.replace('\n', ""));
            for row in rows {
                let visible = row.trim_end_matches([' ', '\t']);
                let columns: usize = grapheme::all(visible).map(|(_, c)| grapheme::width(c)).sum();
                prop_assert!(columns <= width, "{:?}", row);
            }
        }
    }
}
