//! The actual effect of a call, for people: an agent's title can be wrong or empty.

use crate::show::{tool_call, width};
use attache_client::effect::Command;
use attache_client::{PermissionRequest, is_invisible};
use attache_session::ToolCallContent;
use attache_view::sanitize;
use std::path::Path;

/// Verbs that can precede a command, file or address in a title that describes the call. Other
/// words, such as `Skip`, can reverse the meaning.
const VERBS: [&str; 16] = [
    "bash", "create", "delete", "edit", "execute", "fetch", "move", "read", "run", "running",
    "search", "shell", "update", "write", "writing", "editing",
];

/// How much of the effect to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Everything, for a question: the person approves what they see.
    Question,
    /// Commands, files and addresses; other arguments only if there are none of these.
    Decision,
}

/// Returns the parts of the effect that the title does not already show. A part can have several
/// lines.
pub(super) fn parts(request: &PermissionRequest, cwd: &Path, extent: Extent) -> Vec<String> {
    let effect = request.effect();
    // A question about a command does not show the title.
    let title = match (extent, &request.command) {
        (Extent::Question, Some(_)) => String::new(),
        _ => sanitize::visible_line(request.title()),
    };
    let mut parts = Vec::new();
    for command in &effect.commands {
        parts.extend(command_parts(command, &title, cwd));
    }
    let content = request.shown_content();
    let diffs: Vec<String> = content.clone().flat_map(ToolCallContent::changed_paths).collect();
    // Changes without the files' text may show less than the arguments do.
    let has_texts = !diffs.is_empty()
        && !content.clone().any(|part| matches!(part, ToolCallContent::Changes(_)));
    for path in &effect.paths {
        let shown = tool_call::relative(path, cwd);
        let in_diff = extent == Extent::Question
            && diffs.iter().any(|diff| tool_call::relative(diff, cwd) == shown);
        let part = format!("file {shown}");
        let is_told = is_own(request)
            || says(&title, &shown)
            || says(&title, &visible(path))
            || parts.contains(&part);
        if shown != "." && !in_diff && !is_told {
            parts.push(part);
        }
    }
    parts.extend(effect.urls.iter().map(|url| visible(url)).filter(|url| !says(&title, url)));
    let is_rest = extent == Extent::Question
        || effect.commands.is_empty() && effect.paths.is_empty() && effect.urls.is_empty();
    // A diff with texts shows more than the arguments do.
    if let Some(arguments) = effect.arguments.filter(|_| is_rest && !has_texts) {
        parts.push(format!("with {}", visible(&arguments.to_string())));
    }
    parts
}

/// Returns the command, and its folder if it differs from the session's.
fn command_parts(command: &Command, title: &str, cwd: &Path) -> Vec<String> {
    let variables = command.environment.iter().map(|(name, value)| format!("{name}={value} "));
    let line = visible(&format!("{}{}", variables.collect::<String>(), command.line));
    let mut parts = Vec::new();
    if line.contains('\n') || !says(title, &sanitize::line(&line)) {
        parts.push(format!("$ {line}"));
    }
    let elsewhere = command.folder.as_ref().filter(|folder| !is_here(folder, cwd));
    parts.extend(elsewhere.map(|folder| format!("in {}", visible(folder))));
    parts
}

/// Returns whether the question comes from this client itself. The title then names the file.
fn is_own(request: &PermissionRequest) -> bool {
    request.file.is_some()
}

/// Returns whether the title is only this command, file or address, with an optional verb such as
/// `Run` before it.
fn says(title: &str, what: &str) -> bool {
    title.strip_suffix(what).is_some_and(|before| {
        let word = before.trim_end().trim_end_matches(':').trim_matches('`').to_lowercase();
        before.is_empty() || (before.ends_with([' ', '`']) && VERBS.contains(&word.as_str()))
    })
}

fn is_here(folder: &str, cwd: &Path) -> bool {
    Path::new(folder) == cwd || folder == "."
}

/// Makes every character visible, including tabs and characters without a width.
pub(super) fn visible(text: &str) -> String {
    let shown = |each: char| match each {
        '\t' => '\u{2409}',
        each if each != '\n' && is_invisible(each) => '\u{fffd}',
        each => each,
    };
    sanitize::visible(text).chars().map(shown).collect()
}

/// Wraps each part to `columns` and indents it.
pub(super) fn lines(parts: &[String], columns: usize, indent: &str) -> Vec<String> {
    let room = columns.saturating_sub(indent.len());
    let mut lines = Vec::new();
    for part in parts {
        // Continuation lines are indented further.
        for (index, line) in width::fold(part, room.saturating_sub(2)).into_iter().enumerate() {
            let more = if index == 0 { "" } else { "  " };
            lines.push(format!("{indent}{more}{line}"));
        }
    }
    lines
}
