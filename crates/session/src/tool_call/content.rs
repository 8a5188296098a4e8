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

/// The paths in the headers of a git patch. A changed line that looks like a header counts too.
fn headers(patch: &str) -> impl Iterator<Item = String> {
    const HEADERS: [&str; 6] =
        ["--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "];
    let path = |line: &str| {
        let path = HEADERS.iter().find_map(|header| line.strip_prefix(header))?;
        let path = path.trim_end().trim_matches('"');
        (path != "/dev/null").then(|| path.to_owned())
    };
    patch.lines().filter_map(path)
}

impl From<ContentBlock> for ToolCallContent {
    fn from(content: ContentBlock) -> Self {
        Self::Content(Content::new(content))
    }
}
