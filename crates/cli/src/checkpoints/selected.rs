//! The checkpoints that a person selects by folder, session and id.

use super::arguments::Selection;
use super::place;
use crate::exit::Failure;
use attache_checkpoint::{Reason, Store, Summary};
use attache_client::checkpoint_session;
use attache_view::sanitize;
use std::path::{Path, PathBuf};

/// The word for the newest session or checkpoint.
const LAST: &str = "last";

/// Returns the selected checkpoints, from the oldest to the newest.
///
/// # Errors
/// Returns an error if the store cannot be read, or if no session or several sessions match.
pub(super) fn all(store: &Store, selection: &Selection) -> Result<Vec<Summary>, Failure> {
    let mut summaries = store.list(None)?;
    let folder = match (&selection.cwd, &selection.session) {
        (Some(folder), _) => Some(folder.clone()),
        (None, Some(session)) if session != LAST => None,
        (None, _) => Some(PathBuf::from(".")),
    };
    if let Some(folder) = folder {
        let folder = folder.canonicalize().map_err(|error| {
            Failure::usage(format!("the folder {} cannot be used: {error}", place::shown(&folder)))
        })?;
        summaries.retain(|summary| covers(summary, &folder));
    }
    if let Some(wanted) = &selection.session {
        let owner = owner(&summaries, wanted)?;
        summaries.retain(|summary| summary.label.owner == owner);
    }
    Ok(summaries)
}

/// Returns whether the folder is one of the checkpoint's, or inside one.
fn covers(summary: &Summary, folder: &Path) -> bool {
    summary.roots.iter().any(|root| folder.starts_with(root))
}

/// Returns whether lists have a checkpoint. Those that were taken only for a comparison or a
/// preview mean nothing to a person, but are found by their id.
pub(super) fn is_listed(summary: &Summary) -> bool {
    summary.label.reason != Reason::Asked
}

/// Returns the checkpoint that the id selects.
///
/// # Errors
/// Returns an error if no checkpoint or several checkpoints match.
pub(super) fn one(store: &Store, id: &str, selection: &Selection) -> Result<Summary, Failure> {
    if id != LAST {
        return Ok(store.find(id)?);
    }
    let last = all(store, selection)?.into_iter().rfind(is_listed);
    last.ok_or_else(|| {
        Failure::usage(
            "there is no last checkpoint here: --session selects those of a session, --cwd those of another folder",
        )
    })
}

/// Returns the owner whose session the person means.
fn owner(summaries: &[Summary], wanted: &str) -> Result<String, Failure> {
    let shown = sanitize::line(wanted);
    if wanted == LAST {
        let last = summaries.last().map(|summary| summary.label.owner.clone());
        return last.ok_or_else(|| Failure::usage("no session has checkpoints here"));
    }
    let mut owners: Vec<&String> = summaries
        .iter()
        .map(|summary| &summary.label.owner)
        .filter(|owner| session(owner).starts_with(wanted))
        .collect();
    owners.sort_unstable();
    owners.dedup();
    if owners.iter().any(|owner| session(owner) == wanted) {
        owners.retain(|owner| session(owner) == wanted);
    }
    match owners.as_slice() {
        [owner] => Ok((*owner).clone()),
        [] => Err(Failure::usage(format!(
            "no session whose id begins with {shown} has checkpoints: `attache checkpoints list` shows those of this folder"
        ))),
        several => Err(Failure::usage(format!(
            "{} sessions with checkpoints have an id that begins with {shown}: write more of the id",
            several.len()
        ))),
    }
}

/// Returns the id of the session that owns checkpoints.
pub(super) fn session(owner: &str) -> String {
    checkpoint_session(owner).map_or_else(|| owner.to_owned(), |(_, id)| id.as_str().to_owned())
}
