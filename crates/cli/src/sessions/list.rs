//! `attache sessions list` and `search`.

use super::arguments::List;
use super::pages::Pages;
use super::table::{self, Row};
use super::text_search::{self, Found};
use super::time;
use crate::exit::{Exit, Failure};
use crate::show::json;
use crate::show::json::escaped;
use crate::show::paint::{DIM, Paint};
use crate::terminal;
use attache_protocol::method::Side;
use attache_session::{ArchivedFilter, Labels, ListEntry, ListQuery, Store};
use attache_view::sanitize;
use jiff::Zoned;
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The default number of sessions on a terminal.
const ON_A_TERMINAL: usize = 30;

/// The number of rows whose columns are aligned together.
const TOGETHER: usize = 200;

/// Lists the selected sessions. With `text`, lists only those that contain the text, each with its
/// first match.
pub(crate) fn list(
    store: &dyn Store,
    arguments: &List,
    text: Option<&str>,
) -> Result<Exit, Failure> {
    let table = !arguments.json;
    let default = if table && io::stdout().is_terminal() { ON_A_TERMINAL } else { 0 };
    let limit = Some(arguments.limit.unwrap_or(default)).filter(|limit| *limit > 0);
    // A search can be slow, so each match is shown at once.
    let expected =
        if text.is_some() { Some(1) } else { limit.map(|limit| limit.saturating_add(1)) };
    let mut pages = Pages::new(store, query(arguments, text), expected);
    let mut left = limit.unwrap_or(usize::MAX);
    let mut listing = Listing {
        store,
        text,
        now: Zoned::now(),
        home: home(),
        cwd: std::env::current_dir().ok(),
        any: false,
    };
    let mut together = Vec::new();
    while left > 0 {
        let Some(listed) = pages.next() else { break };
        left -= 1;
        let listed = listed?;
        if table {
            together.push(listing.row(&listed)?);
            if text.is_some() || together.len() >= TOGETHER {
                listing.table(&std::mem::take(&mut together))?;
            }
        } else {
            listing.json(&listed)?;
        }
    }
    listing.table(&together)?;
    if !listing.any && table {
        say(&nothing(arguments, text))?;
    }
    if table && limit.is_some() && pages.next().is_some() {
        say(&format!(
            "there are more: --limit {} shows more, --limit 0 all",
            limit.unwrap_or(0).saturating_mul(4)
        ))?;
    }
    Ok(Exit::Done)
}

fn query(arguments: &List, text: Option<&str>) -> ListQuery {
    ListQuery {
        agent: arguments.place.agent.clone(),
        cwd: arguments.cwd.as_deref().map(folder),
        archived: match (arguments.all, arguments.archived) {
            (true, _) => ArchivedFilter::Include,
            (_, true) => ArchivedFilter::Only,
            _ => ArchivedFilter::Exclude,
        },
        used: !arguments.all,
        title: arguments.title.clone(),
        tag: arguments.tag.as_deref().map(|tag| tag.trim_start_matches('#').to_owned()),
        text: text.map(str::to_owned),
        ..ListQuery::default()
    }
}

/// Returns a folder in the form that sessions store: absolute, without a trailing slash. It need
/// not exist.
fn folder(given: &Path) -> String {
    let path = std::path::absolute(given).unwrap_or_else(|_| given.to_owned());
    path.components().collect::<PathBuf>().to_string_lossy().into_owned()
}

fn home() -> Option<PathBuf> {
    std::env::var_os("HOME")
        .map(PathBuf::from)
        .filter(|home| home.is_absolute() && home != Path::new("/"))
}

/// Returns the reason why the list is empty, and the option that lists more.
fn nothing(arguments: &List, text: Option<&str>) -> String {
    let filtered = text.is_some()
        || [&arguments.tag, &arguments.title, &arguments.place.agent]
            .into_iter()
            .any(Option::is_some)
        || arguments.cwd.is_some();
    match (filtered, arguments.archived, arguments.all) {
        (_, true, _) => "no archived session matches".to_owned(),
        (true, ..) if !arguments.all => {
            "no session matches; --all includes archived sessions".to_owned()
        }
        (true, ..) => "no session matches".to_owned(),
        (false, _, true) => "no sessions are stored".to_owned(),
        (false, ..) => "there are no unarchived sessions; --all includes archived ones".to_owned(),
    }
}

/// Prints a notice that is not part of the list.
fn say(text: &str) -> Result<(), Failure> {
    let mut stderr = io::stderr().lock();
    let paint = Paint::of(&stderr);
    writeln!(stderr, "{}", paint.paint(DIM, text)).map_err(|error| Failure::output(&error))
}

