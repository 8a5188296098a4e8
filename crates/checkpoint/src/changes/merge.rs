//! Merges two changes of one content.

use crate::changes::lines::{Change, compare, is_binary, lines};

/// Applies to `current` the change that leads from `base` to `other`. Returns `None` if both
/// changed the same lines, or lines that touch, in different ways. This is the rule of Git. A
/// binary content is merged only if at most one side changed it.
pub(crate) fn merge(base: &[u8], current: &[u8], other: &[u8]) -> Option<Vec<u8>> {
    if current == base || current == other {
        return Some(other.to_vec());
    }
    if base == other {
        return Some(current.to_vec());
    }
    if [base, current, other].into_iter().any(is_binary) {
        return None;
    }
    let (base, current, other) = (lines(base), lines(current), lines(other));
    let kept = compare(&base, &current);
    let wanted = compare(&base, &other);
    let mut merged = Vec::new();
    let mut at = 0;
    let (mut kept, mut wanted) = (kept.iter().peekable(), wanted.iter().peekable());
    loop {
        let (change, new) = match (kept.peek(), wanted.peek()) {
            (Some(one), Some(two)) if touch(one, two) => {
                if one.before != two.before || new_lines(&current, one) != new_lines(&other, two) {
                    return None;
                }
                wanted.next();
                (kept.next(), &current)
            }
            (Some(one), Some(two)) if one.before.start > two.before.start => {
                (wanted.next(), &other)
            }
            (Some(_), _) => (kept.next(), &current),
            (None, Some(_)) => (wanted.next(), &other),
            (None, None) => (None, &current),
        };
        let Some(change) = change else { break };
        merged.extend_from_slice(base.get(at..change.before.start)?);
        merged.extend_from_slice(new_lines(new, change));
        at = change.before.end;
    }
    merged.extend_from_slice(base.get(at..).unwrap_or_default());
    // A line without a line feed can only be the last one.
    let inner = merged.len().saturating_sub(1);
    let is_whole = merged.iter().take(inner).all(|line| line.ends_with(b"\n"));
    is_whole.then(|| merged.concat())
}

/// Returns whether no unchanged line is between two changes.
fn touch(one: &Change, other: &Change) -> bool {
    one.before.start <= other.before.end && other.before.start <= one.before.end
}

fn new_lines<'a, 't>(lines: &'a [&'t [u8]], change: &Change) -> &'a [&'t [u8]] {
    lines.get(change.after.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::merge;
    use proptest::prelude::*;

    fn merged(base: &str, current: &str, other: &str) -> Option<String> {
        let merged = merge(base.as_bytes(), current.as_bytes(), other.as_bytes());
        merged.map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn changes_of_different_lines_are_merged() {
        let merged = merged("a\nb\nc\nd\n", "A\nb\nc\nd\ne\n", "a\nb\nC\nd\n");
        assert_eq!(merged.unwrap(), "A\nb\nC\nd\ne\n");
    }

    #[test]
    fn changes_that_overlap_or_touch_are_conflicts() {
        assert_eq!(merged("a\nb\nc\n", "A\nb\nc\n", "X\nb\nc\n"), None, "the same line");
        assert_eq!(merged("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n"), None, "lines that touch");
        assert_eq!(merged("a\n", "a\nb\n", "a\nc\n"), None, "two inserted lines");
        assert_eq!(merged("a\nb\nc\nd\n", "x\nd\n", "y\nz\n"), None, "three changes");
        assert_eq!(merged("a\0", "b\0", "c\0"), None, "binary");
    }

    #[test]
    fn equal_changes_are_made_once() {
        assert_eq!(merged("a\nb\nc\nd\n", "X\nb\nc\nD\n", "X\nb\nc\nd\n").unwrap(), "X\nb\nc\nD\n");
        assert_eq!(merged("a\0", "b\0", "b\0").unwrap(), "b\0");
    }

    #[test]
    fn a_line_without_a_line_feed_stays_the_last_one() {
        assert_eq!(merged("a\nb\nc", "a\nb\nc\n", "x\nb\nc").unwrap(), "x\nb\nc\n");
        assert_eq!(merged("a\nb\nc", "a\nb\nc\nd\n", "a\nb\nc"), Some("a\nb\nc\nd\n".into()));
    }

    proptest! {
        #[test]
        fn a_merge_has_no_preferred_side_and_keeps_one_sided_changes(
            base in "([abc]{0,1}\n){0,8}[ab]{0,1}",
            one in "([abc]{0,1}\n){0,8}[ab]{0,1}",
            two in "([abc]{0,1}\n){0,8}[ab]{0,1}",
        ) {
            prop_assert_eq!(merged(&base, &one, &two), merged(&base, &two, &one));
            prop_assert_eq!(merged(&base, &base, &two).unwrap(), two);
            prop_assert_eq!(merged(&base, &one, &base).unwrap(), one);
        }

        #[test]
        fn lines_far_from_the_undone_change_are_kept(
            head in proptest::collection::vec("[a-z]{1,3}", 2..6),
            tail in proptest::collection::vec("[a-z]{1,3}", 2..6),
            agent in "[A-Z]{1,5}",
            person in "[0-9]{1,5}",
        ) {
            let text = |first: &str, middle: &str, last: &str| {
                let lines: Vec<&str> = [first].into_iter()
                    .chain(head.iter().map(String::as_str)).chain([middle])
                    .chain(tail.iter().map(String::as_str)).chain([last]).collect();
                lines.join("\n")
            };
            // The agent wrote the line in the middle; the person the first and the last one.
            let (before, after) = (text("-", "-", "-"), text("-", &agent, "-"));
            let current = text(&person, &agent, &person);
            prop_assert_eq!(merged(&after, &current, &before).unwrap(), text(&person, "-", &person));
        }
    }
}
