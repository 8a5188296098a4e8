//! `attache checkpoints`: lists, shows, compares, restores and deletes checkpoints.

pub(crate) mod arguments;
mod diff;
pub(crate) mod list;
pub(crate) mod place;
pub(crate) mod plan;
mod prune;
mod restore;
mod selected;
mod show;

use crate::exit::{Exit, Failure};
use crate::run::trace::Trace;
use crate::settings::Settings;
use crate::show::paint::{BOLD, Paint, YELLOW};
use arguments::{Checkpoints, Selection, Task};
use attache_checkpoint::Restorer;
use attache_client::{CheckpointOptions, HubOptions, RecoveryReport, checkpoint_owner};
use attache_protocol::v1::SessionId;
use attache_view::sanitize;
use place::Place;
use std::io::{self, Write};
use std::sync::Arc;

/// Runs `attache checkpoints`.
pub(crate) async fn checkpoints(arguments: Checkpoints) -> Result<Exit, Failure> {
    let task = arguments.task.unwrap_or(Task::List(arguments.list));
    let place = Place::of(&Settings::read())?;
    let Some(store) = place.existing()?.map(Arc::new) else { return none_yet(&task, &place) };
    for restored in Restorer::new(&store).recover()? {
        let report = RecoveryReport::new(&restored);
        Exit::report(&format!("attache: {}", report.title))?;
        for file in report.not_restored {
            Exit::report(&format!("  {}", sanitize::visible_line(&file)))?;
        }
    }
    match task {
        Task::List(arguments) => list::list(&store, &arguments),
        Task::Show(arguments) => show::show(&store, &arguments),
        Task::Diff(arguments) => diff::diff(&store, &arguments),
        Task::Restore(arguments) => restore::restore(&store, &arguments).await,
        Task::Undo(arguments) => restore::undo(&store, &arguments).await,
        Task::Prune(arguments) => prune::prune(&store, &arguments).await,
    }
}

fn selection(task: &Task) -> &Selection {
    match task {
        Task::List(arguments) => &arguments.selection,
        Task::Show(arguments) => &arguments.selection,
        Task::Diff(arguments) => &arguments.selection,
        Task::Restore(arguments) => &arguments.selection,
        Task::Undo(arguments) => &arguments.selection,
        Task::Prune(arguments) => &arguments.selection,
    }
}

/// Returns the result if there is no store: a list is empty, and a named checkpoint is an error.
fn none_yet(task: &Task, place: &Place) -> Result<Exit, Failure> {
    let why = match place {
        Place::Nowhere => "no checkpoints are taken: the store of checkpoints is `none`".to_owned(),
        Place::Folder(folder) => {
            format!("no checkpoints are stored yet in {}", place::shown(folder))
        }
    };
    if !matches!(task, Task::List(_) | Task::Prune(_)) {
        return Err(Failure::usage(why));
    }
    if selection(task).json {
        return Ok(Exit::Done);
    }
    let mut stderr = io::stderr().lock();
    let begin = Paint::of(&stderr).paint(BOLD, "attache run \"summarize this project\"");
    let written = match place {
        Place::Nowhere => writeln!(stderr, "{why}"),
        Place::Folder(_) => writeln!(stderr, "{why}; start a session with:\n  {begin}"),
    };
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

/// Lets a hub take checkpoints, as the person's settings say. If their store cannot be opened,
/// prints the reason on stderr, and the hub takes none.
pub(crate) fn kept(options: HubOptions) -> HubOptions {
    let settings = Settings::read();
    match Place::of(&settings).and_then(|place| place.open()) {
        Ok(Some(store)) => {
            options.checkpoints(CheckpointOptions::new(store).wait(place::wait(&settings)))
        }
        Ok(None) => options,
        Err(failure) => {
            let mut stderr = io::stderr().lock();
            let warning = format!("no checkpoints will be taken: {}", failure.message);
            let warning = Paint::of(&stderr).paint(YELLOW, sanitize::line(&warning));
            // A closed stderr is not an error.
            let _ = writeln!(stderr, "{warning}");
            options
        }
    }
}

/// Leaves a trace that a hub writes out of its checkpoints.
pub(crate) fn leave_out(options: &HubOptions, trace: &Trace) {
    if let Some(checkpoints) = &options.checkpoints {
        checkpoints.store.leave_out(trace.path());
    }
}

/// Deletes the checkpoints of a session.
///
/// # Errors
/// Returns an error if the store of checkpoints cannot be used.
pub(crate) fn forget(agent: &str, session: &SessionId) -> Result<(), Failure> {
    if let Some(store) = Place::of(&Settings::read())?.existing()? {
        store.forget(&checkpoint_owner(agent, session))?;
    }
    Ok(())
}
