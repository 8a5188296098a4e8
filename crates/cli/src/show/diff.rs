//! Changes to files as unified diffs.

use super::paint::{CYAN, DIM, GREEN, Paint, RED};
use attache_view::sanitize;
use gix_imara_diff::{Algorithm, Diff, Hunk, InternedInput};
use std::ops::Range;

/// The number of context lines around each change.
const CONTEXT: u32 = 3;

/// A change of one file, ready to show.
pub(crate) struct Shown {
    /// The number of added lines.
    pub(crate) added: usize,
    /// The number of removed lines.
    pub(crate) removed: usize,
    /// Hunks in unified format with three lines of context, coloured, without line ends.
    pub(crate) lines: Vec<String>,
}

/// Compares the new text with the old text, if any.
pub(crate) fn diff(old: Option<&str>, new: &str, paint: Paint) -> Shown {
    let (old, new) = (sanitize::visible(old.unwrap_or_default()), sanitize::visible(new));
    let input = InternedInput::new(&*old, &*new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let texts = Texts {
        before: input.before.iter().map(|token| input.interner[*token]).collect(),
        after: input.after.iter().map(|token| input.interner[*token]).collect(),
        paint,
    };
    let (added, removed) = (diff.count_additions() as usize, diff.count_removals() as usize);
    let mut shown = Shown { added, removed, lines: Vec::new() };
    let mut hunks: Vec<Hunk> = Vec::new();
    for hunk in diff.hunks() {
        let is_near = |last: &Hunk| hunk.before.start - last.before.end <= 2 * CONTEXT;
        if !hunks.last().is_none_or(is_near) {
            texts.show(&hunks, &mut shown.lines);
            hunks.clear();
        }
        hunks.push(hunk);
    }
    texts.show(&hunks, &mut shown.lines);
    shown
}

/// The lines of both texts.
struct Texts<'a> {
    before: Vec<&'a str>,
    after: Vec<&'a str>,
    paint: Paint,
}

impl Texts<'_> {
    /// Shows hunks whose context lines touch, under one header.
    fn show(&self, hunks: &[Hunk], shown: &mut Vec<String>) {
        let (Some(first), Some(last)) = (hunks.first(), hunks.last()) else { return };
        let lead = first.before.start.min(CONTEXT);
        let trail = (self.before.len() as u32 - last.before.end).min(CONTEXT);
        let header = format!(
            "@@ -{} +{} @@",
            range(&(first.before.start - lead..last.before.end + trail)),
            range(&(first.after.start - lead..last.after.end + trail)),
        );
        shown.push(self.paint.paint(CYAN, header));
        let mut equal = first.before.start - lead;
        for hunk in hunks {
            self.lines(' ', &self.before, equal..hunk.before.start, shown);
            self.lines('-', &self.before, hunk.before.clone(), shown);
            self.lines('+', &self.after, hunk.after.clone(), shown);
            equal = hunk.before.end;
        }
        self.lines(' ', &self.before, equal..equal + trail, shown);
    }

    fn lines(&self, sign: char, of: &[&str], range: Range<u32>, shown: &mut Vec<String>) {
        let style = match sign {
            '+' => Some(GREEN),
            '-' => Some(RED),
            _ => None,
        };
        for text in of.get(range.start as usize..range.end as usize).unwrap_or_default() {
            let line = format!("{sign}{}", text.trim_end_matches('\n'));
            shown.push(style.map_or(line.clone(), |style| self.paint.paint(style, line)));
            if sign != ' ' && !text.ends_with('\n') {
                shown.push(self.paint.paint(DIM, "\\ no newline at end of file"));
            }
        }
    }
}

/// Formats lines for the header of a hunk: the number of the first line, and the count unless it is
/// 1.
fn range(lines: &Range<u32>) -> String {
    match lines.end - lines.start {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        length => format!("{},{length}", lines.start + 1),
    }
}

/// Returns `+1 -2` for the numbers of added and removed lines, coloured.
pub(crate) fn counts(added: usize, removed: usize, paint: Paint) -> String {
    let (added, removed) = (format!("+{added}"), format!("-{removed}"));
    format!("{} {}", paint.paint(GREEN, added), paint.paint(RED, removed))
}

#[cfg(test)]
mod tests {
    use super::{counts, diff};
    use crate::show::paint::Paint;

    const PLAIN: Paint = Paint { colours: false };

    #[test]
    fn a_change_is_shown_with_three_lines_around_it() {
        let old: String = (1..=20).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 10\n", "line ten\n");
        let shown = diff(Some(&old), &new, PLAIN);
        let expected = [
            "@@ -7,7 +7,7 @@",
            " line 7",
            " line 8",
            " line 9",
            "-line 10",
            "+line ten",
            " line 11",
            " line 12",
            " line 13",
        ];
        assert_eq!(shown.lines, expected);
        assert_eq!(counts(shown.added, shown.removed, PLAIN), "+1 -1");
    }

    #[test]
    fn a_new_file_is_all_added() {
        let shown = diff(None, "a\nb\n", PLAIN);
        assert_eq!((shown.added, shown.removed), (2, 0));
        assert_eq!(shown.lines, ["@@ -0,0 +1,2 @@", "+a", "+b"]);
    }

    #[test]
    fn a_changed_final_line_end_is_shown() {
        let shown = diff(Some("a\n"), "a", PLAIN);
        assert_eq!(shown.lines, ["@@ -1 +1 @@", "-a", "+a", "\\ no newline at end of file"]);
        assert!(diff(Some("same"), "same", PLAIN).lines.is_empty());
    }

    #[test]
    fn colours_come_only_from_this_program() {
        let shown = diff(Some("old\n"), "\u{1b}[8mhidden\n", Paint { colours: true });
        assert_eq!(shown.lines[2], "\u{1b}[32m+␛[8mhidden\u{1b}[0m");
    }
}