struct Listing<'s> {
    store: &'s dyn Store,
    text: Option<&'s str>,
    now: Zoned,
    home: Option<PathBuf>,
    cwd: Option<PathBuf>,
    /// Whether anything was listed.
    any: bool,
}

impl Listing<'_> {
    fn found(&self, listed: &ListEntry) -> Result<Option<Found>, Failure> {
        match self.text {
            Some(text) => Ok(text_search::find(self.store, &listed.key, text)?),
            None => Ok(None),
        }
    }

    fn row(&self, listed: &ListEntry) -> Result<Row, Failure> {
        let (key, summary) = (&listed.key, &listed.summary);
        let client = if key.side == Side::Client { " (client)" } else { "" };
        Ok(Row {
            id: sanitize::line(key.session_id.as_str()),
            agent: format!("{}{client}", sanitize::line(&key.agent)),
            title: text_search::title(self.store, listed)?,
            folder: self.shown(&summary.cwd),
            here: self.cwd.as_deref().is_some_and(|cwd| cwd == Path::new(&summary.cwd)),
            when: time::ago(summary.updated_at, &self.now),
            prompts: summary.prompts,
            notes: notes(listed),
            archived: summary.archived,
            found: self.found(listed)?,
        })
    }

    /// Shortens the home folder to `~`.
    fn shown(&self, folder: &str) -> String {
        let inside =
            self.home.as_deref().and_then(|home| Path::new(folder).strip_prefix(home).ok());
        let shown = match inside {
            Some(inside) if inside.as_os_str().is_empty() => "~".to_owned(),
            Some(inside) => format!("~/{}", inside.display()),
            None => folder.to_owned(),
        };
        sanitize::visible_line(&shown)
    }

    /// Writes the rows, with a header above the first ones.
    fn table(&mut self, rows: &[Row]) -> Result<(), Failure> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let columns = if out.is_terminal() { terminal::columns() } else { None };
        let paint = Paint::of(&out);
        let lines = match self.text {
            Some(_) => rows.iter().flat_map(|row| table::found(row, columns, paint)).collect(),
            None => table::lines(rows, columns, paint),
        };
        let head = usize::from(std::mem::replace(&mut self.any, true) && self.text.is_none());
        let written = lines.iter().skip(head).try_for_each(|line| writeln!(out, "{line}"));
        written.and_then(|()| out.flush()).map_err(|error| Failure::output(&error))
    }

    /// Writes one JSON object.
    fn json(&mut self, listed: &ListEntry) -> Result<(), Failure> {
        let mut object = object(listed, text_search::title(self.store, listed)?);
        if let (Some(members), Some(_)) = (object.as_object_mut(), self.text) {
            let found = self.found(listed)?.map(|found| {
                let text = format!("{}{}{}", found.before, found.text, found.behind);
                json!({ "author": json::word(found.author), "sequence": found.sequence, "line": text })
            });
            members.insert("found".to_owned(), found.into());
        }
        let mut out = io::stdout().lock();
        self.any = true;
        writeln!(out, "{}", escaped(&object.to_string())).map_err(|error| Failure::output(&error))
    }
}

/// Returns the archived state, tags, status and progress in a few words.
fn notes(listed: &ListEntry) -> String {
    let labels = Labels::of(&listed.summary.info);
    let mut notes: Vec<String> =
        listed.summary.archived.then(|| "(archived)".to_owned()).into_iter().collect();
    notes.extend(labels.tags.iter().map(|tag| format!("#{}", sanitize::line(tag))));
    notes.extend(labels.status.map(|status| sanitize::line(&status)));
    notes.extend(labels.progress.map(|(done, total)| format!("{done}/{total}")));
    notes.join(" ")
}

/// Returns the session as JSON; JSON.md documents it.
pub(crate) fn object(listed: &ListEntry, shown: Option<String>) -> Value {
    let (key, summary) = (&listed.key, &listed.summary);
    let labels = Labels::of(&summary.info);
    json!({
        "sessionId": key.session_id.as_str(),
        "agent": key.agent,
        "side": key.side.as_str(),
        "title": summary.info.title(),
        "shownTitle": shown,
        "cwd": summary.cwd,
        "additionalDirectories": summary.additional_directories,
        "beganAt": summary.began_at.rfc3339(),
        "updatedAt": summary.updated_at.rfc3339(),
        "prompts": summary.prompts,
        "events": summary.sequence,
        "archived": summary.archived,
        "tags": labels.tags,
        "status": labels.status,
        "progress": labels.progress.map(|(done, total)| json!({ "done": done, "total": total })),
    })
}
