//! A restore before it happens, as lines for people and as JSON.

use crate::show::paint::{BOLD, DIM, GREEN, Paint, RED, YELLOW};
use anstyle::Style;
use attache_checkpoint::{Plan, PlannedFile};
use attache_view::{Role, Span, action_word, restore_preview};
use serde_json::{Value, json};

/// Returns the preview: the files that change, those that stay, and what is never restored.
pub(crate) fn lines(plan: &Plan, paint: Paint) -> Vec<String> {
    let painted = |span: &Span| match style(span.style.role) {
        Some(style) => paint.paint(style, &span.text),
        None => span.text.to_string(),
    };
    restore_preview(plan).iter().map(|line| line.spans.iter().map(painted).collect()).collect()
}

fn style(role: Role) -> Option<Style> {
    match role {
        Role::Heading => Some(BOLD),
        Role::Added => Some(GREEN),
        Role::Removed => Some(RED),
        Role::Warning => Some(YELLOW),
        Role::Muted => Some(DIM),
        _ => None,
    }
}

/// Returns the path of a file, exactly; with its folder if the session has several.
fn path(plan: &Plan, file: &PlannedFile) -> String {
    match (plan.roots.len(), plan.roots.get(file.path.root())) {
        (2.., Some(root)) => format!("{}/{}", root.display(), file.path),
        _ => file.path.to_string(),
    }
}

/// Returns each file of a plan as JSON.
pub(crate) fn objects(plan: &Plan) -> Vec<Value> {
    let object = |file: &PlannedFile| {
        json!({
            "path": path(plan, file),
            "action": file.is_restored().then(|| action_word(file.action)),
            "kept": file.kept.map(|why| why.to_string()),
            "protected": file.is_protected,
        })
    };
    plan.files.iter().map(object).collect()
}
