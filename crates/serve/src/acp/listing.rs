//! `session/list`: the sessions of all agents.

use super::context::Context;
use crate::acp_sessions::SessionName;
use attache_client::{ListedSession, SessionFilter};
use attache_protocol::Error;
use attache_protocol::v1::{
    ListSessionsRequest, ListSessionsResponse, SessionArchiveFilter, SessionId, SessionInfo,
};
use attache_session::{ArchivedFilter, Labels, Timestamp};
use std::cmp::Reverse;
use std::path::Path;
use std::time::Duration;

/// The number of sessions on one page.
const PAGE: usize = 100;

/// How long the first page waits for an agent to start, and then for the agents' lists.
const PATIENCE: Duration = Duration::from_secs(5);

/// A session's place in the list: the newest come first.
type Place = (Reverse<i64>, String);

/// Returns one page of the sessions of all agents, the newest first. A session whose folder is not
/// known is left out, because a client cannot open it.
pub(super) async fn list(
    context: &Context,
    request: ListSessionsRequest,
) -> Result<ListSessionsResponse, Error> {
    let filter = filter(context, &request)?;
    let after = match &request.cursor {
        Some(cursor) => Some(place_of_cursor(cursor)?),
        None => {
            refresh(context).await;
            None
        }
    };
    let hub = &context.shared.hub;
    let mut sessions: Vec<(Place, ListedSession)> = hub
        .list(&filter)
        .into_iter()
        .filter(|session| Path::new(&session.cwd).is_absolute())
        .map(|session| (place(&session), session))
        .collect();
    sessions.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut rest = sessions.into_iter().filter(|(place, _)| after.as_ref() < Some(place));
    let page: Vec<_> = rest.by_ref().take(PAGE).collect();
    let last = page.last().map(|((Reverse(at), id), _)| format!("{at} {id}"));
    let next = rest.next().and(last);
    let infos: Vec<_> = page.into_iter().map(|(_, session)| info(context, session)).collect();
    let mut response = ListSessionsResponse::new(infos);
    response.next_cursor = next;
    Ok(response)
}

fn filter(context: &Context, request: &ListSessionsRequest) -> Result<SessionFilter, Error> {
    let archived = match &request.archived {
        None | Some(SessionArchiveFilter::Exclude) => ArchivedFilter::Exclude,
        Some(SessionArchiveFilter::Include) => ArchivedFilter::Include,
        Some(SessionArchiveFilter::Only) => ArchivedFilter::Only,
        Some(SessionArchiveFilter::Unknown(filter)) => {
            return Err(Error::invalid_params(format!(
                "archived must be exclude, include or only, not {filter:?}"
            )));
        }
    };
    if let Some(cwd) = request.cwd.as_ref().filter(|cwd| !Path::new(cwd).is_absolute()) {
        return Err(Error::invalid_params(format!("cwd must be an absolute path, not {cwd:?}")));
    }
    let agent = context.client.only_agent().map(str::to_owned);
    Ok(SessionFilter { agent, cwd: request.cwd.clone(), archived, ..SessionFilter::default() })
}

fn place_of_cursor(cursor: &str) -> Result<Place, Error> {
    let place = cursor.split_once(' ').and_then(|(at, id)| Some((at.parse().ok()?, id)));
    let (at, id): (i64, &str) = place.ok_or_else(|| {
        Error::invalid_params("the cursor is not one of this list: list again without a cursor")
    })?;
    Ok((Reverse(at), id.to_owned()))
}

fn wire(session: &ListedSession) -> SessionId {
    SessionName { agent: session.agent.clone(), id: session.id.clone() }.to_wire()
}

fn place(session: &ListedSession) -> Place {
    let at = session.updated_at.unwrap_or(Timestamp(i64::MIN));
    (Reverse(at.0), wire(session).to_string())
}

/// Asks the store and the agents for their lists, and waits briefly for them.
async fn refresh(context: &Context) {
    // An agent that starts or answers slowly is listed next time.
    let starting = context.shared.start_default_agent(&context.client);
    drop(tokio::time::timeout(PATIENCE, starting).await);
    let listing = context.shared.hub.refresh_list_and_wait();
    drop(tokio::time::timeout(PATIENCE, listing).await);
}

fn info(context: &Context, session: ListedSession) -> SessionInfo {
    let name = SessionName { agent: session.agent, id: session.id };
    let mut info = SessionInfo::new(context.wire(&name), session.cwd);
    info.meta = Labels::change(&Labels::default(), &session.labels);
    info.title = session.title;
    info.updated_at = session.updated_at.map(|at| at.rfc3339());
    info.archived = Some(session.archived);
    info
}
