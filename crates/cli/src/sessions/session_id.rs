//! The session that a person selects: an id, the beginning of an id, or `last`.

use super::pages::Pages;
use crate::chosen_agent::BUILT_IN_NAME;
use crate::exit::Failure;
use crate::show::width::cut;
use attache_protocol::method::Side;
use attache_session::{ArchivedFilter, ListEntry, ListQuery, SessionKey, Store, StoreError};
use attache_view::sanitize;

/// The word for the most recent session.
const LAST: &str = "last";

/// The number of candidates in a message.
const NAMED: usize = 5;

/// Finds the session that `id` selects, of the agent with the name `agent` if given.
///
/// # Errors
/// Returns an error that lists candidates if no session or several sessions match.
pub(crate) fn find(store: &dyn Store, id: &str, agent: Option<&str>) -> Result<ListEntry, Failure> {
    match id {
        "" => {
            return Err(Failure::usage(
                "the id is empty: use an id, the beginning of an id, or `last`",
            ));
        }
        LAST => return last(store, agent),
        _ => {}
    }
    if let Some(found) = ours(store, id, agent)? {
        return Ok(found);
    }
    let query = ListQuery {
        agent: agent.map(str::to_owned),
        archived: ArchivedFilter::Include,
        ..ListQuery::default()
    };
    let mut candidates = Vec::new();
    for listed in Pages::new(store, query, None) {
        let listed = listed?;
        if listed.key.session_id.as_str().starts_with(id) {
            candidates.push(listed);
        }
    }
    let whole = |listed: &ListEntry| listed.key.session_id.as_str() == id;
    if candidates.iter().any(whole) {
        candidates.retain(whole);
    }
    match candidates.len() {
        1 => candidates.pop().ok_or_else(|| unknown(id, &[])),
        0 => Err(unknown(id, &alike(store, id, agent)?)),
        _ => Err(ambiguous(id, &candidates)),
    }
}

fn last(store: &dyn Store, agent: Option<&str>) -> Result<ListEntry, Failure> {
    let query = ListQuery { agent: agent.map(str::to_owned), used: true, ..ListQuery::default() };
    let last = Pages::new(store, query, Some(1)).next().transpose()?;
    last.ok_or_else(|| {
        Failure::usage("there is no last session: none is stored, or all are archived")
    })
}

/// Returns the session of the built-in agent with exactly this id, which needs no search.
fn ours(store: &dyn Store, id: &str, agent: Option<&str>) -> Result<Option<ListEntry>, Failure> {
    if agent.is_some_and(|agent| agent != BUILT_IN_NAME) {
        return Ok(None);
    }
    let key =
        SessionKey { side: Side::Agent, agent: BUILT_IN_NAME.to_owned(), session_id: id.into() };
    match store.summary(&key) {
        Ok(summary) => Ok(Some(ListEntry { key, summary })),
        Err(StoreError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns candidates for an unknown id: the sessions whose titles contain it, or else the newest
/// sessions.
fn alike(store: &dyn Store, id: &str, agent: Option<&str>) -> Result<Vec<ListEntry>, StoreError> {
    let query = ListQuery {
        agent: agent.map(str::to_owned),
        archived: ArchivedFilter::Include,
        ..ListQuery::default()
    };
    let newest = |query| Pages::new(store, query, Some(NAMED)).take(NAMED).collect();
    let titled: Vec<ListEntry> = newest(ListQuery { title: Some(id.to_owned()), ..query.clone() })?;
    if !titled.is_empty() {
        return Ok(titled);
    }
    newest(query)
}

fn unknown(id: &str, alike: &[ListEntry]) -> Failure {
    let id = sanitize::line(id);
    let advice = "`attache sessions --all` lists all sessions";
    match alike.is_empty() {
        true => Failure::usage(format!("session {id} does not exist: {advice}")),
        false => Failure::usage(format!(
            "session {id} does not exist; {advice}. Did you mean one of these?{}",
            named(alike)
        )),
    }
}

fn ambiguous(id: &str, candidates: &[ListEntry]) -> Failure {
    let count = candidates.len();
    let more = match count.saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("\n  and {more} more"),
    };
    let advice = match candidates
        .windows(2)
        .all(|pair| matches!(pair, [a, b] if a.key.session_id == b.key.session_id))
    {
        true => "name the agent with --agent",
        false => "write more of the id",
    };
    Failure::usage(format!(
        "{count} session ids begin with {}: {advice}.{}{more}",
        sanitize::line(id),
        named(candidates.get(..NAMED.min(count)).unwrap_or_default())
    ))
}

/// Lists the id, agent and title of each session.
fn named(sessions: &[ListEntry]) -> String {
    let line = |listed: &ListEntry| {
        let title =
            listed.summary.info.title().map_or_else(|| "(no title)".to_owned(), sanitize::line);
        let (id, agent) =
            (sanitize::line(listed.key.session_id.as_str()), sanitize::line(&listed.key.agent));
        format!("\n  {id}  {agent}  {}", cut(&title, 60))
    };
    sessions.iter().map(line).collect()
}
