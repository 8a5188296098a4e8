//! `attache checkpoints show`.

use super::arguments::One;
use super::{list, selected};
use crate::exit::{Exit, Failure};
use crate::sessions::time;
use crate::show::json::escaped;
use crate::show::paint::{BOLD, DIM, GREEN, Paint, RED, YELLOW};
use attache_checkpoint::{Change, Store, Summary};
use attache_view::sanitize;
use jiff::tz::TimeZone;
use serde_json::json;
use std::io::{self, Write};

/// Shows a checkpoint, the files that changed in it, and those that it does not have.
pub(super) fn show(store: &Store, arguments: &One) -> Result<Exit, Failure> {
    let summary = selected::one(store, &arguments.id, &arguments.selection)?;
    let changes = changes(store, &summary)?;
    let mut out = io::stdout().lock();
    let lines = match arguments.selection.json {
        true => vec![escaped(&object(&summary, &changes).to_string())],
        false => page(&summary, &changes, Paint::of(&out)),
    };
    let written = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

/// Returns what differs from the checkpoint of the same folders before this one.
fn changes(store: &Store, summary: &Summary) -> Result<Vec<Change>, Failure> {
    let all = store.list(None)?;
    let earlier = all.iter().rev().find(|it| it.id < summary.id && it.roots == summary.roots);
    let Some(earlier) = earlier else { return Ok(Vec::new()) };
    let (before, after) = (store.tree(earlier.id)?, store.tree(summary.id)?);
    Ok(after.changes_since(&before))
}

/// Returns the word and the sign of a change.
pub(super) fn kind(change: &Change) -> (&'static str, &'static str) {
    match (&change.before, &change.after) {
        (None, _) => ("added", "+"),
        (_, None) => ("removed", "-"),
        _ => ("modified", "~"),
    }
}

fn object(summary: &Summary, changes: &[Change]) -> serde_json::Value {
    let mut object = list::object(summary);
    let changes: Vec<_> = changes
        .iter()
        .map(|change| json!({ "path": change.path.to_string(), "kind": kind(change).0 }))
        .collect();
    let lacking: Vec<_> = summary
        .not_kept
        .iter()
        .map(|file| json!({ "path": file.path.to_string(), "why": file.why.name() }))
        .collect();
    if let Some(members) = object.as_object_mut() {
        members.insert("changes".to_owned(), changes.into());
        members.insert("lacking".to_owned(), lacking.into());
    }
    object
}

fn page(summary: &Summary, changes: &[Change], paint: Paint) -> Vec<String> {
    let label = &summary.label;
    let turn = label.turn.map(|turn| format!(", turn {turn}")).unwrap_or_default();
    let mut lines = vec![
        paint.paint(BOLD, format!("{}  {}{turn}", summary.id, label.reason)),
        format!("  taken    {}", time::exact(list::timestamp(summary.at), &TimeZone::system())),
        format!("  session  {}", sanitize::line(&selected::session(&label.owner))),
    ];
    if !label.title.is_empty() {
        lines.push(format!("  prompt   {}", sanitize::line(&label.title)));
    }
    for root in &summary.roots {
        lines.push(format!("  folder   {}", sanitize::visible_line(&root.to_string_lossy())));
    }
    lines.push(format!(
        "  files    {}, {} left out by ignore files",
        summary.files, summary.ignored
    ));
    if !changes.is_empty() {
        lines.push(String::new());
        lines.push(paint.paint(BOLD, "changed since the checkpoint before"));
    }
    for change in changes {
        let (_, sign) = kind(change);
        let style = match sign {
            "+" => GREEN,
            "-" => RED,
            _ => YELLOW,
        };
        lines.push(format!("  {} {}", paint.paint(style, sign), change.path));
    }
    if summary.not_kept_count > 0 {
        lines.push(String::new());
        lines.push(paint.paint(BOLD, "not in the checkpoint, so a restore cannot bring it back"));
    }
    for file in &summary.not_kept {
        lines.push(format!("  {}  {}", file.path, paint.paint(DIM, file.why)));
    }
    let more = summary.not_kept_count.saturating_sub(summary.not_kept.len() as u64);
    if more > 0 {
        lines.push(format!("  and {more} more"));
    }
    lines
}
