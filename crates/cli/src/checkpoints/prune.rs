//! `attache checkpoints prune`.

use super::arguments::Prune;
use super::selected;
use crate::exit::{Exit, Failure};
use crate::key;
use crate::say::{counted, println};
use crate::show::paint::{BOLD, Paint};
use attache_checkpoint::{Store, Summary};
use attache_view::sanitize;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{self, Write};

/// Deletes the checkpoints of a session, of a folder's sessions or of all; without a selection,
/// those that are over the limit on disk.
pub(super) async fn prune(store: &Store, arguments: &Prune) -> Result<Exit, Failure> {
    let selection = &arguments.selection;
    let summaries = match (arguments.all, selection.session.is_some(), selection.cwd.is_some()) {
        (false, false, false) => return over_limit(store, selection.json),
        (true, ..) => store.list(None)?,
        _ => selected::all(store, selection)?,
    };
    let owners: BTreeSet<&String> = summaries.iter().map(|it| &it.label.owner).collect();
    if owners.is_empty() {
        return Exit::report("there are no such checkpoints");
    }
    let counts: Vec<String> = owners.iter().map(|owner| counted_of(&summaries, owner)).collect();
    if !arguments.yes && !agreed(&counts).await? {
        return Err(Failure::new(Exit::Cancelled, "nothing was deleted"));
    }
    for owner in owners {
        store.forget(owner)?;
        let of_owner = summaries.iter().filter(|it| it.label.owner == *owner);
        match selection.json {
            true => {
                of_owner.for_each(|it| println(&json!({ "id": it.id.to_string() }).to_string()))
            }
            false => println(&format!("deleted {}", counted_of(&summaries, owner))),
        }
    }
    Ok(Exit::Done)
}

fn over_limit(store: &Store, json: bool) -> Result<Exit, Failure> {
    let deleted = store.prune()?;
    match (json, deleted.len()) {
        (true, _) => {
            deleted.iter().for_each(|id| println(&json!({ "id": id.to_string() }).to_string()));
        }
        (false, 0) => println("The store is within its limit; nothing was deleted."),
        (false, 1) => println("deleted the oldest checkpoint"),
        (false, count) => println(&format!("deleted the {count} oldest checkpoints")),
    }
    Ok(Exit::Done)
}

/// Returns the number of an owner's checkpoints, for people.
fn counted_of(summaries: &[Summary], owner: &str) -> String {
    let count = summaries.iter().filter(|it| it.label.owner == owner).count();
    let session = selected::session(owner);
    format!("{} of the session {}", counted(count, "checkpoint"), sanitize::line(&session))
}

async fn agreed(lines: &[String]) -> Result<bool, Failure> {
    let list = lines.join("\n  ");
    if !key::can_ask() {
        return Err(Failure::usage(format!(
            "deleting is permanent and needs a terminal to confirm: pass --yes to delete\n  {list}"
        )));
    }
    let paint = Paint::of(&io::stderr());
    let question = format!("  {list}\n{} [y/n] ", paint.paint(BOLD, "delete permanently?"));
    let pressed = key::pressed(vec![b'y', b'n', 27], question).await;
    let key = pressed.map_err(|error| {
        Failure::new(Exit::Internal, format!("the terminal cannot be read: {error}"))
    })?;
    let answer = if key == b'y' { "yes" } else { "no" };
    let written = writeln!(io::stderr().lock(), "{answer}");
    written.map_err(|error| Failure::output(&error))?;
    Ok(key == b'y')
}
