//! Compares two texts line by line.

use crate::row::diff_row::LineChange;
use gix_imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use std::ops::Range;

/// The number of context lines around each change.
const CONTEXT: usize = 3;

/// The number of lines and bytes up to which texts are compared.
const MOST_LINES: usize = 200_000;
const MOST_BYTES: usize = 16 << 20;

/// The differences of two texts.
#[derive(Debug, Default)]
pub(super) struct Compared<'t> {
    pub(super) hunks: Vec<RawHunk<'t>>,
    pub(super) added: usize,
    pub(super) removed: usize,
    /// Whether the texts are too long, so that unchanged lines may count as changed.
    pub(super) is_rough: bool,
}

/// A changed place, with the lines as they are.
#[derive(Debug, Default)]
pub(super) struct RawHunk<'t> {
    pub(super) old_start: usize,
    pub(super) new_start: usize,
    /// Each line without its line feed.
    pub(super) lines: Vec<RawLine<'t>>,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawLine<'t> {
    pub(super) change: LineChange,
    pub(super) text: &'t str,
    /// Whether the line is the last one of its file and has no line feed.
    pub(super) is_unfinished: bool,
}

/// Compares two texts.
pub(super) fn compare<'t>(old: &'t str, new: &'t str) -> Compared<'t> {
    if old == new {
        return Compared::default();
    }
    let start = common_start(old, new);
    let (old_rest, new_rest) = (rest(old, start), rest(new, start));
    let end = common_end(old_rest, new_rest);
    let old_middle = old_rest.get(..old_rest.len() - end).unwrap_or(old_rest);
    let new_middle = new_rest.get(..new_rest.len() - end).unwrap_or(new_rest);
    let before: Vec<&str> = old.get(..start).unwrap_or_default().split_inclusive('\n').collect();
    let skipped = before.len().saturating_sub(CONTEXT);
    let mut texts = Texts {
        skipped,
        lead: before.len() - skipped,
        old: before.get(skipped..).unwrap_or_default().to_vec(),
        new: new_middle.split_inclusive('\n').collect(),
        removable: 0,
    };
    texts.old.extend(old_middle.split_inclusive('\n'));
    texts.removable = texts.old.len() - texts.lead;
    texts.old.extend(rest(old_rest, old_middle.len()).split_inclusive('\n').take(CONTEXT));
    texts.compare()
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// The length of the whole lines with which both texts begin.
fn common_start(old: &str, new: &str) -> usize {
    let same = old.bytes().zip(new.bytes()).take_while(|(one, other)| one == other).count();
    let same = old.as_bytes().get(..same).unwrap_or_default();
    same.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}

/// The length of the whole lines with which both texts end.
fn common_end(old: &str, new: &str) -> usize {
    let pairs = old.bytes().rev().zip(new.bytes().rev());
    let same = pairs.take_while(|(one, other)| one == other).count();
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let tail = old.get(old.len() - same..).unwrap_or_default();
    let begins_line =
        |text: &[u8]| text.len() == same || text.get(text.len() - same - 1) == Some(&b'\n');
    if begins_line(old) && begins_line(new) {
        return same;
    }
    match tail.iter().position(|byte| *byte == b'\n') {
        Some(at) => same - at - 1,
        None => 0,
    }
}

/// The lines of both texts, without most of those that are the same at the start and end.
struct Texts<'t> {
    /// The number of lines before `old`.
    skipped: usize,
    /// The old lines that may differ, with some lines around them.
    old: Vec<&'t str>,
    /// The number of lines at the start of `old` that are the same.
    lead: usize,
    /// The number of lines after them that may differ.
    removable: usize,
    /// The new lines that may differ.
    new: Vec<&'t str>,
}

impl<'t> Texts<'t> {
    fn before(&self) -> &[&'t str] {
        self.old.get(self.lead..self.lead + self.removable).unwrap_or_default()
    }

    fn compare(&self) -> Compared<'t> {
        let before = self.before();
        let bytes: usize = before.iter().chain(&self.new).map(|line| line.len()).sum();
        let is_rough = before.len() + self.new.len() > MOST_LINES || bytes > MOST_BYTES;
        let changes = match is_rough {
            true => vec![Hunk { before: 0..before.len() as u32, after: 0..self.new.len() as u32 }],
            false => {
                let mut input = InternedInput::default();
                input.update_before(before.iter().copied());
                input.update_after(self.new.iter().copied());
                let mut diff = Diff::compute(Algorithm::Histogram, &input);
                diff.postprocess_lines(&input);
                diff.hunks().collect()
            }
        };
        let mut compared = Compared { is_rough, ..Compared::default() };
        let mut near: Vec<Hunk> = Vec::new();
        for change in changes {
            compared.removed += change.before.len();
            compared.added += change.after.len();
            let is_near = |last: &Hunk| {
                (change.before.start.saturating_sub(last.before.end)) as usize <= 2 * CONTEXT
            };
            if !near.last().is_none_or(is_near) {
                compared.hunks.extend(self.hunk(&near));
                near.clear();
            }
            near.push(change);
        }
        compared.hunks.extend(self.hunk(&near));
        compared
    }

    /// Returns changes whose context lines touch as one hunk.
    fn hunk(&self, changes: &[Hunk]) -> Option<RawHunk<'t>> {
        let (first, last) = (changes.first()?, changes.last()?);
        let lead = self.lead;
        let start = (lead + first.before.start as usize).saturating_sub(CONTEXT);
        let new_start = (lead + first.after.start as usize).saturating_sub(CONTEXT);
        let end = (lead + last.before.end as usize + CONTEXT).min(self.old.len());
        let mut lines = Vec::new();
        let mut push = |change: LineChange, of: &[&'t str], range: Range<usize>| {
            let of = of.get(range).unwrap_or_default();
            lines.extend(of.iter().map(|text| RawLine {
                change,
                text: text.strip_suffix('\n').unwrap_or(text),
                is_unfinished: !text.ends_with('\n'),
            }));
        };
        let mut equal = start;
        for change in changes {
            let (before, after) = (range(&change.before), range(&change.after));
            push(LineChange::Same, &self.old, equal..lead + before.start);
            push(LineChange::Removed, self.before(), before.clone());
            push(LineChange::Added, &self.new, after);
            equal = lead + before.end;
        }
        push(LineChange::Same, &self.old, equal..end);
        let has = |change: LineChange| {
            lines.iter().any(|line| line.change == LineChange::Same || line.change == change)
        };
        let number = |at: usize, exists: bool| if exists { self.skipped + at + 1 } else { 0 };
        Some(RawHunk {
            old_start: number(start, has(LineChange::Removed)),
            new_start: number(new_start, has(LineChange::Added)),
            lines,
        })
    }
}

fn range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
