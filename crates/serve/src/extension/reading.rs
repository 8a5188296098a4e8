//! Reading what a watch does not send: earlier rows, whole outputs, and places of a text.

use super::caller::Caller;
use super::messages::{Found, FoundPlace, ReadRows, Rows, Search, WholeCall};
use super::refusal;
use super::reply::Reply;
use super::watches::WatchedSession;
use attache_connection::Peer;
use attache_protocol::Error;
use attache_view::{Line, Role, sanitize};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The largest number of places that are found.
const PLACES: usize = 200;

/// Reads rows. The watch sends nothing until the reply is queued, so that the client applies rows
/// in the order of their changes.
pub(super) async fn rows(
    caller: Arc<Caller>,
    _peer: Peer,
    params: ReadRows,
) -> Result<Reply, Error> {
    let watched = caller.watches.session(params.watch)?;
    if params.from > params.to {
        return Err(refusal::wrong("the field `from` is larger than the field `to`"));
    }
    let turn = watched.order.clone().lock_owned().await;
    let read = watched.live.read(params.from..params.to).await;
    let rows = read.map_err(|error| refusal::failed(&error))?;
    watched.floor.fetch_min(params.from, Ordering::Relaxed);
    Ok(Reply::of(&Rows { rows })?.and_then(move || drop(turn)))
}

/// Reads a tool call with its whole output.
pub(super) async fn whole_call(
    caller: Arc<Caller>,
    _peer: Peer,
    params: WholeCall,
) -> Result<Reply, Error> {
    let watched = caller.watches.session(params.watch)?;
    match watched.live.whole_call(params.row) {
        Some(call) => Reply::of(&call),
        None => {
            let row = params.row;
            Err(refusal::wrong(format!("the row {row} (field `row`) is not a tool call")))
        }
    }
}

/// Finds text.
pub(super) async fn search(
    caller: Arc<Caller>,
    _peer: Peer,
    params: Search,
) -> Result<Reply, Error> {
    let words = params.words.trim().to_owned();
    if words.is_empty() {
        return Err(refusal::wrong("the field `words` is empty: write what to look for"));
    }
    let places = match params.watch {
        Some(watch) => in_session(caller.watches.session(watch)?, words).await?,
        None => everywhere(&caller, words).await?,
    };
    Reply::of(&Found { places })
}

async fn in_session(watched: Arc<WatchedSession>, words: String) -> Result<Vec<FoundPlace>, Error> {
    let looking = tokio::task::spawn_blocking(move || {
        let session = watched.live.session();
        let (agent, id) = (session.agent().name().to_owned(), session.id().as_str().to_owned());
        let found = watched.live.find(&words, PLACES).into_iter();
        let place = |(row, line)| FoundPlace {
            agent: agent.clone(),
            session_id: id.clone(),
            row: Some(row),
            line,
        };
        found.map(place).collect()
    });
    looking.await.map_err(|error| refusal::failed(&error))
}

async fn everywhere(caller: &Caller, words: String) -> Result<Vec<FoundPlace>, Error> {
    let found = caller.shared.services.search(words).await;
    let found = found.map_err(|error| refusal::failed(&error))?;
    let place = |found: crate::FoundText| FoundPlace {
        agent: found.agent,
        session_id: found.id.as_str().to_owned(),
        row: None,
        line: Line::of(sanitize::line(&found.around), Role::Text),
    };
    Ok(found.into_iter().take(PLACES).map(place).collect())
}
