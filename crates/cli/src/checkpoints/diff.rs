//! `attache checkpoints diff`.

use super::arguments::Diff;
use super::{restore, selected};
use crate::exit::{Exit, Failure};
use crate::show::diff;
use crate::show::json::escaped;
use crate::show::paint::{BOLD, DIM, Paint};
use attache_checkpoint::{
    Budget, Change, Entry, Label, Reason, Roots, Store, Summary, TakeError, TreePath,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Duration;

/// How long the checkpoint of the present may take.
const LONGEST: Duration = Duration::from_secs(600);

/// Shows what changed since a checkpoint, or between two.
pub(super) fn diff(store: &Store, arguments: &Diff) -> Result<Exit, Failure> {
    let from = selected::one(store, &arguments.id, &arguments.selection)?;
    let to = match &arguments.to {
        Some(id) => selected::one(store, id, &arguments.selection)?,
        None => present(store, &from)?,
    };
    if from.roots != to.roots {
        return Err(Failure::usage(
            "the checkpoints are of different folders: choose two of one session",
        ));
    }
    let paths = restore::paths(&from, &arguments.paths)?;
    let changes = store.tree(to.id)?.changes_since(&store.tree(from.id)?);
    let changes = changes.into_iter().filter(|change| is_selected(&paths, &change.path));
    let mut out = io::stdout().lock();
    let paint = Paint::of(&out);
    for change in changes {
        let lines = match arguments.selection.json {
            true => vec![escaped(&object(&change).to_string())],
            false => lines(store, &change, paint)?,
        };
        let written = lines.iter().try_for_each(|line| writeln!(out, "{line}"));
        written.map_err(|error| Failure::output(&error))?;
    }
    Ok(Exit::Done)
}

/// Takes a checkpoint of the present.
fn present(store: &Store, from: &Summary) -> Result<Summary, Failure> {
    let roots = Roots::new(&from.roots).map_err(Failure::usage)?;
    let label = Label::new(&*from.label.owner, Reason::Asked);
    store.take(&roots, &label, &Budget::lasting(LONGEST)).map_err(|error| match error {
        TakeError::Store(error) => error.into(),
        error => Failure::usage(error),
    })
}

fn is_selected(paths: &BTreeSet<TreePath>, path: &TreePath) -> bool {
    paths.is_empty() || paths.iter().any(|folder| path.is_within(folder))
}

fn object(change: &Change) -> Value {
    let kind = super::show::kind(change).0;
    json!({ "path": change.path.to_string(), "kind": kind })
}

/// Returns the diff of a file, or a line about an entry without lines.
fn lines(store: &Store, change: &Change, paint: Paint) -> Result<Vec<String>, Failure> {
    let kind = super::show::kind(change).0;
    let head = paint.paint(BOLD, format!("{kind} {}", change.path));
    let (before, after) =
        (text(store, change.before.as_ref())?, text(store, change.after.as_ref())?);
    let (Some(before), Some(after)) = (before, after) else {
        let note = paint.paint(DIM, "(not text, or not in the checkpoint)");
        return Ok(vec![format!("{head}  {note}")]);
    };
    let shown = diff::diff(Some(&before), &after, paint);
    let mode = match (change.before.as_ref(), change.after.as_ref()) {
        (Some(Entry::File { mode: old, .. }), Some(Entry::File { mode: new, .. }))
            if old != new =>
        {
            format!("  mode {old:o} is now {new:o}")
        }
        _ => String::new(),
    };
    let counts = format!("  +{} -{}", shown.added, shown.removed);
    let mut lines = vec![format!("{head}{counts}{mode}")];
    lines.extend(shown.lines);
    Ok(lines)
}

/// Returns the text of an entry; empty for a missing one, `None` if it is not text.
fn text(store: &Store, entry: Option<&Entry>) -> Result<Option<String>, Failure> {
    match entry {
        None | Some(Entry::Folder { .. }) => Ok(Some(String::new())),
        Some(Entry::File { content, .. }) => {
            let bytes = store.content(*content)?;
            Ok(String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')))
        }
        Some(Entry::Link { target }) => {
            Ok(Some(format!("link to {}\n", String::from_utf8_lossy(target))))
        }
        Some(_) => Ok(None),
    }
}
