//! `attache sessions show --json` and `export`: writes a session's log, one event per line.

use super::arguments::Export;
use super::session_id;
use crate::exit::{Exit, Failure};
use crate::show::json::escaped;
use attache_session::{SessionKey, Store};
use attache_view::sanitize;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Writes the log of a session, page by page.
pub(crate) fn write(store: &dyn Store, key: &SessionKey, out: impl Write) -> Result<(), Failure> {
    let mut out = BufWriter::new(out);
    let mut after = 0;
    loop {
        let events = store.read(key, after)?;
        let Some(last) = events.last() else { break };
        after = last.sequence;
        for event in &events {
            writeln!(out, "{}", escaped(&event.encode()))
                .map_err(|error| Failure::output(&error))?;
        }
    }
    out.flush().map_err(|error| Failure::output(&error))
}

/// Writes the log to a file atomically.
pub(crate) fn export(store: &dyn Store, arguments: &Export) -> Result<Exit, Failure> {
    let listed = session_id::find(store, &arguments.id, arguments.place.agent.as_deref())?;
    let file = arguments.file.clone().unwrap_or_else(|| default(&listed.key));
    if file == Path::new("-") {
        write(store, &listed.key, io::stdout().lock())?;
        return Ok(Exit::Done);
    }
    let shown = sanitize::line(&file.display().to_string());
    let exists = || {
        Failure::usage(format!(
            "{shown} already exists: name another file, or overwrite it with --force"
        ))
    };
    if !arguments.force && file.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let folder =
        file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let cannot = |error: io::Error| Failure::usage(format!("{shown} cannot be written: {error}"));
    let mut temporary = NamedTempFile::new_in(folder).map_err(cannot)?;
    write(store, &listed.key, &mut temporary)?;
    let kept = match arguments.force {
        true => temporary.persist(&file),
        false => temporary.persist_noclobber(&file),
    };
    match kept {
        Ok(_) => {}
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => return Err(exists()),
        Err(error) => return Err(cannot(error.error)),
    }
    let events = listed.summary.sequence;
    let written = writeln!(
        io::stdout().lock(),
        "exported the log of {} up to event {events} to {shown}",
        sanitize::line(listed.key.session_id.as_str())
    );
    written.map(|()| Exit::Done).map_err(|error| Failure::output(&error))
}

/// Returns the id as a file name, with unsafe characters removed.
fn default(key: &SessionKey) -> PathBuf {
    let safe =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
    let name: String = key
        .session_id
        .as_str()
        .chars()
        .map(|character| if safe(character) { character } else { '_' })
        .take(100)
        .collect();
    format!("{name}.jsonl").into()
}
