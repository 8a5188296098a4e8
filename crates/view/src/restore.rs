//! What a restore would do, before it happens, and what it did.

use crate::content;
use crate::row::NoticeLevel;
use crate::sanitize;
use crate::span::{Line, Role, Span};
use attache_checkpoint::{
    Action, Entry, KeptReason, NotRestored, Plan, PlannedFile, Restored, Review, Selection,
};
use std::path::Path;

/// The number of lines of hunks that the preview of a rejection shows.
const SHOWN_LINES: usize = 400;

/// Returns the preview of a restore: the paths that change, those that stay with the reason, and
/// what is never restored.
pub fn restore_preview(plan: &Plan) -> Vec<Line> {
    let mut lines: Vec<Line> = plan.restored().map(|file| restored(plan, file)).collect();
    if lines.is_empty() {
        lines.push(Line::of("No file changes.", Role::Text));
    }
    let mut part = |heading: &str, mut found: Vec<Line>| {
        if !found.is_empty() {
            lines.push(Line::of(heading, Role::Heading));
            lines.append(&mut found);
        }
    };
    part("These stay as they are:", plan.kept().map(|file| kept(plan, file)).collect());
    part("Not restored:", plan.not_restored.iter().map(never).collect());
    lines
}

/// Returns the preview of a rejection: what [`restore_preview`] says, and the lines that go and
/// that come back.
pub fn rejection_preview(review: &Review, plan: &Plan) -> Vec<Line> {
    let mut lines = restore_preview(plan);
    let Selection::Hunks(keys) = &plan.request.selection else { return lines };
    let mut changed = Vec::new();
    for file in &review.files {
        for each in file.hunks.iter().filter(|each| keys.contains(&each.hunk.key)) {
            let path = sanitize::visible_line(&file.path.to_string());
            changed.push(Line::of(format!("  {path}:{}", each.hunk.new_start + 1), Role::Path));
            let parts =
                [("-", &each.hunk.added, Role::Removed), ("+", &each.hunk.removed, Role::Added)];
            for (sign, bytes, role) in parts {
                let text = String::from_utf8_lossy(bytes);
                changed.extend(text.lines().take(SHOWN_LINES).map(|line| {
                    let line = sanitize::visible(line);
                    Line::of(format!("  {sign} {}", sanitize::expand_tabs(&line)), role)
                }));
            }
        }
    }
    let left = changed.len().saturating_sub(SHOWN_LINES);
    changed.truncate(SHOWN_LINES);
    lines.push(Line::of("Lines that go (-) and come back (+):", Role::Heading));
    lines.append(&mut changed);
    if left > 0 {
        lines.push(Line::of(format!("  … and {left} more lines"), Role::Muted));
    }
    lines
}

/// Returns the path of a file in a preview; with its folder if the session has several.
pub fn restored_path(plan: &Plan, file: &PlannedFile) -> String {
    match (plan.roots.len(), plan.roots.get(file.path.root())) {
        (2.., Some(root)) => format!("{}/{}", shown(root), sanitize::line(&file.path.to_string())),
        _ => sanitize::line(&file.path.to_string()),
    }
}

fn shown(path: &Path) -> String {
    sanitize::line(&path.to_string_lossy())
}

/// Returns what a restore does with a file, in one word.
pub fn action_word(action: Option<Action>) -> &'static str {
    match action {
        Some(Action::Create) => "create",
        Some(Action::Replace) => "restore",
        Some(Action::Merge) => "merge",
        Some(Action::SetMode) => "mode",
        Some(Action::Remove) => "remove",
        None => "keep",
    }
}

/// Returns a number of files in words, such as `2 files`.
pub fn file_count(count: usize) -> String {
    match count {
        0 => "no files".to_owned(),
        1 => "1 file".to_owned(),
        count => format!("{count} files"),
    }
}

/// Returns what a restore did. `done` says it of the files, such as `restored 2 files`.
pub fn restore_notices(done: &str, restored: &Restored) -> Vec<(NoticeLevel, String)> {
    let mut notices = vec![(NoticeLevel::Info, done.to_owned())];
    let (stopped, kept): (Vec<_>, Vec<_>) =
        restored.kept.iter().partition(|(_, why)| *why == KeptReason::Stopped);
    if !stopped.is_empty() {
        let left = file_count(stopped.len());
        let text = format!("stopped: {left} not restored; repeat this to restore them");
        notices.push((NoticeLevel::Warning, text));
    }
    let kept = kept.into_iter().map(|(path, why)| (NoticeLevel::Warning, path, why.to_string()));
    let failed = restored.failed.iter();
    let failed = failed.map(|it| (NoticeLevel::Error, &it.path, it.message.clone()));
    for (level, path, why) in kept.chain(failed) {
        let path = sanitize::line(&path.to_string());
        notices.push((level, format!("{path} stays as it was: {why}")));
    }
    if restored.is_interrupted {
        let text = "the disk is full: the next start of Attaché completes the restore";
        notices.push((NoticeLevel::Error, text.to_owned()));
    }
    notices
}

fn restored(plan: &Plan, file: &PlannedFile) -> Line {
    let word = action_word(file.action);
    let role = match file.action {
        Some(Action::Create) => Role::Added,
        Some(Action::Replace | Action::Merge | Action::SetMode) => Role::Warning,
        Some(Action::Remove) => Role::Removed,
        None => Role::Muted,
    };
    let mut spans = vec![
        Span::new(format!("  {word:<8} "), role),
        Span::new(restored_path(plan, file), Role::Path),
    ];
    let sizes = match (size(file.present.as_ref()), size(file.result.as_ref())) {
        (Some(now), Some(then)) if now != then => {
            Some(format!("{} → {}", content::size(now), content::size(then)))
        }
        (Some(size), _) | (None, Some(size)) => Some(content::size(size)),
        (None, None) => None,
    };
    let mut notes: Vec<String> = sizes.into_iter().collect();
    if file.is_protected {
        notes.push("protected".to_owned());
    }
    if file.has_hard_links {
        notes.push("its other hard links keep the present content".to_owned());
    }
    if !notes.is_empty() {
        spans.push(Span::new(format!("  {}", notes.join(", ")), Role::Muted));
    }
    Line { spans }
}

fn kept(plan: &Plan, file: &PlannedFile) -> Line {
    let why = file.kept.map(|why| why.to_string()).unwrap_or_default();
    Line {
        spans: vec![
            Span::new(format!("  {}", restored_path(plan, file)), Role::Path),
            Span::new(format!("  {why}"), Role::Muted),
        ],
    }
}

fn never(what: &NotRestored) -> Line {
    let counted = |count: u64, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    let text = match what {
        NotRestored::Head(change) => format!(
            "the repository {} is at another commit; commits, branches and the index stay",
            shown(&change.repository)
        ),
        NotRestored::Ignored { count } => {
            let many = "ignored files and folders, which are in no checkpoint";
            counted(*count, "ignored file or folder, which is in no checkpoint", many)
        }
        NotRestored::NotKept { count } => {
            counted(*count, "file that the checkpoint lacks", "files that the checkpoint lacks")
        }
    };
    Line::of(format!("  {text}"), Role::Text)
}

/// Returns the size of a file; `None` for a folder, a link and nothing.
fn size(entry: Option<&Entry>) -> Option<usize> {
    match entry {
        Some(Entry::File { size, .. } | Entry::FileNotKept { size, .. }) => {
            usize::try_from(*size).ok()
        }
        _ => None,
    }
}
