//! Reading what a watch does not send: earlier rows, whole outputs, and places of a text.

use super::caller::Caller;
use super::messages::{Found, FoundPlace, ReadRows, Rows, Search, WholeCall};
use super::refusal;
use super::reply::Reply;
use super::watches::WatchedSession;
use crate::{Scope, SharedHub};
use attache_connection::Peer;
use attache_protocol::Error;
use attache_view::{Line, Role, sanitize};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::runtime::Handle;

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

/// Finds text. A search reads much, so few searches of clients without control run at a time; the
/// others wait.
pub(super) async fn search(
    caller: Arc<Caller>,
    _peer: Peer,
    params: Search,
) -> Result<Reply, Error> {
    let words = params.words.trim().to_owned();
    if words.is_empty() {
        return Err(refusal::wrong("the field `words` is empty: write what to look for"));
    }
    let watched = params.watch.map(|watch| caller.watches.session(watch)).transpose()?;
    let turn = match caller.client.may(Scope::Control) {
        true => None,
        false => Some(caller.shared.searches.clone().acquire_owned().await),
    };
    let shared = caller.shared.clone();
    // A search that has begun is not broken off with its connection, and keeps its turn.
    let looking = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        match watched {
            Some(watched) => Ok(in_session(&watched, &words)),
            None => Handle::current().block_on(everywhere(&shared, words)),
        }
    });
    let places = looking.await.map_err(|error| refusal::failed(&error))??;
    Reply::of(&Found { places })
}

/// Finds text in a session. Blocks on the disk.
fn in_session(watched: &WatchedSession, words: &str) -> Vec<FoundPlace> {
    let session = watched.live.session();
    let (agent, id) = (session.agent().name().to_owned(), session.id().as_str().to_owned());
    let found = watched.live.find(words, PLACES).into_iter();
    let place = |(row, line)| FoundPlace {
        agent: agent.clone(),
        session_id: id.clone(),
        row: Some(row),
        line,
    };
    found.map(place).collect()
}

async fn everywhere(shared: &SharedHub, words: String) -> Result<Vec<FoundPlace>, Error> {
    let found = shared.services.search(words).await;
    let found = found.map_err(|error| refusal::failed(&error))?;
    let place = |found: crate::FoundText| FoundPlace {
        agent: found.agent,
        session_id: found.id.as_str().to_owned(),
        row: None,
        line: Line::of(sanitize::line(&found.around), Role::Text),
    };
    Ok(found.into_iter().take(PLACES).map(place).collect())
}
