use super::*;
use crate::row::diff_row::LineChange;
use attache_protocol::v2;
use attache_protocol::{decode, encode};
use std::sync::Arc;

/// Returns a diff in unified form. Changed words are in brackets.
fn shown(diff: &FileDiff) -> Vec<String> {
    let mut lines = Vec::new();
    for hunk in &diff.hunks {
        lines.push(format!("@@ {} {}", hunk.old_start, hunk.new_start));
        for line in &hunk.lines {
            let sign = match line.change {
                LineChange::Same => ' ',
                LineChange::Removed => '-',
                LineChange::Added => '+',
            };
            let spans = line.line.spans.iter().map(|span| match span.style.changed {
                true => format!("[{}]", span.text),
                false => span.text.clone(),
            });
            lines.push(format!("{sign}{}", spans.collect::<String>()));
        }
    }
    lines
}

fn compare(old: Option<&str>, new: Option<&str>) -> FileDiff {
    FileDiff::compare("/p/a.txt", old, new, Path::new("/p"))
}

fn note(diff: &FileDiff) -> String {
    diff.note.as_ref().map(Line::text).unwrap_or_default()
}

#[test]
fn a_change_has_three_lines_around_it_and_marks_its_words() {
    let old: String = (1..=20).map(|number| format!("the line {number}\n")).collect();
    let new = old.replace("line 10\n", "line ten\n");
    let diff = compare(Some(&old), Some(&new));
    assert_eq!((diff.added, diff.removed, diff.change), (1, 1, FileChange::Changed));
    assert_eq!((diff.path.text().as_str(), diff.note.as_ref()), ("a.txt", None));
    let expected = [
        "@@ 7 7",
        " the line 7",
        " the line 8",
        " the line 9",
        "-the line [10]",
        "+the line [ten]",
        " the line 11",
        " the line 12",
        " the line 13",
    ];
    assert_eq!(shown(&diff), expected);
}

#[test]
fn near_changes_share_a_hunk_and_far_ones_do_not() {
    let old: String = (1..=40).map(|number| format!("{number}\n")).collect();
    let near = old.replace("\n10\n", "\n").replace("\n16\n", "\n");
    assert_eq!(compare(Some(&old), Some(&near)).hunks.len(), 1);
    let far = old.replace("\n10\n", "\n").replace("\n30\n", "\nx\ny\n");
    let diff = compare(Some(&old), Some(&far));
    let starts: Vec<_> = diff.hunks.iter().map(|hunk| (hunk.old_start, hunk.new_start)).collect();
    assert_eq!((starts, diff.added, diff.removed), (vec![(7, 7), (27, 26)], 2, 2));
}

#[test]
fn new_deleted_and_unchanged_files() {
    let diff = compare(None, Some("a\nb\n"));
    assert_eq!(diff.change, FileChange::Created);
    assert_eq!(shown(&diff), ["@@ 0 1", "+a", "+b"]);
    let diff = compare(Some("a\n"), None);
    assert_eq!(diff.change, FileChange::Deleted);
    assert_eq!(shown(&diff), ["@@ 1 0", "-a"]);
    let diff = compare(Some("a\n"), Some("a\n"));
    assert_eq!((diff.hunks.len(), note(&diff).as_str()), (0, "no difference"));
}

#[test]
fn a_changed_final_line_feed_and_control_characters_are_visible() {
    let diff = compare(Some("a\n"), Some("a"));
    assert_eq!(shown(&diff), ["@@ 1 1", "-a", "+a (no line feed at the end)"]);
    let diff = compare(Some("one\n"), Some("\u{1b}[8mhidden\u{202e}\r\n"));
    assert_eq!(shown(&diff)[2], "+␛[8mhidden\u{fffd}␍");
}

#[test]
fn any_two_texts_give_a_diff_that_turns_one_into_the_other() {
    let texts =
        ["", "a\n", "a", "a\nb\nc\n", "b\nc\n", "a\nb\n", "x\nb\ny", "c\nb\na\n", "a\n\na\n"];
    for old in texts {
        for new in texts {
            let compared = compare::compare(old, new);
            let lines = compared.hunks.iter().flat_map(|hunk| &hunk.lines);
            let side = |skip: LineChange| -> String {
                let lines = lines.clone().filter(|line| line.change != skip);
                lines
                    .map(|line| {
                        format!("{}{}", line.text, if line.is_unfinished { "" } else { "\n" })
                    })
                    .collect()
            };
            if old != new {
                assert_eq!(side(LineChange::Added), old, "{old:?} {new:?}");
                assert_eq!(side(LineChange::Removed), new, "{old:?} {new:?}");
            }
        }
    }
}

