//! One part of a tool call's content, in either version of the protocol.

use crate::info::meta::members;
use attache_protocol::v1::{Content, ContentBlock, Terminal};
use attache_protocol::{UnknownVariant, v1, v2};

/// One part of a tool call's output.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ToolCallContent {
    /// A content block.
    Content(Content),
    /// The change of one file, as its whole text before and after. Version 1 sends these.
    Diff(v1::Diff),
    /// Changes of files, and perhaps a patch, without the files' text. Version 2 sends these.
    Changes(v2::Diff),
    /// The output of a terminal.
    Terminal(Terminal),
    /// A kind of content that this version does not know.
    Unknown(UnknownVariant),
}

impl ToolCallContent {
    pub(super) fn is_of_version_2(&self) -> bool {
        matches!(self, Self::Changes(_))
    }

    /// Describes changes without the files' text: one sentence for each file.
    pub fn change_lines(diff: &v2::Diff) -> Vec<String> {
        use v2::DiffOperation::{Add, Copy, Delete, Modify, Move, Unknown};
        let line = |change: &v2::DiffChange| match &change.operation {
            Add(file) => format!("added {}", file.path),
            Delete(file) => format!("deleted {}", file.path),
            Modify(file) => format!("changed {}", file.path),
            Move(file) => format!("moved {} to {}", file.old_path, file.path),
            Copy(file) => format!("copied {} to {}", file.old_path, file.path),
            Unknown(operation) => operation.raw.get().to_owned(),
        };
        // A line break in a path must not look like another file.
        let escaped = |line: String| line.replace(char::is_control, "\u{fffd}");
        diff.changes.iter().map(line).map(escaped).collect()
    }

    /// The paths that a diff names: those of its changes, old paths included, and those in the
    /// headers of its patch.
    pub fn changed_paths(&self) -> Vec<String> {
        match self {
            Self::Diff(diff) => vec![diff.path.clone()],
            Self::Changes(diff) => {
                let changes = diff.changes.iter().flat_map(|change| paths_of(&change.operation));
                changes.chain(diff.patch.iter().flat_map(|patch| headers(&patch.text))).collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The paths of an operation. Those of an unknown operation are in the members that other
/// operations use.
fn paths_of(operation: &v2::DiffOperation) -> Vec<String> {
    use v2::DiffOperation::{Add, Copy, Delete, Modify, Move, Unknown};
    match operation {
        Add(file) | Delete(file) | Modify(file) => vec![file.path.clone()],
        Move(file) | Copy(file) => vec![file.old_path.clone(), file.path.clone()],
        Unknown(operation) => {
            let members = members(&operation.raw).unwrap_or_default();
            let paths = ["oldPath", "path"].into_iter().filter_map(|key| members.get(key));
            paths.filter_map(|path| path.parse().ok()).collect()
        }
    }
}

/// The paths in the headers of a git patch. A changed line that looks like a header counts too. A
/// section about a binary file or a mode names its file only in the line `diff --git`.
fn headers(patch: &str) -> impl Iterator<Item = String> {
    const HEADERS: [&str; 6] =
        ["--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "];
    let paths = |line: &str| match line.strip_prefix("diff --git ") {
        Some(names) => both_names(names.trim_end()),
        None => {
            let path = HEADERS.iter().find_map(|header| line.strip_prefix(header));
            let path = path.map(|path| path.trim_end().trim_matches('"'));
            path.filter(|path| *path != "/dev/null").map(str::to_owned).into_iter().collect()
        }
    };
    patch.lines().flat_map(paths)
}

/// The two paths of a line `diff --git`. A space may also be part of a path, so the place where the
/// first path ends is certain only if both paths are the same. Otherwise the result has the paths
/// for the first space and for the last one.
fn both_names(names: &str) -> Vec<String> {
    let without_side = |path: &str, side: &str| path.strip_prefix(side).unwrap_or(path).to_owned();
    let is_same = |(before, after): &(&str, &str)| {
        let (before, after) = (before.trim_matches('"'), after.trim_matches('"'));
        without_side(before, "a/") == without_side(after, "b/")
    };
    let middle = names.len() / 2;
    let halves = names.split_at_checked(middle);
    let halves = halves.and_then(|(before, after)| Some((before, after.strip_prefix(' ')?)));
    let splits = match halves.filter(is_same) {
        Some(halves) => vec![halves],
        None => [names.split_once(' '), names.rsplit_once(' ')].into_iter().flatten().collect(),
    };
    let mut paths: Vec<String> = Vec::new();
    for path in splits.into_iter().flat_map(|(before, after)| [before, after]) {
        let path = path.trim_matches('"');
        if path != "/dev/null" && !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    paths
}

impl From<ContentBlock> for ToolCallContent {
    fn from(content: ContentBlock) -> Self {
        Self::Content(Content::new(content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_of_a_section_names_its_files() {
        for (names, expected) in [
            ("/p/a /p/a", vec!["/p/a"]),
            ("/p/a b /p/a b", vec!["/p/a b"]),
            ("\"/p/a\" \"/p/a\"", vec!["/p/a"]),
            ("a/x b/x", vec!["a/x", "b/x"]),
            ("/p/a /etc/passwd", vec!["/p/a", "/etc/passwd"]),
            ("/p/é /p/é", vec!["/p/é"]),
        ] {
            let patch = format!("diff --git {names}\nold mode 100644\nnew mode 100755\n");
            assert_eq!(headers(&patch).collect::<Vec<_>>(), expected);
        }
    }
}
