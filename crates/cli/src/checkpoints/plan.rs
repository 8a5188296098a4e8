//! A restore before and after it happens, as lines for people and as JSON.

use crate::show::paint::{BOLD, DIM, GREEN, Paint, RED, YELLOW};
use anstyle::Style;
use attache_checkpoint::{Action, NotRestored, Plan, PlannedFile};
use serde_json::{Value, json};

/// Returns the preview: the files that change, those that stay, and what is never restored.
pub(crate) fn lines(plan: &Plan, paint: Paint) -> Vec<String> {
    let mut lines: Vec<String> = plan.restored().map(|file| restored(plan, file, paint)).collect();
    if lines.is_empty() {
        lines.push("nothing to restore".to_owned());
    }
    let kept: Vec<&PlannedFile> = plan.kept().collect();
    if !kept.is_empty() {
        lines.push(paint.paint(BOLD, "these stay as they are"));
    }
    lines.extend(kept.into_iter().map(|file| {
        let why = file.kept.map(|why| why.to_string()).unwrap_or_default();
        format!("  {}  {}", shown(plan, file), paint.paint(DIM, why))
    }));
    let never: Vec<String> = plan.not_restored.iter().map(not_restored).collect();
    if !never.is_empty() {
        lines.push(paint.paint(BOLD, "not restored"));
    }
    lines.extend(never.into_iter().map(|what| format!("  {what}")));
    lines
}

fn restored(plan: &Plan, file: &PlannedFile, paint: Paint) -> String {
    let (style, word) = word(file);
    let protected = if file.is_protected { "  (protected)" } else { "" };
    let links =
        if file.has_hard_links { "  (its other hard links keep the present content)" } else { "" };
    format!("  {:<8} {}{protected}{links}", paint.paint(style, word), shown(plan, file))
}

fn word(file: &PlannedFile) -> (Style, &'static str) {
    match file.action {
        Some(Action::Create) => (GREEN, "create"),
        Some(Action::Replace) => (YELLOW, "restore"),
        Some(Action::Merge) => (YELLOW, "merge"),
        Some(Action::SetMode) => (YELLOW, "mode"),
        Some(Action::Remove) => (RED, "remove"),
        None => (DIM, "keep"),
    }
}

/// Returns the path for people; with its folder if the session has several.
pub(crate) fn shown(plan: &Plan, file: &PlannedFile) -> String {
    match (plan.roots.len(), plan.roots.get(file.path.root())) {
        (2.., Some(root)) => format!("{}/{}", super::place::shown(root), file.path),
        _ => file.path.to_string(),
    }
}

fn not_restored(what: &NotRestored) -> String {
    match what {
        NotRestored::Head(change) => format!(
            "the repository {} is at another commit; commits, branches and the index stay",
            super::place::shown(&change.repository)
        ),
        NotRestored::Ignored { count } => match count {
            1 => "1 ignored file or folder, which is in no checkpoint".to_owned(),
            count => format!("{count} ignored files and folders, which are in no checkpoint"),
        },
        NotRestored::NotKept { count } => match count {
            1 => "1 file that the checkpoint lacks".to_owned(),
            count => format!("{count} files that the checkpoint lacks"),
        },
    }
}

/// Returns each file of a plan as JSON.
pub(crate) fn objects(plan: &Plan) -> Vec<Value> {
    let object = |file: &PlannedFile| {
        json!({
            "path": shown(plan, file),
            "action": file.is_restored().then(|| word(file).1),
            "kept": file.kept.map(|why| why.to_string()),
            "protected": file.is_protected,
        })
    };
    plan.files.iter().map(object).collect()
}
