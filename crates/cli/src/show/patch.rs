//! Changes of files as an agent of version 2 reports them: operations, and perhaps a patch in git's
//! form.

use super::diff;
use super::paint::{BOLD, CYAN, DIM, GREEN, Paint, RED};
use attache_protocol::v2::{Diff, DiffChange, DiffOperation};
use attache_view::sanitize;

/// The mode of a file that is not executable, in a patch.
const PLAIN_FILE: &str = "100644";

/// Returns a line for each changed file, with the lines of its part of the patch; no line has a
/// line end. `relative` shows a path for people. Headers of the patch that repeat what a change
/// says are left out. A patch that does not have one section for each change is shown unchanged,
/// after all files.
pub(super) fn files(
    diff: &Diff,
    relative: impl Fn(&str) -> String,
    paint: Paint,
) -> Vec<(String, Vec<String>)> {
    let text = diff.patch.as_ref().map_or("", |patch| patch.text.as_str());
    let text = sanitize::visible(text);
    let sections = sections(&text);
    let fits = sections.len() == diff.changes.len();
    let mut files: Vec<_> = diff
        .changes
        .iter()
        .enumerate()
        .map(|(index, change)| {
            let section = sections.get(index).filter(|_| fits);
            let lines =
                section.map_or(Vec::new(), |section| without_known_headers(section, change));
            let counts = section.map_or(String::new(), |_| counts(&lines, paint));
            let head = paint.paint(BOLD, head(change, &relative));
            (format!("{head}{counts}"), painted(&lines, paint))
        })
        .collect();
    if !fits && !text.is_empty() {
        let lines: Vec<&str> = text.lines().collect();
        files.push((paint.paint(BOLD, "patch"), painted(&lines, paint)));
    }
    files
}

/// Returns the file of a change and what happens to it.
fn head(change: &DiffChange, path: impl Fn(&str) -> String) -> String {
    use DiffOperation::{Add, Copy, Delete, Modify, Move, Unknown};
    match &change.operation {
        Add(file) => format!("{} (new file)", path(&file.path)),
        Delete(file) => format!("{} (deleted)", path(&file.path)),
        Modify(file) => path(&file.path),
        Move(file) => format!("{} (moved from {})", path(&file.path), path(&file.old_path)),
        Copy(file) => format!("{} (copied from {})", path(&file.path), path(&file.old_path)),
        Unknown(operation) => sanitize::visible_line(operation.raw.get()),
    }
}

/// Splits a patch into the sections of its files.
fn sections(patch: &str) -> Vec<Vec<&str>> {
    let mut sections: Vec<Vec<&str>> = Vec::new();
    for line in patch.lines() {
        match sections.last_mut() {
            Some(section) if !line.starts_with("diff --git ") => section.push(line),
            _ => sections.push(vec![line]),
        }
    }
    sections
}

/// Returns the lines of a section without the headers that the change already says.
fn without_known_headers<'s>(section: &[&'s str], change: &DiffChange) -> Vec<&'s str> {
    use DiffOperation::{Add, Copy, Delete, Modify, Move, Unknown};
    let visible = |path: &str| sanitize::visible(path).into_owned();
    let (before, after) = match &change.operation {
        Add(file) | Delete(file) | Modify(file) => (visible(&file.path), visible(&file.path)),
        Move(file) | Copy(file) => (visible(&file.old_path), visible(&file.path)),
        Unknown(_) => return section.to_vec(),
    };
    let is_new = matches!(change.operation, Add(_));
    let is_gone = matches!(change.operation, Delete(_));
    let mut known = vec![
        format!("diff --git {before} {after}"),
        format!("--- {}", if is_new { "/dev/null" } else { &before }),
        format!("+++ {}", if is_gone { "/dev/null" } else { &after }),
    ];
    // Headers of another operation contradict the change, and are shown.
    known.extend(match &change.operation {
        Add(_) => vec!["new file mode".to_owned(), format!("new file mode {PLAIN_FILE}")],
        Delete(_) => {
            vec!["deleted file mode".to_owned(), format!("deleted file mode {PLAIN_FILE}")]
        }
        Move(_) => vec![format!("rename from {before}"), format!("rename to {after}")],
        Copy(_) => vec![format!("copy from {before}"), format!("copy to {after}")],
        Modify(_) | Unknown(_) => Vec::new(),
    });
    let body = section.iter().position(|line| line.starts_with("@@")).unwrap_or(section.len());
    let (heads, body) = section.split_at(body);
    let is_shown =
        |line: &&&str| !is_plain_index(line) && !known.iter().any(|known| known == **line);
    heads.iter().filter(is_shown).chain(body).copied().collect()
}

