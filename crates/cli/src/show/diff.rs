//! Changes to files as unified diffs.

use super::paint::{CYAN, DIM, GREEN, Paint, RED};
use super::sanitize;
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// The number of context lines around each change.
const CONTEXT: usize = 3;

/// The time limit for the smallest diff; then a larger one is used.
const PATIENCE: Duration = Duration::from_millis(200);

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
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(&*old, &*new);
    let mut shown = Shown { added: 0, removed: 0, lines: Vec::new() };
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        shown.lines.push(paint.paint(CYAN, hunk.header()));
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Equal => (' ', None),
                ChangeTag::Insert => ('+', Some(GREEN)),
                ChangeTag::Delete => ('-', Some(RED)),
            };
            shown.added += usize::from(sign == '+');
            shown.removed += usize::from(sign == '-');
            let line = format!("{sign}{}", change.value().trim_end_matches('\n'));
            shown.lines.push(style.map_or(line.clone(), |style| paint.paint(style, line)));
            if change.missing_newline() && sign != ' ' {
                shown.lines.push(paint.paint(DIM, "\\ no line end at the end of the file"));
            }
        }
    }
    shown
}

/// Returns `+1 -2`, coloured.
pub(crate) fn counts(shown: &Shown, paint: Paint) -> String {
    let (added, removed) = (format!("+{}", shown.added), format!("-{}", shown.removed));
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
        assert_eq!(counts(&shown, PLAIN), "+1 -1");
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
        assert_eq!(
            shown.lines,
            ["@@ -1 +1 @@", "-a", "+a", "\\ no line end at the end of the file"]
        );
        assert!(diff(Some("same"), "same", PLAIN).lines.is_empty());
    }

    #[test]
    fn colours_come_only_from_this_program() {
        let shown = diff(Some("old\n"), "\u{1b}[8mhidden\n", Paint { colours: true });
        assert_eq!(shown.lines[2], "\u{1b}[32m+␛[8mhidden\u{1b}[0m");
    }
}
