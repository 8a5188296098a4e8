//! The words that differ in two lines.

use gix_imara_diff::{Algorithm, Diff, InternedInput};
use std::ops::Range;

/// The length in bytes up to which two lines are compared.
const MOST: usize = 2_000;

/// Byte ranges of a line.
pub(super) type Ranges = Vec<Range<usize>>;

/// Returns the places of both lines that differ; `None` if the lines have little in common.
pub(super) fn differences(old: &str, new: &str) -> Option<(Ranges, Ranges)> {
    if old.len().max(new.len()) > MOST {
        return None;
    }
    let (old_words, new_words) = (words(old), words(new));
    let mut input = InternedInput::default();
    input.update_before(old_words.iter().copied());
    input.update_after(new_words.iter().copied());
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_no_heuristic(&input);
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for hunk in diff.hunks() {
        push(&mut removed, &old_words, &hunk.before);
        push(&mut added, &new_words, &hunk.after);
    }
    let changed = |ranges: &Ranges, text: &str| -> usize {
        ranges
            .iter()
            .filter_map(|range| text.get(range.clone()))
            .map(|part| part.trim().len())
            .sum()
    };
    let is_similar =
        |ranges: &Ranges, text: &str| changed(ranges, text) * 5 <= text.trim().len() * 4;
    (is_similar(&removed, old) && is_similar(&added, new)).then_some((removed, added))
}

fn push(ranges: &mut Ranges, words: &[&str], at: &Range<u32>) {
    let (start, end) = (at.start as usize, at.end as usize);
    let before: usize = words.iter().take(start).map(|word| word.len()).sum();
    let length: usize = words.iter().take(end).skip(start).map(|word| word.len()).sum();
    if length > 0 {
        ranges.push(before..before + length);
    }
}

/// Divides a line into words, runs of spaces, and other single characters.
fn words(line: &str) -> Vec<&str> {
    #[derive(PartialEq, Clone, Copy)]
    enum Class {
        Word,
        Space,
        Other,
    }
    let class = |character: char| match character {
        '_' => Class::Word,
        character if character.is_alphanumeric() => Class::Word,
        character if character.is_whitespace() => Class::Space,
        _ => Class::Other,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, character) in line.char_indices() {
        let class = class(character);
        let continues = class != Class::Other && last == Some(class);
        if !continues && at > start {
            words.extend(line.get(start..at));
            start = at;
        }
        last = Some(class);
    }
    words.extend(line.get(start..).filter(|word| !word.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(old: &str, new: &str) -> Option<(String, String)> {
        let (removed, added) = differences(old, new)?;
        let text = |ranges: Ranges, of: &str| {
            ranges.into_iter().map(|range| of[range].to_owned()).collect::<Vec<_>>().join("|")
        };
        Some((text(removed, old), text(added, new)))
    }

    #[test]
    fn only_words_that_differ_are_found() {
        for (old, new, expected) in [
            ("let x = 1;", "let x = 2;", Some(("1", "2"))),
            ("foo(a, b)", "foo(a, c, d)", Some(("b", "c, d"))),
            ("a b c d e f", "a b c d e f", Some(("", ""))),
            ("naïve café au lait", "naïve cafe au lait", Some(("café", "cafe"))),
            ("completely other", "xyz", None),
        ] {
            let expected = expected.map(|(one, other): (&str, &str)| (one.into(), other.into()));
            assert_eq!(changed(old, new), expected, "{old}");
        }
        assert_eq!(differences(&"x ".repeat(2_000), "x"), None);
    }

    #[test]
    fn words_are_divided_completely() {
        assert_eq!(words("fn a_b(c:  D)"), ["fn", " ", "a_b", "(", "c", ":", "  ", "D", ")"]);
        assert_eq!(words(""), [""; 0]);
    }
}
