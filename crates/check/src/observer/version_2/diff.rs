//! Diffs and their patches (V2-48, V2-49).

use super::super::finding::Report;
use super::super::path::is_absolute;
use super::super::seen::{Seen, entries, quoted, text};
use attache_protocol::method::SessionRequestPermission;
use serde_json::Value;
use std::collections::HashSet;

/// The beginnings of the header lines that name a path.
const HEADERS: [&str; 6] = ["--- ", "+++ ", "rename from ", "rename to ", "copy from ", "copy to "];

/// Judges the diffs of a tool call, in an update or a permission request.
pub(super) fn judge(seen: &Seen<'_>, report: &mut Report) {
    let update = seen.update().map(|(_, update)| update);
    let asked = seen.asked::<SessionRequestPermission>();
    let call = asked.and_then(|asked| asked.params.pointer("/subject/toolCall"));
    for holder in [update, call].into_iter().flatten() {
        let item = holder.get("content").filter(|content| content.is_object());
        let items = entries(holder, "content").iter().chain(item);
        for diff in items.filter(|item| text(item, "type") == Some("diff")) {
            let patch = diff.get("patch").unwrap_or(&Value::Null);
            if text(patch, "format") == Some("git_patch")
                && let Some(patch) = text(patch, "text")
            {
                judge_patch(patch, diff, report);
            }
        }
    }
}

fn judge_patch(patch: &str, diff: &Value, report: &mut Report) {
    let begins_right = patch.starts_with("diff --git ");
    let paths = paths(patch);
    let relative = paths.iter().find(|path| !is_absolute(path.trim_start_matches('"')));
    report.keeps("V2-48", begins_right && relative.is_none(), || match relative {
        Some(path) => format!("the path {} in the patch is not absolute", quoted(path)),
        None => format!("the patch begins with {}", quoted(patch.lines().next().unwrap_or(""))),
    });
    let changes = entries(diff, "changes");
    if relative.is_some()
        || !begins_right
        || changes.iter().any(|change| text(change, "path").is_none())
    {
        return;
    }
    let changed: HashSet<&str> = changes
        .iter()
        .flat_map(|change| [text(change, "path"), text(change, "oldPath")])
        .flatten()
        .collect();
    // Git quotes paths with unusual characters. These are not compared.
    let other = paths.iter().find(|path| !path.starts_with('"') && !changed.contains(*path));
    report.keeps("V2-49", other.is_none(), || {
        format!("the path {} of the patch is not in changes", quoted(other.unwrap_or(&"")))
    });
}

/// Returns the paths in the headers of a patch, without `/dev/null`.
fn paths(patch: &str) -> Vec<&str> {
    let mut is_header = false;
    let mut paths = Vec::new();
    for line in patch.lines() {
        if line.starts_with("diff --git ") {
            is_header = true;
        } else if line.starts_with("@@") || line.starts_with("GIT binary patch") {
            is_header = false;
        } else if is_header
            && let Some(path) = HEADERS.iter().find_map(|header| line.strip_prefix(header))
        {
            paths.push(path.trim_end_matches('\t'));
        }
    }
    paths.retain(|path| *path != "/dev/null");
    paths
}
