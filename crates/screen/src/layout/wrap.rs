//! Where a text breaks into lines.

use super::styled_text::{grapheme_width, width};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

/// A part of a text that fits a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The place in the text, without the spaces at the end.
    pub(crate) range: Range<usize>,
    /// The number of columns.
    pub(crate) width: usize,
    /// The number of spaces between the part before it and this one; `None` for the first part.
    pub(crate) joined: Option<usize>,
}

/// Breaks a text into parts that fit `columns`.
///
/// A break is between words, before or after a wide character, or, in a word that is wider than a
/// line, behind a separator such as `/`, and else anywhere between graphemes. Spaces at a break are
/// dropped; spaces at the start of the text remain. A text without characters is one empty part.
///
/// Only a grapheme that is itself wider than `columns` makes a part wider.
pub(crate) fn wrap(text: &str, columns: usize) -> Vec<Part> {
    let mut wrapping = Wrapping::new(text, columns);
    wrapping.run();
    wrapping.parts
}

struct Wrapping<'a> {
    text: &'a str,
    columns: usize,
    parts: Vec<Part>,
    /// The start of the current line.
    start: usize,
    /// The end of the current line's words, and their columns.
    end: usize,
    column: usize,
    /// The spaces behind `end`.
    spaces: usize,
    joined: Option<usize>,
    /// Whether the current line has only the spaces at the start of the text.
    indented: bool,
}

impl<'a> Wrapping<'a> {
    fn new(text: &'a str, columns: usize) -> Self {
        Self {
            text,
            columns: columns.max(1),
            parts: Vec::new(),
            start: 0,
            end: 0,
            column: 0,
            spaces: 0,
            joined: None,
            indented: false,
        }
    }

    fn run(&mut self) {
        let mut at = 0;
        while let Some(rest) = self.text.get(at..).filter(|rest| !rest.is_empty()) {
            let spaces = rest.len() - rest.trim_start_matches(' ').len();
            if spaces > 0 {
                self.space(spaces);
                at += spaces;
                continue;
            }
            let length = rest.find(' ').unwrap_or(rest.len());
            let word = rest.get(..length).unwrap_or(rest);
            if word.is_ascii() {
                self.word(at..at + length, length);
            } else {
                self.graphemes(at, word);
            }
            at += length;
        }
        self.finish_line();
    }

    fn space(&mut self, count: usize) {
        let first = self.joined.is_none() && self.end == 0;
        if first && count < self.columns {
            (self.end, self.column, self.indented) = (count, count, true);
        } else {
            self.spaces += count;
        }
    }

    /// Divides a word at wide characters: lines may break there without spaces.
    fn graphemes(&mut self, at: usize, word: &str) {
        let (mut start, mut columns) = (0, 0);
        for (offset, grapheme) in word.grapheme_indices(true) {
            let wide = grapheme_width(grapheme);
            if wide < 2 {
                columns += wide;
                continue;
            }
            if start < offset {
                self.word(at + start..at + offset, columns);
            }
            self.word(at + offset..at + offset + grapheme.len(), wide);
            (start, columns) = (offset + grapheme.len(), 0);
        }
        if start < word.len() {
            self.word(at + start..at + word.len(), columns);
        }
    }

    fn word(&mut self, range: Range<usize>, columns: usize) {
        if self.column + self.spaces + columns <= self.columns {
            self.column += self.spaces + columns;
            (self.end, self.spaces, self.indented) = (range.end, 0, false);
            return;
        }
        let breaks_here = self.indented && self.columns - self.column >= 4;
        if self.end > self.start && !(breaks_here && columns > self.columns - self.column) {
            self.break_line(range.start);
        } else if self.end == self.start {
            (self.start, self.end, self.spaces) = (range.start, range.start, 0);
        }
        self.indented = false;
        if self.column + columns <= self.columns {
            (self.end, self.column) = (range.end, self.column + columns);
        } else {
            self.divide(range);
        }
    }

