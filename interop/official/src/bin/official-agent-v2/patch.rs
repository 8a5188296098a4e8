//! Diffs of version 2: the changed paths and a patch in Git's format.

use std::path::Path;

use agent_client_protocol::v2::schema::{Diff, DiffChange, DiffPatch};

/// Returns a diff that replaces all lines of a file; `before` is `None` for a new file.
pub(crate) fn diff(path: &Path, before: Option<&str>, now: &str) -> Diff {
    let (file, old) = (path.display(), before.unwrap_or_default());
    let (head, change) = match before {
        None => ("new file mode 100644\n--- /dev/null".into(), DiffChange::add(path)),
        Some(_) => (format!("--- {file}"), DiffChange::modify(path)),
    };
    let (removed, added) = (marked('-', old), marked('+', now));
    let (from, to) = (range(old), range(now));
    let patch = format!(
        "diff --git {file} {file}\n{head}\n+++ {file}\n@@ -{from} +{to} @@\n{removed}{added}"
    );
    Diff::new(vec![change]).with_patch(DiffPatch::new(patch))
}

fn range(text: &str) -> String {
    match text.lines().count() {
        0 => "0,0".into(),
        lines => format!("1,{lines}"),
    }
}

fn marked(mark: char, text: &str) -> String {
    let mut marked: String = text.lines().map(|line| format!("{mark}{line}\n")).collect();
    if !text.is_empty() && !text.ends_with('\n') {
        marked += "\\ No newline at end of file\n";
    }
    marked
}
