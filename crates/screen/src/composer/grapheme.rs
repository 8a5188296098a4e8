//! The characters that a person sees: grapheme clusters, with chips as characters of their own.

use std::ops::RangeInclusive;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};
use unicode_width::UnicodeWidthStr;

/// The private characters that mean chips in the text of the composer, which removes such
/// characters from all other texts.
pub(super) const CHIPS: RangeInclusive<char> = '\u{100000}'..='\u{10fffd}';

/// Returns whether a character means a chip.
pub(super) fn is_chip(letter: char) -> bool {
    CHIPS.contains(&letter)
}

/// What a terminal draws for a tab.
const TAB: &str = "    ";

/// Returns whether `at` is between two characters of the text, or at one of its ends.
pub(super) fn is_boundary(text: &str, at: usize) -> bool {
    if at == 0 || at == text.len() || !text.is_char_boundary(at) {
        return at == 0 || at == text.len();
    }
    let (before, after) = (char_before(text, at), char_at(text, at));
    if before.is_some_and(is_chip) || after.is_some_and(is_chip) {
        return true;
    }
    GraphemeCursor::new(at, text.len(), true).is_boundary(text, 0).unwrap_or(true)
}

/// Returns the nearest boundary at or before `at`.
pub(super) fn floor(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| is_boundary(text, *at)).unwrap_or(0)
}

/// Returns the boundary after `at`, or the end of the text.
pub(super) fn next(text: &str, at: usize) -> usize {
    let rest = text.len().min(at + 1);
    (rest..text.len()).find(|at| is_boundary(text, *at)).unwrap_or(text.len())
}

/// Returns the boundary before `at`, or 0.
pub(super) fn previous(text: &str, at: usize) -> usize {
    (0..at.min(text.len())).rev().find(|at| is_boundary(text, *at)).unwrap_or(0)
}

/// Returns the first code point of the character at `at`.
pub(super) fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Returns the code point before `at`.
pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

/// Returns the characters of a text and where they begin.
pub(super) fn all(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // Chips join no cluster, so the text is divided around them.
    let mut start = 0;
    text.split_inclusive(is_chip).flat_map(move |part| {
        let begin = start;
        start += part.len();
        let cut = part.chars().next_back().filter(|last| is_chip(*last)).map_or(0, char::len_utf8);
        let (plain, chip) = part.split_at_checked(part.len() - cut).unwrap_or((part, ""));
        let after = begin + plain.len();
        let chip = Some((after, chip)).filter(|(_, chip)| !chip.is_empty());
        plain.grapheme_indices(true).map(move |(at, cluster)| (begin + at, cluster)).chain(chip)
    })
}

/// Returns the number of columns of a character that is no chip, at least 1.
pub(super) fn width(cluster: &str) -> usize {
    match cluster.as_bytes() {
        [b'\t'] => TAB.len(),
        [_] => 1,
        _ => cluster.width().max(1),
    }
}

/// Returns what a terminal draws for a character that is no chip. Characters without a width, which
/// could also change the direction of text, are drawn as a dot.
pub(super) fn drawn(cluster: &str) -> &str {
    match cluster {
        "\t" => TAB,
        _ if cluster.width() == 0 || cluster.chars().any(char::is_control) => "·",
        _ => cluster,
    }
}

/// Returns a text of one line as a terminal draws it.
pub(super) fn drawn_text(text: &str) -> String {
    all(text).map(|(_, cluster)| drawn(cluster)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clusters_stay_whole() {
        let chip = *CHIPS.start();
        let text = format!("e\u{301}👩‍👩‍👧漢{chip}\u{301}🇩🇪🇫🇷\u{600}{chip}");
        let parts: Vec<&str> = all(&text).map(|(_, cluster)| cluster).collect();
        let chip = chip.to_string();
        assert_eq!(parts, ["e\u{301}", "👩‍👩‍👧", "漢", &chip, "\u{301}", "🇩🇪", "🇫🇷", "\u{600}", &chip]);
        assert_eq!(parts.iter().map(|part| width(part)).collect::<Vec<_>>()[..3], [1, 2, 2]);
        assert_eq!(
            (drawn("\u{202e}"), drawn("\u{301}"), drawn("e\u{301}")),
            ("·", "·", "e\u{301}")
        );
    }

    proptest! {
        #[test]
        fn steps_and_lists_agree(text in "[a é\u{301}\u{200d}👩🇩🇪\n\u{100000}\u{600}漢]{0,12}") {
            let mut starts: Vec<usize> = all(&text).map(|(at, _)| at).collect();
            starts.push(text.len());
            starts.dedup();
            let mut forward = vec![0];
            while forward.last() != Some(&text.len()) {
                forward.push(next(&text, *forward.last().unwrap()));
            }
            prop_assert_eq!(&forward, &starts);
            let mut back = vec![text.len()];
            while back.last() != Some(&0) {
                back.push(previous(&text, *back.last().unwrap()));
            }
            back.reverse();
            prop_assert_eq!(&back, &starts);
        }
    }
}