    /// Divides a word that is wider than a line.
    fn divide(&mut self, range: Range<usize>) {
        let word = self.text.get(range.clone()).unwrap_or_default();
        // The place behind the last separator, and the columns before it.
        let mut separator = None;
        for (offset, grapheme) in word.grapheme_indices(true) {
            let at = range.start + offset;
            let wide = grapheme_width(grapheme);
            if self.column + wide > self.columns && at > self.start {
                let usable = separator.filter(|(_, column)| *column * 2 > self.columns);
                let (place, column) = usable.unwrap_or((at, self.column));
                self.end = place;
                let left = self.column - column;
                self.column = column;
                self.break_line(place);
                (self.column, separator) = (left, None);
            }
            self.column += wide;
            self.end = at + grapheme.len();
            if matches!(grapheme, "/" | "\\" | "-" | "_" | "." | "," | ";" | ":" | "&" | "=" | "?")
            {
                separator = Some((self.end, self.column));
            }
        }
        self.end = range.end;
    }

    fn break_line(&mut self, next: usize) {
        let spaces = next.saturating_sub(self.end);
        self.finish_line();
        (self.start, self.end, self.column, self.spaces) = (next, next, 0, 0);
        self.joined = Some(spaces);
    }

    fn finish_line(&mut self) {
        let range = self.start..self.end;
        self.parts.push(Part { range, width: self.column, joined: self.joined });
    }
}

/// Returns the width of the widest word of a text, as [`wrap`] divides it.
pub(super) fn widest_word(text: &str) -> usize {
    text.split(' ').map(width).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str, columns: usize) -> Vec<&str> {
        wrap(text, columns).into_iter().map(|part| &text[part.range]).collect()
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(lines("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(lines("the   quick", 5), ["the", "quick"]);
        assert_eq!(lines("", 5), [""]);
        assert_eq!(lines("   ", 5), ["   "]);
        assert_eq!(lines("end   ", 5), ["end"]);
    }

    #[test]
    fn indentation_remains_at_the_start_of_the_text_only() {
        assert_eq!(lines("    let a = 1;", 9), ["    let a", "= 1;"]);
        assert_eq!(lines("  abcdefghij", 8), ["  abcdef", "ghij"]);
    }

    #[test]
    fn a_long_word_breaks_behind_a_separator_or_anywhere() {
        assert_eq!(lines("see crates/screen/src", 14), ["see", "crates/screen/", "src"]);
        assert_eq!(lines("abcdefgh", 3), ["abc", "def", "gh"]);
    }

    #[test]
    fn wide_characters_and_emoji_break_between_graphemes() {
        assert_eq!(lines("日本語の文", 5), ["日本", "語の", "文"]);
        assert_eq!(lines("👩‍🔬👩‍🔬👩‍🔬", 4), ["👩‍🔬👩‍🔬", "👩‍🔬"]);
        assert_eq!(lines("e\u{301}e\u{301}e\u{301}", 2), ["e\u{301}e\u{301}", "e\u{301}"]);
        assert_eq!(lines("שלום עולם", 5), ["שלום", "עולם"]);
    }

    fn texts() -> impl Strategy<Value = String> {
        let word = prop_oneof![
            "[a-z/.-]{1,12}",
            " {1,4}",
            "[日本語한글👍🏽👩‍🔬🇩🇪é\u{301}\u{200d}שלא]{1,6}",
            proptest::char::any()
                .prop_filter("control", |c| !c.is_control())
                .prop_map(String::from),
        ];
        proptest::collection::vec(word, 0..24).prop_map(|words| words.concat())
    }

    proptest! {
        #[test]
        fn no_part_is_wider_than_the_columns_and_no_character_is_lost(
            text in texts(), columns in 1usize..30,
        ) {
            let parts = wrap(&text, columns);
            let mut end = 0;
            for part in &parts {
                let shown = &text[part.range.clone()];
                prop_assert!(text[end..part.range.start].chars().all(|c| c == ' '));
                prop_assert!(
                    width(shown) <= columns || shown.graphemes(true).count() == 1,
                    "{shown:?} is wider than {columns}"
                );
                end = part.range.end;
            }
            prop_assert!(text[end..].chars().all(|c| c == ' '));
        }
    }
}
