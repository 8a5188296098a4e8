//! Conversion between a summary and columns.

use crate::file::store_files::StoreFiles;
use attache_protocol::method::Side;
use attache_protocol::{Meta, Patch, decode, encode};
use attache_session::{
    Event, EventBody, Info, ListEntry, SessionKey, StoreError, Summary, Timestamp,
};
use rusqlite::Row;

/// The columns that [`listed`] reads, from `session` and, if present, `info`.
pub(crate) const LISTED: &str =
    "SELECT session.id, side, agent, session_id, sequence, began_at, updated_at, archived, prompts, cwd,
    additional_directories, title, titled_by_person, stated_at, meta
    FROM session LEFT JOIN info ON info.session = session.id";

/// The name of a side, as stored in a row.
pub(crate) fn side_name(side: Side) -> &'static str {
    match side {
        Side::Client => "client",
        Side::Agent => "agent",
    }
}

/// Reads a session, with the number of its row.
pub(crate) fn listed(place: &StoreFiles, row: &Row<'_>) -> Result<(i64, ListEntry), StoreError> {
    let id = row.get(0).map_err(|error| place.failure(error))?;
    let read =
        Columns::read(row).map_err(|error| place.unreadable(|| format!("session {id}"), error))?;
    let damaged = |what: &str| place.damaged(format!("session {id}: {what} cannot be read"));
    let side = match read.side.as_str() {
        "client" => Side::Client,
        "agent" => Side::Agent,
        _ => return Err(damaged("its side")),
    };
    let key = SessionKey { side, agent: read.agent, session_id: read.session_id.into() };
    let directories = decode(&read.additional_directories);
    let meta = read.meta.as_deref().map(decode::<Meta>).transpose();
    let summary = Summary {
        additional_directories: directories.map_err(|_| damaged("its list of directories"))?,
        info: info(
            read.title,
            read.titled_by_person,
            read.stated_at,
            meta.map_err(|_| damaged("its metadata"))?,
        ),
        ..read.summary
    };
    Ok((id, ListEntry { key, summary }))
}

/// The columns of a row. The columns that a summary takes unchanged are in the field `summary`.
struct Columns {
    side: String,
    agent: String,
    session_id: String,
    additional_directories: String,
    title: Option<String>,
    titled_by_person: bool,
    stated_at: Option<String>,
    meta: Option<String>,
    summary: Summary,
}

impl Columns {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            side: row.get(1)?,
            agent: row.get(2)?,
            session_id: row.get(3)?,
            summary: Summary {
                sequence: row.get(4)?,
                began_at: Timestamp(row.get(5)?),
                updated_at: Timestamp(row.get(6)?),
                archived: row.get(7)?,
                prompts: row.get(8)?,
                cwd: row.get(9)?,
                ..Summary::default()
            },
            additional_directories: row.get(10)?,
            title: row.get(11)?,
            titled_by_person: row.get::<_, Option<bool>>(12)?.unwrap_or_default(),
            stated_at: row.get(13)?,
            meta: row.get(14)?,
        })
    }
}

/// Rebuilds an [`Info`] from the two events that produce it.
fn info(
    title: Option<String>,
    by_person: bool,
    stated_at: Option<String>,
    meta: Option<Meta>,
) -> Info {
    let mut folded = Summary::default();
    let mut apply = |sequence, body| folded.apply(&Event { sequence, at: Timestamp(0), body });
    if let Some(title) = title {
        apply(1, EventBody::StoredTitle { title, by_person });
    }
    let patch = |text: Option<_>| text.map_or(Patch::Keep, Patch::Set);
    let meta = meta.map_or(Patch::Keep, Patch::Set);
    apply(2, EventBody::Info { title: Patch::Keep, updated_at: patch(stated_at), meta });
    folded.info
}

/// The list of directories as stored in a row.
pub(crate) fn directories(summary: &Summary) -> String {
    encode(&summary.additional_directories)
}
