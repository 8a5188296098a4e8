//! What a request for permission would do, as lines.

use attache_client::PermissionRequest;
use attache_session::ToolCallContent;
use attache_view::{Line, Role, sanitize};
use std::path::Path;

/// Returns what a request for permission would do: nothing is cut.
pub(crate) fn permission_body(request: &PermissionRequest, _cwd: &Path) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut add = |text: &str, role| {
        lines.extend(sanitize::visible(text).lines().map(|line| Line::of(line.to_owned(), role)));
    };
    add(request.title(), Role::Heading);
    let effect = request.effect();
    for command in &effect.commands {
        add(&format!("$ {}", command.whole_line()), Role::Code);
    }
    for path in &effect.paths {
        add(&format!("file {path}"), Role::Path);
    }
    for url in &effect.urls {
        add(url, Role::Path);
    }
    for content in request.shown_content() {
        if let ToolCallContent::Diff(diff) = content {
            add(&diff.path, Role::Path);
            for line in diff.old_text.iter().flat_map(|text| text.lines()) {
                add(&format!("-{line}"), Role::Removed);
            }
            for line in diff.new_text.lines() {
                add(&format!("+{line}"), Role::Added);
            }
        }
    }
    lines
}