/// Returns whether a header has only the ids of the contents, and perhaps the mode of a plain file.
fn is_plain_index(line: &str) -> bool {
    let Some(ids) = line.strip_prefix("index ") else { return false };
    let (ids, mode) = ids.split_once(' ').unwrap_or((ids, PLAIN_FILE));
    let is_id = |id: &str| !id.is_empty() && id.chars().all(|each| each.is_ascii_hexdigit());
    mode == PLAIN_FILE
        && ids.split_once("..").is_some_and(|(before, after)| is_id(before) && is_id(after))
}

/// Returns the numbers of added and removed lines.
fn counts(lines: &[&str], paint: Paint) -> String {
    let body = lines.iter().skip_while(|line| !line.starts_with("@@"));
    let count = |mark| body.clone().filter(|line| line.starts_with(mark)).count();
    match (count('+'), count('-')) {
        (0, 0) => String::new(),
        (added, removed) => format!(" {}", diff::counts(added, removed, paint)),
    }
}

fn painted(lines: &[&str], paint: Paint) -> Vec<String> {
    let line = |line: &&str| match line.chars().next() {
        Some('+') => paint.paint(GREEN, line),
        Some('-') => paint.paint(RED, line),
        Some('@') => paint.paint(CYAN, line),
        _ => paint.paint(DIM, line),
    };
    lines.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use attache_protocol::decode;

    const PLAIN: Paint = Paint { colours: false };

    fn lines(diff: &str) -> Vec<String> {
        let diff: Diff = decode(diff).unwrap();
        let files = files(&diff, |path| path.replace("/p/", ""), PLAIN);
        files.into_iter().flat_map(|(head, lines)| std::iter::once(head).chain(lines)).collect()
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
                "old mode 100644",
                "new mode 100755",
                "+++ /etc/passwd",
                "@@ -1 +1 @@",
                "+--- /p/a"
            ]
        );
        let executable = "diff --git /p/a /p/a\nnew file mode 100755\n";
        assert_eq!(
            with_patch(r#"{"operation":"add","path":"/p/a"}"#, executable),
            ["a (new file)", "new file mode 100755"]
        );
        let two = "diff --git /p/a /p/a\n@@ @@\ndiff --git /p/b /p/b\n";
        assert_eq!(with_patch(modify, two).len(), 5, "the second file is shown");
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
            assert_eq!(shown, ["a +1 -1", line, "@@ -1 +1 @@", "-x", "+y"]);
        }
        let add = r#"{"operation":"add","path":"/p/a"}"#;
        let shown = with_patch(add, "diff --git /p/a /p/a\ndeleted file mode 100644\n");
        assert_eq!(shown, ["a (new file)", "deleted file mode 100644"]);
    }

    #[test]
    fn what_is_not_a_patch_is_shown_unchanged() {
        let modify = r#"{"operation":"modify","path":"/p/a"}"#;
        assert_eq!(with_patch(modify, "nonsense\n"), ["a", "nonsense"]);
        assert_eq!(with_patch("", "nonsense\n"), ["patch", "nonsense"]);
        assert_eq!(
            lines(r#"{"changes":[{"operation":"move","oldPath":"/p/a","path":"/p/b"}]}"#),
            ["b (moved from a)"]
        );
        assert_eq!(lines(r#"{"changes":[{"operation":"melt","path":"/p/a"}]}"#).len(), 1);
    }
}