#[test]
fn a_huge_change_is_bounded() {
    let old: String = (0..150_000).map(|number| format!("old {number}\n")).collect();
    let new: String = (0..150_000).map(|number| format!("new {number}\n")).collect();
    let diff = of_file("/p/a", Some(&old), Some(&new), Path::new("/p"), Extent::Row);
    assert_eq!((diff.added, diff.removed), (150_000, 150_000));
    assert_eq!(diff.hunks[0].lines.len(), 400);
    assert_eq!(note(&diff), "299600 more lines are not shown");
    let one_line = "x".repeat(3_000_000);
    let diff = of_file("/p/a", None, Some(&one_line), Path::new("/p"), Extent::Row);
    assert!(shown(&diff)[1].len() < 3_000);
}

fn changes(changes: &str, patch: Option<&str>) -> Vec<Arc<FileDiff>> {
    let patch = patch.map(|patch| {
        format!(r#","patch":{{"format":"git_patch","text":{}}}"#, encode(&patch.to_owned()))
    });
    let json = format!(r#"{{"changes":[{changes}]{}}}"#, patch.unwrap_or_default());
    let diff: v2::Diff = decode(&json).unwrap();
    of_changes(&diff, Path::new("/p"), Extent::Whole)
}

#[test]
fn a_patch_gives_hunks_for_each_file() {
    let patch = "diff --git /p/a /p/a\nindex 1..2 100644\n--- /p/a\n+++ /p/a\n@@ -1 +1 @@\n-x y\n+x z\n\
                 diff --git /p/b /p/b\nnew file mode 100644\n--- /dev/null\n+++ /p/b\n@@ -0,0 +1 @@\n+z\n\\ No newline at end of file\n\
                 diff --git /p/c /p/d\nsimilarity index 90%\nrename from /p/c\nrename to /p/d\n";
    let operations = r#"{"operation":"modify","path":"/p/a"},{"operation":"add","path":"/p/b"},
                        {"operation":"move","oldPath":"/p/c","path":"/p/d"}"#;
    let files = changes(operations, Some(patch));
    let heads: Vec<_> = files
        .iter()
        .map(|file| (file.path.text(), file.change, file.added, file.removed, note(file)))
        .collect();
    let none = String::new();
    assert_eq!(
        heads,
        [
            ("a".into(), FileChange::Changed, 1, 1, none.clone()),
            ("b".into(), FileChange::Created, 1, 0, none.clone()),
            ("d".into(), FileChange::Renamed, 0, 0, none),
        ]
    );
    assert_eq!(shown(&files[0]), ["@@ 1 1", "-x [y]", "+x [z]"]);
    assert_eq!(shown(&files[1]), ["@@ 0 1", "+z (no line feed at the end)"]);
    assert_eq!(files[2].from.as_ref().map(Line::text).as_deref(), Some("c"));
}

#[test]
fn a_patch_cannot_hide_another_file_or_mode() {
    let modify = r#"{"operation":"modify","path":"/p/a"}"#;
    for (headers, expected) in [
        ("old mode 100644\nnew mode 100755", "old mode 100644, new mode 100755"),
        ("--- /p/a\n+++ /etc/passwd", "+++ /etc/passwd"),
        ("deleted file mode 100644", "deleted file mode 100644"),
        ("rename to /p/a", "rename to /p/a"),
        ("index 1..2 120000", "index 1..2 120000"),
        ("Binary files differ", "Binary files differ"),
    ] {
        let patch = format!("diff --git /p/a /p/a\n{headers}\n@@ -1 +1 @@\n-x\n+y\n");
        let files = changes(modify, Some(&patch));
        assert_eq!(note(&files[0]), format!("the patch also says: {expected}"));
        assert_eq!(shown(&files[0]), ["@@ 1 1", "-x", "+y"]);
    }
    // The header says that one line is added; the second one must not disappear.
    let patch = "diff --git /p/a /p/a\n@@ -0,0 +1 @@\n+x\n+evil\n";
    assert_eq!(note(&changes(modify, Some(patch))[0]), "the patch also says: +evil");
}

#[test]
fn a_patch_that_does_not_fit_is_shown_as_it_is() {
    let modify = r#"{"operation":"modify","path":"/p/a"}"#;
    let patch = "diff --git /p/a /p/a\n@@ -1 +1 @@\n+x\ndiff --git /p/b /p/b\n";
    let files = changes(modify, Some(patch));
    assert_eq!((files.len(), shown(&files[1]).len()), (2, 5));
    assert!(note(&files[1]).starts_with("the patch does not fit"));
    let binary = r#"{"operation":"modify","path":"/p/a","fileType":"binary"}"#;
    assert_eq!(note(&changes(binary, None)[0]), "binary file");
    let melt = changes(r#"{"operation":"melt","path":"/p/a"}"#, None);
    assert!(melt[0].path.text().contains("melt"));
}
