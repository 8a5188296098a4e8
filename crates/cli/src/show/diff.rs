//! Changes to files as unified diffs.

use super::paint::{BOLD, CYAN, DIM, GREEN, Paint, RED};
use attache_view::{FileChange, FileDiff, LineChange, UnifiedLine, sanitize, unified_diff};

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
    let diff = unified_diff(&old, &new);
    let line = |line| match line {
        UnifiedLine::Header(header) => paint.paint(CYAN, header),
        UnifiedLine::Line(change, text) => painted(change, text, paint),
        _ => paint.paint(DIM, "\\ no newline at end of file"),
    };
    let lines = diff.lines.into_iter().map(line).collect();
    Shown { added: diff.added, removed: diff.removed, lines }
}

/// Returns the line about a file that an agent of version 2 changed, and the lines of its changes.
pub(super) fn file(file: &FileDiff, paint: Paint) -> (String, Vec<String>) {
    let from = file.from.as_ref().map(attache_view::Line::text).unwrap_or_default();
    let what = match file.change {
        FileChange::Created => " (new file)".to_owned(),
        FileChange::Changed => String::new(),
        FileChange::Deleted => " (deleted)".to_owned(),
        FileChange::Renamed => format!(" (moved from {from})"),
        FileChange::Copied => format!(" (copied from {from})"),
    };
    let mut head = paint.paint(BOLD, format!("{}{what}", file.path.text()));
    if file.added + file.removed > 0 {
        head = format!("{head} {}", counts(file.added, file.removed, paint));
    }
    let mut lines: Vec<String> =
        file.note.iter().map(|note| paint.paint(DIM, note.text())).collect();
    for hunk in &file.hunks {
        // A patch that does not fit the changes is shown as it is.
        let is_raw = hunk.old_start == 0 && hunk.new_start == 0;
        lines.extend((!is_raw).then(|| paint.paint(CYAN, hunk.header())));
        lines.extend(hunk.lines.iter().map(|line| {
            let text = line.line.text();
            let text = if is_raw { text } else { format!("{}{text}", line.change.sign()) };
            painted(line.change, text, paint)
        }));
    }
    (head, lines)
}

fn painted(change: LineChange, text: String, paint: Paint) -> String {
    match change {
        LineChange::Added => paint.paint(GREEN, text),
        LineChange::Removed => paint.paint(RED, text),
        LineChange::Same => text,
    }
}

/// Returns `+1 -2` for the numbers of added and removed lines, coloured.
pub(crate) fn counts(added: usize, removed: usize, paint: Paint) -> String {
    let (added, removed) = (format!("+{added}"), format!("-{removed}"));
    format!("{} {}", paint.paint(GREEN, added), paint.paint(RED, removed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::decode;
    use attache_protocol::v2::Diff;
    use attache_view::reported_changes;
    use std::path::Path;

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

    fn lines(diff: &str) -> Vec<String> {
        let diff: Diff = decode(diff).unwrap();
        let files = reported_changes(&diff, Path::new("/p")).into_iter();
        let files = files.map(|changed| file(&changed, PLAIN));
        files.flat_map(|(head, lines)| std::iter::once(head).chain(lines)).collect()
    }

    fn with_patch(changes: &str, patch: &str) -> Vec<String> {
        let patch = attache_protocol::encode(&patch.to_owned());
        lines(&format!(
            r#"{{"changes":[{changes}],"patch":{{"format":"git_patch","text":{patch}}}}}"#
        ))
    }

    #[test]
    fn headers_that_repeat_the_change_are_left_out() {
        let patch = "diff --git /p/a /p/a\nindex 1..2 100644\n--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-x\n+y\n\
                     diff --git /p/b /p/b\nnew file mode 100644\n--- /dev/null\n+++ /p/b\n@@ -0,0 +1 @@\n+z\n";
        let changes = r#"{"operation":"modify","path":"/p/a"},{"operation":"add","path":"/p/b"}"#;
        assert_eq!(
            with_patch(changes, patch),
            ["a +1 -1", "@@ -1 +1 @@", "-x", "+y", "b (new file) +1 -0", "@@ -0,0 +1 @@", "+z"]
        );
    }

    #[test]
    fn a_patch_cannot_hide_another_file_or_mode() {
        let patch = "diff --git /p/a /p/a\nold mode 100644\nnew mode 100755\n--- /p/a\n+++ /etc/passwd\n@@ -1 +1 @@\n+--- /p/a\n";
        let modify = r#"{"operation":"modify","path":"/p/a"}"#;
        assert_eq!(
            with_patch(modify, patch),
            [
                "a +1 -0",
                "the patch also says: old mode 100644, new mode 100755, +++ /etc/passwd",
                "@@ -1,0 +1 @@",
                "+--- /p/a"
            ]
        );
        let executable = "diff --git /p/a /p/a\nnew file mode 100755\n";
        assert_eq!(
            with_patch(r#"{"operation":"add","path":"/p/a"}"#, executable),
            ["a (new file)", "the patch also says: new file mode 100755"]
        );
        let two = "diff --git /p/a /p/a\n@@ @@\ndiff --git /p/b /p/b\n";
        assert_eq!(with_patch(modify, two).len(), 6, "the second file is shown");
    }

    #[test]
    fn headers_that_contradict_the_change_are_shown() {
        let modify = r#"{"operation":"modify","path":"/p/a"}"#;
        for line in [
            "deleted file mode 100644",
            "new file mode 100644",
            "rename to /p/a",
            "copy from /p/a",
            "index 1..2 120000",
            "index 1..2 100755",
            "index is another text",
        ] {
            let patch = format!("diff --git /p/a /p/a\n{line}\n@@ -1 +1 @@\n-x\n+y\n");
            let shown = with_patch(modify, &patch);
            let says = format!("the patch also says: {line}");
            assert_eq!(shown, ["a +1 -1", &*says, "@@ -1 +1 @@", "-x", "+y"]);
        }
        let add = r#"{"operation":"add","path":"/p/a"}"#;
        let shown = with_patch(add, "diff --git /p/a /p/a\ndeleted file mode 100644\n");
        assert_eq!(shown, ["a (new file)", "the patch also says: deleted file mode 100644"]);
    }

    #[test]
    fn what_is_not_a_patch_is_shown_unchanged() {
        let modify = r#"{"operation":"modify","path":"/p/a"}"#;
        assert_eq!(with_patch(modify, "nonsense\n"), ["a", "the patch also says: nonsense"]);
        let note = "the patch does not fit the changes, and is shown as it is";
        assert_eq!(with_patch("", "nonsense\n"), ["patch", note, "nonsense"]);
        assert_eq!(
            lines(r#"{"changes":[{"operation":"move","oldPath":"/p/a","path":"/p/b"}]}"#),
            ["b (moved from a)"]
        );
        assert_eq!(lines(r#"{"changes":[{"operation":"melt","path":"/p/a"}]}"#).len(), 1);
    }
}
