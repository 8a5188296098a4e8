//! Git patches of changed files.

use std::fmt::Write as _;

/// The number of unchanged lines around a change.
const CONTEXT: usize = 3;

/// Returns the patch of one file in the form of version 2: absolute paths without `a/` and `b/`.
/// The patch has one hunk, from the first changed line to the last one.
pub(crate) fn git_patch(path: &str, old: Option<&str>, new: &str) -> String {
    let quoted = quoted(path);
    let mut out = format!("diff --git {quoted} {quoted}\n");
    if old.is_none() {
        out.push_str("new file mode 100644\n");
    }
    let (before, after) = (lines(old.unwrap_or_default()), lines(new));
    if before == after {
        return out;
    }
    let old_name = if old.is_none() { "/dev/null" } else { &quoted };
    let _ = writeln!(out, "--- {old_name}\n+++ {quoted}");
    let same = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
    let rest = before.len().min(after.len()) - same;
    let tail = before.iter().rev().zip(after.iter().rev()).take(rest);
    let same_end = tail.take_while(|(old, new)| old == new).count();
    let from = same.saturating_sub(CONTEXT);
    let shown_end = same_end.min(CONTEXT);
    let range = |lines: &[&str]| {
        let count = lines.len() - same_end + shown_end - from;
        // A range without lines names the line before it.
        let first = if count == 0 { from } else { from + 1 };
        format!("{first},{count}")
    };
    let _ = writeln!(out, "@@ -{} +{} @@", range(&before), range(&after));
    let part = |lines: &[&str], from: usize, to: usize, sign: char, out: &mut String| {
        for line in lines.iter().take(to).skip(from) {
            out.push(sign);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    };
    let (old_end, new_end) = (before.len() - same_end, after.len() - same_end);
    part(&before, from, same, ' ', &mut out);
    part(&before, same, old_end, '-', &mut out);
    part(&after, same, new_end, '+', &mut out);
    part(&after, new_end, new_end + shown_end, ' ', &mut out);
    out
}

/// The lines of a text with their line breaks.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Quotes a path that has characters with a meaning in patches, as git does.
fn quoted(path: &str) -> String {
    if !path.contains(|character: char| matches!(character, '"' | '\\') || character.is_control()) {
        return path.to_owned();
    }
    let mut out = String::from("\"");
    for character in path.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            character if character.is_control() => {
                let mut bytes = [0; 4];
                for byte in character.encode_utf8(&mut bytes).bytes() {
                    let _ = write!(out, "\\{byte:03o}");
                }
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_the_changed_lines_with_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let expected = "diff --git /p/a /p/a\n--- /p/a\n+++ /p/a\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n";
        assert_eq!(git_patch("/p/a", Some(old), new), expected);
    }

    #[test]
    fn a_new_file_an_empty_file_and_a_missing_line_break_are_marked() {
        let new = git_patch("/p/a", None, "x");
        assert_eq!(
            new,
            "diff --git /p/a /p/a\nnew file mode 100644\n--- /dev/null\n+++ /p/a\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file\n"
        );
        assert_eq!(git_patch("/p/a", None, ""), "diff --git /p/a /p/a\nnew file mode 100644\n");
        let emptied = git_patch("/p/\"a\n", Some("x\n"), "");
        assert_eq!(
            emptied,
            "diff --git \"/p/\\\"a\\n\" \"/p/\\\"a\\n\"\n--- \"/p/\\\"a\\n\"\n+++ \"/p/\\\"a\\n\"\n@@ -1,1 +0,0 @@\n-x\n"
        );
        let grown = git_patch("/p/a", Some("x\n"), "x\nx\n");
        assert!(grown.ends_with("@@ -1,1 +1,2 @@\n x\n+x\n"), "{grown}");
    }
}
