//! `attache sessions`: lists, searches, shows and organizes stored sessions.

pub(crate) mod arguments;
mod change;
mod list;
mod log;
mod markdown;
mod pages;
pub(crate) mod session_id;
mod table;
mod terminal;
pub(crate) mod text_search;
pub(crate) mod time;
mod transcript;

use crate::exit::{Exit, Failure};
use crate::show::paint::{BOLD, Paint};
use crate::store::Place;
use arguments::{InStore, Sessions, Show, Task};
use attache_session::Store;
use attache_view::sanitize;
use jiff::tz::TimeZone;
use std::io::{self, BufWriter, IsTerminal, Write};

/// Runs `attache sessions`.
pub(crate) async fn sessions(arguments: Sessions) -> Result<Exit, Failure> {
    let task = arguments.task.unwrap_or(Task::List(arguments.list));
    let place = Place::of(in_store(&task).store.as_deref())?;
    let Some(store) = place.existing()? else { return none_yet(&task, &place) };
    let store: &dyn Store = &store;
    match &task {
        Task::List(arguments) => list::list(store, arguments, None),
        Task::Search(arguments) => {
            list::list(store, &arguments.list, Some(&arguments.text.join(" ")))
        }
        Task::Show(arguments) => show(store, arguments),
        Task::Export(arguments) => log::export(store, arguments),
        Task::Rename(arguments) => change::rename(store, arguments).await,
        Task::Tag(arguments) => change::tag(store, arguments).await,
        Task::Archive(arguments) => change::archive(store, arguments, true).await,
        Task::Unarchive(arguments) => change::archive(store, arguments, false).await,
        Task::Delete(arguments) => change::delete(store, arguments).await,
    }
}

fn in_store(task: &Task) -> &InStore {
    match task {
        Task::List(arguments) => &arguments.place,
        Task::Search(arguments) => &arguments.list.place,
        Task::Show(arguments) => &arguments.place,
        Task::Export(arguments) => &arguments.place,
        Task::Rename(arguments) => &arguments.place,
        Task::Tag(arguments) => &arguments.place,
        Task::Archive(arguments) | Task::Unarchive(arguments) => &arguments.place,
        Task::Delete(arguments) => &arguments.place,
    }
}

/// Returns the result if there is no store: a list is empty, and a named session is an error.
fn none_yet(task: &Task, place: &Place) -> Result<Exit, Failure> {
    let why = match place {
        Place::Nowhere => "sessions are not stored: the store is `none`".to_owned(),
        Place::File(path) => {
            format!(
                "no sessions are stored yet in {}",
                sanitize::visible_line(&path.display().to_string())
            )
        }
    };
    let json = match task {
        Task::List(arguments) => arguments.json,
        Task::Search(arguments) => arguments.list.json,
        _ => return Err(Failure::usage(why)),
    };
    let mut stderr = io::stderr().lock();
    let begin = Paint::of(&stderr).paint(BOLD, "attache run \"summarize this project\"");
    let written = match (json, place) {
        (true, _) => Ok(()),
        (false, Place::Nowhere) => writeln!(stderr, "{why}"),
        (false, Place::File(_)) => writeln!(stderr, "{why}; start one with:\n  {begin}"),
    };
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

fn show(store: &dyn Store, arguments: &Show) -> Result<Exit, Failure> {
    let listed = session_id::find(store, &arguments.id, arguments.place.agent.as_deref())?;
    if arguments.json {
        log::write(store, &listed.key, io::stdout().lock())?;
        return Ok(Exit::Done);
    }
    let title = text_search::title(store, &listed)?.unwrap_or_else(|| "Session".to_owned());
    let zone = TimeZone::system();
    let out = io::stdout();
    if out.is_terminal() && !arguments.markdown {
        let mut output = terminal::TerminalOutput::new(zone, arguments.thoughts, arguments.verbose);
        output.head(&listed, &title)?;
        transcript::replay(store, &listed.key, &mut output)?;
        return Ok(Exit::Done);
    }
    let mut markdown =
        markdown::Markdown::new(BufWriter::new(out.lock()), zone, arguments.thoughts);
    markdown.head(&listed, &title).map_err(|error| Failure::output(&error))?;
    transcript::replay(store, &listed.key, &mut markdown)?;
    markdown.end().map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}
