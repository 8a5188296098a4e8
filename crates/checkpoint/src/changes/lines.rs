//! Compares two contents line by line. Lines keep their line feeds and carriage returns, so a
//! result has exactly the bytes of its lines.

use gix_imara_diff::{Algorithm, Diff, InternedInput};
use std::ops::Range;

/// A content with a zero byte among this many bytes at its start is binary, as for Git.
const BINARY_LOOK: usize = 8_000;

/// The number of lines, of both contents together, up to which lines are compared. The differing
/// part of longer contents counts as one change.
const MOST_LINES: usize = 400_000;

/// Returns whether a content is binary and has no lines.
pub(crate) fn is_binary(content: &[u8]) -> bool {
    content.iter().take(BINARY_LOOK).any(|byte| *byte == 0)
}

/// Returns the lines of a content, each with its line feed. Only the last one may lack it.
pub(crate) fn lines(content: &[u8]) -> Vec<&[u8]> {
    content.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns the bytes of some lines.
pub(crate) fn joined(lines: &[&[u8]], range: Range<usize>) -> Vec<u8> {
    lines.get(range).unwrap_or_default().concat()
}

/// A place where two contents differ: the lines `before` of the old one became the lines `after` of
/// the new one. Either may be empty, but not both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
}

/// Returns where two lists of lines differ, in their order. At least one line is the same between
/// two changes.
pub(crate) fn compare(old: &[&[u8]], new: &[&[u8]]) -> Vec<Change> {
    let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old_rest, new_rest) = (rest(old, start), rest(new, start));
    let ends = old_rest.iter().rev().zip(new_rest.iter().rev());
    let end = ends.take_while(|(one, other)| one == other).count();
    let before = start..old.len() - end;
    let after = start..new.len() - end;
    if before.is_empty() && after.is_empty() {
        return Vec::new();
    }
    if before.is_empty() || after.is_empty() || before.len() + after.len() > MOST_LINES {
        return vec![Change { before, after }];
    }
    let mut input = InternedInput::default();
    // The lines around the differing part help to place a change among equal lines.
    input.update_before(old.iter().copied());
    input.update_after(new.iter().copied());
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let hunks = diff.hunks();
    hunks.map(|hunk| Change { before: range(hunk.before), after: range(hunk.after) }).collect()
}

fn rest<'a, 't>(lines: &'a [&'t [u8]], start: usize) -> &'a [&'t [u8]] {
    lines.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{compare, is_binary, joined, lines};
    use proptest::prelude::*;

    #[test]
    fn lines_keep_every_byte() {
        let content = b"a\r\nb\n\n\xff\rc";
        assert_eq!(lines(content), [b"a\r\n".as_slice(), b"b\n", b"\n", b"\xff\rc"]);
        assert_eq!(joined(&lines(content), 0..4), content);
        assert!(lines(b"").is_empty());
        assert!(is_binary(b"a\0b") && !is_binary(content));
    }

    #[test]
    fn a_missing_last_line_feed_is_a_change_of_that_line() {
        let (old, new) = (lines(b"a\nb"), lines(b"a\nb\n"));
        let changes = compare(&old, &new);
        assert_eq!((changes[0].before.clone(), changes[0].after.clone()), (1..2, 1..2));
    }

    proptest! {
        #[test]
        fn changes_lead_from_the_old_content_to_the_new_one(
            old in "[ab\n\r]{0,40}", new in "[ab\n\r]{0,40}",
        ) {
            let (old, new) = (lines(old.as_bytes()), lines(new.as_bytes()));
            let (mut made, mut at, mut end) = (Vec::new(), 0, None);
            for change in compare(&old, &new) {
                prop_assert!(!change.before.is_empty() || !change.after.is_empty());
                prop_assert!(end.is_none_or(|end| change.before.start > end), "they do not touch");
                end = Some(change.before.end);
                made.extend_from_slice(&old[at..change.before.start]);
                made.extend_from_slice(&new[change.after.clone()]);
                at = change.before.end;
            }
            made.extend_from_slice(&old[at..]);
            prop_assert_eq!(made, new);
        }
    }
}
