//! What a restore would do, before it happens.

use crate::content;
use crate::sanitize;
use crate::span::{Line, Role, Span};
use attache_checkpoint::{Action, Entry, NotRestored, Plan, PlannedFile};
use std::path::Path;

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

fn restored(plan: &Plan, file: &PlannedFile) -> Line {
    let (role, word) = match file.action {
        Some(Action::Create) => (Role::Added, "create"),
        Some(Action::Replace) => (Role::Warning, "restore"),
        Some(Action::Merge) => (Role::Warning, "merge"),
        Some(Action::SetMode) => (Role::Warning, "mode"),
        Some(Action::Remove) => (Role::Removed, "remove"),
        None => (Role::Muted, "keep"),
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
